//! Priorities: the nearness of vertices, by which a traversal separates near vertices from those that can wait.
//!
//! A priority consists of vertex kernels, over its struct with a mark per vertex, a threshold and a minimum appended to
//! the struct's own attributes. Active vertices beyond the threshold are marked as far. They remain far until a higher
//! threshold makes them near, or until they are activated again and are near at that time.

use super::pass::{Kernel, VertexPass};
use super::value::AttributeValue;
use gts_contract::KernelDescriptor;
use std::fmt::Display;

/// A kernel for `run.traverse_near`: the smaller its number for a vertex, the nearer the vertex.
pub trait Priority: Kernel {
    /// The type of the number.
    type Value: PriorityValue;
    /// The kernels that it consists of.
    const PARTS: &'static PriorityParts;
}

/// The kernels of a priority, and the attributes that they append to those of the struct.
pub struct PriorityParts {
    /// The mark of far vertices: a `bool` per vertex.
    pub far: usize,
    /// The largest near priority: a param.
    pub threshold: usize,
    /// The least far priority: a global.
    pub least: usize,
    /// For active vertices: those within the threshold lose the mark and stay active, the others are marked.
    pub sift: PriorityPass,
    /// Finds the least priority of the marked vertices.
    pub find: PriorityPass,
    /// Unmarks and activates the marked vertices within the threshold.
    pub bring: PriorityPass,
}

/// A vertex kernel that is a part of a priority.
pub struct PriorityPass {
    /// The descriptor of the kernel.
    pub descriptor: &'static KernelDescriptor,
    /// Its loops.
    pub pass: &'static dyn VertexPass,
}

/// The type of a priority: integers and floats.
pub trait PriorityValue: AttributeValue + Display {
    /// Returns the sum; integers saturate.
    fn beyond(self, width: Self) -> Self;

    /// Returns whether it is at least 0, as required of a width.
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
