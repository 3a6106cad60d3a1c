//! Selects the kinds of memory for which a kernel's loops are compiled. Two kinds share one loop if they do not differ
//! for the struct's attributes. Most structs contain no vertex number and no f32 sum, and therefore need only a third
//! of the loops.
#![allow(unsafe_code)]

use super::attributes::Attributes;
use super::scalar::{Memory, Replica, Shared, WideReplica};
use gts_contract::{AttributeKind, KernelDescriptor, KernelKind, Merge, ScalarType, Schema};

/// The kind of memory that a pass updates, which determines the instructions for updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Several threads update the memory.
    Shared,
    /// Only the calling thread updates the elements of its share. Other threads may read these elements.
    Owned,
    /// Like `Owned`, except that each f32 is stored as an f64. The kernel only adds to these elements.
    OwnedWide,
}

/// The work of a pass on one share of a page or a vertex range.
pub(crate) trait Work {
    /// The attribute struct whose columns the work accesses.
    type Attributes: Attributes;
    /// Whether sessions may use wide replicas for the kernel.
    const WIDENS: bool = false;

    /// Runs the work.
    ///
    /// # Safety
    ///
    /// The columns must belong to the attribute struct and be valid for `P`.
    unsafe fn on<P: Memory>(self);
}

/// Runs work on the given kind of memory.
///
/// # Safety
///
/// The columns must belong to the work's attribute struct and be valid for this kind of memory. Vertex numbers must be
/// stored in 8 bytes if `wide` is set, otherwise in 4.
pub(super) unsafe fn instance<W: Work>(work: W, memory: MemoryKind, wide: bool) {
    // Each condition begins with a constant, so that the compiler omits the loop if the constant is false. SAFETY: the
    // caller upholds this function's contract. Columns without vertex numbers are identical in both widths.
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

/// Returns whether any of the struct's attributes contains vertex numbers.
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

/// Returns whether sessions may sum in a replica per thread for kernels of this kind.
pub const fn sums_in_replicas(kind: KernelKind) -> bool {
    matches!(kind, KernelKind::Scan | KernelKind::Intersect)
}

/// Returns whether replicas store sums of this type in a wider type. Only f32 needs a wider type, because large sums
/// lose precision.
pub const fn is_wide(scalar: ScalarType) -> bool {
    matches!(scalar, ScalarType::F32)
}

/// Returns whether sessions may use wide replicas for any of a kernel's sums.
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
