//! Registers in which a pulling kernel gathers one vertex's values before it writes the vertex.

use super::Column;
use super::column::{larger, smaller};
use super::context::Context;
use super::scalar::{Memory, Scalar};
use super::summable::Summable;
use crate::fault_place::FaultPlace;
use gts_contract::Merge;
use gts_core::graph::Vertex;

/// The gathered sums for one vertex of an attribute with `N` elements per vertex.
#[derive(Clone, Copy, Debug)]
pub struct Summed<T: Summable, const N: usize = 1>([T::Exact; N]);

impl<T: Summable, const N: usize> Summed<T, N> {
    /// The initial sums, before any term is added.
    pub const NOTHING: Self = Self([T::NOTHING; N]);

    /// Adds a term to the first element.
    #[inline(always)]
    pub fn fetch_add(&mut self, value: T) {
        self.fetch_add_at(0, value);
    }

    /// Adds a term to element `i`, which must be less than `N`.
    #[inline(always)]
    pub fn fetch_add_at(&mut self, i: usize, value: T) {
        self.0[i] = T::sum_of(self.0[i], value.exact());
    }

    /// Subtracts a term from the first element.
    #[inline(always)]
    pub fn fetch_sub(&mut self, value: T) {
        self.fetch_sub_at(0, value);
    }

    /// Subtracts a term from element `i`, which must be less than `N`.
    #[inline(always)]
    pub fn fetch_sub_at(&mut self, i: usize, value: T) {
        self.0[i] = T::sum_of(self.0[i], T::negated(value.exact()));
    }

    /// Adds the gathered sums to the vertex's elements in memory. If there is a `site`, reports a fault there for each
    /// total that leaves the range of the type. The site is as for [`Context::added`].
    #[inline(always)]
    pub fn settle<P: Memory>(
        self,
        column: &Column<'_, T, P, N>,
        gts: Context<'_>,
        v: Vertex,
        site: Option<(u32, bool)>,
    ) {
        for (i, sum) in self.0.into_iter().enumerate() {
            let old = column.fetch_add_at(v, i, T::rounded(sum));
            if let Some(site) = site {
                gts.changed(FaultPlace::vertex(v), site, old, sum);
            }
        }
    }
}

/// The gathered values for one vertex of an attribute with `N` elements per vertex, whose merge is not a sum.
#[derive(Clone, Copy, Debug)]
pub struct Kept<T, const N: usize = 1>([T; N]);

impl<T: Scalar, const N: usize> Kept<T, N> {
    /// Creates the registers with the current values of the vertex.
    #[inline(always)]
    pub fn of<P: Memory>(column: &Column<'_, T, P, N>, v: Vertex) -> Self {
        Self(std::array::from_fn(|i| column.load_at(v, i)))
    }

    /// Merges the gathered values into the vertex's elements in memory. Does nothing for `any`, or for sums, which use
    /// [`Summed`].
    #[inline(always)]
    pub fn settle<P: Memory>(self, column: &Column<'_, T, P, N>, v: Vertex, merge: Merge) {
        for (i, value) in self.0.into_iter().enumerate() {
            match merge {
                Merge::Min => column.fetch_min_at(v, i, value),
                Merge::Max => column.fetch_max_at(v, i, value),
                Merge::And => column.fetch_and_at(v, i, value),
                Merge::Or => column.fetch_or_at(v, i, value),
                Merge::Sum | Merge::Any => continue,
            };
        }
    }
}

impl<T: Copy, const N: usize> Kept<T, N> {
    /// Returns the first element.
    #[inline(always)]
    pub fn first(&self) -> T {
        self.0[0]
    }
}

macro_rules! keep {
    ($($(#[$doc:meta])* $name:ident, $at:ident, |$old:ident, $value:ident| $new:expr;)*) => {
        impl<T: Scalar, const N: usize> Kept<T, N> {
            $($(#[$doc])* #[inline(always)]
            pub fn $name(&mut self, value: T) {
                self.$at(0, value);
            }

            $(#[$doc])* #[doc = "For element `i`, below `N`."] #[inline(always)]
            pub fn $at(&mut self, i: usize, $value: T) {
                let $old = self.0[i];
                self.0[i] = $new;
            })*
        }
    };
}

keep! {
    /// Stores the smaller of the current and the given value.
    fetch_min, fetch_min_at, |old, value| if smaller(value, old) { value } else { old };
    /// Stores the larger of the current and the given value.
    fetch_max, fetch_max_at, |old, value| if larger(value, old) { value } else { old };
    /// Stores the bitwise or logical AND of the current and the given value.
    fetch_and, fetch_and_at, |old, value| old.and(value);
    /// Stores the bitwise or logical OR of the current and the given value.
    fetch_or, fetch_or_at, |old, value| old.or(value);
}
