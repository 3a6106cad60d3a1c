//! Priorities, which divide the active vertices of a traversal into near and far vertices. Far vertices wait.
//!
//! The macros compile a priority to vertex kernels, and append a mark per vertex, a threshold and a minimum to the
//! struct's attributes. Active vertices beyond the threshold are marked as far. A far vertex loses the mark when the
//! threshold reaches the vertex's priority, or when the vertex is activated again with a near priority.

use super::pass::{Kernel, VertexPass};
use super::value::AttributeValue;
use gts_contract::KernelDescriptor;
use std::fmt::Display;

/// A kernel for `run.traverse_near` that computes the priority of a vertex. Smaller values are nearer.
#[diagnostic::on_unimplemented(
    message = "this kernel is no `priority`",
    label = "expected a `#[gts_kernel(priority)]`",
    note = "`run.scan` runs a `scan`; `run.advance` and `run.traverse` a `traverse`; `run.apply` and `run.apply_active` a \
            `vertex` kernel; `run.gather` and `run.gather_active` a `gather` kernel; `run.intersect` an `intersect` kernel; \
            `run.traverse_near` a `traverse` and a `priority`"
)]
pub trait Priority: Kernel {
    /// The type of the priority.
    type Value: PriorityValue;
    /// The vertex kernels into which the macros split the priority.
    const PARTS: &'static PriorityParts;
}

/// The vertex kernels of a priority, and the schema indices of the attributes appended for these kernels.
pub struct PriorityParts {
    /// The index of the mark for far vertices, a `bool` per vertex.
    pub far: usize,
    /// The index of the threshold, a param: the largest priority of near vertices.
    pub threshold: usize,
    /// The index of the minimum, a global: the least priority of far vertices.
    pub least: usize,
    /// Clears the marks of the active vertices within the threshold, which remain active. Marks all other active
    /// vertices as far.
    pub sift: PriorityPass,
    /// Computes the least priority of the marked vertices.
    pub find: PriorityPass,
    /// Activates the marked vertices within the threshold, and clears their marks.
    pub bring: PriorityPass,
}

/// One of the vertex kernels of a priority.
pub struct PriorityPass {
    /// The kernel's descriptor.
    pub descriptor: &'static KernelDescriptor,
    /// The kernel's loops on the CPU.
    pub pass: &'static dyn VertexPass,
}

/// An integer or float type for priorities.
#[diagnostic::on_unimplemented(
    message = "a priority cannot be a `{Self}`",
    label = "not a number",
    note = "a priority returns a u8, u16, u32, u64, i32, i64, f32 or f64"
)]
pub trait PriorityValue: AttributeValue + Display {
    /// Returns `self` plus `width` as a threshold. Integers saturate.
    fn beyond(self, width: Self) -> Self;

    /// Returns whether this value is valid as a width: at least 0, and not NaN.
    fn is_width(self) -> bool;
}

macro_rules! priority_values {
    ($($type:ty: |$a:ident, $b:ident| $sum:expr;)*) => {$(
        impl PriorityValue for $type {
            fn beyond(self, width: Self) -> Self {
                let ($a, $b) = (self, width);
                $sum
            }

            #[allow(unused_comparisons, reason = "the macro writes this for unsigned types, too")]
            fn is_width(self) -> bool {
                self >= Self::default()
            }
        }
    )*};
}

priority_values! {
    u8: |a, b| a.saturating_add(b);
    u16: |a, b| a.saturating_add(b);
    u32: |a, b| a.saturating_add(b);
    u64: |a, b| a.saturating_add(b);
    i32: |a, b| a.saturating_add(b);
    i64: |a, b| a.saturating_add(b);
    f32: |a, b| a + b;
    f64: |a, b| a + b;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_stay_at_their_largest() {
        assert_eq!(3u32.beyond(4), 7);
        assert_eq!(u8::MAX.beyond(1), u8::MAX);
        assert_eq!((i64::MAX - 1).beyond(5), i64::MAX);
        assert_eq!((-3i32).beyond(5), 2);
        assert_eq!(f32::MAX.beyond(f32::MAX), f32::INFINITY);
    }

    #[test]
    fn widths_are_numbers_from_zero() {
        assert!(0u64.is_width() && 0.0f32.is_width() && (-0.0f64).is_width() && f32::INFINITY.is_width());
        assert!(!(-1i32).is_width() && !(-0.5f64).is_width() && !f32::NAN.is_width());
    }
}
