//! All neighbours of each vertex, in the order by degree, for searches with random access to any list. Vertices with
//! the same label are consecutive in that order, so the neighbours with a label are a contiguous part of a list.

use super::Matching;
use crate::kernel::by_degree::Laid;
use gts_core::memory::{self, NoMemory};
use gts_core::page::Topology;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Purpose of the arrays' memory, for errors.
const WHAT: &str = "lists of neighbours by degree";
/// Minimum number of vertices per task.
const LEAST_SHARE: usize = 1 << 14;

/// The lists of a symmetric graph by the places of vertices in the order by label and degree, without loops and
/// parallel edges. Takes [`host_bytes`](gts_core::pattern::host_bytes) for the neighbours that a plan requires.
#[derive(Debug)]
pub struct WholeLists {
    laid: Laid,
    /// The number of neighbours with smaller places, per place.
    before: Vec<u32>,
    /// The first place of each label, followed by the number of places. Label 0 stands for all labels outside the
    /// pattern. Empty if the pattern has no labels.
    labels: Vec<u32>,
    /// Cleared marks of places not used by any thread.
    idle: Mutex<Vec<Vec<u8>>>,
}

impl WholeLists {
    /// Builds the lists of a topology whose pages are in memory, by the degrees of its vertices, as far as a search
    /// requires them. The current thread pool does the work. `None` if there are 2^32 vertices or more, or once
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

    /// Returns the start of each place's list in [`WholeLists::neighbours`], and the end of the last one.
    pub fn starts(&self) -> &[u64] {
        &self.laid.starts
    }

    /// Returns the places of all neighbours, ascending in each list.
    pub fn neighbours(&self) -> &[u32] {
        &self.laid.neighbours
    }

    /// Returns the number of neighbours with smaller places, per place.
    pub fn before(&self) -> &[u32] {
        &self.before
    }

    /// Returns the places of the vertices with a label, numbered as in the plan; all places for 0.
    pub fn labelled(&self, label: u8) -> Range<u32> {
        match self.labels.get(usize::from(label)..) {
            Some(&[first, behind, ..]) if label > 0 => first..behind,
            _ => 0..self.num_vertices(),
        }
    }

    /// Returns the vertex of each place.
    pub fn vertices(&self) -> &[u32] {
        &self.laid.vertices
    }

    /// Returns the places, divided into ranges of about the same number of edges.
    pub fn units(&self) -> &[Range<u32>] {
        &self.laid.units
    }

    /// Returns the list of a place.
    #[inline(always)]
    pub fn list(&self, place: u32) -> &[u32] {
        self.laid.list(place)
    }

    /// Returns cleared marks for the calling thread, one byte per place.
    ///
    /// # Errors
    ///
    /// Memory is too small.
    pub fn marks(&self) -> Result<Vec<u8>, NoMemory> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| memory::zeroed("marks of neighbours", self.before.len()), Ok)
    }

    /// Returns cleared marks for reuse.
    pub fn give_back(&self, marks: Vec<u8>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(marks);
    }
}
