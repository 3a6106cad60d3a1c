//! The choice of techniques, which distribute the edges of a pass over the threads of a device.
//!
//! A technique is chosen once per graph, kernel and direction, by the cost model that plans also use. For the hybrid
//! technique, the device also stores a bit per page. The bit is set if each vertex of the page gets its own thread.

use super::driver::Buffer;
use super::session::CudaSession;
use super::shared::DeviceState;
use gts_contract::{KernelDescriptor, Technique};
use gts_core::cost::neighbors::{PassShape, choose};
use gts_core::cost::{KernelShape, ProcessorConstants, ProcessorKind, Ways};
use gts_core::graph::{Graph, GraphShape, ListShape};
use gts_core::page::Topology;
use gts_core::parallel::*;
use gts_device::constants;
use gts_device::error::Result;
use gts_device::tuning;
use gts_device::{PassRequest, identity};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The choices for a graph, each made when a pass first requires it.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    known: Mutex<Vec<KnownTechnique>>,
    ways: Mutex<Vec<(&'static KernelDescriptor, Ways)>>,
}

/// The technique chosen for a kernel and a direction.
#[derive(Debug)]
struct KnownTechnique {
    kernel: &'static KernelDescriptor,
    pulls: bool,
    technique: Technique,
    /// The estimated time of a pass over all edges, in seconds.
    seconds: f64,
    /// The bits of each topology's pages: see [`by_vertex`]. `None` until a pass requires them.
    by_vertex: [Option<Buffer>; 2],
}

impl Chosen {
    fn lock(&self) -> MutexGuard<'_, Vec<KnownTechnique>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DeviceState {
    /// Returns the performance constants of the device: measured constants if there are any, otherwise the defaults.
    pub(super) fn machine(&self) -> &ProcessorConstants {
        self.machine.get_or_init(|| {
            let measured = constants::load().ok().flatten().into_iter().flat_map(|machine| machine.processors);
            let is_this = |processor: &ProcessorConstants| {
                processor.kind == ProcessorKind::Cuda && self.context.name().ends_with(&processor.name)
            };
            let mut measured = measured.filter(is_this);
            measured.next().unwrap_or_else(ProcessorConstants::default_cuda)
        })
    }
}

impl CudaSession {
    /// Returns the technique that the device chooses for a pass of an edge kernel.
    pub(super) fn chosen_technique(
        &self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
        pulls: bool,
    ) -> Technique {
        let places = request.neighbours.places();
        if places.end - places.start <= tuning::CUDA_FEW_NEIGHBOURS {
            return Technique::Vertex;
        }
        let mut known = self.chosen.lock();
        self.known(&mut known, kernel, pulls).technique
    }

    /// Returns the costs for choosing between push and pull in the steps of a traversal.
    pub(super) fn ways(&self, kernel: &'static KernelDescriptor) -> Ways {
        let mut all = self.chosen.ways.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, ways)) = all.iter().find(|(known, _)| std::ptr::eq(*known, kernel)) {
            return *ways;
        }
        let mut known = self.chosen.lock();
        let seconds = [false, true].map(|pulls| self.known(&mut known, kernel, pulls).seconds);
        let graph = self.graph.shape();
        let ways = Ways::of(graph, &KernelShape::of(kernel, graph), seconds, self.shared.machine());
        all.push((kernel, ways));
        ways
    }

    /// Returns the device address of a topology's bits (see [`by_vertex`]), or 0 if the technique is not
    /// [`Technique::Hybrid`].
    pub(super) fn pages_by_vertex(
        &self,
        kernel: &'static KernelDescriptor,
        topology: &Topology,
        (technique, pulls): (Technique, bool),
    ) -> Result<u64> {
        if technique != Technique::Hybrid {
            return Ok(0);
        }
        let is_out = identity(topology) == identity(self.graph.out_topology());
        let mut known = self.chosen.lock();
        let place = &mut self.known(&mut known, kernel, pulls).by_vertex[usize::from(!is_out)];
        if let Some(bits) = place {
            return Ok(bits.address());
        }
        let lengths = if is_out { self.graph.out_degrees() } else { self.graph.in_degrees() };
        let bits = by_vertex(&self.graph, kernel, topology, lengths, pulls, self.shared.machine());
        let bits = self.shared.copy_of(bytemuck::cast_slice(&bits), "pages by technique")?;
        Ok(place.insert(bits).address())
    }

    /// Returns the choice for a kernel and a direction. The first call makes the choice.
    fn known<'a>(
        &self,
        all: &'a mut Vec<KnownTechnique>,
        kernel: &'static KernelDescriptor,
        pulls: bool,
    ) -> &'a mut KnownTechnique {
        let place = all.iter().position(|known| std::ptr::eq(known.kernel, kernel) && known.pulls == pulls);
        let place = place.unwrap_or_else(|| {
            let (technique, seconds) = chosen(self.graph.shape(), kernel, pulls, self.shared.machine());
            all.push(KnownTechnique { kernel, pulls, technique, seconds, by_vertex: [None, None] });
            all.len() - 1
        });
        &mut all[place]
    }
}

/// Chooses the technique for a kernel's passes. Returns the technique and the estimated seconds of a pass over all
/// edges.
fn chosen(
    graph: &GraphShape,
    kernel: &KernelDescriptor,
    pulls: bool,
    machine: &ProcessorConstants,
) -> (Technique, f64) {
    let kernel = KernelShape::of(kernel, graph);
    match PassShape::of(graph, &kernel, pulls) {
        Some(pass) => {
            let choice = choose(&pass, machine);
            (choice.technique, choice.seconds())
        }
        None => (Technique::Balanced, 0.0),
    }
}

/// Returns a bit per page, packed into words. A bit is set if the hybrid technique assigns a thread to each vertex of
/// the page.
fn by_vertex(
    graph: &Graph,
    kernel: &KernelDescriptor,
    topology: &Topology,
    lengths: &[u32],
    pulls: bool,
    machine: &ProcessorConstants,
) -> Vec<u32> {
    let kernel = KernelShape::of(kernel, graph.shape());
    let mut words = vec![0u32; (topology.num_pages() as usize).div_ceil(32).max(1)];
    let Some(pass) = PassShape::of(graph.shape(), &kernel, pulls) else { return words };
    let seconds = pass.terms(Technique::Balanced, machine).seconds();
    let prefers = |page| pass.prefers_vertices(&ListShape::of_page(topology, lengths, page), seconds, machine);
    let small = topology.small_pages().par_iter().with_min_len(16);
    for page in small.collect_flat(|&page| Some(page).filter(|page| prefers(*page))) {
        words[page.0 as usize / 32] |= 1 << (page.0 % 32);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_core::graph::PageId;

    #[test]
    fn a_bit_is_set_for_pages_of_equal_short_lists_alone() {
        use gts_contract::{Direction, KernelFacts, KernelKind, Limit, Schema, SourceLocation};
        static SCHEMA: Schema = Schema {
            name: "Nothing",
            parameter: None,
            attributes: &[],
            location: SourceLocation { file: "", line: 1, column: 1 },
        };
        static KERNEL: KernelDescriptor = KernelDescriptor {
            name: "nothing",
            function: "nothing",
            schema: &SCHEMA,
            kind: KernelKind::Scan,
            direction: Direction::Out,
            technique: None,
            ordered: false,
            facts: KernelFacts { replicable: Limit::Yes, ..KernelFacts::OF_NOTHING },
            error_sites: &[],
            cuda: "",
            location: SourceLocation { file: "", line: 1, column: 1 },
        };
        // Each vertex has two edges. One vertex in the last page also has an edge to every vertex.
        let vertices = 4000u64;
        let even = (0..vertices).flat_map(|v| [(v, (v + 1) % vertices), (v, (v + 7) % vertices)]);
        let hub = (0..vertices).map(|v| (vertices - 9, v));
        let graph = Graph::builder().edges(even.chain(hub)).page_size(32 << 10).build().unwrap();
        let topology = graph.out_topology();
        let machine = ProcessorConstants::default_cuda();
        let words = by_vertex(&graph, &KERNEL, topology, graph.out_degrees(), false, &machine);
        let bit = |page: PageId| words[page.0 as usize / 32] >> (page.0 % 32) & 1;
        let (last, others) = topology.small_pages().split_last().unwrap();
        assert!(!others.is_empty() && others.iter().all(|&page| bit(page) == 1), "{words:x?}");
        assert_eq!(bit(*last), 0);
    }
}
