//! Fills pages from sorted edges as these come, and writes them.

use crate::build::fill::PageFiller;
use crate::build::record::Record;
use crate::store::{PageFile, StoreError};
use rayon::prelude::*;

/// The pages of a direction being written.
pub(super) struct PageStream<'a> {
    file: PageFile,
    filler: &'a PageFiller<'a>,
    /// Pages that are filled together.
    group: Vec<u8>,
    /// The page to be filled next.
    next: u32,
    /// Edges in the pages before.
    taken: u64,
}

impl<'a> PageStream<'a> {
    /// Begins with the first page; about `memory` bytes are filled together.
    pub(super) fn new(file: PageFile, filler: &'a PageFiller<'a>, memory: usize) -> Self {
        let pages = (memory / filler.page_size()).max(1).min(filler.num_pages() as usize);
        Self { file, filler, group: vec![0; pages * filler.page_size()], next: 0, taken: 0 }
    }

    /// Fills all pages whose edges are there, and takes these away from the front.
    pub(super) fn take<R: Record>(&mut self, edges: &mut Vec<R>) -> Result<(), StoreError> {
        let first_edges = self.filler.first_edges();
        let known = self.taken + edges.len() as u64;
        let page_size = self.filler.page_size();
        let begin = self.taken;
        while self.next < self.filler.num_pages() && first_edges[self.next as usize + 1] <= known {
            let room = (self.group.len() / page_size) as u32;
            let last = (self.next + room).min(self.filler.num_pages());
            let whole = (self.next..last).take_while(|&page| first_edges[page as usize + 1] <= known).count();
            let group = &mut self.group[..whole * page_size];
            let numbers = self.next..self.next + whole as u32;
            group.par_chunks_exact_mut(page_size).zip(numbers).for_each(|(page, number)| {
                page.fill(0);
                let mut at = (first_edges[number as usize] - begin) as usize;
                self.filler.fill(page, number, |count| {
                    at += count;
                    &edges[at - count..at]
                });
            });
            self.file.push(group)?;
            self.next += whole as u32;
            self.taken = first_edges[self.next as usize];
        }
        edges.drain(..(self.taken - begin) as usize);
        Ok(())
    }

    /// The file, all of whose pages have been written.
    pub(super) fn end(self) -> PageFile {
        self.file
    }
}
