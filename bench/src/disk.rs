//! Plain reads of a store's files, used as baselines.

use gts_core::memory;
use gts_core::page::AlignedBytes;
use gts_core::parallel::*;
use gts_core::store::io::{FileSystem, Io};
use gts_core::store::reads::DirectFile;
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

/// Bytes per read if a single thread reads.
const READ: usize = 16 << 20;
/// Bytes per read if all cores read.
const PIECE: usize = 1 << 20;

/// Reads a store's out-edge pages, `pages` bytes in total, sequentially with direct I/O, and returns the rate in bytes
/// per second.
///
/// # Errors
///
/// Fails if the store cannot be read, or if its file system does not support direct I/O.
pub(crate) fn plain_read(store: &Path, pages: u64) -> Result<f64, Box<dyn Error>> {
    let file = DirectFile::open(&store.join("out.pages"))?;
    if !file.is_direct() {
        return Err(format!("{} is on a file system without direct reads; name another place", store.display()).into());
    }
    let mut buffer = AlignedBytes::zeroed(READ).ok_or("no memory for a buffer")?;
    // Touch the buffer first to keep its page faults out of the measurement.
    buffer.as_mut_slice().fill(1);
    let begun = Instant::now();
    for offset in (0..pages).step_by(READ) {
        let len = (pages - offset).min(READ as u64) as usize;
        file.read_exact_at(&mut buffer.as_mut_slice()[..len], offset)?;
    }
    Ok(pages as f64 / begun.elapsed().as_secs_f64())
}

/// Reads all files of a store into fresh memory on all cores. The memory uses huge pages if requested. Returns the time
/// and the number of bytes read.
///
/// # Errors
///
/// Fails if a file cannot be read.
pub(crate) fn read_all(store: &Path, huge_pages: bool) -> Result<(Duration, u64), Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(store)? {
        files.push(FileSystem.open(&entry?.path())?);
    }
    let begun = Instant::now();
    let mut buffers = Vec::new();
    for file in &files {
        let mut buffer = vec![0u8; file.len()? as usize];
        if huge_pages {
            memory::prefer_huge_pages(&mut buffer);
        }
        buffers.push(buffer);
    }
    files.par_iter().zip(&mut buffers).try_for_each(|(file, buffer)| {
        let pieces = buffer.par_chunks_mut(PIECE).enumerate();
        pieces.try_for_each(|(number, piece)| file.read_exact_at(piece, (number * PIECE) as u64))
    })?;
    Ok((begun.elapsed(), buffers.iter().map(|buffer| buffer.len() as u64).sum()))
}

/// Flushes a store's files and, on Linux, drops them from the page cache.
///
/// # Errors
///
/// Fails if a file cannot be opened or flushed.
pub(crate) fn forget(store: &Path) -> Result<(), Box<dyn Error>> {
    for entry in std::fs::read_dir(store)? {
        let file = std::fs::File::open(entry?.path())?;
        // The system drops only pages that have already been written to disk.
        file.sync_all()?;
        #[cfg(target_os = "linux")]
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    }
    Ok(())
}
