//! Plans know of a graph what sessions know, and of budgets what a comparison of both on a GPU needs. `gts-gpu-check cuda
//! plans` holds plans against what sessions report.

use gts_core::build::{self, BuildOptions};
use gts_core::cost::holding::GraphLoad;
use gts_core::cost::{GraphShape, MemoryPlan, Strategy};
use gts_core::generate;
use gts_core::graph::Graph;
use gts_tests::plans::Question;

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
fn budgets_of_the_comparison_meet_every_kind_of_plan() {
    gts_algorithms::link();
    let graph = graph("rmat:16,weights=f32", BuildOptions { in_edges: true, ..BuildOptions::default() });
    for name in ["pagerank", "bfs", "sssp"] {
        let question = Question::new(&graph, name).unwrap();
        let plans: Vec<_> = question.budgets().into_iter().map(|budget| question.plan(budget)).collect();
        let (whole, split): (Vec<_>, Vec<_>) =
            plans.iter().flatten().partition(|plan| plan.strategy == Strategy::Pages);
        let travels = |plan: &&&MemoryPlan| plan.placement.travelling().bytes > 0;
        assert!(!split.is_empty() && whole.iter().any(|plan| !travels(&plan)), "{name}: {} in parts", split.len());
        assert!(whole.iter().any(|plan| travels(&plan)), "{name}");
        // What is refused with some memory is refused with less.
        assert!(plans[0].is_err() && plans.iter().map(Result::is_ok).is_sorted(), "{name}");
    }
}
