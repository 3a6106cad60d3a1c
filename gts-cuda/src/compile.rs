//! Compiles CUDA C to machine code with NVRTC. Compilation needs no device, so continuous integration compiles every
//! kernel.
#![allow(unsafe_code)]

use super::library;
use cudarc::nvrtc::{result, sys};
use gts_device::error::{Error, Result};
use std::ffi::{CStr, CString, c_char};

/// Disables fused multiply-adds, which would round differently from the native version of a kernel body.
const NO_CONTRACTION: &str = "--fmad=false";

/// Omits optimisation. A program that is only checked needs none.
const UNOPTIMISED: &str = "--Ofast-compile=max";

/// Returns the compiler options for an architecture.
pub(super) fn options(architecture: u32) -> [String; 2] {
    [format!("--gpu-architecture=sm_{architecture}"), NO_CONTRACTION.to_owned()]
}

/// Compiles a program to a cubin for an architecture, such as 90 for `sm_90`. The compiler's messages contain `name`.
///
/// # Errors
///
/// NVRTC is absent or rejects the program. A rejection is an [`Error::Compile`] with the compiler's log.
pub fn compile(name: &str, source: &str, architecture: u32) -> Result<Vec<u8>> {
    let program = compiled(name, source, architecture, &options(architecture))?;
    program.cubin().map_err(|error| refused(name, architecture, format!("{:?}", error.0)))
}

/// Checks that the compiler accepts a program. The check takes less time than [`compile`], because the compiler
/// neither optimises nor generates machine code. Requires NVRTC 13.
///
/// # Errors
///
/// Returns the errors of [`compile`].
#[doc(hidden)]
pub fn check(name: &str, source: &str, architecture: u32) -> Result<()> {
    let target = format!("--gpu-architecture=compute_{architecture}");
    compiled(name, source, architecture, &[target, NO_CONTRACTION.to_owned(), UNOPTIMISED.to_owned()]).map(drop)
}

fn compiled(name: &str, source: &str, architecture: u32, options: &[String]) -> Result<CompilerProgram> {
    library::compiler()?;
    let refused = |log| refused(name, architecture, log);
    let text = CString::new(source).map_err(|_| refused("the source holds a NUL".to_owned()))?;
    let file = CString::new(format!("{name}.cu")).map_err(|_| refused("the name holds a NUL".to_owned()))?;
    let program = CompilerProgram::new(&text, &file).map_err(|error| refused(format!("{:?}", error.0)))?;
    program.compile(options).map_err(|error| {
        let log = program.log();
        refused(if log.is_empty() { format!("{:?}", error.0) } else { log })
    })?;
    Ok(program)
}

fn refused(name: &str, architecture: u32, log: String) -> Error {
    Error::Compile { kernel: name.to_owned(), architecture: format!("sm_{architecture}"), log }
}

/// An NVRTC program, destroyed on drop.
struct CompilerProgram(sys::nvrtcProgram);

impl CompilerProgram {
    fn new(source: &CStr, name: &CStr) -> Result<Self, result::NvrtcError> {
        result::create_program(source, Some(name)).map(Self)
    }

    fn compile(&self, options: &[String]) -> Result<(), result::NvrtcError> {
        // SAFETY: the program exists until this value is dropped; the options contain no NUL.
        unsafe { result::compile_program(self.0, options) }
    }

    fn log(&self) -> String {
        // SAFETY: the program exists until this value is dropped.
        let log = unsafe { result::get_program_log(self.0) }.unwrap_or_default();
        let bytes: Vec<u8> = log.into_iter().map(|c| c as u8).take_while(|&c| c != 0).collect();
        String::from_utf8_lossy(&bytes).trim_end().to_owned()
    }

    fn cubin(&self) -> Result<Vec<u8>, result::NvrtcError> {
        let mut bytes = 0;
        // SAFETY: the program exists, and the target is valid.
        unsafe { sys::nvrtcGetCUBINSize(self.0, &mut bytes) }.result()?;
        let mut cubin = vec![0u8; bytes];
        // SAFETY: the program exists, and the target has the size that the compiler reported.
        unsafe { sys::nvrtcGetCUBIN(self.0, cubin.as_mut_ptr().cast::<c_char>()) }.result()?;
        Ok(cubin)
    }
}

impl Drop for CompilerProgram {
    fn drop(&mut self) {
        // SAFETY: the program is destroyed only here. A failure leaks a little memory.
        let _ = unsafe { result::destroy_program(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether the compiler is present. Panics in continuous integration if the compiler is absent.
    fn compiler_is_here() -> bool {
        let found = library::compiler();
        if let Err(error) = &found {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            // Write directly to standard error, because the test harness hides the output of tests that pass.
            let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("skipped: {error}\n"));
        }
        found.is_ok()
    }

    #[test]
    fn a_program_becomes_an_elf_file() {
        if compiler_is_here() {
            let cubin = compile("empty", "extern \"C\" __global__ void empty() {}", 90).unwrap();
            assert_eq!(&cubin[..4], b"\x7fELF");
        }
    }

    #[test]
    fn an_error_carries_the_log_with_the_name() {
        if compiler_is_here() {
            let error = compile("broken", "extern \"C\" __global__ void broken() { x = 1; }", 90).unwrap_err();
            let Error::Compile { log, .. } = &error else { panic!("{error}") };
            assert!(log.contains("broken.cu") && log.contains("undefined"), "{log}");
        }
    }
}
