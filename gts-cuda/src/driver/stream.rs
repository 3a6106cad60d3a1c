//! Streams and events.

use super::Context;
use cudarc::driver::result;
use cudarc::driver::sys::{CUevent, CUevent_flags, CUevent_wait_flags, CUresult, CUstream};
use gts_device::error::Result;
use std::sync::Arc;
use std::time::Duration;

/// A queue of work on a device. By default, a stream does not wait for other streams.
#[derive(Debug)]
pub(crate) struct Stream {
    context: Arc<Context>,
    handle: CUstream,
}

// SAFETY: the driver accepts a stream from any thread.
unsafe impl Send for Stream {}
// SAFETY: the driver accepts a stream from several threads concurrently.
unsafe impl Sync for Stream {}

impl Stream {
    /// Creates an empty stream.
    pub(crate) fn new(context: &Arc<Context>) -> Result<Self> {
        context.bind()?;
        context.count_call();
        let created = result::stream::create(result::stream::StreamKind::NonBlocking);
        Ok(Self { context: context.clone(), handle: context.check(created, "making a stream")? })
    }

    /// Creates an empty stream with priority over streams from [`Stream::new`]: when a thread block finishes, the
    /// device gives the block's resources to the prioritised stream first.
    pub(crate) fn urgent(context: &Arc<Context>) -> Result<Self> {
        context.bind()?;
        context.count_call();
        let what = "making a stream";
        let (_, greatest) = context.check(result::stream::get_priority_range(), what)?;
        let created = result::stream::create_with_priority(result::stream::StreamKind::NonBlocking, greatest);
        Ok(Self { context: context.clone(), handle: context.check(created, what)? })
    }

    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    pub(crate) fn handle(&self) -> CUstream {
        self.handle
    }

    /// Records an event, which completes when all earlier work in the stream has completed.
    pub(crate) fn record(&self, event: &Event) -> Result<()> {
        self.context.bind()?;
        // SAFETY: the event and the stream exist and belong to this context.
        self.context.check(unsafe { result::event::record(event.handle, self.handle) }, "recording an event")
    }

    /// Makes later work in the stream wait for an event, which may have been recorded in any stream of any device.
    pub(crate) fn wait(&self, event: &Event) -> Result<()> {
        self.context.bind()?;
        let flags = CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: the event and the stream exist, and the stream belongs to this context.
        self.context
            .check(unsafe { result::stream::wait_event(self.handle, event.handle, flags) }, "waiting in a stream")
    }

    /// Waits for all earlier work in the stream.
    pub(crate) fn synchronize(&self, during: &str) -> Result<()> {
        self.context.bind()?;
        // SAFETY: the stream exists.
        self.context.check(unsafe { result::stream::synchronize(self.handle) }, during)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.context.count_call();
        // SAFETY: the stream exists and is destroyed once; the work that the stream still contains runs to completion.
        self.context.release(|| unsafe { result::stream::destroy(self.handle) });
    }
}

/// A marker in a stream, with a timestamp.
#[derive(Debug)]
pub(crate) struct Event {
    context: Arc<Context>,
    handle: CUevent,
}

// SAFETY: the driver accepts an event from any thread.
unsafe impl Send for Event {}
// SAFETY: the driver accepts an event from several threads concurrently.
unsafe impl Sync for Event {}

impl Event {
    /// Creates an event that has not been recorded yet.
    pub(crate) fn new(context: &Arc<Context>) -> Result<Self> {
        context.bind()?;
        context.count_call();
        let created = result::event::create(CUevent_flags::CU_EVENT_DEFAULT);
        Ok(Self { context: context.clone(), handle: context.check(created, "making an event")? })
    }

    /// Waits for all work before the event.
    pub(crate) fn synchronize(&self, during: &str) -> Result<()> {
        self.context.bind()?;
        // SAFETY: the event exists.
        self.context.check(unsafe { result::event::synchronize(self.handle) }, during)
    }

    /// Returns whether all work before the event is complete. Fails if that work has failed.
    pub(crate) fn is_done(&self, during: &str) -> Result<bool> {
        self.context.bind()?;
        // SAFETY: the event exists.
        match unsafe { result::event::query(self.handle) } {
            Ok(()) => Ok(true),
            Err(error) if error.0 == CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            Err(error) => Err(self.context.fail(error.0, during)),
        }
    }

    /// Returns the time from an earlier event to this event. Both events must be complete.
    pub(crate) fn since(&self, earlier: &Event) -> Result<Duration> {
        Ok(Duration::from_secs_f64(self.seconds_since(earlier)?.max(0.0)))
    }

    /// Returns the seconds from another event to this event, or a negative value if this event came first. Both events
    /// must be complete.
    pub(crate) fn seconds_since(&self, other: &Event) -> Result<f64> {
        self.context.bind()?;
        // SAFETY: both events exist and were recorded.
        let elapsed = unsafe { result::event::elapsed(other.handle, self.handle) };
        Ok(f64::from(self.context.check(elapsed, "reading a time")?) * 1e-3)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        self.context.count_call();
        // SAFETY: the event exists and is destroyed once.
        self.context.release(|| unsafe { result::event::destroy(self.handle) });
    }
}
