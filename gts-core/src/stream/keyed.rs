//! A stream for tests, whose keys are names or UUIDs.

use super::{Declared, EdgeBatch, EdgeStream, ImportError};
use crate::graph::{KeyKind, RIGHT_OFFSET};
use gts_contract::ScalarType;

/// A stream of edges between the keys of a list. The value of an edge is the number of its source in the list, or a
/// number near 2^64 if its type is u64.
#[derive(Clone)]
pub(crate) struct Keyed {
    pub(crate) kind: KeyKind,
    pub(crate) keys: Vec<Vec<u8>>,
    pub(crate) edges: Vec<(usize, usize)>,
    pub(crate) value_type: Option<ScalarType>,
    /// Whether sources and targets are in two name spaces.
    pub(crate) has_sides: bool,
    /// The number of edges per batch.
    pub(crate) batch: usize,
    pub(crate) done: usize,
}

impl Keyed {
    pub(crate) fn new(kind: KeyKind, keys: Vec<Vec<u8>>, edges: Vec<(usize, usize)>) -> Self {
        Self { kind, keys, edges, value_type: None, has_sides: false, batch: 37, done: 0 }
    }
}

impl EdgeStream for Keyed {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        batch.clear();
        let part = &self.edges[self.done..self.edges.len().min(self.done + self.batch)];
        for &(source, target) in part {
            let (src, dst) = (batch.add_key(&self.keys[source]), batch.add_key(&self.keys[target]));
            batch.src.push(src);
            batch.dst.push(dst);
            if self.value_type.is_some() {
                let value = source as u64;
                batch.value.push(if self.value_type == Some(ScalarType::U64) { u64::MAX - value } else { value });
            }
        }
        self.done += part.len();
        Ok(!part.is_empty())
    }

    fn declared(&self) -> Declared {
        let (value_type, store_as) = (self.value_type, self.value_type);
        let right = self.has_sides.then_some(RIGHT_OFFSET);
        Declared { keys: self.kind, value_type, store_as, right, ..Declared::default() }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.done as u64, None)
    }
}
