//! An interpreter of PTX, the assembly language of NVIDIA's GPUs, for the forms that NVRTC generates.
//!
//! [`Program::load`] translates text into instructions. Each instruction has a function that executes it for the lanes
//! of a warp. A [`Block`] runs in time slices ([`Block::run`]), each on any thread. The caller schedules the blocks.
//! The interpreter checks every memory access against a [`Table`] of allocations.

mod access;
mod block;
mod fault;
mod forms;
mod lanes;
mod memory;
mod program;
mod spaces;
mod sync;
mod text;
mod types;
mod warp;

pub use block::{Block, Launch, Ran};
pub use fault::Fault;
pub use memory::{Allocation, Memory, Table};
pub use program::{Kernel, LoadError, Parameter, Program};
