//! Finds and loads the NCCL library. Only this module loads the library.
//!
//! This crate's CUDA bindings do not search for `libnccl.so.2`, and panic if the library is absent. This module
//! therefore opens the library and looks up each function.
#![allow(unsafe_code)]

use super::super::library::{list, named_folder, newest, usual_folders};
use super::table::{Code, NcclFunctions, SUCCESS};
use gts_core::advice::Advice;
use gts_device::error::{Error, Result};
use libloading::Library;
use std::ffi::{CStr, c_int, c_void};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The library's file name, as the dynamic loader expects it.
const NAME: &str = "libnccl.so.2";
/// The oldest version that supports non-blocking communicators.
const OLDEST: NcclVersion = NcclVersion(2, 14, 0);

/// A version of NCCL: the major, minor and patch numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NcclVersion(u32, u32, u32);

impl NcclVersion {
    /// Decodes a version number that the library reports.
    fn of(code: u32) -> Self {
        let unit = if code < 10_000 { 1000 } else { 10_000 };
        Self(code / unit, code % unit / 100, code % 100)
    }
}

impl fmt::Display for NcclVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// The loaded NCCL library, with its version and file.
#[derive(Clone, Debug)]
pub struct Nccl {
    /// The version that the library reports.
    pub version: NcclVersion,
    /// The file from which the library was loaded.
    pub path: PathBuf,
    pub(super) table: NcclFunctions,
}

/// Returns the NCCL library. Only the first call searches for the library. The search needs neither a device nor a
/// driver.
///
/// # Errors
///
/// Returns [`Error::NoNccl`] if the library is absent or unusable. The error explains the cause and contains a remedy.
pub fn nccl() -> Result<&'static Nccl> {
    static NCCL: OnceLock<Result<Nccl>> = OnceLock::new();
    NCCL.get_or_init(|| find(named_folder("GTS_NCCL_DIR"), &usual_folders())).as_ref().map_err(Clone::clone)
}

fn absent(why: impl Into<String>, remedy: impl Into<Advice>) -> Error {
    Error::NoNccl { why: why.into(), remedy: remedy.into() }
}

/// Searches for the library in the folder that the user has named, then on the loader's path, then in the usual
/// folders.
fn find(named: Option<PathBuf>, usual: &[PathBuf]) -> Result<Nccl> {
    let in_folder = |folder: &PathBuf| newest(folder, "libnccl.so.").and_then(|path| open(&path));
    let found = named.as_ref().and_then(in_folder).or_else(|| open(Path::new(NAME)));
    let Some(library) = found.or_else(|| usual.iter().find_map(in_folder)) else {
        let looked: Vec<String> = named.iter().chain(usual).map(|folder| folder.display().to_string()).collect();
        return Err(absent(
            format!("{NAME} was found neither on the loader's path nor in {}", list(&looked)),
            "install NCCL, or `pip install nvidia-nccl-cu13`, or set GTS_NCCL_DIR to the folder that holds the library",
        ));
    };
    let version = version(&library)?;
    if version < OLDEST {
        return Err(absent(format!("NCCL {version} is older than {OLDEST}"), "update NCCL"));
    }
    let nccl = Nccl { version, path: path_of(&library)?, table: table(&library)? };
    // Never close the library, because the functions are valid only while it is open.
    std::mem::forget(library);
    Ok(nccl)
}

fn open(path: &Path) -> Option<Library> {
    // SAFETY: the user has named the folder, or the folder belongs to an installation; the initialisers are NCCL's own.
    unsafe { Library::new(path) }.ok()
}

/// Looks up the library's function `name`.
///
/// # Safety
///
/// `F` must be the type of the function with this name.
unsafe fn function<F: Copy>(library: &Library, name: &CStr) -> Result<F> {
    // SAFETY: the caller guarantees that `F` is the function's type.
    let found = unsafe { library.get::<F>(name.to_bytes_with_nul()) };
    let lacks = |_| absent(format!("the library has no function {}", name.to_string_lossy()), "reinstall NCCL");
    found.map(|function| *function).map_err(lacks)
}

fn version(library: &Library) -> Result<NcclVersion> {
    // SAFETY: `nccl.h` declares the function with this type.
    let get_version: unsafe extern "C" fn(*mut c_int) -> Code = unsafe { function(library, c"ncclGetVersion") }?;
    let mut version = 0;
    // SAFETY: the library is open; the target is valid.
    match unsafe { get_version(&mut version) } {
        SUCCESS => Ok(NcclVersion::of(version.unsigned_abs())),
        code => Err(absent(format!("NCCL does not tell its version (code {code})"), "reinstall NCCL")),
    }
}

/// Returns the file from which the library was loaded.
fn path_of(library: &Library) -> Result<PathBuf> {
    // SAFETY: only the function's address is used.
    let address: *const c_void = unsafe { function(library, c"ncclGetVersion") }?;
    // SAFETY: this struct consists of integers and pointers, so all zeros are a valid value.
    let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the target is valid; the call accepts any address.
    let known = unsafe { libc::dladdr(address, &mut found) } != 0 && !found.dli_fname.is_null();
    // SAFETY: the loader has just returned the name, which stays valid while the library is open.
    let name = known.then(|| unsafe { CStr::from_ptr(found.dli_fname) }.to_string_lossy().into_owned());
    Ok(name.map_or_else(|| PathBuf::from(NAME), PathBuf::from))
}

fn table(library: &Library) -> Result<NcclFunctions> {
    // SAFETY: the table contains each function with the type that `nccl.h` declares.
    unsafe {
        Ok(NcclFunctions {
            get_unique_id: function(library, c"ncclGetUniqueId")?,
            init: function(library, c"ncclCommInitRankConfig")?,
            async_error: function(library, c"ncclCommGetAsyncError")?,
            finalize: function(library, c"ncclCommFinalize")?,
            destroy: function(library, c"ncclCommDestroy")?,
            abort: function(library, c"ncclCommAbort")?,
            error_string: function(library, c"ncclGetErrorString")?,
            last_error: function(library, c"ncclGetLastError")?,
            group_start: function(library, c"ncclGroupStart")?,
            group_end: function(library, c"ncclGroupEnd")?,
            send: function(library, c"ncclSend")?,
            receive: function(library, c"ncclRecv")?,
            all_gather: function(library, c"ncclAllGather")?,
            broadcast: function(library, c"ncclBroadcast")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_core::advice::{Explain, Reader};

    #[test]
    fn a_missing_library_is_an_error_with_a_remedy() {
        // The search must not panic, whether or not the library is installed. An error must contain a remedy.
        if let Err(error) = nccl() {
            assert!(matches!(error, Error::NoNccl { .. }), "{error}");
            assert!(error.advice().is_some_and(|advice| !advice.of(Reader::CommandLine).is_empty()), "{error}");
        }
    }

    #[test]
    fn folders_without_the_library_are_named_in_the_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(NAME), []).unwrap();
        // An empty file is not a library, so the search fails unless the loader's path contains the library.
        if let Err(error) = find(Some(folder.path().to_path_buf()), &[]) {
            assert!(format!("{error:?}").contains(&folder.path().display().to_string()), "{error}");
            assert!(format!("{error:?}").contains("GTS_NCCL_DIR"), "{error:?}");
        }
    }

    #[test]
    fn a_library_that_is_found_has_all_functions() {
        // If `GTS_NCCL_DIR` is set, the library is loaded from that folder.
        let Some(folder) = named_folder("GTS_NCCL_DIR") else { return };
        let found = find(Some(folder.clone()), &[]).expect("the library of the named folder");
        assert!(found.version >= OLDEST && found.path.starts_with(&folder), "{found:?}");
    }

    #[test]
    fn versions_are_read_in_both_forms() {
        assert_eq!(NcclVersion::of(2_708), NcclVersion(2, 7, 8));
        assert_eq!(NcclVersion::of(22_809).to_string(), "2.28.9");
        assert!(NcclVersion::of(23_203) > OLDEST && NcclVersion::of(2_708) < OLDEST);
    }
}
