//! Selects the kinds of memory for which a kernel's loops are compiled. Two kinds share one loop if their code does not
//! differ for the kernel.
#![allow(unsafe_code)]

use super::attributes::Attributes;
use super::scalar::{Memory, Replica, Shared, VertexWord, WideReplica};
use gts_contract::{Access, AttributeKind, KernelDescriptor, KernelKind, Merge, ScalarType, Schema};

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

/// The kinds of memory for which loops are compiled. A loop for shared memory is correct for owned memory, too.
#[derive(Clone, Copy)]
pub(crate) struct CompiledKinds {
    shared: bool,
    owned: bool,
    wide: bool,
}

impl CompiledKinds {
    /// One loop for all kinds of memory. The work updates no memory, or chooses the instructions for updates itself.
    pub(super) const ONE: Self = Self { shared: true, owned: false, wide: false };

    /// Returns the kinds for a kernel that runs for edges.
    pub(super) const fn of_edges(kernel: &KernelDescriptor) -> Self {
        Self { shared: true, owned: kernel.updates_in_place(), wide: widens(kernel) }
    }

    /// Returns the kinds for a vertex kernel.
    pub(super) const fn of_vertices(kernel: &KernelDescriptor) -> Self {
        let shared = !kernel.updates_its_own_vertex();
        Self { shared, owned: !shared || kernel.updates_in_place(), wide: false }
    }
}

/// The work of a pass on one share of a page or a vertex range.
pub(crate) trait Work {
    /// The attribute struct whose columns the work accesses.
    type Attributes: Attributes;
    /// The kinds of memory for which the work is compiled.
    const KINDS: CompiledKinds;

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
            on_kind::<W, u64>(work, memory);
        } else {
            on_kind::<W, u32>(work, memory);
        }
    }
}

/// Runs work on the given kind of memory, with vertex numbers of the width `N`.
///
/// # Safety
///
/// As for [`instance`].
#[inline(always)]
unsafe fn on_kind<W: Work, N: VertexWord>(work: W, memory: MemoryKind) {
    // SAFETY: the caller upholds this function's contract. Loops for shared memory are valid for owned memory. If there
    // are none, sessions pass owned memory.
    unsafe {
        if const { W::KINDS.wide } && memory == MemoryKind::OwnedWide {
            work.on::<WideReplica<N>>();
        } else if const { W::KINDS.owned } && (const { !W::KINDS.shared } || memory == MemoryKind::Owned) {
            work.on::<Replica<N>>();
        } else if const { W::KINDS.shared } {
            work.on::<Shared<N>>();
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
const fn widens(kernel: &KernelDescriptor) -> bool {
    let mut index = 0;
    while sums_in_replicas(kernel.kind) && kernel.facts.replicable.holds() && index < kernel.facts.uses.len() {
        let used = &kernel.facts.uses[index];
        let declared = &kernel.schema.attributes[used.attribute];
        if matches!(used.access, Access::Merge)
            && matches!(declared.kind, AttributeKind::Wa { merge: Merge::Sum, .. })
            && is_wide(declared.ty.scalar)
        {
            return true;
        }
        index += 1;
    }
    false
}
