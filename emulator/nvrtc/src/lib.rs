//! NVRTC for the emulator: forwards each call to the real library, which compiles to PTX instead of machine code.
//!
//! `GTS_EMU_NVRTC` names the real library. `GTS_EMU_PATCH` names a file of replacements ([`patch`]), which are applied
//! to programs first. The comment at the beginning of a program is copied to its PTX, so that the driver can name the
//! program.
#![allow(unsafe_code)]

mod patch;
mod real;

use libc::{c_char, c_int, c_void, size_t};
use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A program of the real library.
type Program = *mut c_void;
/// A result of the real library; 0 is success.
type Code = c_int;

const SUCCESS: Code = 0;
const INVALID_INPUT: Code = 3;

/// First lines of the PTX of programs, by the program's address.
static HEADINGS: Mutex<Option<HashMap<usize, Box<[u8]>>>> = Mutex::new(None);

fn headings() -> MutexGuard<'static, Option<HashMap<usize, Box<[u8]>>>> {
    HEADINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the comment line that a text begins with, including its newline. Empty if the text does not begin with one.
fn heading_of(text: &[u8]) -> &[u8] {
    match text.iter().position(|&byte| byte == b'\n') {
        Some(end) if text.starts_with(b"//") => &text[..=end],
        _ => &[],
    }
}

/// Returns the first line of a program's PTX.
fn heading(program: Program) -> Box<[u8]> {
    headings().as_ref().and_then(|lines| lines.get(&program.addr())).cloned().unwrap_or_default()
}

/// Reports a mistake in how the emulator is used, and ends the process.
fn refuse(what: &str) -> ! {
    eprintln!("gts emulator: {what}");
    std::process::exit(2);
}

/// Returns the version of the real library.
///
/// # Safety
///
/// As for NVRTC's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcVersion(major: *mut c_int, minor: *mut c_int) -> Code {
    // SAFETY: the arguments are forwarded.
    unsafe { (real::functions().version)(major, minor) }
}

/// Creates a program from the patched text.
///
/// # Safety
///
/// As for NVRTC's function.
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
    // SAFETY: the caller passes a string that ends with a NUL.
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

/// Compiles a program. A real architecture in the options is replaced by the virtual one.
///
/// # Safety
///
/// As for NVRTC's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcCompileProgram(program: Program, count: c_int, options: *const *const c_char) -> Code {
    let given = |index: c_int| {
        // SAFETY: the caller passes `count` strings that end with a NUL.
        let text = unsafe { CStr::from_ptr(*options.add(index as usize)) };
        text.to_owned()
    };
    let virtual_options: Vec<CString> = (0..count).map(given).map(virtual_architecture).collect();
    let pointers: Vec<*const c_char> = virtual_options.iter().map(|option| option.as_ptr()).collect();
    // SAFETY: the program is the caller's; the options live until the call returns.
    unsafe { (real::functions().compile)(program, count, pointers.as_ptr()) }
}

/// Replaces `sm_NN` by `compute_NN` in an option that names an architecture.
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
/// As for NVRTC's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcDestroyProgram(program: *mut Program) -> Code {
    // SAFETY: the argument is forwarded.
    unsafe { (real::functions().destroy)(program) }
}

/// Returns the size of the program's PTX, including its heading and its NUL.
///
/// # Safety
///
/// As for NVRTC's function.
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

/// Copies the heading and the program's PTX.
///
/// # Safety
///
/// As for NVRTC's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcGetCUBIN(program: Program, target: *mut c_char) -> Code {
    let heading = heading(program);
    // SAFETY: the caller's target has the size that the function above returns, which includes the heading.
    unsafe {
        target.copy_from_nonoverlapping(heading.as_ptr().cast(), heading.len());
        (real::functions().ptx)(program, target.add(heading.len()))
    }
}

/// Returns the size of the compiler's log.
///
/// # Safety
///
/// As for NVRTC's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcGetProgramLogSize(program: Program, bytes: *mut size_t) -> Code {
    // SAFETY: the arguments are forwarded.
    unsafe { (real::functions().log_size)(program, bytes) }
}

/// Copies the compiler's log.
///
/// # Safety
///
/// As for NVRTC's function.
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
