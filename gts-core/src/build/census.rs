//! Estimates the number of vertices in constant memory, so that an error can name a sufficient budget.

use super::chunk::RawChunk;
use super::renumber;
use crate::graph::Originals;
use xxhash_rust::xxh3::xxh3_64;

/// The number of registers in the sketch. The standard error is 1.04 divided by the square root of this number: 0.8 %.
const REGISTERS: usize = 1 << 14;
/// The factor that adds six standard errors to the estimate.
const MARGIN: f64 = 1.05;
/// The number of vertices added to the margin. For small estimates, the error is an absolute number, not a share.
const FEW: f64 = 64.0;

/// A sketch of the vertex IDs in edges (P. Flajolet and others, HyperLogLog, AofA 2007).
pub(super) struct Census {
    registers: Vec<u8>,
    bounds: Option<(u64, u64)>,
    edges: u64,
}

impl Census {
    /// Creates an empty census.
    pub(super) fn new() -> Self {
        Self { registers: vec![0; REGISTERS], bounds: None, edges: 0 }
    }

    /// Adds both ends of each edge in a chunk.
    pub(super) fn add(&mut self, chunk: &RawChunk) {
        self.edges += chunk.len() as u64;
        for edge in 0..chunk.len() {
            let (src, dst) = chunk.get(edge);
            self.add_id(src);
            self.add_id(dst);
        }
    }

    /// Adds an ID that occurs in an edge.
    pub(super) fn add_id(&mut self, id: u64) {
        let (low, high) = self.bounds.unwrap_or((id, id));
        self.bounds = Some((low.min(id), high.max(id)));
        let hash = xxh3_64(&id.to_le_bytes());
        let register = &mut self.registers[hash as usize % REGISTERS];
        *register = (*register).max((hash >> REGISTERS.ilog2()).leading_zeros() as u8 - REGISTERS.ilog2() as u8 + 1);
    }

    /// Adds `edges` edges to the count. Their ends must be added separately.
    pub(super) fn add_edges(&mut self, edges: u64) {
        self.edges += edges;
    }

    /// Returns the number of edges added.
    pub(super) fn edges(&self) -> u64 {
        self.edges
    }

    /// Returns the smallest and the largest ID; `None` if there are no edges.
    pub(super) fn bounds(&self) -> Option<(u64, u64)> {
        self.bounds
    }

    /// Returns an upper bound on the number of vertices, according to the sketch.
    pub(super) fn most_vertices(&self) -> u64 {
        let Some((low, high)) = self.bounds else { return 0 };
        ((self.estimate() * MARGIN + FEW) as u64).min((high - low).saturating_add(1))
    }

    /// Returns a lower bound on the number of vertices, according to the sketch.
    pub(super) fn least_vertices(&self) -> u64 {
        ((self.estimate() - FEW) / MARGIN).max(0.0) as u64
    }

    fn estimate(&self) -> f64 {
        let size = REGISTERS as f64;
        let empty = self.registers.iter().filter(|register| **register == 0).count() as f64;
        let sum: f64 = self.registers.iter().map(|register| 0.5f64.powi(i32::from(*register))).sum();
        let raw = 0.7213 / (1.0 + 1.079 / size) * size * size / sum;
        // While many registers are empty, counting the empty registers gives a better estimate.
        if raw <= 2.5 * size && empty > 0.0 { size * (size / empty).ln() } else { raw }
    }

    /// Returns an upper bound on the entries of tables that may be indexed by ID, including gaps between IDs.
    pub(super) fn most_numbers(&self) -> u64 {
        let by_id = self.bounds.and_then(|(low, high)| renumber::range_of(low, high, self.edges));
        self.most_vertices().max(by_id.as_ref().map_or(0, Originals::len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_are_never_more_and_seldom_much_fewer_than_it_says() {
        for vertices in [0, 1, 2, 100, 5_000, 20_000, 38_000, 45_000, 60_000, 90_000, 400_000, 3_000_000] {
            for step in [1, 1_000_003] {
                let mut census = Census::new();
                for id in 0..vertices {
                    census.add_id(id * step);
                    census.add_id(id / 2 * step);
                }
                let most = census.most_vertices();
                assert!(census.least_vertices() <= vertices, "{} of {vertices}, {step}", census.least_vertices());
                assert!((vertices..=vertices + vertices / 8 + 80).contains(&most), "{most} of {vertices}, {step}");
            }
        }
    }
}
