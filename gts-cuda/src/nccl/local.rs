//! A rank's local work: copies and merges in the memory of its GPU.
#![allow(unsafe_code)]

use super::super::driver::Event;
use super::super::merging::{MergeStream, REPLICAS};
use super::communicator::until;
use super::slices::{Local, QUAD};
use super::table::StreamHandle;
use gts_device::error::Result;
use gts_device::links::Stopped;
use gts_device::replicated::Merged;
use std::ops::Range;

/// Submits a rank's local work to a stream of its GPU.
pub(super) struct OnGpu<'a> {
    pub(super) place: MergeStream<'a>,
    /// The event that is recorded after the submitted work.
    pub(super) end: &'a Event,
}

impl Local for OnGpu<'_> {
    fn stream(&self) -> StreamHandle {
        self.place.stream.handle().cast()
    }

    fn most_parts(&self) -> usize {
        REPLICAS
    }

    unsafe fn upload(&self, bytes: &[u8], address: u64) -> Result<()> {
        // SAFETY: the caller upholds the same requirements.
        unsafe { self.place.stream.upload_to(address, bytes) }
    }

    unsafe fn copy(&self, source: u64, target: u64, bytes: usize) -> Result<()> {
        // SAFETY: the caller upholds the same requirements.
        unsafe { self.place.stream.copy_between(source, target, bytes) }
    }

    unsafe fn copy_ranges(&self, source: u64, target: u64, bounds: &[[u64; 3]]) -> Result<()> {
        // SAFETY: the caller upholds the same requirements.
        unsafe { self.place.copy_ranges(source, target, bounds) }
    }

    unsafe fn merge(&self, attribute: &Merged, parts: &[u64], range: Range<usize>, before: Option<u64>) -> Result<()> {
        let (quads, size) = (0..(range.len() / QUAD) as u64, attribute.element_bytes());
        let first = (range.start / size) as u64;
        let elements = (attribute.vertices * attribute.length).saturating_sub(first);
        // SAFETY: the caller upholds the same requirements.
        let lost = unsafe { self.place.merge(attribute, parts, quads, before, elements) }?;
        self.place.check(attribute, lost, first)
    }

    unsafe fn unite(&self, attribute: &Merged, parts: &[u64], sets: &[u64], words: u64, unites: bool) -> Result<()> {
        // SAFETY: the caller upholds the same requirements.
        unsafe { self.place.unite(attribute, (parts, 0, None), sets, 0..words, unites) }
    }

    fn wait(&self, check: Stopped<'_>) -> Result<()> {
        self.place.stream.record(self.end)?;
        until(check, || Ok(self.end.is_done("moving values between ranks")?.then_some(())))
    }
}
