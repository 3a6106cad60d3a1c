//! Techniques: mappings of edges to threads.

use std::fmt;

/// Lanes of a virtual warp: the threads that share a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VirtualWarp {
    /// Two lanes.
    W2,
    /// Four lanes.
    W4,
    /// Eight lanes.
    W8,
    /// Sixteen lanes.
    W16,
    /// A whole warp.
    W32,
    /// Two warps.
    W64,
}

impl VirtualWarp {
    /// Returns the number of lanes.
    pub const fn lanes(self) -> u32 {
        match self {
            Self::W2 => 2,
            Self::W4 => 4,
            Self::W8 => 8,
            Self::W16 => 16,
            Self::W32 => 32,
            Self::W64 => 64,
        }
    }
}

/// The layout of an edge list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeLayout {
    /// All sources, then all targets: a struct of arrays.
    Arrays,
    /// The source and the target of each edge together: an array of structs.
    Pairs,
}

impl EdgeLayout {
    /// Every layout.
    pub const ALL: [Self; 2] = [Self::Arrays, Self::Pairs];
}

/// A mapping of edges to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Technique {
    /// A thread per vertex.
    Vertex,
    /// A virtual warp per vertex.
    Edge(VirtualWarp),
    /// Equal shares of the page's edges. Threads find the source of an edge by search.
    Balanced,
    /// Chosen for each page by its edges per vertex.
    Hybrid,
    /// A thread per edge of a list that stores the source of each edge beside its target. The list replaces the pages
    /// in device memory. A pass that pulls, or that reads the position of an edge in its source's list, walks pages by
    /// a technique that the device chooses.
    EdgeList(EdgeLayout),
}

impl Technique {
    /// Every technique, in the order of the documentation.
    pub const ALL: [Self; 11] = [
        Self::Vertex,
        Self::Edge(VirtualWarp::W2),
        Self::Edge(VirtualWarp::W4),
        Self::Edge(VirtualWarp::W8),
        Self::Edge(VirtualWarp::W16),
        Self::Edge(VirtualWarp::W32),
        Self::Edge(VirtualWarp::W64),
        Self::Balanced,
        Self::Hybrid,
        Self::EdgeList(EdgeLayout::Arrays),
        Self::EdgeList(EdgeLayout::Pairs),
    ];

    /// Returns the techniques that walk pages.
    pub fn of_pages() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|technique| technique.walks_pages())
    }

    /// Returns whether the technique walks pages, not an edge list.
    pub const fn walks_pages(self) -> bool {
        self.edge_list().is_none()
    }

    /// Returns the layout of the edge list that the technique walks, if any.
    pub const fn edge_list(self) -> Option<EdgeLayout> {
        match self {
            Self::EdgeList(layout) => Some(layout),
            Self::Vertex | Self::Edge(_) | Self::Balanced | Self::Hybrid => None,
        }
    }

    /// Returns the number of threads that share a vertex, if the number is fixed.
    pub const fn lanes(self) -> Option<u32> {
        match self {
            Self::Vertex => Some(1),
            Self::Edge(warp) => Some(warp.lanes()),
            Self::Balanced | Self::Hybrid | Self::EdgeList(_) => None,
        }
    }

    /// Returns the technique's name on the command line. A kernel's attribute uses `_` for `-`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Edge(VirtualWarp::W2) => "edge2",
            Self::Edge(VirtualWarp::W4) => "edge4",
            Self::Edge(VirtualWarp::W8) => "edge8",
            Self::Edge(VirtualWarp::W16) => "edge16",
            Self::Edge(VirtualWarp::W32) => "edge32",
            Self::Edge(VirtualWarp::W64) => "edge64",
            Self::Balanced => "balanced",
            Self::Hybrid => "hybrid",
            Self::EdgeList(EdgeLayout::Arrays) => "edge-list",
            Self::EdgeList(EdgeLayout::Pairs) => "edge-list-pairs",
        }
    }

    /// Returns the technique with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|technique| technique.name() == name)
    }
}

impl fmt::Display for Technique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
