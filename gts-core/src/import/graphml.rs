//! Imports GraphML, as written by NetworkX, igraph, Gephi and yEd.
//!
//! The vertices are the nodes and the ends of edges. Their keys are the IDs of nodes: names, unless the first node or edge
//! has numbers or UUIDs. `edgedefault` determines whether edges are directed; an edge with another direction is an error.
//! The weight is the datum of edges whose name is `weight`, `value`, `cost` or `distance`; an edge without this datum has
//! its default. Nested graphs and hyperedges are refused.

use super::blocks::{Block, Blocks};
use super::edges::reading;
use super::header::is_weight_name;
use super::key_kind::kind_of;
use super::keys::{KeyReader, Numbers, Others};
use super::parts::FileStream;
use super::scan::Problem;
use super::serial::{BATCH, Parser, SerialStream};
use super::value::{Reading, Seen, weight_of};
use super::{ImportError, ImportOptions, Weights};
use crate::build::{Declared, Direction, EdgeBatch};
use crate::graph::KeyKind;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

/// Opens a document as a stream of edges.
pub(super) fn open(blocks: Blocks, block: Block, options: &ImportOptions) -> Result<Box<dyn FileStream>, ImportError> {
    let path = blocks.path().to_owned();
    let line = block.line(0);
    let text = DocumentText { blocks, block, at: 0, line, column: 1, error: None };
    let mut document = Document {
        path: path.clone(),
        reader: Reader::from_reader(text),
        event: Vec::new(),
        depth: 0,
        graphs: 0,
        directed: true,
        overrides: options.directed.is_some(),
        keys: options.keys,
        weight: None,
        asked: reading(true, options),
        edge: None,
    };
    // The keys of data and the first node or edge determine the types.
    let (mut ahead, mut seen) = (EdgeBatch::default(), Seen::default());
    while ahead.is_empty() && document.read(&mut ahead, &mut seen)? {}
    let weighted = document.weight.is_some();
    if !weighted && matches!(options.weights, Weights::As(_)) {
        let problem = "no datum of edges is called `weight`".into();
        let advice = "leave --weights out, or give `--weights 1`, which gives every edge weight 1".into();
        return Err(ImportError::Misfit { path, line, problem, advice });
    }
    let direction = if document.directed { Direction::Directed } else { Direction::Undirected };
    let reading = if weighted { document.asked } else { Reading::None };
    let declared = Declared {
        keys: document.keys.unwrap_or_default(),
        direction: options.direction(direction),
        unread_weights: weighted && reading == Reading::None,
        lists_vertices: true,
        ..Declared::default()
    };
    Ok(Box::new(SerialStream::new(path, document, (reading, declared), (ahead, seen), "a GraphML document")))
}

struct Document {
    path: PathBuf,
    reader: Reader<DocumentText>,
    /// The memory of an event.
    event: Vec<u8>,
    /// The number of open elements.
    depth: usize,
    /// The number of open graphs.
    graphs: usize,
    directed: bool,
    /// Whether the options determine the direction of all edges.
    overrides: bool,
    /// The type of keys; `None` before the first node and the first edge.
    keys: Option<KeyKind>,
    weight: Option<WeightKey>,
    /// The method of reading weights.
    asked: Reading,
    edge: Option<GraphMlEdge>,
}

/// The declaration of the weight.
struct WeightKey {
    id: String,
    /// The weight of edges without the datum.
    default: Option<String>,
    /// Whether the reader is inside the declaration.
    is_open: bool,
}

/// An edge that is being read.
struct GraphMlEdge {
    source: String,
    target: String,
    weight: Option<String>,
    /// Whether the reader is inside the datum of the weight.
    in_weight: bool,
}

impl Parser for Document {
    fn parse(&mut self, batch: &mut EdgeBatch, seen: &mut Seen) -> Result<bool, ImportError> {
        while batch.src.len() + batch.vertices.len() < BATCH {
            if !self.read(batch, seen)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.reader.get_ref().blocks.progress()
    }
}

impl Document {
    /// Reads an event. Returns `false` at the end of the document.
    fn read(&mut self, batch: &mut EdgeBatch, seen: &mut Seen) -> Result<bool, ImportError> {
        let mut memory = std::mem::take(&mut self.event);
        memory.clear();
        let event = match self.reader.read_event_into(&mut memory) {
            Ok(event) => event,
            Err(error) => return Err(self.broken(&error)),
        };
        match &event {
            Event::Eof if self.depth > 0 => {
                return Err(self.fault("the end tags of all elements", "the end of the file", CUT));
            }
            Event::Eof => return Ok(false),
            Event::Start(start) => {
                self.depth += 1;
                self.begin(start, batch)?;
            }
            Event::Empty(start) => {
                self.begin(start, batch)?;
                self.end(start.local_name().as_ref(), batch, seen)?;
            }
            Event::End(end) => {
                self.depth -= 1;
                self.end(end.local_name().as_ref(), batch, seen)?;
            }
            Event::Text(text) => self.text(text),
            Event::CData(text) => self.text(text),
            _ => {}
        }
        drop(event);
        self.event = memory;
        Ok(true)
    }

    fn begin(&mut self, start: &BytesStart<'_>, batch: &mut EdgeBatch) -> Result<(), ImportError> {
        match start.local_name().as_ref() {
            "key" => self.declare(start),
            "default" => Ok(()),
            "graph" if self.graphs > 0 => Err(self.fault("one graph", "a graph in a graph", FLAT)),
            "graph" => {
                self.graphs += 1;
                self.directed = match self.attribute(start, "edgedefault")?.as_deref() {
                    None | Some("directed") => true,
                    Some("undirected") => false,
                    Some(other) => {
                        let advice = "correct the attribute `edgedefault`";
                        return Err(self.fault("`directed` or `undirected`", other, advice));
                    }
                };
                Ok(())
            }
            "hyperedge" => Err(self.fault("edges of two ends", "a hyperedge", FLAT)),
            "node" => {
                let id = self.attribute(start, "id")?;
                let id = id.ok_or_else(|| self.fault("a node with `id`", "a node without it", CORRECT))?;
                let vertex = self.key(&id, [&id, &id], batch)?;
                batch.vertices.push(vertex);
                Ok(())
            }
            "edge" => self.begin_edge(start),
            "data" => {
                let key = self.attribute(start, "key")?;
                if let (Some(edge), Some(weight)) = (&mut self.edge, &self.weight) {
                    edge.in_weight = key.as_deref() == Some(&weight.id);
                }
                Ok(())
            }
            _ if self.depth <= 1 && start.local_name().as_ref() != "graphml" => {
                Err(self.fault("the element `graphml`", start.local_name().as_ref(), FLAT))
            }
            _ => Ok(()),
        }
    }

    /// Reads the declaration of a datum.
    fn declare(&mut self, start: &BytesStart<'_>) -> Result<(), ImportError> {
        let is_of_edges = matches!(self.attribute(start, "for")?.as_deref(), Some("edge" | "all"));
        let id = self.attribute(start, "id")?.unwrap_or_default();
        let name = self.attribute(start, "attr.name")?.unwrap_or_else(|| id.clone());
        if is_of_edges && self.weight.is_none() && is_weight_name(&name) {
            self.weight = Some(WeightKey { id, default: None, is_open: true });
        }
        Ok(())
    }

    fn begin_edge(&mut self, start: &BytesStart<'_>) -> Result<(), ImportError> {
        let end = |name| {
            let value = self.attribute(start, name)?;
            value
                .ok_or_else(|| self.fault("an edge with `source` and `target`", "an edge without one of them", CORRECT))
        };
        let (source, target) = (end("source")?, end("target")?);
        let directed = self.attribute(start, "directed")?;
        if !self.overrides && directed.is_some_and(|directed| directed != if self.directed { "true" } else { "false" })
        {
            let advice = "say what all edges are, with `--directed` or `--undirected`";
            return Err(self.fault(
                "the direction that the graph has by default",
                "an edge of another direction",
                advice,
            ));
        }
        self.edge = Some(GraphMlEdge { source, target, weight: None, in_weight: false });
        Ok(())
    }

    fn text(&mut self, text: &str) {
        match (&mut self.edge, &mut self.weight) {
            (Some(edge), _) if edge.in_weight => edge.weight.get_or_insert_default().push_str(text.trim()),
            (None, Some(key)) if key.is_open => key.default.get_or_insert_default().push_str(text.trim()),
            _ => {}
        }
    }

    fn end(&mut self, name: &str, batch: &mut EdgeBatch, seen: &mut Seen) -> Result<(), ImportError> {
        match (name, &mut self.edge, &mut self.weight) {
            ("data", Some(edge), _) => edge.in_weight = false,
            ("key", _, Some(weight)) => weight.is_open = false,
            ("graph", ..) => self.graphs = 0,
            ("edge", ..) => {
                if let Some(edge) = self.edge.take() {
                    self.push(&edge, batch, seen)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn push(&mut self, edge: &GraphMlEdge, batch: &mut EdgeBatch, seen: &mut Seen) -> Result<(), ImportError> {
        let ends = [edge.source.as_str(), edge.target.as_str()];
        let (src, dst) = (self.key(ends[0], ends, batch)?, self.key(ends[1], ends, batch)?);
        if let (Some(weight), true) = (&self.weight, self.asked != Reading::None) {
            let text = edge.weight.as_ref().or(weight.default.as_ref());
            let text = text.ok_or_else(|| self.fault("an edge with a weight", "an edge without one", NO_WEIGHT))?;
            let bits = weight_of(text.as_bytes(), self.asked, seen).map_err(|problem| self.unread(text, problem))?;
            batch.value.push(bits);
        }
        batch.src.push(src);
        batch.dst.push(dst);
        Ok(())
    }

    /// Reads the ID of a node. The first IDs determine the type of keys.
    fn key(&mut self, id: &str, first: [&str; 2], batch: &mut EdgeBatch) -> Result<u64, ImportError> {
        let key = match *self.keys.get_or_insert_with(|| kind_of(first)) {
            KeyKind::Number => Numbers { defined: false }.field(id.as_bytes(), false, batch),
            kind => Others(kind).field(id.as_bytes(), false, batch),
        };
        key.map_err(|problem| self.unread(id, problem))
    }

    /// Returns the error for a text at this place that is no key or no weight.
    fn unread(&self, text: &str, problem: Problem) -> ImportError {
        let place = self.reader.get_ref();
        problem.error(&self.path, place.line, place.column, text.as_bytes())
    }

    fn attribute(&self, start: &BytesStart<'_>, name: &str) -> Result<Option<String>, ImportError> {
        let found =
            start.try_get_attribute(name).map_err(|error| self.fault("attributes", &error.to_string(), CORRECT))?;
        let text = found.map(|attribute| attribute.normalized_value(XmlVersion::Implicit1_0)).transpose();
        let text = text.map_err(|error| self.fault("the value of an attribute", &error.to_string(), CORRECT))?;
        Ok(text.map(|text| text.into_owned()))
    }

    /// Returns the error for text that is not XML, or that cannot be read.
    fn broken(&mut self, error: &quick_xml::Error) -> ImportError {
        match self.reader.get_mut().error.take() {
            Some(error) => error,
            None => self.fault("well-formed XML", &error.to_string(), CUT),
        }
    }

    fn fault(&self, expected: &str, found: &str, advice: &'static str) -> ImportError {
        let DocumentText { line, column, .. } = self.reader.get_ref();
        malformed(&self.path, (*line, *column), expected, found, advice)
    }
}

const CUT: &str = "correct the document, or fetch it again if it was cut short";
const CORRECT: &str = "correct the element";
const FLAT: &str = "write the edges of the graph as GraphML or CSV, for instance with NetworkX";
const NO_WEIGHT: &str = "give the weight a default, or leave weights out with `--weights none`";

fn malformed(
    path: &Path,
    (line, column): (u64, u64),
    expected: &str,
    found: &str,
    advice: &'static str,
) -> ImportError {
    let (expected, found) = (expected.into(), found.into());
    ImportError::Malformed { path: path.into(), line, column, expected, found, advice }
}

/// The text of a document, with the place up to which it has been read.
struct DocumentText {
    blocks: Blocks,
    block: Block,
    at: usize,
    line: u64,
    column: u64,
    /// The error of reading the file.
    error: Option<ImportError>,
}

impl BufRead for DocumentText {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.block.rest().len() {
            let next = self.blocks.next().map_err(|error| {
                self.error = Some(error);
                io::Error::other("the file cannot be read")
            })?;
            self.blocks.recycle(std::mem::replace(&mut self.block, next));
            self.at = 0;
        }
        Ok(&self.block.rest()[self.at..])
    }

    fn consume(&mut self, bytes: usize) {
        let text = &self.block.rest()[self.at..self.at + bytes];
        match memchr::memrchr(b'\n', text) {
            Some(last) => {
                self.line += memchr::memchr_iter(b'\n', text).count() as u64;
                self.column = (text.len() - last) as u64;
            }
            None => self.column += bytes as u64,
        }
        self.at += bytes;
    }
}

impl Read for DocumentText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let text = self.fill_buf()?;
        let count = text.len().min(buffer.len());
        buffer[..count].copy_from_slice(&text[..count]);
        self.consume(count);
        Ok(count)
    }
}
