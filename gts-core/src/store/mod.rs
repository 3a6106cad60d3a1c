//! Stores: graphs saved in files.
//!
//! A store is a directory:
//!
//! | file | contents |
//! |---|---|
//! | `manifest` | the store's description as text, the sizes and checksums of all other files, and its own checksum |
//! | `out.pages`, `out.sums` | the pages of the out-edges, and the checksum of each page (XXH3, 64 bits) |
//! | `out.start-vids`, `out.lp-ranges` | the RVT |
//! | `out.imbalance` | the imbalance of each page's lists when lanes share them |
//! | `in.…` | the corresponding files for the in-edges, if the store has them |
//! | `out.degrees`, `in.degrees` | the degree of each vertex; no `in.degrees` in a symmetric graph |
//! | `ids` | the original IDs in ascending order, unless they are consecutive |
//! | `names`, `names.index` | the keys in ascending order, if they are names or UUIDs; the offset and checksum of each block of 64 |
//! | `order` | the dense number of each original ID, unless dense numbers follow the order of the IDs |
//! | `heads` | the first neighbour of each vertex, in degree order |
//!
//! Pages may be spread over other directories (*stripes*), which the manifest lists. Page j is in stripe j mod N, at
//! position j div N.
//!
//! The same graph and options result in the same bytes. A store never changes once it has its name: it is written to a
//! temporary directory, made durable, and renamed atomically. A checksum proves that bytes are unchanged, not that they
//! are valid, so the structure of pages is also verified before they are visited.

mod access;
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
mod keys;
mod leftovers;
mod manifest;
mod names;
mod open;
mod opened;
mod paths;
mod place;
mod reader;
pub mod reads;
mod resident;
mod retry;
mod save;
mod stored;
mod stripes;
mod striping;
mod sweep;
#[cfg(test)]
mod tests;
mod verify;
mod write;

pub use crate::page::StoreError;
pub use fault::FailingIo;
pub(crate) use files::{FileName, failed};
use files::{MANIFEST, foreign_names, is_store_file};
pub(crate) use keys::StoredKeys;
pub use leftovers::Cleaned;
use manifest::VERSION;
pub(crate) use manifest::{Manifest, Pages};
pub(crate) use place::{StorePlace, check_target, write_store};
pub(crate) use save::check_page_size;
pub use verify::VerifyReport;
pub(crate) use write::{PageFile, StoreWriter};

use crate::graph::{Graph, KeyKind, Properties};
use crate::page::IdWidth;
use io::{FileSystem, Io};
use open::{Residence, StoredIo};
use opened::StoreFiles;
use paths::is_temporary;
use reads::ReadNotice;
use retry::with_store;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use stored::Notices;

/// A callback that receives the bytes processed and the total.
pub type StoreProgress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// A callback that receives notices about how a store is read.
pub type NoticeCallback = Arc<dyn Fn(&ReadNotice) + Send + Sync>;

/// The default of [`OpenOptions::stall_limit`]. Disks that spin up take some seconds. A read that takes longer than
/// this limit is not expected to complete.
pub const STALL_LIMIT: Duration = Duration::from_secs(60);

/// Options for opening a store.
#[derive(Clone, Default)]
pub struct OpenOptions {
    /// The limit of host memory for tables and pages, in bytes. If the pages do not fit, they stay in the store's files
    /// and are loaded through a buffer, in the memory that the tables leave free. `None` loads everything into memory.
    pub host_memory: Option<u64>,
    /// The number of processes that share the graph, if pages are loaded on demand. Each process loads about one part
    /// of the pages: a page is read and verified when [`Topology::load`] or a walk first needs it. `None` reads and
    /// verifies all pages when the store is opened. GPUs copy pages of an on-demand graph through a buffer, and cannot
    /// intersect its lists.
    ///
    /// [`Topology::load`]: crate::page::Topology::load
    pub on_demand: Option<NonZeroUsize>,
    /// A callback for notices that pages in files are read more slowly than possible. Called at most once per kind of
    /// notice.
    pub notice: Option<NoticeCallback>,
    /// The maximum time during which no read of pages from files completes. The limit ensures that a dead disk does not
    /// block a run indefinitely. `None` selects [`STALL_LIMIT`].
    pub stall_limit: Option<Duration>,
    /// A flag that ends opening with [`StoreError::Stopped`] soon after it is set.
    pub stop: Option<Arc<AtomicBool>>,
}

impl OpenOptions {
    /// Returns the I/O setup for pages that stay in their files.
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
    /// Whether an existing store at the path is replaced. The old store stays until the new one is complete. A store
    /// that contains foreign files is not replaced. If the path is a symbolic link, the link stays, and its target is
    /// replaced.
    pub replace: bool,
    /// Directories over which the pages are spread: with N directories, page j is in directory j mod N. Several disks
    /// together read faster than one. If the list is empty, the pages are in the store's directory.
    pub stripes: Vec<PathBuf>,
}

/// The contents of a store's manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreInfo {
    /// The version of the store.
    pub version: u64,
    /// The number of vertices.
    pub vertices: u64,
    /// The number of directed edges.
    pub edges: u64,
    /// The type of the vertices' keys.
    pub keys: KeyKind,
    /// The properties of the graph.
    pub properties: Properties,
    /// Bytes per page.
    pub page_size: u32,
    /// The width of the out-edges' record IDs.
    pub width: IdWidth,
    /// The number of pages of out-edges.
    pub out_pages: u32,
    /// The number of pages of in-edges, if they are stored.
    pub in_pages: Option<u32>,
    /// The directories over which the pages are spread; empty if the pages are in the store's directory.
    pub stripes: Vec<PathBuf>,
    /// The name and size of each file except the manifest. For striped pages, the size is the total.
    pub files: Vec<(&'static str, u64)>,
}

/// Returns whether a directory is a store, or what is left of one: it has a manifest, or contains nothing but files of a
/// store.
///
/// # Errors
///
/// Returns the system's error if the directory cannot be read.
pub(crate) fn is_store(directory: &Path) -> std::io::Result<bool> {
    let names: Vec<_> = directory.read_dir()?.map(|entry| Ok(entry?.file_name())).collect::<std::io::Result<_>>()?;
    let is_whole = names.iter().any(|name| name == MANIFEST);
    Ok(is_whole || is_temporary(directory) || foreign_names(&names, is_store_file).is_empty())
}

/// Reads only the manifest of a store.
pub fn info(path: impl AsRef<Path>) -> Result<StoreInfo, StoreError> {
    let manifest = with_store(&FileSystem, path.as_ref(), |_, manifest| Ok(manifest.clone()))?;
    Ok(StoreInfo {
        version: VERSION,
        vertices: manifest.vertices,
        edges: manifest.edges,
        keys: manifest.keys.form.kind,
        properties: manifest.properties,
        page_size: manifest.page_size,
        width: manifest.out.width,
        out_pages: manifest.out.count,
        in_pages: manifest.incoming.map(|pages| pages.count),
        stripes: manifest.stripes.clone(),
        files: manifest.files.iter().map(|file| (file.name.text(), file.bytes)).collect(),
    })
}

/// Verifies a store: every checksum, the structure of every page, every table against the pages, the pages of both
/// directions against each other, and every entry of the manifest. Returns the first fault.
///
/// The directions are compared by sums of edge hashes with a random key. A difference is missed with a probability of
/// about 2^-64.
pub fn verify(path: impl AsRef<Path>, progress: StoreProgress<'_>) -> Result<VerifyReport, StoreError> {
    verify_with(path, &OpenOptions::default(), progress)
}

/// Verifies a store as [`verify`] does, within the host memory limit in the options.
pub fn verify_with(
    path: impl AsRef<Path>,
    options: &OpenOptions,
    progress: StoreProgress<'_>,
) -> Result<VerifyReport, StoreError> {
    let io: Arc<dyn Io> = Arc::new(FileSystem);
    verify::verify(&io, path.as_ref(), options, progress)
}

/// Opens a store through the given file system, with the given options.
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
        open::open(&StoreFiles::new(io.as_ref(), directory, manifest)?, &residence, progress, options.stop.as_deref())
    })
}

/// Writes a store through the given file system.
pub fn save(io: &dyn Io, graph: &Graph, path: impl AsRef<Path>, options: &SaveOptions) -> Result<(), StoreError> {
    save::save(io, graph, path.as_ref(), options)
}

/// Removes the leftovers of killed builds in a directory. Restores the name of a store whose replacement never
/// appeared. Does not touch directories locked by a running build. The result lists the leftovers that could not be
/// removed.
pub fn clean(io: &dyn Io, directory: impl AsRef<Path>) -> Result<Cleaned, StoreError> {
    leftovers::clean(io, directory.as_ref())
}

/// Removes a store and its stripes unless a process has locked the store. Fails if the store contains foreign files.
/// Returns whether the store was removed.
pub fn remove(io: &dyn Io, path: impl AsRef<Path>) -> Result<bool, StoreError> {
    leftovers::remove_store(io, path.as_ref())
}

/// Returns the bytes of a graph's store, without the manifest.
pub fn bytes_of(graph: &Graph) -> u64 {
    save::bytes_of(graph)
}
