//! Functions for programs, kernels and launches.

use super::{calls, set};
use crate::codes::{Code, Result};
use crate::configuration::configuration;
use crate::launches::Job;
use crate::modules::{self, Function};
use crate::queues::{self, Work};
use gts_emulator_ptx::Launch;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::Arc;

/// Maximum number of threads per block.
const MOST_THREADS: u64 = 1024;
/// Maximum number of blocks per grid in each dimension.
const MOST_BLOCKS: [u32; 3] = [i32::MAX as u32, 65535, 65535];

calls! {
    fn cuModuleLoadData(module: *mut usize, image: *const c_void) {
        if image.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the caller passes a program terminated by NUL.
        let text = unsafe { CStr::from_ptr(image.cast()) }.to_str().map_err(|_| Code::INVALID_IMAGE)?;
        set(module, modules::load(text)?)
    }

    fn cuModuleGetFunction(function: *mut usize, module: usize, name: *const c_char) {
        if name.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the caller passes a string terminated by NUL.
        let name = unsafe { CStr::from_ptr(name) }.to_str().map_err(|_| Code::NOT_FOUND)?;
        set(function, modules::find(module, name)?)
    }

    fn cuFuncGetParamInfo(function: usize, index: usize, offset: *mut usize, bytes: *mut usize) {
        let function = modules::function(function)?;
        let parameter = function.kernel.parameters.get(index).ok_or(Code::INVALID_VALUE)?;
        set(offset, parameter.offset)?;
        if !bytes.is_null() {
            set(bytes, parameter.bytes)?;
        }
        Ok(())
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int,
        function: usize,
        threads: c_int,
        _dynamic: usize,
    ) {
        modules::function(function)?;
        let threads = u32::try_from(threads).ok().filter(|&threads| threads > 0).ok_or(Code::INVALID_VALUE)?;
        set(blocks, configuration().card.blocks_at_a_time(threads) as c_int)
    }

    fn cuLaunchKernel(
        function: usize,
        x: c_uint,
        y: c_uint,
        z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        stream: u64,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) {
        if !extra.is_null() {
            return Err(Code::NOT_SUPPORTED);
        }
        let shape = Shape { grid: [x, y, z], block: [block_x, block_y, block_z], shared, together: false };
        launch(&modules::function(function)?, shape, stream, parameters)
    }

    fn cuLaunchCooperativeKernel(
        function: usize,
        x: c_uint,
        y: c_uint,
        z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        stream: u64,
        parameters: *mut *mut c_void,
    ) {
        let shape = Shape { grid: [x, y, z], block: [block_x, block_y, block_z], shared, together: true };
        let card = configuration().card;
        let most = u64::from(card.multiprocessors) * u64::from(card.blocks_at_a_time(block_x * block_y * block_z));
        if [x, y, z].map(u64::from).iter().product::<u64>() > most {
            return Err(Code::COOPERATIVE_LAUNCH_TOO_LARGE);
        }
        launch(&modules::function(function)?, shape, stream, parameters)
    }
}

/// Dimensions and other properties of a launch.
struct Shape {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    /// Whether all blocks of the launch must run concurrently because they wait for each other.
    together: bool,
}

/// Queues a launch. The arguments are copied before the function returns.
fn launch(function: &Function, shape: Shape, stream: u64, arguments: *mut *mut c_void) -> Result<()> {
    let threads: u64 = shape.block.map(u64::from).iter().product();
    let grid_fits = shape.grid.iter().zip(MOST_BLOCKS).all(|(&blocks, most)| (1..=most).contains(&blocks));
    if !grid_fits || !(1..=MOST_THREADS).contains(&threads) {
        return Err(Code::INVALID_VALUE);
    }
    let queue = queues::of_handle(stream)?;
    let device = queues::device(queue)?;
    if device != function.module.device {
        return Err(Code::INVALID_HANDLE);
    }
    let launch = Launch {
        program: Arc::clone(&function.module.program),
        kernel: Arc::clone(&function.kernel),
        grid: shape.grid,
        block: shape.block,
        dynamic_shared: shape.shared,
        parameters: parameters(function, arguments)?,
        globals: function.module.globals,
        device,
        together: shape.together,
    };
    queues::put(queue, Work::Launch(Arc::new(Job::new(device, queue, launch))))
}

/// Returns the parameter bytes of a kernel, copied from the arguments.
fn parameters(function: &Function, arguments: *mut *mut c_void) -> Result<Vec<u8>> {
    let parameters = &function.kernel.parameters;
    if arguments.is_null() && !parameters.is_empty() {
        return Err(Code::INVALID_VALUE);
    }
    let mut bytes = vec![0; parameters.last().map_or(0, |last| last.offset + last.bytes)];
    for (index, parameter) in parameters.iter().enumerate() {
        // SAFETY: the caller passes the address of each argument, which has the size of its parameter.
        let argument = unsafe { std::slice::from_raw_parts((*arguments.add(index)).cast::<u8>(), parameter.bytes) };
        bytes[parameter.offset..parameter.offset + parameter.bytes].copy_from_slice(argument);
    }
    Ok(bytes)
}
