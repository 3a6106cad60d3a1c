//! Functions for streams and events.

use super::{calls, set};
use crate::codes::{Code, Result};
use crate::{contexts, queues};
use std::ffi::{c_int, c_uint};
use std::sync::PoisonError;

/// CUDA's flag for streams that do not synchronise with the null stream.
const NON_BLOCKING: c_uint = 1;
/// CUDA's flag for events that record no time.
const DISABLE_TIMING: c_uint = 2;

calls! {
    fn cuStreamCreate(stream: *mut u64, flags: c_uint) {
        let device = contexts::current()?;
        set(stream, queues::create(device, flags != NON_BLOCKING, 0))
    }

    fn cuStreamCreateWithPriority(stream: *mut u64, flags: c_uint, priority: c_int) {
        let device = contexts::current()?;
        set(stream, queues::create(device, flags != NON_BLOCKING, priority))
    }

    fn cuStreamDestroy_v2(stream: u64) {
        queues::destroy(stream)
    }

    fn cuStreamSynchronize(stream: u64) {
        let queue = queues::of_handle(stream)?;
        let device = queues::device(queue)?;
        queues::synchronize_queue(queue)?;
        sound(device)
    }

    fn cuStreamQuery(stream: u64) {
        let queue = queues::of_handle(stream)?;
        let is_done = queues::is_done(queue)?;
        sound(queues::device(queue)?)?;
        ready(is_done)
    }

    fn cuStreamWaitEvent(stream: u64, event: u64, _flags: c_uint) {
        queues::wait_for(queues::of_handle(stream)?, &queues::event(event)?)
    }

    fn cuEventCreate(event: *mut u64, flags: c_uint) {
        let device = contexts::current()?;
        set(event, queues::create_event(device, flags & DISABLE_TIMING == 0))
    }

    fn cuEventDestroy_v2(event: u64) {
        queues::destroy_event(event)
    }

    fn cuEventRecord(event: u64, stream: u64) {
        let (event, queue) = (queues::event(event)?, queues::of_handle(stream)?);
        if queues::device(queue)? != event.device {
            return Err(Code::INVALID_HANDLE);
        }
        queues::mark(queue, &event)
    }

    fn cuEventQuery(event: u64) {
        let event = queues::event(event)?;
        let is_reached = queues::is_reached(&event);
        sound(event.device)?;
        ready(is_reached)
    }

    fn cuEventSynchronize(event: u64) {
        let event = queues::event(event)?;
        queues::synchronize_event(&event);
        sound(event.device)
    }

    fn cuEventElapsedTime_v2(milliseconds: *mut f32, start: u64, end: u64) {
        let at = |event: u64| {
            let event = queues::event(event)?;
            if !event.is_timed {
                return Err(Code::INVALID_HANDLE);
            }
            ready(queues::is_reached(&event))?;
            let at = *event.at.lock().unwrap_or_else(PoisonError::into_inner);
            at.ok_or(Code::INVALID_HANDLE)
        };
        let (start, end) = (at(start)?, at(end)?);
        let seconds = match end.checked_duration_since(start) {
            Some(after) => after.as_secs_f64(),
            None => -start.duration_since(end).as_secs_f64(),
        };
        set(milliseconds, (seconds * 1e3) as f32)
    }
}

fn ready(is_done: bool) -> Result<()> {
    is_done.then_some(()).ok_or(Code::NOT_READY)
}

/// Fails if the context of the device has failed permanently.
fn sound(device: u32) -> Result<()> {
    contexts::failure(device).map_or(Ok(()), Err)
}
