//! Records the order in which evictable frames were touched. The oldest frame that recent feeds did not touch, and the
//! newest frame, are found in logarithmic time.
//!
//! Each touch moves a frame to the next position of a row. If the row is full, the used positions are compacted. A tree
//! over the positions stores, in each node, the smallest number of a feed that last touched a frame below the node.
//! Frames wanted by a feed must not be evicted for that feed, and they may be the majority. Therefore each node also
//! stores a second minimum, which excludes all frames wanted by the same feed as the frame with the first minimum. With
//! these two values, the search for any feed descends without backtracking.

/// The smallest number of a feed that last touched a frame, over a set of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Least {
    feed: u64,
    /// The feed by which the frame with this smallest number is wanted.
    wanted_by: u64,
    /// The smallest number over frames that are not wanted by the feed `wanted_by`.
    other: u64,
}

impl Least {
    /// The value for an empty set of frames.
    const NONE: Self = Self { feed: u64::MAX, wanted_by: 0, other: u64::MAX };

    /// Returns the smallest number over frames that are not wanted by the given feed.
    fn unwanted_by(self, feed: u64) -> u64 {
        if self.wanted_by == feed { self.other } else { self.feed }
    }

    fn join(self, with: Self) -> Self {
        let (least, more) = if self.feed <= with.feed { (self, with) } else { (with, self) };
        Self { other: least.other.min(more.unwanted_by(least.wanted_by)), ..least }
    }
}

/// The evictable frames in the order of their last touch.
#[derive(Debug, Default)]
pub(super) struct Recency {
    /// The position of each frame in the row; `None` if the frame has never been touched.
    places: Vec<Option<usize>>,
    /// The frame at each position. If a frame was touched again, its earlier positions are obsolete.
    row: Vec<usize>,
    /// The tree. Its root is node 1, and the children of node n are 2n and 2n + 1. Its second half contains the
    /// positions.
    nodes: Vec<Least>,
}

impl Recency {
    /// Adds frames that have never been touched and are not evictable.
    pub(super) fn grow(&mut self, frames: usize) {
        self.places.resize(self.places.len() + frames, None);
    }

    /// Makes a frame the most recently touched one. The frame is not evictable until it is offered.
    pub(super) fn touch(&mut self, frame: usize) {
        self.withdraw(frame);
        self.places[frame] = None;
        if self.row.len() == self.nodes.len() / 2 {
            self.move_together();
        }
        self.places[frame] = Some(self.row.len());
        self.row.push(frame);
    }

    /// Makes a touched frame evictable for any feed except `wanted_by`. `feed` touched the frame last.
    pub(super) fn offer(&mut self, frame: usize, feed: u64, wanted_by: u64) {
        if let Some(place) = self.places[frame] {
            self.set(place, Least { feed, wanted_by, other: u64::MAX });
        }
    }

    /// Makes a frame not evictable.
    pub(super) fn withdraw(&mut self, frame: usize) {
        if let Some(place) = self.places[frame] {
            self.set(place, Least::NONE);
        }
    }

    /// Returns the oldest frame that is evictable for `feed`, among the frames last touched by a feed below `before`.
    pub(super) fn oldest(&self, feed: u64, before: u64) -> Option<usize> {
        self.find(|least| least.unwanted_by(feed) < before, [0, 1])
    }

    /// Returns the newest frame that is evictable for `feed`.
    pub(super) fn newest(&self, feed: u64) -> Option<usize> {
        self.find(|least| least.unwanted_by(feed) < u64::MAX, [1, 0])
    }

    /// Returns the frame at the first wanted position, searching children in the order of `sides`. A node is wanted if
    /// a position below it is.
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

    /// Compacts the used positions into the beginning of a row with at least two positions per frame.
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
