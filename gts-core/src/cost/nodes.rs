//! Models nodes that share a run. Each node has its own devices and memory, all attributes, and a share of the pages.
//! Nodes divide the work on pages. Every node repeats all other work.
//!
//! | part of a step | time per node |
//! |---|---|
//! | edge kernels and loading of pages | the busiest node: 1/N of the pages, at least one page and the longest list |
//! | vertex kernels | same as on one node: every node runs the kernel for all vertices |
//! | merging of values | bytes sent divided by the network rate, and merging in the processor's memory |
//! | exchanges | N - 1 times the latency, because each rank sends to the others one after the other |
//!
//! V is the size in bytes of all values, or of the activated vertices' values. S is 1/8 byte per vertex if the pass
//! activates vertices, otherwise 0. A node sends 2 (N - 1)/N (V + S) if values are reduced or united, (N - 1)/N V if
//! values are gathered, and (N - 1) V if one node runs the kernel alone. Large values need several exchanges, but the
//! latency is small compared with the transfer time.
//!
//! NCCL always transfers all values, even if only the values of activated vertices are merged. Values that pass through
//! host memory also cross a GPU's link twice: to the host and back.
//!
//! Every node reads and stores only the pages in its share. If a node runs a kernel alone, this node has all pages for
//! that kernel.

use super::algorithm::KernelShape;
use super::machine::LinkConstants;
use super::memory::Shortfall;
use super::merging::Apart;
use crate::advice::Advice;
use crate::graph::{DegreeClass, GraphShape};
use gts_contract::{KernelKind, MergedBytes, Merging, Side, Transport};

mod scaling;
#[cfg(test)]
mod tests;

pub use scaling::{Against, Point, Scaling, scaling};

/// The network between nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// Bytes per second that a node can send while receiving at the same rate.
    pub rate: f64,
    /// Seconds for exchanging empty messages between two nodes.
    pub latency: f64,
}

/// The nodes that share a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nodes {
    /// The number of nodes.
    pub count: u32,
    /// The network between the nodes.
    pub network: Network,
    /// The transport for values between nodes.
    pub transport: Transport,
}

impl Default for Nodes {
    fn default() -> Self {
        Self::ONE
    }
}

/// The cost of merging a pass's results between nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct MergeCost {
    /// Bytes sent by the busiest node.
    pub(super) sent: f64,
    /// The number of exchanges.
    pub(super) exchanges: f64,
    /// Seconds for transfers, merging and latency.
    pub(super) seconds: f64,
}

impl Nodes {
    /// A single node, which sends no messages.
    pub const ONE: Self =
        Self { count: 1, network: Network { rate: f64::INFINITY, latency: 0.0 }, transport: Transport::HostMemory };

    /// Returns whether there is more than one node.
    pub(super) fn are_several(&self) -> bool {
        self.count > 1
    }

    /// Returns the number of pages of a topology that the busiest node walks. Pages are distributed in groups that
    /// shrink to single pages towards the end, and no list is split.
    pub(super) fn most_pages(&self, graph: &GraphShape, side: Side) -> u64 {
        let Some(topology) = graph.topology(side) else { return 0 };
        if !self.are_several() {
            return topology.pages();
        }
        let degree = |class: &DegreeClass| if side == Side::Out { class.out_degree } else { class.in_degree };
        let longest = graph.classes.iter().map(degree).fold(0.0, f64::max) * topology.entry_bytes() as f64;
        let of_longest = (longest / f64::from(topology.page_size)).ceil() as u64;
        topology.pages().div_ceil(self.count.into()).max(of_longest).min(topology.pages())
    }

    /// Returns the share of a topology that the busiest node walks.
    pub(super) fn most_share(&self, graph: &GraphShape, side: Side) -> f64 {
        let pages = graph.topology(side).map_or(0, |topology| topology.pages());
        if pages == 0 { 1.0 } else { self.most_pages(graph, side) as f64 / pages as f64 }
    }

    /// Returns the size in bytes of the busiest node's pages on the given sides. In a symmetric graph, both sides share
    /// their pages.
    pub(super) fn page_bytes(&self, graph: &GraphShape, sides: &[Side]) -> u64 {
        let of = |side: &Side| {
            let size = graph.topology(*side).map_or(0, |topology| topology.page_size);
            self.most_pages(graph, *side) * u64::from(size)
        };
        match graph.symmetric {
            true => sides.first().map_or(0, of),
            false => sides.iter().map(of).sum(),
        }
    }

    /// Fails if there are more nodes than pages.
    pub(super) fn check(&self, graph: &GraphShape) -> Result<(), Shortfall> {
        let pages = graph.out.pages();
        if u64::from(self.count) <= pages.max(1) {
            return Ok(());
        }
        Err(Shortfall::Nodes {
            nodes: self.count,
            why: format!("the graph has {pages} pages, and each node walks whole ones"),
            remedy: Advice::new(
                "plan for fewer, or for a graph with a smaller --page-size",
                "plan for fewer, or for a graph with a smaller `page_size`",
            ),
        })
    }

    /// Fails if there are several nodes, because nodes cannot split attributes.
    pub(super) fn check_whole_attributes(&self) -> Result<(), Shortfall> {
        match self.are_several() {
            false => Ok(()),
            true => Err(Shortfall::Nodes {
                nodes: self.count,
                why: "each needs all attributes, which Strategy-S lays out in parts".to_owned(),
                remedy: Advice::new(
                    "leave --strategy out, or plan for one node",
                    "plan by `Strategy::Pages`, or for one node",
                ),
            }),
        }
    }

    /// Returns the seconds that `exchanges` exchanges of empty messages take.
    pub(super) fn waiting(&self, exchanges: f64) -> f64 {
        exchanges * self.network.latency * f64::from(self.count - 1)
    }

    /// Returns the cost of merging replicas between nodes after a pass. `apart` is `None` if all replicas stay equal,
    /// as after a vertex kernel that every node runs. `asks` is true if ranks must agree on whether passes push or
    /// pull. `link` is the link of a GPU.
    pub(super) fn crossing(
        &self,
        kernel: &KernelShape,
        apart: Option<Apart>,
        (asks, pulls): (bool, bool),
        vertices: f64,
        (memory_rate, link): (f64, Option<&LinkConstants>),
    ) -> MergeCost {
        if !self.are_several() {
            return MergeCost::default();
        }
        let exchanges = exchanges(kernel, apart.map(|apart| apart.merging), (asks, pulls)) as f64;
        let count = f64::from(self.count);
        let sent = apart.map_or(0.0, |apart| apart.sent(count));
        let handled = apart.map_or(0.0, |apart| handled(&apart, kernel, (count, self.transport)));
        let linked = match (apart, link, self.transport) {
            (Some(apart), Some(link), Transport::HostMemory) => {
                let bytes = kernel.merged as f64 * vertices + apart.bytes.set;
                bytes / link.back_rate + bytes / link.chunk_rate()
            }
            _ => 0.0,
        };
        let seconds = sent / self.network.rate + handled / memory_rate + linked + self.waiting(exchanges);
        MergeCost { sent, exchanges, seconds }
    }
}

/// Returns the number of exchanges in a pass, including the exchanges for globals that the pass adds to.
fn exchanges(kernel: &KernelShape, merging: Option<Merging>, (asks, pulls): (bool, bool)) -> u64 {
    let Some(merging) = merging else { return kernel.globals };
    let alone = merging == Merging::Broadcast;
    // One exchange determines whether all ranks would pull. If they would, a second exchange determines whether all
    // ranks are ready.
    let decided = match asks && kernel.may_pull && !alone && kernel.kind != KernelKind::Vertex {
        true => 1 + u64::from(pulls),
        false => 0,
    };
    let values = match merging {
        Merging::Reduce => 2 * kernel.merged_columns,
        Merging::Gather(_) | Merging::Broadcast => kernel.merged_columns,
        // The values are sent together with the set.
        Merging::Unite => 0,
    };
    let set = if kernel.writes.activates { 2 } else { 0 };
    // One additional exchange reports the work of all ranks.
    decided + 1 + values + set + kernel.globals
}

/// The cost of packing, merging or storing a single value, expressed as the number of bytes read from memory in the
/// same time. Measured: 7 ns on a core that reads 28.5 GB/s (BFS on RMAT 20, two ranks of `gts launch` on an EPYC).
const SINGLE: f64 = 200.0;

/// Returns the memory traffic of a merge on each node in bytes, excluding network transfers.
fn handled(apart: &Apart, kernel: &KernelShape, (nodes, transport): (f64, Transport)) -> f64 {
    /// A write costs two transfers: the cache reads the line, and later writes it back.
    const WRITTEN: f64 = 2.0;
    const COPIED: f64 = 1.0 + WRITTEN;
    let MergedBytes { values, set } = apart.bytes;
    // Each slice of the result combines the slices of all replicas. Each combination reads two slices and writes one.
    let merged = 3.0 * (nodes - 1.0) / nodes;
    let of_values = match apart.merging {
        // The value before the pass must be counted only once, so all replicas but one begin with a neutral value.
        Merging::Reduce => (WRITTEN + merged + COPIED) * values,
        Merging::Gather(_) | Merging::Broadcast => COPIED * values,
        Merging::Unite if transport == Transport::Nccl => (merged + COPIED) * values,
        // Each node packs its values, merges its slice, packs the result, and stores all results.
        Merging::Unite => {
            let vertices = values / kernel.merged.max(1) as f64;
            (3.0 + 1.0 / nodes) * SINGLE * vertices * kernel.merged_columns as f64
        }
    };
    of_values + (COPIED + merged + COPIED) * set
}
