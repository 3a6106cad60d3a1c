//! Plans use the same facts of a graph as sessions, and the budgets of a GPU comparison cover every kind of plan.
//! `gts-gpu-check cuda plans` compares plans with the reports of sessions.

use gts_core::build::BuildOptions;
use gts_core::cost::holding::GraphLoad;
use gts_core::cost::{MemoryPlan, Strategy};
use gts_core::graph::{Graph, GraphShape};
use gts_tests::plans::Question;

fn graph(text: &str, options: BuildOptions) -> Graph {
    let options = BuildOptions { page_size: Some(4 << 10), ..options };
    Graph::reader(text).options(options).read().unwrap()
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
    gts_graph::algorithms::link();
    let graph = graph("rmat:16,weights=f32", BuildOptions { in_edges: true, ..BuildOptions::default() });
    for name in ["pagerank", "bfs", "sssp"] {
        let question = Question::new(&graph, name).unwrap();
        let plans: Vec<_> = question.budgets().into_iter().map(|budget| question.plan(budget)).collect();
        let (whole, split): (Vec<_>, Vec<_>) =
            plans.iter().flatten().partition(|plan| plan.strategy == Strategy::Pages);
        let travels = |plan: &&&MemoryPlan| plan.placement.travelling().bytes > 0;
        assert!(!split.is_empty() && whole.iter().any(|plan| !travels(&plan)), "{name}: {} in parts", split.len());
        assert!(whole.iter().any(|plan| travels(&plan)), "{name}");
        // If a run is refused with some memory, it is refused with less.
        assert!(plans[0].is_err() && plans.iter().map(Result::is_ok).is_sorted(), "{name}");
    }
}

#[test]
fn nodes_merge_what_ranks_report_and_meet_as_often() {
    gts_graph::algorithms::link();
    for symmetrise in [false, true] {
        // Values are reduced if scans push, and gathered if they pull.
        let graph = graph("rmat:12", BuildOptions { symmetrise, ..BuildOptions::default() });
        let question = Question::new(&graph, "pagerank").unwrap();
        for ranks in [2, 3] {
            let planned = question.planned_together(&GraphShape::of(&graph), ranks).unwrap();
            let run = question.run_together(&question.arguments(), ranks as usize).unwrap();
            assert_eq!((planned.passes, planned.merged), (run.passes, run.merged), "{ranks} ranks");
            assert_eq!(run.merged, 20.0 * 4.0 * graph.num_vertices() as f64);
            // The comparison of the graphs and the start are two more exchanges.
            assert_eq!(planned.exchanges + 2.0, run.exchanges, "{ranks} ranks");
        }
    }
}

#[test]
fn nodes_merge_the_vertices_that_a_search_reaches() {
    gts_graph::algorithms::link();
    let options = || BuildOptions { page_size: Some(4 << 10), ..BuildOptions::default() };
    let known = Graph::reader("star:5000").options(options()).estimate().unwrap().unwrap();
    let star = graph("star:5000", options());
    let question = Question::new(&star, "bfs").unwrap();
    for ranks in [2, 3] {
        let planned = question.planned_together(&known, ranks).unwrap();
        let run = question.run_together(&question.arguments(), ranks as usize).unwrap();
        assert_eq!((planned.passes, planned.merged), (run.passes, run.merged), "{ranks} ranks");
        let vertices = star.num_vertices();
        assert_eq!(run.merged, 2.0 * vertices.div_ceil(8) as f64 + 4.0 * (vertices - 1) as f64);
    }

    let graph = graph("rmat:12", BuildOptions { symmetrise: true, ..BuildOptions::default() });
    let vertices = graph.num_vertices() as f64;
    let (set, values) = (vertices / 8.0, 4.0 * vertices);
    for (name, most) in [("bfs", 1.0), ("wcc", f64::INFINITY)] {
        let question = Question::new(&graph, name).unwrap();
        let planned = question.planned_together(&GraphShape::of(&graph), 3).unwrap();
        let run = question.run_together(&question.arguments(), 3).unwrap();
        for found in [planned, run] {
            let of_values = found.merged - found.passes * set;
            assert!(of_values >= 0.0 && of_values <= most.min(found.passes) * values, "{name}: {found:?}");
        }
        // The number of steps is not known exactly.
        let close = (planned.merged - run.merged).abs() <= 2.0 * set + 0.1 * values;
        assert!(close || name == "wcc", "{planned:?} {run:?}");
    }
}
