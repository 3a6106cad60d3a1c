//! Tests of BV graphs, which the compressor of WebGraph writes.

use dsi_bitstream::dispatch::Codes;
use dsi_bitstream::traits::{BE, LE};
use gts_contract::language::Code;
use gts_core::advice::Explain;
use gts_core::build::EdgeBatch;
use gts_core::graph::Graph;
use gts_core::import::Format;
use gts_core::read::{GraphReader, ReadError};
use gts_tables as _;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use webgraph::graphs::bvgraph::{BvComp, CompFlags};
use webgraph::graphs::vec_graph::VecGraph;

type Arcs = Vec<(u64, u64)>;

/// Writes a graph as `NAME.graph` and `NAME.properties`, and returns the path without an ending.
fn write(folder: &TempDir, name: &str, vertices: usize, arcs: &[(u64, u64)], flags: CompFlags, big: bool) -> PathBuf {
    let base = folder.path().join(name);
    let mut graph = VecGraph::empty(vertices);
    graph.add_arcs(arcs.iter().map(|&(src, dst)| (src as usize, dst as usize)));
    let mut compressor = BvComp::with_basename(&base).comp_flags(flags);
    let written = if big { compressor.comp_graph::<BE>(&graph) } else { compressor.comp_graph::<LE>(&graph) };
    written.expect("a compressed graph");
    base
}

/// Returns the edges of a graph.
fn read(reader: GraphReader) -> Result<Arcs, ReadError> {
    let mut stream = reader.stream()?;
    let (mut batch, mut arcs) = (EdgeBatch::default(), Vec::new());
    while stream.next(&mut batch)? {
        arcs.extend(batch.src.iter().copied().zip(batch.dst.iter().copied()));
    }
    Ok(arcs)
}

/// Arcs with gaps, intervals, loops, and lists that resemble the ones before; in ascending order.
fn arcs() -> Arcs {
    let mut arcs = Vec::new();
    let mut seed = 7u64;
    let mut next = |bound: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % bound
    };
    for src in 0..300 {
        match next(4) {
            0 => {}
            1 => arcs.extend((0..20).map(|place| (src, src / 8 * 8 % 240 + place * 3 % 61))),
            2 => arcs.extend((0..next(40)).map(|place| (src, 200 + place))),
            _ => arcs.extend((0..next(30)).map(|_| (src, next(300)))),
        }
    }
    arcs.sort_unstable();
    arcs.dedup();
    arcs
}

#[test]
fn graphs_of_all_codes_and_windows_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let usual = CompFlags::default();
    let all = |code| CompFlags {
        outdegrees: code,
        references: code,
        blocks: code,
        intervals: code,
        residuals: code,
        ..usual
    };
    let parameters = [
        usual,
        all(Codes::Gamma),
        all(Codes::Delta),
        all(Codes::Zeta(5)),
        all(Codes::Pi(2)),
        CompFlags { compression_window: 0, ..usual },
        CompFlags { compression_window: 40, max_ref_count: 100, ..usual },
        CompFlags { min_interval_length: 0, ..usual },
        CompFlags { min_interval_length: 2, compression_window: 1, ..usual },
    ];
    let expected = arcs();
    for (number, flags) in parameters.into_iter().enumerate() {
        for big in [true, false] {
            let base = write(&folder, &format!("g{number}-{big}"), 303, &expected, flags, big);
            let [graph, properties] = ["graph", "properties"].map(|ending| base.with_extension(ending));
            for path in [&base, &graph, &properties] {
                assert_eq!(read(Graph::reader(path)).expect("edges"), expected, "{}, {flags:?}", path.display());
            }
            let graph = Graph::read(&base).expect("a graph");
            assert_eq!((graph.num_vertices(), graph.num_edges()), (303, expected.len() as u64));
        }
    }
    let empty = write(&folder, "empty", 5, &[], usual, true);
    assert_eq!(Graph::read(&empty).expect("a graph").num_vertices(), 5);
    for ending in ["graph", "properties"] {
        let dotted = folder.path().join(format!("uk-2007.05.{ending}"));
        fs::rename(empty.with_extension(ending), dotted).expect("a renamed file");
    }
    assert_eq!(Graph::read(folder.path().join("uk-2007.05")).expect("a graph").num_vertices(), 5);
}

#[test]
fn options_that_do_not_apply_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = write(&folder, "g", 3, &[(0, 1), (1, 2)], CompFlags::default(), true);
    let refused = |reader: GraphReader| reader.read().expect_err("an error").to_string();
    let columns = "source=target,target=source".parse().expect("columns");
    assert!(refused(Graph::reader(&base).columns(columns)).contains("has no columns"));
    assert!(refused(Graph::reader(&base).skip(1)).contains("--skip"));
    assert!(refused(Graph::reader(&base).weights::<u32>()).contains("weight"));
    let metis = Graph::reader(base.with_extension("graph")).format(Format::Metis);
    assert!(!refused(metis).contains("BV"));
}

/// Returns the error of reading a graph after its files have been changed.
fn changed(base: &Path, change: impl FnOnce(&mut Vec<u8>, &mut String)) -> Result<Arcs, ReadError> {
    let [graph, properties] = ["graph", "properties"].map(|ending| base.with_extension(ending));
    let (whole, told) = (fs::read(&graph).expect("the graph"), fs::read_to_string(&properties).expect("parameters"));
    let (mut bytes, mut text) = (whole.clone(), told.clone());
    change(&mut bytes, &mut text);
    fs::write(&graph, bytes).and_then(|()| fs::write(&properties, text)).expect("files");
    let result = read(Graph::reader(base));
    fs::write(&graph, whole).and_then(|()| fs::write(&properties, told)).expect("files");
    result
}

#[test]
fn damaged_graphs_are_refused_without_a_panic() {
    let folder = tempfile::tempdir().expect("a folder");
    let expected = arcs();
    let base = write(&folder, "g", 300, &expected, CompFlags::default(), true);
    let bytes = fs::read(base.with_extension("graph")).expect("the graph").len();
    // The compressor fills the last word with zeros.
    for length in (0..bytes - 8).step_by(3) {
        let error = changed(&base, |bytes, _| bytes.truncate(length)).expect_err("a cut graph");
        assert_eq!(error.code(), Code::DamagedColumns, "cut at {length}: {error}");
    }
    for place in 0..bytes {
        for flip in [0x01, 0x10, 0x80] {
            // A residual may become that of another vertex.
            if let Err(error) = changed(&base, |bytes, _| bytes[place] ^= flip) {
                assert_eq!(error.code(), Code::DamagedColumns, "{place} {flip}: {error}");
            }
        }
    }
    let random = |seed: u64| (0..bytes as u64).map(move |place| (place.wrapping_mul(seed) >> 29) as u8).collect();
    for seed in 1..400u64 {
        let read = changed(&base, |bytes, _| *bytes = random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        assert!(read.is_err(), "{seed}");
    }
}

#[test]
fn false_parameters_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let expected = arcs();
    let base = write(&folder, "g", 300, &expected, CompFlags::default(), true);
    let set = |text: &mut String, key: &str, value: &str| {
        let lines = text.lines().filter(|line| !line.starts_with(&format!("{key}=")));
        *text = lines.chain([&*format!("{key}={value}")]).map(|line| format!("{line}\n")).collect();
    };
    for (key, value, part) in [
        ("nodes", "1152921504606846976", "cannot hold them"),
        ("nodes", "-1", "it lacks the number of nodes"),
        ("nodes", "299", ""),
        ("arcs", "18446744073709551615", "fewer edges"),
        ("arcs", "10", "more edges"),
        ("arcs", "many", "it lacks the number of arcs"),
        ("windowsize", "1152921504606846976", "a window of 1152921504606846976 lists"),
        ("windowsize", "x", ""),
        ("minintervallength", "18446744073709551615", ""),
        ("minintervallength", "1152921504606846976", ""),
        ("zetak", "9", ""),
        ("compressionflags", "OUTDEGREES_MORSE", "MORSE"),
        ("endianness", "middle", "middle"),
        ("graphclass", "it.unimi.dsi.webgraph.EFGraph", "EFGraph"),
    ] {
        let read = changed(&base, |_, text| set(text, key, value));
        if part.is_empty() && read.is_ok() {
            // Parameters that this graph does not use.
            continue;
        }
        let error = read.expect_err(value);
        assert!(matches!(error.code(), Code::DamagedColumns | Code::UnsupportedFile), "{key}={value}: {error}");
        assert!(error.to_string().contains(part), "{key}={value}: {error}");
    }
}
