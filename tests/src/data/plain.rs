//! Graphs as plain arrays, for oracles.

/// An arc. Vertices are numbered by rank: in ascending order of their IDs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    /// Rank of the source.
    pub src: u32,
    /// Rank of the target.
    pub dst: u32,
    /// Weight, or 1 in a graph without weights.
    pub weight: f64,
}

/// A graph with sorted vertices and arcs.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainGraph {
    /// IDs of the vertices in ascending order. The index of an ID is the vertex's rank.
    pub ids: Vec<u64>,
    /// Arcs, sorted by source and target.
    pub arcs: Vec<Arc>,
    /// Whether the graph has weights.
    pub weighted: bool,
}

/// Content of a graph file.
pub(super) struct Raw {
    /// The declared vertices, or `None` if the vertices are those on edges.
    pub(super) declared: Option<Vec<u64>>,
    pub(super) edges: Vec<(u64, u64, f64)>,
    pub(super) weighted: bool,
}

impl Raw {
    /// Drops self-loops and merges parallel arcs. If `undirected`, also adds the reverse of each edge.
    pub(super) fn canonical(self, undirected: bool) -> PlainGraph {
        let mut ids = self.declared.unwrap_or_else(|| self.edges.iter().flat_map(|edge| [edge.0, edge.1]).collect());
        ids.sort_unstable();
        ids.dedup();
        let rank = |id: u64| ids.binary_search(&id).expect("edges join declared vertices") as u32;
        let mut arcs = Vec::with_capacity(self.edges.len() * if undirected { 2 } else { 1 });
        for (src, dst, weight) in self.edges {
            let (src, dst) = (rank(src), rank(dst));
            if src != dst {
                arcs.push(Arc { src, dst, weight });
                if undirected {
                    arcs.push(Arc { src: dst, dst: src, weight });
                }
            }
        }
        arcs.sort_unstable_by(|a, b| (a.src, a.dst).cmp(&(b.src, b.dst)).then(a.weight.total_cmp(&b.weight)));
        arcs.dedup_by_key(|arc| (arc.src, arc.dst));
        PlainGraph { ids, arcs, weighted: self.weighted }
    }
}

impl PlainGraph {
    /// Creates a graph from pairs of IDs. Self-loops and parallel arcs are kept.
    pub fn from_pairs(pairs: &[(u64, u64)]) -> Self {
        let mut ids: Vec<u64> = pairs.iter().flat_map(|pair| [pair.0, pair.1]).collect();
        ids.sort_unstable();
        ids.dedup();
        let rank = |id: u64| ids.binary_search(&id).expect("every end is among the vertices") as u32;
        let mut arcs: Vec<_> =
            pairs.iter().map(|pair| Arc { src: rank(pair.0), dst: rank(pair.1), weight: 1.0 }).collect();
        arcs.sort_unstable_by_key(|arc| (arc.src, arc.dst));
        Self { ids, arcs, weighted: false }
    }

    /// Returns the number of vertices.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns whether the graph has no vertices.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns the rank of the vertex with this ID.
    pub fn rank(&self, id: u64) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    /// Returns all arcs as source ID, target ID and weight.
    pub fn named_arcs(&self) -> impl Iterator<Item = (u64, u64, f64)> + '_ {
        self.arcs.iter().map(|arc| (self.ids[arc.src as usize], self.ids[arc.dst as usize], arc.weight))
    }

    /// Returns the index of each vertex's first arc, followed by the number of arcs.
    pub fn offsets(&self) -> Vec<usize> {
        let mut offsets = vec![0; self.len() + 1];
        for arc in &self.arcs {
            offsets[arc.src as usize + 1] += 1;
        }
        for vertex in 0..self.len() {
            offsets[vertex + 1] += offsets[vertex];
        }
        offsets
    }

    /// Returns whether the weights define shortest paths: they exist and are not negative.
    pub fn has_path_weights(&self) -> bool {
        self.weighted && self.arcs.iter().all(|arc| arc.weight >= 0.0)
    }

    /// Returns the graph with every arc in both directions. Parallel arcs are merged with the smallest weight.
    #[must_use]
    pub fn symmetrised(&self) -> Self {
        let edges = self.named_arcs().collect();
        Raw { declared: Some(self.ids.clone()), edges, weighted: self.weighted }.canonical(true)
    }

    /// Returns the same arcs with integer weights from 1 to 64, computed from their ends. Both directions have the same
    /// weight.
    #[must_use]
    pub fn with_made_up_weights(&self) -> Self {
        let weight = |arc: &Arc| {
            let (low, high) = (arc.src.min(arc.dst), arc.src.max(arc.dst));
            let mixed = (u64::from(high) << 32 | u64::from(low)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (mixed >> 58) as f64 + 1.0
        };
        let arcs = self.arcs.iter().map(|arc| Arc { weight: weight(arc), ..*arc }).collect();
        Self { ids: self.ids.clone(), arcs, weighted: true }
    }
}
