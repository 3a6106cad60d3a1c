//! The argument struct of a kernel: slots of eight bytes, the common part first, then one for each attribute.
//!
//! The other side of this is `gts_common` in `cuda_src/prelude.cuh` and the struct that the macros write into a kernel's
//! text; both assert their sizes, and the driver is asked for the size when a kernel is looked up.

use bytemuck::{Pod, Zeroable};
use gts_contract::{AttributeKind, KernelDescriptor, KernelKind, Site};

/// A topology whose pages stand one after the other: `gts_lists`.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ListArguments {
    /// The first page.
    pub(super) base: u64,
    /// The first vertex of each page, then the number of vertices.
    pub(super) start_vids: u64,
    pub(super) num_pages: u64,
    /// The lengths of the lists, by vertex.
    pub(super) degrees: u64,
    /// The number of the first edge of each page; 0 where the kernel updates no values of edges.
    pub(super) first_edges: u64,
}

/// The part that all kernels share: `gts_common`. Addresses are of device memory.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Common {
    /// References to the pages of the launch.
    pub(super) pages: u64,
    /// What the offsets in the references count from.
    pub(super) page_base: u64,
    /// Where the device has left their number; 0 where the host knows it.
    pub(super) found_pages: u64,
    /// The number that the host knows.
    pub(super) num_pages: u64,
    /// Bytes of a page.
    pub(super) page_bytes: u64,
    /// Units of work that a page is cut into.
    pub(super) page_chunks: u64,
    /// The first vertex of each page, then the number of vertices.
    pub(super) start_vids: u64,
    pub(super) num_vertices: u64,
    pub(super) num_edges: u64,
    pub(super) step: u64,
    /// The active vertices.
    pub(super) active: u64,
    /// Those of the next step.
    pub(super) next: u64,
    pub(super) out_degrees: u64,
    pub(super) in_degrees: u64,
    /// What the kernel tells: [`Status`].
    pub(super) status: u64,
    /// The vertices that a virtual warp takes one after the other, in multiples of its lanes; 0 for single vertices.
    pub(super) warp_chunk: u64,
    /// A bit a page of the topology: whether the hybrid technique gives its vertices a thread each.
    pub(super) by_vertex: u64,
    /// The vertices whose attributes are on the device.
    pub(super) first_vertex: u64,
    pub(super) local_vertices: u64,
    /// What random numbers of the pass begin with.
    pub(super) random: u64,
    /// The places of each list that are walked, from this one on so many.
    pub(super) first_place: u64,
    pub(super) places: u64,
    /// Entries of a page of a large vertex, but for its last.
    pub(super) large_page_entries: u64,
    /// The topologies in which kernels that intersect look up lists.
    pub(super) lists: [ListArguments; 2],
    /// The tables of a kernel that counts values.
    pub(super) tallies: u64,
    /// What each vertex hands out in a scan that pulls.
    pub(super) handed: u64,
    /// The list of a pass over one: the ends of its edges, their values, and their number.
    pub(super) edge_list: u64,
    pub(super) edge_values: u64,
    pub(super) listed_edges: u64,
    /// Where a pass over an edge list counts the edges of active vertices.
    pub(super) active_edges: u64,
}

/// Slots of the common part: `GTS_COMMON_SLOTS`.
const COMMON_SLOTS: usize = 39;
const _: () = assert!(size_of::<Common>() == 8 * COMMON_SLOTS);

/// What kernels tell the host: `gts_status`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Status {
    /// Not 0 after an error.
    pub(super) error: u32,
    /// The place of the first error in the kernel.
    pub(super) error_site: u32,
    /// Its value.
    pub(super) error_value: i64,
    /// Set by the host to end a pass early.
    pub(super) stop: u32,
    pub(super) unused: u32,
}

/// What `gts_collect_*` counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Collected {
    pub(super) small_pages: u64,
    pub(super) large_pages: u64,
    /// Edges of the active vertices.
    pub(super) edges: u64,
}

/// The argument of `gts_collect_*`.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct CollectArguments {
    pub(super) active: u64,
    pub(super) start_vids: u64,
    pub(super) degrees: u64,
    /// The pages of the topology, small ones first.
    pub(super) pages: u64,
    pub(super) num_small: u64,
    pub(super) num_large: u64,
    /// Room for as many small pages as there are.
    pub(super) small_found: u64,
    /// The same for large ones.
    pub(super) large_found: u64,
    /// [`Collected`], zeroed before.
    pub(super) collected: u64,
    /// Pages that a warp takes in a row, up to 32.
    pub(super) pages_a_warp: u64,
    /// Where the time stands at which the pass began.
    pub(super) begun: u64,
}

/// Slots of the argument struct of a kernel.
pub(super) fn slots(kernel: &KernelDescriptor) -> usize {
    COMMON_SLOTS + kernel.schema.attributes.len() + reads_before(kernel).count()
}

/// The `wa` that a kernel reads at src, where other devices may hold them: they have a second slot, after those of all
/// attributes. The macros lay the struct out by the same rule.
pub(super) fn reads_before(kernel: &KernelDescriptor) -> impl Iterator<Item = usize> {
    let splittable = kernel.kind != KernelKind::Vertex && kernel.facts.splittable.holds();
    let attributes = kernel.schema.attributes.iter().enumerate();
    attributes.filter_map(move |(index, attribute)| {
        let mut uses = kernel.facts.uses.iter().filter(|used| used.attribute == index);
        let wa = matches!(attribute.kind, AttributeKind::Wa { .. });
        (splittable && wa && uses.any(|used| used.site == Site::Src)).then_some(index)
    })
}

/// The argument struct of a kernel.
pub(super) fn kernel_arguments(common: &Common, attributes: &[u64]) -> Vec<u64> {
    [bytemuck::cast_slice(std::slice::from_ref(common)), attributes].concat()
}
