//! The sets of active vertices on a device, for the current step and the next step, with one bit per vertex.

use super::driver::{Buffer, Stream};
use gts_device::error::Result;
use std::sync::Arc;

/// Two bit sets, which are swapped at the end of each step.
#[derive(Debug)]
pub(super) struct Frontier {
    sets: [Buffer; 2],
    current: usize,
    /// The number of 32-bit words per set.
    pub(super) words: u64,
    /// The number of active vertices, if known.
    pub(super) size: Option<u64>,
    /// The number of edges of the active vertices in each topology, if known.
    pub(super) edges: Option<[u64; 2]>,
    /// The number of edges that the traversal walked in earlier steps; 0 if edges are not counted.
    pub(super) walked: u64,
    /// The number of edges that the traversal has walked in this step; 0 if edges are not counted.
    pub(super) walks: u64,
    /// Vertices that the host has activated but not yet added to the current set.
    pub(super) pending: Vec<u64>,
}

impl Frontier {
    pub(super) fn new(stream: &Arc<Stream>, vertices: u64) -> Result<Self> {
        let words = vertices.div_ceil(32);
        let set = || Buffer::lent_zeroed(stream, 4 * words as usize, "active vertices");
        Ok(Self {
            sets: [set()?, set()?],
            current: 0,
            words,
            size: Some(0),
            edges: None,
            walked: 0,
            walks: 0,
            pending: Vec::new(),
        })
    }

    /// Returns the set of vertices that are active in this step.
    pub(super) fn current(&self) -> &Buffer {
        &self.sets[self.current]
    }

    /// Returns the set of vertices activated for the next step.
    pub(super) fn next(&self) -> &Buffer {
        &self.sets[1 - self.current]
    }

    /// Ends a step: the next set becomes the current set. The caller must clear the previous current set.
    pub(super) fn swap(&mut self) {
        self.current = 1 - self.current;
        self.change(None);
    }

    /// Ends a step after the device has counted the vertices in the next set and has cleared the current set.
    pub(super) fn advance(&mut self, vertices: u64, edges: Option<[u64; 2]>) {
        self.pending.clear();
        self.walked += std::mem::take(&mut self.walks);
        self.swap();
        (self.size, self.edges) = (Some(vertices), edges);
    }

    /// Ends `steps` steps that the device has run, alternating between the two sets. `vertices` vertices are active
    /// after these steps, and `edges` edges were walked. The next set is empty.
    pub(super) fn take_turns(&mut self, steps: u64, vertices: u64, edges: u64) {
        self.pending.clear();
        self.walked += edges;
        self.walks = 0;
        self.current = (self.current + steps as usize) % 2;
        self.change(Some(vertices));
        if vertices == 0 {
            self.edges = Some([0; 2]);
        }
    }

    /// Resets the state for another traversal. `size` is the number of active vertices, if known.
    pub(super) fn begin(&mut self, size: Option<u64>) {
        (self.walked, self.walks) = (0, 0);
        self.change(size);
    }

    /// Records a change of the current set. `size` is the new number of active vertices, if known.
    pub(super) fn change(&mut self, size: Option<u64>) {
        (self.size, self.edges) = (size, None);
    }
}
