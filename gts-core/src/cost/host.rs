//! The memory of the host: tables, attributes and answers, and the pages that are there or come through a buffer.

use super::algorithm::AlgorithmShape;
use super::holding::{ColumnKey, ReadColumn};
use super::machine::{ProcessorConstants, ProcessorKind};
use super::memory::{Need, RunConfiguration, Shortfall};
use super::requirements::can_pull;
use super::shape::GraphShape;
use crate::advice::Advice;
use crate::graph::VertexOrder;
use crate::page::Ends;
use crate::units;

/// Bytes of a page's entry in the host's RVT, and of its imbalance.
const RVT_ENTRY: u64 = 20;
/// Bytes of a page's checksum.
const CHECKSUM: u64 = 8;
/// Bytes of an original ID, of which a command line has one a vertex beside the answer.
const ID: u64 = 8;
/// The least pages of a buffer: one is read while another is used.
const LEAST_BUFFER: u64 = 2;
/// Edges a vertex from which a CPU's scans pull: what is handed out is written once a vertex, and read once an edge.
const EDGES_A_HANDED_VALUE: u64 = 2;

/// Returns whether a CPU's scans pull by their own choice in a graph of so many edges and vertices.
pub fn scans_pull_on_cpu(edges: u64, vertices: u64) -> bool {
    edges >= EDGES_A_HANDED_VALUE.saturating_mul(vertices)
}

/// Returns whether a CPU's scans that can pull do so in a run that is set up like that.
pub(super) fn cpu_scans_pull(graph: &GraphShape, configuration: &RunConfiguration) -> bool {
    let asked = |share| share == u64::MAX || scans_pull_on_cpu(graph.edges, graph.vertices);
    configuration.pull_share.is_some_and(asked)
}

const LARGER_MACHINE: &str = "run it on a machine with more memory";

/// Returns the next step where tables and pages need this many bytes.
fn host_memory(needed: u64) -> Advice {
    Advice::new(
        format!("give --host-memory {} or more", units::at_least(needed)),
        format!("allow a `host_memory` of {needed} bytes or more"),
    )
}

/// Where the pages of a graph lie on the host.
pub(super) struct Residence {
    /// Bytes of host memory that pages may take.
    pub(super) budget: u64,
    /// Bytes of pages in host memory.
    pub(super) pages: u64,
    /// Whether pages stay on storage, and come through a buffer.
    pub(super) buffered: bool,
}

/// What is to lie on the host.
pub(super) struct HostLoad<'a> {
    pub(super) graph: &'a GraphShape,
    pub(super) algorithm: &'a AlgorithmShape,
    /// What a processor without memory of its own has there.
    pub(super) attributes: Vec<Need>,
    /// What a device has no room for.
    pub(super) away: &'a [ReadColumn],
    pub(super) processor: &'a ProcessorConstants,
    /// Bytes of pages of the graph.
    pub(super) graph_pages: u64,
    /// Bytes of pages that the algorithm walks.
    pub(super) walked: u64,
    /// Whether one device has room for all of those: lists are met on one alone.
    pub(super) on_one: bool,
}

impl HostLoad<'_> {
    /// What the host holds beside pages: first what a budget of host memory counts, then the rest.
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
        // Degrees are there anyway.
        let away = self.away.iter().filter(|column| matches!(column.key, ColumnKey::Attribute(_)));
        let away: u64 = away.map(|column| column.bytes * graph.vertices).sum();
        if away > 0 {
            rest.push(Need { what: "RA that travels", bytes: away });
        }
        let on_cpu = self.processor.kind == ProcessorKind::Cpu;
        if on_cpu {
            rest.extend(self.beside_attributes());
        }
        // On a GPU no thread of the host searches.
        let threads = if on_cpu { self.processor.accesses.warps } else { 0 };
        rest.extend(algorithm.pattern.iter().flat_map(|pattern| pattern.on_host(graph, threads)));
        (tables, rest)
    }

    /// What a CPU makes for some kernels.
    fn beside_attributes(&self) -> Vec<Need> {
        let (graph, algorithm) = (self.graph, self.algorithm);
        let mut needs = Vec::new();
        // The neighbours of each vertex that come after it, 4 bytes for each two directed edges, and where they begin.
        if algorithm.kernels().any(|kernel| kernel.ordered) {
            needs.push(Need { what: "lists by degree", bytes: 2 * graph.edges + 16 * graph.vertices });
        }
        if scans_pull_on_cpu(graph.edges, graph.vertices) {
            needs.extend(handed(graph, algorithm));
        }
        needs
    }

    /// The needs of the host, and where the pages lie, within so many bytes of memory.
    pub(super) fn place(
        &self,
        memory: u64,
        configuration: &RunConfiguration,
    ) -> Result<(Vec<Need>, Residence), Shortfall> {
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

    /// Bytes that tell which vertices have edges, against which pages are checked as they come.
    fn ends(&self) -> u64 {
        (1 + u64::from(self.graph.incoming.is_some())) * Ends::bytes(self.graph.vertices)
    }

    fn residence(
        &self,
        memory: u64,
        held: u64,
        tables: u64,
        configuration: &RunConfiguration,
    ) -> Result<Residence, Shortfall> {
        let pages = self.graph_pages;
        let short = |what: &str, needed, available, remedy: Advice| {
            let what = what.to_owned();
            Err(Shortfall::HostMemory { what, needed, available, remedy })
        };
        let free = memory.saturating_sub(held);
        // The budget of a run is for tables and pages; attributes are beside it.
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
            return Ok(Residence { budget: budget.min(free), pages, buffered: false });
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
        Ok(Residence { budget, pages: budget.min(self.walked), buffered: true })
    }
}

/// What all vertices hand out where a scan pulls.
pub(super) fn handed(graph: &GraphShape, algorithm: &AlgorithmShape) -> Option<Need> {
    let pulling = algorithm.kernels().filter(|kernel| can_pull(graph, kernel));
    let each = pulling.filter_map(|kernel| kernel.handed).max().filter(|bytes| *bytes > 0)?;
    Some(Need { what: "values handed along edges", bytes: each * graph.vertices })
}
