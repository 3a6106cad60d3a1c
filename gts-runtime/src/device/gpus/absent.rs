//! No GPUs: this build has no CUDA.

use super::{FoundGpu, FoundNccl, IDENTITY};
use gts_core::advice::Advice;
use gts_core::cost::Strategy;
use gts_cpu::CpuDevice;
use gts_device::constants::DeviceMeasurement;
use gts_device::replicated::ReplicatedDevice;
use gts_device::{CudaOptions, Device, Error, Placement, Result};
use std::sync::Arc;

/// The reason why there are no GPUs.
const ABSENT: &str = "this program was built without the feature `cuda`";

/// Returns the error of every request for a GPU.
fn absent<T>() -> Result<T> {
    Err(Error::NoDevice { device: "cuda".to_owned(), why: ABSENT.to_owned(), remedy: remedy() })
}

fn remedy() -> Advice {
    Advice::new(
        "build gts with its default features, or give --device cpu",
        "enable the feature `cuda` of `gts-runtime`, or choose `DeviceChoice::Cpu`",
    )
}

/// Returns the number of GPUs.
///
/// # Errors
///
/// Always: this build has no CUDA.
pub fn count() -> Result<u32> {
    absent()
}

/// Opens a GPU, and returns its properties.
///
/// # Errors
///
/// Always: this build has no CUDA.
pub fn find(_number: u32) -> Result<FoundGpu> {
    absent()
}

/// Loads NCCL.
///
/// # Errors
///
/// Always: this build has no CUDA.
pub fn nccl() -> Result<FoundNccl> {
    Err(Error::NoNccl { why: ABSENT.to_owned(), remedy: remedy() })
}

/// Measures a GPU.
///
/// # Errors
///
/// Always: this build has no CUDA.
pub fn measure_link(_number: u32, _others: &[u32]) -> Result<DeviceMeasurement> {
    absent()
}

pub(crate) fn identities() -> Result<Vec<[u8; IDENTITY]>> {
    absent()
}

pub(crate) fn problems() -> Vec<String> {
    Vec::new()
}

pub(crate) fn prepare_nccl() {}

pub(crate) fn check(_number: usize, _count: usize, _options: CudaOptions) -> Result<()> {
    absent()
}

pub(crate) fn open(
    _number: usize,
    _count: usize,
    _options: CudaOptions,
    _strategy: Option<Strategy>,
) -> Result<Arc<dyn Device>> {
    absent()
}

pub(crate) fn beside_cpu(
    _gpus: (usize, usize),
    _options: CudaOptions,
    _cpu: impl FnOnce() -> Result<CpuDevice>,
    _weights: &[u32],
    _placement: Placement,
) -> Result<ReplicatedDevice> {
    absent()
}
