//! Compiled programs on disk.
//!
//! The driver is no validator: a cubin with one bit flipped may crash it, hang or run with wrong values. So each file
//! carries the key that it was made for and a checksum over all of it, and what does not fit is compiled again as if it
//! were not there. A cache that cannot be read or written costs time, never an answer.

use super::{compile, library};
use crate::error::Result;
use crate::folder::cache_folder;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// First bytes of a file; the last one counts versions of the layout.
const MAGIC: [u8; 8] = *b"GTSCUBI\x01";
/// Bytes of a key and of a checksum.
const HASH: usize = 32;
const HEADER: usize = MAGIC.len() + 2 * HASH;

/// A folder of compiled programs.
#[derive(Clone, Debug)]
pub struct CubinCache {
    folder: Option<PathBuf>,
}

/// A program, and whether it came from the cache.
#[derive(Clone, Debug)]
pub struct Cubin {
    /// The machine code.
    pub bytes: Vec<u8>,
    /// Whether it was read rather than compiled.
    pub cached: bool,
}

impl CubinCache {
    /// The cache of this user, in [`cache_folder`](crate::cache_folder()). Off where there is none.
    pub fn of_user() -> Self {
        Self { folder: cache_folder().map(|folder| folder.join("cubin")) }
    }

    /// A cache in that folder.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()) }
    }

    /// No cache: every program is compiled.
    pub fn off() -> Self {
        Self { folder: None }
    }

    /// The machine code of a program, from the cache or from the compiler.
    ///
    /// # Errors
    ///
    /// As for [`compile()`](super::compile()).
    pub fn cubin(&self, name: &str, source: &str, architecture: u32) -> Result<Cubin> {
        let version = library::compiler()?.version;
        let key = key(source, architecture, version);
        if let Some(bytes) = self.read(&key) {
            return Ok(Cubin { bytes, cached: true });
        }
        let bytes = compile::compile(name, source, architecture)?;
        self.write(&key, &bytes);
        Ok(Cubin { bytes, cached: false })
    }

    fn path(&self, key: &blake3::Hash) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{}.cubin", key.to_hex())))
    }

    /// What the cache holds for a key, if it is whole.
    fn read(&self, key: &blake3::Hash) -> Option<Vec<u8>> {
        let mut file = fs::read(self.path(key)?).ok()?;
        let (header, cubin) = file.split_at_checked(HEADER)?;
        let (magic, hashes) = header.split_at(MAGIC.len());
        let (found, sum) = hashes.split_at(HASH);
        if magic != MAGIC || found != key.as_bytes() || sum != checksum(key, cubin).as_bytes() {
            return None;
        }
        file.drain(..HEADER);
        Some(file)
    }

    /// Puts a program into the cache by a rename, so that readers see all of it or nothing.
    fn write(&self, key: &blake3::Hash, cubin: &[u8]) {
        let Some(path) = self.path(key) else { return };
        let Some(folder) = path.parent() else { return };
        if make_private(folder).is_err() {
            return;
        }
        static WRITES: AtomicU64 = AtomicU64::new(0);
        let temporary = folder.join(format!(".{}.{}", std::process::id(), WRITES.fetch_add(1, Relaxed)));
        let written = fs::File::create(&temporary).and_then(|mut file| {
            file.write_all(&MAGIC)?;
            file.write_all(key.as_bytes())?;
            file.write_all(checksum(key, cubin).as_bytes())?;
            file.write_all(cubin)
        });
        if written.and_then(|()| fs::rename(&temporary, &path)).is_err() {
            // The temporary file, if there is one, is of no use; if it cannot be removed either, nothing is to be done.
            let _ = fs::remove_file(&temporary);
        }
    }
}

/// Makes a folder that only its owner can enter: what lies in it is run.
fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// All that a program's machine code depends on.
fn key(source: &str, architecture: u32, version: (u32, u32)) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("nvrtc {}.{}\n", version.0, version.1).as_bytes());
    for option in compile::options(architecture) {
        hasher.update(option.as_bytes());
        hasher.update(b"\n");
    }
    hasher.update(source.as_bytes());
    hasher.finalize()
}

fn checksum(key: &blake3::Hash, cubin: &[u8]) -> blake3::Hash {
    blake3::Hasher::new_keyed(key.as_bytes()).update(cubin).finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBIN: &[u8] = b"\x7fELF machine code";

    fn filled() -> (tempfile::TempDir, CubinCache, blake3::Hash) {
        let folder = tempfile::tempdir().unwrap();
        let cache = CubinCache::at(folder.path().join("cubin"));
        let key = key("source", 90, (13, 0));
        cache.write(&key, CUBIN);
        (folder, cache, key)
    }

    #[test]
    fn what_is_written_is_read() {
        let (_folder, cache, key) = filled();
        assert_eq!(cache.read(&key).as_deref(), Some(CUBIN));
        assert_eq!(CubinCache::off().read(&key), None);
    }

    #[test]
    fn every_flipped_bit_and_every_length_is_found() {
        let (_folder, cache, key) = filled();
        let path = cache.path(&key).unwrap();
        let whole = fs::read(&path).unwrap();
        for bit in 0..8 * whole.len() {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &flipped).unwrap();
            assert_eq!(cache.read(&key), None, "bit {bit}");
        }
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(cache.read(&key), None, "length {length}");
        }
        fs::write(&path, [whole.as_slice(), b"x"].concat()).unwrap();
        assert_eq!(cache.read(&key), None, "extended");
        cache.write(&key, CUBIN);
        assert_eq!(cache.read(&key).as_deref(), Some(CUBIN), "written again");
    }

    #[test]
    fn another_programs_file_is_not_taken() {
        let (_folder, cache, one) = filled();
        let other = key("source", 80, (13, 0));
        fs::copy(cache.path(&one).unwrap(), cache.path(&other).unwrap()).unwrap();
        assert_eq!(cache.read(&other), None);
    }

    #[test]
    fn a_key_depends_on_everything() {
        let base = key("source", 90, (13, 0));
        assert_ne!(base, key("sourc", 90, (13, 0)));
        assert_ne!(base, key("source", 80, (13, 0)));
        assert_ne!(base, key("source", 90, (12, 9)));
    }

    #[test]
    fn the_folder_is_private_and_holds_nothing_else() {
        let (_folder, cache, key) = filled();
        let path = cache.path(&key).unwrap();
        let folder = path.parent().unwrap();
        assert_eq!(fs::read_dir(folder).unwrap().count(), 1, "no temporary file is left");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, []).unwrap();
        let cache = CubinCache::at(file.join("cubin"));
        let key = key("source", 90, (13, 0));
        cache.write(&key, CUBIN);
        assert_eq!(cache.read(&key), None);
    }
}
