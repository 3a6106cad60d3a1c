//! `gts run`: answers, files and flags of the real binary.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};
use std::time::Instant;

/// Two components; a sink (5); original IDs with gaps.
const GRAPH: &str = "1 2 4\n1 3 1\n3 2 2\n2 5 1\n30 20 7\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", GRAPH);
    sandbox
}

#[test]
fn answers_are_in_original_ids() {
    let sandbox = sandbox();
    sandbox.text(&["run", "bfs", "g.txt", "--source", "1", "--output", "levels.csv"]);
    assert_eq!(sandbox.read("levels.csv"), "vertex,level\n1,0\n2,1\n3,1\n5,2\n20,\n30,\n");
    sandbox.text(&["run", "sssp", "g.txt", "--source", "1", "--output", "distances.csv"]);
    assert_eq!(sandbox.read("distances.csv"), "vertex,distance\n1,0\n2,3\n3,1\n5,4\n20,\n30,\n");
    sandbox.text(&["run", "wcc", "g.txt", "--output", "components.csv"]);
    assert_eq!(sandbox.read("components.csv"), "vertex,component\n1,1\n2,1\n3,1\n5,1\n20,20\n30,20\n");
}

/// Graphs and options are independent, so each algorithm runs a third of their pairs. Conformance tests run all layouts.
#[test]
fn every_algorithm_agrees_with_its_serial_version_however_it_is_run() {
    let sandbox = sandbox();
    let listed = sandbox.json(&["list"]);
    let asks = |algorithm: &&Value| {
        algorithm["parameters"].as_array().unwrap().iter().any(|parameter| parameter["required"] == json!(true))
    };
    let graphs = ["g.txt", "rmat:8,weights=f32", "grid:6x7,weights=u32", "star:40,weights=u32"];
    let options = [
        &[][..],
        &["--page-size", "256", "--record-ids", "2,2", "--threads", "1"],
        &["--page-size", "4KiB", "--record-ids", "3,3", "--order", "random"],
        &["--order", "degree", "--undirected"],
        &["--propagation", "pull-at-edge", "--in-edges"],
        &["--page-size", "512", "--record-ids", "4,2"],
    ];
    let pairs = graphs
        .iter()
        .enumerate()
        .flat_map(|(row, graph)| options.iter().enumerate().map(move |(column, flags)| (row + column, *graph, *flags)));
    let pairs: Vec<_> = pairs.collect();
    for (number, algorithm) in listed.as_array().unwrap().iter().filter(|algorithm| !asks(algorithm)).enumerate() {
        let weights = algorithm["needs"]["weights"].as_array().unwrap();
        let whole = weights.is_empty() || weights.contains(&json!("u32"));
        let algorithm = algorithm["name"].as_str().unwrap();
        for (turn, graph, flags) in &pairs {
            if (graph.ends_with("weights=u32") && !whole) || (turn + number) % 3 > 0 {
                continue;
            }
            let arguments = [&["run", algorithm, *graph, "--device", "cpu", "--check"], *flags].concat();
            let report = sandbox.json(&arguments);
            assert_eq!(report["check"]["agrees"], json!(true), "{arguments:?}: {}", report["check"]);
        }
    }
}

#[test]
fn pagerank_runs_to_a_tolerance_and_in_double_precision() {
    let sandbox = sandbox();
    let fixed = sandbox.json(&["run", "pagerank", "g.txt"]);
    assert_eq!(fixed["answer"]["iterations"], json!(20));
    let converged = sandbox.json(&["run", "pagerank", "g.txt", "--tolerance", "1e-9", "--precision", "f64", "--check"]);
    assert_eq!(converged["answer"]["converged"], json!(true));
    assert_eq!(converged["check"]["agrees"], json!(true));
    let stopped = sandbox.json(&["run", "pagerank", "g.txt", "--tolerance", "1e-30", "--iterations", "3"]);
    assert_eq!((&stopped["answer"]["iterations"], &stopped["answer"]["converged"]), (&json!(3), &json!(false)));
}

#[test]
fn the_summary_names_vertices_by_their_labels() {
    let sandbox = sandbox();
    sandbox.write("names.txt", "# names\n1\tone\n5\tfive, the sink\n");
    let text = sandbox.both(&["run", "pagerank", "g.txt", "--labels", "names.txt", "--output", "r.csv", "--top", "9"]);
    for part in ["five, the sink", "edges/s", "device", "6 vertices, 5 directed edges"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(sandbox.read("r.csv").contains("\n5,\"five, the sink\","));
    let report = sandbox.json(&["run", "pagerank", "g.txt", "--labels", "names.txt", "--top", "1"]);
    assert_eq!(report["top"]["rank"][0]["name"], json!("five, the sink"));
}

#[test]
fn numpy_files_hold_every_value_of_a_vertex_beside_its_id() {
    let sandbox = sandbox();
    for (run, fields, bytes) in [
        (
            &["run", "bfs", "g.txt", "--source", "30", "--parents"][..],
            "('level','<u4'),('level_mask','|b1'),('parent','<u8'),('parent_mask','|b1')",
            22,
        ),
        (&["run", "hits", "g.txt"], "('authority','<f8'),('hub','<f8')", 24),
    ] {
        let name = format!("{}.npy", run[1]);
        sandbox.text(&[run, &["--output", &name]].concat());
        let file = std::fs::read(sandbox.path(&name)).unwrap();
        let data = file.len() - 6 * bytes;
        let header = String::from_utf8_lossy(&file[10..data]).replace(' ', "");
        assert!(
            header.starts_with(&format!("{{'descr':[('vertex','<u8'),{fields},],'fortran_order':False")),
            "{header}"
        );
        let ids = file[data..].chunks(bytes).map(|row| u64::from_le_bytes(row[..8].try_into().unwrap()));
        assert_eq!(ids.collect::<Vec<_>>(), [1, 2, 3, 5, 20, 30], "{name}");
    }
    let file = std::fs::read(sandbox.path("bfs.npy")).unwrap();
    let levels =
        file[file.len() - 6 * 22..].chunks(22).map(|row| (u32::from_le_bytes(row[8..12].try_into().unwrap()), row[12]));
    assert!(levels.eq([(u32::MAX, 1), (u32::MAX, 1), (u32::MAX, 1), (u32::MAX, 1), (1, 0), (0, 0)]));
}

#[test]
fn names_cannot_steer_a_terminal() {
    let sandbox = sandbox();
    sandbox.write("names.txt", "5\tsink\x1b[31m\u{202e}\n1\tplain\n");
    let run = ["run", "pagerank", "g.txt", "--labels", "names.txt", "--output", "r.csv", "--top", "9"];
    let text = sandbox.text(&run);
    assert!(text.contains("sink\\u{1b}[31m\\u{202e}") && !text.contains('\x1b'), "{text}");
    // Files and JSON are for programs, and contain the original name.
    assert!(sandbox.read("r.csv").contains("\n5,sink\x1b[31m\u{202e},"));
    let json = sandbox.text(&["run", "pagerank", "g.txt", "--labels", "names.txt", "--json"]);
    assert!(json.contains("sink\\u001b[31m"), "{json}");
}

#[test]
fn an_output_is_never_replaced_unasked() {
    let sandbox = sandbox();
    sandbox.write("levels.csv", "precious");
    let arguments = ["run", "bfs", "g.txt", "--output", "levels.csv"];
    let error = sandbox.fails(73, &arguments);
    assert!(error.contains("levels.csv exists already") && error.contains("--force"), "{error}");
    assert_eq!(sandbox.read("levels.csv"), "precious");
    sandbox.text(&[&arguments[..], &["--force"]].concat());
    assert!(sandbox.read("levels.csv").starts_with("vertex,level\n"));
    assert_eq!(sandbox.names(), ["cache", "g.txt", "levels.csv"], "a temporary file was left behind");
}

#[test]
fn weights_are_made_for_generated_graphs_that_need_them() {
    let ended = Sandbox::new().run(&["run", "sssp", "rmat:6", "--check"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stderr.contains("generating rmat:6,weights=f32"), "{ended:?}");
}

#[cfg(unix)]
#[test]
fn files_are_as_private_as_the_user_wants() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sandbox();
    let gts = format!("umask 027; {} run bfs g.txt --output levels.csv", crate::PROGRAM);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &gts]).current_dir(sandbox.path("")).env("GTS_CACHE_DIR", sandbox.path("cache"));
    assert!(shell.output().expect("a shell").status.success());
    let mode = std::fs::metadata(sandbox.path("levels.csv")).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o640, "{mode:o}");
}

#[cfg(target_os = "linux")]
#[test]
fn remarks_without_a_reader_are_no_failure() {
    let sandbox = sandbox();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device that is always full");
    let arguments = ["run", "bfs", "g.txt", "--source", "1", "--device", "cpu", "--output", "levels.csv"];
    let ended = sandbox.command(&arguments).stderr(full).output().expect("the binary runs");
    assert!(ended.status.success(), "{ended:?}");
    assert!(sandbox.read("levels.csv").starts_with("vertex,level\n1,0\n"));
}

#[test]
fn more_lines_than_vertices_are_all_of_them() {
    let sandbox = sandbox();
    let ranks = sandbox.json(&["run", "pagerank", "g.txt", "--device", "cpu", "--top", "1000000000000"]);
    assert_eq!(ranks["top"]["rank"].as_array().map(Vec::len), Some(6), "{ranks}");
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_failure() {
    use std::io::Read;
    let sandbox = Sandbox::new();
    let mut child = sandbox.command(&["list", "--json"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut errors = String::new();
    let status = child.wait().unwrap();
    if let Some(mut stderr) = child.stderr.take() {
        stderr.read_to_string(&mut errors).unwrap();
    }
    assert!(status.success(), "{status:?}: {errors}");
}

#[test]
fn edges_of_an_answer_are_a_file_that_can_be_imported() {
    let sandbox = sandbox();
    sandbox.text(&["run", "spanning-forest", "g.txt", "--output", "forest.wel"]);
    assert_eq!(sandbox.read("forest.wel").lines().count(), 4);
    let info = sandbox.json(&["run", "degree-distribution", "forest.wel"]);
    assert_eq!(info["graph"]["edges"], json!(4), "{info}");
    sandbox.text(&["run", "induced-subgraph", "g.txt", "--vertices", "1,2,3", "--output", "part.el"]);
    assert_eq!(sandbox.read("part.el"), "1 2\n1 3\n3 2\n");
    sandbox.write("two.el", "1 2\n2 3\n3 1\n3 4\n5 5\n");
    sandbox.text(&["run", "k-truss", "two.el", "--output", "truss.el"]);
    assert_eq!(sandbox.read("truss.el"), "1 2\n1 3\n2 1\n2 3\n3 1\n3 2\n");
    let error = sandbox.fails(2, &["run", "bfs", "g.txt", "--output", "levels.el"]);
    assert!(error.contains("`bfs` answers no edges"), "{error}");
    let error = sandbox.fails(2, &["run", "induced-subgraph", "g.txt", "--vertices", "1,x"]);
    assert!(error.contains("--vertices x: expected the key of a vertex, a number"), "{error}");
    let error = sandbox.fails(66, &["run", "cross-edges", "g.txt", "--from", "1", "--to", "4"]);
    assert!(error.contains("vertex 4 is not in the graph"), "{error}");
}

#[test]
fn the_phases_of_a_command_add_up_to_its_time() {
    let sandbox = Sandbox::new();
    sandbox.text(&["generate", "rmat:10", "g.gts", "--order", "degree"]);
    let begun = Instant::now();
    let report =
        sandbox.json(&["run", "pagerank", "g.gts", "--device", "cpu", "--output", "ranks.csv", "--trace", "t.json"]);
    let wall = begun.elapsed().as_secs_f64();
    let seconds = &report["seconds"];
    let phases = seconds["phases"].as_object().expect("phases");
    let sum: f64 = phases.values().map(|time| time.as_f64().expect("seconds")).sum();
    let command = seconds["command"].as_f64().expect("seconds");
    assert!((sum - command).abs() < 1e-6 && command < wall, "{seconds} within {wall}");
    for phase in ["read", "check", "device", "allocate", "initialise", "passes", "driver", "order", "output"] {
        assert!(phases.contains_key(phase), "{phase}: {seconds}");
    }
    assert!(phases.contains_key("start") || !cfg!(target_os = "linux"), "{seconds}");
    let trace: Value = serde_json::from_str(&sandbox.read("t.json")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let seen = |name: &str| events.iter().any(|event| event["name"] == json!(name) && event["cat"] == json!("phase"));
    assert!(seen("phase read") && seen("phase passes"), "{trace}");
    let text = sandbox.both(&["run", "pagerank", "rmat:8", "--device", "cpu"]);
    assert!(text.lines().any(|line| line.starts_with("command ") && line.contains("generate ")), "{text}");
}

#[test]
fn matches_are_listed_and_counted() {
    let sandbox = Sandbox::new();
    let text = sandbox.text(&["run", "match", "complete:4", "--top", "3"]);
    assert!(text.starts_with("0  1  2\n0  1  2\n0  1  3\n0  2  3\n... and 1 more\n\nmatches"), "{text}");
    let json = sandbox.json(&["run", "match", "complete:4", "--top", "1", "--check"]);
    assert_eq!((&json["answer"]["matches"], &json["top"]["listing"]), (&json!(4), &json!([{"0": 0, "1": 1, "2": 2}])));
    let counted = sandbox.json(&["run", "match", "complete:4", "--count"]);
    assert_eq!((&counted["answer"]["matches"], &counted["top"]), (&json!(4), &json!({})));
    // The file is the same for all numbers of threads and orders of the graph.
    for (name, more) in
        [("one.csv", ["--threads", "1"]), ("several.csv", ["--threads", "3"]), ("other.csv", ["--order", "degree"])]
    {
        sandbox.text(&[&["run", "match", "rmat:7", "--limit", "100000", "--output", name][..], &more].concat());
    }
    assert_eq!(sandbox.read("one.csv"), sandbox.read("several.csv"));
    assert_eq!(sandbox.read("one.csv"), sandbox.read("other.csv"));
    assert!(sandbox.read("one.csv").lines().count() > 1000);
}

#[test]
fn options_without_effect_are_refused_or_told_of_if_the_device_was_not_named() {
    let sandbox = Sandbox::new();
    let run = ["run", "bfs", "rmat:4", "--device"];
    let error = sandbox.fails(2, &[&run[..], &["cpu", "--streams", "2", "--technique", "auto"]].concat());
    assert!(error.contains("error: --device cpu: a run on the CPU would ignore --streams, --technique\n"), "{error}");
    assert!(error.contains("next:  leave out --streams, which is for GPUs; --technique, which is for GPUs"), "{error}");
    for command in ["run", "plan"] {
        let auto = [&[command][..], &run[1..], &["auto", "--threads", "1", "--streams", "2"]].concat();
        let ended = sandbox.run(&auto);
        let (taken, ignored) = match ended.stdout.contains("\ndevice") && ended.stdout.contains("cuda") {
            true => ("a GPU", "--threads"),
            false => ("the CPU", "--streams"),
        };
        let line = format!("--device auto takes {taken}; without effect there: {ignored}\n");
        assert!(ended.code == 0 && ended.stderr.contains(&line), "{ended:?}");
    }
    let silent = sandbox.run(&[&run[..], &["auto"]].concat());
    assert!(!silent.stderr.contains("without effect"), "{silent:?}");
}
