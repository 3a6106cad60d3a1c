//! Waiting for a pass that may not end.

use super::arguments::Status;
use super::driver::{Buffer, Context, Event, Stream};
use gts_contract::KernelDescriptor;
use gts_device::Limits;
use gts_device::error::{Error, Result};
use std::mem::offset_of;
use std::time::{Duration, Instant};

/// Time for which a waiting thread spins: most passes of a traversal end within it. Afterwards the thread yields
/// between checks. It does not sleep, because a sleep ends tens of microseconds too late.
pub(super) const SPIN: Duration = Duration::from_micros(200);
/// Time for a kernel to end after it was requested to.
const GRACE: Duration = Duration::from_secs(2);

/// The resources for watching a pass.
#[derive(Clone, Copy)]
pub(super) struct Watch<'a> {
    pub(super) context: &'a Context,
    /// Carries the stop flag, past the kernels of other streams.
    pub(super) control: &'a Stream,
    /// The buffer that begins with the [`Status`], which contains the stop flag.
    pub(super) status: &'a Buffer,
    pub(super) limits: &'a Limits,
    pub(super) kernel: &'static KernelDescriptor,
    /// Marks the beginning of the pass.
    pub(super) begun: &'a Event,
}

impl Watch<'_> {
    /// Waits for `end`. When a limit is reached, sets the stop flag, which the kernel's loops check. A kernel that
    /// ignores the flag poisons the context, because only the end of the process stops such a kernel.
    pub(super) fn wait(&self, end: &Event) -> Result<()> {
        self.wait_while(end, || {})
    }

    /// Waits for the end of a pass that reports progress, and calls `look` repeatedly.
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

    /// Requests the kernels of the pass to end, and waits for `end` for a limited time.
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
        // The flag may still be on its way: it must not reach the next pass.
        self.control.synchronize(during)
    }

    /// Returns the error of a kernel that continues after it was requested to end.
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
