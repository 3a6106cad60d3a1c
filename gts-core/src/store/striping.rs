//! Creates the stripes of a store that is being written, and gives them their final names.

use super::StoreError;
use super::files::failed;
use super::io::{DirectoryLock, Io};
use super::leftovers::sweep;
use super::manifest::MOST_STRIPES;
use super::paths::{canonical, claim, parent};
use super::stripes::{LIST, OWNER, SUFFIX, remove_one};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Maximum number of bytes of a stripe's path, so that the manifest stays small.
const LONGEST: usize = 512;

/// A stripe that is being written.
pub(crate) struct StripePlace {
    /// The path of the stripe during the build.
    pub(super) temporary: PathBuf,
    /// The path of the finished stripe.
    pub(super) named: PathBuf,
    _lock: DirectoryLock,
}

/// Creates the stripes of a store that is being written in `place` and will be at `path`.
pub(super) fn create(
    io: &dyn Io,
    path: &Path,
    place: &Path,
    directories: &[PathBuf],
) -> Result<Vec<StripePlace>, StoreError> {
    if directories.is_empty() {
        return Ok(Vec::new());
    }
    // Stored paths must not depend on the working directory or on symbolic links.
    let owner = canonical(io, path).map_err(failed("find", path))?;
    let names = names(io, path, directories)?;
    // If the process is killed from here on, it leaves stripes, which can be found through this list.
    let list: Vec<&str> = names.iter().filter_map(|named| parent(named).to_str()).collect();
    write_file(io, &place.join(LIST), list.join("\n").as_bytes())?;
    let mut stripes = Vec::new();
    for named in names {
        match create_one(io, path, named, &owner) {
            Ok(stripe) => stripes.push(stripe),
            Err(error) => {
                let _ = discard(io, &stripes);
                return Err(error);
            }
        }
    }
    Ok(stripes)
}

/// Returns the final paths of the stripes in the given directories.
fn names(io: &dyn Io, path: &Path, directories: &[PathBuf]) -> Result<Vec<PathBuf>, StoreError> {
    let refused = |path: &Path, reason| StoreError::StripeDirectory { path: path.to_owned(), reason };
    if directories.len() > MOST_STRIPES {
        return Err(refused(&directories[MOST_STRIPES], "a store has 64 stripes at most"));
    }
    let name = path.file_name().ok_or_else(|| StoreError::NoName { path: path.to_owned() })?;
    let build = RandomState::new().build_hasher().finish();
    let named = |(number, directory): (usize, &PathBuf)| {
        let mut named = name.to_owned();
        named.push(format!("-{build:016x}-{number}{SUFFIX}"));
        let named = io.canonicalize(directory).map_err(failed("find", directory))?.join(named);
        let text = named.to_str().ok_or_else(|| refused(&named, "its path is no text"))?;
        if text.len() > LONGEST || text.contains(char::is_control) {
            return Err(refused(&named, "its path is too long, or has control characters"));
        }
        Ok(named)
    };
    directories.iter().enumerate().map(named).collect()
}

fn create_one(io: &dyn Io, path: &Path, named: PathBuf, owner: &Path) -> Result<StripePlace, StoreError> {
    let store = path.file_name().map_or_else(|| named.clone(), |name| named.with_file_name(name));
    sweep(io, &store)?;
    let (temporary, lock) = claim(io, &store)?;
    let stripe = StripePlace { temporary, named, _lock: lock };
    let written = write_file(io, &stripe.temporary.join(OWNER), owner.as_os_str().as_encoded_bytes());
    if let Err(error) = written {
        let _ = io.remove_dir_all(&stripe.temporary);
        return Err(error);
    }
    Ok(stripe)
}

fn write_file(io: &dyn Io, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut file = io.create(path).map_err(failed("create", path))?;
    file.write_all(bytes).map_err(failed("write", path))?;
    file.sync().map_err(failed("sync", path))
}

/// Removes the list of the stripes' directories. The manifest, which names the stripes, must already be in place.
pub(super) fn remove_list(io: &dyn Io, place: &Path) -> Result<(), StoreError> {
    let path = place.join(LIST);
    io.remove_file(&path).map_err(failed("remove", &path))
}

/// Renames complete stripes to their final names.
pub(super) fn publish(io: &dyn Io, stripes: &[StripePlace]) -> Result<(), StoreError> {
    for StripePlace { temporary, named, .. } in stripes {
        io.sync_dir(temporary).map_err(failed("sync", temporary))?;
        io.rename_dir(temporary, named).map_err(failed("name", named))?;
        let parent = parent(named);
        io.sync_dir(parent).map_err(failed("sync", parent))?;
    }
    Ok(())
}

/// Removes the stripes of a failed build as far as possible. Returns whether all were removed.
pub(super) fn discard(io: &dyn Io, stripes: &[StripePlace]) -> bool {
    let gone = |removed: std::io::Result<()>| match removed {
        Err(error) => error.kind() == ErrorKind::NotFound,
        Ok(()) => true,
    };
    stripes.iter().fold(true, |all, StripePlace { temporary, named, .. }| {
        all & gone(io.remove_dir_all(temporary)) & remove_one(io, named).is_ok()
    })
}
