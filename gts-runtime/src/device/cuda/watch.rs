//! Waiting for a pass that may never end.

use super::arguments::Status;
use super::driver::{Buffer, Context, Event, Stream};
use crate::device::Limits;
use crate::error::{Error, Result};
use gts_contract::KernelDescriptor;
use std::mem::offset_of;
use std::time::{Duration, Instant};

/// Below this a waiting thread asks again and again: most passes of a traversal are over by then. After that it lets other
/// threads run between two questions, but does not sleep: a sleep ends tens of microseconds too late.
pub(super) const SPIN: Duration = Duration::from_micros(200);
/// What a kernel is given to end by itself after it was asked to.
const GRACE: Duration = Duration::from_secs(2);

/// What a pass is watched by.
#[derive(Clone, Copy)]
pub(super) struct Watch<'a> {
    pub(super) context: &'a Context,
    /// Carries the flag that ends the pass, past the kernels of other streams.
    pub(super) control: &'a Stream,
    /// Where the flag stands: at the beginning of this.
    pub(super) status: &'a Buffer,
    pub(super) limits: &'a Limits,
    pub(super) kernel: &'static KernelDescriptor,
    /// Marks the beginning of the pass.
    pub(super) begun: &'a Event,
}

impl Watch<'_> {
    /// Waits for `end`. Where a limit is over, the kernel is asked to end: its loops see the flag. One that does not listen
    /// poisons the context, because nothing short of the process's end stops it.
    pub(super) fn wait(&self, end: &Event) -> Result<()> {
        self.wait_while(end, || {})
    }

    /// Waits for the end of a pass that tells of itself, and calls `look` again and again.
    pub(super) fn wait_while(&self, end: &Event, mut look: impl FnMut()) -> Result<()> {
        let during = format!("kernel `{}`", self.kernel.name);
        let begun = Instant::now();
        while !end.is_done(&during)? {
            look();
            let waited = begun.elapsed();
            if waited < SPIN {
                std::hint::spin_loop();
                continue;
            }
            if self.limits.over() {
                let error = self.limits.error(self.kernel);
                self.stop(end)?;
                return Err(error);
            }
            std::thread::yield_now();
        }
        Ok(())
    }

    /// Asks the kernels of the pass to end, and gives them time until `end`.
    pub(super) fn stop(&self, end: &Event) -> Result<()> {
        let during = self.kernel.name;
        self.control.upload(self.status, offset_of!(Status, stop), &1u32.to_le_bytes())?;
        let asked = Instant::now();
        while !end.is_done(during)? {
            if asked.elapsed() > GRACE {
                self.context.poison(self.deaf());
                return Ok(());
            }
            std::thread::yield_now();
        }
        // The flag may be on its way still: it must not meet the next pass.
        self.control.synchronize(during)
    }

    /// What is wrong with a kernel that goes on though it was asked to end.
    fn deaf(&self) -> Error {
        if self.limits.over() {
            return self.limits.error(self.kernel);
        }
        Error::Device {
            device: self.context.name().to_owned(),
            during: format!("ending kernel `{}`", self.kernel.name),
            why: format!("it went on for {} s after it was asked to end", GRACE.as_secs()),
        }
    }
}
