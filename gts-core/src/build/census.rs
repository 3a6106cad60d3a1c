//! Estimates the number of vertices in constant memory, for an error that names a sufficient budget.

use super::collect::RawChunk;
use super::renumber;
use crate::graph::Originals;
use xxhash_rust::xxh3::xxh3_64;

/// Registers of the estimate. Its standard error is 1.04 divided by the square root of their number, 0.8 %.
const REGISTERS: usize = 1 << 14;
/// Factor that adds six standard errors to the estimate.
const MARGIN: f64 = 1.05;
/// Vertices added to the margin: the error of small estimates is a number of vertices, not a share.
const FEW: f64 = 64.0;

/// A sketch of the IDs of edges' ends (P. Flajolet and others, HyperLogLog, AofA 2007).
pub(super) struct Census {
    registers: Vec<u8>,
    bounds: Option<(u64, u64)>,
    edges: u64,
}

impl Census {
    /// Creates a census of no edges.
    pub(super) fn new() -> Self {
        Self { registers: vec![0; REGISTERS], bounds: None, edges: 0 }
    }

    /// Adds the ends of edges.
    pub(super) fn add(&mut self, chunk: &RawChunk) {
        self.edges += chunk.len() as u64;
        for edge in 0..chunk.len() {
            let (src, dst) = chunk.get(edge);
            self.add_id(src);
            self.add_id(dst);
        }
    }

    /// Adds an ID that some edge names.
    pub(super) fn add_id(&mut self, id: u64) {
        let (low, high) = self.bounds.unwrap_or((id, id));
        self.bounds = Some((low.min(id), high.max(id)));
        let hash = xxh3_64(&id.to_le_bytes());
        let register = &mut self.registers[hash as usize % REGISTERS];
        *register = (*register).max((hash >> REGISTERS.ilog2()).leading_zeros() as u8 - REGISTERS.ilog2() as u8 + 1);
    }

    /// Counts edges whose ends have been added.
    pub(super) fn add_edges(&mut self, edges: u64) {
        self.edges += edges;
    }

    /// Number of edges added.
    pub(super) fn edges(&self) -> u64 {
        self.edges
    }

    /// The smallest and the largest ID.
    pub(super) fn bounds(&self) -> Option<(u64, u64)> {
        self.bounds
    }

    /// Returns an upper bound on the number of vertices.
    pub(super) fn most_vertices(&self) -> u64 {
        let Some((low, high)) = self.bounds else { return 0 };
        ((self.estimate() * MARGIN + FEW) as u64).min((high - low).saturating_add(1))
    }

    /// Returns a lower bound on the number of vertices.
    pub(super) fn least_vertices(&self) -> u64 {
        ((self.estimate() - FEW) / MARGIN).max(0.0) as u64
    }

    fn estimate(&self) -> f64 {
        let size = REGISTERS as f64;
        let empty = self.registers.iter().filter(|register| **register == 0).count() as f64;
        let sum: f64 = self.registers.iter().map(|register| 0.5f64.powi(i32::from(*register))).sum();
        let raw = 0.7213 / (1.0 + 1.079 / size) * size * size / sum;
        // While many registers are empty, their number gives the better estimate.
        if raw <= 2.5 * size && empty > 0.0 { size * (size / empty).ln() } else { raw }
    }

    /// Returns an upper bound on the entries of tables that may be indexed by ID, gaps included.
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
