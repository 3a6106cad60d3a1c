//! The CUDA driver. Contexts, memory, streams and modules are owned values, and the result of every driver call is
//! checked.
//!
//! This folder contains the `unsafe` driver calls. The calls rely on two facts: a [`Context`] is created only after
//! [`super::library`] has found the driver, and every value created from a context keeps the context alive.
//!
//! A context that has failed permanently is *poisoned*. A poisoned context stores the first error, and every later call
//! returns that error. The context's resources are not freed before the process ends, because freeing waits for kernels
//! that may never finish.
#![allow(unsafe_code)]

mod copies;
mod host;
mod idle;
mod ledger;
mod memory;
mod module;
mod peer;
mod spread;
mod stream;

use super::code::text;
pub(super) use host::{PageLock, Pinned};
pub(super) use ledger::Ledger;
pub(super) use memory::Buffer;
pub(super) use module::{Function, Module};
pub(super) use spread::Spread;
pub(super) use stream::{Event, Stream};

use cudarc::driver::DriverError;
use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdevice_attribute, CUresult};
use gts_device::error::{Error, Result};
use gts_device::tuning;
use idle::Idle;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// Returns the UUID of a device without creating a context.
pub(super) fn identity(ordinal: u32) -> Result<[u8; 16]> {
    super::library::driver()?;
    let identity = result::device::get(ordinal as i32).and_then(result::device::get_uuid);
    let lost = |error: DriverError| Error::NoDevice {
        device: format!("cuda:{ordinal}"),
        why: format!("it does not tell which device it is: {}", text(error.0)),
        remedy: "see what nvidia-smi says".into(),
    };
    Ok(identity.map_err(lost)?.bytes.map(|byte| byte as u8))
}

/// A device's primary context.
#[derive(Debug)]
pub(super) struct Context {
    handle: sys::CUcontext,
    device: sys::CUdevice,
    ordinal: u32,
    name: String,
    architecture: u32,
    multiprocessors: u32,
    ledger: Ledger,
    page_locked: Ledger,
    idle: Idle,
    /// The number of allocations and frees requested from the driver.
    calls: AtomicU64,
    poison: OnceLock<Error>,
}

// SAFETY: the driver's handles may be used by any thread in which the context is current; `bind` makes it current.
unsafe impl Send for Context {}
// SAFETY: any thread in which the context is current may use the handles; the driver serialises calls if necessary.
unsafe impl Sync for Context {}

impl Context {
    /// Retains the primary context of a device. All buffers together use at most `limit` bytes of device memory.
    pub(super) fn new(ordinal: u32, limit: Option<u64>) -> Result<Arc<Self>> {
        let count = super::library::driver()?.devices;
        let label = format!("cuda:{ordinal}");
        let absent =
            |why: String, remedy: &'static str| Error::NoDevice { device: label.clone(), why, remedy: remedy.into() };
        if ordinal >= count {
            return Err(absent(format!("this machine has {count}, counted from 0"), "choose another with `cuda:N`"));
        }
        let open = |error: DriverError| {
            absent(text(error.0), "see who uses the device with nvidia-smi, or run on the CPU with `--device cpu`")
        };
        let device = result::device::get(ordinal as i32).map_err(open)?;
        let name = result::device::get_name(device).map_err(open)?;
        let attribute = |attribute: CUdevice_attribute| {
            // SAFETY: `device` is a device that the driver has just returned.
            unsafe { result::device::get_attribute(device, attribute) }.map(|value| value as u32).map_err(open)
        };
        let major = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let multiprocessors = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        // SAFETY: `device` is a device that the driver has returned.
        let handle = unsafe { result::primary_ctx::retain(device) }.map_err(open)?;
        let context = Self {
            handle,
            device,
            ordinal,
            name: format!("{label} {name}"),
            architecture: 10 * major + minor,
            multiprocessors,
            ledger: Ledger::new(limit),
            page_locked: Ledger::default(),
            idle: Idle::default(),
            calls: AtomicU64::new(0),
            poison: OnceLock::new(),
        };
        context.bind()?;
        Ok(Arc::new(context))
    }

    /// Returns the device's number in the driver, counted from 0.
    pub(super) fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// Returns the number and the model of the device, for messages.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the device's UUID.
    pub(super) fn identity(&self) -> Result<[u8; 16]> {
        let found = self.check(result::device::get_uuid(self.device), "asking which device it is")?;
        Ok(found.bytes.map(|byte| byte as u8))
    }

    /// Returns the compute capability as a number: 90 for `sm_90`.
    pub(super) fn architecture(&self) -> u32 {
        self.architecture
    }

    /// Returns the number of multiprocessors.
    pub(super) fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    /// Returns the size of the L2 cache in bytes.
    pub(super) fn cache(&self) -> Result<u64> {
        let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE;
        // SAFETY: the device belongs to the retained context.
        let found = unsafe { result::device::get_attribute(self.device, attribute) };
        self.check(found, "asking for the size of the cache").map(|bytes| bytes.max(0) as u64)
    }

    /// Returns the free and the total device memory, in bytes.
    pub(super) fn memory(&self) -> Result<(u64, u64)> {
        self.bind()?;
        let (free, total) = self.check(result::mem_get_info(), "asking for free memory")?;
        Ok((free as u64, total as u64))
    }

    /// Returns the account of device memory.
    pub(super) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns the account of host memory that was page-locked through this context.
    pub(super) fn page_locked(&self) -> &Ledger {
        &self.page_locked
    }

    /// Returns the idle memory, which allocations can reuse.
    fn idle(&self) -> &Idle {
        &self.idle
    }

    /// Counts a driver call that allocates or frees device memory, page-locked memory, a stream or an event.
    fn count_call(&self) {
        self.calls.fetch_add(1, Relaxed);
    }

    /// Returns the number of allocations and frees requested from the driver. A run that repeats an earlier run does
    /// not increase this number.
    pub(super) fn calls(&self) -> u64 {
        self.calls.load(Relaxed)
    }

    /// Returns the amount of device memory that can still be allocated, in bytes, including idle memory. A margin is
    /// left for the driver and for other processes.
    pub(super) fn available(&self) -> Result<u64> {
        let free = (self.memory()?.0 + self.idle.bytes()).saturating_sub(tuning::CUDA_MEMORY_MARGIN);
        Ok(self.ledger.left().map_or(free, |left| left.min(free)))
    }

    /// Makes the context current in the calling thread. Driver calls that use the context require a current context.
    /// Fails if the context is poisoned.
    pub(super) fn bind(&self) -> Result<()> {
        if let Some(error) = self.poison.get() {
            return Err(Error::Poisoned(Box::new(error.clone())));
        }
        // SAFETY: the handle belongs to a retained context.
        self.check(unsafe { result::ctx::set_current(self.handle) }, "making the context current")
    }

    /// Converts a driver result. Every error poisons the context, except an out-of-memory error, after which the
    /// context stays usable.
    fn check<T>(&self, result: Result<T, DriverError>, during: &str) -> Result<T> {
        result.map_err(|error| self.fail(error.0, during))
    }

    fn fail(&self, code: CUresult, during: &str) -> Error {
        let error = Error::Device { device: self.name.clone(), during: during.to_owned(), why: text(code) };
        if code != CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            self.poison(error.clone());
        }
        error
    }

    /// Makes every later call fail with this error. If the context is already poisoned, retains the earlier error.
    pub(super) fn poison(&self, error: Error) {
        let _ = self.poison.set(error);
    }

    pub(crate) fn is_poisoned(&self) -> bool {
        self.failure().is_some()
    }

    /// Returns the error that has poisoned the context, if any.
    pub(super) fn failure(&self) -> Option<&Error> {
        self.poison.get()
    }

    /// Waits for the default stream, because "synchronous" copies and fills may still be in progress when the driver
    /// returns, and this module's streams do not wait for the default stream.
    fn settle(&self, during: &str) -> Result<()> {
        // SAFETY: the default stream always exists.
        self.check(unsafe { result::stream::synchronize(result::stream::null()) }, during)
    }

    /// Frees a resource. Does nothing in a poisoned context, because freeing could wait indefinitely. Ignores a
    /// failure, because the next call reports the failure.
    fn release(&self, free: impl FnOnce() -> Result<(), DriverError>) {
        if !self.is_poisoned() && self.bind().is_ok() {
            let _ = self.check(free(), "freeing");
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.idle.trim(self, 0);
        if !self.is_poisoned() {
            // SAFETY: the context was retained once, and no value created from it is left: each such value holds an
            // `Arc` of the context.
            let _ = unsafe { result::primary_ctx::release(self.device) };
        }
    }
}
