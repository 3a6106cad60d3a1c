//! Run-time errors in kernel bodies.

use crate::error::Error;
use crate::fault_place::FaultPlace;
use gts_contract::KernelDescriptor;
use std::cell::Cell;

/// The bits of a vertex number in [`Fault::prefix`].
const PREFIX_BITS: u32 = 48;

thread_local! {
    /// State of the body that this thread runs. Only bodies with a [`LoopingBody`] reset and read it.
    static BODY: Cell<BodyFaults> = const { Cell::new(BodyFaults::Sound) };
}

/// State of a body that contains a loop which may never end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BodyFaults {
    /// The body has reported no fault.
    Sound,
    /// The body has reported a fault.
    Faulty,
    /// A loop of the body has ended because of a fault. Later faults may result from this end, so they are ignored.
    Cut,
}

/// A run of a body that contains a loop which may never end. A number that has wrapped may keep such a loop alive, so
/// the loop ends within a fixed number of rounds of a fault of the same body. Faults of other bodies do not end the
/// loop: the order of the threads would then determine which fault the run reports.
#[derive(Debug)]
pub struct LoopingBody(());

impl LoopingBody {
    /// Begins a body on the current thread. The body ends when the value is dropped.
    #[allow(clippy::new_without_default, reason = "only emitted code creates it")]
    #[inline(always)]
    pub fn new() -> Self {
        BODY.set(BodyFaults::Sound);
        Self(())
    }

    /// Notes a fault of the current thread's body. Returns whether the fault counts.
    pub(super) fn faults() -> bool {
        let counts = BODY.get() != BodyFaults::Cut;
        if counts {
            BODY.set(BodyFaults::Faulty);
        }
        counts
    }

    /// Returns whether a loop of the current thread's body ends because of a fault of this body.
    #[cold]
    #[inline(never)]
    pub(super) fn is_cut() -> bool {
        let cut = BODY.get() != BodyFaults::Sound;
        if cut {
            BODY.set(BodyFaults::Cut);
        }
        cut
    }
}

impl Drop for LoopingBody {
    #[inline(always)]
    fn drop(&mut self) {
        BODY.set(BodyFaults::Sound);
    }
}

/// A run-time error that a body has reported. Faults are ordered by their place in the source, then by the vertex or
/// edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The index of the error's source location in the kernel's `error_sites`, which are in the order of the source.
    pub site: u32,
    /// The vertex or edge, by dense numbers.
    pub place: FaultPlace,
    /// The value that caused the error, such as an index out of bounds.
    pub value: i64,
}

impl Fault {
    /// Returns the site and the source vertex as one number, in the order of faults. Large sites and numbers may share
    /// a prefix.
    pub(super) fn prefix(self) -> u64 {
        let largest = (1 << PREFIX_BITS) - 1;
        u64::from(self.site).min(u64::from(u16::MAX)) << PREFIX_BITS | self.place.src.min(largest)
    }

    /// Converts the fault to the error that the run returns.
    pub fn error(self, kernel: &'static KernelDescriptor) -> Error {
        let Self { site, place, value } = self;
        Error::Fault { kernel: kernel.function, site: kernel.error_sites[site as usize], place, value }
    }
}
