//! A thin layer over the CUDA driver for hand-written kernels: memory, launches and timings on one device.
//!
//! A [`Gpu`] is created from a [`CudaDevice`], which exists only if the driver is present. The [`Gpu`] and the
//! [`CudaDevice`] share the device's primary context.
#![allow(unsafe_code)]

use bytemuck::{NoUninit, Pod};
use cudarc::driver::DriverError;
use cudarc::driver::result::{self, event, module, stream};
use cudarc::driver::sys::{
    self, CUcontext, CUdevice, CUdeviceptr, CUevent, CUevent_flags, CUfunction, CUmodule, CUstream,
};
use gts_graph::device::Device;
use gts_graph::device::cuda::{CudaDevice, compile};
use gts_graph::{Error, Result};
use std::ffi::{CString, c_void};
use std::time::Duration;

/// Threads per block, equal to the constant in the CUDA sources.
pub(super) const BLOCK: u32 = 256;

/// A device, and the stream on which all work runs.
pub(super) struct Gpu {
    name: String,
    architecture: u32,
    device: CUdevice,
    context: CUcontext,
    stream: CUstream,
}

impl Gpu {
    /// Opens a device and creates its stream.
    pub(super) fn of(device: &CudaDevice) -> Result<Self> {
        let name = device.name();
        let failed = |error| failure(&name, "opening the device", error);
        let number = i32::try_from(device.ordinal()).unwrap_or(i32::MAX);
        let found = result::device::get(number).map_err(failed)?;
        // SAFETY: the driver has returned the device. `drop` releases the context.
        let context = unsafe { result::primary_ctx::retain(found) }.map_err(failed)?;
        let architecture = device.architecture();
        let mut gpu = Self { name, architecture, device: found, context, stream: stream::null() };
        gpu.stream = gpu.call("making a stream", || stream::create(stream::StreamKind::NonBlocking))?;
        Ok(gpu)
    }

    /// Calls the driver with the device's context current.
    fn call<T>(&self, during: &str, call: impl FnOnce() -> std::result::Result<T, DriverError>) -> Result<T> {
        // SAFETY: the context is retained.
        let bound = unsafe { result::ctx::set_current(self.context) };
        bound.and_then(|()| call()).map_err(|error| failure(&self.name, during, error))
    }

    /// Compiles a CUDA source and loads it for the lifetime of the process.
    pub(super) fn program(&self, name: &str, source: &str) -> Result<Program<'_>> {
        let code = compile(name, source, self.architecture)?;
        // SAFETY: the compiler has returned the bytes as a complete program.
        let handle = self.call("loading a program", || unsafe { module::load_data(code.as_ptr().cast()) })?;
        Ok(Program { gpu: self, handle })
    }

    /// Allocates zeroed device memory.
    pub(super) fn zeroed(&self, bytes: usize) -> Result<Memory<'_>> {
        // SAFETY: `Memory` frees the memory, which is cleared below before anything reads it.
        let address = self.call("allocating", || unsafe { result::malloc_sync(bytes.max(1)) })?;
        let memory = Memory { gpu: self, address, bytes };
        self.clear(&memory)?;
        self.wait()?;
        Ok(memory)
    }

    /// Allocates device memory and copies the values into it.
    pub(super) fn copied<T: NoUninit>(&self, values: &[T]) -> Result<Memory<'_>> {
        let memory = self.zeroed(size_of_val(values))?;
        self.upload(&memory, values)?;
        Ok(memory)
    }

    /// Copies values to the beginning of `target`, and waits for the copy.
    pub(super) fn upload<T: NoUninit>(&self, target: &Memory<'_>, values: &[T]) -> Result<()> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let bytes = &bytes[..bytes.len().min(target.bytes)];
        // SAFETY: the memory has these bytes, and the stream is synchronised while they are borrowed.
        self.call("copying", || unsafe { result::memcpy_htod_async(target.address, bytes, self.stream) })?;
        self.wait()
    }

    /// Waits for all submitted work, then copies the beginning of device memory to the values.
    pub(super) fn download<T: Pod>(&self, source: &Memory<'_>, values: &mut [T]) -> Result<()> {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(values);
        let count = bytes.len().min(source.bytes);
        self.wait()?;
        // SAFETY: the memory has these bytes, and no remaining work writes them.
        self.call("copying", || unsafe { result::memcpy_dtoh_sync(&mut bytes[..count], source.address) })
    }

    /// Sets device memory to zero after all submitted work.
    pub(super) fn clear(&self, memory: &Memory<'_>) -> Result<()> {
        // SAFETY: the memory has these bytes, and its `drop` waits for the stream.
        self.call("clearing", || unsafe { result::memset_d8_async(memory.address, 0, memory.bytes, self.stream) })
    }

    /// Copies bytes to an offset in device memory after all submitted work. Bytes beyond the end of the memory are
    /// skipped.
    ///
    /// # Safety
    ///
    /// The bytes stay unchanged until the stream has been synchronised.
    pub(super) unsafe fn copy(&self, target: &Memory<'_>, offset: usize, bytes: &[u8]) -> Result<()> {
        let bytes = &bytes[..bytes.len().min(target.bytes.saturating_sub(offset))];
        // SAFETY: the range is within the memory, whose `drop` waits for the stream. The caller guarantees the source.
        self.call("copying", || unsafe {
            result::memcpy_htod_async(target.address + offset as u64, bytes, self.stream)
        })
    }

    /// Launches a kernel in blocks of [`BLOCK`] threads after all submitted work.
    ///
    /// # Safety
    ///
    /// The arguments match the kernel's parameters, 8 bytes each. The kernel accesses only memory whose addresses are
    /// among the arguments. This memory exists until the stream has been synchronised.
    pub(super) unsafe fn launch(&self, kernel: Kernel, (across, down): (u32, u32), arguments: &[u64]) -> Result<()> {
        let mut arguments: Vec<*mut c_void> =
            arguments.iter().map(|slot| std::ptr::from_ref(slot).cast_mut().cast()).collect();
        let (grid, block) = ((across, down, 1), (BLOCK, 1, 1));
        // SAFETY: the caller guarantees the arguments. The driver copies them before it returns.
        self.call("a launch", || unsafe {
            result::launch_kernel(kernel.0, grid, block, 0, self.stream, &mut arguments)
        })
    }

    /// Waits for all submitted work.
    pub(super) fn wait(&self) -> Result<()> {
        // SAFETY: the stream exists.
        self.call("waiting", || unsafe { stream::synchronize(self.stream) })
    }

    /// Records an event after all submitted work.
    pub(super) fn mark(&self) -> Result<Mark<'_>> {
        let event = self.call("making an event", || event::create(CUevent_flags::CU_EVENT_DEFAULT))?;
        let mark = Mark { gpu: self, event };
        // SAFETY: the event and the stream exist.
        self.call("marking", || unsafe { event::record(event, self.stream) })?;
        Ok(mark)
    }

    /// Returns the device time of the work that `work` submits.
    pub(super) fn time(&self, work: impl FnOnce() -> Result<()>) -> Result<Duration> {
        let begin = self.mark()?;
        work()?;
        let end = self.mark()?;
        self.wait()?;
        // SAFETY: both events were recorded, and the stream has passed them.
        let milliseconds = self.call("reading a time", || unsafe { event::elapsed(begin.event, end.event) })?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) * 1e-3))
    }

    /// Maps host memory into the device's address space. Returns `None` if the device cannot access the memory in
    /// place.
    pub(super) fn map<'a>(&'a self, values: &'a [u32]) -> Result<Option<Mapped<'a>>> {
        let (start, flags) = (values.as_ptr().cast_mut().cast(), sys::CU_MEMHOSTREGISTER_DEVICEMAP);
        // SAFETY: the values do not move while `Mapped` borrows them. Its `drop` unlocks the pages.
        self.call("page-locking", || unsafe { sys::cuMemHostRegister_v2(start, size_of_val(values), flags) }.result())?;
        let mut mapped = Mapped { gpu: self, values, address: 0 };
        // SAFETY: the memory is registered, and the target is valid.
        let found = unsafe { sys::cuMemHostGetDevicePointer_v2(&mut mapped.address, start, 0) };
        Ok(found.result().is_ok().then_some(mapped))
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        let _ = self.wait();
        // SAFETY: the stream was created once, and the context retained once. No value borrows this `Gpu` any longer.
        let _ = self.call("closing", || unsafe { stream::destroy(self.stream) });
        // SAFETY: as above.
        let _ = unsafe { result::primary_ctx::release(self.device) };
    }
}

fn failure(device: &str, during: &str, error: DriverError) -> Error {
    Error::Device { device: device.to_owned(), during: during.to_owned(), why: format!("{:?}", error.0) }
}

/// A compiled and loaded CUDA source.
pub(super) struct Program<'a> {
    gpu: &'a Gpu,
    handle: CUmodule,
}

impl Program<'_> {
    /// Returns the kernel with this name.
    pub(super) fn kernel(&self, name: &str) -> Result<Kernel> {
        let symbol = CString::new(name).unwrap_or_default();
        // SAFETY: the module is loaded for the life of the process.
        Ok(Kernel(self.gpu.call(name, || unsafe { module::get_function(self.handle, symbol) })?))
    }
}

/// A kernel in a loaded program.
#[derive(Clone, Copy)]
pub(super) struct Kernel(CUfunction);

/// Device memory, freed when this value is dropped.
pub(super) struct Memory<'a> {
    gpu: &'a Gpu,
    address: CUdeviceptr,
    bytes: usize,
}

impl Memory<'_> {
    /// Returns the device address.
    pub(super) fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        let _ = self.gpu.wait();
        // SAFETY: the memory was allocated once, and no remaining work uses it.
        let _ = self.gpu.call("freeing", || unsafe { result::free_sync(self.address) });
    }
}

/// Page-locked host memory that kernels can read, unlocked when this value is dropped.
pub(super) struct Mapped<'a> {
    gpu: &'a Gpu,
    values: &'a [u32],
    address: CUdeviceptr,
}

impl Mapped<'_> {
    /// Returns the device address of the first value.
    pub(super) fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for Mapped<'_> {
    fn drop(&mut self) {
        let _ = self.gpu.wait();
        let start = self.values.as_ptr().cast_mut().cast();
        // SAFETY: the memory was registered once, and no remaining work reads it.
        let _ = self.gpu.call("unlocking pages", || unsafe { sys::cuMemHostUnregister(start) }.result());
    }
}

/// An event recorded in the stream.
pub(super) struct Mark<'a> {
    gpu: &'a Gpu,
    event: CUevent,
}

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        // SAFETY: the event was created once.
        let _ = self.gpu.call("closing", || unsafe { event::destroy(self.event) });
    }
}
