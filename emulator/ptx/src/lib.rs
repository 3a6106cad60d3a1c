//! An interpreter of PTX, the assembly of NVIDIA's GPUs, as NVRTC writes it.
//!
//! [`Program::load`] turns text into instructions, each with a function that runs it for the lanes of a warp. A
//! [`Block`] runs in slices ([`Block::run`]), each on any thread; the caller schedules blocks. The interpreter accesses
//! memory through a [`Table`] of allocations and checks each access against the table.

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
