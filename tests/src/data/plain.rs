//! A graph as plain arrays, for oracles.

/// One arc, between ranks of ascending vertex IDs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    /// Its source.
    pub src: u32,
    /// Its target.
    pub dst: u32,
    /// Its weight; 1 in a graph without weights.
    pub weight: f64,
}

/// Vertices and arcs, both ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainGraph {
    /// The vertices' IDs, ascending. A vertex's rank is its index here.
    pub ids: Vec<u64>,
    /// Arcs by source and target.
    pub arcs: Vec<Arc>,
    /// Whether the weights are meaningful.
    pub weighted: bool,
}

/// The content of a graph file.
pub(super) struct Raw {
    /// The declared vertices; `None` stands for the ends of the edges.
    pub(super) declared: Option<Vec<u64>>,
    pub(super) edges: Vec<(u64, u64, f64)>,
    pub(super) weighted: bool,
}

impl Raw {
    /// Removes self-loops and parallel arcs, and adds the reverse of each edge if `undirected`.
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
    /// Creates a graph of these pairs and their vertices, with self-loops and parallel arcs.
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

    /// Returns whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns the rank of a vertex.
    pub fn rank(&self, id: u64) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    /// Returns the arcs between IDs.
    pub fn named_arcs(&self) -> impl Iterator<Item = (u64, u64, f64)> + '_ {
        self.arcs.iter().map(|arc| (self.ids[arc.src as usize], self.ids[arc.dst as usize], arc.weight))
    }

    /// Returns the start of each vertex's arcs, and the end of the last ones.
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

    /// Returns whether shortest paths by these weights are defined.
    pub fn has_path_weights(&self) -> bool {
        self.weighted && self.arcs.iter().all(|arc| arc.weight >= 0.0)
    }

    /// Returns every arc in both directions, once, with the smallest weight of either.
    #[must_use]
    pub fn symmetrised(&self) -> Self {
        let edges = self.named_arcs().collect();
        Raw { declared: Some(self.ids.clone()), edges, weighted: self.weighted }.canonical(true)
    }

    /// Returns the same arcs with whole weights of 1 to 64 from a hash of their ends, equal in both directions.
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
