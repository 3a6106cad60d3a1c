//! Bipartite graphs whose left and right vertices have keys of their own, and labels of vertices.

use crate::sandbox::Sandbox;
use serde_json::json;

/// Ratings: `ann` is a user and an item.
const RATINGS: &str = "user,item,stars\nann,ann,5\nann,tea,4\nbob,tea,1\n";
const READ: [&str; 5] = ["--bipartite", "--header", "yes", "--columns", "source=user,target=item,weight=stars"];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("ratings.csv", RATINGS);
    sandbox.write("numbers.txt", "7 7\n7 9\n8 9\n");
    sandbox.text(&[&["import", "ratings.csv", "r.gts", "--in-edges"][..], &READ].concat());
    sandbox
}

#[test]
fn an_answer_has_a_column_of_sides_after_each_key() {
    let sandbox = sandbox();
    // The file is imported and kept, and the second run reads the kept import.
    let file = [&["run", "sssp", "ratings.csv", "--source", "left:ann", "--output", "-"][..], &READ].concat();
    let store = &["run", "sssp", "r.gts", "--source", "left:ann", "--output", "-"][..];
    for run in [&file[..], &file, store] {
        let expected = "vertex,side,distance\nann,left,0\nbob,left,\nann,right,5\ntea,right,4\n";
        assert_eq!(sandbox.text(run), expected);
    }
    let lines = sandbox.text(&["run", "wcc", "r.gts", "--output", "-", "--output-format", "jsonl"]);
    let last = r#"{"vertex":"tea","side":"right","component":"ann","component_side":"left"}"#;
    assert_eq!(lines.lines().last(), Some(last));
    let forest =
        |output: &'static str| [&["run", "spanning-forest", "ratings.csv", "--output", output][..], &READ].concat();
    sandbox.text(&forest("f.json"));
    let whole: serde_json::Value = serde_json::from_str(&sandbox.read("f.json")).expect("JSON");
    assert!(whole.to_string().contains(r#""source_side":["left""#), "{whole}");
    assert!(sandbox.fails(2, &forest("f.el")).contains("cannot hold the sides of vertices"));
    // NumPy's text has four bytes per character.
    sandbox.text(&["run", "wcc", "numbers.txt", "--bipartite", "--output", "a.npy"]);
    let file = std::fs::read(sandbox.path("a.npy")).expect("a file");
    let header = String::from_utf8_lossy(&file);
    assert!(header.contains("('vertex', '<u8'), ('side', '<U5'), ('component', '<u8'), ('component_side', '<U5')"));
    let last = &file[file.len() - 2 * 28..];
    let side: String = last[8..28].chunks(4).map(|letter| char::from(letter[0])).collect();
    assert_eq!((last[0], side.as_str(), last[28]), (9, "right", 7));
}

#[test]
fn the_summary_shows_sides() {
    let sandbox = sandbox();
    let top = ["run", "pagerank", "numbers.txt", "--bipartite", "--top", "1"];
    let text = sandbox.text(&top);
    let words: Vec<_> = text.lines().take(2).flat_map(str::split_whitespace).collect();
    assert_eq!((&words[..3], &words[4..]), (&["rank", "vertex", "side"][..], &["9", "right"][..]), "{text}");
    let report = sandbox.json(&top);
    assert_eq!((&report["top"]["rank"][0]["vertex"], &report["top"]["rank"][0]["side"]), (&json!(9), &json!("right")));
    let info = sandbox.text(&["info", "r.gts"]);
    assert!(info.contains("2 left, 2 right") && info.contains("names, left:`ann` to right:`tea`"), "{info}");
    let info = sandbox.json(&["info", "r.gts"]);
    assert_eq!((&info["sides"], &info["bipartite_rows"]), (&json!(true), &json!(2)));
    assert!(sandbox.text(&["verify", "r.gts"]).contains("is sound"));
}

#[test]
fn a_vertex_flag_takes_a_side_and_a_key() {
    let sandbox = sandbox();
    let list = |vertices: &str| {
        sandbox.text(&[
            "run",
            "induced-subgraph",
            "numbers.txt",
            "--bipartite",
            "--vertices",
            vertices,
            "--output",
            "-",
        ])
    };
    assert_eq!(list("left:7,right:9"), list("right:9,left:7"));
    let source = |text: &'static str| ["run", "bfs", "r.gts", "--source", text];
    for text in ["ann", "up:ann", "left"] {
        let error = sandbox.fails(2, &source(text));
        assert!(error.contains("a name, after its side: `left:KEY` or `right:KEY`"), "{error}");
    }
    let error = sandbox.fails(66, &source("left:tea"));
    let next = "give one of its 4 names, left:`ann` to right:`tea`; the nearest is left:`bob`";
    assert!(error.ends_with(&format!("error: vertex left:`tea` is not in the graph\n  next:  {next}\n")), "{error}");
}

#[test]
fn an_export_has_sides_and_is_read_again() {
    let sandbox = sandbox();
    let exported = sandbox.text(&["export", "r.gts", "-"]);
    let rows = "ann,left,ann,right,5\nann,left,tea,right,4\nbob,left,tea,right,1\n";
    assert_eq!(exported, format!("source,source_side,target,target_side,weight\n{rows}"));
    sandbox.write("again.csv", &exported);
    sandbox.text(&[
        "import",
        "again.csv",
        "again.gts",
        "--bipartite",
        "--columns",
        "source=source,target=target,weight=weight",
    ]);
    assert_eq!(sandbox.text(&["export", "again.gts", "-"]), exported);
    let object = r#"{"source":"bob","source_side":"left","target":"tea","target_side":"right","weight":1}"#;
    assert_eq!(sandbox.text(&["export", "r.gts", "-", "--output-format", "jsonl"]).lines().last(), Some(object));
    sandbox.text(&["import", "numbers.txt", "n.gts", "--bipartite"]);
    for name in ["x.el", "x.e"] {
        let error = sandbox.fails(2, &["export", "n.gts", name, "--lossy"]);
        assert!(error.contains("cannot hold the sides of the vertices"), "{error}");
    }
    // The rows and the columns of a matrix are sides already.
    let matrix = "%%MatrixMarket matrix coordinate pattern general\n3 2 3\n1 1\n1 2\n3 2\n";
    sandbox.write("m.mtx", matrix);
    sandbox.text(&["import", "m.mtx", "m.gts", "--bipartite"]);
    assert_eq!(sandbox.text(&["export", "m.gts", "-", "--output-format", "mtx"]), matrix);
    let error = sandbox.fails(2, &[&["convert", "ratings.csv", "x.csv"][..], &READ].concat());
    assert!(error.contains("make a store first"), "{error}");
}

#[cfg(feature = "arrow")]
#[test]
fn typed_files_have_sides() {
    let sandbox = sandbox();
    let exported = sandbox.text(&["export", "r.gts", "-"]);
    sandbox.text(&["export", "r.gts", "r.parquet"]);
    let columns = "source=source,target=target,weight=weight";
    sandbox.text(&["import", "r.parquet", "again.gts", "--bipartite", "--columns", columns]);
    assert_eq!(sandbox.text(&["export", "again.gts", "-"]), exported);
    // The sides of an answer are text.
    sandbox.text(&["run", "wcc", "numbers.txt", "--bipartite", "--output", "a.arrow"]);
    let sides = sandbox.text(&["convert", "a.arrow", "-", "--columns", "source=side,target=component_side"]);
    assert_eq!(sides, "source,target\nleft,left\nleft,left\nright,left\nright,left\n");
}

#[test]
fn a_konect_graph_without_sizes_has_two_name_spaces() {
    let sandbox = sandbox();
    sandbox.write("out.a", "% bip unweighted\n1 1\n4 2\n2 1\n");
    let answer = sandbox.text(&["run", "wcc", "out.a", "--output", "-"]);
    assert!(answer.starts_with("vertex,side,component,component_side\n1,left,1,left\n"), "{answer}");
}

#[test]
fn sides_are_refused_if_there_can_be_none() {
    let sandbox = sandbox();
    sandbox.write("a.graph", "2 1\n2\n1\n");
    for (code, error, run) in [
        (2, "GTS4002", &["run", "bfs", "rmat:4", "--bipartite"][..]),
        (2, "GTS4002", &["run", "bfs", "r.gts", "--bipartite", "--source", "left:ann"]),
        (65, "GTS2104", &["run", "wcc", "a.graph", "--bipartite"]),
    ] {
        let text = sandbox.fails_with(code, error, run);
        assert!(text.contains("--bipartite"), "{text}");
    }
    sandbox.text(&["import", "numbers.txt", "--bipartite", "between.gts"]);
    sandbox.text(&["convert", "numbers.txt", "--directed", "between.csv"]);
    for command in ["import", "convert"] {
        let error = sandbox.fails_with(2, "GTS4002", &[command, "numbers.txt", "--directed"]);
        assert!(error.contains(&format!("`gts {command}` takes files to read, and then a path to write")), "{error}");
    }
    let layers = ["import", "numbers.txt", "l.gts", "--bipartite", "--order", "layers:7"];
    assert!(sandbox.fails(66, &layers).contains("have sides"));
}

#[test]
fn labels_are_any_table_of_numbers_and_names() {
    let sandbox = sandbox();
    for (name, table) in [
        ("tabs", "# labels\n7\tseven, the first\n9\tnine\n"),
        ("names.tsv", "id\tlabel\n7\tseven, the first\n9\tnine\n"),
        ("names.csv", "7,\"seven, the first\"\n9,nine\n"),
        ("header.csv", "year,name,vertex\n1,\"seven, the first\",7\n2,nine,9\n"),
        ("semicolons.csv", "number;text\n7;seven, the first\n9;nine\n"),
    ] {
        sandbox.write(name, table);
        let run = ["run", "bfs", "numbers.txt", "--labels", name, "--source", "seven, the first", "--output", "-"];
        let answer = "vertex,name,level\n7,\"seven, the first\",0\n8,,\n9,nine,1\n";
        assert_eq!(sandbox.text(&run), answer, "{name}");
    }
    sandbox.write("blanks", "7 seven\n9  nine\n");
    #[cfg(not(feature = "arrow"))]
    {
        sandbox.write("names.parquet", [&b"PAR1\x15\0"[..], &[0; 32]].concat());
        let run = ["run", "bfs", "numbers.txt", "--labels", "names.parquet", "--source", "7"];
        assert!(sandbox.fails(65, &run).contains("--features arrow"));
    }
    let run = ["run", "bfs", "numbers.txt", "--labels", "blanks", "--source", "seven", "--output", "-"];
    assert!(sandbox.text(&run).contains("9,nine,1"));
}

#[test]
fn a_source_may_be_a_label_that_one_vertex_has() {
    let sandbox = sandbox();
    sandbox.write("names", "7\tann\n8\tbob\n9\tann\n");
    let run = |source: &'static str| ["run", "bfs", "numbers.txt", "--labels", "names", "--source", source];
    sandbox.text(&run("bob"));
    let error = sandbox.fails_with(2, "GTS1012", &run("ann"));
    assert!(error.contains("--source ann: 2 vertices have this label: 7, 9; give a number"), "{error}");
    let error = sandbox.fails_with(2, "GTS1012", &run("carl"));
    assert!(
        error.contains("--source carl: expected the key of a vertex, a number; no vertex has this label"),
        "{error}"
    );
    for graph in [&["r.gts"][..], &["numbers.txt", "--bipartite"]] {
        let error = sandbox.fails(2, &[&["run", "wcc", "--labels", "names"], graph].concat());
        assert!(error.contains("--labels names vertices by number"), "{error}");
    }
}
