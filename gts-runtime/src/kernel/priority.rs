//! Priorities: how near a vertex is, by which a traversal keeps the near ones apart from those that can wait.
//!
//! A priority is made of vertex kernels, over its struct with a mark a vertex, a threshold and a minimum behind the
//! struct's own attributes: what is active and beyond the threshold is marked as far, and stays so until a higher
//! threshold brings it near, or until it is activated anew and is near by then.

use super::pass::{Kernel, VertexPass};
use super::value::AttributeValue;
use gts_contract::KernelDescriptor;
use std::fmt::Display;

/// A kernel for `run.traverse_near`: the smaller the number that it gives for a vertex, the nearer the vertex.
pub trait Priority: Kernel {
    /// The type of the number.
    type Value: PriorityValue;
    /// What it is made of.
    const PARTS: &'static PriorityParts;
}

/// The kernels that a priority is made of, and the attributes that they have behind those of the struct.
pub struct PriorityParts {
    /// The mark of the vertices that are far: a `bool` a vertex.
    pub far: usize,
    /// The largest priority that is near: a param.
    pub threshold: usize,
    /// The least priority that is far: a global.
    pub least: usize,
    /// For active vertices: those within the threshold lose the mark and stay active, the others are marked.
    pub sift: PriorityPass,
    /// Finds the least priority among marked vertices.
    pub find: PriorityPass,
    /// Marked vertices within the threshold lose the mark and become active.
    pub bring: PriorityPass,
}

/// A vertex kernel that is a part of a priority.
pub struct PriorityPass {
    /// The kernel as data.
    pub descriptor: &'static KernelDescriptor,
    /// Its loops.
    pub pass: &'static dyn VertexPass,
}

/// The type of a priority: integers and floats.
pub trait PriorityValue: AttributeValue + Display {
    /// The sum; the largest integer where it is larger than that.
    fn beyond(self, width: Self) -> Self;

    /// Whether it is at least 0, as the width of what is near must be.
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
