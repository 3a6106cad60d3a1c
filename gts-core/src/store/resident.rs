//! Reads pages into memory. All threads read, and each thread verifies its pages while they are in its core's cache.

use super::files::failed;
use super::io::Reader;
use super::opened::{PIECE, StoreFiles};
use super::stored::PageChecks;
use super::{StoreError, StoreProgress};
use crate::graph::PageId;
use crate::page::{AlignedBytes, Imbalance, PageRun, Topology};
use crate::phase::{Phase, Shares};
use crate::threads;
use gts_contract::Side;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// The number of threads per core if reads wait for a disk, so that some threads verify pages while others read.
const READERS: usize = 3;

/// The progress of reading.
pub(super) struct Done<'a> {
    progress: StoreProgress<'a>,
    /// A flag that ends reading.
    stop: Option<&'a AtomicBool>,
    done: Mutex<u64>,
    total: u64,
}

impl<'a> Done<'a> {
    pub(super) fn new(progress: StoreProgress<'a>, stop: Option<&'a AtomicBool>, total: u64) -> Self {
        Self { progress, stop, done: Mutex::new(0), total }
    }

    /// Reports that `bytes` further bytes have been read. The lock ensures that reported totals ascend. Fails if reading is
    /// to end.
    fn add(&self, bytes: usize) -> Result<(), StoreError> {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += bytes as u64;
        (self.progress)(*done, self.total);
        let stopped = self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        if stopped { Err(StoreError::Stopped) } else { Ok(()) }
    }

    /// Reports that reading is complete.
    pub(super) fn end(self) {
        (self.progress)(self.total, self.total);
    }
}

/// Reads all pages of a direction into memory, and verifies them.
///
/// # Errors
///
/// Fails as [`PageFiles::read`] does. A wrong total number of edges takes precedence over a table entry that a page
/// contradicts.
pub(super) fn read(
    files: &StoreFiles<'_>,
    side: Side,
    imbalance: Imbalance,
    checks: PageChecks,
    done: &Done<'_>,
    shares: &Shares,
) -> Result<Topology, StoreError> {
    let of_side = PageFiles::open(files, side, checks)?;
    let (format, rvt) = of_side.checks.shape();
    let pages = PageRun::of(0..rvt.num_pages());
    let mut bytes = of_side.room(pages.count.into())?;
    let fault = of_side.read(&[pages], bytes.as_mut_slice(), shares, &|read| done.add(read))?;
    let path = |page| of_side.path(page);
    let topology = Topology::trusted(format, (rvt, imbalance), files.manifest.edges, bytes);
    topology.check_total().map_err(|(page, source)| StoreError::Page { path: path(page), page, source })?;
    fault.map_or(Ok(topology), Err)
}

/// The page files of a direction, which all threads read.
pub(super) struct PageFiles {
    /// The open files. Page j is in file j mod N, at position j div N.
    readers: Vec<Box<dyn Reader>>,
    paths: Vec<PathBuf>,
    page_size: usize,
    checks: PageChecks,
}

impl PageFiles {
    /// Opens the files. Fails if their sizes differ from the manifest.
    pub(super) fn open(files: &StoreFiles<'_>, side: Side, checks: PageChecks) -> Result<Self, StoreError> {
        let (readers, paths) = (files.open_pages(side)?, files.page_paths(side));
        Ok(Self { readers, paths, page_size: files.manifest.page_size as usize, checks })
    }

    /// Returns the bytes per page.
    pub(super) fn page_size(&self) -> usize {
        self.page_size
    }

    /// Returns the path of the file that contains a page.
    pub(super) fn path(&self, page: PageId) -> PathBuf {
        self.paths[page.0 as usize % self.paths.len()].clone()
    }

    /// Allocates memory for `pages` pages.
    pub(super) fn room(&self, pages: u64) -> Result<AlignedBytes, StoreError> {
        let len = pages * self.page_size as u64;
        let bytes = usize::try_from(len).ok().and_then(AlignedBytes::zeroed);
        bytes.ok_or_else(|| StoreError::Memory { path: self.path(PageId(0)), bytes: len })
    }

    /// Reads runs of pages into consecutive memory, and verifies each page. Calls `done` with the bytes of each piece; its
    /// error ends reading.
    ///
    /// Returns the error for a table entry that a page contradicts, if there is one.
    ///
    /// # Errors
    ///
    /// Returns the first fault in the order of the checks, independent of the number of threads: first pages that
    /// cannot be read or have a wrong checksum, then invalid pages, then table entries that a page contradicts. For
    /// faults of the same kind, the first page takes precedence.
    pub(super) fn read(
        &self,
        runs: &[PageRun],
        bytes: &mut [u8],
        shares: &Shares,
        done: &(dyn Fn(usize) -> Result<(), StoreError> + Sync),
    ) -> Result<Option<StoreError>, StoreError> {
        let faults = Faults::new();
        let together = (PIECE / self.page_size).max(1) as u32;
        let pieces: Vec<PageRun> = runs.iter().flat_map(|run| run.pieces(together)).collect();
        let (count, mut rest) = (pieces.len(), bytes);
        let pieces = Mutex::new(pieces.into_iter().map(|run| {
            let (piece, after) = std::mem::take(&mut rest).split_at_mut(run.count as usize * self.page_size);
            rest = after;
            (run.first.0, piece)
        }));
        let next = || pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
        let cores = rayon::current_num_threads();
        let waits = !self.readers.iter().all(|reader| reader.is_in_memory());
        let threads = if waits { cores * READERS } else { cores };
        threads::share(threads.min(count).saturating_sub(1), || {
            while let Some((first, piece)) = next() {
                if !faults.come_before(first) {
                    self.read_piece(first, piece, &faults, shares);
                    if let Err(error) = done(piece.len()) {
                        faults.note(first, error);
                    }
                }
            }
        });
        faults.first()
    }

    /// Reads consecutive pages and verifies them.
    fn read_piece(&self, first: u32, piece: &mut [u8], faults: &Faults, shares: &Shares) {
        // A single file provides many pages per read. Several files provide one page each in turn.
        let unit = if self.readers.len() == 1 { piece.len() } else { self.page_size };
        for (page, unit) in (first..).zip(piece.chunks_mut(unit)) {
            let place = page as usize / self.readers.len() * self.page_size;
            let reader = &self.readers[page as usize % self.readers.len()];
            let read = shares.during(Phase::Read, || reader.read_exact_at(unit, place as u64));
            if let Err(source) = read {
                return faults.note(page, failed("read", &self.path(PageId(page)))(source));
            }
        }
        shares.during(Phase::Check, || {
            for (page, bytes) in (first..).zip(piece.chunks(self.page_size)) {
                if let Err(error) = self.checks.check_page(PageId(page), bytes, |page| self.path(page)) {
                    faults.note(page, error);
                }
            }
        });
    }
}

/// The kinds of faults, in order of precedence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A page cannot be read, or has a wrong checksum.
    Bytes,
    Structure,
    Table,
}

impl Kind {
    fn of(error: &StoreError) -> Self {
        match error {
            StoreError::Table { .. } => Self::Table,
            StoreError::Page { .. } => Self::Structure,
            _ => Self::Bytes,
        }
    }
}

/// Faults detected by threads that verify pages in parallel.
struct Faults {
    /// The first page with a fault of kind `Bytes`. Such a fault takes precedence over other kinds.
    bytes: AtomicU32,
    first: Mutex<Option<(Kind, u32, StoreError)>>,
}

impl Faults {
    fn new() -> Self {
        Self { bytes: AtomicU32::new(u32::MAX), first: Mutex::new(None) }
    }

    /// Returns whether a fault in an earlier page takes precedence over any fault in this page.
    fn come_before(&self, page: u32) -> bool {
        self.bytes.load(Ordering::Relaxed) < page
    }

    fn note(&self, page: u32, error: StoreError) {
        let kind = Kind::of(&error);
        if kind == Kind::Bytes {
            self.bytes.fetch_min(page, Ordering::Relaxed);
        }
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|&(before, other, _)| (kind, page) < (before, other)) {
            *first = Some((kind, page, error));
        }
    }

    /// Returns the first fault if it concerns a table; fails with a fault of any other kind.
    fn first(self) -> Result<Option<StoreError>, StoreError> {
        match self.first.into_inner().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(None),
            Some((Kind::Table, _, error)) => Ok(Some(error)),
            Some((_, _, error)) => Err(error),
        }
    }
}
