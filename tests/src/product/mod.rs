//! Checks the Cartesian product of all options that must not change an answer on one device: graph x algorithm x
//! technique x width of record IDs x page size.

mod algorithm;
mod case;
mod ranks;
mod report;
mod several;
mod streamed;
mod unlike;

pub use algorithm::Algorithm;
pub use case::Case;
pub use ranks::{Ranks, ranks};
pub use report::{Cell, Report};
pub use several::{Sharing, several};
pub(crate) use streamed::within;
pub use streamed::{Streaming, streamed};
pub use unlike::{Unlike, unlike_devices};

use algorithm::Answer;
use gts_core::build::GraphBuilder;
use gts_core::build::{BuildError, DeclaredVertices};
use gts_core::graph::Graph;
use gts_core::page::IdWidth;
use gts_graph::algorithms::{bfs, pagerank, sssp, wcc};
use gts_graph::prelude::*;

use crate::data::PlainGraph;

/// Widths of record IDs: bytes of the page number, and bytes of the slot number.
pub const WIDTHS: [(u8, u8); 4] = [(2, 2), (3, 3), (2, 4), (4, 2)];

/// Page sizes in bytes. With 256 bytes, most graphs have runs of large pages.
pub const PAGE_SIZES: [u32; 4] = [256, 4 << 10, 64 << 10, 1 << 20];

/// The part of the product to be run.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// Device on which all cells run.
    pub device: DeviceChoice,
    /// Maximum number of arcs of the graphs that run with every technique. Larger graphs run only with the device's
    /// default. A CPU visits edges in the same way with every technique.
    pub all_techniques_up_to: usize,
    /// Maximum number of arcs of the graphs that run with every width at every page size. Larger graphs run with one
    /// width per page size. The widths take turns, so that every graph runs with each width.
    pub all_widths_up_to: usize,
    /// Page sizes in bytes.
    pub page_sizes: &'static [u32],
}

impl Scope {
    /// Selects the whole product on a device.
    pub const fn everything(device: DeviceChoice) -> Self {
        Self { device, all_techniques_up_to: usize::MAX, all_widths_up_to: usize::MAX, page_sizes: &PAGE_SIZES }
    }
}

/// Runs all cells of these cases and reports each graph to `progress`.
///
/// # Errors
///
/// The device is not available. Errors within a cell are recorded in the report.
pub fn product(scope: &Scope, cases: &[Case], mut progress: impl FnMut(&str)) -> Result<Report> {
    let engine = |technique| Engine::builder().device(scope.device).technique(technique).build();
    let of_device = [(None, engine(None)?)];
    let each = Technique::ALL.map(Some).into_iter().map(|technique| Ok((technique, engine(technique)?)));
    let each = each.collect::<Result<Vec<_>>>()?;
    let mut report = Report::default();
    for (number, case) in cases.iter().enumerate() {
        let engines = if case.arcs() <= scope.all_techniques_up_to { each.as_slice() } else { &of_device };
        for (place, &page_size) in scope.page_sizes.iter().enumerate() {
            let turn = (number + place) % WIDTHS.len();
            let widths = if case.arcs() <= scope.all_widths_up_to { &WIDTHS[..] } else { &WIDTHS[turn..=turn] };
            for &width in widths {
                run_layout(case, engines, page_size, width, &mut report);
            }
        }
        progress(&format!("{}: {} cells so far, {} failed", case.name(), report.run(), report.failures().len()));
    }
    Ok(report)
}

/// Runs all algorithms with all engines on one graph in one layout.
fn run_layout(
    case: &Case,
    engines: &[(Option<Technique>, Engine)],
    page_size: u32,
    width: (u8, u8),
    report: &mut Report,
) {
    let graphs = Graphs::of(case, page_size, width);
    for algorithm in Algorithm::ALL {
        let graph = graphs.of_algorithm(algorithm);
        for (technique, engine) in engines {
            let cell = Cell {
                graph: case.name().to_owned(),
                algorithm,
                technique: *technique,
                page_size,
                width,
                streaming: None,
                sharing: None,
                unlike: None,
                ranks: None,
            };
            match graph {
                Ok(graph) => report.ran(
                    cell,
                    answer(engine, graph, algorithm, case)
                        .map_err(|error| error.to_string())
                        .and_then(|answer| case.check(&answer)),
                ),
                Err(error @ BuildError::TooManyPages { .. }) => report.missing(cell, error.to_string()),
                Err(error) => report.ran(cell, Err(error.to_string())),
            }
        }
    }
}

fn answer(engine: &Engine, graph: &Graph, algorithm: Algorithm, case: &Case) -> Result<Answer> {
    let options = pagerank::Options { damping: 0.85, iterations: case::ITERATIONS.into(), tolerance: None };
    let source = graph.vertex(case.source())?;
    Ok(match algorithm {
        Algorithm::PageRankF32 => Answer::RanksF32(pagerank::pagerank_f32(&mut engine.start(graph)?, &options)?.ranks),
        Algorithm::PageRankF64 => Answer::RanksF64(pagerank::pagerank_f64(&mut engine.start(graph)?, &options)?.ranks),
        Algorithm::Bfs => Answer::Levels(bfs::bfs(&mut engine.start(graph)?, source)?),
        Algorithm::SsspF32 => Answer::DistancesF32(sssp::sssp_f32(&mut engine.start(graph)?, source)?),
        Algorithm::SsspU32 => Answer::DistancesU32(sssp::sssp_u32(&mut engine.start(graph)?, source)?),
        Algorithm::Wcc => Answer::Components(wcc::wcc(&mut engine.start(graph)?)?),
    })
}

/// A case in one layout, with each kind of edge values.
struct Graphs {
    plain: Result<Graph, BuildError>,
    real: Result<Graph, BuildError>,
    whole: Result<Graph, BuildError>,
}

impl Graphs {
    fn of(case: &Case, page_size: u32, width: (u8, u8)) -> Self {
        Self {
            plain: build(case.plain(), page_size, width, Unweighted),
            real: build(case.weighted(), page_size, width, Real),
            whole: build(case.whole(), page_size, width, Whole),
        }
    }

    fn of_algorithm(&self, algorithm: Algorithm) -> &Result<Graph, BuildError> {
        match algorithm {
            Algorithm::SsspF32 => &self.real,
            Algorithm::SsspU32 => &self.whole,
            _ => &self.plain,
        }
    }
}

/// Calls `run` for each case, page size and algorithm. Skips page sizes at which the first of [`WIDTHS`] cannot address
/// all pages. The cell passed to `run` does not yet state how the work is shared.
fn for_each(
    cases: &[Case],
    page_sizes: &[u32],
    report: &mut Report,
    mut progress: impl FnMut(&str),
    mut run: impl FnMut(&Case, &Graph, &Cell, &mut Report),
) {
    let width = WIDTHS[0];
    for case in cases {
        for &page_size in page_sizes {
            let graphs = Graphs::of(case, page_size, width);
            for algorithm in Algorithm::ALL {
                let graph = match graphs.of_algorithm(algorithm) {
                    Err(BuildError::TooManyPages { .. }) => continue,
                    graph => graph,
                };
                let cell = Cell {
                    graph: case.name().to_owned(),
                    algorithm,
                    technique: None,
                    page_size,
                    width,
                    streaming: None,
                    sharing: None,
                    unlike: None,
                    ranks: None,
                };
                match graph {
                    Ok(graph) => run(case, graph, &cell, report),
                    Err(error) => report.ran(cell, Err(error.to_string())),
                }
            }
        }
        progress(&format!("{}: {} cells so far, {} failed", case.name(), report.run(), report.failures().len()));
    }
}

/// A kind of edge values in the pages.
trait Values {
    fn edges<'a>(&self, graph: &'a PlainGraph) -> GraphBuilder<'a>;
}

struct Unweighted;
struct Real;
struct Whole;

impl Values for Unweighted {
    fn edges<'a>(&self, graph: &'a PlainGraph) -> GraphBuilder<'a> {
        Graph::builder().edges(graph.named_arcs().map(|(src, dst, _)| (src, dst)))
    }
}

impl Values for Real {
    fn edges<'a>(&self, graph: &'a PlainGraph) -> GraphBuilder<'a> {
        Graph::builder().weighted_edges(graph.named_arcs().map(|(src, dst, weight)| (src, dst, weight as f32)))
    }
}

impl Values for Whole {
    fn edges<'a>(&self, graph: &'a PlainGraph) -> GraphBuilder<'a> {
        Graph::builder().weighted_edges(graph.named_arcs().map(|(src, dst, weight)| (src, dst, weight as u32)))
    }
}

fn build(graph: &PlainGraph, page_size: u32, width: (u8, u8), values: impl Values) -> Result<Graph, BuildError> {
    values
        .edges(graph)
        .vertices(DeclaredVertices::List(graph.ids.clone().into()))
        .in_edges(true)
        .page_size(page_size)
        .width(IdWidth::new(width.0, width.1)?)
        .build()
}
