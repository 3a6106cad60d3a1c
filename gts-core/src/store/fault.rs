//! A file system for tests that fails on request.

use super::io::{Directory, DirectoryLock, Io, Reader, Writer};
use super::reads::{DirectFile, Done, Read, ReadNotice, ReadQueue};
use crate::page::HostRegion;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A file system that forwards calls, and fails at a chosen call.
pub struct FailingIo<I> {
    inner: I,
    plan: Arc<Plan>,
    exchanges: bool,
}

/// The calls that fail, and the error that they return.
struct Plan {
    calls: AtomicU64,
    fail_at: u64,
    kind: ErrorKind,
    lasting: bool,
    before: Option<Box<dyn Fn(u64) + Send + Sync>>,
}

impl Plan {
    fn call(&self) -> io::Result<()> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        if let Some(before) = &self.before {
            before(call);
        }
        if call == self.fail_at || self.lasting && call > self.fail_at {
            return Err(io::Error::new(self.kind, "told to fail"));
        }
        Ok(())
    }
}

impl<I: Io> FailingIo<I> {
    /// Creates a file system in which call number `fail_at`, counted from 0, fails with `kind`.
    pub fn once(inner: I, fail_at: u64, kind: ErrorKind) -> Self {
        Self::new(inner, fail_at, kind, false)
    }

    /// Creates a file system in which call number `fail_at`, counted from 0, and all later calls fail with `kind`.
    pub fn from_then_on(inner: I, fail_at: u64, kind: ErrorKind) -> Self {
        Self::new(inner, fail_at, kind, true)
    }

    /// Creates a file system without failures. Before each call, `before` receives the call's number.
    pub fn watched(inner: I, before: impl Fn(u64) + Send + Sync + 'static) -> Self {
        Self::planned(inner, u64::MAX, ErrorKind::Other, false, Some(Box::new(before)))
    }

    fn new(inner: I, fail_at: u64, kind: ErrorKind, lasting: bool) -> Self {
        Self::planned(inner, fail_at, kind, lasting, None)
    }

    fn planned(
        inner: I,
        fail_at: u64,
        kind: ErrorKind,
        lasting: bool,
        before: Option<Box<dyn Fn(u64) + Send + Sync>>,
    ) -> Self {
        let plan = Plan { calls: AtomicU64::new(0), fail_at, kind, lasting, before };
        Self { inner, plan: Arc::new(plan), exchanges: true }
    }

    /// Makes [`Io::exchange_dirs`] unsupported.
    pub fn without_exchange(self) -> Self {
        Self { exchanges: false, ..self }
    }

    /// Returns the number of calls made.
    pub fn calls(&self) -> u64 {
        self.plan.calls.load(Ordering::Relaxed)
    }
}

impl<I: Io> Io for FailingIo<I> {
    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.plan.call()?;
        self.inner.exists(path)
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.plan.call()?;
        self.inner.create_dir(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Writer>> {
        self.plan.call()?;
        let inner = self.inner.create(path)?;
        Ok(Box::new(FailingFile { inner, plan: Arc::clone(&self.plan) }))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Reader>> {
        self.plan.call()?;
        let inner = self.inner.open(path)?;
        Ok(Box::new(FailingFile { inner, plan: Arc::clone(&self.plan) }))
    }

    fn open_dir(&self, path: &Path) -> io::Result<Directory> {
        self.plan.call()?;
        self.inner.open_dir(path)
    }

    fn open_in(&self, directory: &Directory, name: &str) -> io::Result<Box<dyn Reader>> {
        self.plan.call()?;
        let inner = self.inner.open_in(directory, name)?;
        Ok(Box::new(FailingFile { inner, plan: Arc::clone(&self.plan) }))
    }

    fn open_direct_in(&self, directory: &Directory, name: &str) -> io::Result<DirectFile> {
        self.plan.call()?;
        self.inner.open_direct_in(directory, name)
    }

    fn read_queue(&self, depth: usize) -> io::Result<Box<dyn ReadQueue>> {
        self.plan.call()?;
        let inner = self.inner.read_queue(depth)?;
        Ok(Box::new(FailingQueue { inner, plan: Arc::clone(&self.plan), failed: VecDeque::new() }))
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.plan.call()?;
        self.inner.sync_dir(path)
    }

    fn rename_dir(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.plan.call()?;
        self.inner.rename_dir(from, to)
    }

    fn exchange_dirs(&self, one: &Path, other: &Path) -> io::Result<()> {
        self.plan.call()?;
        if self.exchanges { self.inner.exchange_dirs(one, other) } else { Err(ErrorKind::Unsupported.into()) }
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        self.plan.call()?;
        self.inner.canonicalize(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        self.plan.call()?;
        self.inner.remove_dir_all(path)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.plan.call()?;
        self.inner.remove_file(path)
    }

    fn names(&self, path: &Path) -> io::Result<Vec<OsString>> {
        self.plan.call()?;
        self.inner.names(path)
    }

    fn lock_dir(&self, path: &Path) -> io::Result<Option<DirectoryLock>> {
        self.plan.call()?;
        self.inner.lock_dir(path)
    }
}

/// A file whose calls also count.
struct FailingFile<F: ?Sized> {
    plan: Arc<Plan>,
    inner: Box<F>,
}

impl Writer for FailingFile<dyn Writer> {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Err(error) = self.plan.call() {
            // A full disk still stores a part of the data.
            self.inner.write_all(&bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        self.inner.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.plan.call()?;
        self.inner.sync()
    }
}

impl Reader for FailingFile<dyn Reader> {
    fn len(&self) -> io::Result<u64> {
        self.plan.call()?;
        self.inner.len()
    }

    fn read_exact(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        self.plan.call()?;
        self.inner.read_exact(buffer)
    }

    fn is_in_memory(&self) -> bool {
        self.inner.is_in_memory()
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.plan.call()?;
        self.inner.read_exact_at(buffer, offset)
    }
}

/// A queue whose reads also count. A read chosen to fail completes with the error.
struct FailingQueue {
    inner: Box<dyn ReadQueue>,
    plan: Arc<Plan>,
    failed: VecDeque<Done>,
}

impl ReadQueue for FailingQueue {
    fn prepare(&mut self, region: &Arc<dyn HostRegion>) {
        self.inner.prepare(region);
    }

    fn begin(&mut self, read: Read) {
        match self.plan.call() {
            Ok(()) => self.inner.begin(read),
            Err(error) => self.failed.push_back(Done { read, result: Err(error) }),
        }
    }

    fn end(&mut self, patience: Duration) -> Option<Done> {
        self.failed.pop_front().or_else(|| self.inner.end(patience))
    }

    fn under_way(&self) -> usize {
        self.inner.under_way() + self.failed.len()
    }

    fn notice(&mut self) -> Option<ReadNotice> {
        self.inner.notice()
    }
}
