//! Bit sets of the vertices with an edge in one direction. Every neighbour in a page of the opposite direction must be
//! in the set.

use crate::parallel::*;
use gts_contract::Side;

/// The number of vertices per word.
const WORD: usize = u64::BITS as usize;

/// The set of vertices with an edge in one direction, computed from the degrees. The bits fit in a processor's caches,
/// but the degrees do not.
#[derive(Debug)]
pub(crate) struct Ends {
    side: Side,
    words: Vec<u64>,
}

impl Ends {
    /// Creates the set of vertices whose degree in this direction is not 0. Returns `None` if every vertex has an edge,
    /// because then there is nothing to check.
    ///
    /// # Errors
    ///
    /// If allocation fails, returns the requested number of bytes.
    pub(crate) fn of(side: Side, degrees: &[u32]) -> Result<Option<Self>, u64> {
        if degrees.par_iter().all(|&degree| degree > 0) {
            return Ok(None);
        }
        let words = degrees.len().div_ceil(WORD);
        let mut words = bytemuck::allocation::try_zeroed_vec::<u64>(words).map_err(|()| 8 * words as u64)?;
        words.par_iter_mut().zip(degrees.par_chunks(WORD)).for_each(|(word, degrees)| {
            *word = (0..).zip(degrees).fold(0, |word, (bit, &degree)| word | u64::from(degree > 0) << bit);
        });
        Ok(Some(Self { side, words }))
    }

    /// Returns the size in bytes of a set over `vertices` vertices.
    pub(crate) fn bytes(vertices: u64) -> u64 {
        8 * vertices.div_ceil(WORD as u64)
    }

    /// Returns the direction of the edges.
    pub(crate) fn side(&self) -> Side {
        self.side
    }

    /// Returns whether a vertex has an edge in this direction.
    #[inline]
    pub(crate) fn contains(&self, vertex: u64) -> bool {
        u32::try_from(vertex).is_ok_and(|vertex| self.bits(vertex) & 1 == 1)
    }

    /// Returns a word whose lowest bit is set if the vertex has an edge in this direction.
    #[inline]
    pub(crate) fn bits(&self, vertex: u32) -> u64 {
        let word = self.words.get(vertex as usize / WORD).copied().unwrap_or(0);
        word >> (vertex as usize % WORD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_of_degree_0_are_told_from_the_others() {
        let degrees: Vec<u32> = (0..200).map(|vertex| vertex % 3).collect();
        let ends = Ends::of(Side::In, &degrees).unwrap().expect("some have none");
        assert!((0..200).all(|vertex| ends.contains(vertex) == (vertex % 3 > 0)));
        assert!(!ends.contains(200) && !ends.contains(u64::MAX));
        assert!(Ends::of(Side::Out, &[1; 65]).unwrap().is_none());
        assert!(Ends::of(Side::Out, &[]).unwrap().is_none());
    }
}
