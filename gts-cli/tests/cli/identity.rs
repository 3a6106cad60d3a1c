//! Export, then import: the new store equals the old one byte by byte, or the command names what the format cannot hold.

use crate::sandbox::Sandbox;
use std::collections::BTreeMap;

/// Files of every kind that `gts export` writes.
const FILES: &[&str] = &[
    "x.csv",
    "x.tsv.zst",
    "x.jsonl.gz",
    "x.el",
    "x.mtx",
    "x.e",
    #[cfg(feature = "arrow")]
    "x.parquet",
    #[cfg(feature = "arrow")]
    "x.arrow",
];

/// Arcs between vertices by number, with a weight: loops, parallel arcs, equal arcs, and arcs in both directions.
const ARCS: [(usize, usize, u32); 9] =
    [(1, 2, 3), (2, 1, 3), (1, 3, 1), (1, 3, 2), (1, 3, 2), (3, 3, 5), (4, 4, 5), (4, 2, 0), (5, 1, 9)];

/// Names that need care in some format.
const NAMES: [&str; 24] = [
    " before",
    "after ",
    " ",
    "#comment",
    "a #b",
    "%",
    "a,b",
    "a;b",
    "tab\tbetween",
    "\ttab",
    "a \"quote\"",
    "\"",
    "two\"\"quotes",
    "7",
    "007",
    "-5",
    "null",
    "NA",
    "source",
    "sep=;",
    "zürich",
    "🦀",
    "\\n",
    "00000000-0000-0000-0000-000000000001",
];

/// The files of a store and their bytes.
fn files(sandbox: &Sandbox, store: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(sandbox.path(store)).expect("a store");
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.expect("an entry");
        (entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path()).expect("a file of the store"))
    };
    entries.map(read).collect()
}

/// Exports the store `g.gts` as a file of each kind, and imports the file. `lost` returns what an ending cannot hold.
#[track_caller]
fn check(sandbox: &Sandbox, keys: &str, weights: &str, lost: impl Fn(&str) -> Option<&'static str>) {
    let expected = files(sandbox, "g.gts");
    for name in FILES {
        let case = format!("{name}, keys {keys}, weights {weights}");
        if let Some(lost) = lost(name) {
            let refused = sandbox.fails(2, &["export", "g.gts", name, "--force"]);
            assert!(refused.contains(&format!("cannot hold {lost}\n")), "{case}: {refused}");
            assert!(!sandbox.path(name).exists(), "{case}");
            continue;
        }
        sandbox.text(&["export", "g.gts", name, "--force", "-q"]);
        let typed = name.ends_with("parquet") || name.ends_with("arrow");
        // A typed file holds the type of keys, and a symmetric matrix declares both directions.
        let keys = if typed || name.ends_with("mtx") || name.ends_with(".e") { "auto" } else { keys };
        sandbox.text(&["import", name, "again.gts", "--force", "-q", "--keys", keys, "--weights", weights]);
        let found = files(sandbox, "again.gts");
        let differs: Vec<_> = expected.iter().filter(|(file, bytes)| found.get(*file) != Some(bytes)).collect();
        assert!(
            differs.is_empty() && found.len() == expected.len(),
            "{case}: {:?}",
            differs.iter().map(|f| f.0).collect::<Vec<_>>()
        );
        std::fs::remove_file(sandbox.path(name)).expect("the exported file");
    }
}

/// Writes a table of arcs between keys, in quotes.
fn write(sandbox: &Sandbox, weighted: bool, arcs: impl IntoIterator<Item = (String, String, u32)>) {
    let quoted = |key: &str| format!("\"{}\"", key.replace('"', "\"\""));
    let mut text = String::from(if weighted { "source,target,weight\n" } else { "source,target\n" });
    for (src, dst, weight) in arcs {
        text += &format!("{},{}", quoted(&src), quoted(&dst));
        text += &if weighted { format!(",{weight}\n") } else { "\n".into() };
    }
    sandbox.write("g.csv", text);
}

const NOT_NUMBERS: &str = "keys that are no numbers from 0";

fn has_only_numbers(name: &str) -> bool {
    [".el", ".mtx", ".e"].iter().any(|ending| name.ends_with(ending))
}

#[test]
fn each_kind_of_keys_survives() {
    let sandbox = Sandbox::new();
    let key = |kind: &str, number: usize| match kind {
        "number" => number.to_string(),
        "signed" => (3 - number as i64).to_string(),
        "uuid" => format!("{number:08x}-0000-4000-8000-0000000000ff"),
        _ => NAMES[number].to_owned(),
    };
    for kind in ["number", "signed", "uuid", "text"] {
        for weights in ["none", "u32"] {
            let arcs = ARCS.map(|(src, dst, weight)| (key(kind, src), key(kind, dst), weight));
            write(&sandbox, weights != "none", arcs);
            sandbox.text(&["import", "g.csv", "g.gts", "--force", "--keys", kind, "--weights", weights]);
            check(&sandbox, kind, weights, |name| (kind != "number" && has_only_numbers(name)).then_some(NOT_NUMBERS));
        }
    }
}

#[test]
fn each_name_survives() {
    let sandbox = Sandbox::new();
    let next = |place: usize| NAMES[(place + 1) % NAMES.len()].to_owned();
    write(&sandbox, false, NAMES.iter().enumerate().map(|(place, name)| (name.to_string(), next(place), 0)));
    sandbox.text(&["import", "g.csv", "g.gts", "--keys", "text"]);
    check(&sandbox, "text", "none", |name| has_only_numbers(name).then_some(NOT_NUMBERS));
}

#[test]
fn each_type_of_weights_survives() {
    let sandbox = Sandbox::new();
    for (weights, text) in [
        ("u32", "1,2,0\n2,3,4294967295\n3,1,7\n"),
        ("i32", "1,2,-2147483648\n2,3,2147483647\n3,1,0\n"),
        ("u64", "1,2,0\n2,3,18446744073709551615\n3,1,7\n"),
        ("f32", "1,2,0.1\n2,3,3.4028235e38\n3,1,-1e-45\n"),
        ("f64", "1,2,0.1\n2,3,1.7976931348623157e308\n3,1,-5e-324\n"),
    ] {
        sandbox.write("g.csv", format!("source,target,weight\n{text}"));
        sandbox.text(&["import", "g.csv", "g.gts", "--force", "--weights", weights]);
        check(&sandbox, "number", weights, |_| None);
    }
}

#[test]
fn vertices_without_edges_survive_where_a_format_lists_vertices() {
    let sandbox = Sandbox::new();
    sandbox.write("g.v", "1\n2\n3\n4\n");
    sandbox.write("far.v", "0\n3\n4\n9\n");
    for (vertices, edges) in [("g", "2 3\n2 3\n3 3\n"), ("far", "0 9\n9 0\n"), ("g", "")] {
        sandbox.write(&format!("{vertices}.e"), edges);
        sandbox.text(&["import", &format!("{vertices}.e"), "g.gts", "--force"]);
        check(&sandbox, "number", "none", |name| match name {
            "x.e" => None,
            "x.mtx" => (vertices == "far").then_some("IDs other than 1, 2, 3 and so on"),
            _ => Some("vertices without edges"),
        });
    }
    // No file holds names without edges.
    sandbox.write("g.graphml", "<graphml><graph><node id='lone'/><edge source='a' target='b'/></graph></graphml>");
    sandbox.text(&["import", "g.graphml", "g.gts", "--force"]);
    assert_eq!(sandbox.json(&["info", "g.gts"])["vertices"], 3);
    check(&sandbox, "text", "none", |name| {
        Some(if has_only_numbers(name) { NOT_NUMBERS } else { "vertices without edges" })
    });
}

#[test]
fn undirected_edges_survive() {
    let sandbox = Sandbox::new();
    write(&sandbox, true, ARCS.map(|(src, dst, weight)| (src.to_string(), dst.to_string(), weight)));
    sandbox.text(&["import", "g.csv", "g.gts", "--undirected", "--weights", "u32"]);
    check(&sandbox, "number", "u32", |_| None);
}

#[test]
fn text_does_not_hold_types_and_typed_files_do_not_hold_the_type_of_weights() {
    let sandbox = Sandbox::new();
    sandbox.write("g.csv", "source,target,weight\n1,2,3.5\n-1,2,4\n");
    sandbox.text(&["import", "g.csv", "g.gts", "--keys", "signed", "--weights", "f64"]);
    sandbox.text(&["export", "g.gts", "x.csv", "-q"]);
    // The first row, between -1 and 2, does not tell the type.
    let refused = sandbox.fails(65, &["import", "x.csv", "again.gts"]);
    assert!(refused.contains("x.csv:2:1: ") && refused.contains("`--keys signed`"), "{refused}");
    let weights = |file: &str| {
        sandbox.text(&["import", file, "again.gts", "--force", "--keys", "signed", "-q"]);
        sandbox.json(&["info", "again.gts"])["weights"].clone()
    };
    assert_eq!(weights("x.csv"), "f32");
    if cfg!(feature = "arrow") {
        sandbox.text(&["export", "g.gts", "x.parquet", "-q"]);
        assert_eq!(weights("x.parquet"), "f32");
    }
}

#[test]
fn the_sides_of_a_matrix_survive_as_a_matrix() {
    let sandbox = Sandbox::new();
    sandbox.write("sides.mtx", "%%MatrixMarket matrix coordinate integer general\n2 3 4\n1 1 5\n2 3 6\n1 2 7\n1 1 8\n");
    sandbox.text(&["import", "sides.mtx", "g.gts"]);
    check(&sandbox, "number", "u32", |name| (name != "x.mtx").then_some("the rows and columns of a matrix"));
}
