//! Techniques, which map edges to threads.

use std::fmt;
use std::str::FromStr;

/// The size of a virtual warp: the number of lanes that share a vertex.
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
    /// A whole warp of 32 lanes.
    W32,
    /// Two warps with 64 lanes in total.
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
    /// A struct of arrays: all sources, then all targets.
    Arrays,
    /// An array of structs: each edge's source is stored next to its target.
    Pairs,
}

impl EdgeLayout {
    /// All layouts.
    pub const ALL: [Self; 2] = [Self::Arrays, Self::Pairs];
}

/// A mapping of edges to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Technique {
    /// One thread per vertex.
    Vertex,
    /// One virtual warp per vertex.
    Edge(VirtualWarp),
    /// Equal shares of a page's edges for all threads. Each thread finds the sources of its edges by search.
    Balanced,
    /// A technique chosen for each page by the number of edges per vertex.
    Hybrid,
    /// One thread per edge of an edge list, which stores both ends of each edge. The edge list replaces the pages in
    /// device memory. Passes that pull, or that read an edge's position in its source's list, visit pages instead. For
    /// such a pass, the device chooses the technique.
    EdgeList(EdgeLayout),
}

impl Technique {
    /// All techniques, in the order of the documentation.
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

    /// Returns the techniques that visit pages.
    pub fn of_pages() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|technique| technique.walks_pages())
    }

    /// Returns whether the technique visits pages instead of an edge list.
    pub const fn walks_pages(self) -> bool {
        self.edge_list().is_none()
    }

    /// Returns the layout of the edge list, if the technique uses one.
    pub const fn edge_list(self) -> Option<EdgeLayout> {
        match self {
            Self::EdgeList(layout) => Some(layout),
            Self::Vertex | Self::Edge(_) | Self::Balanced | Self::Hybrid => None,
        }
    }

    /// Returns the number of threads that share a vertex, if this number is fixed.
    pub const fn lanes(self) -> Option<u32> {
        match self {
            Self::Vertex => Some(1),
            Self::Edge(warp) => Some(warp.lanes()),
            Self::Balanced | Self::Hybrid | Self::EdgeList(_) => None,
        }
    }

    /// Returns the name on the command line. `#[gts_kernel]` attributes use `_` in place of `-`.
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
}

impl FromStr for Technique {
    type Err = UnknownTechnique;

    /// Parses a technique's name on the command line.
    fn from_str(text: &str) -> Result<Self, UnknownTechnique> {
        let found = Self::ALL.into_iter().find(|technique| technique.name() == text);
        found.ok_or_else(|| UnknownTechnique(text.to_owned()))
    }
}

/// The error for a word that does not name a technique.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTechnique(pub String);

impl fmt::Display for UnknownTechnique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Technique::ALL.map(Technique::name).join(", ");
        let is_lanes = self.0.strip_prefix("edge").is_some_and(|lanes| lanes.parse::<u32>().is_ok());
        let why = if is_lanes { "a virtual warp has 2, 4, 8, 16, 32 or 64 lanes; " } else { "" };
        write!(f, "technique `{}`: {why}expected {names}", self.0)
    }
}

impl std::error::Error for UnknownTechnique {}

impl fmt::Display for Technique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_technique_is_read_as_it_is_written() {
        assert!(Technique::ALL.into_iter().all(|technique| technique.to_string().parse() == Ok(technique)));
        let error = "edge3".parse::<Technique>().unwrap_err().to_string();
        assert!(error.contains("has 2, 4, 8, 16, 32 or 64 lanes; expected vertex, edge2"), "{error}");
        assert!(!"warp".parse::<Technique>().unwrap_err().to_string().contains("lanes"));
    }
}
