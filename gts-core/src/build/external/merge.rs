//! Merges sorted runs in rounds.
//!
//! Each run has a buffer. A round processes all edges up to the smallest of the buffers' last edges. They are divided
//! into pieces of consecutive keys, and the pieces are sorted in parallel: a radix sort of a piece that fits in a
//! core's cache is faster than a merge of many short lists.

use super::spill::{BLOCK, Spill, SpillFile, SpillReader};
use crate::build::BuildError;
use crate::build::record::Record;
use crate::build::sort::{bit_length, sort_bucket};
use crate::memory;
use crate::parallel::*;
use crate::store::StoreError;

/// The distance between sampled edges in a buffer. Samples are the bounds of pieces.
const SAMPLE: usize = 2048;
/// The number of samples per piece.
const SAMPLES_A_PIECE: usize = 16;
/// Maximum number of runs that are merged together. Each run is an open file.
const MOST_RUNS: usize = 256;

/// A merge of several runs that returns their edges in order.
pub(super) struct Merge<R> {
    heads: Vec<Head<R>>,
    target_bits: u32,
    drop_duplicates: bool,
    last: Option<u64>,
    /// The number of edges dropped because another edge connects the same vertices.
    pub(super) duplicates: u64,
}

/// A run with its buffer.
struct Head<R> {
    reader: SpillReader,
    /// Maximum number of edges in the buffer.
    capacity: usize,
    buffer: Vec<R>,
    /// The index of the first edge that has not been merged.
    at: usize,
}

impl<R: Record> Head<R> {
    /// Moves the remaining edges to the front of the buffer, and fills the rest.
    fn refill(&mut self) -> Result<(), StoreError> {
        self.buffer.drain(..self.at);
        self.at = 0;
        let unread = (self.reader.left() / size_of::<R>() as u64) as usize;
        let present = self.buffer.len();
        self.buffer.reserve_exact(self.capacity - present);
        self.buffer.resize(present + unread.min(self.capacity - present), R::zeroed());
        self.reader.read(bytemuck::cast_slice_mut(&mut self.buffer[present..]))
    }
}

impl<R: Record> Merge<R> {
    /// Begins to merge runs, with about `memory` bytes for buffers.
    pub(super) fn new(
        spill: &Spill<'_>,
        files: &[SpillFile],
        vertices: u32,
        drop_duplicates: bool,
        memory: usize,
    ) -> Result<Self, StoreError> {
        let capacity = buffer_edges::<R>(files.len(), memory);
        let mut heads = Vec::with_capacity(files.len());
        for file in files {
            heads.push(Head { reader: spill.open(file)?, capacity, buffer: Vec::new(), at: 0 });
        }
        let target_bits = bit_length(vertices.saturating_sub(1));
        Ok(Self { heads, target_bits, drop_duplicates, last: None, duplicates: 0 })
    }

    /// Returns an upper bound on the number of edges that a round returns.
    pub(super) fn most(&self) -> usize {
        let unread = |head: &Head<R>| (head.reader.left() / size_of::<R>() as u64) as usize;
        self.heads.iter().map(|head| head.capacity.min(head.buffer.len() - head.at + unread(head))).sum()
    }

    /// Appends the next edges to `out`. Returns `false` after the last edge.
    pub(super) fn round(&mut self, out: &mut Vec<R>) -> Result<bool, BuildError> {
        self.heads.par_iter_mut().with_max_len(1).try_for_each(Head::refill)?;
        self.heads.retain(|head| !head.buffer.is_empty());
        if self.heads.is_empty() {
            return Ok(false);
        }
        let unfinished = self.heads.iter().filter(|head| head.reader.left() > 0);
        let bound = unfinished.filter_map(|head| head.buffer.last()).map(order).min();
        let mut parts = Vec::with_capacity(self.heads.len());
        for head in &mut self.heads {
            let end = bound.map_or(head.buffer.len(), |bound| head.buffer.partition_point(|edge| order(edge) <= bound));
            head.at = end;
            parts.push(&head.buffer[..end]);
        }
        let start = out.len();
        let len: usize = parts.iter().map(|part| part.len()).sum();
        out.reserve_exact(len);
        out.resize(start + len, R::zeroed());
        merge_parts(&parts, &mut out[start..], self.target_bits);
        if self.drop_duplicates {
            self.drop_duplicates_from(out, start);
        }
        Ok(true)
    }

    /// Keeps only the first, and therefore smallest, of several edges between the same vertices.
    fn drop_duplicates_from(&mut self, edges: &mut Vec<R>, start: usize) {
        let mut kept = start;
        for place in start..edges.len() {
            let edge = edges[place];
            if self.last.replace(edge.key()) != Some(edge.key()) {
                edges[kept] = edge;
                kept += 1;
            }
        }
        self.duplicates += (edges.len() - kept) as u64;
        edges.truncate(kept);
    }
}

/// Returns the number of edges per buffer if there are `runs` runs.
fn buffer_edges<R>(runs: usize, memory: usize) -> usize {
    // Each reader also needs memory for a block.
    (memory / runs.max(1)).saturating_sub(BLOCK).max(BLOCK.min(memory / runs.max(1))) / size_of::<R>() + 1
}

/// Merges runs until there are few enough for a single merge.
pub(super) fn reduce<R: Record>(
    spill: &Spill<'_>,
    mut files: Vec<SpillFile>,
    vertices: u32,
    memory: usize,
) -> Result<Vec<SpillFile>, BuildError> {
    let most = (memory / (2 * BLOCK)).clamp(2, MOST_RUNS);
    while files.len() > most {
        let some: Vec<_> = files.drain(..most).collect();
        let mut merge = Merge::<R>::new(spill, &some, vertices, false, memory)?;
        let mut edges = memory::reserved("edges", merge.most())?;
        let mut file = spill.begin()?;
        while merge.round(&mut edges)? {
            file.write(bytemuck::cast_slice(&edges))?;
            edges.clear();
        }
        files.push(file.end()?);
        some.iter().try_for_each(|file| spill.remove(file))?;
    }
    Ok(files)
}

/// Returns the key by which edges are ordered.
#[inline]
fn order<R: Record>(edge: &R) -> (u64, u64) {
    (edge.key(), edge.value())
}

/// Merges the edges of sorted parts into `out`.
fn merge_parts<R: Record>(parts: &[&[R]], out: &mut [R], target_bits: u32) {
    let mut samples: Vec<_> =
        parts.iter().flat_map(|part| part.iter().skip(SAMPLE).step_by(SAMPLE)).map(order).collect();
    samples.sort_unstable();
    let bounds: Vec<_> = samples.into_iter().skip(SAMPLES_A_PIECE).step_by(SAMPLES_A_PIECE).collect();
    // Copies of a frequent edge form a separate piece, which need not be sorted.
    let repeats = |place: usize| place > 0 && bounds[place - 1] == bounds[place];
    let bounds = (0..bounds.len()).map(|place| Some((bounds[place], repeats(place)))).chain([None]);
    let mut rest: Vec<&[R]> = parts.to_vec();
    let mut room = out;
    let mut pieces = Vec::new();
    for bound in bounds {
        let mut piece = Vec::new();
        for part in &mut rest {
            let end = bound.map_or(part.len(), |(bound, with_bound)| {
                part.partition_point(|edge| order(edge) < bound || with_bound && order(edge) == bound)
            });
            let (now, later) = part.split_at(end);
            *part = later;
            if !now.is_empty() {
                piece.push(now);
            }
        }
        let len = piece.iter().map(|part| part.len()).sum();
        let (place, others) = std::mem::take(&mut room).split_at_mut(len);
        room = others;
        pieces.push((piece, place));
    }
    pieces.into_par_iter().with_max_len(1).for_each_init(Vec::new, |scratch, (piece, place)| {
        let mut at = 0;
        for part in &piece {
            place[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        if piece.len() > 1 {
            let first = piece.iter().filter_map(|part| part.first()).map(Record::src).min().unwrap_or(0);
            let last = piece.iter().filter_map(|part| part.last()).map(Record::src).max().unwrap_or(0);
            sort_bucket(place, scratch, first, bit_length(last - first), target_bits);
        }
    });
}
