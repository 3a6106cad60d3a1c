//! The order in which the vertices of a pattern are looked for, and what each must satisfy.

use super::Pattern;
use super::symmetry::{bounds, members};

/// A vertex of a pattern, at its place in the order of the search. Sets of earlier places have a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// The vertex of the pattern.
    pub vertex: u8,
    /// The label that a vertex must have: its place among those of the pattern, from 1; 0 where any will do.
    pub label: u8,
    /// The least number of neighbours that a vertex must have.
    pub least_degree: u32,
    /// The earlier places to which there must be an edge.
    pub adjacent: u32,
    /// The earlier places to which there must be none.
    pub apart: u32,
    /// The earlier places whose vertices must come after this one in the order of the graph.
    pub below: u32,
    /// The earlier places whose vertices could be this one, and must not.
    pub distinct: u32,
}

/// How a pattern is looked for: depth first, a vertex a level, each in the lists of earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternPlan {
    levels: Vec<Level>,
    /// Whether lists are asked for vertices alone that come before their own.
    smaller: bool,
}

impl PatternPlan {
    /// Plans the search for a pattern in a graph of `vertices` vertices with `neighbours` neighbours in all. `candidates` returns
    /// the number of vertices of the graph that have the label, and at least the degree, of a vertex of the pattern. With
    /// `induced`, vertices without an edge between them in the pattern must have none in the graph.
    ///
    /// The first vertex is the one with the fewest candidates. Each further one is that which is expected least often beside
    /// the earlier ones, as if edges lay at random. Of equal ones the one with more neighbours comes first, then the one
    /// nearer to all others.
    pub fn new(
        pattern: &Pattern,
        induced: bool,
        (vertices, neighbours): (u64, u64),
        candidates: impl Fn(usize) -> u64,
    ) -> Self {
        let all = pattern.num_vertices();
        let count: Vec<f64> = (0..all).map(|v| candidates(v) as f64).collect();
        let far: Vec<usize> = (0..all).map(|v| distances(pattern, v)).collect();
        // How likely there is an edge between two vertices.
        let edge = (neighbours as f64 / (vertices as f64).max(1.0).powi(2)).min(0.5);
        let mut order: Vec<usize> = Vec::with_capacity(all);
        let mut taken = 0u32;
        while order.len() < all {
            let open = (0..all).filter(|v| taken >> v & 1 == 0);
            let joined = open.filter(|&v| order.is_empty() || pattern.neighbours(v) & taken != 0);
            let expected = |v: usize| count[v] * edge.powi((pattern.neighbours(v) & taken).count_ones() as i32);
            let key = |v: usize| (expected(v), std::cmp::Reverse(pattern.degree(v)), far[v], v);
            let before = |a: &usize, b: &usize| {
                let (a, b) = (key(*a), key(*b));
                a.0.total_cmp(&b.0).then_with(|| (a.1, a.2, a.3).cmp(&(b.1, b.2, b.3)))
            };
            // A connected pattern has one.
            let Some(next) = joined.min_by(before) else { break };
            taken |= 1 << next;
            order.push(next);
        }
        Self::in_order(pattern, induced, &order)
    }

    /// Returns the plan for an order in which every vertex but the first has an earlier neighbour.
    fn in_order(pattern: &Pattern, induced: bool, order: &[usize]) -> Self {
        let below = bounds(pattern, order);
        let mut levels: Vec<Level> = Vec::with_capacity(order.len());
        for (place, &vertex) in order.iter().enumerate() {
            let joined = |other: &usize| pattern.neighbours(vertex) >> order[*other] & 1 == 1;
            let adjacent = (0..place).filter(joined).fold(0, |set, other| set | 1u32 << other);
            let others = ((1u64 << place) - 1) as u32 & !adjacent;
            levels.push(Level {
                vertex: vertex as u8,
                label: pattern.label(vertex).map_or(0, |label| label + 1),
                least_degree: pattern.degree(vertex),
                adjacent,
                apart: if induced { others } else { 0 },
                below: below[place],
                // Neighbours of a vertex are not that vertex, and neither is what comes before it.
                distinct: others & !below[place],
            });
        }
        let smaller = levels.iter().all(|level| (level.adjacent | level.apart) & !level.below == 0);
        if smaller {
            // Such lists are shorter than the degree; what a vertex lacks shows later.
            levels.iter_mut().for_each(|level| level.least_degree = 0);
        }
        Self { levels, smaller }
    }

    /// Returns the levels of the search, the first one first.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Returns the number of vertices.
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Returns whether there is no vertex, which no pattern is without.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Returns whether a vertex of the pattern has a label.
    pub fn reads_labels(&self) -> bool {
        self.levels.iter().any(|level| level.label > 0)
    }

    /// Returns whether the search looks in each list only for vertices that come before the list's own, in the order of the
    /// graph. The search for a clique does. Then half of each edge is enough.
    pub fn asks_for_smaller_alone(&self) -> bool {
        self.smaller
    }

    /// Returns whether the number of vertices for the last level follows from the length of one list alone.
    pub fn counts_by_length(&self) -> bool {
        let last = self.levels.last().filter(|_| self.levels.len() > 1);
        last.is_some_and(|last| last.label == 0 && last.apart == 0 && last.adjacent.count_ones() == 1)
    }
}

/// Returns the sum of the distances of a vertex to all others.
fn distances(pattern: &Pattern, from: usize) -> usize {
    let (mut reached, mut sum) = (1u32 << from, 0);
    for distance in 1..pattern.num_vertices() {
        let next = members(reached).fold(reached, |all, v| all | pattern.neighbours(v));
        sum += distance * (next & !reached).count_ones() as usize;
        reached = next;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str, induced: bool) -> PatternPlan {
        PatternPlan::new(&Pattern::parse(text).unwrap(), induced, (1000, 8000), |_| 1000)
    }

    #[test]
    fn a_triangle_descends_in_the_order_of_the_graph() {
        let plan = plan("0 1\n1 2\n2 0", false);
        let facts = |level: &Level| (level.adjacent, level.below, level.distinct, level.apart);
        let found: Vec<_> = plan.levels().iter().map(facts).collect();
        assert_eq!(found, [(0, 0, 0, 0), (1, 1, 0, 0), (3, 3, 0, 0)]);
        assert!(!plan.counts_by_length() && plan.asks_for_smaller_alone());
        assert!(plan.levels().iter().all(|level| level.least_degree == 0));
    }

    #[test]
    fn a_path_begins_in_its_middle_and_its_end_is_counted() {
        let plan = plan("0 1\n1 2\n2 3\n3 4", false);
        let vertices: Vec<u8> = plan.levels().iter().map(|level| level.vertex).collect();
        assert_eq!(vertices, [2, 1, 3, 0, 4]);
        let last = plan.levels()[4];
        assert_eq!((last.adjacent, last.below, last.distinct), (0b100, 0, 0b01011));
        assert!(plan.counts_by_length() && !plan.asks_for_smaller_alone());
        assert_eq!(plan.levels()[2].below, 0b10);
    }

    #[test]
    fn rare_labels_come_first() {
        let pattern = Pattern::parse("0 1\n1 2\n2 3\nv 3 rare\nv 0 often").unwrap();
        let plan = PatternPlan::new(&pattern, false, (1000, 8000), |v| if v == 3 { 2 } else { 900 });
        let vertices: Vec<u8> = plan.levels().iter().map(|level| level.vertex).collect();
        assert_eq!(vertices, [3, 2, 1, 0]);
        assert_eq!(plan.levels()[0].label, 1);
        assert_eq!(plan.levels()[3].label, 2);
        assert!(plan.reads_labels() && !plan.counts_by_length());
    }

    #[test]
    fn induced_patterns_keep_apart_what_has_no_edge() {
        let plan = plan("0 1\n1 2\n2 3\n3 0\n0 2", true);
        let facts = |level: &Level| (level.adjacent, level.apart, level.below, level.distinct);
        let found: Vec<_> = plan.levels().iter().map(facts).collect();
        assert_eq!(found, [(0, 0, 0, 0), (1, 0, 1, 0), (3, 0, 0, 0), (3, 4, 4, 0)]);
    }

    #[test]
    fn every_level_but_the_first_stands_in_an_earlier_list() {
        let star: String = (1..32).map(|leaf| format!("0 {leaf}\n")).collect();
        for text in ["0 1", "0 1\n1 2\n2 3\n3 4\n4 0\n1 4", &star] {
            for induced in [false, true] {
                let plan = plan(text, induced);
                assert!(plan.levels()[1..].iter().all(|level| level.adjacent != 0), "{text}");
                assert_eq!(plan.levels()[0].adjacent, 0);
            }
        }
    }
}
