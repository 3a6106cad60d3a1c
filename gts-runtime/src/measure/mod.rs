//! Measures the constants of the cost models and stores them in a file in the user's cache folder.
//!
//! Memory, copies and launches are measured directly. Kernels are measured by running registered algorithms on small
//! generated graphs, so a user's own algorithms are measured like the built-in ones. Each figure is the best of several
//! measurements, to exclude the load of other programs.

mod accesses;
mod host;
mod kernels;
mod memory;

pub use accesses::accesses;
pub use gts_device::constants::{ConstantsError, DeviceMeasurement, load, path, save};
pub use gts_device::reads::memory_rate;
pub use host::{disk_rate, read_rate};
pub use kernels::{MeasuredSizes, kernel_rates, step_seconds};
pub use memory::{free_memory, peak_memory, total_memory};

pub use crate::device::gpus::measure_link;
