//! Waiting for a pass that may never end.

use super::arguments::Status;
use super::driver::{Buffer, Context, Event, Stream};
use crate::device::Limits;
use crate::error::Result;
use gts_core::contract::KernelDescriptor;
use std::mem::offset_of;
use std::time::{Duration, Instant};

/// Below this a waiting thread asks again and again: most passes of a traversal are over by then.
const SPIN: Duration = Duration::from_micros(200);
/// Between two questions after that.
const PAUSE: Duration = Duration::from_micros(50);
/// What a kernel is given to end by itself after it was asked to.
const GRACE: Duration = Duration::from_secs(2);

/// Waits for `end`. Where a limit is over, the kernel is asked to end: its loops see the flag. One that does not listen
/// poisons the context, because nothing short of the process's end stops it.
pub(super) fn wait(
    context: &Context,
    control: &Stream,
    status: &Buffer,
    end: &Event,
    limits: &Limits,
    kernel: &'static KernelDescriptor,
) -> Result<()> {
    let during = format!("kernel `{}`", kernel.name);
    let begun = Instant::now();
    while !end.is_done(&during)? {
        let waited = begun.elapsed();
        if waited < SPIN {
            std::hint::spin_loop();
            continue;
        }
        if limits.over() {
            let error = limits.error(kernel);
            control.upload(status, offset_of!(Status, stop), &1u32.to_le_bytes())?;
            let asked = Instant::now();
            while !end.is_done(&during)? {
                if asked.elapsed() > GRACE {
                    context.poison(error.clone());
                    break;
                }
                std::thread::sleep(PAUSE);
            }
            if !context.is_poisoned() {
                // The flag may be on its way still: it must not meet the next pass.
                control.synchronize(&during)?;
            }
            return Err(error);
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
}
