//! Run-time errors in kernel bodies.

use crate::error::Error;
use crate::fault_place::FaultPlace;
use gts_contract::KernelDescriptor;

/// The bits of a vertex number in [`Fault::prefix`].
const PREFIX_BITS: u32 = 48;

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
        Error::Fault { kernel: kernel.name, site: kernel.error_sites[site as usize], place, value }
    }
}
