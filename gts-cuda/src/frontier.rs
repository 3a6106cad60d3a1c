//! The sets of active vertices on a device, of this step and of the next: one bit per vertex.

use super::driver::{Buffer, Stream};
use gts_device::error::Result;
use std::sync::Arc;

/// Two bit sets that are swapped at the end of a step.
#[derive(Debug)]
pub(super) struct Frontier {
    sets: [Buffer; 2],
    current: usize,
    /// Words of 32 bits of a set.
    pub(super) words: u64,
    /// The number of active vertices, if known.
    pub(super) size: Option<u64>,
    /// Edges of the active vertices by topology, if known.
    pub(super) edges: Option<[u64; 2]>,
    /// Edges that the traversal walked in its earlier steps, and in this step; 0 if they were not counted.
    pub(super) walked: u64,
    pub(super) walks: u64,
    /// Vertices that the host has activated since the last use of the set.
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

    /// Returns the vertices that are active now.
    pub(super) fn current(&self) -> &Buffer {
        &self.sets[self.current]
    }

    /// Returns the vertices activated for the next step.
    pub(super) fn next(&self) -> &Buffer {
        &self.sets[1 - self.current]
    }

    /// Ends a step. The caller must clear the set that becomes the next one.
    pub(super) fn swap(&mut self) {
        self.current = 1 - self.current;
        self.change(None);
    }

    /// Ends a step. The device has counted the vertices that are active now, and has cleared the set that becomes the
    /// next one.
    pub(super) fn advance(&mut self, vertices: u64, edges: Option<[u64; 2]>) {
        self.pending.clear();
        self.walked += std::mem::take(&mut self.walks);
        self.swap();
        (self.size, self.edges) = (Some(vertices), edges);
    }

    /// Records that `vertices` vertices are active after `steps` steps, in which the two sets alternated. The other set
    /// is empty.
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

    /// Records that another traversal begins. `size` is the number of active vertices, if known.
    pub(super) fn begin(&mut self, size: Option<u64>) {
        (self.walked, self.walks) = (0, 0);
        self.change(size);
    }

    /// Records that other vertices are active. `size` is their number, if known.
    pub(super) fn change(&mut self, size: Option<u64>) {
        (self.size, self.edges) = (size, None);
    }
}
