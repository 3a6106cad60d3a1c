//! The sets of active vertices on a device: now, and in the next step, a bit a vertex.

use super::driver::{Buffer, Context};
use crate::error::Result;
use std::sync::Arc;

/// Two bit sets that change places at the end of a step.
#[derive(Debug)]
pub(super) struct Frontier {
    sets: [Buffer; 2],
    current: usize,
    /// Words of 32 bits of a set.
    pub(super) words: u64,
    /// The number of active vertices, where it is known.
    pub(super) size: Option<u64>,
    /// Vertices that the host has activated since the set was last used.
    pub(super) pending: Vec<u64>,
}

impl Frontier {
    pub(super) fn new(context: &Arc<Context>, vertices: u64) -> Result<Self> {
        let words = vertices.div_ceil(32);
        let set = || Buffer::zeroed(context, 4 * words as usize, "active vertices");
        Ok(Self { sets: [set()?, set()?], current: 0, words, size: Some(0), pending: Vec::new() })
    }

    /// The vertices that are active now.
    pub(super) fn current(&self) -> &Buffer {
        &self.sets[self.current]
    }

    /// Those of the next step.
    pub(super) fn next(&self) -> &Buffer {
        &self.sets[1 - self.current]
    }

    /// Ends a step. The set that becomes the next one is still to be emptied.
    pub(super) fn swap(&mut self) {
        self.current = 1 - self.current;
        self.size = None;
    }
}

/// The words of a set that holds all vertices.
pub(super) fn full_set(vertices: u64) -> Vec<u32> {
    let mut words = vec![u32::MAX; vertices.div_ceil(32) as usize];
    if let (Some(last), true) = (words.last_mut(), !vertices.is_multiple_of(32)) {
        *last = (1 << (vertices % 32)) - 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::full_set;

    #[test]
    fn a_full_set_ends_with_the_last_vertex() {
        for vertices in [0, 1, 31, 32, 33, 64, 100] {
            let bits: u32 = full_set(vertices).iter().map(|word| word.count_ones()).sum();
            assert_eq!(u64::from(bits), vertices);
        }
    }
}
