//! Determines the vertices of a graph and ranks their original IDs.

use super::chunk::{Ends, RawChunk};
use super::{BuildError, BuildOptions, Declared, DeclaredVertices, OrderChoice};
use crate::graph::{Key, KeyKind, KeySource, Originals, RIGHT_OFFSET, VertexOrder};
use crate::memory;
use crate::parallel::*;
use crate::store::StoreError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum number of vertices in a graph built in memory: dense numbers have 32 bits, and one value is reserved for no
/// vertex.
pub(crate) const MAX_VERTICES: u64 = u32::MAX as u64;
/// Maximum number of bytes per edge or vertex in a bitmap of a compact ID range.
const COMPACT_BYTES: u64 = 8;
/// The size of an ID range up to which tables indexed by ID are always used.
const FEW_NUMBERS: u64 = 1 << 10;
/// The size of an ID range up to which bitmaps are always used.
const SMALL_RANGE: u64 = 1 << 20;

/// Returns the original IDs of the graph in ascending order. `named` returns the IDs that occur in edges.
pub(super) fn find(
    vertices: DeclaredVertices,
    named: impl FnOnce() -> Result<Originals, BuildError>,
) -> Result<Originals, BuildError> {
    let originals = match vertices {
        DeclaredVertices::Range { first, count } if first.checked_add(count.saturating_sub(1)).is_none() => {
            return Err(BuildError::DeclaredRange { first, count });
        }
        DeclaredVertices::Range { first, count } => Originals::Range { first, count },
        DeclaredVertices::List(list) => {
            if let Some(pair) = list.windows(2).find(|pair| pair[0] >= pair[1]) {
                return Err(BuildError::DeclaredOrder { found: pair[1], previous: pair[0] });
            }
            compact(list)
        }
        DeclaredVertices::FromEdges => named()?,
    };
    check_number(originals.len())?;
    Ok(originals)
}

/// Fails if more vertices are declared than a graph can have, or if declared vertices or the order do not fit the keys.
/// This check comes before memory is compared with a budget.
pub(super) fn check_declared(declared: &Declared, options: &BuildOptions) -> Result<(), BuildError> {
    let (keys, have_sides) = (declared.keys, declared.right.is_some());
    if let OrderChoice::Given(VertexOrder::Layers { root }) = options.order
        && (keys != KeyKind::Number || have_sides)
    {
        return Err(BuildError::LayersKeys { root, keys, have_sides });
    }
    match &declared.vertices {
        DeclaredVertices::FromEdges => Ok(()),
        _ if keys.is_bytes() => Err(BuildError::DeclaredKeys { keys }),
        DeclaredVertices::Range { count, .. } => check_number(*count),
        DeclaredVertices::List(list) => check_number(list.len() as u64),
    }
}

fn check_number(found: u64) -> Result<(), BuildError> {
    if found > MAX_VERTICES { Err(BuildError::TooManyVertices { found, max: MAX_VERTICES }) } else { Ok(()) }
}

/// Returns the smallest and the largest ID in all edges; `None` if there are no edges.
fn bounds(chunks: &[RawChunk]) -> Option<(u64, u64)> {
    let of_chunk = |chunk: &RawChunk| match &chunk.ends {
        Ends::Narrow(keys) => {
            let wide = keys.iter().map(|key| (key >> 32, key & u64::from(u32::MAX)));
            wide.fold((u64::MAX, 0), |(low, high), (src, dst)| (low.min(src.min(dst)), high.max(src.max(dst))))
        }
        Ends::Wide(pairs) => {
            pairs.as_flattened().iter().fold((u64::MAX, 0), |(low, high), &id| (low.min(id), high.max(id)))
        }
    };
    let (low, high) = chunks.par_iter().map(of_chunk).reduce(|| (u64::MAX, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
    (low <= high).then_some((low, high))
}

/// Returns the range of all IDs if the range is small enough for tables indexed by ID. Some IDs in the range may have
/// no edges.
pub(super) fn numbered_by_id(chunks: &[RawChunk]) -> Option<Originals> {
    let (low, high) = bounds(chunks)?;
    range_of(low, high, chunks.iter().map(|chunk| chunk.len() as u64).sum())
}

/// Returns the range of IDs from `low` to `high` if the range is small enough for tables indexed by ID, given the
/// number of edges.
pub(super) fn range_of(low: u64, high: u64, edges: u64) -> Option<Originals> {
    let most = edges.clamp(FEW_NUMBERS, MAX_VERTICES);
    // In a range that begins at 0, IDs equal ranks.
    let first = if high < most { 0 } else { low };
    (high - first < most).then(|| Originals::Range { first, count: high - first + 1 })
}

/// Returns the number of left vertices if sources and targets are in two name spaces. `right` is the difference between
/// the number and the key of a target.
pub(super) fn left(right: Option<u64>, originals: &Originals) -> Option<u64> {
    right.map(|right| match originals {
        Originals::Range { count, .. } => right.min(*count),
        Originals::List(list) => list.partition_point(|id| *id < right) as u64,
    })
}

/// Returns the IDs that occur in edges.
pub(super) fn of_edges(chunks: &[RawChunk]) -> Originals {
    distinct(chunks, bounds(chunks), |(src, dst)| [src, dst])
}

/// Returns the IDs that occur in edges whose sources and targets are in two name spaces.
pub(super) fn of_sides(chunks: &[RawChunk]) -> Originals {
    fn side(chunks: &[RawChunk], end: impl Fn((u64, u64)) -> Option<u64> + Copy + Sync) -> Vec<u64> {
        let ends = |chunk: &RawChunk| {
            let ends = (0..chunk.len()).filter_map(|edge| end(chunk.get(edge)));
            ends.fold((u64::MAX, 0), |(low, high), id| (low.min(id), high.max(id)))
        };
        let bounds = chunks.par_iter().map(ends).reduce(|| (u64::MAX, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        let side = distinct(chunks, Some(bounds).filter(|(low, high)| low <= high), end);
        (0..side.len()).filter_map(|rank| side.get(rank)).collect()
    }
    let right = |(_, dst): (u64, u64)| Some(dst).filter(|dst| *dst >= RIGHT_OFFSET);
    compact([side(chunks, |(src, _)| Some(src)), side(chunks, right)].concat())
}

/// Returns the distinct IDs among some ends of edges. `ends` returns these ends of an edge, and `bounds` contains all of
/// them.
fn distinct<I: IntoIterator<Item = u64>>(
    chunks: &[RawChunk],
    bounds: Option<(u64, u64)>,
    ends: impl Fn((u64, u64)) -> I + Sync,
) -> Originals {
    let Some((low, high)) = bounds else { return Originals::Range { first: 0, count: 0 } };
    let edges = chunks.iter().map(|chunk| chunk.len() as u64).sum();
    if is_compact(low, high, edges) { marked(chunks, low, high, ends) } else { sorted(chunks, ends) }
}

/// Returns whether the IDs from `low` to `high` are compact: a bitmap is worth its memory for `items` edges or
/// vertices.
fn is_compact(low: u64, high: u64, items: u64) -> bool {
    high - low < SMALL_RANGE || (high - low) / 8 <= items.saturating_mul(COMPACT_BYTES)
}

/// Returns the IDs in a compact range, by marking each ID in a bitmap.
fn marked<I: IntoIterator<Item = u64>>(
    chunks: &[RawChunk],
    low: u64,
    high: u64,
    ends: impl Fn((u64, u64)) -> I + Sync,
) -> Originals {
    let words = (high - low) as usize / 64 + 1;
    let bits: Vec<AtomicU64> = (0..words).map(|_| AtomicU64::new(0)).collect();
    let mark = |id: u64| {
        let word = &bits[(id - low) as usize / 64];
        let bit = 1 << ((id - low) % 64);
        // Most IDs are already marked. A load shares the cache line, but an update would claim it exclusively.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    };
    chunks.par_iter().for_each(|chunk| {
        for edge in 0..chunk.len() {
            ends(chunk.get(edge)).into_iter().for_each(mark);
        }
    });
    let bits: Vec<u64> = bits.into_iter().map(AtomicU64::into_inner).collect();
    let count = bits.par_iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
    if count == high - low + 1 {
        return Originals::Range { first: low, count };
    }
    let mut list = Vec::with_capacity(count as usize);
    for (word, &bits) in (0..).zip(&bits) {
        let mut rest = bits;
        while rest != 0 {
            list.push(low + 64 * word + u64::from(rest.trailing_zeros()));
            rest &= rest - 1;
        }
    }
    Originals::List(list.into())
}

/// Returns the IDs in an arbitrary range, by sorting them.
fn sorted<I: IntoIterator<Item = u64>>(chunks: &[RawChunk], ends: impl Fn((u64, u64)) -> I + Sync) -> Originals {
    let distinct = |chunk: &RawChunk| {
        let mut ids: Vec<u64> = (0..chunk.len()).flat_map(|edge| ends(chunk.get(edge))).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    };
    let mut list = chunks.par_iter().map(distinct).collect::<Vec<_>>().concat();
    list.par_sort_unstable();
    list.dedup();
    list.shrink_to_fit();
    compact(list)
}

/// Converts an ascending list to a range if its IDs are consecutive; otherwise returns the list.
pub(super) fn compact(list: impl Into<Arc<Vec<u64>>>) -> Originals {
    let list = list.into();
    match (list.first(), list.last()) {
        (Some(&first), Some(&last)) if last - first != list.len() as u64 - 1 => Originals::List(list),
        (first, _) => Originals::Range { first: first.copied().unwrap_or(0), count: list.len() as u64 },
    }
}

/// A map from original IDs to ranks.
pub(super) enum Ranks<'a> {
    /// Consecutive IDs from `first` on.
    Offset { first: u64, count: u64 },
    /// IDs in a compact range: the words of a bitmap, each with the number of bits set in all preceding words.
    Bits { first: u64, words: Vec<(u64, u32)> },
    /// Numbers of keys, and the rank of each.
    Table(&'a [u32]),
    /// IDs in an arbitrary range.
    Search(SearchTable<'a>),
    /// IDs of left vertices, which are below 2^63, and of right vertices, which are not.
    Sides([SearchTable<'a>; 2]),
}

/// A table that maps the leading bits of an ID to a position in a list.
pub(super) struct SearchTable<'a> {
    list: &'a [u64],
    first: u64,
    shift: u32,
    cells: Vec<u32>,
}

/// Returns the number of low bits of an ID's distance from the first ID that are ignored when selecting a cell. There
/// is about one cell per vertex. IDs that share a cell are located by binary search.
fn shift(range: u64, vertices: usize) -> u32 {
    (range | 1).ilog2().saturating_sub(vertices.next_power_of_two().ilog2())
}

/// Splits a list of IDs at 2^63. Returns the whole list and an empty one if one side has no IDs.
fn sides(list: &[u64]) -> [&[u64]; 2] {
    let (left, right) = list.split_at(list.partition_point(|id| *id < RIGHT_OFFSET));
    if left.is_empty() { [right, left] } else { [left, right] }
}

impl<'a> SearchTable<'a> {
    fn new(list: &'a [u64]) -> Self {
        let (Some(&first), Some(&last)) = (list.first(), list.last()) else {
            return Self { list, first: 0, shift: 0, cells: Vec::new() };
        };
        let shift = shift(last - first, list.len());
        let mut cells = Vec::with_capacity(((last - first) >> shift) as usize + 2);
        for (rank, id) in (0..).zip(list) {
            let cell = ((id - first) >> shift) as usize;
            if cells.len() <= cell {
                cells.resize(cell + 1, rank);
            }
        }
        cells.push(list.len() as u32);
        Self { list, first, shift, cells }
    }

    /// Returns the bytes in memory of the table for a list.
    fn bytes(list: &[u64]) -> u64 {
        match (list.first(), list.last()) {
            (Some(first), Some(last)) => 4 * (((last - first) >> shift(last - first, list.len())) + 2),
            _ => 0,
        }
    }

    /// Returns the position of an ID.
    #[inline]
    fn position(&self, id: u64) -> Option<u32> {
        let cell = (id.checked_sub(self.first)? >> self.shift) as usize;
        let start = *self.cells.get(cell)? as usize;
        let end = *self.cells.get(cell + 1)? as usize;
        self.list[start..end].binary_search(&id).ok().map(|place| (start + place) as u32)
    }
}

impl<'a> Ranks<'a> {
    pub(super) fn new(originals: &'a Originals) -> Self {
        let list = match originals {
            Originals::Range { first, count } => return Self::Offset { first: *first, count: *count },
            Originals::List(list) => list,
        };
        let (first, last) = match (list.first(), list.last()) {
            (Some(&first), Some(&last)) => (first, last),
            _ => return Self::Offset { first: 0, count: 0 },
        };
        if is_compact(first, last, list.len() as u64) {
            Self::bits(list, first, last)
        } else {
            match sides(list) {
                [list, []] => Self::Search(SearchTable::new(list)),
                sides => Self::Sides(sides.map(SearchTable::new)),
            }
        }
    }

    fn bits(list: &[u64], first: u64, last: u64) -> Self {
        let mut words = vec![(0u64, 0u32); (last - first) as usize / 64 + 1];
        for id in list {
            words[(id - first) as usize / 64].0 |= 1 << ((id - first) % 64);
        }
        let mut before = 0;
        for (bits, count) in &mut words {
            *count = before;
            before += bits.count_ones();
        }
        Self::Bits { first, words }
    }

    /// Returns the key of an ID as read, for an error.
    pub(super) fn key(&self, keys: &KeySource, id: u64) -> Result<Key<'static>, StoreError> {
        match self {
            Self::Table(_) => keys.key_of(self.rank(id).map_or(0, u64::from)),
            _ => keys.key_of(id),
        }
    }

    /// Returns the bytes in memory of the map for `originals`.
    pub(super) fn bytes(originals: &Originals) -> u64 {
        let Originals::List(list) = originals else { return 0 };
        let (Some(first), Some(last)) = (list.first(), list.last()) else { return 0 };
        match is_compact(*first, *last, list.len() as u64) {
            true => 16 * ((last - first) / 64 + 1),
            false => sides(list).map(SearchTable::bytes).iter().sum(),
        }
    }

    /// Returns an upper bound on the bytes of the map for `least` to `most` vertices with IDs in `bounds`.
    pub(super) fn most_bytes(bounds: Option<(u64, u64)>, least: u64, most: u64) -> u64 {
        match bounds {
            Some((first, last)) if is_compact(first, last, least) => 16 * ((last - first) / 64 + 1),
            // The map is either a sufficiently small bitmap, or one or two tables with at most four cells of four bytes
            // per vertex.
            _ => 16 * most + 64,
        }
    }

    /// Prefetches the rank of an ID from a table.
    #[inline]
    pub(super) fn prefetch(&self, id: u64) {
        if let Self::Table(ranks) = self {
            memory::prefetch(ranks.as_ptr().wrapping_add(id as usize).cast());
        }
    }

    /// Returns the rank of an ID; `None` if the graph does not contain the ID.
    #[inline]
    pub(super) fn rank(&self, id: u64) -> Option<u32> {
        match self {
            Self::Offset { first, count } => {
                let rank = id.wrapping_sub(*first);
                (rank < *count).then_some(rank as u32)
            }
            Self::Bits { first, words } => {
                let offset = id.checked_sub(*first)?;
                let (bits, before) = *words.get((offset / 64) as usize)?;
                let bit = offset % 64;
                (bits >> bit & 1 == 1).then(|| before + (bits & ((1 << bit) - 1)).count_ones())
            }
            Self::Table(ranks) => ranks.get(usize::try_from(id).ok()?).copied().filter(|rank| *rank != u32::MAX),
            Self::Search(table) => table.position(id),
            Self::Sides([left, right]) => match id < RIGHT_OFFSET {
                true => left.position(id),
                false => right.position(id).map(|place| left.list.len() as u32 + place),
            },
        }
    }
}
