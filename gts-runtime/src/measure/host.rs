//! How fast the host's memory and disk are.

use gts_core::memory::prefer_huge_pages;
use gts_core::threads;
use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Bytes that memory is measured with: beyond any cache.
const MEMORY: usize = 512 << 20;
/// Words of it that a thread reads at a time.
const CHUNK: usize = 1 << 16;
/// Reads at random places that a thread makes at a time, and how often: for about a hundredth of a second.
const READS: usize = 1 << 14;
const TIMES_A_THREAD: usize = 64;
/// Bytes of the file that a disk is measured with, and of a read.
const FILE: u64 = 1 << 30;
const READ: usize = 4 << 20;
/// Alignment that direct reads ask for.
const ALIGNMENT: usize = 4096;

/// Returns the rate at which all cores together read memory, in bytes a second; the best of three.
pub fn memory_rate() -> f64 {
    let memory = Reads::new(MEMORY);
    let seconds = (0..3).map(|_| memory.seconds());
    MEMORY as f64 / seconds.fold(f64::INFINITY, f64::min)
}

/// Memory for all cores to read.
pub(crate) struct Reads {
    words: Vec<u64>,
}

impl Reads {
    /// Allocates `bytes` bytes of memory, and writes them.
    pub(crate) fn new(bytes: usize) -> Self {
        let count = bytes / size_of::<u64>();
        let mut words = Vec::with_capacity(count);
        // As the values of vertices are kept.
        prefer_huge_pages(words.spare_capacity_mut());
        words.resize(count, 1);
        Self { words }
    }

    /// Reads all of it once by all cores, and returns the seconds.
    fn seconds(&self) -> f64 {
        by_all_cores(|number| {
            let chunk = self.words.chunks(CHUNK).nth(number)?;
            Some(chunk.iter().sum())
        })
    }

    /// Reads single words at random places of its first `bytes` bytes, a power of two, by all cores. Returns the seconds.
    fn seconds_at_random(&self, bytes: usize) -> f64 {
        let words = &self.words[..bytes / size_of::<u64>()];
        debug_assert!(words.len().is_power_of_two());
        let mask = words.len() - 1;
        let parts = TIMES_A_THREAD * std::thread::available_parallelism().map_or(1, usize::from);
        by_all_cores(|number| {
            let mut place = number as u64 + 1;
            // A generator of Knuth's: no read waits for another.
            let mut next = || {
                place = place.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                words[(place >> 32) as usize & mask]
            };
            (number < parts).then(|| (0..READS).map(|_| next()).sum())
        })
    }

    /// Reads all of it again and again until something is done, and returns the rate in bytes a second of what was read before.
    ///
    /// # Errors
    ///
    /// It cannot be told whether it is done.
    pub(crate) fn rate_until<E>(&self, is_done: impl Fn() -> Result<bool, E>) -> Result<f64, E> {
        Ok(size_of_val(&self.words[..]) as f64 / seconds_until(|| self.seconds(), is_done)?)
    }

    /// Reads words at random places of its first `bytes` bytes, a power of two, until something is done. Returns the mean seconds
    /// of a fixed number of reads a core.
    ///
    /// # Errors
    ///
    /// It cannot be told whether it is done.
    pub(crate) fn at_random_until<E>(&self, bytes: usize, is_done: impl Fn() -> Result<bool, E>) -> Result<f64, E> {
        seconds_until(|| self.seconds_at_random(bytes), is_done)
    }
}

/// Lets all cores read one part after the other, until there is none, and returns the seconds. `read` returns a sum of what it
/// has read.
fn by_all_cores(read: impl Fn(usize) -> Option<u64> + Sync) -> f64 {
    let helpers = std::thread::available_parallelism().map_or(1, usize::from) - 1;
    let begun = Instant::now();
    let next = AtomicUsize::new(0);
    threads::share(helpers, || {
        while let Some(sum) = read(next.fetch_add(1, Ordering::Relaxed)) {
            black_box(sum);
        }
    });
    begun.elapsed().as_secs_f64()
}

/// Makes passes until something is done, and returns the mean seconds of a pass before that.
fn seconds_until<E>(pass: impl Fn() -> f64, is_done: impl Fn() -> Result<bool, E>) -> Result<f64, E> {
    let (mut passes, mut seconds) = (0u32, 0.0);
    loop {
        let pass = pass();
        let done = is_done()?;
        // The last pass may have ended alone.
        if !done || passes == 0 {
            passes += 1;
            seconds += pass;
        }
        if done {
            return Ok(seconds / f64::from(passes));
        }
    }
}

/// The rate at which a file in that folder is read in order, in bytes a second. Writes one of 1 GiB, or as much as half
/// of the space left allows, and removes it. Past the system's cache where the file system has direct reads.
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

/// Whether no more bytes fit: onto the disk, or into a file of this user or process.
fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), FileTooLarge | QuotaExceeded | StorageFull)
}

fn written(path: &Path) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    // Bytes that no file system can store as fewer.
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
            // As much as fits will do, if it is enough to measure.
            Err(error) if is_full(&error) && bytes >= FILE / 8 => break,
            Err(error) => return Err(error),
        }
    }
    file.sync_all()
}

/// The rate at which a file is read in order, in bytes a second; the best of two. Past the system's cache where the file
/// system has direct reads.
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

/// Opens a file past the system's cache, or plainly where that is not possible.
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
