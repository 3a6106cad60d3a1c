//! NVRTC for the emulator: forwards calls to the real library and compiles to PTX instead of machine code.
//!
//! `GTS_EMU_NVRTC` is the path of the real library. `GTS_EMU_PATCH` is the path of a file of replacements ([`patch`]),
//! applied to programs before compilation. The comment line at the beginning of a program is copied to its PTX, so that
//! the driver can report which program a kernel belongs to.
#![allow(unsafe_code)]

mod patch;
mod real;

use libc::{c_char, c_int, c_void, size_t};
use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A handle of a program in the real library.
type Program = *mut c_void;
/// A result code of the real library; 0 is success.
type Code = c_int;

const SUCCESS: Code = 0;
/// Omits textures and the CUDA runtime, which kernels do not use. Programs compile faster, to the same PTX.
const MINIMAL: &CStr = c"--minimal";
const INVALID_INPUT: Code = 3;

/// First line of each program's PTX, by the program's address.
static HEADINGS: Mutex<Option<HashMap<usize, Box<[u8]>>>> = Mutex::new(None);

fn headings() -> MutexGuard<'static, Option<HashMap<usize, Box<[u8]>>>> {
    HEADINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the comment line at the beginning of a text, including the newline. Returns an empty slice if there is none.
fn heading_of(text: &[u8]) -> &[u8] {
    match text.iter().position(|&byte| byte == b'\n') {
        Some(end) if text.starts_with(b"//") => &text[..=end],
        _ => &[],
    }
}

/// Returns the heading of a program, the first line of its PTX.
fn heading(program: Program) -> Box<[u8]> {
    headings().as_ref().and_then(|lines| lines.get(&program.addr())).cloned().unwrap_or_default()
}

/// Reports a usage error of the emulator and ends the process.
fn refuse(what: &str) -> ! {
    eprintln!("gts emulator: {what}");
    std::process::exit(2);
}

/// Returns the version of the real library.
///
/// # Safety
///
/// The requirements are those of NVRTC's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcVersion(major: *mut c_int, minor: *mut c_int) -> Code {
    // SAFETY: the arguments are forwarded.
    unsafe { (real::functions().version)(major, minor) }
}

/// Applies the patches to the source and creates a program.
///
/// # Safety
///
/// The requirements are those of NVRTC's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcCreateProgram(
    program: *mut Program,
    source: *const c_char,
    name: *const c_char,
    headers: c_int,
    texts: *const *const c_char,
    names: *const *const c_char,
) -> Code {
    let create = real::functions().create;
    if source.is_null() {
        return INVALID_INPUT;
    }
    // SAFETY: the caller passes a string terminated by NUL.
    let patched = patch::patched(unsafe { CStr::from_ptr(source) });
    // SAFETY: the arguments are forwarded; the real library copies the text.
    let code = unsafe { create(program, patched.as_ptr(), name, headers, texts, names) };
    if code == SUCCESS {
        // SAFETY: the real library has written the program to this address.
        let created = unsafe { program.read() };
        headings().get_or_insert_default().insert(created.addr(), heading_of(patched.as_bytes()).into());
    }
    code
}

/// Compiles a program to PTX: the option for a real architecture is replaced by its virtual counterpart.
///
/// # Safety
///
/// The requirements are those of NVRTC's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcCompileProgram(program: Program, count: c_int, options: *const *const c_char) -> Code {
    let given = |index: c_int| {
        // SAFETY: the caller passes `count` strings terminated by NUL.
        let text = unsafe { CStr::from_ptr(*options.add(index as usize)) };
        text.to_owned()
    };
    let all: Vec<CString> = (0..count).map(given).map(virtual_architecture).chain([MINIMAL.to_owned()]).collect();
    let pointers: Vec<*const c_char> = all.iter().map(|option| option.as_ptr()).collect();
    // SAFETY: the caller passes a valid program; the options live until the call returns.
    unsafe { (real::functions().compile)(program, pointers.len() as c_int, pointers.as_ptr()) }
}

/// Replaces the architecture `sm_NN` in an option by `compute_NN`. Returns other options unchanged.
fn virtual_architecture(option: CString) -> CString {
    let text = option.to_string_lossy();
    let architecture = ["--gpu-architecture=sm_", "-arch=sm_"].iter().find_map(|prefix| text.strip_prefix(prefix));
    match architecture.map(|number| CString::new(format!("--gpu-architecture=compute_{number}"))) {
        Some(Ok(replaced)) => replaced,
        _ => option,
    }
}

/// Destroys a program.
///
/// # Safety
///
/// The requirements are those of NVRTC's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcDestroyProgram(program: *mut Program) -> Code {
    // SAFETY: the argument is forwarded.
    unsafe { (real::functions().destroy)(program) }
}

/// Returns the bytes of the program's PTX, including its heading and the final NUL.
///
/// # Safety
///
/// The requirements are those of NVRTC's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcGetCUBINSize(program: Program, bytes: *mut size_t) -> Code {
    // SAFETY: the arguments are forwarded.
    let code = unsafe { (real::functions().ptx_size)(program, bytes) };
    if code == SUCCESS {
        // SAFETY: the real library has written the size to this address.
        unsafe { bytes.write(bytes.read() + heading(program).len()) };
    }
    code
}

/// Copies the program's heading and PTX to the target.
///
/// # Safety
///
/// The requirements are those of NVRTC's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcGetCUBIN(program: Program, target: *mut c_char) -> Code {
    let heading = heading(program);
    // SAFETY: the caller's target has the size returned by `nvrtcGetCUBINSize`, which includes the heading.
    unsafe {
        target.copy_from_nonoverlapping(heading.as_ptr().cast(), heading.len());
        (real::functions().ptx)(program, target.add(heading.len()))
    }
}

/// Returns the bytes of the compiler's log.
///
/// # Safety
///
/// The requirements are those of NVRTC's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcGetProgramLogSize(program: Program, bytes: *mut size_t) -> Code {
    // SAFETY: the arguments are forwarded.
    unsafe { (real::functions().log_size)(program, bytes) }
}

/// Copies the compiler's log to the target.
///
/// # Safety
///
/// The requirements are those of NVRTC's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcGetProgramLog(program: Program, target: *mut c_char) -> Code {
    // SAFETY: the arguments are forwarded.
    unsafe { (real::functions().log)(program, target) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_heads_the_ptx() {
        assert_eq!(heading_of(b"// Kernel `a` of `B`.\n\nint c;\n"), b"// Kernel `a` of `B`.\n");
        assert_eq!(heading_of(b"int c;\n// a\n"), b"");
        assert_eq!(heading_of(b"// a"), b"");
    }

    #[test]
    fn a_real_architecture_becomes_a_virtual_one() {
        let replaced = |text: &str| virtual_architecture(CString::new(text).unwrap()).into_string().unwrap();
        assert_eq!(replaced("--gpu-architecture=sm_90"), "--gpu-architecture=compute_90");
        assert_eq!(replaced("--fmad=false"), "--fmad=false");
        assert_eq!(replaced("--gpu-architecture=compute_75"), "--gpu-architecture=compute_75");
    }
}
