//! Counts the values of one vertex's neighbours.

use super::column::Column;
use super::context::Context;
use super::scalar::Memory;
use super::tally::{Table, Tallyable, most_frequent};
use gts_contract::{Direction, KernelDescriptor};
use gts_core::graph::Vertex;
use std::cell::RefCell;
use std::marker::PhantomData;

thread_local! {
    /// The table of the thread's last count, cleared for reuse.
    static SPARE: RefCell<Option<Table>> = const { RefCell::new(None) };
}

/// The counts of the neighbours' values during one visit to a vertex.
#[derive(Debug)]
pub struct Tallied<T> {
    table: Table,
    value: PhantomData<T>,
}

impl<T: Tallyable> Tallied<T> {
    /// Starts a count. Reuses the thread's spare table if there is one.
    pub fn begin() -> Self {
        Self { table: SPARE.take().unwrap_or_default(), value: PhantomData }
    }

    /// Counts a value.
    #[inline(always)]
    pub fn tally(&mut self, value: T) {
        self.table.add(value.key(), 1);
    }

    /// Completes the count of a visit to `edges` edges. If the vertex has no other edges, stores the most frequent
    /// value. Otherwise, retains the counts until the end of the pass.
    pub fn settle<P: Memory>(
        mut self,
        column: &Column<'_, T, P>,
        gts: Context<'_>,
        v: Vertex,
        edges: u64,
        kernel: &KernelDescriptor,
    ) {
        let whole = match kernel.direction {
            Direction::Out => gts.out_degree(v) == edges,
            Direction::In => gts.in_degree(v) == edges,
            Direction::Both => false,
        };
        if let Some(lacking) = self.table.lacking.take() {
            gts.lacks(lacking);
        } else if !whole {
            if let Err(lacking) = gts.tallies.add(v, self.table.counts()) {
                gts.lacks(lacking);
            }
        } else if let Some(key) = most_frequent(self.table.counts()) {
            column.store(v, T::of(key));
        }
        self.table.clear();
        SPARE.set(Some(self.table));
    }
}
