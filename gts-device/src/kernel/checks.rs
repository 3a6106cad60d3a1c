//! The checks of values that a body adds, stores or merges.

use super::context::Context;
use super::scalar::Scalar;
use super::summable::{SumChecks, Summable};
use crate::fault_place::FaultPlace;

/// The bits that a fault reports for a NaN. They are a NaN both as `f32` and as `f64`.
const NAN_BITS: i64 = 0x7ff8_0000_7fc0_0000;

impl Context<'_> {
    /// Reports a fault at a site if adding `term` to an element that held `old` leaves the range that [`SumChecks`]
    /// allows. `mixed` is set if the terms of the kernel have both signs. Only checked mode checks such terms.
    #[inline(always)]
    pub fn added<T: Summable>(&self, place: FaultPlace, site: (u32, bool), old: T, term: T) {
        self.changed(place, site, old, term.exact());
    }

    /// Reports a fault at a site if subtracting `term` from an element that held `old` leaves this range. `mixed` is as
    /// for [`Context::added`].
    #[inline(always)]
    pub fn subtracted<T: Summable>(&self, place: FaultPlace, site: (u32, bool), old: T, term: T) {
        self.changed(place, site, old, T::negated(term.exact()));
    }

    /// Reports a fault at a site if adding the sum `change` to an element that held `old` leaves this range. `mixed` is
    /// as for [`Context::added`].
    #[inline(always)]
    pub(super) fn changed<T: Summable>(&self, place: FaultPlace, (site, mixed): (u32, bool), old: T, change: T::Exact) {
        let checks = if mixed { self.checked && self.sums == SumChecks::Whole } else { self.sums != SumChecks::None };
        if checks && !T::holds(self.sums, old, change) {
            self.report(place, site, old.reported());
        }
    }

    /// Returns a float that a body stores or merges. In checked mode, reports a fault if the float is NaN.
    #[inline(always)]
    pub fn number<T: Scalar>(&self, place: FaultPlace, site: u32, value: T) -> T {
        if self.checked && value.loses() {
            self.report(place, site, NAN_BITS);
        }
        value
    }
}
