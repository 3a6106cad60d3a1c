//! The argument struct of a kernel, in slots of eight bytes: the common part, one slot per attribute, then the second
//! slots that [`reads_before`] describes.
//!
//! Device code declares the same layout: `gts_common` in `cuda_src/prelude.cuh`, and the struct that the macros
//! generate for each kernel. Both declarations assert their sizes. When a kernel is loaded, the host also compares the
//! size with the size that the driver reports.

use bytemuck::{Pod, Zeroable};
use gts_contract::{AttributeKind, KernelDescriptor, KernelKind, Site};
use gts_device::error::Result;
use gts_device::kernel::{Fault, FaultPlace};

/// A topology whose pages are contiguous in memory: `gts_lists`.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ListArguments {
    /// The address of the first page.
    pub(super) base: u64,
    /// The address of an array that contains the first vertex of each page, then the number of vertices.
    pub(super) start_vids: u64,
    pub(super) num_pages: u64,
    /// The address of an array that contains the length of each vertex's list.
    pub(super) degrees: u64,
    /// The address of an array that contains the index of each page's first edge; 0 if the kernel does not update edge
    /// values.
    pub(super) first_edges: u64,
}

/// The arguments common to all kernels: `gts_common`. All addresses are device addresses.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Common {
    /// The address of the launch's page references.
    pub(super) pages: u64,
    /// The base address for the offsets in the page references.
    pub(super) page_base: u64,
    /// The address of the page count, if the device has counted the pages; 0 if `num_pages` contains the count.
    pub(super) found_pages: u64,
    /// The number of pages, if `found_pages` is 0.
    pub(super) num_pages: u64,
    /// The size of a page in bytes.
    pub(super) page_bytes: u64,
    /// The number of work units per page.
    pub(super) page_chunks: u64,
    /// The address of an array that contains the first vertex of each page, then the number of vertices.
    pub(super) start_vids: u64,
    pub(super) num_vertices: u64,
    pub(super) num_edges: u64,
    pub(super) step: u64,
    /// The address of the set of active vertices.
    pub(super) active: u64,
    /// The address of the set of vertices that are active in the next step.
    pub(super) next: u64,
    pub(super) out_degrees: u64,
    pub(super) in_degrees: u64,
    /// The address of the [`Status`], through which the kernel and the host exchange messages.
    pub(super) status: u64,
    /// The number of consecutive vertices that a virtual warp claims at once, divided by the number of lanes in the
    /// warp; 0 to claim single vertices.
    pub(super) warp_chunk: u64,
    /// The address of an array with one bit per page of the topology. A bit is set if the hybrid technique assigns a
    /// thread to each vertex of the page.
    pub(super) by_vertex: u64,
    /// The first vertex whose attributes are on the device, and the number of vertices with attributes on the device.
    pub(super) first_vertex: u64,
    pub(super) local_vertices: u64,
    /// The seed of the pass's random numbers.
    pub(super) random: u64,
    /// The range of positions to walk in each list: the first position, and the number of positions.
    pub(super) first_place: u64,
    pub(super) places: u64,
    /// The number of entries in each page of a large vertex, except the last page.
    pub(super) large_page_entries: u64,
    /// The topologies in which intersection kernels look up lists.
    pub(super) lists: [ListArguments; 2],
    /// The address of the tables in which a kernel counts values.
    pub(super) tallies: u64,
    /// The address of the values that sources pass to their edges in a pulling scan.
    pub(super) handed: u64,
    /// The edge list of the pass: the address of the sources and targets, the address of the values, and the number of
    /// edges.
    pub(super) edge_list: u64,
    pub(super) edge_values: u64,
    pub(super) listed_edges: u64,
    /// The address of the counter for edges of active vertices, in a pass over an edge list.
    pub(super) active_edges: u64,
}

/// The number of slots in the common part: `GTS_COMMON_SLOTS`.
const COMMON_SLOTS: usize = 39;
const _: () = assert!(size_of::<Common>() == 8 * COMMON_SLOTS);

/// Messages between kernels and the host: `gts_status`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Status {
    /// Nonzero after an error.
    pub(super) error: u32,
    /// The index of the error's location in the kernel's `error_sites`.
    pub(super) error_site: u32,
    /// The value that caused the error.
    pub(super) error_value: i64,
    /// The vertex or edge, as in [`FaultPlace`].
    pub(super) error_src: u64,
    pub(super) error_dst: u64,
    pub(super) error_prefix: u64,
    pub(super) error_step: u32,
    pub(super) lock: u32,
    /// Nonzero if the host has requested that the pass end early.
    pub(super) stop: u32,
    pub(super) unused: u32,
}

impl Status {
    /// Returns the error of a kernel that has reported a fault.
    pub(super) fn fault(&self, kernel: &'static KernelDescriptor) -> Result<()> {
        if self.error == 0 {
            return Ok(());
        }
        let place = FaultPlace { src: self.error_src, dst: self.error_dst };
        Err(Fault { site: self.error_site, place, value: self.error_value }.error(kernel))
    }
}

/// The counts that the `gts_collect_*` kernels compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Collected {
    pub(super) small_pages: u64,
    pub(super) large_pages: u64,
    /// The number of edges of the active vertices.
    pub(super) edges: u64,
}

/// The argument of the `gts_collect_*` kernels.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct CollectArguments {
    pub(super) active: u64,
    pub(super) start_vids: u64,
    pub(super) degrees: u64,
    /// The address of references to the pages of the topology, small pages first.
    pub(super) pages: u64,
    pub(super) num_small: u64,
    pub(super) num_large: u64,
    /// The address of memory for references to all small pages.
    pub(super) small_found: u64,
    /// The address of memory for references to all large pages.
    pub(super) large_found: u64,
    /// The address of the [`Collected`], which the caller zeroes.
    pub(super) collected: u64,
    /// The number of consecutive pages that a warp processes, at most 32.
    pub(super) pages_a_warp: u64,
    /// The address of the pass's start time. The kernel sets the time if the stored time is 0.
    pub(super) begun: u64,
}

/// Returns the number of slots in a kernel's argument struct.
pub(super) fn slots(kernel: &KernelDescriptor) -> usize {
    COMMON_SLOTS + kernel.schema.attributes.len() + reads_before(kernel).count()
}

/// Returns the indices of the `wa` attributes that a kernel reads at `src`, a vertex that another device may own. Each
/// of these attributes has a second slot, after the first slots of all attributes. The macros lay out the struct by the
/// same rule.
pub(super) fn reads_before(kernel: &KernelDescriptor) -> impl Iterator<Item = usize> {
    let splittable = kernel.kind != KernelKind::Vertex && kernel.facts.splittable.holds();
    let attributes = kernel.schema.attributes.iter().enumerate();
    attributes.filter_map(move |(index, attribute)| {
        let mut uses = kernel.facts.uses.iter().filter(|used| used.attribute == index);
        let wa = matches!(attribute.kind, AttributeKind::Wa { .. });
        (splittable && wa && uses.any(|used| used.site == Site::Src)).then_some(index)
    })
}

/// Returns a kernel's argument struct, given the common part and the attribute slots.
pub(super) fn kernel_arguments(common: &Common, attributes: &[u64]) -> Vec<u64> {
    [bytemuck::cast_slice(std::slice::from_ref(common)), attributes].concat()
}
