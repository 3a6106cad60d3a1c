//! Benchmark suites, on tiny graphs on the CPU.

use crate::sandbox::Sandbox;
use gts_core::build::BuildOptions;
use gts_core::graph::Graph;
use serde_json::{Value, json};
use std::path::Path;

/// Saves a generated graph as a store.
pub(crate) fn save(generator: &str, options: &BuildOptions, store: &Path) {
    let graph = Graph::reader(generator).options(options.clone()).read().expect("a graph");
    graph.save(store).expect("a store");
}

fn names(report: &Value) -> Vec<&str> {
    let algorithms = report["algorithms"].as_array().expect("algorithms");
    algorithms.iter().filter_map(|algorithm| algorithm["name"].as_str()).collect()
}

#[test]
fn gap_measures_six_algorithms_and_verifies_them() {
    let sandbox = Sandbox::new();
    let options =
        BuildOptions { page_size: Some(4 << 10), symmetrise: true, in_edges: true, ..BuildOptions::default() };
    save("rmat:8,weights=u32", &options, &sandbox.path("g.gts"));
    let report = sandbox.json(&["gap", "g.gts", "--device", "cpu", "--trials", "3"]);
    assert_eq!(names(&report), ["BFS", "SSSP", "PR", "CC", "BC", "TC"]);
    for algorithm in report["algorithms"].as_array().expect("algorithms") {
        assert_eq!(algorithm["agrees"], json!(true), "{algorithm}");
        let seconds: Vec<f64> =
            algorithm["seconds"].as_array().expect("seconds").iter().filter_map(Value::as_f64).collect();
        assert!(seconds.len() == 3 && seconds.is_sorted() && seconds[0] > 0.0, "{algorithm}");
        assert_eq!(algorithm["median_seconds"], json!(seconds[1]));
        let passes = algorithm["median_passes_seconds"].as_f64().expect("seconds");
        assert!(0.0 < passes && passes <= seconds[2], "{algorithm}");
    }
    // Three sources have three answers; an algorithm without a source has one.
    assert_eq!((&report["algorithms"][0]["checked"], &report["algorithms"][3]["checked"]), (&json!(3), &json!(1)));
}

#[test]
fn graphalytics_counts_vertices_and_edges() {
    let sandbox = Sandbox::new();
    let arguments = ["graphalytics", "rmat:8,weights=f64", "--device", "cpu", "--source", "3", "--only"];
    let report = sandbox.json(&[&arguments[..], &["pr,wcc,cdlp,lcc,bfs", "--iterations", "4"]].concat());
    assert_eq!(names(&report), ["BFS", "PR", "WCC", "CDLP", "LCC"]);
    let work = (report["vertices"].as_u64().expect("vertices") + report["edges"].as_u64().expect("edges")) as f64;
    for algorithm in report["algorithms"].as_array().expect("algorithms") {
        assert_eq!(algorithm["agrees"], json!(true), "{algorithm}");
        let seconds = algorithm["median_seconds"].as_f64().expect("seconds");
        assert!((algorithm["per_second"].as_f64().expect("a rate") * seconds / work - 1.0).abs() < 1e-9, "{algorithm}");
    }
    let text = sandbox.text(&[&arguments[..], &["wcc", "--no-check", "--trials", "1"]].concat());
    assert!(text.contains("EVPS") && text.contains("WCC  wcc") && text.trim_end().contains("  no\n"), "{text}");
}

#[test]
#[cfg(unix)]
fn a_graph_whose_name_is_not_text_is_told_by_its_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.txt");
    std::fs::write(sandbox.path("").join(name), "0 1\n1 2\n2 0\n").expect("a file");
    let arguments = ["gap", "--only", "pr", "--trials", "1", "--device", "cpu", "--json"];
    let output = sandbox.command(&arguments).arg(name).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let expected = json!({ "path": "caf\u{fffd}.txt", "path_bytes": name.as_bytes() });
    assert_eq!(report["graph"], expected);
}

#[test]
fn what_an_algorithm_cannot_do_does_not_stop_the_others() {
    let sandbox = Sandbox::new();
    // Triangle counting requires an undirected graph.
    let arguments = ["gap", "rmat:6,weights=u32", "--device", "cpu", "--trials", "1", "--only", "cc,tc"];
    let report = sandbox.json(&arguments);
    assert_eq!(report["algorithms"][0]["agrees"], json!(true));
    assert!(report["algorithms"][1]["refused"].as_str().is_some_and(|why| why.contains("symmetr")), "{report}");
    assert!(sandbox.fails(2, &["gap", "rmat:6", "--only", "lcc"]).contains("bfs, sssp, pr, cc, bc, tc"));
}
