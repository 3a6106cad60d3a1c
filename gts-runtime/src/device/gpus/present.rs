//! GPUs by the CUDA driver.

use super::{FoundGpu, FoundNccl, IDENTITY};
use gts_core::cost::Strategy;
use gts_core::threads;
use gts_cpu::CpuDevice;
use gts_cuda::{CubinCache, CudaDevice, SplitDevice, nccl as library};
use gts_device::constants::DeviceMeasurement;
use gts_device::fitting::FittingDevice;
use gts_device::replicated::ReplicatedDevice;
use gts_device::{CudaOptions, Device, Placement, Result};
use std::sync::Arc;

/// Returns the number of GPUs.
///
/// # Errors
///
/// [`gts_device::Error::NoDevice`]: the reason why there is none.
pub fn count() -> Result<u32> {
    CudaDevice::count()
}

/// Opens a GPU, and returns its properties.
///
/// # Errors
///
/// [`gts_device::Error::NoDevice`]: no driver, no such device, or no run-time compiler.
pub fn find(number: u32) -> Result<FoundGpu> {
    let device = CudaDevice::new(number)?;
    let (free, total) = device.memory()?;
    Ok(FoundGpu { name: device.name(), architecture: device.architecture(), free, total })
}

/// Loads NCCL, once per process.
///
/// # Errors
///
/// The library is missing, too old, or cannot be used.
pub fn nccl() -> Result<FoundNccl> {
    let found = library::nccl()?;
    Ok(FoundNccl { version: found.version.to_string(), path: found.path.clone() })
}

/// Measures a GPU; `others` are the GPUs that a run would use beside it, for the rates of all at once.
///
/// # Errors
///
/// A device is not available, has too little memory, or fails.
pub fn measure_link(number: u32, others: &[u32]) -> Result<DeviceMeasurement> {
    gts_cuda::measure_link(number, others)
}

/// Returns the identity of each GPU.
pub(crate) fn identities() -> Result<Vec<[u8; IDENTITY]>> {
    CudaDevice::identities()
}

/// Returns the problems of the user's cache of compiled kernels, one per line.
pub(crate) fn problems() -> Vec<String> {
    CubinCache::of_user().problems()
}

/// Loads NCCL on a thread: this takes about as long as opening a device.
pub(crate) fn prepare_nccl() {
    // If the thread cannot be started, NCCL is loaded at the first use.
    let _ = threads::start("gts-nccl", || drop(library::nccl()));
}

/// Checks that `count` GPUs from `number` on can be opened.
pub(crate) fn check(number: usize, count: usize, options: CudaOptions) -> Result<()> {
    several(number, count, options).map(drop)
}

/// Opens `count` GPUs from `number` on, as one device.
pub(crate) fn open(
    number: usize,
    count: usize,
    options: CudaOptions,
    strategy: Option<Strategy>,
) -> Result<Arc<dyn Device>> {
    let devices = several(number, count, options)?;
    let split = SplitDevice::new(devices.clone())?;
    let whole: Arc<dyn Device> = match devices.as_slice() {
        [only] => Arc::clone(only) as Arc<dyn Device>,
        several => Arc::new(CudaDevice::together(several)?),
    };
    Ok(match strategy {
        Some(Strategy::Pages) => whole,
        Some(Strategy::Split) => Arc::new(split),
        None => Arc::new(FittingDevice::new(whole, Arc::new(split))),
    })
}

/// Opens `count` GPUs from `number` on, and joins them and the CPU into one device. The GPUs have access to the CPU's
/// values per vertex, and move values themselves. The weights are those of each GPU, then of the CPU.
pub(crate) fn beside_cpu(
    (number, count): (usize, usize),
    options: CudaOptions,
    cpu: impl FnOnce() -> Result<CpuDevice>,
    weights: &[u32],
    placement: Placement,
) -> Result<ReplicatedDevice> {
    let gpus = several(number, count, options)?;
    let cpu = cpu()?;
    let collective = CudaDevice::collective(&gpus)?;
    let cpu: Arc<dyn Device> = match gpus.first() {
        Some(gpu) => Arc::new(cpu.with_memory(gpu.host_memory())),
        None => Arc::new(cpu),
    };
    let leaders = gpus.len();
    let devices = gpus.into_iter().map(|gpu| gpu as Arc<dyn Device>).chain([cpu]).collect();
    Ok(ReplicatedDevice::weighted(devices, weights, placement, collective)?.led_by(leaders))
}

/// Opens `count` GPUs from `number` on.
fn several(number: usize, count: usize, options: CudaOptions) -> Result<Vec<Arc<CudaDevice>>> {
    // No machine has `u32::MAX` devices, so the device layer rejects a number that is clamped to this maximum.
    let device = |number: usize| CudaDevice::with_options(u32::try_from(number).unwrap_or(u32::MAX), options);
    (number..number.saturating_add(count)).map(|number| device(number).map(Arc::new)).collect()
}
