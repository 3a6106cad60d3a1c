//! The graphs of the shared data set import with the counts that their references state.

use crate::build::{BuildOptions, build};
use crate::graph::{Graph, Vertex};
use crate::import::{ImportOptions, Weights, open};
use gts_contract::ScalarType;
use std::path::{Path, PathBuf};

/// Name, file, whether directed, type of the weights.
const GRAPHS: [(&str, &str, bool, Option<ScalarType>); 20] = [
    ("example-directed", "example-directed.e", true, Some(ScalarType::F32)),
    ("example-undirected", "example-undirected.v", false, Some(ScalarType::F32)),
    ("karate", "karate.mtx", false, None),
    ("west0067", "west0067.mtx", true, Some(ScalarType::F32)),
    ("jagmesh7", "jagmesh7.mtx", false, None),
    ("bcsstk13", "bcsstk13.mtx.gz", false, Some(ScalarType::F32)),
    ("lp_afiro", "lp_afiro.mtx", false, Some(ScalarType::F32)),
    ("lesmis", "lesmis.graph", false, Some(ScalarType::U32)),
    ("foodweb-baydry", "foodweb-baydry.konect", true, Some(ScalarType::F32)),
    ("rome99", "rome99.gr", true, Some(ScalarType::U32)),
    ("as20graph", "as20graph.txt.gz", false, None),
    ("wiki-Vote", "wiki-Vote.txt.gz", true, None),
    ("facebook_combined", "facebook_combined.txt.gz", false, None),
    ("PGPgiantcompo", "PGPgiantcompo.graph.gz", false, None),
    ("astro-ph", "astro-ph.graph.gz", false, None),
    ("wing", "wing.graph.gz", false, None),
    ("p2p-31", "p2p-31.e.gz", false, Some(ScalarType::U32)),
    ("p2p-31-directed", "p2p-31.v.gz", true, Some(ScalarType::U32)),
    ("Email-Enron", "Email-Enron.txt.gz", false, None),
    ("cnr-2000", "cnr-2000.tsv.zst", true, None),
];

/// The data set beside the repository; none, said in one line, where it is absent.
fn data() -> Option<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    if data.is_dir() {
        return Some(data);
    }
    assert!(std::env::var_os("CI").is_none(), "{} is absent, and CI needs it", data.display());
    // Straight to the stream: the test harness would keep a print of a test that passes to itself.
    let _ = std::io::Write::write_fmt(
        &mut std::io::stderr(),
        format_args!("skipped: the shared data set is not at {}\n", data.display()),
    );
    None
}

/// The first number of this name in a reference.
fn count(reference: &str, name: &str) -> u64 {
    let key = format!("\"{name}\": ");
    let start = reference.find(&key).unwrap_or_else(|| panic!("no {name}")) + key.len();
    let digits: String = reference[start..].chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

#[test]
fn every_graph_has_the_counts_of_its_reference() {
    let Some(data) = data() else { return };
    for (name, file, directed, value_type) in GRAPHS {
        let reference = std::fs::read_to_string(data.join("ref").join(format!("{name}.json"))).unwrap();
        let mut stream = open(&[data.join("graphs").join(file)], &ImportOptions::default()).unwrap();
        let options = BuildOptions {
            undirected: !directed,
            drop_self_loops: true,
            drop_duplicates: true,
            ..BuildOptions::default()
        };
        let (graph, summary) = build(&mut *stream, &options).unwrap();
        assert_eq!(graph.num_vertices(), count(&reference, "vertices"), "{name}");
        assert_eq!(graph.num_edges(), count(&reference, "arcs_canonical"), "{name}: {summary}");
        assert_eq!(summary.edges_read, count(&reference, "stored_lines"), "{name}");
        assert_eq!(graph.value_type(), value_type, "{name}");
        let ids = || (0..graph.num_vertices()).map(|v| graph.original(Vertex::from_dense(v)));
        assert_eq!(ids().min(), Some(count(&reference, "min_id")), "{name}");
        assert_eq!(ids().max(), Some(count(&reference, "max_id")), "{name}");
        assert_eq!(summary.isolated, count(&reference, "isolated"), "{name}");
    }
}

#[test]
fn graphs_without_flags_are_what_their_files_hold() {
    let Some(data) = data() else { return };
    let import = |file: &str, options: ImportOptions| -> Graph {
        let mut stream = open(&[data.join("graphs").join(file)], &options).unwrap();
        build(&mut *stream, &BuildOptions::default()).unwrap().0
    };
    let usual = ImportOptions::default;
    // A diagonal entry counts once, every other entry of a symmetric matrix twice.
    assert_eq!(import("jagmesh7.mtx", usual()).num_edges(), 2 * (4294 - 1138) + 1138);
    assert_eq!(import("cnr-2000.tsv.zst", usual()).num_edges(), 3_216_152);
    assert_eq!(import("facebook_combined.txt.gz", usual()).num_edges(), 88_234);
    assert_eq!(import("p2p-31.e.gz", ImportOptions { directed: Some(false), ..usual() }).num_edges(), 295_784);
    assert_eq!(import("lp_afiro.mtx", usual()).num_edges(), 204);
    assert_eq!(import("lp_afiro.mtx", ImportOptions { directed: Some(true), ..usual() }).num_edges(), 102);
    let typed = ImportOptions { weights: Weights::As(ScalarType::F64), ..usual() };
    assert_eq!(import("rome99.gr", typed).value_type(), Some(ScalarType::F64));
    let bare = ImportOptions { weights: Weights::Ignore, ..usual() };
    assert_eq!(import("rome99.gr", bare).value_type(), None);
    assert_eq!(import("graphalytics/sssp-dir-input.v", usual()).value_type(), Some(ScalarType::F32));
    assert_eq!(import("cover.mtx", usual()).value_type(), Some(ScalarType::U32));
}

#[test]
fn every_edge_has_its_own_weight() {
    let Some(data) = data() else { return };
    for file in ["example-directed.e", "foodweb-baydry.konect", "rome99.gr", "west0067.mtx"] {
        let path = data.join("graphs").join(file);
        let graph = build(
            &mut *open(std::slice::from_ref(&path), &ImportOptions::default()).unwrap(),
            &BuildOptions::default(),
        )
        .unwrap()
        .0;
        let original = |v| graph.original(v);
        let mut found: Vec<(u64, u64, f64)> = match graph.value_type() {
            Some(ScalarType::U32) => {
                let edges = graph.weighted_edges::<u32>().unwrap().map(Result::unwrap);
                edges.map(|(src, dst, weight)| (original(src), original(dst), f64::from(weight))).collect()
            }
            _ => {
                let edges = graph.weighted_edges::<f32>().unwrap().map(Result::unwrap);
                edges.map(|(src, dst, weight)| (original(src), original(dst), f64::from(weight))).collect()
            }
        };
        // A line is `[a] source target weight` in all of these files, and so is a matrix's size.
        let text = std::fs::read_to_string(&path).unwrap();
        let edge = |line: &str| {
            let fields: Vec<&str> = line.trim_start_matches("a ").split_whitespace().collect();
            let [src, dst, weight] = fields[..] else { return None };
            Some((src.parse().ok()?, dst.parse().ok()?, f64::from(weight.parse::<f32>().ok()?)))
        };
        let size = usize::from(file.ends_with(".mtx"));
        let mut expected: Vec<(u64, u64, f64)> = text.lines().filter_map(edge).skip(size).collect();
        let order = |a: &(u64, u64, f64), b: &(u64, u64, f64)| a.partial_cmp(b).unwrap();
        found.sort_by(order);
        expected.sort_by(order);
        assert_eq!(found, expected, "{file}");
    }
}

#[test]
fn a_webgraph_is_refused_by_name() {
    let Some(data) = data() else { return };
    let error = open(&[data.join("graphs/cnr-2000.graph")], &ImportOptions::default()).err().unwrap().to_string();
    assert!(error.contains("cnr-2000.graph") && error.contains("WebGraph"), "{error}");
}
