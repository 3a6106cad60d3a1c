//! The functions of NCCL that this device calls, with their types as `nccl.h` declares them.
//!
//! The functions are values, so that a test can replace them.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_void};

/// Bytes of the ID by which ranks find each other: `NCCL_UNIQUE_ID_BYTES`.
pub(super) const ID_BYTES: usize = 128;

/// The ID by which ranks find each other: `ncclUniqueId`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct UniqueId(pub(crate) [u8; ID_BYTES]);

/// A communicator of the library: `ncclComm_t`.
pub(super) type Handle = *mut c_void;
/// A stream of the driver: `cudaStream_t`.
pub(super) type StreamHandle = *mut c_void;
/// The result of a function: `ncclResult_t`.
pub(super) type Code = c_int;

/// The work is done: `ncclSuccess`.
pub(super) const SUCCESS: Code = 0;
/// The work continues after the call: `ncclInProgress`.
pub(super) const IN_PROGRESS: Code = 7;
/// Elements of one byte: `ncclUint8`.
pub(super) const BYTES: c_int = 1;

/// The settings of a communicator: the first fields of `ncclConfig_t`. A library newer than `version` uses its defaults
/// for the others.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Config {
    size: usize,
    magic: c_uint,
    version: c_uint,
    blocking: c_int,
    /// The field that follows in later versions. Otherwise the size would cover it with padding.
    cluster: c_int,
}

impl Config {
    /// Returns the settings of a communicator whose calls do not wait.
    pub(super) fn that_does_not_wait() -> Self {
        Self { size: size_of::<Self>(), magic: 0xcafe_beef, version: 21_400, blocking: 0, cluster: c_int::MIN }
    }
}

/// The functions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    pub(super) get_unique_id: unsafe extern "C" fn(*mut UniqueId) -> Code,
    pub(super) init: unsafe extern "C" fn(*mut Handle, c_int, UniqueId, c_int, *mut Config) -> Code,
    pub(super) async_error: unsafe extern "C" fn(Handle, *mut Code) -> Code,
    pub(super) finalize: unsafe extern "C" fn(Handle) -> Code,
    pub(super) destroy: unsafe extern "C" fn(Handle) -> Code,
    pub(super) abort: unsafe extern "C" fn(Handle) -> Code,
    pub(super) error_string: unsafe extern "C" fn(Code) -> *const c_char,
    pub(super) last_error: unsafe extern "C" fn(Handle) -> *const c_char,
    pub(super) group_start: unsafe extern "C" fn() -> Code,
    pub(super) group_end: unsafe extern "C" fn() -> Code,
    pub(super) send: unsafe extern "C" fn(*const c_void, usize, c_int, c_int, Handle, StreamHandle) -> Code,
    pub(super) receive: unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, Handle, StreamHandle) -> Code,
    pub(super) all_gather: unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, Handle, StreamHandle) -> Code,
    pub(super) broadcast:
        unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, c_int, Handle, StreamHandle) -> Code,
}
