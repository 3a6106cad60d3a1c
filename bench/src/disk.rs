//! Plain reads of a store's files, to stand beside in the same run.

use gts_core::page::AlignedBytes;
use gts_core::store::reads::DirectFile;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

/// Bytes of one read.
const READ: usize = 16 << 20;

/// Bytes a second of direct reads, one after the other, of the pages of a store's out-edges, which are so many bytes.
///
/// # Errors
///
/// The store is on a file system without direct reads, or cannot be read.
pub fn plain_read(store: &Path, pages: u64) -> Result<f64, Box<dyn Error>> {
    let file = DirectFile::open(&store.join("out.pages"))?;
    if !file.is_direct() {
        return Err(format!("{} is on a file system without direct reads; name another place", store.display()).into());
    }
    let mut buffer = AlignedBytes::zeroed(READ).ok_or("no memory for a buffer")?;
    // Memory that nothing was written to comes with the first read otherwise.
    buffer.as_mut_slice().fill(1);
    let begun = Instant::now();
    for offset in (0..pages).step_by(READ) {
        let len = (pages - offset).min(READ as u64) as usize;
        file.read_exact_at(&mut buffer.as_mut_slice()[..len], offset)?;
    }
    Ok(pages as f64 / begun.elapsed().as_secs_f64())
}
