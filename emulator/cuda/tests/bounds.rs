//! Copies beyond the end of an allocation. The test has its own process because the device is unusable afterwards.
#![allow(unsafe_code)]

use cuda::api::{device::*, memory::*, stream::*};
use cuda::codes::Code;

#[test]
fn memory_is_reached_to_its_last_byte_and_the_next_byte_fails_for_good() {
    let (mut context, mut address, mut stream) = (0, 0, 0);
    let source = [0_u8; 101];
    // SAFETY: the source has the 101 bytes that copies may read, and outlives the copies.
    unsafe {
        assert_eq!(cuMemAlloc_v2(&mut address, 100), Code::NOT_INITIALIZED);
        assert_eq!(cuInit(0), Code::SUCCESS);
        assert_eq!(cuMemAlloc_v2(&mut address, 100), Code::INVALID_CONTEXT);
        assert_eq!(cuDevicePrimaryCtxRetain(&mut context, 0), Code::SUCCESS);
        assert_eq!(cuCtxSetCurrent(context), Code::SUCCESS);
        assert_eq!(cuMemAlloc_v2(&mut address, 100), Code::SUCCESS);
        assert_eq!(cuStreamCreate(&mut stream, 1), Code::SUCCESS);
        assert_eq!(cuMemcpyHtoDAsync_v2(address, source.as_ptr().cast(), 100, stream), Code::SUCCESS);
        assert_eq!(cuStreamSynchronize(stream), Code::SUCCESS);
        assert_eq!(cuMemcpyHtoDAsync_v2(address, source.as_ptr().cast(), 101, stream), Code::ILLEGAL_ADDRESS);
        // The context stays unusable.
        assert_eq!(cuMemcpyHtoDAsync_v2(address, source.as_ptr().cast(), 100, stream), Code::ILLEGAL_ADDRESS);
        assert_eq!(cuStreamSynchronize(stream), Code::ILLEGAL_ADDRESS);
        assert_eq!(cuMemFree_v2(address), Code::ILLEGAL_ADDRESS);
    }
}
