//! Reads and writes files sequentially with direct I/O. Files that are read once, or only with direct I/O, should not
//! use the system's cache: they would evict useful data, and each access would cost a copy.

use super::access::{Reader, Writer};
use super::reads::DirectFile;
use crate::page::PAGE_ALIGNMENT;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A file that is being written. Aligned pieces bypass the system's cache, and other pieces go through it.
pub(super) struct DirectWriter {
    plain: File,
    /// A second handle of the file for direct writes; `None` if the file system does not support them.
    direct: Option<File>,
    at: u64,
}

impl DirectWriter {
    /// Creates a new file. Fails if the path exists.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let plain = OpenOptions::new().write(true).create_new(true).open(path)?;
        Ok(Self { plain, direct: open_direct(path), at: 0 })
    }
}

#[cfg(target_os = "linux")]
fn open_direct(path: &Path) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().write(true).custom_flags(libc::O_DIRECT).open(path).ok()
}

#[cfg(not(target_os = "linux"))]
fn open_direct(_: &Path) -> Option<File> {
    None
}

impl Writer for DirectWriter {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let aligned = bytes.as_ptr().addr().is_multiple_of(PAGE_ALIGNMENT)
            && bytes.len().is_multiple_of(PAGE_ALIGNMENT)
            && self.at.is_multiple_of(PAGE_ALIGNMENT as u64);
        let written = match self.direct.as_ref().filter(|_| aligned) {
            Some(direct) => match direct.write_all_at(bytes, self.at) {
                // Some file systems open a file for direct I/O but reject direct writes.
                Err(error) if error.kind() == ErrorKind::InvalidInput => false,
                result => result.map(|()| true)?,
            },
            None => false,
        };
        if !written {
            if aligned {
                self.direct = None;
            }
            self.plain.write_all_at(bytes, self.at)?;
        }
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.plain.sync_all()
    }
}

/// A file that is being read. The offset, length and memory address of each read must be multiples of
/// [`PAGE_ALIGNMENT`].
pub(super) struct DirectReader {
    file: DirectFile,
    at: u64,
}

impl DirectReader {
    /// Opens a regular file.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: DirectFile::open(path)?, at: 0 })
    }
}

impl Reader for DirectReader {
    fn len(&self) -> io::Result<u64> {
        self.file.file().metadata().map(|metadata| metadata.len())
    }

    fn read_exact(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, self.at)?;
        self.at += buffer.len() as u64;
        Ok(())
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::AlignedBytes;

    #[test]
    fn what_is_written_in_any_pieces_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut bytes = AlignedBytes::zeroed(8 * PAGE_ALIGNMENT).unwrap();
        (0..).zip(bytes.as_mut_slice()).for_each(|(place, byte)| *byte = (place % 251) as u8);
        let bytes = bytes.as_slice();
        let mut writer = DirectWriter::create(&path).unwrap();
        assert_eq!(DirectWriter::create(&path).err().unwrap().kind(), ErrorKind::AlreadyExists);
        let pieces = [0, 2, 3, 4, 7, 8].map(|page| page * PAGE_ALIGNMENT);
        for (number, piece) in pieces.windows(2).enumerate() {
            // Some pieces are split at an unaligned offset.
            let (a, b) = bytes[piece[0]..piece[1]].split_at(if number % 2 == 0 { 0 } else { 777 });
            writer.write_all(a).unwrap();
            writer.write_all(b).unwrap();
        }
        writer.sync().unwrap();
        assert!(std::fs::read(&path).unwrap() == bytes);
        let mut read = AlignedBytes::zeroed(bytes.len()).unwrap();
        let mut reader = DirectReader::open(&path).unwrap();
        assert_eq!(reader.len().unwrap(), bytes.len() as u64);
        for part in read.as_mut_slice().chunks_mut(3 * PAGE_ALIGNMENT) {
            reader.read_exact(part).unwrap();
        }
        assert!(read.as_slice() == bytes);
    }
}
