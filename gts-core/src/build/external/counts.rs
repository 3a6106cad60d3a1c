//! Counts the edges of each vertex while they pass by.

use crate::build::record::Record;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Edges that one task counts.
const PIECE: usize = 1 << 16;

/// How many edges leave and enter each vertex.
pub(super) struct Counts {
    out: Vec<AtomicU32>,
    /// Empty where edges are stored both ways, and the counts the same.
    into: Vec<AtomicU32>,
    /// How often a count has wrapped, by whether it is one of `into`, and the vertex.
    wrapped: Mutex<BTreeMap<(bool, u32), u64>>,
}

/// The counts of all edges.
pub(super) struct Degrees {
    pub(super) out: Vec<u32>,
    /// Empty where edges are stored both ways.
    pub(super) into: Vec<u32>,
}

impl Counts {
    pub(super) fn new(vertices: u32, both_ways: bool) -> Self {
        let zeros = |count: u32| (0..count).map(|_| AtomicU32::new(0)).collect();
        Self { out: zeros(vertices), into: zeros(if both_ways { 0 } else { vertices }), wrapped: Mutex::default() }
    }

    /// Bytes of the counts of so many vertices.
    pub(super) fn bytes(vertices: u64, both_ways: bool) -> u64 {
        vertices * if both_ways { 4 } else { 8 }
    }

    /// Counts edges, fastest where those of a source stand together.
    pub(super) fn add<R: Record>(&self, edges: &[R]) {
        edges.par_chunks(PIECE).for_each(|edges| self.add_piece(edges));
    }

    fn add_piece<R: Record>(&self, edges: &[R]) {
        for run in edges.chunk_by(|a, b| a.src() == b.src()) {
            if let Some(first) = run.first() {
                self.count(false, first.src(), run.len() as u32);
            }
        }
        if !self.into.is_empty() {
            edges.iter().for_each(|edge| self.count(true, edge.dst(), 1));
        }
    }

    #[inline]
    fn count(&self, into: bool, vertex: u32, edges: u32) {
        let counts = if into { &self.into } else { &self.out };
        let before = counts[vertex as usize].fetch_add(edges, Ordering::Relaxed);
        if before.checked_add(edges).is_none() {
            *self.wrapped.lock().unwrap_or_else(PoisonError::into_inner).entry((into, vertex)).or_default() += 1;
        }
    }

    /// The counts; a vertex of too many edges and their number otherwise.
    pub(super) fn finish(self) -> Result<Degrees, (u32, u64)> {
        let plain = |counts: Vec<AtomicU32>| counts.into_iter().map(AtomicU32::into_inner).collect::<Vec<u32>>();
        let degrees = Degrees { out: plain(self.out), into: plain(self.into) };
        match self.wrapped.into_inner().unwrap_or_else(PoisonError::into_inner).first_key_value() {
            None => Ok(degrees),
            Some((&(into, vertex), &times)) => {
                let rest = if into { degrees.into[vertex as usize] } else { degrees.out[vertex as usize] };
                Err((vertex, (times << 32) + u64::from(rest)))
            }
        }
    }
}

impl Degrees {
    /// Edges of a vertex, in and out together.
    pub(super) fn total(&self, vertex: u32) -> u64 {
        let out = self.out[vertex as usize];
        u64::from(out) + u64::from(self.into.get(vertex as usize).copied().unwrap_or(out))
    }

    /// The degrees of vertices that are given other numbers.
    pub(super) fn renumbered(self, numbers: &[u32]) -> Self {
        let renumbered = |degrees: Vec<u32>| {
            let mut moved = vec![0; degrees.len()];
            for (&number, degree) in numbers.iter().zip(degrees) {
                moved[number as usize] = degree;
            }
            moved
        };
        Self { out: renumbered(self.out), into: renumbered(self.into) }
    }

    /// Number of vertices without any edge.
    pub(super) fn isolated(&self) -> u64 {
        (0..self.out.len() as u32).into_par_iter().filter(|&vertex| self.total(vertex) == 0).count() as u64
    }
}
