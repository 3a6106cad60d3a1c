//! Edge lists as text, and a plain read of a file, used as the baseline for imports.

use gts_core::build::EdgeBatch;
use gts_core::graph::Graph;
use gts_core::page::AlignedBytes;
use gts_core::store::reads::DirectFile;
use std::error::Error;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

/// Bytes per read.
const BLOCK: usize = 4 << 20;

/// Writes the edges of a generated graph to a new file, one per line, until the file has at least `size` bytes or all
/// edges are written. Returns the number of bytes written.
///
/// # Errors
///
/// Fails if the specification is malformed, or if the file cannot be written.
pub(crate) fn write_edges(spec: &str, path: &Path, size: u64) -> Result<u64, Box<dyn Error>> {
    let mut generator = Graph::reader(spec).stream()?;
    let mut file = File::create_new(path)?;
    let (mut batch, mut written, mut text) = (EdgeBatch::default(), 0, Vec::new());
    while written < size && generator.next(&mut batch)? {
        text.clear();
        for (src, dst) in batch.src.iter().zip(&batch.dst) {
            writeln!(text, "{src}\t{dst}")?;
        }
        file.write_all(&text)?;
        written += text.len() as u64;
    }
    file.sync_all()?;
    Ok(written)
}

/// Reads a file sequentially, with direct I/O if possible. Returns the number of bytes read.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub(crate) fn read(path: &Path) -> Result<u64, std::io::Error> {
    let file = DirectFile::open(path)?;
    let mut block = AlignedBytes::zeroed(BLOCK).ok_or(ErrorKind::OutOfMemory)?;
    let mut total = 0;
    loop {
        match file.file().read(block.as_mut_slice())? {
            0 => return Ok(total),
            count => total += count as u64,
        }
    }
}
