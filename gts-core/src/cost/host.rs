//! Computes the host memory that a run uses for tables, attributes, results and pages.

use super::algorithm::AlgorithmShape;
use super::holding::{ColumnKey, ReadColumn};
use super::machine::{ProcessorConstants, ProcessorKind};
use super::memory::{Need, RunConfiguration, Shortfall};
use super::requirements::can_pull;
use crate::advice::Advice;
use crate::graph::{GraphShape, VertexOrder};
use crate::page::Ends;
use crate::units;

/// The size in bytes of a page's entry in the host's RVT, including the page's imbalance.
const RVT_ENTRY: u64 = 20;
/// The size in bytes of a page's checksum.
const CHECKSUM: u64 = 8;
/// The size of an original ID in bytes. The command line stores one ID per vertex besides the result.
const ID: u64 = 8;
/// Minimum number of pages in a buffer: one is read from storage while kernels read the other.
const LEAST_BUFFER: u64 = 2;
/// Minimum number of edges per vertex for which scans on a CPU pull. A pulling scan writes a source value once per
/// vertex and reads it once per edge.
const EDGES_A_HANDED_VALUE: u64 = 2;

/// Returns whether scans on a CPU pull by default for a graph with these numbers of edges and vertices.
pub fn scans_pull_on_cpu(edges: u64, vertices: u64) -> bool {
    edges >= EDGES_A_HANDED_VALUE.saturating_mul(vertices)
}

/// Returns whether scans on a CPU pull with this configuration, provided that their kernels can pull.
pub(super) fn cpu_scans_pull(graph: &GraphShape, configuration: &RunConfiguration) -> bool {
    let asked = |share| share == u64::MAX || scans_pull_on_cpu(graph.edges, graph.vertices);
    configuration.pull_share.is_some_and(asked)
}

const LARGER_MACHINE: &str = "run it on a machine with more memory";

/// Returns the advice to allow at least `needed` bytes for tables and pages.
fn host_memory(needed: u64) -> Advice {
    Advice::new(
        format!("give --host-memory {} or more", units::at_least(needed)),
        format!("allow a `host_memory` of {needed} bytes or more"),
    )
}

/// The location of a graph's pages on the host.
pub(super) struct HostResidence {
    /// Bytes of host memory that pages may use.
    pub(super) budget: u64,
    /// The size in bytes of the pages in host memory.
    pub(super) pages: u64,
    /// Whether pages stay on storage and are loaded through a buffer.
    pub(super) buffered: bool,
}

/// The graph and attributes to place in host memory.
pub(super) struct HostLoad<'a> {
    pub(super) graph: &'a GraphShape,
    pub(super) algorithm: &'a AlgorithmShape,
    /// The needs for attributes if the processor uses host memory; otherwise empty.
    pub(super) attributes: Vec<Need>,
    /// Columns that stay in host memory because they do not fit on a device.
    pub(super) away: &'a [ReadColumn],
    pub(super) processor: &'a ProcessorConstants,
    /// The size in bytes of all pages of the graph.
    pub(super) graph_pages: u64,
    /// The size in bytes of the pages that the algorithm walks.
    pub(super) walked: u64,
    /// Whether a single device has room for all pages that the algorithm walks, as kernels that intersect lists
    /// require.
    pub(super) on_one: bool,
}

impl HostLoad<'_> {
    /// Returns the host's needs besides pages: first the needs that a host memory budget covers, then all others.
    fn needs(&self, stored: bool) -> (Vec<Need>, Vec<Need>) {
        let (graph, algorithm) = (self.graph, self.algorithm);
        let heads = if graph.order == VertexOrder::Degree { 4 } else { 0 };
        let pages = graph.out.pages() + graph.incoming.map_or(0, |side| side.pages());
        let mut tables = vec![
            Need { what: "degrees", bytes: graph.vertices * (heads + if graph.symmetric { 4 } else { 8 }) },
            Need { what: "map of IDs", bytes: graph.id_map },
            Need { what: "RVT", bytes: pages * RVT_ENTRY },
        ];
        if stored {
            tables.push(Need { what: "checksums", bytes: pages * CHECKSUM });
        }
        let answer = graph.vertices * algorithm.attributes.wa + graph.edges * algorithm.attributes.edge_wa;
        let mut rest = vec![Need { what: "answer", bytes: answer }, Need { what: "IDs", bytes: graph.vertices * ID }];
        rest.extend(self.attributes.iter().copied());
        // Degree columns are counted above, because degrees are always in host memory.
        let away = self.away.iter().filter(|column| matches!(column.key, ColumnKey::Attribute(_)));
        let away: u64 = away.map(|column| column.bytes * graph.vertices).sum();
        if away > 0 {
            rest.push(Need { what: "RA that travels", bytes: away });
        }
        let on_cpu = self.processor.kind == ProcessorKind::Cpu;
        if on_cpu {
            rest.extend(self.beside_attributes());
        }
        // With a GPU, no host thread searches for patterns.
        let threads = if on_cpu { self.processor.accesses.warps } else { 0 };
        rest.extend(algorithm.pattern.iter().flat_map(|pattern| pattern.on_host(graph, threads)));
        (tables, rest)
    }

    /// Returns the needs for the lists and source values that some kernels require on a CPU.
    fn beside_attributes(&self) -> Vec<Need> {
        let (graph, algorithm) = (self.graph, self.algorithm);
        let mut needs = Vec::new();
        // Each list contains the vertex's neighbours in later positions: 4 bytes per two directed edges, plus the
        // list's offset.
        if algorithm.kernels().any(|kernel| kernel.ordered) {
            needs.push(Need { what: "lists by degree", bytes: 2 * graph.edges + 16 * graph.vertices });
        }
        if scans_pull_on_cpu(graph.edges, graph.vertices) {
            needs.extend(handed(graph, algorithm));
        }
        needs
    }

    /// Places the host's data and the graph's pages in `memory` bytes of host memory.
    pub(super) fn place(
        &self,
        memory: u64,
        configuration: &RunConfiguration,
    ) -> Result<(Vec<Need>, HostResidence), Shortfall> {
        let sum = |needs: &[Need]| needs.iter().map(|need| need.bytes).sum::<u64>();
        let (mut needs, rest) = self.needs(configuration.stored);
        let tables = sum(&needs);
        needs.extend(rest);
        let residence = self.residence(memory, sum(&needs), tables, configuration)?;
        if residence.buffered {
            needs.push(Need { what: "vertices with edges", bytes: self.ends() });
        }
        Ok((needs, residence))
    }

    /// Returns the size in bytes of the bit sets that mark vertices with edges. Loaded pages are checked against these
    /// sets.
    fn ends(&self) -> u64 {
        (1 + u64::from(self.graph.incoming.is_some())) * Ends::bytes(self.graph.vertices)
    }

    fn residence(
        &self,
        memory: u64,
        held: u64,
        tables: u64,
        configuration: &RunConfiguration,
    ) -> Result<HostResidence, Shortfall> {
        let pages = self.graph_pages;
        let short = |what: &str, needed, available, remedy: Advice| {
            let what = what.to_owned();
            Err(Shortfall::HostMemory { what, needed, available, remedy })
        };
        let free = memory.saturating_sub(held);
        // The host memory budget of a run covers tables and pages, but not attributes.
        let limit = configuration.host_memory.filter(|_| configuration.stored);
        let budget = limit.map_or(free, |limit| limit.saturating_sub(tables));
        let in_memory = !configuration.stored || pages <= budget;
        let ends = if in_memory { 0 } else { self.ends() };
        let (budget, free) = (budget.saturating_sub(ends), free.saturating_sub(ends));
        let least = LEAST_BUFFER * u64::from(self.graph.out.page_size);
        let available = limit.unwrap_or(memory);
        if !in_memory && limit.is_some() && budget < least {
            let needed = tables + ends + least;
            return short("the tables of the graph and two pages", needed, available, host_memory(needed));
        }
        if held + ends > memory {
            return short("attributes and tables", held + ends, memory, LARGER_MACHINE.into());
        }
        if in_memory && pages > free {
            let remedy = match limit {
                Some(_) => Advice::new(
                    "give less --host-memory, so that pages stay in the store and stream",
                    "allow less `host_memory`, so that pages stay in the store and stream",
                ),
                None => "build it into a store, from which pages are read as they are needed".into(),
            };
            return short("the graph's pages", held + pages, memory, remedy);
        }
        if in_memory {
            return Ok(HostResidence { budget: budget.min(free), pages, buffered: false });
        }
        if self.algorithm.meets_lists() && !self.on_one {
            let what = "the tables of the graph and all pages, because it meets lists of any vertices";
            let needed = tables + pages;
            return short(what, needed, available, host_memory(needed));
        }
        let budget = budget.min(free);
        if budget < least {
            return short("attributes, tables and two pages", held + ends + least, memory, LARGER_MACHINE.into());
        }
        Ok(HostResidence { budget, pages: budget.min(self.walked), buffered: true })
    }
}

/// Returns the memory for the source values of all vertices in a pulling scan.
pub(super) fn handed(graph: &GraphShape, algorithm: &AlgorithmShape) -> Option<Need> {
    let pulling = algorithm.kernels().filter(|kernel| can_pull(graph, kernel));
    let each = pulling.filter_map(|kernel| kernel.handed).max().filter(|bytes| *bytes > 0)?;
    Some(Need { what: "values handed along edges", bytes: each * graph.vertices })
}
