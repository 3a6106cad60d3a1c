//! The frames that may be given up, in the order in which they were touched. The oldest frame that recent feeds did not
//! touch, and the newest frame, are found in logarithmic time.
//!
//! Each touch assigns a frame the next place in a row; when the row is full, the places in use are compacted. A tree
//! over the places contains the least feed below each node. The frames that a feed wants are not given up for it, and
//! may be most of all frames. So a node also contains the least feed without the frames wanted by one feed: the one
//! that wants the node's first minimum. The search for any feed then goes straight down.

/// Least feed that touched any of some frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Least {
    feed: u64,
    /// The feed that wants the frame with the least feed.
    wanted_by: u64,
    /// The least feed over frames that are wanted by another feed, or by none.
    other: u64,
}

impl Least {
    /// The value for no frames.
    const NONE: Self = Self { feed: u64::MAX, wanted_by: 0, other: u64::MAX };

    /// Returns the least feed over frames that this feed does not want.
    fn unwanted_by(self, feed: u64) -> u64 {
        if self.wanted_by == feed { self.other } else { self.feed }
    }

    fn join(self, with: Self) -> Self {
        let (least, more) = if self.feed <= with.feed { (self, with) } else { (with, self) };
        Self { other: least.other.min(more.unwanted_by(least.wanted_by)), ..least }
    }
}

/// The frames that may be given up, in the order of their last touch.
#[derive(Debug, Default)]
pub(super) struct Recency {
    /// The place of each frame that was ever touched.
    places: Vec<Option<usize>>,
    /// The frame that got each place, in order. A frame that was touched again has left its earlier place.
    row: Vec<usize>,
    /// The tree, its root at 1: the children of node n are 2n and 2n + 1. Its second half contains the places.
    nodes: Vec<Least>,
}

impl Recency {
    /// Adds frames that may not be given up, and were never touched.
    pub(super) fn grow(&mut self, frames: usize) {
        self.places.resize(self.places.len() + frames, None);
    }

    /// Makes a frame the most recently touched one, which may not be given up.
    pub(super) fn touch(&mut self, frame: usize) {
        self.withdraw(frame);
        self.places[frame] = None;
        if self.row.len() == self.nodes.len() / 2 {
            self.move_together();
        }
        self.places[frame] = Some(self.row.len());
        self.row.push(frame);
    }

    /// Allows a touched frame to be given up for any feed but the one that wants it. `feed` touched it last.
    pub(super) fn offer(&mut self, frame: usize, feed: u64, wanted_by: u64) {
        if let Some(place) = self.places[frame] {
            self.set(place, Least { feed, wanted_by, other: u64::MAX });
        }
    }

    /// Forbids that a frame is given up.
    pub(super) fn withdraw(&mut self, frame: usize) {
        if let Some(place) = self.places[frame] {
            self.set(place, Least::NONE);
        }
    }

    /// Returns the oldest frame that may be given up for a feed, of those last touched by a feed below `before`.
    pub(super) fn oldest(&self, feed: u64, before: u64) -> Option<usize> {
        self.find(|least| least.unwanted_by(feed) < before, [0, 1])
    }

    /// Returns the newest frame that may be given up for a feed.
    pub(super) fn newest(&self, feed: u64) -> Option<usize> {
        self.find(|least| least.unwanted_by(feed) < u64::MAX, [1, 0])
    }

    /// Returns the frame at the first wanted place, in the order of `sides`. A node is wanted if a place below it is.
    fn find(&self, wanted: impl Fn(Least) -> bool, sides: [usize; 2]) -> Option<usize> {
        let mut node = 1;
        if !wanted(*self.nodes.get(node)?) {
            return None;
        }
        while node < self.nodes.len() / 2 {
            let children = sides.map(|side| 2 * node + side);
            node = if wanted(self.nodes[children[0]]) { children[0] } else { children[1] };
        }
        self.row.get(node - self.nodes.len() / 2).copied()
    }

    fn set(&mut self, place: usize, least: Least) {
        let mut node = self.nodes.len() / 2 + place;
        if self.nodes[node] == least {
            return;
        }
        self.nodes[node] = least;
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.nodes[2 * node].join(self.nodes[2 * node + 1]);
        }
    }

    /// Moves the places in use to the beginning of a row of at least two places per frame.
    fn move_together(&mut self) {
        let leaves = self.nodes.len() / 2;
        let row = std::mem::take(&mut self.row);
        let used = row.into_iter().enumerate().filter(|&(place, frame)| self.places[frame] == Some(place));
        let used: Vec<_> = used.map(|(place, frame)| (frame, self.nodes[leaves + place])).collect();
        let leaves = (2 * self.places.len()).next_power_of_two();
        self.nodes.clear();
        self.nodes.resize(2 * leaves, Least::NONE);
        for (place, (frame, least)) in used.into_iter().enumerate() {
            self.places[frame] = Some(place);
            self.nodes[leaves + place] = least;
            self.row.push(frame);
        }
        for node in (1..leaves).rev() {
            self.nodes[node] = self.nodes[2 * node].join(self.nodes[2 * node + 1]);
        }
    }
}
