//! The figures of the papers, on tiny graphs on the CPU.

use crate::sandbox::Sandbox;
use crate::suites::save;
use gts_core::build::BuildOptions;
use serde_json::json;
use std::path::Path;

const SMALL: [&str; 8] = ["paper", "--device", "cpu", "--scale", "10", "--page-size", "4KiB", "--trials"];

#[test]
fn figures_that_make_sense_on_the_cpu_are_measured_and_the_others_named() {
    let sandbox = Sandbox::new();
    let report = sandbox.json(&[&SMALL[..], &["2", "--scales", "8..10", "--output", "figures"]].concat());
    let figures = report["figures"].as_array().expect("figures");
    let names: Vec<_> = figures.iter().filter_map(|figure| figure["figure"].as_str()).collect();
    assert_eq!(names, ["cache", "density", "growth"]);
    assert_eq!(report["left_out"], json!("streams needs a GPU, strategies needs two GPUs or more"));
    // Two algorithms with four shares, four densities, three scales.
    let rows: Vec<_> = figures.iter().filter_map(|figure| figure["rows"].as_array()).collect();
    assert_eq!(rows.iter().map(|rows| rows.len()).collect::<Vec<_>>(), [8, 8, 6]);
    for row in rows.into_iter().flatten() {
        let seconds = |name: &str| row[name].as_f64().unwrap_or_default();
        assert!(seconds("fastest_seconds") > 0.0, "{row}");
        assert!(seconds("fastest_seconds") <= seconds("seconds") && seconds("seconds") <= seconds("slowest_seconds"));
        assert!((seconds("ratio") * seconds("reference_seconds") / seconds("seconds") - 1.0).abs() < 1e-9, "{row}");
        assert!(row["edges"].as_u64() > Some(0), "{row}");
    }
    // With a quarter of the pages in memory more is read than with three quarters; with all of them nothing is read.
    let cache = &figures[0]["rows"];
    assert!(cache[0]["read_bytes"].as_u64() > cache[2]["read_bytes"].as_u64(), "{cache}");
    assert_eq!(cache[3]["read_bytes"], json!(0));
    // Twice the edges per vertex give twice the edges per iteration.
    let density = &figures[1]["rows"];
    assert_eq!((&density[0]["edges"], &density[3]["edges"]), (&json!(4 << 10), &json!(32 << 10)));

    assert_files(&sandbox, &names, &["pagerank", "bfs"]);
    assert_eq!(sandbox.names(), ["figures"], "a store was left behind");
}

/// Checks that the folder `figures` contains the files of each figure, and that the plot contains these words.
fn assert_files(sandbox: &Sandbox, names: &[&str], words: &[&str]) {
    for name in names {
        let table = sandbox.read(&format!("figures/{name}.md"));
        assert!(table.starts_with("# ") && table.contains(&format!("]({name}.svg)")), "{table}");
        let csv = sandbox.read(&format!("figures/{name}.csv"));
        let figure: serde_json::Value =
            serde_json::from_str(&sandbox.read(&format!("figures/{name}.json"))).expect("JSON");
        assert_eq!(csv.lines().count(), 1 + figure["rows"].as_array().map_or(0, Vec::len));
        let plot = sandbox.read(&format!("figures/{name}.svg"));
        assert!(plot.starts_with("<svg") && words.iter().all(|word| plot.contains(word)), "{plot}");
        for part in ["The paper found that ", "; this machine shows that "] {
            assert!(table.contains(part), "{part} is not in {table}");
        }
        for part in ["paper_found", "machine_shows"] {
            assert!(figure[part].as_str().is_some_and(|text| !text.is_empty() && !text.contains("NaN")), "{figure}");
        }
    }
}

#[test]
fn figures_of_totem_that_share_no_runs_need_no_gpu() {
    let sandbox = Sandbox::new();
    let report = sandbox.json(&[&SMALL[..], &["1", "--paper", "totem", "--output", "figures"]].concat());
    let figures = report["figures"].as_array().expect("figures");
    let names: Vec<_> = figures.iter().filter_map(|figure| figure["figure"].as_str()).collect();
    assert_eq!(names, ["model", "boundary", "placement"]);
    let runs = "shares needs a GPU, breakdown needs a GPU, sparsity needs a GPU, phases needs a GPU";
    assert_eq!(report["left_out"], json!(format!("{runs}, second-gpu needs two GPUs or more")));
    assert_files(&sandbox, &names[..1], &["beta 100 %", "the paper&apos;s"]);
    assert_files(&sandbox, &names[1..], &["rmat", "uniform"]);

    // With vertices at random on two and three processors, the ends of an edge are on different ones with probability
    // 1/2 and 2/3.
    for row in figures[1]["rows"].as_array().expect("rows") {
        let beta = 1.0 - 1.0 / row["processors"].as_f64().expect("a number");
        let found = row["beta"].as_f64().expect("a share");
        assert!((found - beta).abs() < 0.1, "{row}");
        assert!(row["aggregated_beta"].as_f64().is_some_and(|less| less < found), "{row}");
    }
    for row in figures[2]["rows"].as_array().expect("rows") {
        let number = |name: &str| row[name].as_u64().expect("a number");
        assert!(number("boundary_edges") <= 16 << 10 && number("to_gpu") <= 1 << 10, "{row}");
        assert!(number("to_cpu") <= number("cpu_vertices"), "{row}");
    }
}

#[test]
fn edges_by_layers_are_wrong_on_a_road_network() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    if !data.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "{} is absent, and CI needs it", data.display());
        return;
    }
    let sandbox = Sandbox::new();
    let rome = data.join("graphs/rome99.gr").display().to_string();
    let figure = ["1", "--paper", "wolfpath", "--figure", "layers", "--graph", &rome];
    let report = sandbox.json(&[&SMALL[..], &figure].concat());
    let rows = report["figures"][0]["rows"].as_array().expect("rows");
    let wrong = |algorithm: &str, system: &str| {
        let of = |row: &&serde_json::Value| row["algorithm"] == algorithm && row["system"] == system;
        let row = rows.iter().find(of).expect("a row");
        assert_eq!(row["reached_vertices"], json!(1513), "{row}");
        row["wrong_vertices"].as_u64().expect("a number")
    };
    for system in ["every edge each round", "gts, host"] {
        assert_eq!((wrong("bfs", system), wrong("sssp", system)), (0, 0), "{system}");
    }
    assert_eq!((wrong("bfs", "layers, all edges"), wrong("sssp", "layers, all edges")), (0, 1096));
    assert_eq!((wrong("bfs", "layers as printed"), wrong("sssp", "layers as printed")), (226, 1143));
}

#[test]
fn figures_of_wolfpath_and_of_neighbour_iteration_need_no_gpu_but_where_the_host_is_asked() {
    let sandbox = Sandbox::new();
    let report = sandbox.json(&[&SMALL[..], &["1", "--paper", "wolfpath", "--output", "figures"]].concat());
    let names = |report: &serde_json::Value| -> Vec<String> {
        let figures = report["figures"].as_array().expect("figures");
        figures.iter().filter_map(|figure| figure["figure"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(names(&report), ["layers", "optimisations"]);
    assert_eq!(report["left_out"], json!("asking needs a GPU"));
    assert_files(&sandbox, &["layers", "optimisations"], &["bfs", "sssp", "grid:32x32"]);
    for row in report["figures"][1]["rows"].as_array().expect("rows") {
        assert_eq!(row["wrong_vertices"], json!(0), "{row}");
    }

    let small = ["paper", "--device", "cpu", "--scale", "5", "--page-size", "4KiB", "--trials", "1"];
    let report = sandbox.json(&[&small[..], &["--paper", "neighbours", "--output", "figures"]].concat());
    assert_eq!(names(&report), ["iteration", "sorted", "choice"]);
    assert_files(&sandbox, &["iteration", "sorted"], &["push", "pull", "torus:2^5"]);
    assert_files(&sandbox, &["choice"], &["pagerank", "bfs", "wcc", "sssp", "chosen"]);
    let rows = |figure: usize| report["figures"][figure]["rows"].as_array().map_or(0, Vec::len);
    // Seven graphs with push, pull and pull at each edge, in two orders or with a row for both; four algorithms on more
    // graphs.
    assert_eq!((rows(0), rows(1)), (42, 21));
    assert!(rows(2) >= 80, "{}", rows(2));
    for row in report["figures"][0]["rows"].as_array().expect("rows") {
        assert!(row["over_worst"].as_f64().is_some_and(|share| share > 0.0 && share <= 1.0), "{row}");
    }
}

#[test]
fn a_time_limit_keeps_what_was_measured() {
    let sandbox = Sandbox::new();
    let limited = |figures: &str| {
        let small = ["paper", "--device", "cpu", "--scale", "5", "--page-size", "4KiB", "--trials", "1"];
        sandbox.json(&[&small[..], &["--time-limit", "1ms", "--figure", figures]].concat())
    };
    // Both orders of a graph are compared for push, pull, and pull at each edge.
    let report = limited("sorted,choice");
    let sorted = &report["figures"][0];
    assert_eq!(sorted["rows"].as_array().map(Vec::len), Some(3), "{sorted}");
    assert!(sorted["notes"].to_string().contains("ended by the time limit: 2 of 14 cases"), "{}", sorted["notes"]);
    assert_eq!(report["left_out"], json!("choice had not begun at the time limit"));
    assert_eq!(report["figures"].as_array().map(Vec::len), Some(1));

    let choice = &limited("choice")["figures"][0];
    assert_eq!(choice["rows"].as_array().map(Vec::len), Some(1), "{choice}");
    assert!(choice["notes"].to_string().contains("ended by the time limit: 1 of "), "{}", choice["notes"]);
}

#[test]
fn a_figure_can_be_chosen_and_is_not_replaced_unasked() {
    let sandbox = Sandbox::new();
    let arguments = [&SMALL[..], &["1", "--figure", "density", "--output", "out"]].concat();
    let text = sandbox.text(&arguments);
    for part in ["density: Time by density", "median of 1 trials", "1:32", "edges/s", "tables and plots in out"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(!text.contains("left out"), "{text}");
    assert!(sandbox.fails(73, &arguments).contains("density.md exists already"));
    sandbox.text(&[&arguments[..], &["--force"]].concat());
}

#[test]
fn what_cannot_be_measured_is_refused_with_a_reason() {
    let sandbox = Sandbox::new();
    let error = sandbox.fails(2, &[&SMALL[..], &["1", "--figure", "streams,strategies"]].concat());
    assert!(error.contains("streams needs a GPU, strategies needs two GPUs or more"), "{error}");
    let error = sandbox.fails(2, &[&SMALL[..], &["1", "--devices", "2"]].concat());
    assert!(error.contains("the CPU would ignore --devices"), "{error}");
    let other = [&SMALL[..], &["1", "--paper", "gts", "--figure", "boundary"]].concat();
    assert!(sandbox.fails(2, &other).contains("--figure boundary: it is of another paper"));
    let scales = sandbox.run(&[&SMALL[..], &["1", "--scales", "12..3"]].concat());
    assert_eq!(scales.code, 2);
    save("grid:4x4", &BuildOptions { page_size: Some(4 << 10), ..BuildOptions::default() }, &sandbox.path("grid.gts"));
    let store = [&SMALL[..], &["1", "--figure", "iteration", "--graph", "grid.gts"]].concat();
    assert!(sandbox.fails(2, &store).contains("a store has one order"));
    let own = [&SMALL[..], &["1", "--figure", "density", "--graph", "rmat:4"]].concat();
    assert!(sandbox.fails(2, &own).contains("--graph: density is of graphs of its own"));
    let folder = sandbox.fails(73, &[&SMALL[..], &["1", "--figure", "cache", "--folder", "absent"]].concat());
    assert!(folder.contains("--folder"), "{folder}");
}
