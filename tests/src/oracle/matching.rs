//! Counts and lists matches of a pattern by trying all maps of its vertices, and generates all small graphs.

use std::collections::BTreeSet;

/// An undirected graph of at most 64 vertices with optional labels.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// Set of neighbours of each vertex, one bit per neighbour.
    neighbours: Vec<u64>,
    labels: Vec<Option<String>>,
}

impl Labelled {
    /// Creates a graph with `vertices` vertices. Edges are undirected, and loops are ignored.
    pub fn new(vertices: u64, edges: &[(u64, u64)], label: impl Fn(u64) -> Option<String>) -> Self {
        let mut neighbours = vec![0; vertices as usize];
        for &(u, v) in edges.iter().filter(|(u, v)| u != v) {
            neighbours[u as usize] |= 1 << v;
            neighbours[v as usize] |= 1 << u;
        }
        Self { neighbours, labels: (0..vertices).map(label).collect() }
    }

    /// Returns the number of automorphisms.
    pub fn symmetries(&self) -> u128 {
        self.maps(self, true, &|v, w| self.labels[v] == self.labels[w], &mut Vec::new(), &mut |_| ())
    }

    /// Returns the number of matches of a pattern that has `symmetries` automorphisms.
    pub fn matches(&self, pattern: &Self, symmetries: u128, induced: bool) -> u128 {
        let fits = |v: usize, w: usize| pattern.labels[v].is_none() || pattern.labels[v] == self.labels[w];
        let all = self.maps(pattern, induced, &fits, &mut Vec::new(), &mut |_| ());
        assert_eq!(all % symmetries, 0);
        all / symmetries
    }

    /// Returns the rows that a listing must contain: the images of a pattern's vertices, in order. Of all rows that
    /// differ only by an automorphism, the listing contains the smallest.
    pub fn rows(&self, pattern: &Self, induced: bool) -> BTreeSet<Vec<usize>> {
        let mut symmetries = Vec::new();
        let same = |v: usize, w: usize| pattern.labels[v] == pattern.labels[w];
        pattern.maps(pattern, true, &same, &mut Vec::new(), &mut |images| symmetries.push(images.to_vec()));
        let fits = |v: usize, w: usize| pattern.labels[v].is_none() || pattern.labels[v] == self.labels[w];
        let mut rows = BTreeSet::new();
        self.maps(pattern, induced, &fits, &mut Vec::new(), &mut |images| {
            let moved = |symmetry: &Vec<usize>| symmetry.iter().map(|&v| images[v]).collect();
            rows.extend(symmetries.iter().map(moved).min());
        });
        rows
    }

    /// Extends a map of the pattern's first vertices in all possible ways. Passes each complete map to a function and
    /// returns the number of such maps.
    fn maps(
        &self,
        pattern: &Self,
        induced: bool,
        fits: &dyn Fn(usize, usize) -> bool,
        images: &mut Vec<usize>,
        tell: &mut dyn FnMut(&[usize]),
    ) -> u128 {
        let v = images.len();
        if v == pattern.labels.len() {
            tell(images);
            return 1;
        }
        let mut count = 0;
        for w in 0..self.labels.len() {
            let joined = images.iter().enumerate().all(|(u, &image)| {
                let (wanted, found) = (pattern.neighbours[v] >> u & 1, self.neighbours[w] >> image & 1);
                found == wanted || (found == 1 && !induced)
            });
            if joined && !images.contains(&w) && fits(v, w) {
                images.push(w);
                count += self.maps(pattern, induced, fits, images, tell);
                images.pop();
            }
        }
        count
    }
}

/// A small undirected graph.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Number of vertices.
    pub vertices: usize,
    /// Edges, each listed once.
    pub edges: Vec<(usize, usize)>,
}

impl Shape {
    /// Returns whether the graph is connected.
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

/// Returns all graphs with `vertices` vertices, one of each isomorphism class.
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
    // Image of each pair of vertices, for each permutation of the vertices.
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
