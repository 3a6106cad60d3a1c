//! Chooses the technique of a kernel's passes. Plans and runs call the same function.

use super::strategies::{PassShape, Terms, has_techniques};
use crate::cost::algorithm::KernelShape;
use crate::cost::machine::ProcessorConstants;
use crate::graph::GraphShape;
use gts_contract::Technique;

/// A technique and the predicted costs that led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The chosen technique.
    pub technique: Technique,
    /// The predicted cost of the pass with each technique, cheapest first.
    pub ranked: Vec<(Technique, Terms)>,
}

/// Minimum predicted speedup for deviating from the usual technique. Smaller predicted gains are within the model's
/// error.
const GAIN: f64 = 1.1;

impl Choice {
    /// Returns the predicted seconds of the pass with the chosen technique.
    pub fn seconds(&self) -> f64 {
        let chosen = self.ranked.iter().find(|(technique, _)| *technique == self.technique);
        chosen.map_or(0.0, |(_, terms)| terms.seconds())
    }
}

/// Chooses the technique of a kernel's passes on a GPU: the technique with the shortest predicted time if it is clearly
/// faster than the usual technique, otherwise the usual technique. The usual technique gives threads equal shares of
/// the edges. If a pulling pass may stop reading lists early, the usual technique is one thread per list.
pub fn choose(pass: &PassShape<'_>, machine: &ProcessorConstants) -> Choice {
    let ranked = pass.ranked(machine);
    let usual = if pass.pulls && pass.kernel.leaves_early { Technique::Vertex } else { Technique::Balanced };
    let of_usual = pass.terms(usual, machine).seconds();
    let gains = |(_, terms): &&(Technique, Terms)| GAIN * terms.seconds() <= of_usual;
    let technique = ranked.first().filter(gains).map_or(usual, |&(technique, _)| technique);
    Choice { technique, ranked }
}

/// Returns the time of a kernel's pass with the requested technique, relative to the chosen technique. Returns 1 if no
/// technique is requested, or if the kernel or the processor does not support techniques.
pub fn slowdown(
    graph: &GraphShape,
    kernel: &KernelShape,
    pulls: bool,
    asked: Option<Technique>,
    machine: &ProcessorConstants,
) -> f64 {
    let Some(asked) = asked.filter(|_| has_techniques(machine.kind)) else { return 1.0 };
    let Some(pass) = PassShape::of(graph, kernel, pulls) else { return 1.0 };
    let choice = choose(&pass, machine);
    let best = choice.seconds();
    let found = pass.terms(asked, machine).seconds();
    if best > 0.0 { found / best } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::BuildOptions;
    use crate::cost::estimate;
    use crate::cost::tests::kernel;
    use crate::generate::parse;
    use crate::graph::Graph;
    use gts_contract::{KernelKind, Side, VirtualWarp};

    fn shape(spec: &str) -> GraphShape {
        estimate(&parse(spec).unwrap(), &BuildOptions::default()).unwrap()
    }

    fn push(spec: &str) -> Vec<(Technique, Terms)> {
        let (graph, kernel) = (shape(spec), kernel(KernelKind::Scan));
        let pass = PassShape::of(&graph, &kernel, false).unwrap();
        choose(&pass, &ProcessorConstants::default_cuda()).ranked
    }

    fn seconds(ranked: &[(Technique, Terms)], wanted: Technique) -> f64 {
        ranked.iter().find(|(technique, _)| *technique == wanted).unwrap().1.seconds()
    }

    #[test]
    fn hubs_keep_a_thread_a_vertex_waiting() {
        let ranked = push("rmat:24");
        let (vertex, balanced) = (seconds(&ranked, Technique::Vertex), seconds(&ranked, Technique::Balanced));
        assert!(vertex > 2.0 * balanced, "{vertex} and {balanced}");
        assert!(seconds(&ranked, ranked[0].0) >= 0.9 * balanced, "{ranked:?}");
    }

    #[test]
    fn equal_short_lists_do_not() {
        let ranked = push("grid:4096x4096");
        assert!(seconds(&ranked, Technique::Vertex) <= seconds(&ranked, Technique::Balanced), "{ranked:?}");
        let wide = seconds(&ranked, Technique::Edge(VirtualWarp::W32));
        assert!(wide > seconds(&ranked, Technique::Vertex), "lanes without an entry cost nothing: {ranked:?}");
    }

    #[test]
    fn every_technique_is_ranked_and_what_is_asked_for_is_no_faster() {
        let (graph, kernel, machine) = (shape("rmat:20"), kernel(KernelKind::Scan), ProcessorConstants::default_cuda());
        assert_eq!(push("rmat:20").len(), Technique::of_pages().count());
        for technique in Technique::ALL {
            let least = if technique.edge_list().is_some() { 0.0 } else { 1.0 };
            assert!(slowdown(&graph, &kernel, false, Some(technique), &machine) >= least);
        }
        assert_eq!(slowdown(&graph, &kernel, false, None, &machine), 1.0);
        let host = crate::cost::HostConstants::default_of(1 << 30);
        let cpu = ProcessorConstants::default_cpu(&host, 2);
        assert_eq!(slowdown(&graph, &kernel, false, Some(Technique::Vertex), &cpu), 1.0);
    }

    #[test]
    fn a_page_of_equal_lists_prefers_vertices_and_one_with_a_long_list_does_not() {
        let made = |edges: Vec<(u64, u64)>| Graph::builder().edges(edges).page_size(32 << 10).build().unwrap();
        let chain = made((0..4000).map(|vertex| (vertex, vertex + 1)).collect());
        let star = made((1..4000).map(|vertex| (0, vertex)).collect());
        let prefers = |graph: &Graph| {
            let (shape, kernel) = (GraphShape::of(graph), kernel(KernelKind::Scan));
            let pass = PassShape::of(&shape, &kernel, false).unwrap();
            let topology = graph.topology(Side::Out).unwrap();
            let page = crate::graph::ListShape::of_page(topology, graph.out_degrees(), topology.small_pages()[0]);
            pass.prefers_vertices(&page, 20e-6, &ProcessorConstants::default_cuda())
        };
        assert!(prefers(&chain) && !prefers(&star));
    }
}
