//! Plans and sessions ask one function what a device must hold, with what they know of the graph and the kernels.

use gts_core::build::{self, BuildOptions};
use gts_core::contract::{KernelDescriptor, ScalarType};
use gts_core::cost::holding::GraphLoad;
use gts_core::cost::{GraphShape, Strategy};
use gts_core::generate;
use gts_core::graph::Graph;
use gts_runtime::algorithm::find;
use gts_tests::plans::{Question, of_session};

/// The kernels of an algorithm by name, those over f32 where they are generic.
fn kernels(algorithm: &str, names: &[&str]) -> Vec<&'static KernelDescriptor> {
    let algorithm = find(algorithm).unwrap();
    let wanted = |kernel: &&'static KernelDescriptor| {
        names.contains(&kernel.name) && kernel.schema.parameter.is_none_or(|parameter| parameter == ScalarType::F32)
    };
    let found: Vec<_> = algorithm.kernels.iter().copied().filter(wanted).collect();
    assert_eq!(found.len(), names.len(), "{}", algorithm.name);
    found
}

fn graph(text: &str, options: BuildOptions) -> Graph {
    let options = BuildOptions { page_size: Some(4 << 10), ..options };
    build::build(&mut generate::parse(text).unwrap(), &options).unwrap().0
}

#[test]
fn a_shape_and_its_graph_load_a_device_alike() {
    for options in [
        BuildOptions::default(),
        BuildOptions { in_edges: true, ..BuildOptions::default() },
        BuildOptions { symmetrise: true, ..BuildOptions::default() },
    ] {
        let graph = graph("rmat:10", options);
        let shape = GraphShape::of(&graph);
        assert_eq!(GraphLoad::of_shape(&shape), GraphLoad::of(&graph, shape.vertex_bytes()));
    }
}

#[test]
fn plans_and_sessions_come_to_the_same_at_every_budget() {
    gts_algorithms::link();
    let (mut travelled, mut split, mut refused) = (0, 0, 0);
    for options in [BuildOptions::default(), BuildOptions { in_edges: true, ..BuildOptions::default() }] {
        let graph = graph("rmat:16,weights=f32", options);
        for (name, names) in [("pagerank", &["push", "damp"][..]), ("bfs", &["expand"]), ("sssp", &["relax"])] {
            let kernels = kernels(name, names);
            let question = Question::new(&graph, name).unwrap();
            for budget in question.budgets() {
                let planned = question.plan(budget).ok().map(|plan| {
                    travelled += u32::from(plan.placement.travelling().bytes > 0);
                    split += u32::from(plan.strategy == Strategy::Split);
                    (plan.parts, plan.placement)
                });
                refused += u32::from(planned.is_none());
                // A plan refuses where a session does, and nowhere else.
                assert_eq!(planned, of_session(&graph, &kernels, budget), "{name} in {budget} bytes");
            }
        }
    }
    assert!(
        travelled > 0 && split > 0 && refused > 0,
        "{travelled} runs with columns that travel, {split} in parts, {refused} refused"
    );
}
