//! Tables and their weights, read by the real binary.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};

/// The option that a text advises, as arguments.
fn advised(text: &str, flag: &str) -> [String; 2] {
    let (_, rest) = text.split_once(&format!("{flag} ")).unwrap_or_else(|| panic!("no {flag} in: {text}"));
    let ends = |end: char| end == '`' || end.is_whitespace() || end == ';';
    [flag.to_owned(), rest.split(ends).next().unwrap().trim_end_matches(',').to_owned()]
}

/// The distance of a vertex.
fn distance(sandbox: &Sandbox, arguments: &[&str]) -> f64 {
    let report =
        sandbox.json(&[&["run", "sssp"], arguments, &["--source", "1", "--device", "cpu", "--check"]].concat());
    assert_eq!(report["check"]["agrees"], json!(true), "{report}");
    report["answer"]["farthest"].as_f64().unwrap()
}

#[test]
fn a_header_that_names_no_ends_is_refused_with_an_option_that_works() {
    let sandbox = Sandbox::new();
    for header in ["weight,a,b", "a,b,source", "user_id,item_id,rating", "source,target,source"] {
        sandbox.write("g.csv", format!("{header}\n2,3,1\n"));
        for command in [&["import", "g.csv", "g.gts"][..], &["run", "wcc", "g.csv"], &["info", "g.csv"]] {
            let error = sandbox.fails(1, command);
            assert!(error.contains(&format!("g.csv:1: the header `{header}`")) && error.contains("next:"), "{error}");
            let [flag, columns] = advised(&error, "--columns");
            sandbox.text(&[command, &[flag.as_str(), &columns, "--in-edges"]].concat());
        }
        std::fs::remove_dir_all(sandbox.path("g.gts")).unwrap();
    }
    sandbox.write("g.csv", "a,b\n1,2\n");
    let error = sandbox.fails(2, &["import", "g.csv", "g.gts", "--columns", "a,b"]);
    assert!(error.contains("source=A,target=B,weight=C"), "{error}");
}

#[test]
fn a_column_left_out_is_named_and_the_option_reads_it() {
    let sandbox = Sandbox::new();
    sandbox.write("g.csv", "from,to,amount\n1,2,7\n2,3,5\n");
    let text = sandbox.text(&["import", "g.csv", "plain.gts"]);
    let note = text.lines().find(|line| line.contains("`amount` is not read")).expect("a note");
    let [flag, columns] = advised(note, "--columns");
    assert_eq!(columns, "source=from,target=to,weight=amount");
    sandbox.text(&["import", "g.csv", "g.gts", &flag, &columns]);
    assert_eq!(sandbox.json(&["info", "g.gts"])["weights"], json!("u32"));
    assert_eq!(distance(&sandbox, &["g.gts"]), 12.0);
    assert_eq!(distance(&sandbox, &["g.csv", &flag, &columns]), 12.0);
    let ended = sandbox.run(&["run", "sssp", "g.csv", "--source", "1"]);
    assert!(ended.code == 1 && ended.stderr.contains("`amount` is not read"), "{ended:?}");
    let error = sandbox.fails(2, &["run", "sssp", "g.gts", "--source", "1", &flag, &columns]);
    assert!(error.contains("--columns cannot change the store"), "{error}");
    assert_eq!(sandbox.json(&["import", "g.csv", "h.gts"])["notes"].as_array().unwrap().len(), 1);
}

#[test]
fn a_weight_column_that_is_not_there_is_said() {
    let sandbox = Sandbox::new();
    sandbox.write("g.csv", "time,src,dst\n7,1,2\n");
    let error = sandbox.fails(1, &["import", "g.csv", "g.gts", "--weights", "u32"]);
    assert!(error.contains("names no weight column"), "{error}");
    let [flag, columns] = advised(&error, "--columns");
    assert_eq!(distance(&sandbox, &["g.csv", "--weights", "u32", &flag, &columns]), 7.0);
}

#[test]
fn weights_that_single_precision_would_change_stay_exact() {
    let sandbox = Sandbox::new();
    for (text, farthest) in [
        ("1 2 16777217\n2 3 0.5\n", 16_777_217.5),
        ("1 2 1e-50\n2 3 1e-50\n", 2e-50),
        ("1 2 -0\n2 3 9007199254740991\n", 9_007_199_254_740_991.0),
    ] {
        sandbox.write("g.txt", text);
        for algorithm in ["sssp", "sssp-near-far"] {
            let run = ["run", algorithm, "g.txt", "--source", "1", "--device", "cpu", "--no-cache", "--check"];
            let report = sandbox.json(&run);
            assert_eq!(report["answer"]["farthest"].as_f64(), Some(farthest), "{algorithm} of {text:?}: {report}");
            assert_eq!(report["check"]["agrees"], json!(true));
        }
    }
    sandbox.write("g.txt", "1 2 16777217\n2 3 0.5\n");
    let forest = sandbox.json(&["run", "spanning-forest", "g.txt", "--device", "cpu", "--check"]);
    assert_eq!((&forest["answer"]["weight"], &forest["check"]["agrees"]), (&json!(16_777_217.5), &json!(true)));
    let walk = ["run", "random-walk-with-restart", "g.txt", "--source", "1", "--device", "cpu", "--check"];
    assert_eq!(sandbox.json(&walk)["check"]["agrees"], json!(true));
}

#[test]
fn a_distance_beyond_single_precision_is_had_with_the_type_advised() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "1 2 3e38\n2 3 3e38\n");
    sandbox.write("h.txt", "1 2 4294967290\n2 3 10\n");
    sandbox.text(&["import", "g.txt", "g.gts"]);
    assert_eq!(sandbox.json(&["info", "g.gts"])["weights"], json!("f32"));
    for (graph, file, farthest) in
        [("g.txt", "g.txt", 6e38), ("g.gts", "g.txt", 6e38), ("h.txt", "h.txt", 4_294_967_300.0)]
    {
        let error = sandbox.fails(1, &["run", "sssp", graph, "--source", "1", "--device", "cpu"]);
        assert!(error.contains("vertex 3"), "{error}");
        let [flag, wider] = advised(&error, "--weights");
        assert_eq!(distance(&sandbox, &[file, &flag, &wider]), farthest);
    }
    sandbox.write("g.txt", "1 2 1e308\n2 3 1e308\n");
    let error = sandbox.fails(1, &["run", "sssp", "g.txt", "--source", "1", "--device", "cpu"]);
    assert!(error.contains("vertex 3") && !error.contains("--weights f64"), "{error}");
}

#[test]
fn an_unweighted_graph_gets_weight_1_for_every_edge() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "1 2\n2 3\n3 1\n");
    sandbox.text(&["import", "g.txt", "plain.gts"]);
    for graph in ["g.txt", "plain.gts"] {
        let error = sandbox.fails(1, &["run", "sssp", graph, "--source", "1", "--device", "cpu"]);
        assert!(!error.contains("#[") && error.contains("gives every edge weight 1"), "{error}");
        assert_eq!(advised(&error, "--weights")[1], "1");
    }
    let made = sandbox.json(&["import", "g.txt", "ones.gts", "--weights", "1"]);
    assert_eq!(made["edges_stored"], json!(3));
    assert_eq!(sandbox.json(&["info", "ones.gts"])["weights"], json!("u32"));
    let listed = sandbox.json(&["list"]);
    let weighted: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .filter(|algorithm| algorithm["needs"]["weights"] != json!([]))
        .map(|algorithm| algorithm["name"].as_str().unwrap())
        .collect();
    assert!(weighted.len() >= 4);
    for algorithm in weighted {
        let source: &[&str] = if algorithm == "spanning-forest" { &[] } else { &["--source", "1"] };
        sandbox.text(&[&["import", "g.txt", "both.gts", "--force", "--weights", "1", "--symmetrise"][..]].concat());
        for graph in [&["g.txt", "--weights", "1"][..], &["both.gts"], &["chain:4", "--weights", "1"]] {
            let report: Value =
                sandbox.json(&[&["run", algorithm][..], graph, source, &["--device", "cpu", "--check"]].concat());
            assert_eq!(report["check"]["agrees"], json!(true), "{algorithm} {graph:?}");
        }
    }
    assert_eq!(distance(&sandbox, &["ones.gts"]), 2.0);
    // What the file says of weights does not count then.
    sandbox.write("w.txt", "1 2 50\n2 3 50\n");
    assert_eq!(distance(&sandbox, &["w.txt", "--weights", "1"]), 2.0);
    sandbox.text(&["generate", "chain:4", "chain.gts", "--weights", "1"]);
    assert_eq!(sandbox.json(&["run", "sssp", "chain.gts", "--source", "0"])["answer"]["farthest"], json!(3.0));
}

#[test]
fn a_graph_that_cannot_be_is_told_with_its_file() {
    let sandbox = Sandbox::new();
    let banner = "%%MatrixMarket matrix coordinate pattern general\n";
    for entries in ["99999999999", "18446744073709551615"] {
        sandbox.write("m.mtx", format!("{banner}% c\n2 2 {entries}\n1 2\n"));
        for command in [&["import", "m.mtx", "m.gts"][..], &["run", "wcc", "m.mtx"]] {
            let error = sandbox.fails(1, command);
            assert!(error.contains(&format!("m.mtx:3: the header declares {entries} entries")), "{error}");
        }
    }
    sandbox.write("m.mtx", format!("{banner}99999999999 99999999999 1\n1 2\n"));
    let error = sandbox.fails(1, &["import", "m.mtx", "m.gts"]);
    assert!(error.contains("m.mtx"), "{error}");
    assert_eq!(sandbox.names(), ["m.mtx"]);
}

#[test]
fn arcs_without_a_header_are_read_with_a_note() {
    let sandbox = Sandbox::new();
    sandbox.write("g.gr", "a 0 1 5\na 1 7 3\n");
    let text = sandbox.text(&["import", "g.gr", "g.gts"]);
    assert!(text.contains("g.gr: it has no `p` line"), "{text}");
    let report = sandbox.json(&["run", "sssp", "g.gr", "--source", "0", "--device", "cpu"]);
    assert_eq!(report["answer"]["farthest"], json!(8.0));
}
