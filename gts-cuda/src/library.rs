//! Checks whether the CUDA libraries are present. For NCCL, `nccl/library.rs` performs this check.
//!
//! The bindings load a library at its first use, and panic if the library is absent. Therefore this device calls the
//! bindings only after [`driver`] or [`compiler`] has succeeded. Each of these functions checks once and caches the
//! result.
#![allow(unsafe_code)]

use super::code::text;
use cudarc::driver::sys::CUresult;
use cudarc::{driver, nvrtc};
use gts_core::advice::Advice;
use gts_device::error::{Error, Result};
use libloading::Library;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The version of the oldest supported driver, in the encoding of `cuDriverGetVersion`. Older drivers lack functions
/// that this device uses.
const OLDEST_DRIVER: i32 = 12_080;

/// Properties of the driver.
#[derive(Clone, Copy, Debug)]
pub(super) struct Driver {
    /// The number of CUDA devices that the driver reports.
    pub(super) devices: u32,
}

/// Properties of the run-time compiler.
#[derive(Clone, Copy, Debug)]
pub struct Compiler {
    /// The major and minor version, such as (13, 0).
    pub version: (u32, u32),
}

/// Initialises the CUDA driver, and returns its properties.
///
/// # Errors
///
/// The driver is absent, too old, or finds no device. The error states the cause and a remedy.
pub(super) fn driver() -> Result<Driver> {
    static DRIVER: OnceLock<Result<Driver>> = OnceLock::new();
    DRIVER.get_or_init(find_driver).clone()
}

/// Finds NVRTC, the run-time compiler, which needs neither a device nor a driver.
///
/// # Errors
///
/// NVRTC is absent or fails. If NVRTC is absent, the error lists the searched folders. Each error contains a remedy.
pub fn compiler() -> Result<Compiler> {
    static COMPILER: OnceLock<Result<Compiler>> = OnceLock::new();
    COMPILER.get_or_init(|| find_compiler(named_folder("GTS_NVRTC_DIR"), &usual_folders())).clone()
}

fn absent(why: impl Into<String>, remedy: impl Into<Advice>) -> Error {
    Error::NoDevice { device: "cuda".to_owned(), why: why.into(), remedy: remedy.into() }
}

fn find_driver() -> Result<Driver> {
    // SAFETY: the call loads a library by its usual names; the library's initialisers are the driver's own.
    if !unsafe { driver::sys::is_culib_present() } {
        return Err(absent(
            "the NVIDIA driver's library (libcuda.so.1) is not installed",
            "install the NVIDIA driver, or run on the CPU with `--device cpu`",
        ));
    }
    let mut version = 0;
    // SAFETY: the library is loaded, and this function may be called before all others.
    let code = unsafe { driver::sys::cuDriverGetVersion(&mut version) };
    if code != CUresult::CUDA_SUCCESS {
        return Err(absent(
            format!("the driver does not tell its version: {}", text(code)),
            "reinstall the NVIDIA driver",
        ));
    }
    if version < OLDEST_DRIVER {
        let shown = |version: i32| format!("{}.{}", version / 1000, version % 1000 / 10);
        return Err(absent(
            format!("the driver is for CUDA {}, older than {}", shown(version), shown(OLDEST_DRIVER)),
            "update the NVIDIA driver",
        ));
    }
    let refused = |code| absent(format!("the driver does not start: {}", text(code)), "see what nvidia-smi says");
    driver::result::init().map_err(|error| refused(error.0))?;
    match driver::result::device::get_count() {
        Ok(devices) if devices > 0 => Ok(Driver { devices: devices as u32 }),
        Ok(_) => Err(refused(CUresult::CUDA_ERROR_NO_DEVICE)),
        Err(error) => Err(refused(error.0)),
    }
}

/// Searches for NVRTC in the folder that the user names, on the loader's path, and in the usual folders.
fn find_compiler(named: Option<PathBuf>, usual: &[PathBuf]) -> Result<Compiler> {
    // Once a library is open, the loader finds the library by name, regardless of the library's folder.
    // SAFETY: the call loads a library by its usual names; the library's initialisers are NVRTC's own.
    let present = || unsafe { nvrtc::sys::is_culib_present() };
    let open = |folder: &PathBuf| open_compiler(folder);
    if !named.as_ref().is_some_and(open) && !present() && !usual.iter().any(open) {
        let looked: Vec<String> = named.iter().chain(usual).map(|folder| folder.display().to_string()).collect();
        return Err(absent(
            format!(
                "the run-time compiler (libnvrtc.so) was found neither on the loader's path nor in {}",
                list(&looked)
            ),
            "install the CUDA toolkit and set CUDA_HOME, or `pip install nvidia-cuda-nvrtc`, \
             or set GTS_NVRTC_DIR to the folder that holds the library",
        ));
    }
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the library is loaded; both targets are valid.
    let code = unsafe { nvrtc::sys::nvrtcVersion(&mut major, &mut minor) };
    if code != nvrtc::sys::nvrtcResult::NVRTC_SUCCESS {
        return Err(absent(
            format!("the run-time compiler does not tell its version ({code:?})"),
            "reinstall the CUDA toolkit",
        ));
    }
    Ok(Compiler { version: (major as u32, minor as u32) })
}

/// Joins folder names for an error message.
pub(super) fn list(items: &[String]) -> String {
    if items.is_empty() { "any of the usual folders".to_owned() } else { items.join(", ") }
}

/// Opens NVRTC and the library of its built-in functions from a folder, and leaves both open. NVRTC cannot compile
/// without the built-in functions. Returns whether both libraries were opened.
fn open_compiler(folder: &Path) -> bool {
    let Some(compiler) = newest(folder, "libnvrtc.so.") else { return false };
    let Some(builtins) = newest(folder, "libnvrtc-builtins.so.") else { return false };
    [builtins, compiler].iter().all(|path| {
        // SAFETY: the user named the folder, or an installed toolkit owns the folder; the initialisers are NVRTC's own.
        match unsafe { Library::new(path) } {
            Ok(library) => {
                std::mem::forget(library);
                true
            }
            Err(_) => false,
        }
    })
}

/// Returns the newest version of a library: the file with this prefix and the longest name. Among files with equally
/// long names, returns the last in alphabetical order.
pub(super) fn newest(folder: &Path, prefix: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let named = |path: &PathBuf| path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with(prefix));
    entries.filter(named).max_by_key(|path| (path.as_os_str().len(), path.clone()))
}

/// Returns the folder that an environment variable names, if the variable is set and not empty.
pub(super) fn named_folder(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Returns the existing folders of CUDA toolkits and Python packages that may contain NVRTC or NCCL.
pub(super) fn usual_folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let toolkits = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(named_folder);
    for toolkit in toolkits.chain(["/usr/local/cuda".into()]) {
        folders.extend(["lib64", "lib", "targets/x86_64-linux/lib"].map(|lib| toolkit.join(lib)));
    }
    let prefixes = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(named_folder);
    let home = named_folder("HOME").map(|home| home.join(".local"));
    for prefix in prefixes.chain(home).chain(["/usr/local".into(), "/usr".into()]) {
        for packages in python_packages(&prefix.join("lib")) {
            folders.extend(
                ["nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib", "nvidia/nccl/lib"].map(|wheel| packages.join(wheel)),
            );
        }
    }
    folders.retain(|folder| folder.is_dir());
    folders
}

/// Returns the Python package folders below a `lib` folder, in descending order of Python version.
fn python_packages(lib: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(lib) else { return Vec::new() };
    let python =
        |path: &PathBuf| path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with("python3"));
    let mut pythons: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(python).collect();
    pythons.sort_by_key(|path| std::cmp::Reverse((path.as_os_str().len(), path.clone())));
    pythons.iter().flat_map(|python| ["site-packages", "dist-packages"].map(|packages| python.join(packages))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_core::advice::Reader;

    #[test]
    fn a_missing_library_is_an_error_with_a_remedy() {
        // On every machine, the functions return instead of panicking, and each error contains a remedy.
        for error in [driver().err(), compiler().err()].into_iter().flatten() {
            let Error::NoDevice { why, remedy, .. } = &error else { panic!("{error}") };
            let next = [Reader::CommandLine, Reader::Program].map(|reader| remedy.of(reader));
            assert!(!why.is_empty() && next.iter().all(|next| !next.is_empty()), "{error}");
        }
    }

    #[test]
    fn the_newest_library_of_a_folder_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["libnvrtc.so.9", "libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.alt.so.14", "libother.so.99"] {
            fs::write(folder.path().join(name), []).unwrap();
        }
        assert_eq!(newest(folder.path(), "libnvrtc.so."), Some(folder.path().join("libnvrtc.so.13")));
        assert_eq!(newest(folder.path(), "libnvrtc-builtins.so."), None);
        assert!(!open_compiler(folder.path()), "an empty file is no library");
    }

    #[test]
    fn folders_without_the_library_are_named_in_the_error() {
        let folder = tempfile::tempdir().unwrap();
        if let Err(error) = find_compiler(Some(folder.path().to_path_buf()), &[]) {
            assert!(format!("{error:?}").contains(&folder.path().display().to_string()), "{error}");
            assert!(format!("{error:?}").contains("GTS_NVRTC_DIR"), "{error}");
        }
    }
}
