//! A graph of the reference data in the forms required by algorithms.

use crate::data::{Data, DataError, Entry, PlainGraph, Reference};
use crate::oracle;
use gts_core::build::DeclaredVertices;
use gts_core::graph::Graph;
use gts_core::page::IdWidth;
use gts_core::read::ReadError;
use gts_core::store::StoreError;
use std::cell::RefCell;
use std::collections::HashMap;
use tempfile::TempDir;

/// Smallest page size that a store supports, in bytes.
const STORED_PAGE: u32 = 4 << 10;
/// Divisor for host memory: one page in this number fits, in addition to the minimum.
const STORED_SHARE: u64 = 8;

/// A form of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct View {
    /// Whether every edge exists in both directions.
    pub(super) symmetric: bool,
    /// Values of the edges, if any.
    pub(super) values: Option<Values>,
}

/// Kind of edge values. Edges have the graph's own weights if they are suitable, otherwise made-up ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Values {
    /// Whether the values are integers of type u32 rather than f32.
    pub(super) whole: bool,
    /// Whether negative weights are acceptable.
    pub(super) signed: bool,
}

/// A graph with its forms and reference answers.
#[derive(Debug)]
pub(super) struct Subject {
    name: String,
    plain: PlainGraph,
    reference: Reference,
    source: u64,
    sources: Vec<u64>,
    farthest: u64,
    resident: RefCell<HashMap<View, Graph>>,
    stored: RefCell<HashMap<View, Option<Graph>>>,
    stores: TempDir,
}

impl Subject {
    /// Opens a graph of the reference data. Returns `None` if the graph exceeds the numbers of vertices or arcs.
    pub(super) fn open(
        data: &Data,
        entry: &Entry,
        most_vertices: u64,
        most_arcs: u64,
    ) -> Result<Option<Self>, DataError> {
        let reference = data.reference(entry)?;
        let (vertices, arcs) = reference.size();
        if vertices.is_none_or(|vertices| vertices > most_vertices) || arcs.is_none_or(|arcs| arcs > most_arcs) {
            return Ok(None);
        }
        let plain = data.graph(entry)?;
        let source = reference.source()?;
        let rank = plain.rank(source).ok_or("the source is not in the graph")?;
        let levels = oracle::levels(&plain, rank);
        let farthest = (0..plain.len()).max_by_key(|&vertex| levels[vertex]).ok_or("the graph has no vertex")?;
        let sources = reference.sources();
        Ok(Some(Self {
            name: entry.name.clone(),
            farthest: plain.ids[farthest],
            sources: if sources.is_empty() { vec![source] } else { sources },
            source,
            plain,
            reference,
            resident: RefCell::default(),
            stored: RefCell::default(),
            stores: tempfile::tempdir()?,
        }))
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the graph as plain arrays in its original form.
    pub(super) fn plain(&self) -> &PlainGraph {
        &self.plain
    }

    pub(super) fn reference(&self) -> &Reference {
        &self.reference
    }

    /// Returns the source vertex of the reference answers.
    pub(super) fn source(&self) -> u64 {
        self.source
    }

    /// Returns the source vertices of the betweenness reference, or the source if there is no such reference.
    pub(super) fn sources(&self) -> &[u64] {
        &self.sources
    }

    /// Returns a vertex with the highest level from the source.
    pub(super) fn farthest(&self) -> u64 {
        self.farthest
    }

    /// Returns about `count` vertices, spread evenly over the IDs.
    pub(super) fn spread(&self, count: usize) -> Vec<u64> {
        self.plain.ids.iter().step_by(self.plain.len().div_ceil(count)).copied().collect()
    }

    /// Returns the source and up to `count` of its neighbours.
    pub(super) fn around_source(&self, count: usize) -> Vec<u64> {
        let ends = self.plain.named_arcs().filter(|arc| arc.0 == self.source).map(|arc| arc.1);
        std::iter::once(self.source).chain(ends.take(count)).collect()
    }

    /// Returns whether edges with these values have the graph's own weights.
    pub(super) fn has_own(&self, values: Values) -> bool {
        let fits = |weight: f64| {
            (values.signed && !values.whole || weight >= 0.0)
                && (!values.whole || weight.fract() == 0.0 && weight <= f64::from(u32::MAX))
        };
        self.plain.weighted && self.plain.arcs.iter().all(|arc| fits(arc.weight))
    }

    /// Returns the graph in a form, with all pages in memory.
    pub(super) fn graph(&self, view: View) -> Result<Graph, DataError> {
        if let Some(graph) = self.resident.borrow().get(&view) {
            return Ok(graph.clone());
        }
        let graph = self.build(view, self.page_size())?;
        self.resident.borrow_mut().insert(view, graph.clone());
        Ok(graph)
    }

    /// Returns the graph in a form, opened from a store with memory for few of its pages. Returns `None` if all pages
    /// fit.
    pub(super) fn stored(&self, view: View) -> Result<Option<Graph>, DataError> {
        if let Some(graph) = self.stored.borrow().get(&view) {
            return Ok(graph.clone());
        }
        let path = self.stores.path().join(format!("{}.gts", self.stored.borrow().len()));
        let page_size = self.page_size().max(STORED_PAGE);
        let graph = self.build(view, page_size)?;
        graph.save(&path)?;
        let room = (graph.out_topology().bytes() / STORED_SHARE).max(page_size.into());
        let open = |host_memory| Graph::reader(&path).host_memory(host_memory).read();
        let graph = match open(0) {
            Err(ReadError::Store(StoreError::HostMemory { least, .. })) => open(least + room)?,
            outcome => outcome?,
        };
        let graph = Some(graph).filter(|graph| !graph.is_resident());
        self.stored.borrow_mut().insert(view, graph.clone());
        Ok(graph)
    }

    /// Returns a page size so small that most graphs have many pages and their hubs have several.
    fn page_size(&self) -> u32 {
        match self.plain.arcs.len() {
            ..10_000 => 256,
            10_000..1_000_000 => 4 << 10,
            _ => 64 << 10,
        }
    }

    fn build(&self, view: View, page_size: u32) -> Result<Graph, DataError> {
        let mut plain = match view.values {
            Some(values) if !self.has_own(values) => self.plain.with_made_up_weights(),
            _ => self.plain.clone(),
        };
        if view.symmetric {
            plain = plain.symmetrised();
        }
        let builder = Graph::builder();
        let arcs = plain.named_arcs();
        let builder = match view.values {
            None => builder.edges(arcs.map(|(src, dst, _)| (src, dst))),
            Some(Values { whole: true, .. }) => {
                builder.weighted_edges(arcs.map(|(src, dst, weight)| (src, dst, weight as u32)))
            }
            Some(Values { whole: false, .. }) => {
                builder.weighted_edges(arcs.map(|(src, dst, weight)| (src, dst, weight as f32)))
            }
        };
        // Use one width for all graphs, so that each kernel is compiled only once.
        let builder = builder.width(IdWidth::new(2, 2)?);
        let builder = builder.vertices(DeclaredVertices::List(plain.ids.clone().into())).in_edges(true);
        Ok(builder.page_size(page_size).build()?)
    }
}
