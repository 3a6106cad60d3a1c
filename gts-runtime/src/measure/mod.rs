//! Measures the constants that costs are reckoned with, and keeps them in a file of the user's cache folder.
//!
//! What a processor's memory, copies and launches cost is measured by itself; what kernels cost by running registered
//! algorithms on small generated graphs, so that an algorithm of one's own is measured as the shipped ones are. Every
//! figure is the best of several: what a machine can do, not what it did while something else ran on it.

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
