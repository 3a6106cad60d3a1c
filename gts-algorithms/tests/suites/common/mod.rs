//! Small graphs of every kind, the device under test, and runs of every kind.

use gts_graph::algorithm::{Algorithm, Arguments, Fallback, ParameterKind};
use gts_graph::core::build::{BuildOptions, DeclaredVertices};
use gts_graph::prelude::*;

/// The neighbours of each vertex, ascending, with weights of edges.
pub(crate) type Lists = Vec<Vec<(u64, u32)>>;

/// The engine under test: on the CPU, or on what `GTS_TEST_DEVICE` names.
pub(crate) fn engine() -> Engine {
    let device = std::env::var("GTS_TEST_DEVICE").map_or(DeviceChoice::Cpu, |name| name.parse().expect("a device"));
    Engine::builder().device(device).seed(11).build().expect("the device works")
}

/// Graphs by name: one vertex, no edge but self-loops, a star, a long chain, a complete one, two halves, and random ones.
pub(crate) fn graphs() -> Vec<(&'static str, Lists)> {
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut made = vec![
        ("one vertex", vec![vec![]]),
        ("self-loops", (0..50).map(|v| vec![v]).collect()),
        ("star", (0..300u64).map(|v| if v == 7 { (0..300).filter(|&w| w != 7).collect() } else { vec![] }).collect()),
        ("chain backwards", (0..300u64).map(|v| if v == 0 { vec![] } else { vec![v - 1] }).collect()),
        ("complete", (0..30u64).map(|v| (0..30).filter(|&w| w != v).collect()).collect()),
        ("halves", (0..100u64).map(|v| vec![(v + 2) % 100]).collect()),
    ];
    for (name, degree) in [("sparse", 1), ("mixed", 3), ("dense", 12)] {
        let lists = (0..200u64).map(|_| (0..random(2 * degree + 1)).map(|_| random(200)).collect());
        made.push((name, lists.collect()));
    }
    let mut weighted = |mut list: Vec<u64>| -> Vec<(u64, u32)> {
        list.sort_unstable();
        list.dedup();
        list.into_iter().map(|w| (w, random(100) as u32)).collect()
    };
    made.into_iter().map(|(name, lists)| (name, lists.into_iter().map(&mut weighted).collect())).collect()
}

/// The graph of these lists, with a vertex for each.
pub(crate) fn build(lists: &Lists, options: BuildOptions) -> Graph {
    let edges = (0..).zip(lists).flat_map(|(v, list)| list.iter().map(move |&(w, weight)| (v, w, weight)));
    let vertices = DeclaredVertices::Range { first: 0, count: lists.len() as u64 };
    Graph::builder().weighted_edges(edges).vertices(vertices).options(options).build().expect("sound edges")
}

/// Returns the arguments of runs of every kind: the defaults first, then each value of each flag and choice. Required
/// parameters are 1.
pub(crate) fn variants(algorithm: &'static Algorithm) -> Vec<Arguments> {
    let required = algorithm.parameters.iter().filter(|parameter| parameter.fallback == Fallback::Required);
    let defaults =
        required.map(|parameter| parameter.name).try_fold(Arguments::of(algorithm), |it, name| it.with(name, "1"));
    let defaults = defaults.expect("every required parameter can be 1");
    let mut variants = vec![defaults.clone()];
    for parameter in algorithm.parameters {
        let values = match parameter.kind {
            ParameterKind::Flag => &["true"],
            ParameterKind::Choice([_, others @ ..]) => others,
            _ => &[][..],
        };
        let with = |value: &&str| defaults.clone().with(parameter.name, value).expect("an allowed value");
        variants.extend(values.iter().map(with));
    }
    variants
}
