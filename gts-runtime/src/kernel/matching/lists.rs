//! All neighbours of each vertex, in the order by degree, for searches that look into any list at any time. Vertices with one
//! label follow each other in that order. So those of a list that have a label are a part of it.

use super::Matching;
use crate::kernel::by_degree::Laid;
use gts_core::memory::{self, NoMemory};
use gts_core::page::Topology;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// What the arrays' memory is for.
const WHAT: &str = "lists of neighbours by degree";
/// The least vertices that are worth a thread of their own.
const LEAST_SHARE: usize = 1 << 14;

/// The lists of a symmetric graph by the places of vertices in the order by label and degree: no loops, parallel edges once. Takes
/// [`host_bytes`](gts_core::pattern::host_bytes) for the neighbours that a plan asks for.
#[derive(Debug)]
pub struct WholeLists {
    laid: Laid,
    /// The number of neighbours with smaller places, for each place.
    before: Vec<u32>,
    /// The first place of each label, from 0, which stands for all labels that the pattern has not; then the number of places.
    /// Empty where the pattern has no labels.
    labels: Vec<u32>,
    /// Marks of places that no thread holds at present, all of them clear.
    idle: Mutex<Vec<Vec<u8>>>,
}

impl WholeLists {
    /// Returns the lists of a topology whose pages are in memory, by the degrees of its vertices, as far as a search asks for
    /// them. The threads of the present pool make them. `None` where there are 2^32 vertices or more, or once `stopped` says so.
    ///
    /// # Errors
    ///
    /// Too little memory.
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

    /// Returns where the list of each place begins among [`WholeLists::neighbours`], and where the last one ends.
    pub fn starts(&self) -> &[u64] {
        &self.laid.starts
    }

    /// Returns the places of all neighbours, in each list ascending.
    pub fn neighbours(&self) -> &[u32] {
        &self.laid.neighbours
    }

    /// Returns the number of neighbours with smaller places, for each place.
    pub fn before(&self) -> &[u32] {
        &self.before
    }

    /// Returns the places of the vertices with a label, as the plan counts them; all places for 0.
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

    /// Returns the places, cut into ranges of about the same number of edges.
    pub fn units(&self) -> &[Range<u32>] {
        &self.laid.units
    }

    /// Returns the list of a place.
    #[inline(always)]
    pub fn list(&self, place: u32) -> &[u32] {
        self.laid.list(place)
    }

    /// Takes a byte a place for the calling thread, all of them 0.
    ///
    /// # Errors
    ///
    /// Too little memory.
    pub(super) fn marks(&self) -> Result<Vec<u8>, NoMemory> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| memory::zeroed("marks of neighbours", self.before.len()), Ok)
    }

    /// Takes marks back, which are clear again.
    pub(super) fn give_back(&self, marks: Vec<u8>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(marks);
    }
}
