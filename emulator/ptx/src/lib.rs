//! An interpreter of PTX, the assembly of NVIDIA's GPUs, as NVRTC writes it.
//!
//! [`Program::load`] turns text into instructions, each with a function that runs it for the lanes of a warp. A [`Block`] is a
//! value that runs for a while ([`Block::run`]) and goes on later, on whichever thread: whoever calls it schedules blocks. The
//! interpreter reaches memory through a [`Table`] of allocations and checks each access against it.

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
