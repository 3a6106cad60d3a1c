//! Stripes: pages spread over several directories, page j in directory g(j) = j mod N (section 4 of the GTS paper), so
//! that several disks read at a time.
//!
//! A stripe is a directory of its own in the directory that was asked for, with a name that no other build gives. It is
//! written under a temporary name, locked as the store's own place is, and named before the store is: until the store's
//! manifest is in place nothing refers to it. A file in it says which store it is of, so that nothing else is ever
//! removed in its place.

use super::StoreError;
use super::files::{MANIFEST, failed};
use super::io::{DirectoryLock, Io};
use super::leftovers::{stepped_aside, sweep};
use super::open::read_manifest;
use super::place::{canonical, claim, parent};
use std::collections::hash_map::RandomState;
use std::ffi::OsStr;
use std::hash::{BuildHasher, Hasher};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The most stripes of a store.
pub(super) const MOST: usize = 64;
/// The most bytes of a stripe's path: so the manifest stays small.
const LONGEST: usize = 512;
/// Ends the name of a stripe.
const SUFFIX: &str = ".gts-stripe";
/// The file that names the store.
const OWNER: &str = "store";

/// A stripe being written.
pub(crate) struct StripePlace {
    /// Where it is written.
    pub(super) temporary: PathBuf,
    /// Where it will be.
    pub(super) named: PathBuf,
    _lock: DirectoryLock,
}

/// Makes the stripes of a store that will be at `path`.
pub(super) fn create(io: &dyn Io, path: &Path, directories: &[PathBuf]) -> Result<Vec<StripePlace>, StoreError> {
    let refused = |path: &Path, reason| StoreError::StripeDirectory { path: path.to_owned(), reason };
    if directories.len() > MOST {
        return Err(refused(&directories[MOST], "a store has 64 stripes at most"));
    }
    let name = path.file_name().ok_or_else(|| StoreError::NoName { path: path.to_owned() })?;
    // Paths that are stored must hold from any folder, and by any way that leads there.
    let owner = canonical(io, path).map_err(failed("find", path))?;
    let build = RandomState::new().build_hasher().finish();
    let mut stripes = Vec::new();
    for (number, directory) in directories.iter().enumerate() {
        let stripe = (|| {
            let directory = io.canonicalize(directory).map_err(failed("find", directory))?;
            sweep(io, &directory.join(name))?;
            let mut named = name.to_owned();
            named.push(format!("-{build:016x}-{number}{SUFFIX}"));
            let named = directory.join(named);
            let text = named.to_str().ok_or_else(|| refused(&named, "its path is no text"))?;
            if text.len() > LONGEST || text.contains(char::is_control) {
                return Err(refused(&named, "its path is too long, or has control characters"));
            }
            let (temporary, lock) = claim(io, &directory.join(name))?;
            let stripe = StripePlace { temporary, named, _lock: lock };
            match write_owner(io, &stripe.temporary, &owner) {
                Ok(()) => Ok(stripe),
                Err(error) => {
                    discard(io, &[stripe]);
                    Err(error)
                }
            }
        })();
        match stripe {
            Ok(stripe) => stripes.push(stripe),
            Err(error) => {
                discard(io, &stripes);
                return Err(error);
            }
        }
    }
    Ok(stripes)
}

fn write_owner(io: &dyn Io, stripe: &Path, owner: &Path) -> Result<(), StoreError> {
    let path = stripe.join(OWNER);
    let mut file = io.create(&path).map_err(failed("create", &path))?;
    file.write_all(owner.as_os_str().as_encoded_bytes()).map_err(failed("write", &path))?;
    file.sync().map_err(failed("sync", &path))
}

/// Gives stripes that are whole their names.
pub(super) fn publish(io: &dyn Io, stripes: &[StripePlace]) -> Result<(), StoreError> {
    for StripePlace { temporary, named, .. } in stripes {
        io.sync_dir(temporary).map_err(failed("sync", temporary))?;
        io.rename_dir(temporary, named).map_err(failed("name", named))?;
        let parent = parent(named);
        io.sync_dir(parent).map_err(failed("sync", parent))?;
    }
    Ok(())
}

/// Removes the stripes of a build that failed. What cannot be removed is referred to by nothing.
pub(super) fn discard(io: &dyn Io, stripes: &[StripePlace]) {
    for StripePlace { temporary, named, .. } in stripes {
        for path in [temporary, named] {
            let _ = io.remove_dir_all(path);
        }
    }
}

/// The stripes of the store at a path; none where its manifest is no manifest.
pub(super) fn of(io: &dyn Io, path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    match read_manifest(io, path.join(MANIFEST)) {
        Ok(manifest) => Ok(manifest.stripes),
        Err(error @ StoreError::Io { .. }) => Err(error),
        Err(_) => Ok(Vec::new()),
    }
}

/// Removes the stripes of a store that another one has replaced at `path`. A manifest may lead anywhere: only what is a
/// stripe of this store is removed.
pub(super) fn remove(io: &dyn Io, path: &Path, stripes: &[PathBuf]) -> Result<(), StoreError> {
    for stripe in stripes.iter().filter(|stripe| owner(io, stripe).is_some_and(|owner| is_same(io, &owner, path))) {
        io.remove_dir_all(stripe).map_err(failed("remove", stripe))?;
    }
    Ok(())
}

/// Whether two paths lead to one place.
fn is_same(io: &dyn Io, one: &Path, other: &Path) -> bool {
    matches!((canonical(io, one), canonical(io, other)), (Ok(one), Ok(other)) if one == other)
}

/// The store that a stripe says it is of; `None` for what is no stripe.
fn owner(io: &dyn Io, stripe: &Path) -> Option<PathBuf> {
    if !is_stripe(stripe.file_name()?) {
        return None;
    }
    let mut reader = io.open(&stripe.join(OWNER)).ok()?;
    let mut bytes = vec![0; usize::try_from(reader.len().ok()?).ok().filter(|&len| len <= 1 << 16)?];
    reader.read_exact(&mut bytes).ok()?;
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

fn is_stripe(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.ends_with(SUFFIX))
}

/// Whether a path is a stripe to which the store that it names does not refer: what is left of a build that was killed
/// at its end, or of a store that was moved or removed.
pub(super) fn is_orphan(io: &dyn Io, path: &Path) -> bool {
    let Some(owner) = owner(io, path) else { return false };
    let listed = |stripes: Vec<PathBuf>| stripes.iter().any(|stripe| is_same(io, stripe, path));
    let lists = |store: &Path| of(io, store).map(listed);
    match lists(&owner) {
        Ok(listed) => !listed,
        Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
            !stepped_aside(io, &owner).iter().any(|store| lists(store).unwrap_or(true))
        }
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stripes_of_the_store_are_removed() {
        use crate::store::io::FileSystem;
        let place = tempfile::tempdir().unwrap();
        let (store, other) = (place.path().join("a.gts"), place.path().join("b.gts"));
        let stripe = place.path().join("a.gts-0-0.gts-stripe");
        let thesis = place.path().join("thesis");
        for path in [&stripe, &thesis] {
            std::fs::create_dir(path).unwrap();
            write_owner(&FileSystem, path, &store).unwrap();
        }
        let listed = [stripe.clone(), thesis.clone(), place.path().join("absent.gts-stripe")];
        remove(&FileSystem, &other, &listed).unwrap();
        assert!(stripe.exists() && thesis.exists());
        assert!(is_orphan(&FileSystem, &stripe) && !is_orphan(&FileSystem, &thesis));
        remove(&FileSystem, &store, &listed).unwrap();
        assert!(!stripe.exists() && thesis.exists());
    }
}
