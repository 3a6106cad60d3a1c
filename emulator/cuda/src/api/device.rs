//! Functions for the driver, devices and contexts.

use super::{calls, set};
use crate::codes::{Code, Result};
use crate::configuration::configuration;
use crate::{contexts, memory, queues, statistics};
use std::ffi::{c_char, c_int, c_uint};

/// CUDA version that the driver reports.
const VERSION: c_int = 13_000;

calls! {
    fn cuInit(flags: c_uint) {
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        contexts::initialize();
        statistics::prepare();
        Ok(())
    }

    fn cuDriverGetVersion(version: *mut c_int) {
        set(version, VERSION)
    }

    fn cuDeviceGetCount(count: *mut c_int) {
        contexts::device(0)?;
        set(count, configuration().devices as c_int)
    }

    fn cuDeviceGet(device: *mut c_int, ordinal: c_int) {
        contexts::device(ordinal)?;
        set(device, ordinal)
    }

    fn cuDeviceGetName(name: *mut c_char, bytes: c_int, device: c_int) {
        contexts::device(device)?;
        copy_text(configuration().card.name, name, bytes)
    }

    fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: c_int) {
        let device = contexts::device(device)?;
        let mut bytes = *b"gts emulated 0\0\0";
        bytes[13] += device as u8;
        set(uuid, bytes)
    }

    fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_uint, device: c_int) {
        contexts::device(device)?;
        let found = configuration().card.attribute(attribute).ok_or(Code::INVALID_VALUE)?;
        set(value, found as c_int)
    }

    fn cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) {
        let (device, peer) = (contexts::device(device)?, contexts::device(peer)?);
        set(can, c_int::from(device != peer))
    }

    fn cuDevicePrimaryCtxRetain(context: *mut usize, device: c_int) {
        let device = contexts::device(device)?;
        if context.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        set(context, contexts::retain(device))
    }

    fn cuDevicePrimaryCtxRelease_v2(device: c_int) {
        contexts::release(contexts::device(device)?)
    }

    fn cuCtxSetCurrent(context: usize) {
        let device = if context == 0 { None } else { Some(contexts::of_handle(context)?) };
        contexts::set_current(device);
        Ok(())
    }

    fn cuCtxSynchronize() {
        queues::synchronize(contexts::current()?)
    }

    fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) {
        set(least, 0)?;
        set(greatest, -5)
    }

    fn cuCtxEnablePeerAccess(peer: usize, flags: c_uint) {
        let (device, peer) = (contexts::current()?, contexts::of_handle(peer)?);
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        if device == peer {
            return Err(Code::INVALID_DEVICE);
        }
        match memory::with(|memory| memory.let_reach(device, peer)) {
            true => Ok(()),
            false => Err(Code::PEER_ACCESS_ALREADY_ENABLED),
        }
    }

    fn cuGetErrorName(code: Code, text: *mut *const c_char) {
        set(text, code.name().ok_or(Code::INVALID_VALUE)?.as_ptr().cast())
    }

    fn cuGetErrorString(code: Code, text: *mut *const c_char) {
        set(text, code.name().ok_or(Code::INVALID_VALUE)?.as_ptr().cast())
    }
}

/// Copies a text into `bytes` bytes at `target`, truncated if necessary and terminated by NUL.
fn copy_text(text: &str, target: *mut c_char, bytes: c_int) -> Result<()> {
    let room = usize::try_from(bytes).ok().and_then(|bytes| bytes.checked_sub(1)).ok_or(Code::INVALID_VALUE)?;
    if target.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    let copied = text.len().min(room);
    // SAFETY: the caller's target is valid for `bytes` bytes.
    unsafe {
        target.copy_from_nonoverlapping(text.as_ptr().cast(), copied);
        target.add(copied).write(0);
    }
    Ok(())
}
