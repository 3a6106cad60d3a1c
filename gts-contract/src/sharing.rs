//! Describes how devices with replicas of the attributes share a kernel's passes.

use super::{Access, AttributeKind, AttributeUse, Class, KernelDescriptor, KernelKind, Merge, ScalarType, Side, Site};

/// The method that makes all replicas equal after a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// One device runs the pass, and the other devices copy its writes.
    Broadcast,
    /// The values of all vertices are merged with the attributes' merges.
    Reduce,
    /// The values of activated vertices are merged with the attributes' merges. The pass changes no other vertices.
    Unite,
    /// Each vertex's values are copied from the device that visited the vertex's list on this side.
    Gather(Side),
}

/// The transport of values between ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// Transfers values through host memory. The hosts select the values of activated vertices.
    #[default]
    HostMemory,
    /// Transfers slices of all values between GPUs by NCCL.
    Nccl,
}

impl Transport {
    /// Returns the name of the transport.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HostMemory => "host memory",
            Self::Nccl => "nccl",
        }
    }
}

/// The number of bytes merged per replica after a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MergedBytes {
    /// The size of the attribute values in bytes.
    pub values: f64,
    /// The size in bytes of the set of active vertices.
    pub set: f64,
}

impl MergedBytes {
    /// Returns the total number of bytes.
    pub fn sum(&self) -> f64 {
        self.values + self.set
    }
}

impl Merging {
    /// Returns the method that determines the number of bytes transferred between ranks. NCCL transfers the values of
    /// all vertices even if only activated vertices are merged. Plans and runs both call this function.
    pub fn moved(self, transport: Transport) -> Self {
        match (self, transport) {
            (Self::Unite, Transport::Nccl) => Self::Reduce,
            _ => self,
        }
    }

    /// Returns the number of bytes merged per replica after a pass that writes `value` bytes per vertex. `activated` is
    /// the number of activated vertices: the expected number in a plan, the actual number in a run. The result is exact
    /// below 2^53 bytes.
    pub fn bytes(self, value: u64, activates: bool, vertices: f64, activated: f64) -> MergedBytes {
        let written = if self == Self::Unite { activated } else { vertices };
        MergedBytes { values: written * value as f64, set: if activates { (vertices / 8.0).ceil() } else { 0.0 } }
    }
}

/// The properties of a kernel's writes that determine how devices share its passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharedWrites {
    /// Whether one device must run the whole kernel. An edge kernel requires this if replicas of its attributes cannot
    /// be merged. An intersection kernel requires this because it reads arbitrary lists. A vertex kernel requires this
    /// if devices that each run the whole kernel could compute different values.
    pub alone: bool,
    /// Whether the kernel activates vertices.
    pub activates: bool,
    /// Whether the kernel changes values only at vertices that it activates.
    pub changes_activated: bool,
    /// Whether the kernel adds to vertex values.
    pub adds: bool,
    /// Whether the kernel writes vertex values only at the vertex whose list is visited.
    pub at_source: bool,
}

impl SharedWrites {
    /// Derives the properties from a kernel's description.
    pub fn of(kernel: &KernelDescriptor) -> Self {
        let merge = |used: &AttributeUse| match kernel.schema.attributes[used.attribute].kind {
            AttributeKind::Wa { merge, .. } => Some(merge),
            _ => None,
        };
        let writes = || kernel.facts.uses.iter().filter(|used| used.access != Access::Read && merge(used).is_some());
        Self {
            alone: match kernel.kind {
                KernelKind::Scan | KernelKind::Traverse => !kernel.facts.replicable.holds(),
                // An intersection reads arbitrary lists, and sharing its work is not worth a copy of all lists per
                // device.
                KernelKind::Intersect => true,
                KernelKind::Vertex => !same_on_all(kernel),
            },
            activates: !kernel.facts.activates.is_empty(),
            changes_activated: kernel.facts.changes_activated,
            adds: writes().any(|used| merge(used) == Some(Merge::Sum)),
            at_source: writes().all(|used| used.site == Site::Src),
        }
    }

    /// Returns the method that makes replicas equal after a pass over `sides`. If `pulls` is set, the pass visits the
    /// opposite topologies.
    pub fn merging(&self, sides: &[Side], pulls: bool) -> Merging {
        // If several devices add to a vertex, a merge would count the value from before the pass once per device.
        let unites = self.changes_activated && !self.adds;
        match *sides {
            _ if self.alone => Merging::Broadcast,
            // In a pass that pulls along one side, only the device that has a vertex's list adds to the vertex.
            [_] if self.changes_activated && pulls => Merging::Unite,
            _ if unites => Merging::Unite,
            [side] if pulls => Merging::Gather(side.opposite()),
            [side] if self.at_source => Merging::Gather(side),
            // The out-list and the in-list of a vertex may be on different devices.
            _ => Merging::Reduce,
        }
    }
}

/// Returns whether devices that each run the whole vertex kernel compute identical bits. The order of writes to
/// vertices other than `v` differs from run to run. Merges of integers and merges by comparison do not depend on this
/// order. However, the order determines which of several stored values remains, and how a floating-point sum is
/// rounded.
fn same_on_all(kernel: &KernelDescriptor) -> bool {
    let writes = || kernel.facts.uses.iter().filter(|used| used.access != Access::Read);
    let orderless = |used: &AttributeUse| {
        let declared = &kernel.schema.attributes[used.attribute];
        let rounds = matches!(declared.ty.scalar, ScalarType::F32 | ScalarType::F64);
        match declared.kind {
            AttributeKind::Wa { merge, .. } => used.access == Access::Merge && !(rounds && merge == Merge::Sum),
            _ => true,
        }
    };
    let meets = |used: &AttributeUse| writes().any(|one| one.attribute == used.attribute && one.site != Site::V);
    kernel.facts.class == Class::Ordered && writes().all(|used| orderless(used) || !meets(used))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUT: &[Side] = &[Side::Out];
    const BOTH: &[Side] = &[Side::Out, Side::In];

    #[test]
    fn scans_are_reduced_where_they_push_and_gathered_where_each_vertex_is_written_on_one_device() {
        let adds = SharedWrites { adds: true, ..SharedWrites::default() };
        assert_eq!(adds.merging(OUT, false), Merging::Reduce);
        assert_eq!(adds.merging(OUT, true), Merging::Gather(Side::In));
        assert_eq!(adds.merging(&[Side::In], true), Merging::Gather(Side::Out));
        let own = SharedWrites { at_source: true, ..SharedWrites::default() };
        assert_eq!(own.merging(OUT, false), Merging::Gather(Side::Out));
        // The two lists of a vertex may be on different devices.
        for pulls in [false, true] {
            assert_eq!((adds.merging(BOTH, pulls), own.merging(BOTH, pulls)), (Merging::Reduce, Merging::Reduce));
        }
    }

    #[test]
    fn what_changes_at_activated_vertices_is_united_unless_it_is_a_sum_that_pushes() {
        let changes = SharedWrites { activates: true, changes_activated: true, ..SharedWrites::default() };
        let adds = SharedWrites { adds: true, ..changes };
        for (sides, pulls) in [(OUT, false), (OUT, true), (BOTH, false), (BOTH, true)] {
            assert_eq!(changes.merging(sides, pulls), Merging::Unite, "{sides:?} {pulls}");
        }
        assert_eq!(adds.merging(OUT, false), Merging::Reduce);
        assert_eq!(adds.merging(OUT, true), Merging::Unite);
        assert_eq!((adds.merging(BOTH, false), adds.merging(BOTH, true)), (Merging::Reduce, Merging::Reduce));
    }

    #[test]
    fn values_of_all_vertices_or_of_activated_ones_become_the_same() {
        let of = |merging: Merging, activates| merging.bytes(4, activates, 1001.0, 10.0);
        for merging in [Merging::Broadcast, Merging::Reduce, Merging::Gather(Side::In)] {
            assert_eq!(of(merging, false), MergedBytes { values: 4004.0, set: 0.0 });
            assert_eq!(of(merging, true).sum(), 4004.0 + 126.0);
        }
        assert_eq!(of(Merging::Unite, true), MergedBytes { values: 40.0, set: 126.0 });
    }

    #[test]
    fn nccl_moves_all_values_where_those_of_activated_vertices_are_merged() {
        for merging in [Merging::Broadcast, Merging::Reduce, Merging::Gather(Side::In)] {
            assert_eq!([Transport::HostMemory, Transport::Nccl].map(|way| merging.moved(way)), [merging; 2]);
        }
        let united = |transport| Merging::Unite.moved(transport).bytes(4, true, 1001.0, 10.0);
        assert_eq!(united(Transport::HostMemory), MergedBytes { values: 40.0, set: 126.0 });
        assert_eq!(united(Transport::Nccl), MergedBytes { values: 4004.0, set: 126.0 });
    }

    #[test]
    fn what_one_device_runs_alone_is_copied() {
        let alone = SharedWrites { alone: true, changes_activated: true, at_source: true, ..SharedWrites::default() };
        for (sides, pulls) in [(OUT, false), (OUT, true), (BOTH, false)] {
            assert_eq!(alone.merging(sides, pulls), Merging::Broadcast);
        }
    }
}
