//! Graphs as files of edges, for `gts export` and `gts convert`.

mod contents;
mod layout;
#[cfg(feature = "arrow")]
mod typed;

pub(crate) use contents::{EdgeSource, GraphContents, Vertices, of_graph};

use crate::blocks::RowFile;
use crate::error::Failure;
use crate::file::NewFile;
use crate::output::{Kind, KindError, PackedKind, Place, STANDARD_OUTPUT};
use crate::report::{Report, facts, path_json, tell};
use crate::units;
use gts_graph::core::build::{Declared, EdgeBatch};
use gts_graph::core::graph::{Key, KeyKind};
use gts_graph::core::memory::NoMemory;
use gts_graph::core::{memory, threads};
use layout::Layout;
use serde_json::json;
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Kinds of files of edges.
pub(crate) const KINDS: &[Kind] = &[
    Kind::Csv,
    Kind::Tsv,
    Kind::JsonLines,
    Kind::Edges,
    Kind::MatrixMarket,
    Kind::Graphalytics,
    Kind::Parquet,
    Kind::Arrow,
];

/// The destination of a graph.
#[derive(clap::Args, Debug)]
pub(crate) struct EdgeFileArgs {
    /// Kind of the file: csv, tsv, jsonl, el, mtx, graphalytics, parquet or arrow, text also with .gz or .zst; by the ending of its name
    /// if not given, and csv on standard output
    #[arg(long, value_name = "KIND", value_parser = parse_kind)]
    output_format: Option<PackedKind>,
    /// Leave out what the file cannot hold, with a note, such as vertices without edges
    #[arg(long)]
    lossy: bool,
    /// Replace a file that there is already
    #[arg(long)]
    force: bool,
}

fn parse_kind(text: &str) -> Result<PackedKind, String> {
    PackedKind::parse(text, KINDS)
}

/// A new file of edges.
#[derive(Debug)]
pub(crate) struct EdgeFile {
    path: PathBuf,
    kind: PackedKind,
    lossy: bool,
    place: Place,
    /// The vertices and the properties of a Graphalytics graph.
    beside: Option<[NewFile; 2]>,
}

impl EdgeFile {
    /// Opens the file before the work whose result it will contain.
    pub(crate) fn new(path: &Path, args: &EdgeFileArgs) -> Result<Self, Failure> {
        let is_printed = path == Path::new(STANDARD_OUTPUT);
        let refuse = |error: KindError| Failure::usage(format!("{}: {error}", path.display()), error.next());
        let kind = match args.output_format {
            Some(kind) => kind,
            None if is_printed => PackedKind::CSV,
            None => PackedKind::of_name(&path.to_string_lossy(), KINDS).map_err(refuse)?,
        };
        if kind.kind != Kind::Graphalytics {
            let place = Place::new(path, args.force)?;
            return Ok(Self { path: path.to_owned(), kind, lossy: args.lossy, place, beside: None });
        }
        if is_printed || kind.packing.is_some() {
            return Err(Failure::usage(
                "a Graphalytics graph consists of three plain files",
                "name one of them, such as graph.e",
            ));
        }
        let new = |ending| NewFile::new(&path.with_extension(ending), args.force);
        let beside = Some([new("v")?, new("properties")?]);
        Ok(Self { path: path.to_owned(), kind, lossy: args.lossy, place: Place::File(new("e")?), beside })
    }

    /// Returns whether a row represents both arcs of an undirected edge.
    pub(crate) fn has_undirected_rows(&self) -> bool {
        matches!(self.kind.kind, Kind::MatrixMarket | Kind::Graphalytics)
    }

    /// Returns a check for vertices without edges, if the file cannot hold them and the input may have some.
    ///
    /// # Errors
    ///
    /// Too little memory.
    pub(crate) fn unseen(&self, declared: &Declared) -> Result<Option<Unseen>, Failure> {
        let vertices = Vertices::Declared(declared.vertices.clone());
        let seen = match vertices.len() {
            Some(_) if self.has_undirected_rows() => return Ok(None),
            Some(count) => {
                let seen = memory::zeroed(layout::ISOLATED, count as usize).map_err(gts_graph::Error::from)?;
                Seen::Ranks(vertices, seen)
            }
            None if declared.lists_vertices => Seen::Keys(declared.keys, HashMap::new()),
            None => return Ok(None),
        };
        Ok(Some(Unseen { seen, path: self.path.clone(), kind: self.kind.kind, lossy: self.lossy }))
    }

    /// Writes the graph that messages call `name`. Returns the number of its rows.
    ///
    /// # Errors
    ///
    /// The file cannot hold the graph, or edges cannot be read or written.
    pub(crate) fn write(
        self,
        contents: &GraphContents<'_>,
        name: &str,
        edges: &mut dyn EdgeSource,
    ) -> Result<u64, Failure> {
        threads::prepare().map_err(gts_graph::Error::from)?;
        let Self { path, kind, lossy, place, beside } = self;
        let layout = Layout::new(kind.kind, contents);
        layout.lost(contents).try_for_each(|lost| lose(&path, kind.kind, lost, lossy))?;
        let head = layout.head(contents).ok_or_else(|| {
            let (path, kind) = (path.display(), kind.kind.name());
            Failure::usage(
                format!(
                    "{path}: {kind} lists or counts the vertices before the edges, and {name} does not declare them"
                ),
                format!("make a store first, with `gts import {name} STORE`, and export that"),
            )
        })?;
        let mut rows = 0;
        let mut failure = None;
        let mut next = |batch: &mut EdgeBatch| match edges.next(batch) {
            Ok(more) => {
                rows += batch.src.len() as u64;
                Ok(more)
            }
            Err(error) => {
                failure = Some(error);
                Err(io::Error::other("the edges cannot be read"))
            }
        };
        let mut content = |writer: &mut dyn Write| {
            #[cfg(feature = "arrow")]
            if let Some(format) = kind.kind.typed() {
                return typed::write(writer, format, contents, &mut next);
            }
            let mut file = RowFile { writer, packing: kind.packing };
            file.text(&head)?;
            let mut batch = EdgeBatch::default();
            while next(&mut batch)? {
                layout.rows(&mut file, &batch)?;
            }
            Ok(())
        };
        let written = place.write(&mut content);
        if let Some(failure) = failure {
            return Err(failure);
        }
        written?;
        if let Some([vertices, properties]) = beside {
            vertices.write(|writer| layout::vertices(writer, contents))?;
            properties.write(|writer| layout::properties(writer, &path, contents))?;
        }
        Ok(rows)
    }
}

/// A check for vertices without edges.
pub(crate) struct Unseen {
    seen: Seen,
    path: PathBuf,
    kind: Kind,
    lossy: bool,
}

/// Whether each vertex has an edge.
enum Seen {
    /// By the ranks of declared vertices.
    Ranks(Vertices<'static>, Vec<bool>),
    /// By keys of the given type.
    Keys(KeyKind, HashMap<Key<'static>, bool>),
}

impl Unseen {
    /// Marks the ends of edges, and adds the vertices that a batch lists.
    ///
    /// # Errors
    ///
    /// Too little memory.
    pub(crate) fn mark(&mut self, batch: &EdgeBatch) -> Result<(), NoMemory> {
        let ends = batch.src.iter().chain(&batch.dst);
        match &mut self.seen {
            Seen::Ranks(vertices, seen) => {
                ends.filter_map(|end| vertices.rank(*end)).for_each(|rank| seen[rank] = true);
            }
            Seen::Keys(kind, seen) => {
                let listed = batch.vertices.iter().map(|vertex| (vertex, false));
                for (vertex, has_edge) in ends.map(|end| (end, true)).chain(listed) {
                    let key = batch.key(*kind, *vertex);
                    if is_news(seen, &key, has_edge) {
                        memory::reserve_entry(layout::ISOLATED, seen)?;
                        seen.insert(key.into_owned(), has_edge);
                    }
                }
            }
        }
        Ok(())
    }

    /// Refuses vertices without edges after the last edge, or leaves them out.
    pub(crate) fn end(&self) -> Result<(), Failure> {
        let is_complete = match &self.seen {
            Seen::Ranks(_, seen) => !seen.contains(&false),
            Seen::Keys(_, seen) => seen.values().all(|has_edge| *has_edge),
        };
        if is_complete { Ok(()) } else { lose(&self.path, self.kind, layout::ISOLATED, self.lossy) }
    }
}

/// Returns whether a vertex is seen for the first time, or for the first time with an edge.
fn is_news(seen: &HashMap<Key<'_>, bool>, key: &Key<'_>, has_edge: bool) -> bool {
    seen.get(key).is_none_or(|seen| has_edge && !seen)
}

/// Leaves out what a file cannot hold, with a note, or refuses it.
fn lose(path: &Path, kind: Kind, lost: &str, lossy: bool) -> Result<(), Failure> {
    if lossy && !matches!(lost, layout::NUMBERS | layout::NAMES | layout::SIDES) {
        tell(format_args!("{}: {lost} are left out", path.display()));
        return Ok(());
    }
    Err(refused(path, kind, lost))
}

/// Returns the failure for what a kind of file cannot hold.
fn refused(path: &Path, kind: Kind, lost: &str) -> Failure {
    let next = match lost {
        layout::ISOLATED => "give --lossy to leave them out, or write Graphalytics (.e), which holds numbers",
        layout::NAMES | layout::SIDES => "write .csv, .tsv or .jsonl",
        layout::ROWS => "write .mtx, or give --lossy to write plain edges",
        _ => "write .csv, .el or Graphalytics (.e)",
    };
    Failure::usage(format!("{}: {} cannot hold {lost}", path.display(), kind.name()), next)
}

/// Reports a written file. The report is no part of standard output if the file is.
pub(crate) fn report(path: &Path, rows: u64, time: Duration) -> Report {
    let lines = [
        ("file", path.display().to_string()),
        ("edges", units::count(rows)),
        ("time", units::time(time)),
        ("speed", units::edges_per_second(rows, time)),
    ];
    if path == Path::new(STANDARD_OUTPUT) {
        return Report { remarks: facts(&lines[1..]), ..Report::silent() };
    }
    let json = json!({ "file": path_json(path), "edges": rows, "seconds": time.as_secs_f64() });
    Report::new(facts(&lines), json)
}
