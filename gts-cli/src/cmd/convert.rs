//! `gts convert`: writes files of edges as another file, without a store.

use crate::edge_file::{self, EdgeFile, EdgeFileArgs, EdgeSource, GraphContents, Unseen, Vertices};
use crate::error::Failure;
use crate::options::FileArgs;
use crate::progress::Meter;
use crate::report::{Report, tell};
use gts_graph::core::build::{Declared, DeclaredVertices, Direction, EdgeBatch, EdgeStream};
use gts_graph::core::read::{GraphReader, GraphSource, ReadError};
use std::ffi::OsString;
use std::time::Instant;

/// What `gts convert` takes.
#[derive(clap::Args, Debug)]
#[command(override_usage = "gts convert [OPTIONS] <FILE>... <TO>")]
pub(crate) struct Arguments {
    /// The graph files or generators to read, one after the other; then the file to write, as for `gts export`
    #[arg(value_name = "FILE", num_args = 1.., required = true)]
    files: Vec<OsString>,
    #[command(flatten)]
    to: EdgeFileArgs,
    #[command(flatten)]
    from: FileArgs,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<Report, Failure> {
    let begun = Instant::now();
    let (from, to) = super::split_last(&arguments.files, "convert")?;
    let file = EdgeFile::new(to, &arguments.to)?;
    let open = |name: &OsString| {
        let reader = GraphReader::from(GraphSource::parse(name)?);
        arguments.from.apply(reader).stream()
    };
    let streams: Vec<_> = from.iter().map(open).collect::<Result<_, _>>()?;
    let declared: Vec<_> = streams.iter().map(|stream| stream.declared()).collect();
    let (name, first) = (from[0].display().to_string(), &declared[0]);
    if let Some(place) = declared[1..].iter().position(|other| !are_alike(first, other)) {
        return Err(Failure::usage(
            format!("{name} and {}: weights, directions, keys or vertices differ", from[place + 1].display()),
            "convert the files one by one, or give --weights, --keys, --directed or --undirected",
        ));
    }
    if declared.iter().any(|declared| declared.right.is_some()) {
        return Err(Failure::usage(
            format!("{name}: `gts convert` cannot tell left vertices from right ones"),
            format!("make a store first, with `gts import {name} STORE`, and export that"),
        ));
    }
    if first.direction == Direction::Symmetrised {
        return Err(Failure::usage(
            format!("{name}: the file is undirected, and may list an edge in both directions"),
            format!("make a store first, with `gts import {name} STORE`, and export that; or give --directed"),
        ));
    }
    let is_undirected = first.direction == Direction::Undirected;
    let contents = GraphContents {
        vertices: Vertices::Declared(first.vertices.clone()),
        keys: first.keys,
        has_isolated: false,
        is_undirected: is_undirected && file.has_undirected_rows(),
        edges: first.edges.filter(|_| declared.len() == 1),
        value_type: first.value_type,
        matrix_rows: first.rows,
    };
    let mut edges = StreamedEdges {
        place: 0,
        both_ways: is_undirected && !file.has_undirected_rows(),
        meter: Meter::new(),
        unseen: file.unseen(declared.iter().find(|declared| declared.lists_vertices).unwrap_or(first))?,
        streams,
    };
    let rows = file.write(&contents, &name, &mut edges)?;
    for (stream, name) in edges.streams.iter().zip(from) {
        stream.notes().iter().for_each(|note| tell(format_args!("{}: {note}", name.display())));
    }
    Ok(edge_file::report(to, rows, begun.elapsed()))
}

/// Returns whether the edges of two files make one graph.
fn are_alike(one: &Declared, other: &Declared) -> bool {
    (one.value_type, one.direction, one.keys) == (other.value_type, other.direction, other.keys)
        && [one, other].iter().all(|declared| declared.vertices == DeclaredVertices::FromEdges)
}

/// The edges of streams, one after the other.
struct StreamedEdges {
    streams: Vec<Box<dyn EdgeStream>>,
    /// The current stream.
    place: usize,
    /// Whether each edge is followed by its reverse.
    both_ways: bool,
    meter: Meter,
    /// The check for vertices without edges, if they cannot be written.
    unseen: Option<Unseen>,
}

impl EdgeSource for StreamedEdges {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, Failure> {
        while let Some(stream) = self.streams.get_mut(self.place) {
            if stream.next(batch).map_err(ReadError::from)? {
                let (done, total) = stream.progress();
                self.meter.update("converting", done, total);
                if let Some(unseen) = &mut self.unseen {
                    unseen.mark(batch).map_err(gts_graph::Error::from)?;
                }
                if self.both_ways {
                    add_reverse(batch);
                }
                return Ok(true);
            }
            self.place += 1;
        }
        self.unseen.as_ref().map_or(Ok(()), Unseen::end)?;
        Ok(false)
    }
}

/// Adds the reverse of each edge to a batch, except of loops.
fn add_reverse(batch: &mut EdgeBatch) {
    for place in 0..batch.src.len() {
        let (src, dst) = (batch.src[place], batch.dst[place]);
        if src != dst {
            batch.src.push(dst);
            batch.dst.push(src);
            if let Some(&value) = batch.value.get(place) {
                batch.value.push(value);
            }
        }
    }
}
