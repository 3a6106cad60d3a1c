//! Plans a pattern search: the order in which the pattern's vertices are searched, and the conditions on each vertex.

use super::Pattern;
use super::symmetry::{bounds, members};

/// Maximum number of vertices in a pattern for which all orders are compared. For larger patterns, the plan selects one
/// vertex after the other.
const MOST_PLANNED: usize = 12;

/// A vertex of a pattern at its level of the search. Sets of earlier levels are bit sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// The vertex of the pattern.
    pub vertex: u8,
    /// The required label, as an index into the pattern's labels plus 1; 0 if any label is accepted.
    pub label: u8,
    /// The minimum number of neighbours of a matching vertex.
    pub least_degree: u32,
    /// The earlier levels whose vertices must be adjacent to this one.
    pub adjacent: u32,
    /// The earlier levels whose vertices must not be adjacent to this one.
    pub apart: u32,
    /// The earlier levels whose vertices must come after this one in the order of the graph.
    pub below: u32,
    /// The earlier levels whose vertices must be compared with this one, because they could be the same vertex.
    pub distinct: u32,
}

/// The plan of a depth-first search. Each level finds one vertex in the lists of earlier vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternPlan {
    levels: Vec<Level>,
    /// Whether lists are searched only for vertices that precede the owner of the list.
    smaller: bool,
}

impl PatternPlan {
    /// Plans the search for a pattern in a graph with a total of `neighbours` neighbours. `powers(v, k)` returns the
    /// sum of the `k`-th powers of degrees, over all vertices of the graph that have the label and at least the degree
    /// of the pattern's vertex `v`. If `induced` is true, vertices that are not adjacent in the pattern must not be
    /// adjacent in the graph.
    ///
    /// The plan uses the order for which the search is expected to visit the fewest partial matches. The expected
    /// number of partial matches is that in a graph with random edges and the same degrees. Ties go to the order whose
    /// first vertices have more neighbours, then to the order whose first vertices are closer to all others.
    pub fn new(pattern: &Pattern, induced: bool, neighbours: u64, powers: impl Fn(usize, u32) -> f64) -> Self {
        Self::in_order(pattern, induced, &order(pattern, &Estimate::new(pattern, neighbours, powers)))
    }

    /// Returns the plan for a given order. Every vertex except the first must have an earlier neighbour.
    fn in_order(pattern: &Pattern, induced: bool, order: &[usize]) -> Self {
        let below = bounds(pattern, order);
        let mut levels: Vec<Level> = Vec::with_capacity(order.len());
        for (place, &vertex) in order.iter().enumerate() {
            let joined = |other: &usize| pattern.neighbors(vertex) >> order[*other] & 1 == 1;
            let adjacent = (0..place).filter(joined).fold(0, |set, other| set | 1u32 << other);
            let others = ((1u64 << place) - 1) as u32 & !adjacent;
            let labels = |other: usize| (pattern.label(vertex), pattern.label(order[other]));
            let differs = |other: &usize| matches!(labels(*other), (Some(one), Some(other)) if one != other);
            let labelled_apart = (0..place).filter(differs).fold(0, |set, other| set | 1u32 << other);
            levels.push(Level {
                vertex: vertex as u8,
                label: pattern.label(vertex).map_or(0, |label| label + 1),
                least_degree: pattern.degree(vertex),
                adjacent,
                apart: if induced { others } else { 0 },
                below: below[place],
                // Vertices certainly differ if they are adjacent, if one must precede the other, or if they have
                // different labels.
                distinct: others & !below[place] & !labelled_apart,
            });
        }
        let smaller = levels.iter().all(|level| (level.adjacent | level.apart) & !level.below == 0);
        if smaller {
            // Such lists are shorter than the degree. Missing neighbours are detected at later levels.
            levels.iter_mut().for_each(|level| level.least_degree = 0);
        }
        Self { levels, smaller }
    }

    /// Returns the levels of the search, in order.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Returns the number of vertices.
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Returns whether there are no vertices; always false, because every pattern has at least one vertex.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Returns whether any vertex of the pattern has a label.
    pub fn reads_labels(&self) -> bool {
        self.levels.iter().any(|level| level.label > 0)
    }

    /// Returns whether the search only uses neighbours that precede the owner of a list in the order of the graph, as
    /// for cliques. If so, one direction of each edge is enough.
    pub fn asks_for_smaller_alone(&self) -> bool {
        self.smaller
    }

    /// Returns whether the number of matches at the last level can be derived from the length of a single list.
    pub fn counts_by_length(&self) -> bool {
        let last = self.levels.last().filter(|_| self.levels.len() > 1);
        last.is_some_and(|last| last.apart == 0 && last.adjacent.count_ones() == 1)
    }
}

/// The expected numbers of occurrences of a pattern's parts in a graph.
struct Estimate<'a> {
    pattern: &'a Pattern,
    /// The logarithm of the number of neighbours.
    neighbours: f64,
    /// The logarithms of the sums of degree powers, for each vertex of the pattern.
    powers: Vec<Vec<f64>>,
}

impl<'a> Estimate<'a> {
    fn new(pattern: &'a Pattern, neighbours: u64, powers: impl Fn(usize, u32) -> f64) -> Self {
        let logarithm = |value: f64| value.max(f64::MIN_POSITIVE).ln();
        let of_vertex = |v: usize| (0..=pattern.degree(v)).map(|power| logarithm(powers(v, power))).collect();
        let powers = (0..pattern.num_vertices()).map(of_vertex).collect();
        Self { pattern, neighbours: logarithm(neighbours as f64), powers }
    }

    /// Returns the expected number of occurrences of the part with the given vertices. The probability of an edge is
    /// assumed to be proportional to the product of the degrees at its ends (F. Chung, L. Lu: Connected components in
    /// random graphs with given expected degree sequences. Annals of Combinatorics 6, 2002).
    fn occurrences(&self, part: u32) -> f64 {
        let joined = |v: usize| (self.pattern.neighbors(v) & part).count_ones();
        let vertices: f64 = members(part).map(|v| self.powers[v][joined(v) as usize]).sum();
        let edges = members(part).map(joined).sum::<u32>() / 2;
        (vertices - f64::from(edges) * self.neighbours).exp()
    }
}

/// Returns the order of vertices for which a search is expected to visit the fewest partial matches. Every vertex
/// except the first has an earlier neighbour.
fn order(pattern: &Pattern, estimate: &Estimate<'_>) -> Vec<usize> {
    let all = pattern.num_vertices();
    let far: Vec<usize> = (0..all).map(|v| distances(pattern, v)).collect();
    let next = |part: u32| {
        let around = members(part).fold(0, |around, v| around | pattern.neighbors(v)) & !part;
        members(if part == 0 { ((1u64 << all) - 1) as u32 } else { around })
    };
    // The cost of a part: the number of partial matches that a search visits from this part on. For large patterns, the
    // cost is the number of occurrences of this part only.
    let rest = if all <= MOST_PLANNED {
        let mut rest = vec![0.0; 1 << all];
        // The number of complete matches is the same in every order.
        for part in (1..(1u32 << all) - 1).rev() {
            let least = next(part).map(|v| rest[(part | 1 << v) as usize]).fold(f64::INFINITY, f64::min);
            rest[part as usize] = estimate.occurrences(part) + least;
        }
        rest
    } else {
        Vec::new()
    };
    let cost = |part: u32| rest.get(part as usize).copied().unwrap_or_else(|| estimate.occurrences(part));
    let (mut order, mut taken) = (Vec::with_capacity(all), 0u32);
    while order.len() < all {
        let least = next(taken).map(|v| cost(taken | 1 << v)).fold(f64::INFINITY, f64::min);
        // Sums of logarithms in a different order differ in the last bits.
        let among = next(taken).filter(|v| cost(taken | 1 << v) <= least * (1.0 + 1e-9));
        // A connected pattern always has a next vertex.
        let Some(next) = among.min_by_key(|&v| (std::cmp::Reverse(pattern.degree(v)), far[v], v)) else { break };
        taken |= 1 << next;
        order.push(next);
    }
    order
}

/// Returns the sum of the distances from a vertex to all other vertices.
fn distances(pattern: &Pattern, from: usize) -> usize {
    let (mut reached, mut sum) = (1u32 << from, 0);
    for distance in 1..pattern.num_vertices() {
        let next = members(reached).fold(reached, |all, v| all | pattern.neighbors(v));
        sum += distance * (next & !reached).count_ones() as usize;
        reached = next;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn plan(text: &str, induced: bool) -> PatternPlan {
        PatternPlan::new(&Pattern::parse(text).unwrap(), induced, 8000, |_, power| 1000.0 * 8f64.powi(power as i32))
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
        let plan = PatternPlan::new(&pattern, false, 8000, |v, power| {
            (if v == 3 { 2.0 } else { 900.0 }) * 8f64.powi(power as i32)
        });
        let vertices: Vec<u8> = plan.levels().iter().map(|level| level.vertex).collect();
        assert_eq!(vertices, [3, 2, 1, 0]);
        assert_eq!(plan.levels()[0].label, 1);
        assert_eq!(plan.levels()[3].label, 2);
        assert!(plan.reads_labels() && plan.counts_by_length());
    }

    #[test]
    fn a_cycle_is_closed_before_a_tail_is_walked() {
        let pattern = Pattern::parse("0 1\n1 2\n2 0\n2 3\n3 4\n4 5").unwrap();
        let plan = PatternPlan::new(&pattern, false, 16_000, |v, power| {
            // The labels of the tail are slightly less frequent.
            [1000.0, 1000.0, 990.0, 950.0, 940.0, 930.0][v] * 16f64.powi(power as i32)
        });
        let vertices: Vec<u8> = plan.levels().iter().map(|level| level.vertex).collect();
        assert_eq!(vertices, [2, 0, 1, 3, 4, 5]);
    }

    #[test]
    fn large_patterns_are_planned_in_no_time() {
        let path: String = (1..32).map(|v| format!("{} {v}\n", v - 1)).collect();
        let vertices: BTreeSet<u8> = plan(&path, false).levels().iter().map(|level| level.vertex).collect();
        assert_eq!(vertices.len(), 32);
    }

    #[test]
    fn vertices_with_different_labels_are_distinct_without_a_test() {
        let pattern = Pattern::parse("0 1\n0 2\n0 3\nv 1 a\nv 2 b\nv 3 a\nv 0 c").unwrap();
        let plan = PatternPlan::new(&pattern, false, 8000, |_, power| 1000.0 * 8f64.powi(power as i32));
        let found: Vec<_> = plan.levels().iter().map(|level| (level.vertex, level.below, level.distinct)).collect();
        assert_eq!(found, [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0b10, 0)]);
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
