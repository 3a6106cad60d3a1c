//! Measures the constants of the cost models, and stores them in a file of the user's cache folder.
//!
//! Memory, copies and launches are measured directly. Kernels are measured by running registered algorithms on small
//! generated graphs, so that a user's own algorithm is measured like the shipped ones. Every figure is the best of
//! several: it shows the machine's speed without the load of other programs.

mod accesses;
mod file;
mod host;
mod kernels;
mod memory;

pub use accesses::accesses;
pub use file::{ConstantsError, load, path, save};
pub(crate) use host::Reads;
pub use host::{disk_rate, memory_rate, read_rate};
pub use kernels::{Sizes, kernel_rates, step_seconds};
pub use memory::{free_memory, peak_memory, total_memory};

pub use crate::device::cuda::measure_link;
