//! Radius and diameter by sketches: the number of hops after which the reach of vertices stops growing.
//!
//! Every vertex keeps sixteen bit patterns that estimate the number of vertices that reach it (P. Flajolet, G. N.
//! Martin, 1985); each hop joins those of its in-neighbours (U. Kang et al., "HADI", TKDD 2011). Radii are at most the
//! true ones, and mostly equal them; the error of estimated pairs within a hop is about a fifth. A hop takes a scan
//! over the edges of vertices whose patterns have changed.

use crate::priority::priority;
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, Outline, Output, Scalar, Start, Summary, edge_kernel,
    vertex_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// Sketches of who reaches each vertex.
#[gts_attributes]
pub struct Sketches {
    /// Patterns of all within the hops so far.
    #[wa(init = 0, merge = or)]
    pub sketch: [u32; 16],
    /// Those being gathered.
    #[wa(init = 0, merge = or)]
    pub next: [u32; 16],
    /// The last hop that brought anyone new.
    #[wa(init = 0, merge = max)]
    pub radius: u32,
    /// Estimate of the pairs of a vertex and one that reaches it within the hops.
    #[global(merge = sum)]
    pub pairs: f64,
}

/// Returns a bit whose position is p with probability 1 / 2^(p + 1), for a vertex and a pattern.
#[gts_fn]
fn first_bit(vertex: u64, pattern: u64) -> u32 {
    1 << (priority(1, vertex * 16 + pattern) | 0x8000_0000).trailing_zeros()
}

#[gts_kernel(vertex)]
fn begin(sketches: &mut Sketches, v: Vertex) {
    for pattern in 0..16 {
        sketches.sketch[v][pattern] = first_bit(v as u64, pattern);
    }
    activate(v);
}

#[gts_kernel(traverse)]
fn spread(sketches: &mut Sketches, src: Vertex, dst: Vertex) {
    for pattern in 0..16 {
        sketches.next[dst][pattern].fetch_or(sketches.sketch[src][pattern]);
    }
}

#[gts_kernel(vertex)]
fn join(sketches: &mut Sketches, v: Vertex) {
    let mut grown = false;
    let mut ones: u32 = 0;
    for pattern in 0..16 {
        let before = sketches.sketch[v][pattern];
        let after = before | sketches.next[v][pattern];
        if after != before {
            grown = true;
            sketches.sketch[v][pattern] = after;
        }
        ones += (!after).trailing_zeros();
    }
    // 2 to the mean place of the first gap, corrected for its bias.
    let two: f64 = 2.0;
    sketches.pairs += two.powf(ones as f64 / 16.0) / 0.773_51;
    if grown {
        sketches.radius[v] = step();
        activate(v);
    }
}

/// Growth of the reach of vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Radii {
    /// For each vertex, in the order of the original IDs, hops from the farthest vertex that reaches it, or fewer.
    pub radii: Vec<u32>,
    /// Estimated number of pairs within 0, 1, 2 and so on hops, up to the largest radius.
    pub pairs: Vec<f64>,
}

impl Radii {
    /// Returns the hops within which nine of ten connected pairs are, interpolated between whole numbers.
    pub fn effective_diameter(&self) -> f64 {
        let goal = 0.9 * self.pairs.last().copied().unwrap_or(0.0);
        match self.pairs.iter().position(|pairs| *pairs >= goal) {
            None | Some(0) => 0.0,
            Some(hop) => hop as f64 - (self.pairs[hop] - goal) / (self.pairs[hop] - self.pairs[hop - 1]),
        }
    }
}

/// Returns the radius of every vertex, and the number of pairs within each number of hops.
///
/// # Errors
///
/// As for [`Run::advance`].
///
/// # Examples
///
/// ```
/// use gts_algorithms::radius::radius;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::from_edges([(0, 1), (1, 2), (2, 3)]).expect("sound edges");
/// let found = radius(&mut Engine::cpu()?.start(&graph)?)?;
/// assert_eq!(found.radii, [0, 1, 2, 3]);
/// # Ok::<(), Error>(())
/// ```
pub fn radius(run: &mut Run<Sketches>) -> Result<Radii> {
    run.apply(begin)?;
    let (mut pairs, mut hop) = (vec![run.graph().num_vertices() as f64], 0);
    while run.frontier_size()? > 0 {
        run.advance(spread)?;
        hop += 1;
        run.set_step(hop);
        run.apply(join)?;
        pairs.push(run.global(Sketches::PAIRS)?);
    }
    // The last hop found nothing new.
    pairs.pop();
    Ok(Radii { radii: run.take(Sketches::RADIUS)?, pairs })
}

fn run(engine: &Engine, graph: &Graph, _: &Arguments) -> Result<Answer> {
    let found = radius(&mut engine.start(graph)?)?;
    let [least, most] =
        [summaries::smallest(&found.radii), summaries::largest(&found.radii)].map(Option::unwrap_or_default);
    Ok(Answer::new()
        .scalar("smallest", Scalar::Unsigned(least.into()))
        .scalar("diameter", Scalar::Unsigned(most.into()))
        .scalar("effective_diameter", Scalar::Real(found.effective_diameter()))
        .vertices("radius", found.radii))
}

register! {
    Algorithm::new("radius", "Radius and diameter, estimated by sketches", run)
        .kind(AlgorithmKind::Measures)
        .aliases(&["diameter"])
        .help("Follows edges forward: the radius of a vertex is the number of hops from the farthest one that reaches it. \
               Those found are at most the true ones. For exact ones of some vertices take `eccentricity`.")
        .source("U. Kang, C. E. Tsourakakis, A. P. Appel, C. Faloutsos, J. Leskovec: HADI, mining radii of large graphs. \
                 ACM TKDD 5, 2011")
        .definition(
            Definition::forward(
                "`radius(v)` is an estimate of the largest `hops(u, v)` over the vertices `u` that reach `v`, and \
                 never above it.",
            ),
        )
        .outputs(&[
            Output::vertices("radius", &[ScalarType::U32], "Hops from the farthest vertex that reaches it, or fewer")
                .summary(Summary::Histogram),
            Output::scalar("smallest", "Smallest of them"),
            Output::scalar("diameter", "Largest of them"),
            Output::scalar("effective_diameter", "Hops within which nine of ten joined pairs are, estimated"),
        ])
        .kernels(&[vertex_kernel(begin), edge_kernel(spread), vertex_kernel(join)])
        .outline(|_, _| {
            let hop = Outline::while_active(Start::All, [edge_kernel(spread), vertex_kernel(join)]);
            Ok(hop.after([vertex_kernel(begin)]))
        })
        .check(crate::check::radius)
}
