//! Sets of a graph's vertices, stored as bits. With a few million vertices, a set stays in the processor's cache while
//! threads look up edges' end vertices.

use super::{Graph, Vertex};
use crate::memory::{self, NoMemory};
use crate::parallel::*;
use std::sync::atomic::Ordering::Relaxed;

/// The number of vertices per word.
const WORD: usize = u32::BITS as usize;
/// Minimum number of vertices per task.
const VERTICES: usize = 1 << 14;
/// The name of a set in out-of-memory errors.
const WHAT: &str = "members of a set";

/// A set of vertices that belong to one graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexSet {
    words: Vec<u32>,
}

impl VertexSet {
    /// Creates the set of all vertices for which `passes` is true.
    ///
    /// ```
    /// use gts_core::graph::{Graph, VertexSet};
    ///
    /// let graph = Graph::from_edges([(1, 2), (3, 1), (3, 2)]).expect("sound edges");
    /// let sources = VertexSet::of(&graph, |vertex| graph.out_degree(vertex) > 0)?;
    /// assert!(sources.contains(graph.hub().expect("a vertex")));
    /// # Ok::<(), gts_core::memory::NoMemory>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`NoMemory`] if the set cannot be allocated.
    pub fn of(graph: &Graph, passes: impl Fn(Vertex) -> bool + Sync) -> Result<Self, NoMemory> {
        let vertices = graph.num_vertices() as usize;
        let word = |number: usize| {
            let members = (number * WORD..vertices.min((number + 1) * WORD)).enumerate();
            let bit = |(bit, dense)| u32::from(passes(Vertex::from_dense(dense as u64))) << bit;
            members.map(bit).fold(0, |word, bit| word | bit)
        };
        let words = (0..vertices.div_ceil(WORD)).into_par_iter().with_min_len(VERTICES / WORD).map(word);
        Ok(Self { words: memory::collected_in_parallel(WHAT, words)? })
    }

    /// Creates the set of the given vertices. Vertices that are not in the graph are ignored.
    ///
    /// # Errors
    ///
    /// Returns [`NoMemory`] if the set cannot be allocated.
    pub fn from_vertices(graph: &Graph, vertices: &[Vertex]) -> Result<Self, NoMemory> {
        let end = graph.num_vertices();
        let mut words = memory::zeroed(WHAT, (end as usize).div_ceil(WORD))?;
        let shared = memory::atomic(&mut words);
        vertices.par_iter().with_min_len(VERTICES).for_each(|vertex| {
            if vertex.dense() < end {
                shared[vertex.index() / WORD].fetch_or(1 << (vertex.index() % WORD), Relaxed);
            }
        });
        Ok(Self { words })
    }

    /// Returns whether the vertex is in the set. Returns false for a vertex that is not in the graph.
    #[inline]
    pub fn contains(&self, vertex: Vertex) -> bool {
        let word = self.words.get(vertex.index() / WORD);
        word.is_some_and(|word| word >> (vertex.index() % WORD) & 1 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_set_has_its_members_alone(length in 1u64..400, members in prop::collection::vec(0u64..420, 0..60)) {
            let graph = Graph::from_edges((0..length).map(|vertex| (vertex, 0))).expect("sound edges");
            let expected: BTreeSet<u64> = members.iter().copied().filter(|&member| member < length).collect();
            let members: Vec<Vertex> = members.into_iter().map(Vertex::from_dense).collect();
            let listed = VertexSet::from_vertices(&graph, &members).expect("memory");
            let passed = VertexSet::of(&graph, |vertex| expected.contains(&vertex.dense())).expect("memory");
            prop_assert_eq!(&passed, &listed);
            for dense in 0..length + 70 {
                prop_assert_eq!(passed.contains(Vertex::from_dense(dense)), expected.contains(&dense));
            }
            prop_assert!(!passed.contains(Vertex::from_dense(u64::MAX)));
        }
    }
}
