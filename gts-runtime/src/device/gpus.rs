//! The GPUs of this machine. A build without the feature `cuda` has none.

#[cfg(not(feature = "cuda"))]
mod absent;
#[cfg(feature = "cuda")]
mod present;

#[cfg(not(feature = "cuda"))]
use absent as found;
#[cfg(feature = "cuda")]
use present as found;

pub(crate) use found::{beside_cpu, check, identities, open, prepare_nccl, problems};
pub use found::{count, find, measure_link, nccl};

use std::path::PathBuf;

/// Bytes of the identity of a GPU, which is unique across machines.
pub(crate) const IDENTITY: usize = 16;

/// A GPU on which kernels can run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundGpu {
    /// Display name, such as `cuda:0 NVIDIA H200`.
    pub name: String,
    /// Architecture for which kernels are compiled: 90 for `sm_90`.
    pub architecture: u32,
    /// Free bytes of device memory.
    pub free: u64,
    /// Bytes of device memory.
    pub total: u64,
}

/// The library by which values move between the GPUs of ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundNccl {
    /// The version that the library reports.
    pub version: String,
    /// The file that was loaded.
    pub path: PathBuf,
}
