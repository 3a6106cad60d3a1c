//! Stripes: directories over which pages are spread so that several disks read concurrently. Page j is in directory
//! g(j) = j mod N (section 4 of the GTS paper).
//!
//! A stripe is a new directory in one of the given directories, with a name that no other build uses. During the build,
//! it has a temporary name and is locked, like the store's directory. It is renamed before the store, so nothing refers
//! to it until the store's manifest is in place. A file in the stripe names its store, so that other directories are
//! never removed by mistake.
//!
//! A manifest is removed after the stripes that it lists. Within a stripe, the file that names the store is removed
//! last. Therefore the remains can be identified no matter when a process is killed.

use super::StoreError;
use super::files::{FileName, failed, foreign_names};
use super::io::Io;
use super::manifest::{MOST_STRIPES, read_manifest};
use super::paths::{canonical, parent};
use gts_contract::Side;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The suffix of every stripe's name.
pub(super) const SUFFIX: &str = ".gts-stripe";
/// The file in a stripe that names the store.
pub(super) const OWNER: &str = "store";
/// The file in the directory of an unfinished store that lists the directories of the store's stripes.
pub(super) const LIST: &str = "stripes";
/// Maximum number of bytes read from the `OWNER` or `LIST` file.
const LONGEST_FILE: u64 = 1 << 16;

/// Returns the stripes of the store at `path`. The result is empty if the manifest is missing or invalid.
pub(super) fn of(io: &dyn Io, path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let found = io.open_dir(path).map_err(failed("open", path)).and_then(|directory| read_manifest(io, &directory));
    match found {
        Ok(manifest) => Ok(manifest.stripes),
        Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error @ StoreError::Io { .. }) => Err(error),
        Err(_) => Ok(Vec::new()),
    }
}

/// Returns the directories that may contain stripes of the unfinished store at `path`.
pub(super) fn directories(io: &dyn Io, path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut directories: Vec<_> = of(io, path)?.iter().map(|stripe| parent(stripe).to_owned()).collect();
    let list = read_text(io, &path.join(LIST))?.unwrap_or_default();
    directories.extend(list.lines().map(PathBuf::from).filter(|directory| directory.is_absolute()));
    directories.sort();
    directories.dedup();
    Ok(directories)
}

/// Removes stripes of the store that is, or was, at `path`. A manifest may refer to arbitrary paths, so only stripes of
/// this store are removed.
pub(super) fn remove(io: &dyn Io, path: &Path, stripes: &[PathBuf]) -> Result<(), StoreError> {
    for stripe in stripes {
        if is_of(io, stripe, path)? {
            remove_one(io, stripe)?;
        }
    }
    Ok(())
}

/// Removes a stripe. The file that names its store is removed last.
pub(super) fn remove_one(io: &dyn Io, stripe: &Path) -> Result<(), StoreError> {
    let names = match io.names(stripe) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        names => names.map_err(failed("list", stripe))?,
    };
    refuse_foreign(stripe, &names)?;
    for name in names.iter().filter(|name| *name != OWNER) {
        let path = stripe.join(name);
        io.remove_file(&path).map_err(failed("remove", &path))?;
    }
    io.remove_dir_all(stripe).map_err(failed("remove", stripe))
}

/// Fails if a stripe of the store at `path` contains foreign files.
pub(super) fn check_contents(io: &dyn Io, path: &Path) -> Result<(), StoreError> {
    for stripe in of(io, path)? {
        if is_of(io, &stripe, path)? {
            refuse_foreign(&stripe, &io.names(&stripe).map_err(failed("list", &stripe))?)?;
        }
    }
    Ok(())
}

fn refuse_foreign(stripe: &Path, names: &[OsString]) -> Result<(), StoreError> {
    match foreign_names(names, is_file) {
        names if names.is_empty() => Ok(()),
        names => Err(StoreError::ForeignFiles { path: stripe.to_owned(), names }),
    }
}

/// Returns whether `name` is the name of a file in stripes.
fn is_file(name: &str) -> bool {
    name == OWNER || [Side::Out, Side::In].iter().any(|side| FileName::Pages(*side).text() == name)
}

/// Returns whether `stripe` is a stripe of the store that is, or was, at `store`. The file in the stripe must name the
/// store. If that file is missing, the stripe must have a name and contents typical of the store's stripes.
fn is_of(io: &dyn Io, stripe: &Path, store: &Path) -> Result<bool, StoreError> {
    if !stripe.file_name().is_some_and(is_stripe) {
        return Ok(false);
    }
    match io.exists(stripe) {
        Ok(true) => {}
        Err(error) if error.kind() != ErrorKind::NotADirectory => return Err(failed("look for", stripe)(error)),
        _ => return Ok(false),
    }
    if let Some(owner) = owner(io, stripe)? {
        return is_same(io, &owner, store);
    }
    let names = io.names(stripe).map_err(failed("list", stripe))?;
    Ok(is_named_for(stripe, store) && foreign_names(&names, is_page_file).is_empty())
}

fn is_page_file(name: &str) -> bool {
    name != OWNER && is_file(name)
}

/// Returns whether a stripe's name is one that builds of the store use.
fn is_named_for(stripe: &Path, store: &Path) -> bool {
    let names = stripe.file_name().and_then(OsStr::to_str).zip(store.file_name().and_then(OsStr::to_str));
    names.is_some_and(|(stripe, store)| {
        let numbers = stripe.strip_prefix(store).and_then(|rest| rest.strip_prefix('-')?.strip_suffix(SUFFIX));
        numbers.and_then(|numbers| numbers.split_once('-')).is_some_and(|(build, number)| {
            build.len() == 16
                && build.bytes().all(|byte| byte.is_ascii_hexdigit())
                && number.parse().is_ok_and(|number: usize| number < MOST_STRIPES)
        })
    })
}

/// Returns whether two paths lead to the same location, which may not exist.
pub(super) fn is_same(io: &dyn Io, one: &Path, other: &Path) -> Result<bool, StoreError> {
    let place = |path| match canonical(io, path) {
        // A path in a missing directory leads to no location.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        found => found.map(Some).map_err(failed("find", path)),
    };
    match place(one)? {
        Some(one) => Ok(Some(one) == place(other)?),
        None => Ok(false),
    }
}

/// Returns the path of the store that a stripe names; `None` if the file is missing.
pub(super) fn owner(io: &dyn Io, stripe: &Path) -> Result<Option<PathBuf>, StoreError> {
    Ok(read_text(io, &stripe.join(OWNER))?.map(PathBuf::from))
}

/// Reads a short text file; `None` if there is no such file.
fn read_text(io: &dyn Io, path: &Path) -> Result<Option<String>, StoreError> {
    let mut reader = match io.open(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidInput) => return Ok(None),
        opened => opened.map_err(failed("open", path))?,
    };
    let len = reader.len().map_err(failed("read the size of", path))?;
    if len > LONGEST_FILE {
        return Ok(None);
    }
    let mut bytes = vec![0; len as usize];
    reader.read_exact(&mut bytes).map_err(failed("read", path))?;
    Ok(String::from_utf8(bytes).ok())
}

/// Returns whether a name ends with the suffix of stripes.
pub(super) fn is_stripe(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.ends_with(SUFFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stripes_of_the_store_are_removed() {
        use crate::store::io::FileSystem;
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        let (store, other) = (path("a.gts"), path("b.gts"));
        let (stripe, thesis) = (path("a.gts-0-0.gts-stripe"), path("thesis"));
        for path in [&stripe, &thesis] {
            std::fs::create_dir(path).unwrap();
            std::fs::write(path.join(OWNER), store.as_os_str().as_encoded_bytes()).unwrap();
        }
        // Without the file that names the store, a stripe is identified by its name and its contents.
        let nameless = [
            path("a.gts-0123456789abcdef-0.gts-stripe"),
            path("a.gts-0123456789abcdef-1.gts-stripe"),
            path("a.gts-0.gts-stripe"),
        ];
        for path in &nameless {
            std::fs::create_dir(path).unwrap();
            std::fs::write(path.join("out.pages"), "pages").unwrap();
        }
        std::fs::write(nameless[1].join("thesis"), "ten years").unwrap();
        let listed = [&nameless[..], &[stripe.clone(), thesis.clone(), path("absent.gts-stripe")]].concat();
        let there = || listed.iter().map(|path| path.exists()).collect::<Vec<_>>();
        remove(&FileSystem, &other, &listed).unwrap();
        assert_eq!(there(), [true, true, true, true, true, false]);
        remove(&FileSystem, &store, &listed).unwrap();
        assert_eq!(there(), [false, true, true, false, true, false]);
    }

    #[test]
    fn a_stripe_that_holds_something_else_stays() {
        use crate::store::io::FileSystem;
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("thesis"), "ten years").unwrap();
        std::fs::write(place.path().join("out.pages"), "pages").unwrap();
        let error = remove_one(&FileSystem, place.path()).unwrap_err();
        assert!(matches!(&error, StoreError::ForeignFiles { names, .. } if names == &["thesis"]), "{error}");
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 2);
    }
}
