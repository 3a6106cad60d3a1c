//! Formats beyond tables, against text that a serial writer makes and against a serial reader.

use super::corpus::{Held, gzip, import, pairs, told};
use crate::build::{Declared, DeclaredVertices, Direction};
use crate::graph::{Graph, KeyKind};
use crate::import::{Format, ImportOptions, Weights};
use gts_contract::ScalarType;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fmt::Write;

fn read(name: &str, text: &str) -> Held {
    import(name, text.as_bytes(), ImportOptions::default()).unwrap_or_else(|error| panic!("{}", told(&error)))
}

fn refused(name: &str, text: &[u8]) -> String {
    told(&import(name, text, ImportOptions::default()).unwrap_err())
}

/// Returns the edges of a file by key, in ascending order.
fn edges_by_key(name: &str, text: &str) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let graph = Graph::read(&path).unwrap();
    let key = |vertex| graph.key(vertex).unwrap().to_string();
    graph.edges().map(|edge| edge.map(|(src, dst)| (key(src), key(dst))).unwrap()).collect()
}

fn weights(held: &Held) -> Vec<f64> {
    held.0.iter().map(|&(.., bits)| f64::from_bits(bits.unwrap())).collect()
}

#[test]
fn json_lines_are_read_by_the_names_of_the_first_object() {
    let text = "{\"target\": 2, \"source\": 1, \"weight\": 0.5, \"x\": {\"a\": [1, \"}\"]}}\n\n{\"weight\":7,\"source\":3,\"target\":4}\r\n";
    let flat = text.replace("[1, \"}\"]", "1").replace("{\"a\": 1}", "1");
    for (name, text) in [("a.jsonl", text), ("a.ndjson", text), ("a.txt", &flat), ("a", &flat), ("a.json", &flat)] {
        let held = read(name, text);
        assert_eq!((pairs(&held), weights(&held)), (vec![(1, 2), (3, 4)], vec![0.5, 7.0]), "{name}");
    }
    let names = "{\"from\": \"b \\\"c\\\"\", \"to\": \"é\"}\n{\"from\": \"\\u00e9\", \"to\": \"a\"}\n";
    let edges = edges_by_key("a.jsonl", names);
    let edge = |src: &str, dst: &str| (src.to_owned(), dst.to_owned());
    assert_eq!(edges, [edge("b \"c\"", "é"), edge("é", "a")]);
    assert_eq!(read("a.jsonl", "").0.len(), 0);
    for (text, place, part) in [
        ("{\"source\": 1, \"target\": 2}\n{\"source\": 1}\n", "2:1", "an object with the ends"),
        ("{\"source\": 1, \"target\": 2}\n{\"source\": 1, \"target\": \"2\"}\n", "2:25", "a vertex ID"),
        ("{\"source\": \"a\", \"target\": \"b\"}\n{\"source\": 1, \"target\": \"b\"}\n", "2:12", "a name"),
        (
            "{\"source\": 1, \"target\": 2, \"weight\": 1}\n{\"source\": 1, \"target\": 2, \"weight\": null}\n",
            "2:38",
            "a weight",
        ),
        ("{\"source\": 1, \"target\": 2}\n{\"source\": 1, \"target\": 2\n", "2:", "a JSON object"),
        ("{\"source\": 1, \"target\": 2}\n[1, 2]\n", "2:1", "a JSON object"),
        ("{\"source\": 1, \"source\": 1, \"target\": 2}\n", "1:", "each name once"),
    ] {
        let error = refused("a.jsonl", text.as_bytes());
        assert!(error.contains(&format!("a.jsonl:{place}")) && error.contains(part), "{error}");
    }
    let error = refused("a.jsonl", b"{\"a\": 1, \"b\": 2, \"c\": 3}\n");
    assert!(error.contains("does not name both ends of an edge"), "{error}");
}

#[test]
fn adjacency_lists_have_any_number_of_neighbours() {
    assert_eq!(pairs(&read("a.adj", "# c\n1 2 3\n2\n3 1 # x\n")), [(1, 2), (1, 3), (3, 1)]);
    let edges = edges_by_key("a.adjlist", "a b c\nb\nc a\n");
    assert_eq!(edges.len(), 3);
    let error = refused("a.adj", b"1 2\n2 x\n");
    assert!(error.contains("a.adj:2:3: expected a vertex ID"), "{error}");
    let weighted = ImportOptions { weights: Weights::As(ScalarType::U32), ..ImportOptions::default() };
    let error = told(&import("a.adj", b"1 2\n", weighted).unwrap_err());
    assert!(error.contains("an adjacency list has no weights"), "{error}");
}

/// The bytes of edges in the format of Graph500.
fn graph500(edges: &[(u64, u64)], packed: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &(src, dst) in edges {
        if packed {
            bytes.extend((src as u32).to_le_bytes());
            bytes.extend((dst as u32).to_le_bytes());
            bytes.extend(((src >> 32) as u16).to_le_bytes());
            bytes.extend(((dst >> 32) as u16).to_le_bytes());
        } else {
            bytes.extend(src.to_le_bytes());
            bytes.extend(dst.to_le_bytes());
        }
    }
    bytes
}

fn packed() -> ImportOptions {
    ImportOptions { format: Some(Format::Graph500Packed), ..ImportOptions::default() }
}

#[test]
fn binary_edges_are_refused_where_they_are_cut() {
    let edges = [(1, 2), (0x0001_0000_0002, 3)];
    let wide = graph500(&edges, false);
    assert_eq!(pairs(&import("a.graph500", &wide, ImportOptions::default()).unwrap()), edges);
    assert_eq!(pairs(&import("a.graph500.gz", &gzip(&wide), ImportOptions::default()).unwrap()), edges);
    assert_eq!(pairs(&import("a", &graph500(&edges, true), packed()).unwrap()), edges);
    let error = refused("a.graph500", &wide[..30]);
    assert!(error.contains("a.graph500:1:17: expected an edge of 16 bytes, found 14 bytes"), "{error}");
    let error = refused("a.graph500", &graph500(&[(1, 2), (u64::MAX, 0)], false));
    assert!(error.contains(":1:17: expected two IDs that are not negative, found -1 and 0"), "{error}");
}

#[test]
fn networks_of_pajek_are_read_by_their_sections() {
    let text = "% c\n*Vertices 4\n1 \"a b\" 0.1 0.2\n2 \"c\"\n*Arcs\n1 2 0.5 l \"x\"\n*edges\n3 4 7\n4 4 1\n*Partition p\n*Vertices";
    let text = text.strip_suffix("\n*Vertices").unwrap();
    let held = read("a.net", text);
    assert_eq!(pairs(&held), [(1, 2), (3, 4), (4, 3), (4, 4)]);
    assert_eq!(weights(&held), [0.5, 7.0, 7.0, 1.0]);
    assert_eq!(held.1.vertices, DeclaredVertices::Range { first: 1, count: 4 });
    let lists = read("a.paj", "*Network x\n*Vertices 4 2\n*Arcslist\n1 3 4\n*Edgeslist\n2 3\n");
    assert_eq!((pairs(&lists), lists.1.rows), (vec![(1, 3), (1, 4), (2, 3), (3, 2)], Some(2)));
    assert_eq!(pairs(&read("a.txt", "*Vertices 2\n*Arcs\n1 2\n")), [(1, 2)]);
    for (text, place, part) in [
        ("*Arcs\n1 2\n", "1:1", "`*Vertices N`"),
        ("*Vertices 2\n*Arcs\n1 3\n", "3:3", "a vertex of 1 to 2"),
        ("*Vertices 2\n*Arcs\n1 2\n2 1 5\n", "4:5", "the end of the line"),
        ("*Vertices 2\n*Arcs\n1 2 5\n2 1\n", "4:4", "a weight, as on the first line"),
        ("*Vertices 2\n*Matrix\n0 1\n1 0\n", "2:1", "`*Arcs`, `*Edges`"),
        ("*Vertices 2\n*Arcs\n1 2\n*Vertices 2\n", "4:1", "one network"),
        ("", "1:1", "`*Vertices N`"),
    ] {
        let error = refused("a.net", text.as_bytes());
        assert!(error.contains(&format!("a.net:{place}: ")) && error.contains(part), "{text}: {error}");
    }
}

const GRAPHML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="edge" attr.name="weight" attr.type="double"><default>2</default></key>
  <graph edgedefault="undirected">
    <node id="a &amp; b"/>
    <node id="c"><data key="d1">x</data></node>
    <edge source="a &amp; b" target="c"><data key="d0"> 0.5 </data></edge>
    <edge source="c" target="d"/>
  </graph>
</graphml>
"#;

#[test]
fn graphml_is_read_with_its_direction_and_weights() {
    let held = read("a.graphml", GRAPHML);
    let Declared { keys, direction, store_as, .. } = held.1;
    assert_eq!((keys, direction, store_as), (KeyKind::Text, Direction::Undirected, Some(ScalarType::F32)));
    assert_eq!(weights(&held), [0.5, 2.0]);
    let mut edges = edges_by_key("a.xml", GRAPHML);
    edges.sort();
    let edge = |src: &str, dst: &str| (src.to_owned(), dst.to_owned());
    assert_eq!(edges, [edge("a & b", "c"), edge("c", "a & b"), edge("c", "d"), edge("d", "c")]);
    assert_eq!(pairs(&read("a.graphml", "<graphml><graph><edge source='1' target='2'/></graph></graphml>")), [(1, 2)]);
    for (text, place, part) in [
        ("<graphml>\n<graph>\n<edge source='1'/></graph></graphml>", "3:", "an edge with `source` and `target`"),
        ("<graphml>\n<graph>\n<edge source='1' target='2'>", "3:", "the end tags of all elements"),
        ("<graphml>\n<graph>\n</node></graph></graphml>", "3:", "well-formed XML"),
        ("<graphml>\n<graph>\n<hyperedge/></graph></graphml>", "3:", "a hyperedge"),
        ("<graphml>\n<graph>\n<node id='a'><graph/></node></graph></graphml>", "3:", "a graph in a graph"),
        ("<graphml>\n<graph edgedefault='x'/></graphml>", "2:", "`directed` or `undirected`"),
        (
            "<graphml><graph>\n<edge source='1' target='2'/>\n<edge source='x' target='2'/></graph></graphml>",
            "3:",
            "a vertex ID",
        ),
        (
            "<graphml><graph>\n<edge source='1' target='2' directed='false'/></graph></graphml>",
            "2:",
            "an edge of another direction",
        ),
        ("<svg/>", "1:", "the element `graphml`"),
    ] {
        let error = refused("a.graphml", text.as_bytes());
        assert!(error.contains(&format!("a.graphml:{place}")) && error.contains(part), "{text}: {error}");
    }
}

/// Reads an edge of each line of JSON with another parser than the import's.
fn serial_json(text: &str) -> Vec<(u64, u64)> {
    let edge = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        (value["source"].as_u64().unwrap(), value["target"].as_u64().unwrap())
    };
    text.lines().map(edge).collect()
}

/// Reads adjacency lists with another parser than the import's.
fn serial_lists(text: &str) -> Vec<(u64, u64)> {
    let list = |line: &str| {
        let words: Vec<u64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
        words[1..].iter().map(|&neighbour| (words[0], neighbour)).collect::<Vec<_>>()
    };
    text.lines().flat_map(list).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn edges_read_back_in_every_format(edges in vec((1..40u64, 1..40u64), 1..80)) {
        let (mut objects, mut lists, mut arcs, mut xml) = (String::new(), String::new(), String::new(), String::new());
        for (src, dst) in &edges {
            writeln!(objects, "{}", json!({"target": dst, "n": [src], "source": src})).unwrap();
            writeln!(lists, "{src} {dst} {src}").unwrap();
            writeln!(arcs, "{src} {dst}").unwrap();
            writeln!(xml, "<edge target=\"{dst}\" source=\"{src}\"/>").unwrap();
        }
        prop_assert_eq!(pairs(&read("a.jsonl", &objects)), serial_json(&objects));
        prop_assert_eq!(pairs(&read("a.adj", &lists)), serial_lists(&lists));
        prop_assert_eq!(&pairs(&read("a.net", &format!("*Vertices 40\n*Arcs\n{arcs}"))), &edges);
        prop_assert_eq!(&pairs(&read("a.graphml", &format!("<graphml><graph>{xml}</graph></graphml>"))), &edges);
        prop_assert_eq!(&pairs(&import("a.graph500", &graph500(&edges, false), ImportOptions::default()).unwrap()), &edges);
        prop_assert_eq!(&pairs(&import("a.bin", &graph500(&edges, true), packed()).unwrap()), &edges);
    }

    #[test]
    fn changed_bytes_are_read_or_refused(at in 0..GRAPHML.len(), byte in any::<u8>(), format in 0..4usize) {
        let text = ["*Vertices 3\n*Arcs\n1 2 3\n2 3 4\n", "{\"source\": 1, \"target\": 2}\n", "1 2 3\n2 3\n", GRAPHML][format];
        let name = ["a.net", "a.jsonl", "a.adj", "a.graphml"][format];
        let mut bytes = text.as_bytes().to_vec();
        let place = at % bytes.len();
        bytes[place] = byte;
        if let Err(error) = import(name, &bytes, ImportOptions::default()) {
            prop_assert!(told(&error).contains("; "));
        }
    }
}

#[test]
fn vertices_without_edges_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let edge = "<edge source='b' target='a'/>";
    let document = |parts: &[&str]| {
        let part = |part: &&str| if part.starts_with('<') { (*part).into() } else { format!("<node id='{part}'/>") };
        format!("<graphml><graph>{}</graph></graphml>", parts.iter().map(part).collect::<String>())
    };
    for (name, text, keys) in [
        ("a.graphml", document(&["c", "a", "b", edge, "z"]), &["a", "b", "c", "z"][..]),
        ("b.graphml", document(&["c", "a"]), &["a", "c"]),
        ("c.graphml", document(&[edge]), &["a", "b"]),
        (
            "d.graphml",
            document(&["9", "1000000000007", "<edge source='5' target='9'/>", "0"]),
            &["0", "5", "9", "1000000000007"],
        ),
        ("e.graphml", document(&["3"]), &["3"]),
        ("a.adj", "a b\nlone\n".into(), &["a", "b", "lone"]),
        ("b.adj", "7\n2 5\n70000000000\n7\n".into(), &["2", "5", "7", "70000000000"]),
        ("c.adj", "4\n3\n".into(), &["3", "4"]),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        for in_edges in [false, true] {
            let graph = Graph::reader(&path).in_edges(in_edges).read().unwrap();
            let found = graph.ids().keys(0..graph.num_vertices());
            assert_eq!(found.map(|key| key.unwrap().to_string()).collect::<Vec<_>>(), keys, "{name}");
        }
    }
    let error = refused("a.graphml", b"<graphml><graph>\n<node/></graph></graphml>");
    assert!(error.contains("a.graphml:2:") && error.contains("a node with `id`"), "{error}");
}
