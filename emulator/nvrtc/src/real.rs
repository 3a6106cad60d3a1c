//! Bindings to the real NVRTC library.
#![allow(unsafe_code)]

use super::{Code, Program, SUCCESS, refuse};
use libc::{c_char, c_int, size_t};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::env;
use std::sync::OnceLock;

/// Oldest major version of NVRTC whose PTX the emulator supports.
const OLDEST: c_int = 13;

type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> Code;

/// Functions of the real library.
pub(super) struct Functions {
    pub(super) version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Code,
    pub(super) create: Create,
    pub(super) compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Code,
    pub(super) destroy: unsafe extern "C" fn(*mut Program) -> Code,
    pub(super) ptx_size: unsafe extern "C" fn(Program, *mut size_t) -> Code,
    pub(super) ptx: unsafe extern "C" fn(Program, *mut c_char) -> Code,
    pub(super) log_size: unsafe extern "C" fn(Program, *mut size_t) -> Code,
    pub(super) log: unsafe extern "C" fn(Program, *mut c_char) -> Code,
}

/// Returns the functions of the real library, loaded on first use. Ends the process if the library is missing or too
/// old.
pub(super) fn functions() -> &'static Functions {
    static FUNCTIONS: OnceLock<Functions> = OnceLock::new();
    FUNCTIONS.get_or_init(open)
}

fn open() -> Functions {
    let Some(path) = env::var_os("GTS_EMU_NVRTC") else {
        refuse("GTS_EMU_NVRTC does not name NVRTC's library; start the command by emulator/run.sh");
    };
    let shown = path.to_string_lossy().into_owned();
    // SAFETY: the user declares the library to be NVRTC, whose initialisers are safe to run.
    let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) };
    let library = library.unwrap_or_else(|error| refuse(&format!("{shown} cannot be loaded: {error}")));
    macro_rules! function {
        ($name:literal) => {
            // SAFETY: the function has this type in every version of NVRTC.
            match unsafe { library.get($name) } {
                Ok(symbol) => *symbol,
                Err(error) => refuse(&format!("{shown} is not NVRTC: {error}")),
            }
        };
    }
    let functions = Functions {
        version: function!(b"nvrtcVersion\0"),
        create: function!(b"nvrtcCreateProgram\0"),
        compile: function!(b"nvrtcCompileProgram\0"),
        destroy: function!(b"nvrtcDestroyProgram\0"),
        ptx_size: function!(b"nvrtcGetPTXSize\0"),
        ptx: function!(b"nvrtcGetPTX\0"),
        log_size: function!(b"nvrtcGetProgramLogSize\0"),
        log: function!(b"nvrtcGetProgramLog\0"),
    };
    // Keep the library loaded, because the function pointers are used until the process ends.
    std::mem::forget(library);
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both targets are valid.
    if unsafe { (functions.version)(&mut major, &mut minor) } != SUCCESS || major < OLDEST {
        refuse(&format!("{shown} is NVRTC {major}.{minor}; the emulator needs {OLDEST} or later"));
    }
    functions
}
