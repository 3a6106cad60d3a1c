//! Selects the kinds of memory for which the loops of a kernel are compiled. Kinds that do not differ for the
//! attributes of the struct share one loop. Most structs contain no vertex number and no f32 sum, so a third of the
//! loops suffices.
#![allow(unsafe_code)]

use super::attributes::Attributes;
use super::scalar::{Memory, Replica, Shared, WideReplica};
use gts_contract::{AttributeKind, KernelDescriptor, KernelKind, Merge, ScalarType, Schema};

/// The kind of memory that a pass updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Several threads update the memory.
    Shared,
    /// Only the calling thread updates the elements of its share. Other threads may read these elements.
    Owned,
    /// Like `Owned`, except that each f32 is stored as an f64, to which the kernel only adds.
    OwnedWide,
}

/// The work of a pass on one share of a page or a vertex range.
pub(crate) trait Work {
    /// The attribute struct whose columns the work accesses.
    type Attributes: Attributes;
    /// Whether the kernel may get wide replicas.
    const WIDENS: bool = false;

    /// Runs the work.
    ///
    /// # Safety
    ///
    /// The columns must belong to the attribute struct and have the kind of memory `P`.
    unsafe fn on<P: Memory>(self);
}

/// Runs work on the given kind of memory.
///
/// # Safety
///
/// The columns must belong to the work's attribute struct and have this kind of memory. They must store vertex numbers
/// in 8 bytes if `wide`, otherwise in 4.
pub(super) unsafe fn instance<W: Work>(work: W, memory: MemoryKind, wide: bool) {
    // Each condition begins with the constant: the compiler omits the loop if the constant is false.
    // SAFETY: the caller upholds this function's contract. Columns without vertex numbers are identical in both widths.
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

/// Returns whether any attribute of the struct contains vertex numbers.
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

/// Returns whether sessions may give each thread its own replicas of the sums, for kernels of this kind.
pub const fn sums_in_replicas(kind: KernelKind) -> bool {
    matches!(kind, KernelKind::Scan | KernelKind::Intersect)
}

/// Returns whether replicas store sums of this type in a wider type: a sum of many f32 would lose precision.
pub const fn is_wide(scalar: ScalarType) -> bool {
    matches!(scalar, ScalarType::F32)
}

/// Returns whether a kernel may get wide replicas: sessions may replicate its sums, and one of the sums has wide
/// replicas.
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
