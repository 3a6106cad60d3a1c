//! Opens a store: reads its tables into memory, and its pages if they should be in memory. Sizes are checked before
//! memory is allocated, checksums before contents are used, and page structure before pages are visited.

use super::consistency::{self, PageTables};
use super::content;
use super::demand::{DemandedPages, Room};
use super::files::{FileName, MANIFEST};
use super::io::Io;
use super::manifest::Pages;
use super::opened::StoreFiles;
use super::reads::ReadNotice;
use super::resident::{self, Done, PageFiles};
use super::stored::{self, HostBuffer, Notices, PageChecks, StoredPages};
use super::{StoreError, StoreProgress};
use crate::graph::{Graph, GraphParts, IdMap, Originals, VertexOrder};
use crate::page::{Ends, Imbalance, PageFormat, Rvt, SourceId, Topology};
use crate::phase::{self, Phase, Shares};
use crate::threads;
use gts_contract::Side;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// The location of a store's pages after opening.
pub(super) enum Residence<'a> {
    /// Pages are in memory.
    Memory,
    /// Pages are in memory, or in the files if tables and pages together exceed the given number of bytes.
    Within(u64, &'a StoredIo),
    /// Same as `Within`, but a page is read into memory on first use. This process needs one part of the given number
    /// of parts.
    OnDemand(u64, NonZeroUsize, &'a StoredIo),
    /// Pages stay in the files, and are loaded through a buffer of size `buffer` or the minimum size. If there is a
    /// `limit`, the buffer is reduced so that it fits together with the tables and `beside` further bytes.
    Files { buffer: u64, limit: Option<u64>, beside: u64, with: &'a StoredIo },
}

/// The I/O setup for pages that stay in their files.
pub(super) struct StoredIo {
    pub(super) io: Arc<dyn Io>,
    pub(super) notices: Arc<Notices>,
    /// The maximum time during which no read of pages completes.
    pub(super) stall_limit: Duration,
}

/// Reads all tables of a store, and the pages if they should be in memory.
pub(super) fn open(
    files: &StoreFiles<'_>,
    residence: &Residence<'_>,
    progress: StoreProgress<'_>,
    stop: Option<&AtomicBool>,
) -> Result<Graph, StoreError> {
    threads::prepare().map_err(StoreError::Threads)?;
    phase::during(Phase::Read, || read(files, residence, progress, stop))
}

fn read(
    files: &StoreFiles<'_>,
    residence: &Residence<'_>,
    progress: StoreProgress<'_>,
    stop: Option<&AtomicBool>,
) -> Result<Graph, StoreError> {
    let manifest = files.manifest;
    // A truncated store is rejected before its first large table is read.
    for file in &manifest.files {
        match file.name {
            FileName::Pages(side) => drop(files.open_pages(side)?),
            table => drop(files.open(table)?),
        }
    }
    let pages_go = pages_go(files, residence)?;
    let done = Done::new(progress, stop, manifest.files.iter().map(|file| file.bytes).sum());
    let tables = phase::shared(Phase::Read, |shares| Tables::read(files, shares));
    let ids = phase::during(Phase::Check, || ids(files, tables.ids, tables.names, tables.order))?;
    let heads = match manifest.properties.order {
        VertexOrder::Degree => Some(Arc::new(tables.heads?)),
        _ => None,
    };
    let out_degrees = Arc::new(tables.out_degrees?);
    let in_degrees = Arc::new(tables.in_degrees?);
    let into = if manifest.properties.symmetric { &out_degrees } else { &in_degrees };
    let ends = phase::during(Phase::Check, || ends(files, Side::In, into))?;
    let beside = PageTables { side: Side::Out, degrees: Arc::clone(&out_degrees), heads: heads.clone(), ends };
    let out = topology(files, manifest.out, tables.out, beside, &pages_go, &done)?;
    let incoming = match manifest.incoming {
        Some(pages) => {
            let ends = phase::during(Phase::Check, || self::ends(files, Side::Out, &out_degrees))?;
            let beside = PageTables { side: Side::In, degrees: Arc::clone(&in_degrees), heads: None, ends };
            Some(topology(files, pages, tables.incoming, beside, &pages_go, &done)?)
        }
        None => None,
    };
    let properties = manifest.properties.clone();
    let (notes, content) = (manifest.notes.clone(), OnceLock::from(content::of_manifest(manifest)));
    let parts = GraphParts { ids, properties, out, incoming, out_degrees, in_degrees, heads, sinks: 0, notes, content };
    let graph = phase::during(Phase::Check, || {
        consistency::check_tables(files, &parts)?;
        Ok(Graph::from_parts(parts))
    })?;
    done.end();
    Ok(graph)
}

/// A table, or the error of reading the table.
type Table<T> = Result<Vec<T>, StoreError>;

/// All tables of a store, read in parallel. Each error is retained until the table is used, so that the reported error
/// does not depend on timing.
struct Tables {
    ids: Table<u64>,
    names: Table<u64>,
    order: Table<u32>,
    heads: Table<u32>,
    out_degrees: Table<u32>,
    in_degrees: Table<u32>,
    out: PageColumns,
    incoming: PageColumns,
}

/// The tables with one entry per page of a direction.
struct PageColumns {
    start_vids: Table<u64>,
    lp_ranges: Table<u32>,
    imbalance: Table<u64>,
    sums: Table<u64>,
}

impl Tables {
    fn read(files: &StoreFiles<'_>, shares: &Shares) -> Self {
        let four = |name| files.table::<u32>(name, shares);
        let eight = |name| files.table::<u64>(name, shares);
        let columns = |side| PageColumns {
            start_vids: eight(FileName::StartVids(side)),
            lp_ranges: four(FileName::LpRanges(side)),
            imbalance: eight(FileName::Imbalance(side)),
            sums: eight(FileName::Sums(side)),
        };
        let degrees = |side| four(FileName::Degrees(side));
        let names = eight(FileName::NamesIndex);
        let ((ids, order), ((heads, out_degrees), (in_degrees, (out, incoming)))) = rayon::join(
            || rayon::join(|| eight(FileName::Ids), || four(FileName::Order)),
            || {
                rayon::join(
                    || rayon::join(|| four(FileName::Heads), || degrees(Side::Out)),
                    || rayon::join(|| degrees(Side::In), || (columns(Side::Out), columns(Side::In))),
                )
            },
        );
        Self { ids, names, order, heads, out_degrees, in_degrees, out, incoming }
    }
}

/// Returns the set of vertices with an edge in a direction; `None` if every vertex has one.
fn ends(files: &StoreFiles<'_>, side: Side, degrees: &[u32]) -> Result<Option<Arc<Ends>>, StoreError> {
    let memory = |bytes| StoreError::Memory { path: files.path(FileName::Degrees(side)), bytes };
    Ends::of(side, degrees).map(|ends| ends.map(Arc::new)).map_err(memory)
}

/// The chosen location of the pages.
enum PagesGo<'a> {
    ToMemory,
    /// Pages are read into memory on first use, if there is room.
    WhenAsked(Arc<Room>),
    /// Pages are loaded through a buffer.
    Through(Stored<'a>),
}

/// The buffer for pages that stay in their files, with its I/O setup.
struct Stored<'a> {
    with: &'a StoredIo,
    buffer: Arc<HostBuffer>,
}

/// Chooses the location of the pages.
fn pages_go<'a>(files: &StoreFiles<'_>, residence: &Residence<'a>) -> Result<PagesGo<'a>, StoreError> {
    let manifest = files.manifest;
    let is_pages = |name| matches!(name, FileName::Pages(_));
    let bytes = |pages: bool| -> u64 {
        // KeyNames stay in their file.
        let files = manifest.files.iter().filter(|file| file.name != FileName::Names);
        let files = files.filter(|file| is_pages(file.name) == pages);
        files.fold(0, |sum, file| sum.saturating_add(file.bytes))
    };
    // An order is stored in memory together with its inverse.
    let order = manifest.files.iter().find(|file| file.name == FileName::Order).map_or(0, |file| file.bytes);
    let tables = bytes(false).saturating_add(order);
    let all = tables.saturating_add(bytes(true));
    let part = |parts: NonZeroUsize| tables.saturating_add(bytes(true).div_ceil(parts.get() as u64));
    let sides = 1 + u64::from(manifest.incoming.is_some());
    let streaming = tables.saturating_add(sides * Ends::bytes(manifest.vertices));
    let least = stored::least_budget(manifest.page_size);
    let (budget, with) = match *residence {
        Residence::Memory => return Ok(PagesGo::ToMemory),
        Residence::Within(limit, _) if all <= limit => return Ok(PagesGo::ToMemory),
        Residence::OnDemand(limit, parts, _) if part(parts) <= limit => {
            return Ok(PagesGo::WhenAsked(Arc::new(Room::new(files.directory.path(), limit, tables, all))));
        }
        Residence::Within(limit, with) | Residence::OnDemand(limit, _, with) => (limit.saturating_sub(streaming), with),
        Residence::Files { buffer, limit: None, with, .. } => (buffer.max(least), with),
        Residence::Files { buffer, limit: Some(limit), beside, with } => {
            (buffer.min(limit.saturating_sub(streaming).saturating_sub(beside)), with)
        }
    };
    let pages: Vec<u32> =
        [Some(manifest.out), manifest.incoming].into_iter().flatten().map(|pages| pages.count).collect();
    match stored::host_buffer(manifest.page_size, budget, &pages) {
        Some(buffer) => Ok(PagesGo::Through(Stored { with, buffer })),
        None => {
            let (budget, least) = match *residence {
                // If all pages together need less memory than streaming does, only their own bytes are needed.
                Residence::Within(limit, _) => (limit, all.min(streaming.saturating_add(least))),
                Residence::OnDemand(limit, parts, _) => (limit, part(parts).min(streaming.saturating_add(least))),
                Residence::Files { limit: Some(limit), beside, .. } => {
                    (limit, streaming.saturating_add(beside + least))
                }
                _ => (budget, least),
            };
            Err(StoreError::HostMemory { path: files.directory.path().to_owned(), budget, least })
        }
    }
}

/// Creates the topology of one direction. Reads its pages if they should be in memory at once.
fn topology(
    files: &StoreFiles<'_>,
    pages: Pages,
    columns: PageColumns,
    tables: PageTables,
    pages_go: &PagesGo<'_>,
    done: &Done<'_>,
) -> Result<Topology, StoreError> {
    let manifest = files.manifest;
    let side = tables.side;
    let rvt = Rvt::new(columns.start_vids?, columns.lp_ranges?, manifest.vertices)
        .map_err(|source| StoreError::Rvt { path: files.path(FileName::StartVids(side)), source })?;
    let rvt = Arc::new(rvt);
    // Arbitrary bytes are acceptable, because they only affect the speed.
    let imbalance = Imbalance::stored(columns.imbalance?);
    let sums = columns.sums?;
    let format = PageFormat::new(manifest.page_size, pages.width, manifest.properties.value_type)
        .map_err(|source| StoreError::Format { path: files.directory.path().join(MANIFEST), source })?;
    let checks = PageChecks::new(format, Arc::clone(&rvt), sums, tables, files.directory.path().to_owned());
    let Stored { with, buffer } = match pages_go {
        PagesGo::Through(stored) => stored,
        PagesGo::WhenAsked(room) => {
            let demanded = DemandedPages::new(PageFiles::open(files, side, checks)?, pages.count, Arc::clone(room));
            return Ok(Topology::loaded(format, (rvt, imbalance), manifest.edges, demanded));
        }
        PagesGo::ToMemory => {
            return phase::shared(Phase::Read, |shares| resident::read(files, side, imbalance, checks, done, shares));
        }
    };
    let mut page_files = Vec::new();
    for (number, directory) in files.page_directories().iter().enumerate() {
        let name = FileName::Pages(side).text();
        let file = files.io.open_direct_in(directory, name);
        let file = file.map_err(|source| files.page_file_error(number, &directory.path().join(name), source))?;
        if !file.is_direct() {
            with.notices.tell(&ReadNotice::NoDirect { path: file.path().to_owned() });
        }
        page_files.push(Arc::new(file));
    }
    let pages = StoredPages {
        page_size: manifest.page_size,
        count: pages.count,
        files: page_files,
        checks,
        buffer: Arc::clone(buffer),
        topology: usize::from(side == Side::In),
        id: SourceId::new(),
        io: Arc::clone(&with.io),
        notices: Arc::clone(&with.notices),
        stall_limit: with.stall_limit,
        spare: Mutex::new(None),
    };
    Ok(Topology::loaded(format, (rvt, imbalance), manifest.edges, pages))
}

/// Creates the map of the original IDs from its tables.
fn ids(files: &StoreFiles<'_>, ids: Table<u64>, names: Table<u64>, order: Table<u32>) -> Result<IdMap, StoreError> {
    let originals = match files.manifest.keys.first {
        Some(first) => Originals::Range { first, count: files.manifest.vertices },
        None => Originals::List(ids?.into()),
    };
    let keys = super::names::open(files, names?, &originals)?;
    let numbers = match files.manifest.properties.order {
        VertexOrder::Original => None,
        _ => Some(order?),
    };
    let path: PathBuf = files.path(if numbers.is_some() { FileName::Order } else { FileName::Ids });
    IdMap::new(originals, keys, numbers).map_err(|source| StoreError::Ids { path, source })
}
