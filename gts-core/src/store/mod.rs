//! Stores: graphs in files.
//!
//! A store is a directory:
//!
//! | file | holds |
//! |---|---|
//! | `manifest` | the store's description as text, sizes and checksums of all other files, and its own checksum |
//! | `out.pages`, `out.sums` | the pages of the out-edges, and a checksum of each (XXH3, 64 bits) |
//! | `out.start-vids`, `out.lp-ranges` | the page table |
//! | `out.imbalance` | how unevenly the lists of each page fill the lanes that share them |
//! | `in.…` | the same for the in-edges, if the store has them |
//! | `out.degrees`, `in.degrees` | the degree of each vertex; no `in.degrees` in a symmetric graph |
//! | `ids` | the original IDs, ascending, if they are not consecutive |
//! | `order` | the dense number of each original ID, if the vertices are in another order |
//! | `heads` | each vertex's first neighbour, in degree order |
//!
//! Pages may be spread over other directories instead (*stripes*), which the manifest lists: page j is in stripe j mod
//! N, at place j div N.
//!
//! The same graph and options give the same bytes. A store never changes once it has its name: it is written beside its
//! place, made durable, and named in one step. A checksum proves that bytes are what was written, not that they are
//! valid, so the structure is checked as well before anything is visited.

mod consistency;
mod content;
mod demand;
#[cfg(unix)]
mod direct;
mod directory;
mod fault;
mod files;
mod graph;
pub mod io;
mod leftovers;
mod manifest;
mod open;
mod place;
mod reader;
pub mod reads;
mod resident;
mod save;
mod stored;
mod stripes;
mod sweep;
#[cfg(test)]
mod tests;
mod verify;
mod write;

pub use crate::page::StoreError;
pub use fault::FailingIo;
pub(crate) use files::{FileName, failed};
pub use leftovers::Cleaned;
use manifest::VERSION;
pub(crate) use manifest::{Manifest, Pages};
pub(crate) use place::{StorePlace, check_target, write_store};
pub(crate) use save::check_page_size;
pub use verify::VerifyReport;
pub(crate) use write::{PageFile, StoreWriter};

use crate::graph::{Graph, Properties};
use crate::page::IdWidth;
use directory::with_store;
use files::StoreFiles;
use io::{FileSystem, Io};
use open::{Residence, StoredIo};
use reads::ReadNotice;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use stored::Notices;

/// Receives the bytes done and the total.
pub type StoreProgress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// Receives notices about how a store is read.
pub type NoticeCallback = Arc<dyn Fn(&ReadNotice) + Send + Sync>;

/// Default limit of the time without a finished read of pages. Disks that spin up take some seconds; a read that takes
/// longer than this limit is not going to end.
pub const STALL_LIMIT: Duration = Duration::from_secs(60);

/// Options for opening a store.
#[derive(Clone, Default)]
pub struct OpenOptions {
    /// Limit of host memory for tables and pages, in bytes. If they do not fit, pages stay in the store's files and are
    /// loaded through a buffer in the memory that the tables leave. By default everything is loaded into memory.
    pub host_memory: Option<u64>,
    /// Number of processes that share the graph. Each loads about one part of the pages: it reads and checks a page
    /// when [`Topology::load`] or a walk first requires it. By default opening reads and checks all pages. GPUs copy
    /// pages from such a graph through a buffer, and cannot intersect its lists.
    ///
    /// [`Topology::load`]: crate::page::Topology::load
    pub on_demand: Option<NonZeroUsize>,
    /// Called at most once per kind of notice, if pages that stay in the files are read more slowly than they could be.
    pub notice: Option<NoticeCallback>,
    /// Limit of the time without a finished read of pages that stay in the files, so that a dead disk does not block a
    /// run forever. [`STALL_LIMIT`] by default.
    pub stall_limit: Option<Duration>,
}

impl OpenOptions {
    /// Returns the means of reading pages that stay in their files.
    fn stored_io(&self, io: &Arc<dyn Io>) -> StoredIo {
        let notices = Arc::new(Notices::new(self.notice.clone()));
        StoredIo { io: Arc::clone(io), notices, stall_limit: self.stall_limit.unwrap_or(STALL_LIMIT) }
    }
}

impl fmt::Debug for OpenOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenOptions").field("host_memory", &self.host_memory).finish_non_exhaustive()
    }
}

/// Options for writing a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaveOptions {
    /// Whether a store at the path is replaced. The old store stays until the new one is complete. A store that
    /// contains foreign files is refused. If the path is a symbolic link, the link stays, and its target is replaced.
    pub replace: bool,
    /// Directories over which the pages are spread, page j in the (j mod N)-th of N: several disks read faster than
    /// one. If empty, the pages are in the store's own directory.
    pub stripes: Vec<PathBuf>,
}

/// Contents of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreInfo {
    /// Version of the store.
    pub version: u64,
    /// Number of vertices.
    pub vertices: u64,
    /// Number of directed edges.
    pub edges: u64,
    /// Properties of the graph.
    pub properties: Properties,
    /// Bytes of a page.
    pub page_size: u32,
    /// Width of the record IDs of the out-edges.
    pub width: IdWidth,
    /// Pages of the out-edges.
    pub out_pages: u32,
    /// Pages of the in-edges, if they are stored.
    pub in_pages: Option<u32>,
    /// Directories over which the pages are spread; empty if they are in the store's own.
    pub stripes: Vec<PathBuf>,
    /// Name and size of each file but the manifest; for striped pages the total size.
    pub files: Vec<(&'static str, u64)>,
}

/// Reads the manifest of a store, and nothing else.
pub fn info(path: impl AsRef<Path>) -> Result<StoreInfo, StoreError> {
    let manifest = with_store(&FileSystem, path.as_ref(), |_, manifest| Ok(manifest.clone()))?;
    Ok(StoreInfo {
        version: VERSION,
        vertices: manifest.vertices,
        edges: manifest.edges,
        properties: manifest.properties,
        page_size: manifest.page_size,
        width: manifest.out.width,
        out_pages: manifest.out.count,
        in_pages: manifest.incoming.map(|pages| pages.count),
        stripes: manifest.stripes.clone(),
        files: manifest.files.iter().map(|file| (file.name.text(), file.bytes)).collect(),
    })
}

/// Checks every checksum, the structure of every page, every table against the pages, the pages of both directions
/// against each other, and every statement of the manifest. Returns the first fault.
///
/// The directions are compared by sums of their edges' hashes under a random key: a difference is missed with a
/// probability of about 2^-64.
pub fn verify(path: impl AsRef<Path>, progress: StoreProgress<'_>) -> Result<VerifyReport, StoreError> {
    verify_with(path, &OpenOptions::default(), progress)
}

/// Checks a store as [`verify`] does, within the host memory that the options allow.
pub fn verify_with(
    path: impl AsRef<Path>,
    options: &OpenOptions,
    progress: StoreProgress<'_>,
) -> Result<VerifyReport, StoreError> {
    let io: Arc<dyn Io> = Arc::new(FileSystem);
    verify::verify(&io, path.as_ref(), options, progress)
}

/// Opens a store through the given file system, and loads all of it into memory.
pub fn open(io: &dyn Io, path: impl AsRef<Path>, progress: StoreProgress<'_>) -> Result<Graph, StoreError> {
    with_store(io, path.as_ref(), |directory, manifest| {
        open::open(&StoreFiles::new(io, directory, manifest)?, &Residence::Memory, progress)
    })
}

/// Opens a store through the given file system according to the options.
pub fn open_with(
    io: &Arc<dyn Io>,
    path: impl AsRef<Path>,
    options: &OpenOptions,
    progress: StoreProgress<'_>,
) -> Result<Graph, StoreError> {
    let with = options.stored_io(io);
    let limit = options.host_memory;
    let residence = match options.on_demand {
        Some(parts) => Residence::OnDemand(limit.unwrap_or(u64::MAX), parts, &with),
        None => limit.map_or(Residence::Memory, |limit| Residence::Within(limit, &with)),
    };
    with_store(io.as_ref(), path.as_ref(), |directory, manifest| {
        open::open(&StoreFiles::new(io.as_ref(), directory, manifest)?, &residence, progress)
    })
}

/// Writes a store through the given file system.
pub fn save(io: &dyn Io, graph: &Graph, path: impl AsRef<Path>, options: &SaveOptions) -> Result<(), StoreError> {
    save::save(io, graph, path.as_ref(), options)
}

/// Removes what killed builds left in a directory, and renames a store back that stepped aside for one that never
/// appeared. Leaves alone what a running build has locked. The result lists what cannot be removed.
pub fn clean(io: &dyn Io, directory: impl AsRef<Path>) -> Result<Cleaned, StoreError> {
    leftovers::clean(io, directory.as_ref())
}

/// Removes a store that no process has locked, with its stripes. A store that contains foreign files is refused.
/// Returns whether it is gone.
pub fn remove(io: &dyn Io, path: impl AsRef<Path>) -> Result<bool, StoreError> {
    leftovers::remove_store(io, path.as_ref())
}

/// Returns the bytes of the store of a graph, without its manifest.
pub fn bytes_of(graph: &Graph) -> u64 {
    save::bytes_of(graph)
}
