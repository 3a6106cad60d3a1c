//! Sorts edges by source, target and value. One parallel pass distributes edges to buckets of consecutive sources, each
//! small enough for a cache. Then a radix sort over the bits that vary sorts each bucket.

use super::BuildError;
use super::record::Record;
use crate::memory;
use crate::parallel::*;

/// The target size of a bucket in bytes. A bucket and its scratch copy together fit in a core's own cache.
const BUCKET_BYTES: usize = 512 << 10;
/// The maximum number of buckets. Each bucket is written through a separate cache line.
const MAX_BUCKETS: usize = 1024;
/// The number of bits of a cell number. The histogram of cells determines the bounds of the buckets, and each cell
/// belongs to one bucket. With many cells, hubs, which are adjacent in degree order, are spread over several buckets,
/// so that scratch copies stay small.
const CELL_BITS: u32 = 16;
/// Maximum number of bits per digit of the radix sort. The counters of a pass must fit in the first-level cache.
const DIGIT_BITS: u32 = 11;
/// The number of edges up to which a comparison sort is faster.
const SMALL: usize = 256;
/// The number of edges from which all threads sort a bucket together.
const LARGE: usize = 8 << 20;

/// Sorted edges, in buckets of consecutive sources.
pub(super) struct Sorted<R> {
    /// The edges of each bucket, in ascending order.
    pub(super) buckets: Vec<Vec<R>>,
    /// The first source of each bucket, followed by the number of vertices.
    pub(super) bounds: Vec<u32>,
}

/// Edges distributed to the buckets of their sources, in input order within each bucket.
pub(super) struct Distributed<R>(Sorted<R>);

/// Sorts the edges of a graph with `vertices` vertices.
pub(super) fn sort<R: Record>(chunks: Vec<Vec<R>>, vertices: u32) -> Result<Sorted<R>, BuildError> {
    Ok(distribute(chunks, vertices)?.sort())
}

/// Moves the edges of a graph with `vertices` vertices to buckets, and frees the chunks.
pub(super) fn distribute<R: Record>(chunks: Vec<Vec<R>>, vertices: u32) -> Result<Distributed<R>, BuildError> {
    let shift = bit_length(vertices.saturating_sub(1)).saturating_sub(CELL_BITS);
    let cells = histogram(&chunks, shift, (vertices as usize >> shift) + 1);
    let (bucket_of_cell, mut bounds) = group(&cells, shift, size_of::<R>());
    if let Some(last) = bounds.last_mut() {
        *last = vertices;
    }
    let buckets = scatter(chunks, shift, &bucket_of_cell, bounds.len() - 1)?;
    Ok(Distributed(Sorted { buckets, bounds }))
}

impl<R: Record> Distributed<R> {
    /// Sorts each bucket. A bucket sorted by a single thread needs scratch memory of the same size.
    pub(super) fn sort(self) -> Sorted<R> {
        let Self(Sorted { mut buckets, bounds }) = self;
        let target_bits = bit_length(bounds.last().map_or(0, |vertices| vertices.saturating_sub(1)));
        let (large, small): (Vec<_>, Vec<_>) =
            buckets.iter_mut().zip(bounds.windows(2)).partition(|(bucket, _)| bucket.len() >= LARGE);
        for (bucket, _) in large {
            bucket.par_sort_unstable_by_key(|edge| (edge.key(), edge.value()));
        }
        small.into_par_iter().with_max_len(1).for_each_init(Vec::new, |scratch, (bucket, bounds)| {
            let source_bits = bit_length((bounds[1] - bounds[0]).saturating_sub(1));
            sort_bucket(bucket, scratch, bounds[0], source_bits, target_bits);
        });
        Sorted { buckets, bounds }
    }
}

impl<R: Record> Sorted<R> {
    /// Keeps only the first, and therefore smallest, of several edges between the same vertices. Returns the number of
    /// edges dropped.
    pub(super) fn drop_duplicates(&mut self) -> u64 {
        let drop = |bucket: &mut Vec<R>| {
            let before = bucket.len();
            bucket.dedup_by_key(|edge| edge.key());
            (before - bucket.len()) as u64
        };
        self.buckets.par_iter_mut().map(drop).sum()
    }

    /// Returns the edges of a source vertex.
    pub(super) fn of(&self, source: u32) -> &[R] {
        let bucket = self.bounds.partition_point(|&first| first <= source).saturating_sub(1);
        let edges = self.buckets.get(bucket).map_or(&[][..], Vec::as_slice);
        let begin = edges.partition_point(|edge| edge.src() < source);
        let length = edges[begin..].partition_point(|edge| edge.src() == source);
        &edges[begin..begin + length]
    }

    /// Returns the number of edges from a vertex to itself.
    pub(super) fn self_loops(&self) -> u64 {
        self.buckets.par_iter().map(|bucket| self_loops(bucket)).sum()
    }

    /// Returns the number of edges.
    pub(super) fn len(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.len() as u64).sum()
    }
}

/// Returns the number of edges from a vertex to itself.
pub(super) fn self_loops<R: Record>(edges: &[R]) -> u64 {
    edges.iter().map(|edge| u64::from(edge.src() == edge.dst())).sum()
}

/// Counts the edges in each cell of 2^shift sources.
fn histogram<R: Record>(chunks: &[Vec<R>], shift: u32, cells: usize) -> Vec<u64> {
    let count = |chunk: &Vec<R>| {
        let mut counts = vec![0u32; cells];
        for edge in chunk {
            counts[(edge.src() >> shift) as usize] += 1;
        }
        counts
    };
    let add = |mut sums: Vec<u64>, counts: Vec<u32>| {
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += u64::from(count));
        sums
    };
    let sum = |mut a: Vec<u64>, b: Vec<u64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    let zeros = || vec![0u64; cells];
    chunks.par_iter().map(count).fold(zeros, add, sum)
}

/// Groups cells into buckets of similar size. Returns the bucket of each cell, and the first source of each bucket.
fn group(cells: &[u64], shift: u32, record_bytes: usize) -> (Vec<u16>, Vec<u32>) {
    let edges: u64 = cells.iter().sum();
    let target = (edges / MAX_BUCKETS as u64).max((BUCKET_BYTES / record_bytes) as u64);
    let mut bucket_of_cell = Vec::with_capacity(cells.len());
    let mut bounds = vec![0];
    let mut filled = 0;
    for (cell, &edges) in cells.iter().enumerate() {
        if filled > 0 && filled + edges > target && bounds.len() < MAX_BUCKETS {
            bounds.push((cell as u32) << shift);
            filled = 0;
        }
        filled += edges;
        bucket_of_cell.push(bounds.len() as u16 - 1);
    }
    // The caller replaces this bound with the number of vertices.
    bounds.push(u32::MAX);
    (bucket_of_cell, bounds)
}

/// Moves the edges of each chunk to their buckets in order, and frees the chunk.
fn scatter<R: Record>(
    chunks: Vec<Vec<R>>,
    shift: u32,
    bucket_of_cell: &[u16],
    buckets: usize,
) -> Result<Vec<Vec<R>>, BuildError> {
    let bucket_of = |edge: &R| usize::from(bucket_of_cell[(edge.src() >> shift) as usize]);
    let count = |chunk: &Vec<R>| {
        let mut counts = vec![0u32; buckets];
        for edge in chunk {
            counts[bucket_of(edge)] += 1;
        }
        counts
    };
    let counts: Vec<Vec<u32>> = chunks.par_iter().map(count).collect();
    let mut targets = Vec::with_capacity(buckets);
    for bucket in 0..buckets {
        let len = counts.iter().map(|counts| counts[bucket] as usize).sum::<usize>();
        targets.push(memory::zeroed::<R>("edges", len)?);
    }
    // Each chunk has a separate range in each bucket, so chunks can be moved in parallel, and their order is preserved.
    let mut places: Vec<Vec<&mut [R]>> = counts.iter().map(|_| Vec::with_capacity(buckets)).collect();
    for (bucket, target) in targets.iter_mut().enumerate() {
        let mut rest = target.as_mut_slice();
        for (counts, places) in counts.iter().zip(&mut places) {
            let (place, others) = rest.split_at_mut(counts[bucket] as usize);
            places.push(place);
            rest = others;
        }
    }
    chunks.into_par_iter().zip(places).with_max_len(1).for_each(|(chunk, mut places)| {
        let mut filled = vec![0u32; buckets];
        for edge in chunk {
            let bucket = bucket_of(&edge);
            places[bucket][filled[bucket] as usize] = edge;
            filled[bucket] += 1;
        }
    });
    Ok(targets)
}

/// Sorts the edges of one bucket. Its sources are `first` plus a number with `source_bits` bits. Copies of a single
/// edge are sorted without scratch memory.
pub(super) fn sort_bucket<R: Record>(
    bucket: &mut [R],
    scratch: &mut Vec<R>,
    first: u32,
    source_bits: u32,
    target_bits: u32,
) {
    if bucket.len() <= SMALL {
        bucket.sort_unstable_by_key(|edge| (edge.key(), edge.value()));
        return;
    }
    if bucket.iter().all(|edge| edge.key() == bucket[0].key()) {
        if R::VALUE_BYTES > 0 {
            order_values(bucket);
        }
        return;
    }
    if scratch.len() < bucket.len() {
        scratch.resize(bucket.len(), R::zeroed());
    }
    let base = u64::from(first) << 32;
    let mut from = &mut *bucket;
    let mut to = &mut scratch[..from.len()];
    let mut swapped = false;
    for (start, bits) in digits(0, target_bits).chain(digits(32, source_bits)) {
        if pass(from, to, base, start, bits) {
            (from, to) = (to, from);
            swapped = !swapped;
        }
    }
    if swapped {
        to.copy_from_slice(from);
    }
    if R::VALUE_BYTES > 0 {
        order_values(bucket);
    }
}

/// Splits `bits` bits, starting at bit `start`, into digits of similar width.
fn digits(start: u32, bits: u32) -> impl Iterator<Item = (u32, u32)> {
    let passes = bits.div_ceil(DIGIT_BITS).max(1);
    let width = bits.div_ceil(passes);
    (0..passes).map(move |pass| (start + pass * width, width.min(bits - (pass * width).min(bits))))
}

/// Performs one stable pass over one digit. Returns `false` and moves nothing if all digits are equal.
fn pass<R: Record>(from: &[R], to: &mut [R], base: u64, start: u32, bits: u32) -> bool {
    let mask = (1u64 << bits) - 1;
    let digit = |edge: &R| (((edge.key() - base) >> start) & mask) as usize;
    let mut counts = [0u32; 1 << DIGIT_BITS];
    for edge in from {
        counts[digit(edge)] += 1;
    }
    let Some(first) = from.first() else { return false };
    if counts[digit(first)] as usize == from.len() {
        return false;
    }
    let mut before = 0;
    for count in &mut counts[..=mask as usize] {
        before += std::mem::replace(count, before);
    }
    for edge in from {
        let place = &mut counts[digit(edge)];
        to[*place as usize] = *edge;
        *place += 1;
    }
    true
}

/// Sorts edges with equal keys by value.
fn order_values<R: Record>(bucket: &mut [R]) {
    for run in bucket.chunk_by_mut(|a, b| a.key() == b.key()) {
        if run.len() > 1 {
            run.sort_unstable_by_key(Record::value);
        }
    }
}

/// Returns the number of bits needed to represent a number.
pub(super) fn bit_length(number: u32) -> u32 {
    u32::BITS - number.leading_zeros()
}
