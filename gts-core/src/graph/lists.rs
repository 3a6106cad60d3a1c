//! Classifies pages by the density of their lists.

use super::degrees::{DegreeClass, DegreeSpread};
use crate::graph::{PageId, VertexOrder};
use crate::hash::GOLDEN;
use crate::page::{LANES, PageImbalance, Topology};
use crate::parallel::*;
use std::ops::Range;

/// The number of density classes. A class covers a factor of two in entries per vertex, from below 1 to 2^14 and above.
const CLASSES: usize = 16;
/// The number of sampled vertices that represent a graph before it is generated.
const SAMPLE: usize = 1 << 15;
/// The number of sampled vertices that represent a page.
const SAMPLE_PAGE: usize = 1 << 10;
/// The number of pages, and the number of entries per page, that are sampled for [`ListShape::local`].
const SAMPLED_PAGES: usize = 64;
const SAMPLED_ENTRIES: u32 = 2048;
/// The number of preceding entries that an entry is compared with.
const NEAR: usize = 256;
/// The number of four-byte values in a 32-byte sector.
const VALUES_A_SECTOR: u64 = 8;
/// Minimum number of pages per counting task.
const PAGES_AT_ONCE: usize = 16;

/// A class of small pages with similar numbers of entries per vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListClass {
    /// The number of pages in the class.
    pub pages: f64,
    /// The number of vertices in these pages.
    pub vertices: f64,
    /// The number of entries in these pages.
    pub entries: f64,
    /// The number of lane-steps for these pages, for each number of lanes in [`LANES`].
    pub lane_steps: [f64; LANES.len()],
    /// The number of entries in the longest list.
    pub longest: f64,
}

impl ListClass {
    const NONE: Self = Self { pages: 0.0, vertices: 0.0, entries: 0.0, lane_steps: [0.0; LANES.len()], longest: 0.0 };

    /// Creates a class that contains a single page.
    pub fn of_page(vertices: u64, entries: u64, imbalance: &PageImbalance) -> Self {
        let entries = entries as f64;
        let lane_steps = imbalance.factors.map(|factor| factor * entries);
        Self { pages: 1.0, vertices: vertices as f64, entries, lane_steps, longest: imbalance.longest }
    }

    fn add(&mut self, other: &Self) {
        self.pages += other.pages;
        self.vertices += other.vertices;
        self.entries += other.entries;
        self.lane_steps.iter_mut().zip(other.lane_steps).for_each(|(sum, more)| *sum += more);
        self.longest = self.longest.max(other.longest);
    }

    fn scale_by(&mut self, factor: f64) {
        self.pages *= factor;
        self.vertices *= factor;
        self.entries *= factor;
        self.lane_steps.iter_mut().for_each(|steps| *steps *= factor);
    }

    fn density(&self) -> usize {
        let density = self.entries / self.vertices.max(1.0);
        if density < 1.0 { 0 } else { (1 + density.log2() as usize).min(CLASSES - 1) }
    }
}

/// The lists of a topology, summarised by density.
#[derive(Clone, Debug, PartialEq)]
pub struct ListShape {
    /// The small pages by density, sparsest first, without empty classes.
    pub classes: Vec<ListClass>,
    /// The number of entries in large pages.
    pub large_entries: f64,
    /// The share of entries that are near one of the 256 preceding entries, estimated from a sample. Two entries are
    /// near each other if their vertices' attribute values lie in the same 32 bytes.
    pub local: f64,
}

impl ListShape {
    /// Summarises the lists of a topology. `lengths` contains the length of each list.
    pub fn of(topology: &Topology, lengths: &[u32]) -> Self {
        let pages = topology.small_pages().par_iter().with_min_len(PAGES_AT_ONCE);
        let empty = || [ListClass::NONE; CLASSES];
        let together = |mut sums: [ListClass; CLASSES], class: &ListClass| {
            sums[class.density()].add(class);
            sums
        };
        let add = |sums, &page: &PageId| together(sums, &Self::of_page(topology, lengths, page));
        let classes = pages.fold(empty, add, |mut sums, others| {
            sums.iter_mut().zip(&others).for_each(|(sum, other)| sum.add(other));
            sums
        });
        Self { local: local(topology), ..Self::new(classes, topology.num_edges() as f64) }
    }

    /// Returns the class that contains a single small page of a topology.
    pub fn of_page(topology: &Topology, lengths: &[u32], page: PageId) -> ListClass {
        let Range { start, end } = topology.rvt().vertices(page);
        let entries = lengths[start as usize..end as usize].iter().map(|&length| u64::from(length)).sum();
        ListClass::of_page(end - start, entries, &topology.imbalance().page(page))
    }

    /// Estimates the lists of a graph before it is generated, from its degree classes and its vertex order.
    /// `longest_small` is the maximum length of a list in a small page.
    pub(crate) fn estimated(
        classes: &[DegreeClass],
        order: VertexOrder,
        (small_pages, longest_small, edges): (f64, f64, f64),
    ) -> Self {
        let lengths = sampled(classes, order, longest_small);
        let mut sums = [ListClass::NONE; CLASSES];
        for lists in lengths.chunks(SAMPLE_PAGE) {
            let entries = lists.iter().map(|&length| u64::from(length)).sum();
            let page = ListClass::of_page(lists.len() as u64, entries, &PageImbalance::of(lists));
            sums[page.density()].add(&page);
        }
        let vertices: f64 = classes.iter().map(|class| class.vertices).sum();
        let sampled: f64 = sums.iter().map(|class| class.vertices).sum();
        for class in &mut sums {
            class.scale_by(vertices / sampled.max(1.0));
            class.pages = small_pages * class.vertices / vertices.max(1.0);
        }
        // The sample usually lacks the few vertices with the most edges.
        let longest = classes.iter().map(DegreeClass::most).filter(|&most| most <= longest_small).fold(0.0, f64::max);
        if let Some(densest) = sums.iter_mut().rev().find(|class| class.entries > 0.0) {
            densest.longest = densest.longest.max(longest);
        }
        Self::new(sums, edges)
    }

    fn new(classes: [ListClass; CLASSES], edges: f64) -> Self {
        let classes: Vec<_> = classes.into_iter().filter(|class| class.entries > 0.0).collect();
        let small: f64 = classes.iter().map(|class| class.entries).sum();
        Self { classes, large_entries: (edges - small).max(0.0), local: 0.0 }
    }

    /// Returns the total number of entries in all pages.
    pub fn entries(&self) -> f64 {
        self.classes.iter().map(|class| class.entries).sum::<f64>() + self.large_entries
    }
}

/// Estimates the share of entries near preceding entries from a sample of the pages in memory. Returns 0 if no page is
/// in memory.
fn local(topology: &Topology) -> f64 {
    let pages = topology.small_pages();
    let stride = (pages.len() / SAMPLED_PAGES).max(1);
    let sampled: Vec<_> = pages.iter().step_by(stride).filter_map(|&page| topology.page(page)).collect();
    let [near, all] = sampled
        .into_par_iter()
        .map(|page| {
            let first = (page.num_entries() / 2).saturating_sub(SAMPLED_ENTRIES / 2);
            let mut recent = [u64::MAX; NEAR];
            let (mut near, mut all) = (0u64, 0u64);
            for (place, vertex) in page.neighbors(first..first + SAMPLED_ENTRIES).enumerate() {
                let sector = vertex.dense() / VALUES_A_SECTOR;
                near += u64::from(place >= NEAR && recent.contains(&sector));
                all += u64::from(place >= NEAR);
                recent[place % NEAR] = sector;
            }
            [near, all]
        })
        .reduce(|| [0; 2], |one, other| [one[0] + other[0], one[1] + other[1]]);
    if all > 0 { near as f64 / all as f64 } else { 0.0 }
}

/// Returns the list lengths of a sample of the vertices, in vertex order: descending for degree order, otherwise
/// random.
fn sampled(classes: &[DegreeClass], order: VertexOrder, longest: f64) -> Vec<u32> {
    let all: f64 = classes.iter().map(|class| class.vertices).sum();
    let mut random = GOLDEN;
    let mut draw = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut lengths: Vec<u32> = (0..SAMPLE)
        .map(|_| {
            let mut at = draw() * all;
            let of = |class: &&DegreeClass| {
                at -= class.vertices;
                at <= 0.0
            };
            let class = classes.iter().find(of).or(classes.last());
            let length = class.map_or(0.0, |class| match class.spread {
                DegreeSpread::Even => (class.out_degree + draw()).floor(),
                DegreeSpread::Poisson => poisson(class.out_degree, &mut draw),
            });
            // Longer lists are in large pages.
            if length > longest { 0 } else { length as u32 }
        })
        .collect();
    if order == VertexOrder::Degree {
        lengths.sort_unstable_by(|a, b| b.cmp(a));
    }
    lengths
}

/// Draws from a Poisson distribution: exactly if the mean is small, otherwise from the normal approximation.
fn poisson(mean: f64, draw: &mut impl FnMut() -> f64) -> f64 {
    if mean > 64.0 {
        let normal = (-2.0 * (1.0 - draw()).ln()).sqrt() * (std::f64::consts::TAU * draw()).cos();
        return (mean + mean.sqrt() * normal).round().max(0.0);
    }
    let (limit, mut product, mut count) = ((-mean).exp(), draw(), 0.0);
    while product > limit {
        product *= draw();
        count += 1.0;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{BuildOptions, build};
    use crate::cost::estimate;
    use crate::generate::parse;
    use crate::graph::GraphShape;

    #[test]
    fn lists_of_a_made_graph_are_counted() {
        let options = BuildOptions { page_size: Some(4096), ..BuildOptions::default() };
        let (graph, _) = build(&mut parse("rmat:10").unwrap(), &options).unwrap();
        let lists = ListShape::of(graph.out_topology(), graph.out_degrees());
        assert_eq!(lists.entries(), graph.num_edges() as f64);
        let vertices: f64 = lists.classes.iter().map(|class| class.vertices).sum();
        assert!(vertices <= 1024.0 && lists.classes.len() > 1);
        for class in &lists.classes {
            assert!(class.lane_steps.iter().all(|&steps| steps >= 0.99 * class.entries), "{class:?}");
        }
    }

    #[test]
    fn estimates_are_near_what_is_counted() {
        for spec in ["uniform:14", "rmat:14", "grid:128x128"] {
            let options = BuildOptions { page_size: Some(1 << 16), ..BuildOptions::default() };
            let guessed = estimate(&parse(spec).unwrap(), &options).unwrap();
            let (graph, _) = build(&mut parse(spec).unwrap(), &options).unwrap();
            let made = GraphShape::of(&graph);
            assert!(
                (guessed.lists.local - made.lists.local).abs() < 0.2 || spec == "rmat:14",
                "{spec}: {}",
                made.lists.local
            );
            let longest = |lists: &ListShape| lists.classes.iter().map(|class| class.longest).fold(0.0, f64::max);
            let (guess, found) = (longest(&guessed.lists), longest(&made.lists));
            assert!((guess / found).ln().abs() < 0.7, "{spec}: {guess} for {found}");
            for lanes in [0, 2, 5] {
                let factor = |lists: &ListShape| {
                    let steps: f64 = lists.classes.iter().map(|class| class.lane_steps[lanes]).sum();
                    steps / lists.classes.iter().map(|class| class.entries).sum::<f64>()
                };
                let (guess, found) = (factor(&guessed.lists), factor(&made.lists));
                assert!((guess / found).ln().abs() < 0.8, "{spec}: {guess} for {found}");
            }
        }
    }
}
