//! Edges as read, in chunks.

use crate::memory::{self, NoMemory};

/// A chunk of edges as read, in input order.
pub(super) struct RawChunk {
    /// The number of the first edge in the input.
    pub(super) first: u64,
    /// The epoch of keys to which the numbers in `ends` belong; 0 if keys are integers.
    pub(super) epoch: u32,
    pub(super) ends: Ends,
    /// The values as bits of the declared type; empty if edges have no values.
    pub(super) values: Vec<u64>,
}

/// The sources and targets of edges, as original IDs or as numbers of keys.
pub(super) enum Ends {
    /// IDs that are all below 2^32, as `src << 32 | dst`.
    Narrow(Vec<u64>),
    /// Arbitrary IDs.
    Wide(Vec<[u64; 2]>),
}

impl RawChunk {
    pub(super) fn new(first: u64, wide: bool, room: usize) -> Result<Self, NoMemory> {
        let ends = match wide {
            true => Ends::Wide(memory::reserved("edges", room)?),
            false => Ends::Narrow(memory::reserved("edges", room)?),
        };
        Ok(Self { first, epoch: 0, ends, values: Vec::new() })
    }

    pub(super) fn len(&self) -> usize {
        match &self.ends {
            Ends::Narrow(keys) => keys.len(),
            Ends::Wide(pairs) => pairs.len(),
        }
    }

    /// Returns the source and the target of an edge.
    #[inline]
    pub(super) fn get(&self, edge: usize) -> (u64, u64) {
        match &self.ends {
            Ends::Narrow(keys) => (keys[edge] >> 32, keys[edge] & u64::from(u32::MAX)),
            Ends::Wide(pairs) => (pairs[edge][0], pairs[edge][1]),
        }
    }

    /// Splits the chunk into chunks of at most `edges` edges.
    pub(super) fn pieces(&self, edges: usize) -> impl Iterator<Item = Result<Self, NoMemory>> {
        (0..self.len()).step_by(edges).map(move |start| {
            let part = start..self.len().min(start + edges);
            let ends = match &self.ends {
                Ends::Narrow(keys) => Ends::Narrow(memory::copied("edges", &keys[part.clone()])?),
                Ends::Wide(pairs) => Ends::Wide(memory::copied("edges", &pairs[part.clone()])?),
            };
            let values = memory::copied("edges", self.values.get(part).unwrap_or_default())?;
            Ok(Self { first: self.first + start as u64, epoch: self.epoch, ends, values })
        })
    }

    /// Returns the bytes that the edges occupy in memory.
    pub(super) fn bytes(&self) -> u64 {
        let each = if matches!(self.ends, Ends::Narrow(_)) { 8 } else { 16 };
        self.len() as u64 * each + 8 * self.values.len() as u64
    }
}
