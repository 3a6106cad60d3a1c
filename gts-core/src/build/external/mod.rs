//! Builds a store within a memory budget. Only the tables of the vertices must fit in memory; edges and pages need not.
//!
//! Edges are read up to the memory limit, sorted, and written to a temporary file as a run. The runs are merged and
//! laid out in pages, which are written when they are full. Edges are first stored unsorted if sorting requires further
//! information: until the last original ID has been read, or until degrees determine the vertex order. The store is
//! identical, byte for byte, to a store saved from the result of [`build`](super::build).

mod counts;
mod foresight;
mod heap;
mod ids;
mod limits;
mod merge;
mod names;
mod pages;
mod pipeline;
mod runs;
mod sinks;
mod source;
mod spill;
mod spool;
#[cfg(test)]
mod tests;
mod tournament;

use super::census::Census;
use super::interner::Interner;
use super::plan::Plan;
use super::progress::Reporter;
use super::{BuildError, BuildOptions, BuildSummary, EdgeStream, OrderChoice, Phase, in_memory, renumber};
use crate::graph::{KeySource, Originals, VertexOrder};
use crate::page::check_page_size;
use crate::store::io::Io;
use crate::store::{self, SaveOptions, StorePlace, StoreWriter, write_store};
use crate::threads;
use foresight::Sizes;
pub(crate) use foresight::budget_of_listed;
use ids::IdSet;
use limits::Limits;
use names::LaterKeys;
use pages::PageStream;
use pipeline::{BuiltVertices, Finished, Pipeline};
use source::{Raw, RawSource};
use spill::Spill;
use spool::RawSpool;
use std::path::Path;
use std::sync::Arc;

/// Builds a store directly from a stream. Returns a summary of the edges that were read and dropped.
///
/// [`BuildOptions::memory`] limits the memory of the build. The actual use may exceed the limit by up to a tenth. A
/// graph that fits is built in memory. Otherwise edges are sorted in temporary files beside the store. If the tables of
/// the vertices exceed the budget, the error names a sufficient budget. Without a budget, the graph is built in memory.
pub(crate) fn build_store(
    io: &dyn Io,
    stream: &mut dyn EdgeStream,
    options: &BuildOptions,
    path: impl AsRef<Path>,
    save: &SaveOptions,
) -> Result<BuildSummary, BuildError> {
    let path = path.as_ref();
    if let Some(page_size) = options.page_size {
        check_page_size(page_size)?;
        store::check_page_size(page_size)?;
    }
    store::check_target(io, path, save)?;
    threads::prepare()?;
    let reporter = Reporter::new(options);
    let mut source = RawSource::new(stream);
    renumber::check_declared(source.declared(), options)?;
    let limits = options.memory.map(Limits::new);
    match limits {
        Some(limits) if !source.hold(&limits, options, &reporter)? => {
            if let (OrderChoice::Given(VertexOrder::Layers { root }), Some(budget)) = (options.order, options.memory) {
                return Err(BuildError::LayersOnDisk { root, budget });
            }
            build_external(io, source, options, path, save, limits, reporter)
        }
        _ => {
            let (known, chunks) = source.into_chunks(&reporter)?;
            let (graph, summary) = in_memory(known, chunks, options, reporter)?;
            store::save(io, &graph, path, save)?;
            Ok(summary)
        }
    }
}

/// Builds a store with the help of temporary files.
fn build_external(
    io: &dyn Io,
    source: RawSource<'_>,
    options: &BuildOptions,
    path: &Path,
    save: &SaveOptions,
    limits: Limits,
    reporter: Reporter,
) -> Result<BuildSummary, BuildError> {
    write_store(io, path, save, |place| {
        let spill = Spill::create(io, &place.directory)?;
        let Finished { files, manifest, mut summary } =
            External { io, place, spill: &spill, options, limits, reporter }.run(source)?;
        summary.spilled = spill.end()?;
        files.finish(manifest)?;
        Ok(summary)
    })
}

/// The state of a build with temporary files.
struct External<'a, 's> {
    io: &'a dyn Io,
    place: &'a StorePlace,
    spill: &'s Spill<'a>,
    options: &'a BuildOptions,
    limits: Limits,
    reporter: Reporter,
}

impl<'a> External<'a, '_> {
    fn run(mut self, mut source: RawSource<'_>) -> Result<Finished<'a>, BuildError> {
        source.set_chunk_edges(self.limits.chunk_edges())?;
        let declared = source.declared();
        if declared.keys.is_bytes() {
            return self.run_named(source);
        }
        let (kind, right) = (declared.keys, declared.right);
        let mut plan = Plan::new(declared, self.options)?;
        let value_bytes = declared.value_type.map_or(0, |scalar| scalar.bytes(8));
        let declares_vertices = source.declares_vertices();
        let mut ids = IdSet::new(self.limits);
        // Edges can be ranked and values can be converted immediately if the vertices and the value type are known from
        // the start.
        let (vertices, raw) = if declares_vertices && Plan::knows_values(declared, self.options) {
            (source.take_vertices(), Raw::Stream(source))
        } else {
            // All other memory requirements depend on the vertices.
            let page_size = u64::from(self.options.page_size.unwrap_or(0));
            if let Err(error) = self.limits.check(self.limits.beyond_least(PageStream::least_bytes(page_size))) {
                return Err(self.refuse(error, Census::new(), source));
            }
            let mut spool = RawSpool::new(self.spill, value_bytes);
            while let Some(chunk) = source.next(&self.reporter)? {
                if !declares_vertices && let Err(error) = ids.add(&chunk) {
                    let mut census = ids.census(chunk.first);
                    census.add(&chunk);
                    return Err(self.refuse(error, census, source));
                }
                spool.write(&chunk)?;
            }
            self.reporter.finish(Phase::Read);
            let lone = source.take_lone_vertices().filter(|_| !declares_vertices);
            if let Err(error) = lone.map_or(Ok(()), |vertices| ids.add(&vertices)) {
                let census = ids.census(source.edges());
                return Err(self.refuse(error, census, source));
            }
            if !declares_vertices && let Err(error) = ids.check() {
                let census = ids.census(source.edges());
                return Err(self.refuse(error, census, source));
            }
            plan = Plan::new(&source.final_declared(), self.options)?;
            (source.take_vertices(), {
                let (total, notes) = (source.edges(), source.notes());
                Raw::Spooled { edges: spool.end()?, done: 0, total, notes }
            })
        };
        let originals = renumber::find(vertices, || Ok(ids.finish()))?;
        let keys = KeySource::integers(kind, renumber::left(right, &originals), &originals);
        let plan = plan.with_sides(&keys);
        let files = StoreWriter::new(self.io, self.place);
        let vertices = BuiltVertices { count: originals.len(), keys, ranks: None };
        let pipeline = Pipeline::new(self, plan, vertices, files);
        match plan.value_bytes() {
            0 => pipeline.run::<u64>(originals, raw),
            4 => pipeline.run::<[u32; 3]>(originals, raw),
            _ => pipeline.run::<[u64; 2]>(originals, raw),
        }
    }

    /// Builds a graph whose keys are names or UUIDs.
    fn run_named(mut self, mut source: RawSource<'_>) -> Result<Finished<'a>, BuildError> {
        let page_size = u64::from(self.options.page_size.unwrap_or(0));
        self.limits.check(self.limits.beyond_least(PageStream::least_bytes(page_size)))?;
        let (form, value_type) = (source.declared().key_form(), source.declared().value_type);
        let mut spool = RawSpool::new(self.spill, value_type.map_or(0, |scalar| scalar.bytes(8)));
        let mut later = LaterKeys::new(self.spill, &self.limits);
        source.limit_keys(self.limits.key_bytes());
        while let Some(mut chunk) = source.next(&self.reporter)? {
            chunk.epoch = later.epoch();
            spool.write(&chunk)?;
            if let Some(keys) = source.full_keys() {
                later.add(keys)?;
                source.limit_keys(self.limits.key_bytes() + self.limits.later_key_bytes());
            }
        }
        let (declared, edges, notes) = (source.final_declared(), source.edges(), source.notes());
        let keys = source.take_keys().unwrap_or_else(|| Interner::new(form));
        drop(source);
        self.reporter.finish(Phase::Read);
        let mut files = StoreWriter::new(self.io, self.place);
        let (names, ranks) = later.merge(keys, form, &mut files, &self.limits)?;
        self.reporter.finish(Phase::Renumber);
        let (count, keys) = (names.len(), KeySource::Names(Arc::new(names)));
        let plan = Plan::new(&declared, self.options)?.with_sides(&keys);
        let raw = Raw::Spooled { edges: spool.end()?, done: 0, total: edges, notes };
        let originals = Originals::Range { first: 0, count };
        let vertices = BuiltVertices { count: originals.len(), keys, ranks: Some(ranks) };
        let pipeline = Pipeline::new(self, plan, vertices, files);
        match plan.value_bytes() {
            0 => pipeline.run::<u64>(originals, raw),
            4 => pipeline.run::<[u32; 3]>(originals, raw),
            _ => pipeline.run::<[u64; 2]>(originals, raw),
        }
    }

    /// Returns the error for a budget that proved too small before all edges were read. The error names a sufficient
    /// budget. If the stream does not declare its vertices, the remaining edges are read to count them. `census`
    /// contains the edges that have already been read.
    fn refuse(&self, error: BuildError, mut census: Census, mut source: RawSource<'_>) -> BuildError {
        let BuildError::Budget { needed, budget } = error else { return error };
        let mut foreseen = || {
            if source.declares_vertices() {
                let edges = source.declared().edges.unwrap_or(0);
                let plan = Plan::new(source.declared(), self.options)?;
                let originals = renumber::find(source.take_vertices(), || Ok(renumber::of_edges(&[])))?;
                // The value type is not yet known, so the widest type is assumed.
                let tables = foresight::most_tables::<[u64; 2]>(&plan, Sizes::of(&originals, edges), &self.limits);
                return Ok(self.limits.needed(tables));
            }
            while let Some(chunk) = source.next(&self.reporter)? {
                census.add(&chunk);
            }
            let plan = Plan::new(&source.final_declared(), self.options)?;
            Ok::<_, BuildError>(foresight::budget(&plan, &census, &self.limits))
        };
        foreseen().map_or_else(|error| error, |foreseen| BuildError::Budget { needed: needed.max(foreseen), budget })
    }
}
