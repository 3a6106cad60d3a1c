//! Reads pages into memory: all threads read, and each checks what it has read while that is in its core's cache.

use super::files::{PIECE, StoreFiles, failed};
use super::stored::PageChecks;
use super::{StoreError, StoreProgress};
use crate::graph::{PageId, Side};
use crate::page::{AlignedBytes, Topology};
use crate::phase::{Phase, Shares};
use crate::threads;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Threads a core where reads wait for a disk: some of them read while others check.
const READERS: usize = 3;

/// How much has been read.
pub(super) struct Done<'a> {
    progress: StoreProgress<'a>,
    done: Mutex<u64>,
    total: u64,
}

impl<'a> Done<'a> {
    pub(super) fn new(progress: StoreProgress<'a>, total: u64) -> Self {
        Self { progress, done: Mutex::new(0), total }
    }

    /// Tells of bytes more. Threads tell one after the other, so that what is told ascends.
    fn add(&self, bytes: usize) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += bytes as u64;
        (self.progress)(*done, self.total);
    }

    /// Tells that all is done.
    pub(super) fn end(self) {
        (self.progress)(self.total, self.total);
    }
}

/// Reads and checks the pages of a direction.
///
/// # Errors
///
/// However many threads there are, the fault that comes first in the order of the checks: a page that cannot be read or
/// has another checksum, one that is not sound, pages that hold another number of edges than stated, an entry of a table
/// that a page contradicts; of several pages the first one.
pub(super) fn read(
    files: &StoreFiles<'_>,
    side: Side,
    pages: u32,
    checks: PageChecks,
    done: &Done<'_>,
    shares: &Shares,
) -> Result<Topology, StoreError> {
    let page_size = files.manifest.page_size as usize;
    let path = |page| files.page_path(side, page);
    let len = u64::from(pages) * page_size as u64;
    let memory = || StoreError::Memory { path: path(PageId(0)), bytes: len };
    let readers = files.open_pages(side)?;
    let mut bytes = usize::try_from(len).ok().and_then(AlignedBytes::zeroed).ok_or_else(memory)?;
    let faults = Faults::new();
    let together = (PIECE / page_size).max(1);
    let read_piece = |number: usize, piece: &mut [u8]| {
        let first = (number * together) as u32;
        if faults.come_before(first) {
            return;
        }
        // Of one file, many pages at a time; of several, each gives its page in turn.
        let unit = if readers.len() == 1 { piece.len() } else { page_size };
        for (page, unit) in (first..).zip(piece.chunks_mut(unit)) {
            let place = page as usize / readers.len() * page_size;
            let reader = &readers[page as usize % readers.len()];
            let read = shares.during(Phase::Read, || reader.read_exact_at(unit, place as u64));
            if let Err(source) = read {
                return faults.note(page, failed("read", &path(PageId(page)))(source));
            }
        }
        shares.during(Phase::Check, || {
            for (page, bytes) in (first..).zip(piece.chunks(page_size)) {
                if let Err(error) = checks.check_page(PageId(page), bytes, path) {
                    faults.note(page, error);
                }
            }
        });
        done.add(piece.len());
    };
    let pieces = Mutex::new(bytes.as_mut_slice().chunks_mut(together * page_size).enumerate());
    let next = || pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
    let cores = rayon::current_num_threads();
    let waits = !readers.iter().all(|reader| reader.is_in_memory());
    let threads = if waits { cores * READERS } else { cores };
    threads::share(threads.min(pages as usize).saturating_sub(1), || {
        while let Some((number, piece)) = next() {
            read_piece(number, piece);
        }
    });
    let fault = faults.first()?;
    let (format, rvt) = checks.into_format();
    let topology = Topology::trusted(format, rvt, files.manifest.edges, bytes);
    topology.check_total().map_err(|(page, source)| StoreError::Page { path: path(page), page, source })?;
    fault.map_or(Ok(topology), Err)
}

/// Kinds of faults, in the order in which they are told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Bytes that cannot be read, or are not those that were written.
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

/// What threads find that check pages side by side.
struct Faults {
    /// The first page with a fault before which no other kind is told.
    bytes: AtomicU32,
    first: Mutex<Option<(Kind, u32, StoreError)>>,
}

impl Faults {
    fn new() -> Self {
        Self { bytes: AtomicU32::new(u32::MAX), first: Mutex::new(None) }
    }

    /// Whether nothing that pages from this one on may hold is told any more.
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

    /// Returns the first fault where it is of a table, and fails with any other.
    fn first(self) -> Result<Option<StoreError>, StoreError> {
        match self.first.into_inner().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(None),
            Some((Kind::Table, _, error)) => Ok(Some(error)),
            Some((_, _, error)) => Err(error),
        }
    }
}
