//! Writes rows in order, in blocks that all threads format and compress.

use crate::packing::Packing;
use gts_graph::core::parallel::*;
use std::io::{self, Write};
use std::ops::Range;

/// Rows per block. Rows of an answer take up to about a hundred bytes each, so the blocks of a thread take a few MiB.
pub(crate) const ROWS: usize = 1 << 14;

/// A file of rows, possibly compressed.
pub(crate) struct RowFile<'a> {
    pub(crate) writer: &'a mut dyn Write,
    pub(crate) packing: Option<Packing>,
}

impl RowFile<'_> {
    /// Writes a text before or after rows. A compressed file without rows needs a text, which may be empty.
    ///
    /// # Errors
    ///
    /// The writer fails.
    pub(crate) fn text(&mut self, text: &[u8]) -> io::Result<()> {
        match self.packing {
            Some(packing) => self.writer.write_all(&packing.pack(text)?),
            _ => self.writer.write_all(text),
        }
    }

    /// Writes the rows 0..`rows`, which `put` appends to a block. The threads of rayon's global pool fill the next
    /// blocks while the calling thread writes the previous ones; each thread has two.
    ///
    /// # Errors
    ///
    /// The first error of `put` or of the writer.
    pub(crate) fn rows(
        &mut self,
        rows: usize,
        put: impl Fn(Range<usize>, &mut Vec<u8>) -> io::Result<()> + Sync,
    ) -> io::Result<()> {
        let packing = self.packing;
        let fill = |blocks: &mut [Vec<u8>], first: usize| -> io::Result<()> {
            blocks.par_iter_mut().enumerate().try_for_each(|(place, block)| {
                let start = rows.min(first + place * ROWS);
                block.clear();
                put(start..rows.min(start + ROWS), block)?;
                match packing {
                    Some(packing) if !block.is_empty() => *block = packing.pack(block)?,
                    _ => {}
                }
                Ok(())
            })
        };
        let threads = rayon::current_num_threads().min(rows.div_ceil(ROWS));
        let (mut ready, mut next) = (vec![Vec::new(); threads], vec![Vec::new(); threads]);
        let mut filled = fill(&mut ready, 0);
        for first in (0..rows).step_by((threads * ROWS).max(1)) {
            filled?;
            filled = Ok(());
            rayon::in_place_scope(|scope| {
                scope.spawn(|_| filled = fill(&mut next, first + threads * ROWS));
                ready.iter().try_for_each(|block| self.writer.write_all(block))
            })?;
            std::mem::swap(&mut ready, &mut next);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::MultiGzDecoder;
    use ruzstd::decoding::StreamingDecoder;
    use std::io::Read;

    fn numbers(range: Range<usize>, block: &mut Vec<u8>) -> io::Result<()> {
        range.into_iter().try_for_each(|row| writeln!(block, "{row}"))
    }

    fn unpacked(bytes: &[u8], packing: Option<Packing>) -> Vec<u8> {
        let mut text = Vec::new();
        match packing {
            None => text.extend_from_slice(bytes),
            Some(Packing::Gzip) => drop(MultiGzDecoder::new(bytes).read_to_end(&mut text).expect("whole members")),
            Some(Packing::Zstd) => {
                let mut rest = bytes;
                while !rest.is_empty() {
                    StreamingDecoder::new(&mut rest).expect("a frame").read_to_end(&mut text).expect("a whole frame");
                }
            }
        }
        text
    }

    #[test]
    fn rows_come_in_order_and_each_once() {
        let threads = rayon::current_num_threads();
        for rows in [0, 1, ROWS, ROWS + 1, threads * ROWS, threads * ROWS + 1, 3 * threads * ROWS + 7] {
            let mut expected = Vec::new();
            numbers(0..rows, &mut expected).expect("memory takes all");
            for packing in [None, Some(Packing::Gzip), Some(Packing::Zstd)] {
                let mut written = Vec::new();
                let mut file = RowFile { writer: &mut written, packing };
                file.text(b"").and_then(|()| file.rows(rows, numbers)).expect("memory takes all");
                assert!(unpacked(&written, packing) == expected, "{rows} rows, {packing:?}");
            }
        }
    }

    #[test]
    fn an_error_of_either_side_ends_the_work() {
        let rows = 3 * rayon::current_num_threads() * ROWS;
        for bad in [0, rows / 2, rows - 1] {
            let put = |range: Range<usize>, block: &mut Vec<u8>| match range.contains(&bad) {
                true => Err(io::Error::other("bad")),
                false => numbers(range, block),
            };
            assert_eq!(
                RowFile { writer: &mut Vec::new(), packing: None }.rows(rows, put).expect_err("a bad row").to_string(),
                "bad"
            );
        }
        let mut full = [0; 9];
        assert!(RowFile { writer: &mut &mut full[..], packing: None }.rows(rows, numbers).is_err());
    }
}
