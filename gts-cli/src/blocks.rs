//! Writes rows in order, in blocks that all threads format.

use gts_graph::core::parallel::*;
use std::io::{self, Write};
use std::ops::Range;

/// Rows per block. Rows of an answer take up to about a hundred bytes each, so the blocks of a thread take a few MiB.
pub(crate) const ROWS: usize = 1 << 14;

/// Writes the rows 0..`rows`, which `put` appends to a block. The threads of rayon's global pool fill the next blocks
/// while the calling thread writes the previous ones; each thread has two.
///
/// # Errors
///
/// The first error of `put` or of the writer.
pub(crate) fn write<W: Write + ?Sized>(
    writer: &mut W,
    rows: usize,
    put: impl Fn(Range<usize>, &mut Vec<u8>) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let fill = |blocks: &mut [Vec<u8>], first: usize| {
        blocks.par_iter_mut().enumerate().try_for_each(|(place, block)| {
            let start = rows.min(first + place * ROWS);
            block.clear();
            put(start..rows.min(start + ROWS), block)
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
            ready.iter().try_for_each(|block| writer.write_all(block))
        })?;
        std::mem::swap(&mut ready, &mut next);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(range: Range<usize>, block: &mut Vec<u8>) -> io::Result<()> {
        range.into_iter().try_for_each(|row| writeln!(block, "{row}"))
    }

    #[test]
    fn rows_come_in_order_and_each_once() {
        let threads = rayon::current_num_threads();
        for rows in [0, 1, ROWS, ROWS + 1, threads * ROWS, threads * ROWS + 1, 3 * threads * ROWS + 7] {
            let (mut written, mut expected) = (Vec::new(), Vec::new());
            write(&mut written, rows, numbers).expect("memory takes all");
            numbers(0..rows, &mut expected).expect("memory takes all");
            assert!(written == expected, "{rows} rows");
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
            assert_eq!(write(&mut Vec::new(), rows, put).expect_err("a bad row").to_string(), "bad");
        }
        let mut full = [0; 9];
        assert!(write(&mut &mut full[..], rows, numbers).is_err());
    }
}
