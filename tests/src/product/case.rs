//! A graph with the correct answers of all algorithms.

use super::algorithm::Answer;
use crate::compare;
use crate::data::{Data, DataError, Entry, PlainGraph};
use crate::oracle;
use std::sync::OnceLock;

/// Number of PageRank iterations.
pub(super) const ITERATIONS: u32 = 20;

/// A graph with its source, and the correct answers of all algorithms.
#[derive(Debug)]
pub struct Case {
    name: String,
    plain: PlainGraph,
    /// The graph with its own weights if they define shortest paths, otherwise with made-up weights.
    weighted: PlainGraph,
    /// The graph with integer weights, for distances in u32.
    whole: PlainGraph,
    source: u64,
    ranks: Vec<f64>,
    levels: Vec<u32>,
    distances: Vec<f64>,
    whole_distances: Vec<u32>,
    components: Vec<u64>,
    /// Bits of the first f32 distances computed. All later f32 distances must be equal.
    first: OnceLock<Vec<u32>>,
}

impl Case {
    /// Opens a graph of the reference data.
    ///
    /// # Errors
    ///
    /// The graph cannot be read.
    pub fn open(data: &Data, entry: &Entry) -> Result<Self, DataError> {
        let graph = data.graph(entry)?;
        Self::new(&entry.name, graph, data.reference(entry)?.source()?)
    }

    /// Opens the graphs of the reference data that have at most `largest` arcs.
    ///
    /// # Errors
    ///
    /// A graph cannot be read.
    pub fn all(data: &Data, largest: usize) -> Result<Vec<Self>, DataError> {
        let mut cases = Vec::new();
        for entry in data.entries()? {
            // Skip larger graphs before computing their answers.
            let (_, arcs) = data.reference(&entry)?.size();
            if arcs.is_none_or(|arcs| arcs <= largest as u64) {
                cases.push(Self::open(data, &entry)?);
            }
        }
        Ok(cases)
    }

    /// Creates a case and computes its answers with serial oracles.
    ///
    /// # Errors
    ///
    /// The source is not in the graph.
    pub fn new(name: &str, plain: PlainGraph, source: u64) -> Result<Self, DataError> {
        let rank = plain.rank(source).ok_or("the source is not in the graph")?;
        let made_up = plain.with_made_up_weights();
        let is_whole = |graph: &PlainGraph| graph.arcs.iter().all(|arc| arc.weight.fract() == 0.0);
        let weighted = if plain.has_path_weights() { plain.clone() } else { made_up.clone() };
        let whole = if is_whole(&weighted) { weighted.clone() } else { made_up };
        let integer = |distance: f64| if distance.is_finite() { distance as u32 } else { u32::MAX };
        Ok(Self {
            name: name.to_owned(),
            source,
            ranks: oracle::ranks(&plain, ITERATIONS),
            levels: oracle::levels(&plain, rank).into_iter().map(|level| level.unwrap_or(u32::MAX)).collect(),
            distances: oracle::distances(&weighted, rank),
            whole_distances: oracle::distances(&whole, rank).into_iter().map(integer).collect(),
            components: oracle::components(&plain),
            first: OnceLock::new(),
            plain,
            weighted,
            whole,
        })
    }

    /// Returns the graph's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of arcs.
    pub fn arcs(&self) -> usize {
        self.plain.arcs.len()
    }

    pub(super) fn plain(&self) -> &PlainGraph {
        &self.plain
    }

    pub(super) fn weighted(&self) -> &PlainGraph {
        &self.weighted
    }

    pub(super) fn whole(&self) -> &PlainGraph {
        &self.whole
    }

    pub(super) fn source(&self) -> u64 {
        self.source
    }

    /// Compares an answer with the correct one.
    pub(super) fn check(&self, answer: &Answer) -> Result<(), String> {
        match answer {
            Answer::RanksF32(ranks) => {
                let ranks: Vec<f64> = ranks.iter().map(|&rank| rank.into()).collect();
                compare::close(&ranks, &self.ranks, compare::RANK_F32)?;
            }
            Answer::RanksF64(ranks) => compare::close(ranks, &self.ranks, compare::RANK_F64)?,
            Answer::Levels(levels) => compare::equal(levels, &self.levels)?,
            Answer::DistancesF32(distances) => {
                let bits: Vec<u32> = distances.iter().map(|distance| distance.to_bits()).collect();
                let first = self.first.get_or_init(|| bits.clone());
                compare::equal(&bits, first).map_err(|error| format!("bits differ from another cell's: {error}"))?;
                let distances: Vec<f64> = distances.iter().map(|&distance| distance.into()).collect();
                compare::close(&distances, &self.distances, compare::DISTANCE)?;
            }
            Answer::DistancesU32(distances) => compare::equal(distances, &self.whole_distances)?,
            Answer::Components(components) => {
                compare::same_partition(components, &self.components)?;
                compare::equal(components, &self.components)?;
            }
        }
        Ok(())
    }
}
