//! Tables and their weights, read by the real binary.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};

/// Returns the option that a text recommends, as arguments.
fn advised(text: &str, flag: &str) -> [String; 2] {
    let (_, rest) = text.split_once(&format!("{flag} ")).unwrap_or_else(|| panic!("no {flag} in: {text}"));
    let ends = |end: char| end == '`' || end.is_whitespace() || end == ';';
    [flag.to_owned(), rest.split(ends).next().unwrap().trim_end_matches(',').to_owned()]
}

/// Returns the distance of a vertex.
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
            let error = sandbox.fails(65, command);
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
    let error = sandbox.fails(65, &["import", "g.csv", "g.gts", "--weights", "u32"]);
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
        let error = sandbox.fails(2, &["run", "sssp", graph, "--source", "1", "--device", "cpu"]);
        assert!(error.contains("vertex 3"), "{error}");
        let [flag, wider] = advised(&error, "--weights");
        assert_eq!(distance(&sandbox, &[file, &flag, &wider]), farthest);
    }
    sandbox.write("g.txt", "1 2 1e308\n2 3 1e308\n");
    let error = sandbox.fails(2, &["run", "sssp", "g.txt", "--source", "1", "--device", "cpu"]);
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
    // The file's statement on weights is then ignored.
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
            let error = sandbox.fails(65, command);
            assert!(error.contains(&format!("m.mtx:3: the header declares {entries} entries")), "{error}");
        }
    }
    sandbox.write("m.mtx", format!("{banner}99999999999 99999999999 1\n1 2\n"));
    let error = sandbox.fails(65, &["import", "m.mtx", "m.gts"]);
    assert!(error.contains("m.mtx"), "{error}");
    assert_eq!(sandbox.names(), ["cache", "m.mtx"]);
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

/// Returns the notes of a run that makes its own import.
fn notes_of(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let ended = sandbox.run(&[arguments, &["--device", "cpu", "--no-cache"]].concat());
    assert_eq!(ended.code, 0, "{arguments:?}: {ended:?}");
    ended.stderr
}

#[test]
fn a_file_that_says_it_is_undirected_is_read_so_with_a_note() {
    let sandbox = Sandbox::new();
    // Vertex 5 is the centre of a star; its edges are listed only at the other ends.
    sandbox.write("snap.txt", "# Undirected graph: star\n# Nodes: 5 Edges: 4\n1\t5\n2\t5\n3\t5\n4\t5\n");
    sandbox.write(
        "gephi.csv",
        "Source,Target,Type,Id,Label\n1,5,Undirected,0,\n2,5,Undirected,1,\n3,5,Undirected,2,\n4,5,Undirected,3,\n",
    );
    for (file, said) in [("snap.txt", "as with `--symmetrise`"), ("gephi.csv", "as with `--undirected`")] {
        let bfs = |flags: &[&str]| {
            let run = ["run", "bfs", file, "--source", "1", "--device", "cpu", "--check"];
            let report = sandbox.json(&[&run, flags].concat());
            assert_eq!(report["check"]["agrees"], json!(true), "{report}");
            report["answer"]["reached"].as_u64().unwrap_or_else(|| panic!("{report}"))
        };
        assert_eq!((bfs(&[]), bfs(&["--directed"]), bfs(&["--undirected"])), (5, 2, 5), "{file}");
        for command in [&["run", "bfs", file, "--source", "1"][..], &["run", "pagerank", file]] {
            let notes = notes_of(&sandbox, command);
            assert!(notes.contains(said) && notes.contains("`--directed`"), "{notes}");
            for flag in ["--directed", "--undirected", "--symmetrise"] {
                let notes = notes_of(&sandbox, &[command, &[flag]].concat());
                assert!(!notes.contains("both ways"), "{notes}");
            }
        }
        let made = sandbox.json(&["import", file, "g.gts", "--force"]);
        assert_eq!((&made["edges_stored"], &made["edges_reversed"]), (&json!(8), &json!(4)), "{made}");
        assert!(made["notes"].to_string().contains(said), "{made}");
    }
    sandbox.write("mixed.csv", "Source,Target,Type\n1,5,Undirected\n2,5,Directed\n");
    for command in [&["import", "mixed.csv", "m.gts"][..], &["run", "wcc", "mixed.csv"]] {
        let error = sandbox.fails(65, command);
        assert!(error.contains("mixed.csv:3:5: expected `Undirected`"), "{error}");
    }
    for flag in ["--undirected", "--symmetrise"] {
        let error = sandbox.fails(2, &["import", "snap.txt", "x.gts", "--directed", flag]);
        assert!(error.contains("--directed") && error.contains(flag), "{error}");
    }
    sandbox.write("k.graph", "2 1\n2\n1\n");
    let error = sandbox.fails(65, &["import", "k.graph", "x.gts", "--directed"]);
    assert!(error.contains("k.graph:1: --directed is given"), "{error}");
    assert!(!sandbox.path("x.gts").exists() && !sandbox.path("m.gts").exists());
}

#[test]
fn weights_that_an_algorithm_does_not_take_are_mentioned() {
    let sandbox = Sandbox::new();
    sandbox.write("g.csv", "from,to,weight,amount\n1,2,7,1\n2,3,5,1\n");
    sandbox.write("lists.txt", "1 2 3\n2 3 4\n3 1 5\n");
    let notes = notes_of(&sandbox, &["run", "pagerank", "g.csv"]);
    assert!(notes.contains("g.csv: its weights are not read") && notes.contains("`amount` is not read"), "{notes}");
    assert!(!notes.contains("--columns"), "{notes}");
    for flags in [["--weights", "none"], ["--weights", "1"], ["--weights", "u32"]] {
        let notes = notes_of(&sandbox, &[&["run", "pagerank", "g.csv"][..], &flags].concat());
        assert!(!notes.contains("its weights are not read"), "{flags:?}: {notes}");
    }
    assert!(!notes_of(&sandbox, &["run", "sssp", "g.csv", "--source", "1"]).contains("its weights are not read"));
    let notes = notes_of(&sandbox, &["run", "bfs", "lists.txt", "--source", "1"]);
    assert!(notes.contains("`--format edges`") && notes.contains("its weights are not read"), "{notes}");
}

#[test]
fn lines_are_skipped_where_a_note_or_an_error_says_so() {
    let sandbox = Sandbox::new();
    sandbox.write("sizes.txt", "4 3\n1 2\n2 3\n3 4\n");
    sandbox.write("lines.txt", "5 5 6\n1 2\n2 3\n3 4\n4 5\n5 1\n1 3\n");
    let notes = notes_of(&sandbox, &["run", "wcc", "sizes.txt"]);
    assert!(notes.contains("line 1 is read as an edge") && notes.contains("`--skip 1`"), "{notes}");
    assert!(sandbox.fails(65, &["run", "wcc", "lines.txt"]).contains("`--skip 1`"));
    for (file, edges) in [("sizes.txt", 3), ("lines.txt", 6)] {
        let made = sandbox.json(&["import", file, "g.gts", "--force", "--skip", "1"]);
        assert_eq!((&made["edges_stored"], &made["notes"]), (&json!(edges), &json!([])), "{made}");
    }
    let error = sandbox.fails(65, &["import", "sizes.txt", "x.gts", "--skip", "4"]);
    assert!(error.contains("sizes.txt:4: --skip 4 leaves no line"), "{error}");
    for flag in [["--skip", "1"], ["--format", "csv"], ["--columns", "source=1,target=2"]] {
        let error = sandbox.fails(2, &[&["generate", "chain:4", "x.gts"][..], &flag].concat());
        assert!(error.contains(&format!("{} is for files", flag[0])), "{error}");
    }
    assert!(sandbox.fails(2, &["run", "wcc", "g.gts", "--skip", "1"]).contains("--skip cannot change the store"));
}

#[test]
fn a_file_of_another_kind_is_refused_by_its_kind() {
    let sandbox = Sandbox::new();
    let database =
        [&b"SQLite format 3\0\x10\0\x01\x01\0@  "[..], &[0; 8000], b"CREATE TABLE e (a, b);\t1\t2\n"].concat();
    sandbox.write("e.db", database);
    sandbox.write("e.gml", "graph [\n]\n");
    for (file, kind) in [("e.db", "an SQLite database"), ("e.gml", "a GML file")] {
        for command in [&["import", file, "x.gts"][..], &["run", "wcc", file], &["info", file]] {
            let error = sandbox.fails(65, command);
            assert!(
                error.contains(&format!("{file}: {kind} cannot be imported")) && error.contains("next:"),
                "{error}"
            );
        }
    }
    assert_eq!(sandbox.names(), ["cache", "e.db", "e.gml"]);
}
