//! Functions for device memory, host memory, copies and fills.

use super::{calls, set};
use crate::codes::{Code, Result};
use crate::launches::report;
use crate::memory::{Allocation, Place, with};
use crate::queues::{self, Source, Work};
use crate::{contexts, statistics};
use std::alloc::{Layout, alloc, dealloc};
use std::ffi::{c_uchar, c_uint, c_void};

/// Bytes per host page.
const PAGE: u64 = 4 << 10;
/// Bytes up to which a synchronous copy from pageable memory returns before the copy completes.
const STAGED: usize = 64 << 10;

calls! {
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
        let device = contexts::current()?;
        let (left, all) = with(|memory| memory.free(device));
        set(free, left as usize)?;
        set(total, all as usize)
    }

    fn cuMemAlloc_v2(address: *mut u64, bytes: usize) {
        let device = contexts::current()?;
        if bytes == 0 || address.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        set(address, with(|memory| memory.allocate(device, bytes as u64))?)
    }

    fn cuMemFree_v2(address: u64) {
        let found = with(|memory| memory.holding(address).copied()).ok_or(Code::INVALID_VALUE)?;
        let Place::Device(device) = found.place else { return Err(Code::INVALID_VALUE) };
        if found.start != address {
            return Err(Code::INVALID_VALUE);
        }
        queues::synchronize(device)?;
        contexts::retained().filter(|&other| other != device).try_for_each(|other| match with(|memory| memory.reaches(other, device)) {
            true => queues::synchronize(other),
            false => Ok(()),
        })?;
        with(|memory| memory.remove(address, |_| true)).map(drop).ok_or(Code::INVALID_VALUE)
    }

    fn cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, _flags: c_uint) {
        if bytes == 0 || address.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let layout = layout(bytes as u64)?;
        // SAFETY: the size is not 0.
        let memory = unsafe { alloc(layout) };
        if memory.is_null() {
            return Err(Code::OUT_OF_MEMORY);
        }
        let start = memory.addr() as u64;
        with(|memory| memory.add(Allocation { start, bytes: bytes as u64, place: Place::Host }));
        set(address, memory.cast())
    }

    fn cuMemFreeHost(address: *mut c_void) {
        wait_for_all()?;
        let removed = with(|memory| memory.remove(address.addr() as u64, |place| place == Place::Host));
        let removed = removed.ok_or(Code::INVALID_VALUE)?;
        // SAFETY: the memory was allocated with this layout, and is no longer used.
        unsafe { dealloc(address.cast(), layout(removed.bytes)?) };
        Ok(())
    }

    fn cuMemHostRegister_v2(address: *mut c_void, bytes: usize, _flags: c_uint) {
        let (start, bytes) = (address.addr() as u64, bytes as u64);
        if start == 0 || bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let pages = start / PAGE * PAGE..(start + bytes).next_multiple_of(PAGE);
        with(|memory| {
            if memory.is_locked(pages.start, pages.end - pages.start) {
                return Err(Code::HOST_MEMORY_ALREADY_REGISTERED);
            }
            memory.add(Allocation { start, bytes, place: Place::Registered });
            Ok(())
        })
    }

    fn cuMemHostUnregister(address: *mut c_void) {
        wait_for_all()?;
        let removed = with(|memory| memory.remove(address.addr() as u64, |place| place == Place::Registered));
        removed.map(drop).ok_or(Code::HOST_MEMORY_NOT_REGISTERED)
    }

    fn cuMemHostGetDevicePointer_v2(target: *mut u64, address: *mut c_void, _flags: c_uint) {
        let start = address.addr() as u64;
        match with(|memory| memory.holding(start).is_some_and(Allocation::is_on_host)) {
            true => set(target, start),
            false => Err(Code::INVALID_VALUE),
        }
    }

    fn cuMemsetD8_v2(target: u64, value: c_uchar, bytes: usize) {
        fill(target, value, bytes, 0)
    }

    fn cuMemsetD8Async(target: u64, value: c_uchar, bytes: usize, stream: u64) {
        fill(target, value, bytes, stream)
    }

    fn cuMemcpyHtoD_v2(target: u64, source: *const c_void, bytes: usize) {
        let (queue, pinned) = to_device(target, source.addr() as u64, bytes, 0)?;
        if pinned || bytes > STAGED {
            finish(queue)?;
        }
        Ok(())
    }

    fn cuMemcpyHtoDAsync_v2(target: u64, source: *const c_void, bytes: usize, stream: u64) {
        to_device(target, source.addr() as u64, bytes, stream).map(drop)
    }

    fn cuMemcpyDtoH_v2(target: *mut c_void, source: u64, bytes: usize) {
        finish(to_host(target.addr() as u64, source, bytes, 0)?.0)
    }

    fn cuMemcpyDtoHAsync_v2(target: *mut c_void, source: u64, bytes: usize, stream: u64) {
        match to_host(target.addr() as u64, source, bytes, stream)? {
            (queue, false) => finish(queue),
            (_, true) => Ok(()),
        }
    }

    fn cuMemcpyDtoDAsync_v2(target: u64, source: u64, bytes: usize, stream: u64) {
        let queue = queues::of_handle(stream)?;
        let device = queues::device(queue)?;
        check(device, source, bytes, "a copy reads")?;
        check(device, target, bytes, "a copy writes")?;
        copy(queue, target, Source::Address(source), bytes)
    }
}

/// Returns the layout of page-locked memory. The memory has whole pages to itself.
fn layout(bytes: u64) -> Result<Layout> {
    let whole = bytes.next_multiple_of(PAGE) as usize;
    Layout::from_size_align(whole, PAGE as usize).map_err(|_| Code::OUT_OF_MEMORY)
}

/// Waits for all devices, because any of them may use host memory.
fn wait_for_all() -> Result<()> {
    contexts::retained().try_for_each(|device| match contexts::failure(device) {
        None => queues::synchronize(device),
        Some(_) => Ok(()),
    })
}

fn finish(queue: u64) -> Result<()> {
    queues::synchronize_queue(queue)?;
    contexts::failure(queues::device(queue)?).map_or(Ok(()), Err)
}

/// Makes the context fail unless the device can access a single allocation that contains all of the bytes.
fn check(device: u32, address: u64, bytes: usize, what: &str) -> Result<()> {
    if bytes == 0 || with(|memory| memory.holds(device, address, bytes as u64)) {
        return Ok(());
    }
    let near = with(|memory| memory.describe(address));
    report(device, Code::ILLEGAL_ADDRESS, &format!("{what} {bytes} bytes at {address:#x}"), Some(near));
    contexts::fail(device, Code::ILLEGAL_ADDRESS);
    Err(Code::ILLEGAL_ADDRESS)
}

/// Returns whether a range of host memory is page-locked. Fails if only a part of the range is.
fn is_pinned(address: u64, bytes: usize) -> Result<bool> {
    with(|memory| {
        let found = memory.holding(address).filter(|found| found.is_on_host());
        let whole = found.is_some_and(|found| bytes as u64 <= found.start + found.bytes - address);
        if whole {
            return Ok(true);
        }
        match bytes > 0 && memory.is_locked(address, bytes as u64) {
            true => Err(Code::INVALID_VALUE),
            false => Ok(false),
        }
    })
}

fn fill(target: u64, value: u8, bytes: usize, stream: u64) -> Result<()> {
    let queue = queues::of_handle(stream)?;
    check(queues::device(queue)?, target, bytes, "a fill writes")?;
    statistics::moved(bytes as u64);
    match bytes {
        0 => Ok(()),
        _ => queues::put(queue, Work::Fill { target, value, bytes: bytes as u64 }),
    }
}

fn copy(queue: u64, target: u64, source: Source, bytes: usize) -> Result<()> {
    statistics::moved(bytes as u64);
    match bytes {
        0 => Ok(()),
        _ => queues::put(queue, Work::Copy { target, source, bytes: bytes as u64 }),
    }
}

/// Queues a copy to the device. Pageable memory is read before the function returns. Returns the queue, and whether the
/// source is page-locked.
fn to_device(target: u64, source: u64, bytes: usize, stream: u64) -> Result<(u64, bool)> {
    let queue = queues::of_handle(stream)?;
    check(queues::device(queue)?, target, bytes, "a copy writes")?;
    let pinned = is_pinned(source, bytes)?;
    let source = match pinned || bytes == 0 {
        true => Source::Address(source),
        // SAFETY: the caller's source is valid for `bytes` bytes.
        false => Source::Bytes(unsafe { std::slice::from_raw_parts(source as *const u8, bytes) }.into()),
    };
    copy(queue, target, source, bytes)?;
    Ok((queue, pinned))
}

/// Queues a copy to the host. Returns the queue, and whether the target is page-locked.
fn to_host(target: u64, source: u64, bytes: usize, stream: u64) -> Result<(u64, bool)> {
    let queue = queues::of_handle(stream)?;
    check(queues::device(queue)?, source, bytes, "a copy reads")?;
    let pinned = is_pinned(target, bytes)?;
    copy(queue, target, Source::Address(source), bytes)?;
    Ok((queue, pinned))
}
