//! Compares every shipped algorithm with a serial version, on special, random and rewritten graphs.

use gts_graph::algorithm::{self, Algorithm, Fallback};
use gts_graph::conformance::{Conformance, Sample};
use gts_graph::gts_conformance;
use proptest::prelude::*;

gts_conformance!(afforest: "afforest");
gts_conformance!(betweenness: "betweenness");
gts_conformance!(betweenness_of_one: "betweenness", with("source", "@3"));
gts_conformance!(bfs: "bfs", with("source", "@2"));
gts_conformance!(bfs_of_16_bits: "bfs", with("source", "@2"), with("level-type", "u16"));
gts_conformance!(bfs_tree: "bfs", with("source", "@0"), with("parents", "true"), any_valid("parent"));
gts_conformance!(cdlp: "cdlp", any_valid("label"), any_valid("communities"), any_valid("iterations"), counts_vertices());
gts_conformance!(closeness: "closeness", counts_vertices());
gts_conformance!(closeness_back: "closeness", with("direction", "in"), counts_vertices());
gts_conformance!(colouring: "colouring", any_valid("colour"), any_valid("colours"), any_valid("rounds"));
gts_conformance!(cross_edges: "cross-edges", with("from", "@1,@3,@4,@8"), with("to", "@0,@3,@5,@11"));
gts_conformance!(degree_distribution: "degree-distribution");
gts_conformance!(eccentricity: "eccentricity");
gts_conformance!(eccentricity_of_one: "eccentricity", with("source", "@7"));
gts_conformance!(eccentricity_of_some: "eccentricity", with("samples", "5"), any_valid("eccentricity"), any_valid("smallest"), any_valid("largest"));
gts_conformance!(egonet: "egonet", with("source", "@2"));
gts_conformance!(hits: "hits");
gts_conformance!(hits_by_weights: "hits", with("weighted", "true"));
gts_conformance!(induced_subgraph: "induced-subgraph", with("vertices", "@0,@1,@2,@4,@7,@9"));
gts_conformance!(k_core: "k-core");
gts_conformance!(k_hop: "k-hop", with("source", "@2"));
gts_conformance!(k_truss: "k-truss");
gts_conformance!(k_truss_of_4: "k-truss", with("k", "4"));
gts_conformance!(lcc: "lcc");
gts_conformance!(matching: "match");
gts_conformance!(matching_induced: "match", with("induced", "true"));
gts_conformance!(mis: "mis", any_valid("chosen"), any_valid("size"), any_valid("rounds"));
gts_conformance!(pagerank: "pagerank", with("precision", "f64"), counts_vertices());
gts_conformance!(personalised_pagerank: "personalised-pagerank", with("source", "@1"), with("tolerance", "1e-9"));
gts_conformance!(pagerank_by_weights: "pagerank", with("precision", "f64"), with("weighted", "true"), counts_vertices());
gts_conformance!(radius: "radius", any_valid("radius"), any_valid("smallest"), any_valid("diameter"), any_valid("effective_diameter"));
gts_conformance!(random_walk_with_restart: "random-walk-with-restart", with("source", "@1"), any_valid("change"));
gts_conformance!(random_walks: "random-walks", with("length", "9"), any_valid("visits"), any_valid("steps"), counts_vertices());
gts_conformance!(salsa: "salsa");
gts_conformance!(scc: "scc");
gts_conformance!(spanning_forest: "spanning-forest");
gts_conformance!(sssp: "sssp", with("source", "@4"));
gts_conformance!(sssp_near_far: "sssp-near-far", with("source", "@4"));
gts_conformance!(st_connectivity: "st-connectivity", with("source", "@0"), with("target", "@9"));
gts_conformance!(triangles: "triangles");
gts_conformance!(triangles_of_each: "triangles", with("per-vertex", "true"));
gts_conformance!(wcc: "wcc");
gts_conformance!(who_to_follow: "who-to-follow", with("source", "@1"));

/// Returns graphs that shrink to the smallest on which an algorithm fails.
fn samples() -> impl Strategy<Value = Sample> {
    (1..24u64).prop_flat_map(|vertices| {
        let edges = prop::collection::vec((0..vertices, 0..vertices), 0..4 * vertices as usize);
        edges.prop_map(move |edges| Sample::new(format!("{vertices} vertices, {edges:?}"), vertices, edges))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_small_graph(sample in samples()) {
        gts_graph::algorithms::link();
        let asks = |algorithm: &&&'static Algorithm| {
            algorithm.parameters.iter().any(|parameter| parameter.fallback == Fallback::Required)
        };
        for algorithm in algorithm::all().iter().filter(|algorithm| !asks(algorithm)) {
            let outcome = Conformance::of(algorithm.name).verify(std::slice::from_ref(&sample));
            prop_assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
        }
    }
}

#[test]
fn every_algorithm_is_tested() {
    gts_graph::algorithms::link();
    let text = include_str!("conformance.rs");
    let missing = |algorithm: &&&'static Algorithm| !text.contains(&format!(": \"{}\"", algorithm.name));
    let missing: Vec<_> = algorithm::all().iter().filter(missing).map(|algorithm| algorithm.name).collect();
    assert!(missing.is_empty(), "no line for {missing:?}");
}
