//! Loaded programs and their kernels.
#![allow(unsafe_code)]

use crate::codes::{Code, Result};
use crate::configuration::refuse;
use crate::contexts;
use crate::memory;
use crate::statistics;
use gts_emulator_ptx::{Kernel, Program};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A program loaded on a device.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) device: u32,
    pub(crate) program: Arc<Program>,
    /// Address of the program's global variables.
    pub(crate) globals: u64,
}

/// A kernel of a loaded program.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) module: Arc<Module>,
    pub(crate) kernel: Arc<Kernel>,
}

/// All programs, modules and kernels of the process.
#[derive(Debug, Default)]
struct Loaded {
    /// Parsed programs by their text. Several engines may load the same program.
    programs: HashMap<Box<str>, Arc<Program>>,
    modules: Vec<Arc<Module>>,
    functions: Vec<Function>,
}

static LOADED: Mutex<Option<Loaded>> = Mutex::new(None);

/// Handles of the first module and of the first function. The index is added for later ones.
const MODULE: usize = 0xA0_0000_0000;
const FUNCTION: usize = 0xB0_0000_0000;

fn with<R>(action: impl FnOnce(&mut Loaded) -> R) -> R {
    let mut loaded: MutexGuard<'_, Option<Loaded>> = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    action(loaded.get_or_insert_with(Loaded::default))
}

/// Loads a program on the current device and returns the module's handle. Ends the process if the emulator does not
/// support a form in the program.
pub(crate) fn load(text: &str) -> Result<usize> {
    let device = contexts::current()?;
    let program = match with(|loaded| loaded.programs.get(text).cloned()) {
        Some(program) => program,
        None => {
            let program = Program::load(text).unwrap_or_else(|error| refuse(error));
            statistics::loaded();
            let program = Arc::new(program);
            with(|loaded| loaded.programs.insert(text.into(), Arc::clone(&program)));
            program
        }
    };
    let globals = memory::with(|memory| match program.globals() {
        0 => Ok(0),
        bytes => memory.allocate(device, bytes),
    })?;
    initialize(&program, globals);
    let module = Arc::new(Module { device, program, globals });
    Ok(with(|loaded| {
        loaded.modules.push(module);
        MODULE + loaded.modules.len() - 1
    }))
}

/// Writes the initial values of a program's global variables.
fn initialize(program: &Program, globals: u64) {
    // SAFETY: the allocation has this number of bytes, and nothing else uses it yet.
    unsafe { (globals as *mut u8).write_bytes(0, program.globals() as usize) };
    for (offset, bytes) in program.image() {
        // SAFETY: the parts are within the program's variables.
        unsafe { ((globals + offset) as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }
}

/// Returns the handle of a kernel.
pub(crate) fn find(handle: usize, name: &str) -> Result<usize> {
    let index = handle.wrapping_sub(MODULE);
    let module = with(|loaded| loaded.modules.get(index).cloned()).ok_or(Code::INVALID_HANDLE)?;
    let kernel = module.program.kernel(name).ok_or(Code::NOT_FOUND)?;
    Ok(with(|loaded| {
        loaded.functions.push(Function { module, kernel });
        FUNCTION + loaded.functions.len() - 1
    }))
}

/// Returns the kernel of a handle.
pub(crate) fn function(handle: usize) -> Result<Function> {
    with(|loaded| loaded.functions.get(handle.wrapping_sub(FUNCTION)).cloned()).ok_or(Code::INVALID_HANDLE)
}
