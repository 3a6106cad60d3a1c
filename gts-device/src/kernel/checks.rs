//! The checks of values that a body adds, stores or merges.

use super::context::Context;
use super::scalar::Scalar;
use super::summable::{SumChecks, Summable};
use crate::fault_place::FaultPlace;

/// The value that a fault reports for a NaN: a NaN of either width.
const NAN_BITS: i64 = 0x7ff8_0000_7fc0_0000;

impl Context<'_> {
    /// Reports a fault at a site if an element that held `old` could not hold the sum with `term`. If the terms of the
    /// kernel have both signs, `mixed` is set, and only checked mode checks them.
    #[inline(always)]
    pub fn added<T: Summable>(&self, place: FaultPlace, site: (u32, bool), old: T, term: T) {
        self.changed(place, site, old, term.exact());
    }

    /// Reports a fault at a site if an element that held `old` could not hold the difference from `term`. `mixed` is as
    /// for [`Context::added`].
    #[inline(always)]
    pub fn subtracted<T: Summable>(&self, place: FaultPlace, site: (u32, bool), old: T, term: T) {
        self.changed(place, site, old, T::negated(term.exact()));
    }

    /// Reports a fault at a site if an element that held `old` could not change by a sum. `mixed` is as for
    /// [`Context::added`].
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
