//! The kinds of memory that a kernel's loops are compiled for: only those that its struct can distinguish. Most structs
//! contain no vertex number and no sum of f32, so a third of the loops is enough.
#![allow(unsafe_code)]

use super::attributes::Attributes;
use super::pass::MemoryKind;
use super::scalar::{Memory, Replica, Shared, WideReplica};
use gts_contract::{AttributeKind, KernelDescriptor, KernelKind, Merge, ScalarType, Schema};

/// The work of a pass on one share.
pub(crate) trait Work {
    /// The struct whose columns it touches.
    type Attributes: Attributes;
    /// Whether the kernel may get wide replicas.
    const WIDENS: bool = false;

    /// Runs the work.
    ///
    /// # Safety
    ///
    /// The columns are those of the struct, of this kind of memory.
    unsafe fn on<P: Memory>(self);
}

/// Runs work on the given kind of memory.
///
/// # Safety
///
/// The columns are those of the work's struct, of this kind of memory; vertex numbers in them are stored in 8 bytes if
/// `wide` and in 4 otherwise.
pub(super) unsafe fn instance<W: Work>(work: W, memory: MemoryKind, wide: bool) {
    // The compiler drops loops behind a constant that is false, so the constant is first in each condition.
    // SAFETY: the caller guarantees this. Columns without vertex numbers are the same in both widths.
    unsafe {
        if const { names_vertices(W::Attributes::SCHEMA) } && wide {
            if W::WIDENS && memory == MemoryKind::OwnedWide {
                work.on::<WideReplica<u64>>();
            } else if memory == MemoryKind::Shared {
                work.on::<Shared<u64>>();
            } else {
                work.on::<Replica<u64>>();
            }
        } else if W::WIDENS && memory == MemoryKind::OwnedWide {
            work.on::<WideReplica<u32>>();
        } else if memory == MemoryKind::Shared {
            work.on::<Shared<u32>>();
        } else {
            work.on::<Replica<u32>>();
        }
    }
}

/// Returns whether an attribute contains vertex numbers.
const fn names_vertices(schema: &Schema) -> bool {
    let mut attribute = 0;
    while attribute < schema.attributes.len() {
        if matches!(schema.attributes[attribute].ty.scalar, ScalarType::VertexId) {
            return true;
        }
        attribute += 1;
    }
    false
}

/// Returns whether sessions may give each thread replicas of the sums of a kernel of this kind.
pub const fn sums_in_replicas(kind: KernelKind) -> bool {
    matches!(kind, KernelKind::Scan | KernelKind::Intersect)
}

/// Returns whether replicas of these values are wider than the values: a sum of many f32 would lose precision.
pub const fn is_wide(scalar: ScalarType) -> bool {
    matches!(scalar, ScalarType::F32)
}

/// Returns whether a kernel may get wide replicas: its struct has a sum whose replicas are wide.
pub(super) const fn widens(kernel: &KernelDescriptor) -> bool {
    let mut attribute = 0;
    while sums_in_replicas(kernel.kind) && attribute < kernel.schema.attributes.len() {
        let declared = &kernel.schema.attributes[attribute];
        if matches!(declared.kind, AttributeKind::Wa { merge: Merge::Sum, .. }) && is_wide(declared.ty.scalar) {
            return true;
        }
        attribute += 1;
    }
    false
}
