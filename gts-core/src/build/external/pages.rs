//! Fills pages with sorted edges as they arrive, and writes the pages.

use crate::build::BuildError;
use crate::build::fill::PageFiller;
use crate::build::record::Record;
use crate::memory::NoMemory;
use crate::page::AlignedBytes;
use crate::parallel::*;
use crate::store::{PageFile, StoreError};

/// The pages of a direction that are being written.
pub(super) struct PageStream<'a> {
    file: PageFile,
    filler: &'a PageFiller<'a>,
    /// Pages that are being filled, and pages that are being written concurrently.
    filling: AlignedBytes,
    writing: AlignedBytes,
    /// The number of bytes in `writing` that have not been written.
    filled: usize,
    /// The number of the next page to fill.
    next: u32,
    /// The number of edges in the pages before `next`.
    taken: u64,
}

impl<'a> PageStream<'a> {
    /// Returns the minimum number of bytes for pages of `page_size` bytes: one page is filled while another is written.
    pub(super) fn least_bytes(page_size: u64) -> u64 {
        2 * page_size
    }

    /// Begins with the first page. The two page buffers use about `memory` bytes, or the minimum if `memory` is less.
    pub(super) fn new(file: PageFile, filler: &'a PageFiller<'a>, memory: usize) -> Result<Self, BuildError> {
        let pages = (memory / 2 / filler.page_size()).max(1).min(filler.num_pages() as usize);
        let bytes = pages * filler.page_size();
        let group = || AlignedBytes::zeroed(bytes).ok_or(NoMemory { what: "pages", bytes: bytes as u64 });
        Ok(Self { file, filler, filling: group()?, writing: group()?, filled: 0, next: 0, taken: 0 })
    }

    /// Fills all pages whose edges are complete, and removes those edges from the front of `edges`.
    pub(super) fn take<R: Record>(&mut self, edges: &mut Vec<R>) -> Result<(), StoreError> {
        let Self { file, filler, filling, writing, filled, next, taken } = self;
        let (first_edges, page_size) = (filler.first_edges(), filler.page_size());
        let begin = *taken;
        let is_known = |page: &u32| first_edges[*page as usize + 1] <= begin + edges.len() as u64;
        let room = (filling.as_slice().len() / page_size) as u32;
        loop {
            let numbers = *next..(*next + room).min(filler.num_pages());
            let count = numbers.clone().take_while(is_known).count();
            if count == 0 {
                break;
            }
            let pages = filling.as_mut_slice()[..count * page_size].par_chunks_exact_mut(page_size);
            let fill = || {
                pages.zip(numbers).for_each(|(page, number)| {
                    page.fill(0);
                    let mut at = (first_edges[number as usize] - begin) as usize;
                    filler.fill(page, number, |count| {
                        at += count;
                        &edges[at - count..at]
                    });
                });
            };
            let (written, ()) = rayon::join(|| file.push(&writing.as_slice()[..*filled]), fill);
            written?;
            std::mem::swap(filling, writing);
            *filled = count * page_size;
            *next += count as u32;
            *taken = first_edges[*next as usize];
        }
        edges.drain(..(*taken - begin) as usize);
        Ok(())
    }

    /// Writes the last pages and returns the file.
    pub(super) fn end(mut self) -> Result<PageFile, StoreError> {
        self.file.push(&self.writing.as_slice()[..self.filled])?;
        Ok(self.file)
    }
}
