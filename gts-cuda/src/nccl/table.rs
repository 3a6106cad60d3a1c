//! The NCCL functions that this crate calls, with the types that `nccl.h` declares.
//!
//! The functions are values, so that tests can replace them.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_void};

/// The size in bytes of the ID through which ranks connect: `NCCL_UNIQUE_ID_BYTES`.
pub(super) const ID_BYTES: usize = 128;

/// The ID through which ranks connect: `ncclUniqueId`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct UniqueId(pub(crate) [u8; ID_BYTES]);

/// A communicator of the library: `ncclComm_t`.
pub(super) type RawCommunicator = *mut c_void;
/// A CUDA stream: `cudaStream_t`.
pub(super) type StreamHandle = *mut c_void;
/// The return code of a function: `ncclResult_t`.
pub(super) type Code = c_int;

/// The call is complete: `ncclSuccess`.
pub(super) const SUCCESS: Code = 0;
/// The call continues in the background: `ncclInProgress`.
pub(super) const IN_PROGRESS: Code = 7;
/// The data type of one-byte elements: `ncclUint8`.
pub(super) const BYTES: c_int = 1;

/// The settings of a communicator: the first fields of `ncclConfig_t`. A library newer than `version` uses defaults for
/// the remaining fields.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Config {
    size: usize,
    magic: c_uint,
    version: c_uint,
    blocking: c_int,
    /// A field that later versions define at this offset. Without this field, `size` would include padding.
    cluster: c_int,
}

impl Config {
    /// Returns the settings of a non-blocking communicator.
    pub(super) fn that_does_not_wait() -> Self {
        Self { size: size_of::<Self>(), magic: 0xcafe_beef, version: 21_400, blocking: 0, cluster: c_int::MIN }
    }
}

/// Pointers to the NCCL functions.
#[derive(Clone, Copy, Debug)]
pub(super) struct NcclFunctions {
    pub(super) get_unique_id: unsafe extern "C" fn(*mut UniqueId) -> Code,
    pub(super) init: unsafe extern "C" fn(*mut RawCommunicator, c_int, UniqueId, c_int, *mut Config) -> Code,
    pub(super) async_error: unsafe extern "C" fn(RawCommunicator, *mut Code) -> Code,
    pub(super) finalize: unsafe extern "C" fn(RawCommunicator) -> Code,
    pub(super) destroy: unsafe extern "C" fn(RawCommunicator) -> Code,
    pub(super) abort: unsafe extern "C" fn(RawCommunicator) -> Code,
    pub(super) error_string: unsafe extern "C" fn(Code) -> *const c_char,
    pub(super) last_error: unsafe extern "C" fn(RawCommunicator) -> *const c_char,
    pub(super) group_start: unsafe extern "C" fn() -> Code,
    pub(super) group_end: unsafe extern "C" fn() -> Code,
    pub(super) send: unsafe extern "C" fn(*const c_void, usize, c_int, c_int, RawCommunicator, StreamHandle) -> Code,
    pub(super) receive: unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, RawCommunicator, StreamHandle) -> Code,
    pub(super) all_gather:
        unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, RawCommunicator, StreamHandle) -> Code,
    pub(super) broadcast:
        unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, c_int, RawCommunicator, StreamHandle) -> Code,
}
