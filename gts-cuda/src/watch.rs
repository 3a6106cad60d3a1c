//! Waits for passes, and stops passes that exceed a limit.

use super::arguments::Status;
use super::driver::{Buffer, Context, Event, Stream};
use gts_contract::KernelDescriptor;
use gts_device::PassLimits;
use gts_device::error::{Error, Result};
use std::mem::offset_of;
use std::time::{Duration, Instant};

/// The time for which a waiting thread spins. Most passes of a traversal end within this time. Afterwards, the thread
/// yields between checks. It does not sleep, because it would wake up tens of microseconds too late.
pub(super) const SPIN: Duration = Duration::from_micros(200);
/// The time within which a kernel must end after the stop flag is set.
const GRACE: Duration = Duration::from_secs(2);

/// The resources for waiting until a pass ends or exceeds a limit.
#[derive(Clone, Copy)]
pub(super) struct Watch<'a> {
    pub(super) context: &'a Context,
    /// The stream that copies the stop flag to the device while kernels run in other streams.
    pub(super) control: &'a Stream,
    /// The buffer that begins with the [`Status`], which contains the stop flag.
    pub(super) status: &'a Buffer,
    pub(super) limits: &'a PassLimits,
    pub(super) kernel: &'static KernelDescriptor,
    /// Marks the beginning of the pass.
    pub(super) begun: &'a Event,
}

impl Watch<'_> {
    /// Waits for `end`. When a limit is reached, sets the stop flag, which the kernel's loops check. If a kernel
    /// ignores the flag, the context is poisoned, because the kernel may run until the process ends.
    pub(super) fn wait(&self, end: &Event) -> Result<()> {
        self.wait_while(end, || {})
    }

    /// Waits for `end` like [`Watch::wait`], and calls `look` between checks to process reports of progress.
    pub(super) fn wait_while(&self, end: &Event, mut look: impl FnMut()) -> Result<()> {
        let during = format!("kernel `{}`", self.kernel.function);
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

    /// Sets the stop flag, and waits for `end` for a limited time. Poisons the context if this time expires.
    pub(super) fn stop(&self, end: &Event) -> Result<()> {
        let during = self.kernel.function;
        self.control.upload(self.status, offset_of!(Status, stop), &1u32.to_le_bytes())?;
        let asked = Instant::now();
        while !end.is_done(during)? {
            if asked.elapsed() > GRACE {
                self.context.poison(self.deaf());
                return Ok(());
            }
            std::thread::yield_now();
        }
        // Wait for the copy of the flag. A late copy would stop the next pass.
        self.control.synchronize(during)
    }

    /// Returns the error for a kernel that ignores the stop flag.
    fn deaf(&self) -> Error {
        if self.limits.over() {
            return self.limits.error(self.kernel);
        }
        Error::Device {
            device: self.context.name().to_owned(),
            during: format!("ending kernel `{}`", self.kernel.function),
            why: format!("it went on for {} s after it was asked to end", GRACE.as_secs()),
        }
    }
}
