//! Reads from an open file: cached ranges through the system's cache, other ranges with direct I/O. A graph in memory
//! needs no copy in the cache, and a disk reads large pieces faster if no cache is filled.

use super::access::Reader;
use super::directory::Directory;
use super::reads::read_exact_at;
use crate::page::PAGE_ALIGNMENT;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::OnceLock;

/// The number of offsets sampled to detect whether a file is cached.
const SAMPLES: u64 = 8;

/// A regular file that is open for reading.
pub(super) struct FileReader {
    plain: File,
    /// A second handle for direct reads, opened on first use; `None` if the file system does not support direct reads.
    direct: OnceLock<Option<File>>,
}

impl FileReader {
    /// Opens a regular file. Fails for other file types, without blocking.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        // Check the type first, because opening a pipe would wait for a writer.
        if !path.symlink_metadata()?.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"));
        }
        Ok(Self { plain: File::open(path)?, direct: OnceLock::new() })
    }

    /// Opens a regular file in a directory. Fails for other file types, without blocking.
    pub(super) fn open_in(directory: &Directory, name: &str) -> io::Result<Self> {
        Ok(Self { plain: directory.open_file(name)?, direct: OnceLock::new() })
    }

    /// Returns the handle for direct reads if the request is aligned and the cache does not contain the whole range.
    fn direct(&self, buffer: &[u8], offset: u64) -> Option<&File> {
        let is_aligned = buffer.as_ptr().addr().is_multiple_of(PAGE_ALIGNMENT)
            && buffer.len().is_multiple_of(PAGE_ALIGNMENT)
            && offset.is_multiple_of(PAGE_ALIGNMENT as u64);
        let last = offset + (buffer.len() as u64).saturating_sub(1);
        if !is_aligned || is_cached(&self.plain, [offset, last]) {
            return None;
        }
        self.direct.get_or_init(|| open_direct(&self.plain)).as_ref()
    }
}

impl Reader for FileReader {
    fn len(&self) -> io::Result<u64> {
        self.plain.metadata().map(|metadata| metadata.len())
    }

    fn is_in_memory(&self) -> bool {
        let bytes = self.len().unwrap_or(0);
        (0..SAMPLES).all(|sample| is_cached(&self.plain, [bytes / SAMPLES * sample]))
    }

    fn read_exact(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        Read::read_exact(&mut self.plain, buffer)
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        if let Some(direct) = self.direct(buffer, offset) {
            match read_exact_at(direct, buffer, offset) {
                // Some file systems open a file for direct I/O but reject direct reads.
                Err(error) if error.kind() == ErrorKind::InvalidInput => {}
                result => return result,
            }
        }
        read_exact_at(&self.plain, buffer, offset)
    }
}

/// Returns whether the bytes at the given offsets of a file are cached. The bytes between them are then likely to be
/// cached too. Returns true if the system or the file system does not report this.
#[cfg(target_os = "linux")]
fn is_cached<const N: usize>(file: &File, places: [u64; N]) -> bool {
    use rustix::io::{Errno, ReadWriteFlags, preadv2};
    let mut byte = [0];
    places.into_iter().all(|place| {
        let read = preadv2(file, &mut [io::IoSliceMut::new(&mut byte)], place, ReadWriteFlags::NOWAIT);
        read != Err(Errno::AGAIN)
    })
}

#[cfg(not(target_os = "linux"))]
fn is_cached<const N: usize>(_: &File, _: [u64; N]) -> bool {
    true
}

/// Opens the same file again for direct reads, even if the name now refers to a different file.
#[cfg(target_os = "linux")]
fn open_direct(file: &File) -> Option<File> {
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    std::fs::OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(path).ok()
}

#[cfg(not(target_os = "linux"))]
fn open_direct(_: &File) -> Option<File> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::AlignedBytes;

    #[test]
    fn bytes_are_the_same_from_the_cache_and_past_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..64 * PAGE_ALIGNMENT).map(|place| (place % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let mut read = AlignedBytes::zeroed(bytes.len()).unwrap();
        for evict in [false, true] {
            let mut reader = FileReader::open(&path).unwrap();
            if evict {
                reader.plain.sync_all().unwrap();
                forget(&reader.plain);
            }
            read.as_mut_slice().fill(0);
            for (number, piece) in read.as_mut_slice().chunks_mut(16 * PAGE_ALIGNMENT).enumerate() {
                reader.read_exact_at(piece, (number * 16 * PAGE_ALIGNMENT) as u64).unwrap();
            }
            assert!(read.as_slice() == bytes);
            // The bytes are not aligned, so they must not be read directly.
            let mut few = [0; 300];
            reader.read_exact_at(&mut few, 777).unwrap();
            assert_eq!(few[..], bytes[777..1077]);
            reader.read_exact(&mut few).unwrap();
            assert_eq!(few[..], bytes[..300]);
            let beyond = reader.read_exact_at(&mut read.as_mut_slice()[..PAGE_ALIGNMENT], bytes.len() as u64);
            assert_eq!(beyond.unwrap_err().kind(), ErrorKind::UnexpectedEof);
        }
    }

    /// Evicts a file from the system's cache.
    #[cfg(target_os = "linux")]
    fn forget(file: &File) {
        rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
    }

    #[cfg(not(target_os = "linux"))]
    fn forget(_: &File) {}
}
