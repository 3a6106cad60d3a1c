//! Primary contexts of the devices, and the current context of each thread.

use crate::codes::{Code, Result};
use crate::configuration::{MOST_DEVICES, configuration};
use crate::memory;
use crate::queues;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed, Ordering::SeqCst};

/// A device's primary context.
#[derive(Debug)]
struct Context {
    /// Number of retains without a matching release.
    retained: AtomicU32,
    /// Code of the error that made the context unusable, or 0.
    failure: AtomicU32,
}

static CONTEXTS: [Context; MOST_DEVICES as usize] =
    [const { Context { retained: AtomicU32::new(0), failure: AtomicU32::new(0) } }; MOST_DEVICES as usize];

/// Whether `cuInit` has been called.
static INITIALIZED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Device whose context is current in this thread.
    static CURRENT: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Handle of the first device's context. The device number is added for other contexts.
const HANDLE: usize = 0xC0_0000;

/// Initialises the driver.
pub(crate) fn initialize() {
    configuration();
    INITIALIZED.store(true, SeqCst);
}

/// Checks a device number. Fails if the driver is not initialised or the device does not exist.
pub(crate) fn device(number: i32) -> Result<u32> {
    if !INITIALIZED.load(SeqCst) {
        return Err(Code::NOT_INITIALIZED);
    }
    u32::try_from(number).ok().filter(|&device| device < configuration().devices).ok_or(Code::INVALID_DEVICE)
}

/// Retains the context of a device and returns the context's handle.
pub(crate) fn retain(device: u32) -> usize {
    if CONTEXTS[device as usize].retained.fetch_add(1, SeqCst) == 0 {
        queues::open(device);
    }
    HANDLE + device as usize
}

/// Releases the context of a device. The last release frees all of its resources.
pub(crate) fn release(device: u32) -> Result<()> {
    let context = &CONTEXTS[device as usize];
    let count = context.retained.fetch_update(SeqCst, SeqCst, |count| count.checked_sub(1));
    match count {
        Err(_) => Err(Code::INVALID_CONTEXT),
        Ok(1) => {
            queues::close(device);
            memory::with(|memory| memory.remove_all_of(device));
            context.failure.store(0, SeqCst);
            Ok(())
        }
        Ok(_) => Ok(()),
    }
}

/// Returns the device of a context handle.
pub(crate) fn of_handle(handle: usize) -> Result<u32> {
    let device = handle.checked_sub(HANDLE).filter(|&device| device < CONTEXTS.len()).ok_or(Code::INVALID_CONTEXT)?;
    match CONTEXTS[device].retained.load(SeqCst) {
        0 => Err(Code::CONTEXT_IS_DESTROYED),
        _ => Ok(device as u32),
    }
}

/// Makes the context of a device current in this thread. `None` unsets the current context.
pub(crate) fn set_current(device: Option<u32>) {
    CURRENT.set(device);
}

/// Returns the device whose context is current in this thread.
pub(crate) fn current() -> Result<u32> {
    let device = CURRENT.get().ok_or(Code::INVALID_CONTEXT)?;
    match CONTEXTS[device as usize].retained.load(Relaxed) {
        0 => Err(Code::CONTEXT_IS_DESTROYED),
        _ => Ok(device),
    }
}

/// Fails if no context is current in this thread, or if the current context has failed permanently.
pub(crate) fn check_failure() -> Result<()> {
    if !INITIALIZED.load(Relaxed) {
        return Err(Code::NOT_INITIALIZED);
    }
    failure(current()?).map_or(Ok(()), Err)
}

/// Returns the error that made the context of a device unusable, if any.
pub(crate) fn failure(device: u32) -> Option<Code> {
    let code = CONTEXTS[device as usize].failure.load(SeqCst);
    (code != 0).then_some(Code(code))
}

/// Makes the context of a device fail permanently. Only the first error is retained.
pub(crate) fn fail(device: u32, code: Code) {
    let _ = CONTEXTS[device as usize].failure.compare_exchange(0, code.0, SeqCst, SeqCst);
    queues::abandon(device);
}

/// Makes the current context of this thread fail permanently.
pub(crate) fn fail_current(code: Code) {
    if let Ok(device) = current() {
        fail(device, code);
    }
}

/// Returns the devices whose context is retained at least once.
pub(crate) fn retained() -> impl Iterator<Item = u32> {
    (0..MOST_DEVICES).filter(|&device| CONTEXTS[device as usize].retained.load(SeqCst) > 0)
}
