//! Stores: graphs in files.
//!
//! A store is a directory:
//!
//! | file | holds |
//! |---|---|
//! | `manifest` | what the store holds, as text, with sizes and checksums of all other files, and its own |
//! | `out.pages`, `out.sums` | the pages of the out-edges, and a checksum of each (XXH3, 64 bits) |
//! | `out.start-vids`, `out.lp-ranges` | the page table |
//! | `out.imbalance` | how unevenly the lists of each page fill the lanes that share them |
//! | `in.…` | the same of the in-edges, where they were asked for |
//! | `out.degrees`, `in.degrees` | the degree of each vertex; `in.degrees` not in a symmetric graph |
//! | `ids` | the original IDs, ascending, where they are not consecutive |
//! | `order` | the dense number of each original ID, where the order is not theirs |
//! | `heads` | each vertex's first neighbour, in degree order |
//!
//! Pages may be spread over other directories instead (*stripes*), which the manifest names: page j is in the
//! (j mod N)-th of them, there at place j div N.
//!
//! The same graph and options give the same bytes. A store never changes once it has its name: it is written beside
//! its place, made durable, and named in one step. A checksum says that bytes are what was written, not that they are
//! sane, so structure is checked as well before anything is visited.

mod consistency;
mod content;
mod demand;
#[cfg(unix)]
mod direct;
mod directory;
mod error;
mod fault;
mod files;
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

pub(crate) use content::of_graph as content_of;
pub(crate) use demand::DemandedPages;
pub use error::StoreError;
pub use fault::FailingIo;
pub(crate) use files::{FileName, failed};
pub use leftovers::Cleaned;
use manifest::VERSION;
pub(crate) use manifest::{Manifest, Pages};
pub(crate) use place::{StorePlace, check_target, write_store};
pub(crate) use save::check_page_size;
pub(crate) use stored::{Lease, StoredPages};
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

/// Receives the bytes done and the bytes in all.
pub type StoreProgress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// Receives what is to be said of how a store is read.
pub type NoticeCallback = Arc<dyn Fn(&ReadNotice) + Send + Sync>;

/// The longest time in which no read of pages ends, where none is given: disks that spin up take some seconds, and what
/// takes longer than this is not going to come.
pub const STALL_LIMIT: Duration = Duration::from_secs(60);

/// How a store is opened.
#[derive(Clone, Default)]
pub struct OpenOptions {
    /// The most bytes of host memory for tables and pages. Where both do not fit, pages stay in the store's files and
    /// come through a buffer of what the tables leave. No limit by default: all goes into memory.
    pub host_memory: Option<u64>,
    /// The number of processes that share the graph. Each has about one part of the pages in memory: it reads and checks a page
    /// when [`Topology::load`] or a walk first asks for it. By default opening reads and checks all pages. GPUs copy pages from
    /// such a graph through a buffer, and meet no lists in it.
    ///
    /// [`Topology::load`]: crate::page::Topology::load
    pub on_demand: Option<NonZeroUsize>,
    /// Called at most once for each kind of notice, when pages that stay in the files are read in a slower way than
    /// could be.
    pub notice: Option<NoticeCallback>,
    /// The longest time in which no read of pages that stay in the files ends before that is an error: a disk that does
    /// not answer must not hold up a run for good. [`STALL_LIMIT`] by default.
    pub stall_limit: Option<Duration>,
}

impl OpenOptions {
    /// Returns what pages that stay in their files are read with.
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

/// How a store is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaveOptions {
    /// Whether a store that stands at the path is replaced; it stays as it is until the new one is whole. One that holds
    /// files which are not a store's is refused. Where the path is a symbolic link, that stays too, and what it leads to is
    /// replaced.
    pub replace: bool,
    /// Directories over which the pages are spread, page j in the (j mod N)-th of N: several disks read faster than
    /// one. With none, the pages are in the store's own directory.
    pub stripes: Vec<PathBuf>,
}

/// What a manifest says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreInfo {
    /// Version of the store.
    pub version: u64,
    /// Number of vertices.
    pub vertices: u64,
    /// Number of directed edges.
    pub edges: u64,
    /// What is known of the graph.
    pub properties: Properties,
    /// Bytes of a page.
    pub page_size: u32,
    /// Width of the record IDs of the out-edges.
    pub width: IdWidth,
    /// Pages of the out-edges.
    pub out_pages: u32,
    /// Pages of the in-edges, where they are stored.
    pub in_pages: Option<u32>,
    /// The directories over which the pages are spread; none where they are in the store's own.
    pub stripes: Vec<PathBuf>,
    /// Name and size of each file but the manifest; of striped pages the size in all.
    pub files: Vec<(&'static str, u64)>,
}

/// Reads what a store says of itself, and nothing else.
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

/// Checks every checksum, the structure of every page, every table against the pages, the pages of both directions against
/// each other, and every statement of the manifest. The first fault is the answer.
///
/// Whether both directions hold the same edges is seen by sums of their hashes, under a key that is drawn at random: a
/// difference is missed once in about 2^64 times.
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

/// Opens a store through the given file system, all of it into memory.
pub fn open(io: &dyn Io, path: impl AsRef<Path>, progress: StoreProgress<'_>) -> Result<Graph, StoreError> {
    with_store(io, path.as_ref(), |directory, manifest| {
        open::open(&StoreFiles::new(io, directory, manifest)?, &Residence::Memory, progress)
    })
}

/// Opens a store through the given file system as the options say.
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

/// Removes what killed builds left in a directory, gives a store back its name that stepped aside for one which never
/// came, and leaves alone what a running build has locked. What cannot be removed is in the answer.
pub fn clean(io: &dyn Io, directory: impl AsRef<Path>) -> Result<Cleaned, StoreError> {
    leftovers::clean(io, directory.as_ref())
}

/// Removes a store that no process has locked, with its stripes, unless it holds files that are not a store's. Returns
/// whether it is gone.
pub fn remove(io: &dyn Io, path: impl AsRef<Path>) -> Result<bool, StoreError> {
    leftovers::remove_store(io, path.as_ref())
}

/// Returns the bytes that the store of a graph takes, but for its manifest.
pub fn bytes_of(graph: &Graph) -> u64 {
    save::bytes_of(graph)
}
