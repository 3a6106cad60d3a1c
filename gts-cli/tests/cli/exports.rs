//! `gts export` and `gts convert`.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};

/// Returns the arcs of a graph, sorted, and its other properties.
fn contents(sandbox: &Sandbox, store: &str) -> (Vec<String>, Value) {
    let mut info = sandbox.json(&["info", store]);
    let arcs = sandbox.text(&["export", store, "-", "--output-format", "csv", "--lossy", "-q"]);
    let mut arcs: Vec<_> = arcs.lines().map(str::to_owned).collect();
    arcs.sort_unstable();
    let known = ["vertices", "edges", "undirected_edges", "weights", "bipartite_rows"];
    let known = known.map(|name| (name.to_owned(), info[name].take())).into_iter().collect();
    (arcs, Value::Object(known))
}

const KINDS: [&str; 5] = ["csv", "tsv.gz", "el.zst", "mtx", "e"];

#[test]
fn an_imported_export_is_the_graph_itself() {
    let sandbox = Sandbox::new();
    sandbox.write("arcs.txt", "2 1 7\n1 2 4\n1 3 1\n3 2 2\n3 3 9\n1 3 1\n");
    sandbox
        .write("pairs.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n4 4 4\n2 1 5\n3 2 6\n3 3 7\n3 2 6\n");
    sandbox.write("sides.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 4 3\n1 1\n2 3\n1 4\n");
    sandbox.write("reals.csv", "source,target,weight\n1,2,0.1\n2,3,1e-7\n3,1,123456789.125\n");
    let sources = [
        (&["import", "arcs.txt", "g.gts", "--order", "degree"][..], "u32", None),
        (&["import", "pairs.mtx", "g.gts"], "u32", Some("vertices without edges")),
        (&["import", "sides.mtx", "g.gts"], "none", Some("")),
        (&["import", "reals.csv", "g.gts", "--weights", "f64"], "f64", None),
        (&["generate", "rmat:6,weights=f32", "g.gts", "--page-size", "4KiB"], "f32", Some("")),
    ];
    for (make, weights, lost) in sources {
        sandbox.text(&[make, &["--force"]].concat());
        let expected = contents(&sandbox, "g.gts");
        let mut written = 0;
        for kind in KINDS {
            let name = format!("x.{kind}");
            let ended = sandbox.run(&["export", "g.gts", &name, "--force"]);
            if ended.code != 0 {
                assert!(lost.is_some_and(|lost| ended.stderr.contains(lost)), "{make:?} {kind}: {ended:?}");
                assert!(ended.code == 2 && ended.stderr.contains(" cannot hold "), "{make:?} {kind}: {ended:?}");
                assert!(!sandbox.path(&name).exists(), "{name}");
                continue;
            }
            sandbox.text(&["import", &name, "again.gts", "--force", "--weights", weights]);
            assert_eq!(contents(&sandbox, "again.gts"), expected, "{make:?} {kind}");
            written += 1;
            let _ = std::fs::remove_file(sandbox.path(&name));
        }
        assert!(written > 0, "{make:?}");
    }
}

#[test]
fn what_a_file_cannot_hold_is_refused_by_name() {
    let sandbox = Sandbox::new();
    let banner = "%%MatrixMarket matrix coordinate pattern";
    sandbox.write("lone.mtx", format!("{banner} general\n3 3 1\n1 2\n"));
    let nodes =
        |first, last| format!("<graphml><graph>{first}<edge source=\"b\" target=\"a\"/>{last}</graph></graphml>");
    sandbox.write("lone.graphml", nodes("<node id=\"a\"/><node id=\"b\"/>", "<node id=\"c\"/>"));
    sandbox.write("late.graphml", nodes("<node id=\"a\"/>", "<node id=\"b\"/>"));
    sandbox.write("sides.mtx", format!("{banner} general\n1 2 2\n1 1\n1 2\n"));
    for (input, file, what) in [
        ("lone.mtx", "a.csv", "csv cannot hold vertices without edges"),
        ("lone.mtx", "a.EL", "el cannot hold vertices without edges"),
        ("lone.graphml", "a.jsonl", "jsonl cannot hold vertices without edges"),
        ("sides.mtx", "a.e", "graphalytics cannot hold the rows and columns of a matrix"),
        ("rmat:4", "a.mtx", "mtx cannot hold IDs other than 1, 2, 3 and so on"),
    ] {
        let make = if input.contains(':') { "generate" } else { "import" };
        sandbox.text(&[make, input, "g.gts", "--force"]);
        for command in [["export", "g.gts"], ["convert", input]] {
            let error = sandbox.fails(2, &[&command[..], &[file]].concat());
            assert!(error.contains(&format!("{file}: {what}")) && error.contains("next:"), "{command:?}: {error}");
        }
    }
    sandbox.text(&["import", "lone.mtx", "g.gts", "--force"]);
    let ended = sandbox.run(&["export", "g.gts", "-", "--lossy"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "source,target\n1,2\n"), "{ended:?}");
    assert!(ended.stderr.contains("-: vertices without edges are left out\n"), "{ended:?}");
    assert_eq!(sandbox.text(&["convert", "late.graphml", "-", "--directed"]), "source,target\nb,a\n");
    sandbox.write("names.csv", "source,target\nb,a\n");
    let error = sandbox.fails(2, &["convert", "names.csv", "lone.graphml", "both.csv", "--directed"]);
    assert!(error.contains("both.csv: csv cannot hold vertices without edges"), "{error}");
    sandbox.write("lists.txt", "1 2 3\n4\n3 1\n");
    let lists = ["convert", "--format", "adjacency", "lists.txt"];
    let error = sandbox.fails(2, &[&lists[..], &["lists.csv"]].concat());
    assert!(error.contains("lists.csv: csv cannot hold vertices without edges"), "{error}");
    assert_eq!(sandbox.text(&[&lists[..], &["-", "--lossy"]].concat()), "source,target\n1,2\n1,3\n3,1\n");
    for (arguments, part) in [
        (&["export", "lone.mtx", "a.csv"][..], "`lone.mtx` is no store"),
        (&["convert", "g.gts", "a.csv"], "g.gts is a store already"),
        (&["export", "g.gts", "a.npz"], "a.npz: the ending tells no kind of file"),
        (&["export", "g.gts", "-", "--output-format", "graphalytics"], "three plain files"),
    ] {
        let error = sandbox.fails(2, arguments);
        assert!(error.contains(part), "{arguments:?}: {error}");
    }
}

#[test]
fn files_are_converted_without_a_store() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", "1 2 5\n2 3 6\n");
    sandbox.write("b.csv", "source,target,weight\n7,1,4\n");
    sandbox.write("plain.txt", "1 2\n");
    sandbox.text(&["convert", "a.txt", "b.csv", "all.jsonl", "--weights", "u32"]);
    assert_eq!(
        sandbox.read("all.jsonl"),
        "{\"source\":1,\"target\":2,\"weight\":5}\n{\"source\":2,\"target\":3,\"weight\":6}\n\
         {\"source\":7,\"target\":1,\"weight\":4}\n"
    );
    let both_ways = sandbox.text(&["convert", "a.txt", "-", "--undirected", "--weights", "none"]);
    assert_eq!(both_ways, "source,target\n1,2\n2,3\n2,1\n3,2\n");
    let error = sandbox.fails(2, &["convert", "a.txt", "plain.txt", "x.csv"]);
    assert!(error.contains("a.txt and plain.txt: weights, directions, keys or vertices differ"), "{error}");
    let error = sandbox.fails(2, &["convert", "a.txt", "x.mtx"]);
    assert!(
        error.contains("mtx lists or counts the vertices before the edges, and a.txt does not declare them"),
        "{error}"
    );
    sandbox.write("snap.txt", "# Undirected graph: star\n1\t5\n5\t1\n");
    let error = sandbox.fails(2, &["convert", "snap.txt", "x.csv"]);
    assert!(error.contains("`gts import snap.txt STORE`") && error.contains("--directed"), "{error}");
    sandbox.write("bad.txt", "1 2\n2 x\n");
    let error = sandbox.fails(65, &["convert", "bad.txt", "x.csv"]);
    assert!(error.contains("bad.txt:2"), "{error}");
    assert!(!sandbox.path("x.csv").exists());
    sandbox.text(&["convert", "grid:3x4", "grid.e"]);
    let info = sandbox.json(&["info", "grid.e"]);
    assert_eq!((&info["vertices"], &info["undirected_edges"]), (&json!(12), &json!(17)), "{info}");
}

#[test]
fn keys_are_exported_and_converted_as_they_were_read() {
    let sandbox = Sandbox::new();
    let rows = "source,target\nlibc6,\"a, b\"\n\"a, b\",zürich\n";
    sandbox.write("names.csv", rows);
    sandbox.text(&["import", "names.csv", "names.gts"]);
    let objects = "{\"source\":\"a, b\",\"target\":\"zürich\"}\n{\"source\":\"libc6\",\"target\":\"a, b\"}\n";
    assert_eq!(sandbox.text(&["export", "names.gts", "-", "--output-format", "jsonl", "-q"]), objects);
    sandbox.text(&["export", "names.gts", "again.csv"]);
    sandbox.text(&["import", "again.csv", "again.gts"]);
    assert_eq!(sandbox.text(&["export", "again.gts", "-", "--output-format", "jsonl", "-q"]), objects);
    assert_eq!(sandbox.text(&["convert", "names.csv", "-", "--output-format", "csv", "-q"]), rows);
    for kind in ["el", "mtx", "graphalytics"] {
        for command in [["export", "names.gts"], ["convert", "names.csv"]] {
            let name = format!("names.{}", if kind == "graphalytics" { "e" } else { kind });
            let refused = sandbox.fails(2, &[command[0], command[1], &name, "--output-format", kind]);
            assert!(refused.contains("cannot hold keys that are no numbers"), "{refused}");
        }
    }
    sandbox.write("signed.csv", "source,target\n-5,3\n");
    let signed = sandbox.text(&["convert", "signed.csv", "-", "--keys", "signed", "-q"]);
    assert_eq!(signed, "source,target\n-5,3\n");
}
