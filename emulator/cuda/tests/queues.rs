//! Tests streams, events and memory through driver calls. All tests share one device, but each has its own streams and
//! memory.
#![allow(unsafe_code)]

use cuda::api::{device::*, memory::*, spread::*, stream::*};
use cuda::codes::Code;
use std::ffi::c_void;
use std::ptr::null_mut;

/// Opens the device and makes its context current in this thread.
fn open() {
    let mut context = 0;
    // SAFETY: the calls write only to variables of this function.
    unsafe {
        assert_eq!(cuInit(0), Code::SUCCESS);
        assert_eq!(cuDevicePrimaryCtxRetain(&mut context, 0), Code::SUCCESS);
        assert_eq!(cuCtxSetCurrent(context), Code::SUCCESS);
    }
}

fn allocate(bytes: usize) -> u64 {
    let mut address = 0;
    // SAFETY: the calls write only to variables of this function.
    assert_eq!(unsafe { cuMemAlloc_v2(&mut address, bytes) }, Code::SUCCESS);
    address
}

fn pinned(bytes: usize) -> *mut u8 {
    let mut address: *mut c_void = null_mut();
    // SAFETY: the calls write only to variables of this function.
    assert_eq!(unsafe { cuMemHostAlloc(&mut address, bytes, 0) }, Code::SUCCESS);
    address.cast()
}

fn stream(flags: u32) -> u64 {
    let mut stream = 0;
    // SAFETY: the calls write only to variables of this function.
    assert_eq!(unsafe { cuStreamCreate(&mut stream, flags) }, Code::SUCCESS);
    stream
}

fn event() -> u64 {
    let mut event = 0;
    // SAFETY: the calls write only to variables of this function.
    assert_eq!(unsafe { cuEventCreate(&mut event, 0) }, Code::SUCCESS);
    event
}

fn download(source: u64, bytes: usize) -> Vec<u8> {
    let mut target = vec![0; bytes];
    // SAFETY: the calls write only to variables of this function.
    assert_eq!(unsafe { cuMemcpyDtoH_v2(target.as_mut_ptr().cast(), source, bytes) }, Code::SUCCESS);
    target
}

#[test]
fn a_copy_waits_for_the_event_before_it() {
    open();
    const BYTES: usize = 32 << 20;
    let (one, other, event) = (stream(1), stream(1), event());
    let (device, host) = (allocate(BYTES), pinned(BYTES));
    // SAFETY: pointers refer to memory of this function, which outlives the queued work.
    unsafe {
        for round in 0..20 {
            // The fill takes long enough to be overtaken by a copy that does not wait.
            assert_eq!(cuMemsetD8Async(device, round, BYTES, one), Code::SUCCESS);
            assert_eq!(cuEventRecord(event, one), Code::SUCCESS);
            assert_eq!(cuStreamWaitEvent(other, event, 0), Code::SUCCESS);
            let last = device + BYTES as u64 - 1;
            assert_eq!(cuMemcpyDtoHAsync_v2(host.cast(), last, 1, other), Code::SUCCESS);
            assert_eq!(cuStreamSynchronize(other), Code::SUCCESS);
            assert_eq!(host.read(), round);
            assert_eq!(cuEventQuery(event), Code::SUCCESS);
        }
    }
}

#[test]
fn a_recorded_event_is_not_ready_before_its_work() {
    open();
    const BYTES: usize = 64 << 20;
    let (stream, before, after) = (stream(1), event(), event());
    let device = allocate(BYTES);
    // SAFETY: pointers refer to memory of this function, which outlives the queued work.
    unsafe {
        assert_eq!(cuEventQuery(before), Code::SUCCESS, "an event without a mark is done");
        cuEventRecord(before, stream);
        assert_eq!(cuMemsetD8Async(device, 1, BYTES, stream), Code::SUCCESS);
        cuEventRecord(after, stream);
        assert_eq!(cuStreamQuery(stream), Code::NOT_READY);
        assert_eq!(cuEventQuery(after), Code::NOT_READY);
        assert_eq!(cuEventSynchronize(after), Code::SUCCESS);
        assert_eq!(cuStreamQuery(stream), Code::SUCCESS);
        let mut milliseconds = 0.0;
        assert_eq!(cuEventElapsedTime_v2(&mut milliseconds, before, after), Code::SUCCESS);
        assert!(milliseconds > 0.0);
        let mut back = 0.0;
        assert_eq!(cuEventElapsedTime_v2(&mut back, after, before), Code::SUCCESS);
        assert_eq!(back, -milliseconds);
    }
}

#[test]
fn the_null_stream_waits_for_blocking_streams_and_they_for_it() {
    open();
    const BYTES: usize = 32 << 20;
    let blocking = stream(0);
    let device = allocate(BYTES);
    let last = device + BYTES as u64 - 1;
    // SAFETY: pointers refer to memory of this function, which outlives the queued work.
    unsafe {
        cuMemsetD8Async(device, 1, BYTES, blocking);
        // The next fill is in the null stream.
        cuMemsetD8_v2(last, 2, 1);
        assert_eq!(download(last, 1), [2]);
        cuMemsetD8_v2(device, 3, BYTES);
        cuMemsetD8Async(last, 4, 1, blocking);
        cuStreamSynchronize(blocking);
        assert_eq!(download(last, 1), [4]);
    }
}

#[test]
fn pageable_memory_is_read_before_the_call_returns() {
    open();
    const BYTES: usize = 32 << 20;
    let stream = stream(1);
    let device = allocate(BYTES);
    // SAFETY: pointers refer to memory of this function, which outlives the queued work.
    unsafe {
        cuMemsetD8Async(device, 9, BYTES, stream);
        let mut source = [5_u8; 100];
        assert_eq!(cuMemcpyHtoDAsync_v2(device, source.as_ptr().cast(), 100, stream), Code::SUCCESS);
        source.fill(6);
        cuStreamSynchronize(stream);
        assert_eq!(download(device, 101), [[5; 100].as_slice(), &[9]].concat());
    }
}

#[test]
fn page_locked_memory_is_read_when_the_stream_comes_to_the_copy() {
    open();
    const BYTES: usize = 64 << 20;
    let stream = stream(1);
    let (device, host) = (allocate(BYTES), pinned(8));
    // SAFETY: pointers refer to memory of this function, which outlives the queued work.
    unsafe {
        host.write(1);
        cuMemsetD8Async(device, 9, BYTES, stream);
        cuMemcpyHtoDAsync_v2(device, host.cast(), 1, stream);
        assert_eq!(cuStreamQuery(stream), Code::NOT_READY);
        host.write(2);
        cuStreamSynchronize(stream);
        assert_eq!(download(device, 1), [2]);
    }
}

#[test]
fn memory_is_locked_once_and_no_copy_leaves_it() {
    open();
    let mut host = vec![1_u8; 3 << 12];
    let start = host.as_mut_ptr().map_addr(|address| address.next_multiple_of(1 << 12));
    let device = allocate(1 << 13);
    let stream = stream(1);
    // SAFETY: pointers refer to memory of this function, which outlives the queued work.
    unsafe {
        assert_eq!(cuMemHostRegister_v2(start.cast(), 1 << 12, 0), Code::SUCCESS);
        assert_eq!(cuMemHostRegister_v2(start.add(8).cast(), 8, 0), Code::HOST_MEMORY_ALREADY_REGISTERED);
        let mut mapped = 0;
        assert_eq!(cuMemHostGetDevicePointer_v2(&mut mapped, start.cast(), 0), Code::SUCCESS);
        assert_eq!(mapped, start.addr() as u64);
        assert_eq!(cuMemcpyHtoDAsync_v2(device, start.cast(), 1 << 12, stream), Code::SUCCESS);
        assert_eq!(cuMemcpyHtoDAsync_v2(device, start.cast(), (1 << 12) + 1, stream), Code::INVALID_VALUE);
        assert_eq!(cuMemHostUnregister(start.cast()), Code::SUCCESS);
        assert_eq!(cuMemHostUnregister(start.cast()), Code::HOST_MEMORY_NOT_REGISTERED);
    }
}

#[test]
fn mapped_memory_is_reached_once_access_is_given() {
    open();
    const SHARE: usize = 2 << 20;
    // SAFETY: pointers refer to memory of this function, which outlives the queued work.
    unsafe {
        let properties = Properties::of_device(0);
        let (mut address, mut handle, mut bytes) = (0, 0, 0);
        assert_eq!(cuMemGetAllocationGranularity(&mut bytes, &properties, 0), Code::SUCCESS);
        assert_eq!(bytes, SHARE);
        assert_eq!(cuMemAddressReserve(&mut address, 2 * SHARE, 0, 0, 0), Code::SUCCESS);
        assert_eq!(cuMemCreate(&mut handle, SHARE + 1, &properties, 0), Code::INVALID_VALUE);
        assert_eq!(cuMemCreate(&mut handle, SHARE, &properties, 0), Code::SUCCESS);
        assert_eq!(cuMemMap(address + 2 * SHARE as u64, SHARE, 0, handle, 0), Code::INVALID_VALUE);
        assert_eq!(cuMemMap(address, SHARE, 0, handle, 0), Code::SUCCESS);
        assert_eq!(cuMemRelease(handle), Code::SUCCESS);
        let access = Access::of_device(0);
        assert_eq!(cuMemSetAccess(address, 2 * SHARE, &access, 1), Code::INVALID_VALUE, "half is not mapped");
        assert_eq!(cuMemSetAccess(address, SHARE, &access, 1), Code::SUCCESS);
        assert_eq!(cuMemsetD8_v2(address, 7, SHARE), Code::SUCCESS);
        assert_eq!(download(address + SHARE as u64 - 1, 1), [7]);
        assert_eq!(cuMemAddressFree(address, 2 * SHARE), Code::INVALID_VALUE, "it is still mapped");
        assert_eq!(cuMemUnmap(address, SHARE), Code::SUCCESS);
        assert_eq!(cuMemAddressFree(address, 2 * SHARE), Code::SUCCESS);
    }
}

#[test]
fn freed_memory_is_free_again_and_its_address_is_not_used_again() {
    open();
    let mut seen = Vec::new();
    for _ in 0..100 {
        let address = allocate(100 << 20);
        assert!(!seen.contains(&address));
        seen.push(address);
        // SAFETY: no queued work uses the memory.
        assert_eq!(unsafe { cuMemFree_v2(address) }, Code::SUCCESS);
        // SAFETY: no queued work uses the memory.
        assert_eq!(unsafe { cuMemFree_v2(address) }, Code::INVALID_VALUE);
    }
    let mut address = 0;
    // SAFETY: the call writes only to a variable of this function.
    assert_eq!(unsafe { cuMemAlloc_v2(&mut address, 2 << 30) }, Code::OUT_OF_MEMORY);
}
