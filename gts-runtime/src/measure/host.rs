//! Measures the speed of the host's memory and disk.

use gts_core::memory::prefer_huge_pages;
use gts_core::threads;
use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Bytes of memory to measure with: beyond any cache.
const MEMORY: usize = 512 << 20;
/// Words that a thread reads per task.
const CHUNK: usize = 1 << 16;
/// Random reads of a thread per task, and tasks per thread: for about a hundredth of a second.
const READS: usize = 1 << 14;
const TIMES_A_THREAD: usize = 64;
/// Bytes of the file to measure a disk with, and of one read.
const FILE: u64 = 1 << 30;
const READ: usize = 4 << 20;
/// Alignment that direct reads require.
const ALIGNMENT: usize = 4096;

/// Returns the rate at which all cores together read memory, in bytes per second; the best of three.
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
        // Vertex values use huge pages, too.
        prefer_huge_pages(words.spare_capacity_mut());
        words.resize(count, 1);
        Self { words }
    }

    /// Reads all of the memory once with all cores, and returns the seconds.
    fn seconds(&self) -> f64 {
        by_all_cores(|number| {
            let chunk = self.words.chunks(CHUNK).nth(number)?;
            Some(chunk.iter().sum())
        })
    }

    /// Reads single words at random positions of the first `bytes` bytes, a power of two, with all cores. Returns the
    /// seconds.
    fn seconds_at_random(&self, bytes: usize) -> f64 {
        let words = &self.words[..bytes / size_of::<u64>()];
        debug_assert!(words.len().is_power_of_two());
        let mask = words.len() - 1;
        let parts = TIMES_A_THREAD * std::thread::available_parallelism().map_or(1, usize::from);
        by_all_cores(|number| {
            let mut place = number as u64 + 1;
            // A linear congruential generator (Knuth): no read waits for another.
            let mut next = || {
                place = place.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                words[(place >> 32) as usize & mask]
            };
            (number < parts).then(|| (0..READS).map(|_| next()).sum())
        })
    }

    /// Reads all of the memory repeatedly until `is_done`, and returns the rate of these reads in bytes per second.
    ///
    /// # Errors
    ///
    /// `is_done` fails.
    pub(crate) fn rate_until<E>(&self, is_done: impl Fn() -> Result<bool, E>) -> Result<f64, E> {
        Ok(size_of_val(&self.words[..]) as f64 / seconds_until(|| self.seconds(), is_done)?)
    }

    /// Reads words at random positions of the first `bytes` bytes, a power of two, until `is_done`. Returns the mean
    /// seconds of a fixed number of reads per core.
    ///
    /// # Errors
    ///
    /// `is_done` fails.
    pub(crate) fn at_random_until<E>(&self, bytes: usize, is_done: impl Fn() -> Result<bool, E>) -> Result<f64, E> {
        seconds_until(|| self.seconds_at_random(bytes), is_done)
    }
}

/// Reads parts with all cores until `read` returns `None`, and returns the seconds. `read` returns a sum of its part.
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

/// Repeats passes until `is_done`, and returns the mean seconds of a pass before that.
fn seconds_until<E>(pass: impl Fn() -> f64, is_done: impl Fn() -> Result<bool, E>) -> Result<f64, E> {
    let (mut passes, mut seconds) = (0u32, 0.0);
    loop {
        let pass = pass();
        let done = is_done()?;
        // The last pass may have run without the other work.
        if !done || passes == 0 {
            passes += 1;
            seconds += pass;
        }
        if done {
            return Ok(seconds / f64::from(passes));
        }
    }
}

/// Returns the rate at which a file in the folder is read sequentially, in bytes per second. Writes a file of 1 GiB, or
/// smaller if space runs out, and removes it. Reads bypass the page cache if the file system has direct reads.
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

/// Returns whether no more bytes fit: on the disk, in the user's quota, or in a file of this process.
fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), FileTooLarge | QuotaExceeded | StorageFull)
}

fn written(path: &Path) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    // Incompressible bytes.
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
            // A smaller file is enough if it can be measured.
            Err(error) if is_full(&error) && bytes >= FILE / 8 => break,
            Err(error) => return Err(error),
        }
    }
    file.sync_all()
}

/// Returns the rate at which a file is read sequentially, in bytes per second; the best of two. Reads bypass the page
/// cache if the file system has direct reads.
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

/// Opens a file for direct reads, or for ordinary ones if that is not possible.
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
