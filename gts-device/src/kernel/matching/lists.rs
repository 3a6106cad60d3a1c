//! The complete lists of all vertices, for searches that read lists in random order. Vertices are ordered by label,
//! then by degree, so the neighbours with a label are a contiguous part of each list.

use super::Matching;
use crate::kernel::by_degree::Laid;
use gts_core::memory::{self, NoMemory};
use gts_core::page::Topology;
use gts_core::parallel::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The name of the lists in allocation errors.
const WHAT: &str = "lists of neighbours by degree";
/// Minimum number of vertices per task.
const LEAST_SHARE: usize = 1 << 14;

/// The lists of a symmetric graph, without loops and parallel edges. The lists contain only the neighbours that a plan
/// requires. [`host_bytes`](gts_core::pattern::host_bytes) returns the size of the lists in bytes.
#[derive(Debug)]
pub struct WholeLists {
    laid: Laid,
    /// The number of neighbours at smaller positions, per position.
    before: Vec<u32>,
    /// The first position of each label, followed by the number of positions. Label 0 represents all labels that are
    /// not in the pattern. Empty if the pattern has no labels.
    labels: Vec<u32>,
    /// Cleared mark arrays that threads have returned for reuse.
    idle: Mutex<Vec<Vec<u8>>>,
}

impl WholeLists {
    /// Builds the lists that `matching` requires, on the current thread pool. The pages of the topology must be in
    /// memory, and `degrees` must have one entry per vertex. Returns `None` if there are 2^32 vertices or more, or if
    /// `stopped` returns true.
    ///
    /// # Errors
    ///
    /// Memory is too small.
    pub fn new(
        topology: &Topology,
        degrees: &[u32],
        matching: &Matching<'_>,
        stopped: impl Fn() -> bool + Sync,
    ) -> Result<Option<Self>, NoMemory> {
        let smaller = matching.plan.asks_for_smaller_alone();
        let keeps = |place, other| other < place || (other > place && !smaller);
        let labels = matching.labels;
        let Some(laid) = Laid::new(topology, degrees, labels, keeps, stopped)? else {
            return Ok(None);
        };
        let places = (0..degrees.len() as u32).into_par_iter().with_min_len(LEAST_SHARE);
        let before = |place: u32| laid.list(place).partition_point(|&other| other < place) as u32;
        let before = memory::collected_in_parallel(WHAT, places.map(before))?;
        let first = |label: u8| laid.vertices.partition_point(|&v| labels[v as usize] < label) as u32;
        let most = matching.plan.levels().iter().map(|level| level.label).max().filter(|_| !labels.is_empty());
        let labels = most.map_or_else(Vec::new, |most| (0..=most + 1).map(first).collect());
        Ok(Some(Self { laid, before, labels, idle: Mutex::default() }))
    }

    /// Returns the number of vertices.
    pub fn num_vertices(&self) -> u32 {
        self.before.len() as u32
    }

    /// Returns the start of each position's list in [`WholeLists::neighbors`], followed by the end of the last list.
    pub fn starts(&self) -> &[u64] {
        &self.laid.starts
    }

    /// Returns the positions of all neighbours, ascending within each list.
    pub fn neighbors(&self) -> &[u32] {
        &self.laid.neighbours
    }

    /// Returns the number of neighbours at smaller positions, per position.
    pub fn before(&self) -> &[u32] {
        &self.before
    }

    /// Returns the positions of the vertices with a label, numbered as in the plan. For label 0, returns all positions.
    pub fn labelled(&self, label: u8) -> Range<u32> {
        match self.labels.get(usize::from(label)..) {
            Some(&[first, behind, ..]) if label > 0 => first..behind,
            _ => 0..self.num_vertices(),
        }
    }

    /// Returns the vertex at each position.
    pub fn vertices(&self) -> &[u32] {
        &self.laid.vertices
    }

    /// Returns ranges that cover all positions, with about the same number of edges each.
    pub fn units(&self) -> &[Range<u32>] {
        &self.laid.units
    }

    /// Returns the neighbours of the vertex at `place`, as positions.
    #[inline(always)]
    pub fn list(&self, place: u32) -> &[u32] {
        self.laid.list(place)
    }

    /// Returns a cleared mark array for the calling thread, with one byte per position.
    ///
    /// # Errors
    ///
    /// Memory is too small.
    pub fn marks(&self) -> Result<Vec<u8>, NoMemory> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| memory::zeroed("marks of neighbours", self.before.len()), Ok)
    }

    /// Stores a mark array for reuse. All marks must be clear.
    pub fn give_back(&self, marks: Vec<u8>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(marks);
    }
}
