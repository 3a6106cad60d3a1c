//! Graphs whose IDs are replaced, in the same order, by keys of other kinds: they have the same pages, and every algorithm
//! has the same answer.
//!
//! CI uses small graphs. `GTS_KEYS_ARCS` sets the maximum number of arcs.

use gts_core::graph::{Graph, KeyKind};
use gts_core::import::Format;
use gts_graph::algorithm::{self, Algorithm, Answer, Arguments, Cells, ParameterKind, Values};
use gts_graph::prelude::*;
use gts_tests::data::{Data, DataError, Layout, PlainGraph};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Maximum number of arcs of a graph on which the algorithms run, if `GTS_KEYS_ARCS` is not set.
const ARCS: usize = 2_000;
/// Maximum number of arcs of a graph whose pages are compared, if `GTS_KEYS_ARCS` is not set.
const ARCS_OF_PAGES: usize = 200_000;
const KINDS: [KeyKind; 4] = [KeyKind::Number, KeyKind::Signed, KeyKind::Uuid, KeyKind::Text];

/// Returns `GTS_KEYS_ARCS`, or `default` if the variable is not set.
fn most_arcs(default: usize) -> Result<usize, DataError> {
    Ok(std::env::var("GTS_KEYS_ARCS").map_or(Ok(default), |arcs| arcs.parse())?)
}

/// A key of each kind for an ID. Keys of each kind have the order of the IDs.
fn key(kind: KeyKind, id: u64) -> String {
    match kind {
        KeyKind::Number => id.to_string(),
        KeyKind::Signed => (id as i64 - (1 << 20)).to_string(),
        KeyKind::Uuid => format!("{:08x}-0000-4000-8000-{:012x}", id >> 4, id),
        KeyKind::Text => format!("https://example.org/é/{id:012}"),
    }
}

/// A graph as one file for each kind of keys.
struct Files {
    folder: TempDir,
}

impl Files {
    fn new(plain: &PlainGraph) -> Result<Self, DataError> {
        let folder = tempfile::tempdir()?;
        for kind in KINDS {
            let mut text = String::new();
            for (src, dst, weight) in plain.named_arcs() {
                writeln!(text, "{} {} {weight}", key(kind, src), key(kind, dst))?;
            }
            std::fs::write(Self::path(folder.path(), kind), text)?;
        }
        Ok(Self { folder })
    }

    fn path(folder: &Path, kind: KeyKind) -> PathBuf {
        folder.join(format!("{kind}.txt"))
    }

    /// Reads the graph with keys of a kind as an algorithm needs it.
    fn read(&self, kind: KeyKind, algorithm: &'static Algorithm) -> Result<Graph, DataError> {
        let needs = Arguments::of(algorithm).needs();
        let reader = Graph::reader(Self::path(self.folder.path(), kind))
            .format(Format::Edges)
            .keys(kind)
            .header(false)
            .needs(needs);
        Ok(reader.symmetrise(true).page_size(4 << 10).read()?)
    }
}

/// Returns arguments that name vertices by their keys.
fn arguments(algorithm: &'static Algorithm, kind: KeyKind, ids: &[u64]) -> Result<Arguments, DataError> {
    let mut arguments = Arguments::of(algorithm);
    for parameter in algorithm.parameters {
        match parameter.kind {
            ParameterKind::Vertex => arguments.set(parameter.name, &key(kind, ids[ids.len() / 2]))?,
            ParameterKind::Vertices => {
                ids.iter().step_by(5).try_for_each(|id| arguments.add(parameter.name, &key(kind, *id)))?;
            }
            _ => {}
        }
    }
    Ok(arguments)
}

/// Returns the columns of an answer, with vertices by the ranks of their keys.
fn ranked(graph: &Graph, answer: &Answer) -> Vec<(String, Values)> {
    let originals: Vec<u64> = graph.ids().ascending().collect();
    let rank = |original: &u64| originals.binary_search(original).map_or(u64::MAX, |rank| rank as u64);
    let ends = |ends: &[(u64, u64)], end: fn(&(u64, u64)) -> &u64| ends.iter().map(|ends| rank(end(ends))).collect();
    let tables = answer.tables();
    let columns = tables.iter().flat_map(|table| &table.columns);
    let columns = columns.filter_map(|column| {
        let values = match column.cells {
            Cells::Vertices => return None,
            Cells::Sources(list) => Values::U64(ends(list, |ends| &ends.0)),
            Cells::Targets(list) => Values::U64(ends(list, |ends| &ends.1)),
            Cells::Values(Values::Vertex(originals)) => Values::U64(originals.iter().map(rank).collect()),
            Cells::Values(values) => values.clone(),
        };
        Some((column.name.to_owned(), values))
    });
    columns.collect()
}

#[test]
fn answers_do_not_depend_on_the_kind_of_keys() -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    let most = most_arcs(ARCS)?;
    // One thread adds numbers in one order.
    let engine = Engine::builder().device(DeviceChoice::Cpu).threads(std::num::NonZeroUsize::MIN).build()?;
    let mut compared = 0;
    for entry in data.entries()?.iter().filter(|entry| entry.format != Layout::BvGraph) {
        let plain = data.graph(entry)?;
        if plain.arcs.len() > most {
            continue;
        }
        let files = Files::new(&plain.with_made_up_weights())?;
        for algorithm in algorithm::all() {
            let answer = |kind| {
                let graph = files.read(kind, algorithm)?;
                let answer = algorithm.run(&engine, &graph, &arguments(algorithm, kind, &plain.ids)?)?;
                Ok::<_, DataError>(ranked(&graph, &answer))
            };
            let expected = answer(KeyKind::Number)?;
            for kind in &KINDS[1..] {
                let found = answer(*kind)?;
                // Values that are not numbers differ from themselves.
                assert_eq!(
                    format!("{found:?}"),
                    format!("{expected:?}"),
                    "{} of {}, {kind}",
                    algorithm.name,
                    entry.name
                );
                compared += 1;
            }
        }
    }
    println!("{compared} answers compared");
    assert!(compared > 300, "{compared}");
    Ok(())
}

#[test]
fn pages_do_not_depend_on_the_kind_of_keys() -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    let (most, bfs) = (most_arcs(ARCS_OF_PAGES)?, algorithm::find("bfs").ok_or("no BFS")?);
    for entry in data.entries()?.iter().filter(|entry| entry.format != Layout::BvGraph) {
        let plain = data.graph(entry)?;
        if plain.arcs.len() > most {
            continue;
        }
        let files = Files::new(&plain)?;
        let stored = |kind: KeyKind| {
            let store = files.folder.path().join(format!("{kind}.gts"));
            files.read(kind, bfs)?.save(&store)?;
            let names = ["out.pages", "in.pages", "out.degrees", "in.degrees"];
            Ok::<_, DataError>(names.map(|name| std::fs::read(store.join(name)).unwrap_or_default()))
        };
        let expected = stored(KeyKind::Number)?;
        assert!(!expected[0].is_empty(), "{}: no pages", entry.name);
        for kind in &KINDS[1..] {
            assert!(stored(*kind)? == expected, "{}, {kind}", entry.name);
        }
    }
    Ok(())
}
