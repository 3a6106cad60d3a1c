//! A cache of compiled programs on disk.
//!
//! The driver does not validate cubins: a single flipped bit may crash the driver, hang a kernel, or produce wrong
//! values. Therefore each file contains its key and a checksum of its program. A file with a wrong key or checksum is
//! treated as absent, and the program is compiled again. An unreadable or unwritable cache costs time, but never
//! changes a result.
//!
//! A checksum does not authenticate a file. Therefore the cache neither reads from nor writes to a folder that belongs
//! to another user or is writable by other users.

use super::{compile, library};
use gts_core::advice::{Reader, explain_within};
use gts_device::error::Result;
use gts_device::folder::{self, CacheEntry, cache_folder, create_private, distrust_found, distrust_place, write_whole};
use std::fs::{self, File, FileTimes};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The first bytes of a file. The last of these bytes is the version of the file layout.
const MAGIC: [u8; 8] = *b"GTSCUBI\x01";
/// The size in bytes of a key and of a checksum.
const HASH: usize = 32;
const HEADER: usize = MAGIC.len() + 2 * HASH;
/// The extension of the files in the cache.
const EXTENSION: &str = "cubin";
/// The environment variable that sets the maximum size of the cache.
const LIMIT_VARIABLE: &str = "GTS_CACHE_LIMIT";
/// The default maximum size of the cache in bytes: room for a few thousand programs.
const LIMIT: u64 = 512 << 20;

/// A folder that caches compiled programs.
#[derive(Clone, Debug)]
pub struct CubinCache {
    folder: Option<PathBuf>,
    /// The maximum total size of the files in bytes.
    limit: u64,
    /// The problem with `GTS_CACHE_LIMIT`, if its value is malformed.
    misread: Option<String>,
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Cubin {
    /// The machine code.
    pub bytes: Vec<u8>,
    /// Whether the program was read from the cache rather than compiled.
    pub cached: bool,
}

impl CubinCache {
    /// Returns the user's cache in [`cache_folder`], or a disabled cache if the user has no cache folder. The maximum
    /// size is `GTS_CACHE_LIMIT`, or 512 MiB by default.
    pub fn of_user() -> Self {
        let (limit, misread) = folder::limit(LIMIT_VARIABLE, LIMIT, "compiled kernels");
        Self { folder: cache_folder().map(|folder| folder.join("cubin")), limit, misread }
    }

    /// Returns a cache in the given folder, with the default maximum size.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), limit: LIMIT, misread: None }
    }

    /// Returns a disabled cache: every program is compiled.
    pub fn off() -> Self {
        Self { folder: None, limit: LIMIT, misread: None }
    }

    /// Sets the maximum total size of the cache in bytes.
    pub fn with_limit(self, limit: u64) -> Self {
        Self { limit, ..self }
    }

    /// Returns a message for each problem with the cache: an untrusted folder or a malformed `GTS_CACHE_LIMIT`. An
    /// untrusted folder disables the cache.
    pub fn problems(&self) -> Vec<String> {
        let off = self.folder.as_deref().and_then(distrust_place);
        let off = off
            .map(|why| format!("the cache of compiled kernels is off: {}", explain_within(&why, Reader::CommandLine)));
        off.into_iter().chain(self.misread.clone()).collect()
    }

    /// Returns the machine code of a program, read from the cache or compiled.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`compile()`](super::compile()).
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
        Some(self.folder.as_ref()?.join(format!("{}.{EXTENSION}", key.to_hex())))
    }

    /// Reads the program with this key from the cache, if its file is intact and trusted. Marks the file as recently
    /// used.
    fn read(&self, key: &blake3::Hash) -> Option<Vec<u8>> {
        if !is_private(self.folder.as_ref()?) {
            return None;
        }
        let path = self.path(key)?;
        let mut opened = File::open(&path).ok()?;
        if distrust_found(&path, &opened.metadata().ok()?).is_some() {
            return None;
        }
        let mut file = Vec::new();
        opened.read_to_end(&mut file).ok()?;
        let (header, cubin) = file.split_at_checked(HEADER)?;
        let (magic, hashes) = header.split_at(MAGIC.len());
        let (found, sum) = hashes.split_at(HASH);
        if magic != MAGIC || found != key.as_bytes() || sum != checksum(key, cubin).as_bytes() {
            return None;
        }
        // If the modification time cannot be set, the file is evicted sooner.
        let _ = opened.set_times(FileTimes::new().set_modified(SystemTime::now()));
        file.drain(..HEADER);
        Some(file)
    }

    /// Writes a program into the cache. If the total size exceeds the limit, removes the least recently used files. If
    /// the write fails, the program is compiled again at its next use.
    fn write(&self, key: &blake3::Hash, cubin: &[u8]) {
        let (Some(folder), Some(path)) = (&self.folder, self.path(key)) else { return };
        let bytes = (HEADER + cubin.len()) as u64;
        if bytes > self.limit || create_private(folder).is_err() || !is_private(folder) {
            return;
        }
        let written = write_whole(&path, |file| {
            file.write_all(&MAGIC)?;
            file.write_all(key.as_bytes())?;
            file.write_all(checksum(key, cubin).as_bytes())?;
            file.write_all(cubin)
        });
        if written.is_ok() {
            // If a file cannot be removed, the cache exceeds its limit until the next program is written.
            let _ = make_room(folder, self.limit - bytes, &path);
        }
    }
}

/// Removes the least recently used files until all files except `but` occupy at most `limit` bytes. Never removes
/// `but`.
fn make_room(folder: &Path, limit: u64, but: &Path) -> std::io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path != but && path.extension().is_some_and(|extension| extension == EXTENSION) {
            // Another process may have removed the file.
            let Ok(found) = path.symlink_metadata() else { continue };
            files.push(CacheEntry { path, bytes: found.len(), used: found.modified()? });
        }
    }
    folder::make_room(files, limit, |path| fs::remove_file(path).map(|()| true)).map(drop)
}

/// Returns whether the folder exists and only this user can write to it.
fn is_private(folder: &Path) -> bool {
    folder.is_dir() && distrust_place(folder).is_none()
}

/// Returns the hash of all inputs that determine a program's machine code.
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

    #[cfg(unix)]
    #[test]
    fn what_others_may_have_written_is_not_taken_and_nothing_is_put_there() {
        use std::os::unix::fs::{PermissionsExt, chown};
        let permit = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let (_folder, cache, one) = filled();
        let other = key("other", 90, (13, 0));
        let folder = cache.folder.clone().unwrap();
        assert!(cache.problems().is_empty());
        for mode in [0o720, 0o702, 0o777] {
            permit(&folder, mode);
            assert_eq!(cache.read(&one), None, "{mode:o}");
            cache.write(&other, CUBIN);
            let [problem] = &*cache.problems() else { panic!("{:?}", cache.problems()) };
            assert!(problem.contains("is off") && problem.contains("may be written to by other users"), "{problem}");
        }
        permit(&folder, 0o755);
        assert!(cache.problems().is_empty() && cache.read(&one).is_some());
        assert_eq!(cache.read(&other), None, "it was written nevertheless");
        // A file that other users can write is not trusted either.
        let path = cache.path(&one).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        permit(&path, 0o622);
        assert_eq!(cache.read(&one), None);
        permit(&path, 0o600);
        if chown(&folder, Some(12_345), None).is_err() {
            println!("skipped: only root can give a folder to somebody else");
            return;
        }
        assert_eq!(cache.read(&one), None);
        cache.write(&other, CUBIN);
        let [problem] = &*cache.problems() else { panic!("{:?}", cache.problems()) };
        assert!(problem.contains("belongs to another user"), "{problem}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn programs_that_were_not_used_for_longest_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = (HEADER + CUBIN.len()) as u64;
        let cache = CubinCache::at(folder.path().join("cubin")).with_limit(3 * bytes + 1);
        let keys = [0, 1, 2, 3, 4].map(|number| key(&number.to_string(), 90, (13, 0)));
        let held = || keys.map(|key| cache.path(&key).unwrap().exists());
        for (age, key) in keys[..3].iter().enumerate() {
            cache.write(key, CUBIN);
            let used = SystemTime::now() - std::time::Duration::from_secs(1000 - age as u64);
            File::open(cache.path(key).unwrap()).unwrap().set_modified(used).unwrap();
        }
        assert_eq!(held(), [true, true, true, false, false]);
        cache.read(&keys[0]).unwrap();
        cache.write(&keys[3], CUBIN);
        assert_eq!(held(), [true, false, true, true, false]);
        cache.write(&keys[4], CUBIN);
        assert_eq!(held(), [true, false, false, true, true]);
        // A program larger than the limit is not stored, and evicts nothing.
        cache.write(&keys[1], &[0; 1000]);
        assert_eq!(held(), [true, false, false, true, true]);
        cache.clone().with_limit(0).write(&keys[1], CUBIN);
        assert_eq!(held(), [true, false, false, true, true]);
        cache.with_limit(bytes).write(&keys[1], CUBIN);
        assert_eq!(fs::read_dir(folder.path().join("cubin")).unwrap().count(), 1);
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
