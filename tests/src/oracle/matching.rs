//! Matches of a pattern by trying every map of its vertices, and all small graphs.

use std::collections::BTreeSet;

/// A graph whose vertices may have labels.
#[derive(Clone, Debug)]
pub struct Labelled {
    edges: BTreeSet<(u64, u64)>,
    labels: Vec<Option<String>>,
}

impl Labelled {
    /// Creates a graph of so many vertices; each edge counts both ways, loops not at all.
    pub fn new(vertices: u64, edges: &[(u64, u64)], label: impl Fn(u64) -> Option<String>) -> Self {
        let both = edges.iter().filter(|(u, v)| u != v).flat_map(|&(u, v)| [(u, v), (v, u)]);
        Self { edges: both.collect(), labels: (0..vertices).map(label).collect() }
    }

    /// Returns how often a pattern occurs: the maps of its vertices over its maps into itself.
    pub fn matches(&self, pattern: &Self, induced: bool) -> u128 {
        let own = |v: u64, w: u64| pattern.labels[v as usize] == pattern.labels[w as usize];
        let fits = |v: u64, w: u64| {
            let label = &pattern.labels[v as usize];
            label.is_none() || *label == self.labels[w as usize]
        };
        let symmetries = pattern.maps(pattern, true, &own, &mut Vec::new());
        let all = self.maps(pattern, induced, &fits, &mut Vec::new());
        assert_eq!(all % symmetries, 0);
        all / symmetries
    }

    /// The ways to go on with a map of the first vertices of a pattern.
    fn maps(&self, pattern: &Self, induced: bool, fits: &dyn Fn(u64, u64) -> bool, images: &mut Vec<u64>) -> u128 {
        let v = images.len() as u64;
        if images.len() == pattern.labels.len() {
            return 1;
        }
        let mut count = 0;
        for w in 0..self.labels.len() as u64 {
            let joined = (0..).zip(images.iter()).all(|(u, &image)| {
                let (wanted, found) = (pattern.edges.contains(&(u, v)), self.edges.contains(&(image, w)));
                found == wanted || (found && !induced)
            });
            if joined && !images.contains(&w) && fits(v, w) {
                images.push(w);
                count += self.maps(pattern, induced, fits, images);
                images.pop();
            }
        }
        count
    }
}

/// A graph of a few vertices.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The number of vertices.
    pub vertices: usize,
    /// The edges, each once.
    pub edges: Vec<(usize, usize)>,
}

impl Shape {
    /// Returns whether paths lead from the first vertex to all others.
    pub fn is_connected(&self) -> bool {
        let mut reached = BTreeSet::from([0]);
        for _ in 0..self.vertices {
            for &(u, v) in &self.edges {
                if reached.contains(&u) || reached.contains(&v) {
                    reached.extend([u, v]);
                }
            }
        }
        reached.len() == self.vertices
    }

    /// Returns the graph without labels.
    pub fn labelled(&self) -> Labelled {
        let edges: Vec<_> = self.edges.iter().map(|&(u, v)| (u as u64, v as u64)).collect();
        Labelled::new(self.vertices as u64, &edges, |_| None)
    }
}

/// Returns every graph of so many vertices, of those that differ in the names of vertices alone one.
pub fn shapes(vertices: usize) -> Vec<Shape> {
    let pairs: Vec<(usize, usize)> = (0..vertices).flat_map(|v| (0..v).map(move |u| (u, v))).collect();
    let mut orders = vec![Vec::new()];
    for _ in 0..vertices {
        let longer = |order: &Vec<usize>| {
            let order = order.clone();
            (0..vertices).filter(move |v| !order.contains(v)).collect::<Vec<_>>()
        };
        orders =
            orders.iter().flat_map(|order| longer(order).into_iter().map(|v| [&order[..], &[v]].concat())).collect();
    }
    let place = |u: usize, v: usize| pairs.iter().position(|&pair| pair == (u.min(v), u.max(v))).unwrap_or(0);
    // Where each pair goes, for each order of the vertices.
    let moves: Vec<Vec<usize>> =
        orders.iter().map(|order| pairs.iter().map(|&(u, v)| place(order[u], order[v])).collect()).collect();
    let mut seen = vec![false; 1 << pairs.len()];
    let mut found = Vec::new();
    for set in 0..seen.len() {
        if seen[set] {
            continue;
        }
        for moved in &moves {
            let there = moved.iter().enumerate().filter(|(pair, _)| set >> pair & 1 == 1);
            seen[there.fold(0, |image, (_, to)| image | 1 << to)] = true;
        }
        let edges = pairs.iter().enumerate().filter(|(pair, _)| set >> pair & 1 == 1).map(|(_, &pair)| pair);
        found.push(Shape { vertices, edges: edges.collect() });
    }
    found
}
