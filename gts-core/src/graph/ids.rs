//! Maps keys and original IDs to dense vertex numbers, and back.
//!
//! A graph's original IDs are 64-bit numbers in the order of its keys. If keys are numbers, they are the keys
//! themselves. The original ID of a signed number is the number with its sign bit inverted, and that of a name or a UUID
//! is its rank. Left and right vertices of a bipartite graph may have keys of their own: see the module `sides`.

use super::key::{KeyForm, LEFT, RIGHT, number_of_signed, signed_of_number};
use super::names::{BLOCK_KEYS, BlockKeys, KeyNames, Place, shared_bytes};
use super::sides::{RIGHT_OFFSET, SidedNumbers};
use super::{IdMapError, Key, KeyKind, StoreError, Vertex};
use crate::advice::{Advice, Explain};
use crate::memory;
use crate::parallel::*;
use crate::summaries;
use gts_contract::language::Code;
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// Minimum number of ranks per task.
const LEAST_SHARE: usize = 1 << 14;

/// A graph's keys and original IDs in ascending order, and the dense number of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdMap {
    originals: Originals,
    keys: KeySource,
    /// The vertex order, shared with subgraphs, which have the same vertices; `None` if dense numbers follow the order
    /// of the IDs.
    order: Option<Arc<Permutation>>,
}

/// The original IDs in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Originals {
    /// Consecutive IDs from `first` on.
    Range { first: u64, count: u64 },
    /// A list of IDs, which may be shared with a stream of edges. This is not an `Arc<[u64]>`, because the conversion
    /// would copy the vector.
    List(Arc<Vec<u64>>),
}

/// The meaning of original IDs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum KeySource {
    /// They are the keys.
    #[default]
    Numbers,
    /// They are the numbers of signed keys.
    Signed,
    /// They are the numbers of left and right vertices.
    Sided(SidedNumbers),
    /// They are the ranks of names or UUIDs.
    Names(Arc<KeyNames>),
}

impl KeySource {
    /// Returns the meaning of original IDs whose keys are integers. `left` is the number of left vertices; `None` if keys
    /// have no sides.
    pub(crate) fn integers(kind: KeyKind, left: Option<u64>, originals: &Originals) -> Self {
        let first = if let Originals::Range { first, .. } = originals { Some(*first) } else { None };
        match left {
            Some(left) => Self::Sided(SidedNumbers::new(kind, left, first)),
            None if kind == KeyKind::Signed => Self::Signed,
            None => Self::Numbers,
        }
    }

    pub(crate) fn form(&self) -> KeyForm {
        let plain = |kind| KeyForm { kind, has_sides: false };
        match self {
            Self::Numbers => plain(KeyKind::Number),
            Self::Signed => plain(KeyKind::Signed),
            Self::Sided(numbers) => numbers.form(),
            Self::Names(names) => names.form(),
        }
    }

    /// Returns the number of left vertices; `None` if keys have no sides.
    pub(crate) fn left(&self) -> Option<u64> {
        match self {
            Self::Numbers | Self::Signed => None,
            Self::Sided(numbers) => Some(numbers.left()),
            Self::Names(names) => names.left(),
        }
    }

    /// Returns the key of an original ID of the graph.
    pub(crate) fn key_of(&self, original: u64) -> Result<Key<'static>, StoreError> {
        match self {
            Self::Numbers => Ok(Key::Number(original)),
            Self::Signed => Ok(Key::Signed(signed_of_number(original))),
            Self::Sided(numbers) => Ok(numbers.key_of(original)),
            Self::Names(names) => names.get(original),
        }
    }
}

/// A vertex order and its inverse.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Permutation {
    dense_of_rank: Vec<u32>,
    rank_of_dense: Vec<u32>,
}

/// A key that is not in the graph.
#[derive(Clone, PartialEq, Eq, Error)]
#[error("vertex {} is not in the graph", key.shown())]
pub struct UnknownVertex {
    /// The requested key.
    pub key: Key<'static>,
    /// The type of the graph's keys.
    pub kind: KeyKind,
    /// The number of vertices in the graph.
    pub vertices: u64,
    /// The smallest and the largest key; `None` if the graph has no vertices.
    pub bounds: Option<Box<[Key<'static>; 2]>>,
    /// The existing name that is nearest in the order of the keys, if keys are names.
    pub nearest: Option<Box<Key<'static>>>,
}

crate::debug_by_explaining!(UnknownVertex);

impl Explain for UnknownVertex {
    fn code(&self) -> Code {
        Code::UnknownVertex
    }

    fn advice(&self) -> Option<Advice> {
        let Some([first, last]) = self.bounds.as_deref() else { return Some("the graph has no vertices".into()) };
        let (is_number, vertices, keys) = (self.kind == KeyKind::Number, self.vertices, self.kind.plural());
        let what = if is_number { "ID" } else { "key" };
        let (from, to) = (first.shown(), last.shown());
        match (self.key.side(), first.side()) {
            (None, Some(_)) => return Some("give a key with its side, such as `left:KEY` or `right:KEY`".into()),
            (Some(_), None) => return Some("give a key without a side: the vertices of this graph have none".into()),
            _ => {}
        }
        if first == last {
            return Some(format!("the only vertex has the {what} {from}").into());
        }
        if let (Key::Number(first), Key::Number(last)) = (first, last)
            && last - first == vertices - 1
        {
            return Some(format!("give one of its {vertices} IDs, {from} to {to}").into());
        }
        Some(match &self.nearest {
            _ if is_number => {
                format!("give one of its {vertices} IDs; the smallest is {from}, the largest {to}").into()
            }
            Some(nearest) => {
                let near = nearest.shown();
                format!("give one of its {vertices} {keys}, {from} to {to}; the nearest is {near}").into()
            }
            None => format!("give one of its {vertices} {keys}, {from} to {to}").into(),
        })
    }
}

/// The reason why no vertex was found for a key.
#[derive(Error)]
#[non_exhaustive]
pub enum VertexError {
    /// The key is not in the graph.
    #[error(transparent)]
    Unknown(#[from] UnknownVertex),
    /// The keys of the store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

crate::debug_by_explaining!(VertexError);

impl Explain for VertexError {
    fn code(&self) -> Code {
        match self {
            Self::Unknown(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }

    fn advice(&self) -> Option<Advice> {
        match self {
            Self::Unknown(error) => error.advice(),
            Self::Store(error) => error.advice(),
        }
    }
}

impl Originals {
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Range { count, .. } => *count,
            Self::List(list) => list.len() as u64,
        }
    }

    pub(crate) fn get(&self, rank: u64) -> Option<u64> {
        match self {
            Self::Range { first, count } => (rank < *count).then(|| first + rank),
            Self::List(list) => list.get(usize::try_from(rank).ok()?).copied(),
        }
    }

    pub(crate) fn rank(&self, original: u64) -> Option<u64> {
        match self {
            Self::Range { first, count } => original.checked_sub(*first).filter(|rank| rank < count),
            Self::List(list) => list.binary_search(&original).ok().map(|rank| rank as u64),
        }
    }
}

impl IdMap {
    /// Creates the map for `originals`, which must be in ascending order. `dense_of_rank` contains the dense number of
    /// each ID; `None` means that dense numbers follow the order of the IDs.
    pub(crate) fn new(
        originals: Originals,
        keys: KeySource,
        dense_of_rank: Option<Vec<u32>>,
    ) -> Result<Self, IdMapError> {
        if let Originals::List(list) = &originals
            && let Some(at) = list.par_windows(2).with_min_len(LEAST_SHARE).position_first(|pair| pair[0] >= pair[1])
        {
            return Err(IdMapError::Order { rank: at as u64 + 1, found: list[at + 1], previous: list[at] });
        }
        let order = dense_of_rank.map(|dense| Permutation::new(dense, originals.len()).map(Arc::new)).transpose()?;
        Ok(Self { originals, keys, order })
    }

    /// Creates the map of vertices with the keys 0 to `vertices` - 1.
    pub fn of_range(vertices: u64) -> Self {
        Self { originals: Originals::Range { first: 0, count: vertices }, keys: KeySource::Numbers, order: None }
    }

    /// Returns the number of vertices.
    pub fn len(&self) -> u64 {
        self.originals.len()
    }

    /// Returns whether the graph has no vertices.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the type of the keys.
    pub fn kind(&self) -> KeyKind {
        self.keys.form().kind
    }

    /// Returns whether keys have sides: left and right vertices of a bipartite graph, whose keys may be equal.
    pub fn has_sides(&self) -> bool {
        self.keys.form().has_sides
    }

    /// Returns the side of a vertex, `left` or `right`, by its original ID; `None` if keys have no sides.
    pub fn side(&self, original: u64) -> Option<&'static str> {
        let is_left = match &self.keys {
            KeySource::Numbers | KeySource::Signed => return None,
            KeySource::Sided(numbers) => numbers.is_left(original),
            KeySource::Names(names) => original < names.left()?,
        };
        Some(if is_left { LEFT } else { RIGHT })
    }

    /// Counts the left vertices by their keys.
    pub(crate) fn left_by_keys(&self) -> Result<u64, StoreError> {
        Ok(match (&self.keys, &self.originals) {
            (KeySource::Names(names), _) => names.find_left()?,
            (KeySource::Sided(numbers), Originals::Range { count, .. }) => numbers.left().min(*count),
            (_, Originals::List(list)) => list.partition_point(|id| *id < RIGHT_OFFSET) as u64,
            (_, Originals::Range { .. }) => 0,
        })
    }

    /// Parses a key of this graph; `None` if the text is none. If keys have sides, the side and a colon come first, as in
    /// `left:7`.
    pub fn parse_key<'k>(&self, text: &'k str) -> Option<Key<'k>> {
        if !self.has_sides() {
            return self.kind().parse(text);
        }
        let (side, text) = text.split_once(':')?;
        let key = Box::new(self.kind().parse(text)?);
        match side {
            LEFT => Some(Key::Left(key)),
            RIGHT => Some(Key::Right(key)),
            _ => None,
        }
    }

    pub(crate) fn key_source(&self) -> &KeySource {
        &self.keys
    }

    /// Returns the vertex with a key. If the keys are names in a store, reads a few blocks of them.
    ///
    /// # Errors
    ///
    /// No vertex has this key, or the keys of the store cannot be read.
    pub fn vertex<'k>(&self, key: impl Into<Key<'k>>) -> Result<Vertex, VertexError> {
        let key = key.into();
        let place = match key.to_form(self.keys.form()) {
            None => Place::Before(self.len()),
            Some(key) => self.place(&key)?,
        };
        match place {
            Place::At(rank) => Ok(self.at_rank(rank)),
            Place::Before(rank) => Err(self.unknown(key, rank)?.into()),
        }
    }

    /// Returns the place of a key of the graph's form.
    fn place(&self, key: &Key<'_>) -> Result<Place, StoreError> {
        let original = match (&self.keys, key) {
            (KeySource::Names(names), key) => return names.find(&key.to_bytes()),
            (KeySource::Sided(numbers), key) => numbers.original_of(key),
            (_, Key::Number(number)) => Some(*number),
            (_, Key::Signed(number)) => Some(number_of_signed(*number)),
            _ => None,
        };
        let rank = original.and_then(|original| self.originals.rank(original));
        Ok(rank.map_or(Place::Before(self.len()), Place::At))
    }

    /// Returns the error for a missing key, which would have the given rank.
    #[cold]
    fn unknown(&self, key: Key<'_>, rank: u64) -> Result<UnknownVertex, StoreError> {
        let (kind, vertices) = (self.kind(), self.len());
        let of_rank = |rank: u64| self.originals.get(rank).map_or(Ok(None), |id| self.key_of(id).map(Some));
        let bounds = match vertices {
            0 => None,
            _ => of_rank(0)?.zip(of_rank(vertices - 1)?).map(|(first, last)| Box::new([first, last])),
        };
        let mut nearest = None;
        if kind == KeyKind::Text && key.to_form(self.keys.form()).is_some() {
            let shared = |other: &Key<'_>| {
                let (name, other) = (key.to_string(), other.to_string());
                shared_bytes(name.as_bytes(), other.as_bytes())
            };
            let before = rank.checked_sub(1).map_or(Ok(None), of_rank)?;
            nearest = before.into_iter().chain(of_rank(rank)?).max_by_key(shared).map(Box::new);
        }
        Ok(UnknownVertex { key: key.into_owned(), kind, vertices, bounds, nearest })
    }

    /// Returns the key of an original ID of this graph. If the keys are in a store, reads a block of them;
    /// [`IdMap::keys`] reads each block once.
    ///
    /// # Errors
    ///
    /// The keys of the store cannot be read.
    pub fn key_of(&self, original: u64) -> Result<Key<'static>, StoreError> {
        self.keys.key_of(original)
    }

    /// Iterates over the keys whose ranks are in a range, in ascending order. An error ends the iteration.
    ///
    /// # Errors
    ///
    /// Yields an error if the keys of the store cannot be read.
    pub fn keys(&self, ranks: Range<u64>) -> impl Iterator<Item = Result<Key<'static>, StoreError>> + '_ {
        let mut ranks = ranks.start..ranks.end.min(self.len());
        let (mut keys, mut present) = (BlockKeys::default(), None);
        std::iter::from_fn(move || {
            let rank = ranks.next()?;
            let KeySource::Names(names) = &self.keys else { return self.originals.get(rank).map(|id| self.key_of(id)) };
            let block = rank / BLOCK_KEYS;
            if present != Some(block) {
                if let Err(error) = names.read(block, &mut keys) {
                    ranks.end = ranks.start;
                    return Some(Err(error));
                }
                present = Some(block);
            }
            Some(Ok(names.key(&keys, (rank % BLOCK_KEYS) as usize)))
        })
    }

    /// Returns a vertex's original ID; `None` if the vertex is not in the graph.
    pub fn original(&self, vertex: Vertex) -> Option<u64> {
        self.originals.get(self.rank(vertex)?)
    }

    /// Returns the original ID with the given rank in ascending order. A run's values have the same order. Returns
    /// `None` if the rank is out of range.
    pub fn original_of_rank(&self, rank: u64) -> Option<u64> {
        self.originals.get(rank)
    }

    /// Returns the vertex whose original ID has the given rank in ascending order. Returns `None` if the rank is out of
    /// range.
    pub fn vertex_of_rank(&self, rank: u64) -> Option<Vertex> {
        (rank < self.len()).then(|| self.at_rank(rank))
    }

    /// Returns the vertex's rank: the index of its original ID in ascending order. Returns `None` if the vertex is not
    /// in the graph.
    pub fn rank(&self, vertex: Vertex) -> Option<u64> {
        match &self.order {
            Some(order) => order.rank_of_dense.get(vertex.index()).map(|&rank| u64::from(rank)),
            None => Some(vertex.dense()),
        }
    }

    /// Iterates over the vertices in ascending order of original IDs, which is also the order of a run's values.
    /// [`IdMap::ascending`] iterates over the IDs in this order.
    pub fn in_original_order(&self) -> impl ExactSizeIterator<Item = Vertex> + '_ {
        (0..self.len() as usize).map(|rank| self.at_rank(rank as u64))
    }

    /// Iterates over the original IDs in ascending order, which is also the order of a run's values.
    pub fn ascending(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        (0..self.len() as usize).map(|rank| match &self.originals {
            Originals::Range { first, .. } => first + rank as u64,
            Originals::List(list) => list[rank],
        })
    }

    /// Returns the dense number of each vertex in ascending order of original IDs, or `None` if dense numbers follow
    /// that order.
    pub fn permutation(&self) -> Option<&[u32]> {
        self.order.as_ref().map(|order| order.dense_of_rank.as_slice())
    }

    /// Returns whether every vertex's dense number equals its key.
    pub fn is_identity(&self) -> bool {
        matches!(self.keys, KeySource::Numbers)
            && self.order.is_none()
            && matches!(&self.originals, Originals::Range { first: 0, .. })
    }

    /// Returns the first original ID, and the rank of each dense vertex unless ranks equal dense numbers. Returns
    /// `None` if the original IDs are not consecutive.
    pub(crate) fn consecutive(&self) -> Option<(u64, Option<&[u32]>)> {
        let ranks = self.order.as_ref().map(|order| order.rank_of_dense.as_slice());
        match self.originals {
            Originals::Range { first, .. } => Some((first, ranks)),
            Originals::List(_) => None,
        }
    }

    pub(crate) fn originals(&self) -> &Originals {
        &self.originals
    }

    /// Returns the vertex with the given rank, which must exist.
    fn at_rank(&self, rank: u64) -> Vertex {
        Vertex::from_dense(match &self.order {
            Some(order) => u64::from(order.dense_of_rank[rank as usize]),
            None => rank,
        })
    }

    /// Returns the memory usage of the map in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let list = match &self.originals {
            Originals::Range { .. } => 0,
            Originals::List(list) => 8 * list.len() as u64,
        };
        let names = if let KeySource::Names(names) = &self.keys { names.bytes_in_memory() } else { 0 };
        list + names + self.order.as_ref().map_or(0, |order| 8 * order.dense_of_rank.len() as u64)
    }
}

impl Permutation {
    fn new(dense_of_rank: Vec<u32>, len: u64) -> Result<Self, IdMapError> {
        if dense_of_rank.len() as u64 != len || u32::try_from(len).is_err() {
            return Err(IdMapError::Length { originals: len, order: dense_of_rank.len() as u64 });
        }
        // Dense numbers are below `u32::MAX`, so `u32::MAX` marks a missing number.
        let rank_of_dense = summaries::inverse("numbers of vertices", &dense_of_rank)?;
        // The numbers of ranks and of dense numbers are equal, so all dense numbers occur if and only if none occurs
        // twice.
        if rank_of_dense.par_iter().with_min_len(LEAST_SHARE).any(|&rank| rank == u32::MAX) {
            return Err(not_a_permutation(&dense_of_rank));
        }
        Ok(Self { dense_of_rank, rank_of_dense })
    }
}

/// Returns the error for the first rank whose dense number is out of range or repeated.
fn not_a_permutation(dense_of_rank: &[u32]) -> IdMapError {
    let mut taken = match memory::zeroed::<bool>("numbers of vertices", dense_of_rank.len()) {
        Ok(taken) => taken,
        Err(error) => return error.into(),
    };
    let mut takes = |dense: u32| taken.get_mut(dense as usize).is_some_and(|taken| !std::mem::replace(taken, true));
    let rank = dense_of_rank.iter().copied().position(|dense| !takes(dense)).unwrap_or_default();
    IdMapError::Permutation { rank: rank as u64, found: dense_of_rank.get(rank).copied().unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbered(dense: &[u32]) -> Result<IdMap, IdMapError> {
        IdMap::new(Originals::Range { first: 0, count: dense.len() as u64 }, KeySource::Numbers, Some(dense.to_vec()))
    }

    #[test]
    fn the_first_number_that_is_taken_or_out_of_range_is_told() {
        let wrong = |rank, found| Err(IdMapError::Permutation { rank, found });
        assert_eq!(numbered(&[2, 0, 2, 0]), wrong(2, 2));
        assert_eq!(numbered(&[0, 4, 0, 1]), wrong(1, 4));
        assert_eq!(numbered(&[1, 0, u32::MAX]), wrong(2, u32::MAX));
        let short = IdMap::new(Originals::Range { first: 0, count: 2 }, KeySource::Numbers, Some(vec![0]));
        assert_eq!(short, Err(IdMapError::Length { originals: 2, order: 1 }));
    }

    #[test]
    fn the_first_id_that_does_not_ascend_is_told() {
        let listed = IdMap::new(Originals::List(Arc::new(vec![1, 5, 5, 4])), KeySource::Numbers, None);
        assert_eq!(listed, Err(IdMapError::Order { rank: 2, found: 5, previous: 5 }));
    }

    proptest! {
        #[test]
        fn an_order_is_undone(dense in Just((0..500).collect::<Vec<u32>>()).prop_shuffle()) {
            let ids = numbered(&dense).unwrap();
            for (rank, &dense) in dense.iter().enumerate() {
                prop_assert_eq!(ids.rank(Vertex::from_dense(u64::from(dense))), Some(rank as u64));
            }
        }
    }
}
