//! Compiled programs and their launches.

use super::{Context, Stream};
use cudarc::driver::result;
use cudarc::driver::sys::{self, CUfunction, CUmodule, CUresult};
use gts_device::error::{Error, Result};
use std::ffi::{CString, c_void};
use std::sync::Arc;

/// The number of threads per block. Must equal `GTS_BLOCK` in the prelude.
const BLOCK: u32 = 256;

/// A compiled program. The program stays loaded until the process ends, because unloading would wait for the device,
/// and an engine has few programs.
#[derive(Debug)]
pub(crate) struct Module {
    context: Arc<Context>,
    handle: CUmodule,
}

// SAFETY: the driver accepts a module from any thread.
unsafe impl Send for Module {}
// SAFETY: the driver accepts a module from any thread.
unsafe impl Sync for Module {}

impl Module {
    /// Loads a cubin that the compiler has produced, or that the cache has verified.
    pub(crate) fn load(context: &Arc<Context>, cubin: &[u8]) -> Result<Self> {
        context.bind()?;
        // SAFETY: the bytes are a whole cubin: either output of the compiler, or checked by the cache against a
        // checksum.
        let loaded = unsafe { result::module::load_data(cubin.as_ptr().cast::<c_void>()) };
        Ok(Self { context: context.clone(), handle: context.check(loaded, "loading a program")? })
    }

    /// Returns the entry point `name`. Fails unless `parameters` contains the sizes of the entry point's parameters in
    /// bytes.
    pub(crate) fn function(&self, name: &str, parameters: &[usize]) -> Result<Function> {
        self.context.bind()?;
        let mismatch = |why: String| {
            Err(Error::Device { device: self.context.name().to_owned(), during: format!("looking up `{name}`"), why })
        };
        let Ok(symbol) = CString::new(name) else { return mismatch("its name holds a NUL".to_owned()) };
        // SAFETY: the module is loaded.
        let found = unsafe { result::module::get_function(self.handle, symbol) };
        let handle = self.context.check(found, &format!("looking up `{name}`"))?;
        for (index, &expected) in parameters.iter().enumerate() {
            match self.parameter(handle, index)? {
                Some(found) if found == expected => {}
                found => return mismatch(format!("parameter {index} has {found:?} bytes, expected {expected}")),
            }
        }
        Ok(Function { context: self.context.clone(), handle, name: name.to_owned(), parameters: parameters.to_vec() })
    }

    /// Returns the size of a parameter in bytes, or `None` if the function has no parameter with this index.
    fn parameter(&self, function: CUfunction, index: usize) -> Result<Option<usize>> {
        let (mut offset, mut bytes) = (0, 0);
        // SAFETY: the function belongs to this module; both targets are valid.
        match unsafe { sys::cuFuncGetParamInfo(function, index, &mut offset, &mut bytes) } {
            CUresult::CUDA_SUCCESS => Ok(Some(bytes)),
            CUresult::CUDA_ERROR_INVALID_VALUE => Ok(None),
            code => Err(self.context.fail(code, "asking for a kernel's parameters")),
        }
    }
}

/// The value of a kernel's parameter, in slots of eight bytes.
type Argument<'a> = &'a [u64];

/// An entry point of a loaded program.
#[derive(Debug)]
pub(crate) struct Function {
    context: Arc<Context>,
    handle: CUfunction,
    name: String,
    parameters: Vec<usize>,
}

// SAFETY: the driver accepts a function from any thread; its module is never unloaded.
unsafe impl Send for Function {}
// SAFETY: the driver accepts a function from any thread; its module is never unloaded.
unsafe impl Sync for Function {}

impl Function {
    /// Enqueues a launch in a stream, with `BLOCK` threads per block.
    ///
    /// # Safety
    ///
    /// The arguments must match the entry point's parameters, in order. Addresses among the arguments must refer to
    /// memory that the device can access, that is large enough for the kernel, and that lives until the stream has
    /// completed the launch.
    pub(crate) unsafe fn launch(&self, stream: &Stream, grid: (u32, u32), arguments: &[Argument<'_>]) -> Result<()> {
        let mut pointers = self.pointers(stream, arguments)?;
        // SAFETY: the function and the stream exist; the driver copies the arguments before it returns; the sizes were
        // checked when the function was looked up; the caller guarantees the rest.
        let launched = unsafe {
            result::launch_kernel(self.handle, (grid.0, grid.1, 1), (BLOCK, 1, 1), 0, stream.handle(), &mut pointers)
        };
        launched.map_err(|error| self.context.fail(error.0, &format!("launching `{}`", self.name)))
    }

    /// Enqueues a launch whose blocks wait for each other: the driver runs all blocks concurrently.
    ///
    /// # Safety
    ///
    /// The requirements of [`Function::launch`] apply.
    pub(crate) unsafe fn launch_together(
        &self,
        stream: &Stream,
        (blocks, threads): (u32, u32),
        arguments: &[Argument<'_>],
    ) -> Result<()> {
        let mut pointers = self.pointers(stream, arguments)?;
        let (grid, block) = ((blocks, 1, 1), (threads, 1, 1));
        // SAFETY: as in `launch`.
        let launched =
            unsafe { result::launch_cooperative_kernel(self.handle, grid, block, 0, stream.handle(), &mut pointers) };
        launched.map_err(|error| self.context.fail(error.0, &format!("launching `{}`", self.name)))
    }

    /// Returns the maximum number of blocks of `threads` threads that a multiprocessor can run concurrently.
    pub(crate) fn blocks_at_a_time(&self, threads: u32) -> Result<u32> {
        self.context.bind()?;
        let mut blocks = 0;
        // SAFETY: the function exists; the target is valid.
        let code =
            unsafe { sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, self.handle, threads as i32, 0) };
        match code {
            CUresult::CUDA_SUCCESS => Ok(blocks as u32),
            code => Err(self.context.fail(code, "asking how many blocks run at a time")),
        }
    }

    /// Makes the context current, and returns the addresses of the arguments. Panics if the arguments and the
    /// parameters differ in size.
    fn pointers(&self, stream: &Stream, arguments: &[Argument<'_>]) -> Result<Vec<*mut c_void>> {
        assert!(
            self.parameters.iter().copied().eq(arguments.iter().map(|slots| 8 * slots.len())),
            "the arguments of `{}` have the sizes of its parameters",
            self.name
        );
        debug_assert!(Arc::ptr_eq(stream.context(), &self.context));
        self.context.bind()?;
        Ok(arguments.iter().map(|slots| slots.as_ptr().cast_mut().cast()).collect())
    }
}
