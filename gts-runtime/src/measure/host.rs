//! Measures the speed of disks.

use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// The size of the file that measures a disk, and of each read, in bytes.
const FILE: u64 = 1 << 30;
const READ: usize = 4 << 20;
/// The alignment in bytes that direct reads require.
const ALIGNMENT: usize = 4096;

/// Measures the sequential read rate of the disk that contains a folder, in bytes per second. Writes a file of 1 GiB,
/// or a smaller one if space runs out, and removes it afterwards. Reads bypass the page cache if the file system
/// supports direct reads.
///
/// # Errors
///
/// The folder cannot be written or read.
pub fn disk_rate(folder: &Path) -> io::Result<f64> {
    let path = folder.join(format!(".gts-measure-{}", std::process::id()));
    let rate = written(&path).and_then(|()| read_rate(&path));
    let removed = std::fs::remove_file(&path);
    let rate = rate?;
    removed.map(|()| rate)
}

/// Returns whether a write failed because the disk is full, the user's quota is exhausted, or the file is too large.
fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), FileTooLarge | QuotaExceeded | StorageFull)
}

fn written(path: &Path) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    // Pseudorandom bytes are incompressible.
    let mut state = 1u64;
    let mut block = vec![0u8; READ];
    let mut bytes = 0;
    while bytes < FILE {
        for word in block.chunks_exact_mut(8) {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            word.copy_from_slice(&state.to_le_bytes());
        }
        match file.write_all(&block) {
            Ok(()) => bytes += READ as u64,
            // A file of at least an eighth of the size still allows a measurement.
            Err(error) if is_full(&error) && bytes >= FILE / 8 => break,
            Err(error) => return Err(error),
        }
    }
    file.sync_all()
}

/// Measures the sequential read rate of a file, in bytes per second. Returns the better of two runs. Reads bypass the
/// page cache if the file system supports direct reads.
///
/// # Errors
///
/// The file cannot be read.
pub fn read_rate(path: &Path) -> io::Result<f64> {
    let bytes = std::fs::metadata(path)?.len();
    let mut best = Duration::MAX;
    for _ in 0..2 {
        let mut file = open_direct(path)?;
        let mut buffer = vec![0u8; READ + ALIGNMENT];
        let start = buffer.as_ptr().align_offset(ALIGNMENT);
        let begun = Instant::now();
        let mut done = 0;
        while done < bytes {
            match file.read(&mut buffer[start..start + READ])? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => done += read as u64,
            }
        }
        black_box(&buffer);
        best = best.min(begun.elapsed());
    }
    Ok(bytes as f64 / best.as_secs_f64().max(1e-9))
}

/// Opens a file for direct reads, or for buffered reads if direct reads are not supported.
fn open_direct(path: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let direct = File::options().read(true).custom_flags(libc::O_DIRECT).open(path);
        if direct.is_ok() {
            return direct;
        }
    }
    File::open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_is_an_error_and_nothing_is_left_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        assert!(disk_rate(&folder.path().join("absent")).is_err());
        let path = folder.path().join("file");
        std::fs::write(&path, vec![1; 2 * READ + 7]).unwrap();
        assert!(read_rate(&path).unwrap() > 0.0);
        assert!(read_rate(&folder.path().join("absent")).is_err());
    }
}
