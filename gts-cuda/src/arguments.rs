//! The argument struct of a kernel: slots of eight bytes, first the common part, then one slot per attribute.
//!
//! The counterparts are `gts_common` in `cuda_src/prelude.cuh` and the struct that the macros write into a kernel's
//! text. Both assert their sizes, and looking up a kernel compares the size with the driver's.

use bytemuck::{Pod, Zeroable};
use gts_contract::{AttributeKind, KernelDescriptor, KernelKind, Site};

/// A topology with consecutive pages: `gts_lists`.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ListArguments {
    /// Address of the first page.
    pub(super) base: u64,
    /// The first vertex of each page, then the number of vertices.
    pub(super) start_vids: u64,
    pub(super) num_pages: u64,
    /// The lengths of the lists, by vertex.
    pub(super) degrees: u64,
    /// The number of the first edge of each page; 0 if the kernel updates no values of edges.
    pub(super) first_edges: u64,
}

/// The part common to all kernels: `gts_common`. Addresses are those of device memory.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Common {
    /// References to the pages of the launch.
    pub(super) pages: u64,
    /// The base of the offsets in the references.
    pub(super) page_base: u64,
    /// Address of the number of pages if the device has counted them; 0 if the host provides it.
    pub(super) found_pages: u64,
    /// Number of pages, if the host provides it.
    pub(super) num_pages: u64,
    /// Bytes of a page.
    pub(super) page_bytes: u64,
    /// Units of work per page.
    pub(super) page_chunks: u64,
    /// The first vertex of each page, then the number of vertices.
    pub(super) start_vids: u64,
    pub(super) num_vertices: u64,
    pub(super) num_edges: u64,
    pub(super) step: u64,
    /// The active vertices.
    pub(super) active: u64,
    /// The active vertices of the next step.
    pub(super) next: u64,
    pub(super) out_degrees: u64,
    pub(super) in_degrees: u64,
    /// The kernel's messages to the host: [`Status`].
    pub(super) status: u64,
    /// Vertices that a virtual warp takes in a row, in multiples of its lanes; 0 for single vertices.
    pub(super) warp_chunk: u64,
    /// A bit per page of the topology, set if the hybrid technique assigns a thread to each of the page's vertices.
    pub(super) by_vertex: u64,
    /// The vertices whose attributes are on the device.
    pub(super) first_vertex: u64,
    pub(super) local_vertices: u64,
    /// Start of the random numbers of the pass.
    pub(super) random: u64,
    /// The walked places of each list: the first one and their number.
    pub(super) first_place: u64,
    pub(super) places: u64,
    /// Entries of a page of a large vertex, except for its last page.
    pub(super) large_page_entries: u64,
    /// The topologies in which kernels that intersect look up lists.
    pub(super) lists: [ListArguments; 2],
    /// The tables of a kernel that counts values.
    pub(super) tallies: u64,
    /// The values that vertices hand out in a scan that pulls.
    pub(super) handed: u64,
    /// The list of a pass over an edge list: the ends of its edges, their values, and their number.
    pub(super) edge_list: u64,
    pub(super) edge_values: u64,
    pub(super) listed_edges: u64,
    /// The counter for edges of active vertices in a pass over an edge list.
    pub(super) active_edges: u64,
}

/// Slots of the common part: `GTS_COMMON_SLOTS`.
const COMMON_SLOTS: usize = 39;
const _: () = assert!(size_of::<Common>() == 8 * COMMON_SLOTS);

/// The messages of kernels to the host: `gts_status`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Status {
    /// Not 0 after an error.
    pub(super) error: u32,
    /// The location of the first error in the kernel.
    pub(super) error_site: u32,
    /// The value of the first error.
    pub(super) error_value: i64,
    /// Set by the host to end a pass early.
    pub(super) stop: u32,
    pub(super) unused: u32,
}

/// The counts of `gts_collect_*`.
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
    /// Memory for references to all small pages.
    pub(super) small_found: u64,
    /// Memory for references to all large pages.
    pub(super) large_found: u64,
    /// [`Collected`], zeroed by the caller.
    pub(super) collected: u64,
    /// Pages that a warp takes in a row, up to 32.
    pub(super) pages_a_warp: u64,
    /// Address of the start time of the pass.
    pub(super) begun: u64,
}

/// Returns the number of slots in the argument struct of a kernel.
pub(super) fn slots(kernel: &KernelDescriptor) -> usize {
    COMMON_SLOTS + kernel.schema.attributes.len() + reads_before(kernel).count()
}

/// Returns the `wa` attributes that a kernel reads at `src`, where other devices may hold them. Each has a second slot,
/// after those of all attributes. The macros lay out the struct by the same rule.
pub(super) fn reads_before(kernel: &KernelDescriptor) -> impl Iterator<Item = usize> {
    let splittable = kernel.kind != KernelKind::Vertex && kernel.facts.splittable.holds();
    let attributes = kernel.schema.attributes.iter().enumerate();
    attributes.filter_map(move |(index, attribute)| {
        let mut uses = kernel.facts.uses.iter().filter(|used| used.attribute == index);
        let wa = matches!(attribute.kind, AttributeKind::Wa { .. });
        (splittable && wa && uses.any(|used| used.site == Site::Src)).then_some(index)
    })
}

/// Returns the argument struct of a kernel.
pub(super) fn kernel_arguments(common: &Common, attributes: &[u64]) -> Vec<u64> {
    [bytemuck::cast_slice(std::slice::from_ref(common)), attributes].concat()
}
