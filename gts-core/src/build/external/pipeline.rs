//! The stages that convert edges with original IDs to pages.

use super::External;
use super::counts::{Counts, Degrees};
use super::foresight::{self, Sizes};
use super::heap;
use super::limits::Limits;
use super::merge::{Merge, reduce};
use super::names::EpochRanks;
use super::pages::PageStream;
use super::runs::{RunWriter, Runs};
use super::sinks::{PutAside, Sink, Sort};
use super::source::Raw;
use super::spill::{Spill, SpillFile};
use super::spool::RecordSpool;
use crate::build::choice::{self, GatheredSample};
use crate::build::edges::{Edges, records, relabel};
use crate::build::fill::PageFiller;
use crate::build::plan::Plan;
use crate::build::progress::Reporter;
use crate::build::record::Record;
use crate::build::renumber::Ranks;
use crate::build::symmetry::SymmetrySums;
use crate::build::{BuildError, BuildSummary, Direction, OrderChoice, Phase, paginate, sort, too_many_edges};
use crate::graph::order;
use crate::graph::{KeySource, Originals, VertexOrder};
use crate::hash::EdgeKey;
use crate::memory;
use crate::page::DEFAULT_PAGE_SIZE;
use crate::parallel::*;
use crate::store::{FileName, Manifest, Pages, StoreWriter, StoredKeys};
use gts_contract::Side;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The number of edges per task.
const PIECE: usize = 1 << 16;

/// A store that lacks only its manifest.
pub(super) struct Finished<'a> {
    pub(super) files: StoreWriter<'a>,
    pub(super) manifest: Manifest,
    pub(super) summary: BuildSummary,
}

/// The vertices of a graph that is built.
pub(super) struct BuiltVertices {
    pub(super) count: u64,
    pub(super) keys: KeySource,
    /// The ranks of the numbers in edges; `None` if edges contain original IDs.
    pub(super) ranks: Option<EpochRanks>,
}

/// The edges of a graph in sorted runs.
struct Sorted {
    degrees: Degrees,
    runs: Vec<SpillFile>,
    /// The dense number of each rank; `None` if numbers equal ranks.
    numbers: Option<Vec<u32>>,
}

/// The state shared by all stages.
pub(super) struct Pipeline<'a, 's> {
    spill: &'s Spill<'a>,
    files: StoreWriter<'a>,
    plan: Plan<'a>,
    limits: Limits,
    reporter: Reporter,
    summary: BuildSummary,
    vertices: u32,
    keys: KeySource,
    /// The ranks of the numbers in edges; `None` if edges contain original IDs.
    ranks: Option<EpochRanks>,
    /// Bytes per page, if known.
    page_size: Option<u32>,
    /// Bytes of the list of original IDs that the stream holds until the end.
    shared: u64,
    /// The number of edges laid out in pages, for reporting progress.
    laid_out: u64,
}

impl<'a, 's> Pipeline<'a, 's> {
    pub(super) fn new(
        external: External<'a, 's>,
        plan: Plan<'a>,
        vertices: BuiltVertices,
        files: StoreWriter<'a>,
    ) -> Self {
        let External { spill, limits, reporter, .. } = external;
        let BuiltVertices { count, keys, ranks } = vertices;
        let bytes =
            if let KeySource::Names(names) = &keys { names.bytes() + 8 * names.index().len() as u64 } else { 0 };
        let summary = BuildSummary { vertices: count, bytes, ..BuildSummary::default() };
        let (vertices, page_size) = (count as u32, plan.options.page_size);
        Self { spill, files, plan, limits, reporter, summary, vertices, keys, ranks, page_size, shared: 0, laid_out: 0 }
    }

    /// Runs all stages, which lay out all edges in pages.
    pub(super) fn run<R: Record>(mut self, originals: Originals, raw: Raw<'_, '_>) -> Result<Finished<'a>, BuildError> {
        let sizes = Sizes::of(&originals, raw.expected_edges());
        self.limits.foresee(foresight::most_tables::<R>(&self.plan, sizes, &self.limits));
        self.check_budget::<R>(sizes)?;
        let Sorted { degrees, runs, numbers } = if self.plan.options.order.may_be_degree() {
            self.by_degree::<R>(&originals, raw)?
        } else {
            self.by_rank::<R>(&originals, raw)?
        };
        let first_id = match originals {
            Originals::Range { first, .. } => Some(first),
            Originals::List(list) => {
                self.summary.bytes += 8 * list.len() as u64;
                self.files.table(FileName::Ids, &list)?;
                self.shared = if Arc::strong_count(&list) > 1 { 8 * list.len() as u64 } else { 0 };
                None
            }
        };
        if let Some(numbers) = numbers {
            self.summary.bytes += 8 * numbers.len() as u64;
            self.files.table(FileName::Order, &numbers)?;
        }
        self.lay_out::<R>(degrees, runs, first_id)
    }

    /// Fails early if the last stages would exceed the memory budget.
    fn check_budget<R: Record>(&self, sizes: Sizes) -> Result<(), BuildError> {
        let by_degree = self.plan.options.order.may_be_degree();
        let stored = foresight::most_stored(&self.plan, sizes.edges);
        let bytes = if sizes.edges > 0 { stored * (4 + self.plan.value_bytes() as u64) } else { 0 };
        let pages = bytes / u64::from(self.page_size.unwrap_or(DEFAULT_PAGE_SIZE));
        // If two bytes are not enough to number all pages, record IDs need more than four bytes.
        let wide = pages >= 1 << 16 || self.plan.options.width.is_some_and(|width| width.bytes() > 4);
        let ids = if wide { 8 } else { 4 };
        let filling = self.degrees_bytes()
            + self.table(ids + if by_degree { 4 } else { 0 })
            + sizes.shared
            + self.filling_bytes::<R>(self.least_width(), stored);
        let ordering = sizes.list + self.degrees_bytes() + self.table(if by_degree { 8 } else { 0 });
        self.limits.check(filling.max(ordering))
    }

    fn least_width(&self) -> u64 {
        foresight::least_width(&self.plan, self.vertices.into())
    }

    fn filling_bytes<R: Record>(&self, width: u64, edges: u64) -> u64 {
        foresight::filling_bytes::<R>(self.page_size, width, edges, &self.limits)
    }

    /// Returns the bytes of a table with `bytes` bytes per vertex.
    fn table(&self, bytes: u64) -> u64 {
        bytes * u64::from(self.vertices)
    }

    fn counts_bytes(&self, sorted: bool) -> u64 {
        Counts::bytes(u64::from(self.vertices), self.plan.both_ways(), sorted)
    }

    fn degrees_bytes(&self) -> u64 {
        Degrees::bytes(u64::from(self.vertices), self.plan.both_ways())
    }

    /// Sorts edges whose vertex order is known from the start.
    fn by_rank<R: Record>(&mut self, originals: &Originals, raw: Raw<'_, '_>) -> Result<Sorted, BuildError> {
        let drop = self.plan.drop_duplicates();
        let numbers = order::numbers(self.plan.order(), self.vertices);
        let tables =
            self.table(if numbers.is_some() { 4 } else { 0 }) + list_bytes(originals) + self.counts_bytes(true);
        let counts = Counts::new(self.vertices, self.plan.both_ways(), true);
        // If duplicates are dropped, edges are counted after the runs have been merged.
        let counted = (!drop).then_some(&counts);
        let runs = RunWriter::<R>::new(self.spill, self.vertices, drop);
        let mut sort = Sort { runs, numbers: numbers.as_deref(), counts: counted };
        self.ranked(originals, raw, tables, &mut sort)?;
        let runs = sort.runs.end(counted)?;
        self.reporter.finish(Phase::Sort);
        let runs = if drop {
            self.merged::<R>(runs, tables, |edges| {
                counts.add(edges);
                Ok(())
            })?
        } else {
            runs.files
        };
        let degrees =
            counts.finish().map_err(|found| too_many_edges(originals, &self.keys, numbers.as_deref(), found))?;
        Ok(Sorted { degrees, runs, numbers })
    }

    /// Stores edges unsorted until degrees determine the vertex order or the choice of an order. Then sorts the edges.
    fn by_degree<R: Record>(&mut self, originals: &Originals, raw: Raw<'_, '_>) -> Result<Sorted, BuildError> {
        let drop = self.plan.drop_duplicates();
        let counts = Counts::new(self.vertices, self.plan.both_ways(), drop);
        let tables = list_bytes(originals) + self.counts_bytes(drop);
        let mut spool = RecordSpool::<R>::new(self.spill);
        let chooses = self.plan.options.order == OrderChoice::Auto;
        let mut sample = chooses.then(|| GatheredSample::new(self.vertices));
        if drop {
            // Duplicates are dropped before degrees are counted.
            let runs = RunWriter::<R>::new(self.spill, self.vertices, true);
            let mut sort = Sort { runs, numbers: None, counts: None };
            self.ranked(originals, raw, tables, &mut sort)?;
            let runs = self.merged::<R>(sort.runs.end(None)?, tables, |edges| {
                counts.add(edges);
                sample.iter_mut().for_each(|sample| sample.add(edges));
                Ok(edges.chunks(PIECE).try_for_each(|edges| spool.write(edges))?)
            })?;
            runs.iter().try_for_each(|file| self.spill.remove(file))?;
        } else {
            let mut aside = PutAside::new(spool, &counts, sample.as_mut());
            self.ranked(originals, raw, tables, &mut aside)?;
            spool = aside.end()?;
        }
        let mut spooled = spool.end()?;
        let degrees = counts.finish().map_err(|found| too_many_edges(originals, &self.keys, None, found))?;
        let tables = list_bytes(originals) + self.degrees_bytes();
        self.limits.check(tables + self.table(8))?;
        let degree = |rank| degrees.total(rank);
        let numbers = match sample {
            None => Some(order::by_degree(self.vertices, degree)),
            Some(sample) => choice::by_degree(self.vertices, degree, || sample.finish(&degrees.out)),
        };
        self.plan.choose(if numbers.is_some() { VertexOrder::Degree } else { VertexOrder::Original });
        let degrees = match &numbers {
            Some(numbers) => degrees.renumbered(numbers),
            None => degrees,
        };
        self.reporter.finish(Phase::Renumber);
        heap::give_back();
        let capacity = Limits::run_bytes(self.limits.work(tables + self.table(4)));
        let mut runs = RunWriter::<R>::new(self.spill, self.vertices, false);
        let edges: u64 = degrees.out.par_iter().map(|&degree| u64::from(degree)).sum();
        let mut done = 0;
        let mut chunk = spooled.next(self.limits.chunk_edges())?;
        while !chunk.is_empty() {
            done += chunk.len() as u64;
            let bytes = chunk.len() * size_of::<R>();
            let mut chunks = vec![chunk];
            if let Some(numbers) = &numbers {
                relabel(&mut chunks, numbers);
            }
            runs.add(chunks, capacity, None)?;
            self.reporter.report(Phase::Sort, done, Some(edges))?;
            let (written, next) = rayon::join(|| runs.write(2 * bytes), || spooled.next(self.limits.chunk_edges()));
            written?;
            chunk = next?;
        }
        let runs = runs.end(None)?;
        self.reporter.finish(Phase::Sort);
        Ok(Sorted { degrees, runs: runs.files, numbers })
    }

    /// Passes the records of all edges to a sink. The sink writes while more edges are read.
    fn ranked<R: Record>(
        &mut self,
        originals: &Originals,
        mut raw: Raw<'_, '_>,
        tables: u64,
        sink: &mut impl Sink<R>,
    ) -> Result<(), BuildError> {
        let of_ids = Ranks::new(originals);
        let mut epochs = self.ranks.take();
        let tables = tables + epochs.as_ref().map_or(Ranks::bytes(originals), EpochRanks::most_bytes);
        self.limits.check(tables)?;
        let rules = self.plan.rules();
        let threads = rayon::current_num_threads();
        let mut group = raw.group(threads, &self.reporter)?;
        while !group.is_empty() {
            self.reporter.finish(raw.phase());
            let of_epoch = match &mut epochs {
                Some(epochs) => Some(Ranks::Table(epochs.of(group[0].epoch)?)),
                None => None,
            };
            let ranks = of_epoch.as_ref().unwrap_or(&of_ids);
            let Edges { chunks, self_loops_dropped, reversed } = records::<R>(group, ranks, &self.keys, &rules)?;
            self.summary.self_loops_dropped += self_loops_dropped;
            self.summary.edges_reversed += reversed;
            let bytes = chunks.iter().map(|chunk| chunk.len() * size_of::<R>()).sum::<usize>();
            sink.take(chunks, Limits::run_bytes(self.limits.work(tables).saturating_sub(raw.held_bytes())))?;
            self.reporter.finish(Phase::Sort);
            let mut written = Ok(());
            let next = rayon::in_place_scope(|scope| {
                // Writing two bytes per byte read completes the run before the next run is sorted.
                scope.spawn(|_| written = sink.write(2 * bytes));
                raw.group(threads, &self.reporter)
            });
            written?;
            group = next?;
        }
        self.summary.edges_read = raw.edges();
        self.summary.notes = raw.notes();
        self.summary.notes.extend(self.plan.conversion_note());
        Ok(())
    }

    /// Passes all edges to `observe` in order, and returns runs that contain these edges.
    fn merged<R: Record>(
        &mut self,
        runs: Runs,
        tables: u64,
        mut observe: impl FnMut(&[R]) -> Result<(), BuildError>,
    ) -> Result<Vec<SpillFile>, BuildError> {
        let work = self.limits.work(tables);
        let files = reduce::<R>(self.spill, runs.files, self.vertices, work / 2)?;
        let mut merge = Merge::<R>::new(self.spill, &files, self.vertices, self.plan.drop_duplicates(), work / 3)?;
        let mut edges = memory::reserved("edges", merge.most())?;
        while merge.round(&mut edges)? {
            observe(&edges)?;
            edges.clear();
        }
        self.summary.duplicates_dropped += runs.duplicates + merge.duplicates;
        self.reporter.finish(Phase::Sort);
        Ok(files)
    }

    /// Writes the pages of both directions, and all tables.
    fn lay_out<R: Record>(
        mut self,
        degrees: Degrees,
        runs: Vec<SpillFile>,
        first_id: Option<u64>,
    ) -> Result<Finished<'a>, BuildError> {
        let both_ways = self.plan.both_ways();
        let in_edges = self.plan.options.in_edges && !both_ways;
        // In most asymmetric graphs, the in-degree and the out-degree of some vertex differ.
        let may_be_symmetric = !both_ways && degrees.out == degrees.into;
        if !both_ways && !may_be_symmetric && self.plan.direction == Direction::Symmetric {
            return Err(BuildError::NotSymmetric);
        }
        let edges: u64 = degrees.out.par_iter().map(|&degree| u64::from(degree)).sum();
        self.summary.edges_stored = edges;
        self.summary.order = self.plan.order();
        self.summary.isolated = degrees.isolated();
        let mut heads = (self.plan.order() == VertexOrder::Degree).then(|| Heads::new(self.vertices));
        let (key, mut sums) = (EdgeKey::random(), SymmetrySums::default());
        let mut self_loops = 0;
        let mut reversed = in_edges.then(|| RunWriter::<R>::new(self.spill, self.vertices, false));
        let tables = self.degrees_bytes() + self.table(if heads.is_some() { 4 } else { 0 }) + self.shared;
        let share: u64 = if in_edges { 2 } else { 1 };
        let filling = self.table(8) + self.filling_bytes::<R>(self.least_width(), edges);
        let capacity = Limits::run_bytes(self.limits.work(tables + filling) / share as usize);
        let total = edges * share;
        let drop = self.plan.drop_duplicates() && !self.plan.options.order.may_be_degree();
        let out = self.topology(Side::Out, runs, &degrees.out, (drop, tables, share, total), |edges: &[R]| {
            if let Some(heads) = &mut heads {
                heads.note(edges);
            }
            self_loops += edges.par_chunks(PIECE).map(sort::self_loops).sum::<u64>();
            if may_be_symmetric {
                sums = sums.join(sums_of(edges, &key));
            }
            match &mut reversed {
                Some(reversed) => reversed.add(turned_around(edges), capacity, None),
                None => Ok(()),
            }
        })?;
        let symmetric = both_ways || may_be_symmetric && sums.is_symmetric();
        if !symmetric && self.plan.direction == Direction::Symmetric {
            return Err(BuildError::NotSymmetric);
        }
        if let Some(heads) = heads {
            self.counted_table(FileName::Heads, &heads.finish())?;
        }
        let incoming = match reversed.filter(|_| !symmetric) {
            Some(runs) => {
                let runs = runs.end(None)?.files;
                let tables = self.degrees_bytes() + self.shared;
                Some(self.topology(Side::In, runs, &degrees.into, (false, tables, 1, total), |_: &[R]| Ok(()))?)
            }
            None => None,
        };
        self.counted_table(FileName::Degrees(Side::Out), &degrees.out)?;
        if !symmetric {
            self.counted_table(FileName::Degrees(Side::In), &degrees.into)?;
        }
        self.summary.pages = u64::from(out.count);
        self.reporter.finish(Phase::Pages);
        self.summary.times = self.reporter.times();
        let properties = self.plan.properties(symmetric, self_loops, Arc::default(), &degrees.out, &degrees.into);
        self.summary.undirected_edges = properties.undirected_edges(edges);
        let manifest = Manifest {
            vertices: u64::from(self.vertices),
            edges,
            properties,
            keys: StoredKeys::of(&self.keys, first_id),
            page_size: self.page_size.unwrap_or(DEFAULT_PAGE_SIZE),
            out,
            incoming,
            stripes: Vec::new(),
            notes: self.summary.notes.clone(),
            files: Vec::new(),
        };
        Ok(Finished { files: self.files, manifest, summary: self.summary })
    }

    fn counted_table(&mut self, name: FileName, table: &[u32]) -> Result<(), BuildError> {
        self.summary.bytes += 4 * table.len() as u64;
        Ok(self.files.table(name, table)?)
    }

    /// Writes the pages of a direction, passes the edges to `observe` in order, and removes the runs.
    fn topology<R: Record>(
        &mut self,
        side: Side,
        runs: Vec<SpillFile>,
        degrees: &[u32],
        (drop, tables, share, total): (bool, u64, u64, u64),
        mut observe: impl FnMut(&[R]) -> Result<(), BuildError>,
    ) -> Result<Pages, BuildError> {
        heap::give_back();
        let format = self.plan.format(degrees, self.page_size)?;
        // The pages of both directions have the same size.
        self.page_size = Some(format.page_size());
        let pagination = paginate::paginate(degrees, &format)?;
        let tables = tables
            + PageFiller::table_bytes(u64::from(self.vertices), &format)
            + self.filling_bytes::<R>(format.width().bytes() as u64, self.summary.edges_stored);
        self.limits.check(tables)?;
        let work = self.limits.work(tables) / share as usize;
        let filler = PageFiller::new(degrees, format, pagination, None)?;
        let runs = reduce::<R>(self.spill, runs, self.vertices, work / 2)?;
        let mut merge = Merge::<R>::new(self.spill, &runs, self.vertices, drop, work / 3)?;
        let file = self.files.pages(side, format.page_size())?;
        let mut pages = PageStream::new(file, &filler, work / 6)?;
        let mut edges = memory::reserved("edges", merge.most() + filler.most_edges())?;
        pages.take(&mut edges)?;
        loop {
            let before = edges.len();
            if !merge.round(&mut edges)? {
                break;
            }
            observe(&edges[before..])?;
            self.laid_out += (edges.len() - before) as u64;
            pages.take(&mut edges)?;
            self.reporter.report(Phase::Pages, self.laid_out, Some(total))?;
        }
        let file = pages.end()?;
        runs.iter().try_for_each(|file| self.spill.remove(file))?;
        let written = Pages { width: format.width(), count: filler.num_pages() };
        let (rvt, imbalance) = filler.into_tables();
        self.files.end_pages(file, &rvt, &imbalance)?;
        self.summary.bytes += u64::from(written.count) * (u64::from(format.page_size()) + 20);
        Ok(written)
    }
}

/// The first target of each source vertex.
struct Heads {
    heads: Vec<AtomicU32>,
    last: Option<u32>,
}

impl Heads {
    fn new(vertices: u32) -> Self {
        Self { heads: (0..vertices).map(|_| AtomicU32::new(u32::MAX)).collect(), last: None }
    }

    /// Records the first targets in the next edges, which must arrive in order.
    fn note<R: Record>(&mut self, edges: &[R]) {
        (0..edges.len()).into_par_iter().with_min_len(PIECE).for_each(|place| {
            let before = if place == 0 { self.last } else { Some(edges[place - 1].src()) };
            let edge = edges[place];
            if before != Some(edge.src()) {
                self.heads[edge.src() as usize].store(edge.dst(), Ordering::Relaxed);
            }
        });
        self.last = edges.last().map(Record::src).or(self.last);
    }

    fn finish(self) -> Vec<u32> {
        self.heads.into_iter().map(AtomicU32::into_inner).collect()
    }
}

fn sums_of<R: Record>(edges: &[R], key: &EdgeKey) -> SymmetrySums {
    let sums = edges.par_chunks(PIECE).map(|edges| SymmetrySums::of(edges, key));
    sums.reduce(SymmetrySums::default, SymmetrySums::join)
}

fn turned_around<R: Record>(edges: &[R]) -> Vec<Vec<R>> {
    let turn = |edge: &R| R::new(edge.key().rotate_left(32), edge.value());
    edges.par_chunks(PIECE).map(|edges| edges.iter().map(turn).collect()).collect()
}

fn list_bytes(originals: &Originals) -> u64 {
    match originals {
        Originals::Range { .. } => 0,
        Originals::List(list) => 8 * list.len() as u64,
    }
}
