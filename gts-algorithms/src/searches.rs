//! Searches from up to 64 vertices at once, with one bit each.
//!
//! A vertex records the searches that reached it, and passes on those that arrived in the last step (M. Then et al.,
//! "The more the merrier: efficient multi-source graph traversal", PVLDB 2014). Searches that meet share their passes:
//! 64 of them take little more than the time of one if distances are small.

use gts_graph::contract::Side;
use gts_graph::prelude::*;

/// Number of searches at once.
pub const SEARCHES: usize = 64;

/// Where the searches have been.
#[gts_attributes]
pub struct Searches {
    /// Searches that have been here.
    #[wa(init = 0, merge = or)]
    pub seen: u64,
    /// Those that came in the last step, in active vertices.
    #[wa(init = 0, merge = or)]
    pub fresh: u64,
    /// Those that come in this step.
    #[wa(init = 0, merge = or)]
    pub next: u64,
    /// Vertices that each search reached in the last step.
    #[global(merge = sum)]
    pub reached: [u64; 64],
}

#[gts_kernel(traverse)]
pub(crate) fn extend(searches: &mut Searches, src: Vertex, dst: Vertex) {
    let found = searches.fresh[src] & !searches.seen[dst];
    if found != 0 {
        searches.next[dst].fetch_or(found);
        activate(dst);
    }
}

#[gts_kernel(traverse(in))]
pub(crate) fn extend_back(searches: &mut Searches, src: Vertex, dst: Vertex) {
    let found = searches.fresh[src] & !searches.seen[dst];
    if found != 0 {
        searches.next[dst].fetch_or(found);
        activate(dst);
    }
}

#[gts_kernel(vertex)]
pub(crate) fn arrive(searches: &mut Searches, v: Vertex) {
    let mut rest = searches.next[v];
    searches.seen[v] |= rest;
    searches.fresh[v] = rest;
    searches.next[v] = 0;
    activate(v);
    while rest != 0 {
        searches.reached[rest.trailing_zeros()] += 1;
        rest &= rest - 1;
    }
}

/// Result of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Number of reached vertices, without the source.
    pub vertices: u64,
    /// Sum of their distances, in hops.
    pub distances: u64,
    /// The largest distance.
    pub farthest: u32,
}

/// Returns the result of a search from each of these vertices, in the order of `sources`. Searches follow edges forward
/// or, if `side` is [`Side::In`], backward.
///
/// # Errors
///
/// As for [`Run::advance`].
///
/// # Examples
///
/// ```
/// use gts_algorithms::searches::{Reach, searches};
/// use gts_graph::contract::Side;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::from_edges([(0, 1), (1, 2), (0, 3)]).expect("sound edges");
/// let sources = [graph.vertex(0)?, graph.vertex(2)?];
/// let found = searches(&mut Engine::cpu()?.start(&graph)?, &sources, Side::Out)?;
/// assert_eq!(found, [Reach { vertices: 3, distances: 4, farthest: 2 }, Reach::default()]);
/// # Ok::<(), Error>(())
/// ```
pub fn searches(run: &mut Run<Searches>, sources: &[Vertex], side: Side) -> Result<Vec<Reach>> {
    let mut reaches = memory::reserved("what searches find", sources.len())?;
    for sources in sources.chunks(SEARCHES) {
        run.fill(Searches::SEEN, 0)?;
        run.clear_frontier()?;
        for (bit, &source) in sources.iter().enumerate() {
            let seen = run.get(Searches::SEEN, source)? | 1 << bit;
            run.set(Searches::SEEN, source, seen)?;
            run.set(Searches::FRESH, source, seen)?;
            run.activate(source)?;
        }
        let mut found = vec![Reach::default(); sources.len()];
        let mut distance = 0;
        while match side {
            Side::In => run.advance(extend_back)?,
            Side::Out => run.advance(extend)?,
        } > 0
        {
            run.apply_active(arrive)?;
            distance += 1;
            for (reach, vertices) in found.iter_mut().zip(run.global(Searches::REACHED)?) {
                if vertices > 0 {
                    reach.vertices += vertices;
                    reach.distances += vertices * u64::from(distance);
                    reach.farthest = distance;
                }
            }
        }
        reaches.append(&mut found);
    }
    Ok(reaches)
}
