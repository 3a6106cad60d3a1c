//! The resources of a session other than attribute memory. A kit outlives its session, and later sessions reuse the
//! kit.

use super::driver::{Buffer, Context, Event, Pinned, Stream};
use super::globals::CELL;
use super::launch::FEW;
use super::pass::PassReport;
use super::session::REPORT;
use super::steps::Told;
use super::watch::SPIN;
use gts_device::error::Result;
use std::mem::offset_of;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A pool of values that are not in use.
pub(super) type Spare<T> = Arc<Mutex<Vec<T>>>;

/// A value from a pool, returned to the pool on drop.
#[derive(Debug)]
pub(super) struct Lent<T> {
    value: Option<T>,
    spare: Spare<T>,
}

impl<T> Lent<T> {
    /// Takes the most recently returned value from the pool, or creates a value if the pool is empty.
    pub(super) fn take(spare: &Spare<T>, make: impl FnOnce() -> Result<T>) -> Result<Self> {
        let found = spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let value = Some(found.map_or_else(make, Ok)?);
        Ok(Self { value, spare: Arc::clone(spare) })
    }
}

impl<T> Deref for Lent<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.value {
            Some(value) => value,
            None => unreachable!("the value goes when this does"),
        }
    }
}

impl<T> DerefMut for Lent<T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.value {
            Some(value) => value,
            None => unreachable!("the value goes when this does"),
        }
    }
}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).extend(self.value.take());
    }
}

/// The streams, events and reports of a session.
#[derive(Debug)]
pub(super) struct Kit {
    /// The stream in which passes run.
    pub(super) stream: Arc<Stream>,
    /// The stream that copies the stop flag while kernels run in the other stream.
    pub(super) control: Stream,
    pub(super) begun: Event,
    pub(super) ended: Event,
    /// Marks the end of a replica's work before a collective.
    pub(super) ready: Event,
    /// Marks the end of a replica's part in a collective.
    pub(super) merged: Event,
    /// Marks the end of a pass that several devices share, including the work after the kernels.
    pub(super) closed: Event,
    /// The events at the beginning and the end of in-place reads in a pass.
    pub(super) in_place: [Event; 2],
    /// The device memory that contains the [`PassReport`] of a pass.
    pub(super) report: Buffer,
    /// Whether the report is cleared, or will be cleared when the stream's work is complete.
    pub(super) report_is_clear: bool,
    /// Host memory into which the device writes the report of a pass, and up to [`FEW`] cells of globals after the
    /// report.
    pub(super) seen: Pinned,
    /// The number of reports requested so far. The latest report has this number.
    pub(super) reports: u64,
    /// The memory in which step loops report to the host; `None` until a loop first runs.
    pub(super) told: Option<Told>,
}

impl Kit {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self> {
        Ok(Self {
            stream: Arc::new(Stream::new(context)?),
            control: Stream::new(context)?,
            begun: Event::new(context)?,
            ended: Event::new(context)?,
            ready: Event::new(context)?,
            merged: Event::new(context)?,
            closed: Event::new(context)?,
            in_place: [Event::new(context)?, Event::new(context)?],
            report: Buffer::zeroed(context, REPORT, "the report of a pass")?,
            report_is_clear: true,
            seen: Pinned::new(context, REPORT + CELL * FEW)?,
            reports: 0,
            told: None,
        })
    }

    /// Waits briefly for the latest report. Returns whether the report has arrived.
    pub(super) fn sees_report(&self) -> bool {
        let begun = Instant::now();
        while self.seen.word(offset_of!(PassReport, number)) != self.reports {
            if begun.elapsed() > SPIN {
                return false;
            }
            std::hint::spin_loop();
        }
        true
    }

    /// Returns the cells of globals that the last pass wrote to host memory.
    pub(super) fn cells(&self) -> [u64; FEW] {
        bytemuck::pod_read_unaligned(self.seen.part(REPORT..REPORT + CELL * FEW))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lent_goes_back_and_is_lent_again() {
        let spare: Spare<String> = Spare::default();
        let made = |text: &'static str| move || Ok(text.to_owned());
        let (mut one, two) =
            (Lent::take(&spare, made("one")).expect("made"), Lent::take(&spare, made("two")).expect("made"));
        one.push('!');
        assert_eq!((one.as_str(), two.as_str()), ("one!", "two"));
        drop(two);
        drop(one);
        let again = Lent::take(&spare, || panic!("one is spare")).expect("spare");
        assert_eq!(again.as_str(), "one!");
    }
}
