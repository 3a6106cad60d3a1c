//! Verifies pages after they are read from storage and before they are used. The checksum is verified after every read;
//! the structure and the tables are verified only the first time.

use crate::graph::PageId;
use crate::page::{PageFormat, PageRun, PageView, Rvt};
use crate::parallel::*;
use crate::store::StoreError;
use crate::store::consistency::{Mismatch, PageTables};
use crate::store::files::FileName;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// The checks for the pages of one topology.
pub(crate) struct PageChecks {
    format: PageFormat,
    rvt: Arc<Rvt>,
    sums: Vec<u64>,
    tables: PageTables,
    /// The directory of the store, which contains the tables.
    directory: PathBuf,
    /// Bit j is set if page j has passed all checks. From then on, only its checksum must be verified.
    passed: Vec<AtomicU64>,
}

impl PageChecks {
    /// Creates checks against the given tables. `sums` contains one checksum per page.
    pub(crate) fn new(
        format: PageFormat,
        rvt: Arc<Rvt>,
        sums: Vec<u64>,
        tables: PageTables,
        directory: PathBuf,
    ) -> Self {
        let passed = (0..sums.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self { format, rvt, sums, tables, directory, passed }
    }

    /// Verifies pages that have just been read. `path` returns the file of a page.
    pub(super) fn check(
        &self,
        run: PageRun,
        bytes: &[u8],
        path: impl Fn(PageId) -> PathBuf + Sync,
    ) -> Result<(), StoreError> {
        let pages = || run.pages().zip(bytes.chunks_exact(self.format.page_size() as usize));
        if run.count > 1 && run.pages().any(|page| !self.has_passed(page)) {
            // Verifying the structure of a page takes longer than its checksum, so several threads are worthwhile.
            let pages: Vec<_> = pages().collect();
            return pages.into_par_iter().try_for_each(|(page, bytes)| self.check_page(page, bytes, &path));
        }
        pages().try_for_each(|(page, bytes)| self.check_page(page, bytes, &path))
    }

    /// Verifies a page that has just been read.
    pub(crate) fn check_page(
        &self,
        page: PageId,
        bytes: &[u8],
        path: impl Fn(PageId) -> PathBuf,
    ) -> Result<(), StoreError> {
        let expected = self.sums.get(page.0 as usize).copied().unwrap_or_default();
        let found = xxh3_64(bytes);
        if found != expected {
            return Err(StoreError::PageChecksum { path: path(page), page, found, expected });
        }
        if self.has_passed(page) {
            return Ok(());
        }
        let view = PageView::validated(&self.format, &self.rvt, page, bytes, self.tables.ends.as_deref())
            .map_err(|source| StoreError::Page { path: path(page), page, source })?;
        self.tables.check(&self.format, &self.rvt, page, &view).map_err(|mismatch| self.error(mismatch))?;
        let bit = 1 << (page.0 % 64);
        // Relaxed: a thread that sees the bit has verified its own bytes against the same checksum.
        self.passed[page.0 as usize / 64].fetch_or(bit, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the format of the pages, and the RVT.
    pub(crate) fn shape(&self) -> (PageFormat, Arc<Rvt>) {
        (self.format, Arc::clone(&self.rvt))
    }

    fn has_passed(&self, page: PageId) -> bool {
        let word = self.passed.get(page.0 as usize / 64);
        word.is_some_and(|word| word.load(Ordering::Relaxed) >> (page.0 % 64) & 1 == 1)
    }

    fn error(&self, mismatch: Mismatch) -> StoreError {
        let Mismatch { table, vertex, found, expected } = mismatch;
        StoreError::Table { path: self.directory.join(FileName::text(table)), vertex, found, expected }
    }
}
