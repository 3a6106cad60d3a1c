//! Runs algorithms on several ranks, each with its own graph. The number of ranks must not change an answer.

use super::{Algorithm, Case, Cell, Report, answer, for_each};
use gts_core::graph::Graph;
use gts_core::page::MIN_STORE_PAGE_SIZE;
use gts_core::store::OpenOptions;
use gts_graph::device::cpu::CpuDevice;
use gts_graph::group::threads;
use gts_graph::prelude::*;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// How ranks share a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranks {
    /// Number of ranks.
    pub ranks: usize,
    /// Whether each rank opens the graph from a store and reads pages on demand.
    pub on_demand: bool,
}

/// Numbers of ranks that are tested.
const NUMBERS: [usize; 3] = [2, 3, 5];

impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ranks{}", self.ranks, if self.on_demand { ", pages on demand" } else { "" })
    }
}

/// Runs every algorithm on these cases with each page size. Ranks are threads, and their number changes from cell to
/// cell. If a store supports the page size, each rank opens the graph separately and reads its share. Returns the
/// report, and the number of cells in which no rank read all pages.
pub fn ranks(cases: &[Case], page_sizes: &[u32], progress: impl FnMut(&str)) -> (Report, usize) {
    let mut turn = NUMBERS.into_iter().cycle();
    let (mut report, mut in_part) = (Report::default(), 0);
    for_each(cases, page_sizes, &mut report, progress, |case, graph, cell, report| {
        let Some(ranks) = turn.next() else { return };
        let ranks = Ranks { ranks, on_demand: cell.page_size >= MIN_STORE_PAGE_SIZE };
        let outcome = run(ranks, graph, cell.algorithm, case);
        in_part += usize::from(outcome == Ok(true));
        report.ran(Cell { ranks: Some(ranks), ..cell.clone() }, outcome.map(drop));
    });
    (report, in_part)
}

/// Runs one cell and checks the answer of each rank. Returns whether every rank read only a part of the pages.
fn run(ranks: Ranks, graph: &Graph, algorithm: Algorithm, case: &Case) -> Result<bool, String> {
    let folder = TempDir::new().map_err(|error| error.to_string())?;
    let store = folder.path().join("graph.gts");
    if ranks.on_demand {
        graph.save(&store).map_err(|error| error.to_string())?;
    }
    let found = threads::ranks(ranks.ranks, |group| {
        let cpu = Arc::new(CpuDevice::new(Some(NonZeroUsize::MIN))?);
        let engine = Engine::builder().custom_device(cpu).group(Arc::new(group)).build()?;
        let graph = if ranks.on_demand { open(&store, ranks.ranks)? } else { graph.clone() };
        let found = answer(&engine, &graph, algorithm, case)?;
        Ok((found, engine.ranks()?))
    });
    let found = found.map_err(|error| error.to_string())?;
    found.iter().try_for_each(|(found, _)| case.check(found))?;
    Ok(found.iter().all(|(_, work)| work.iter().all(|work| work.pages_in_memory < work.pages)))
}

fn open(store: &Path, ranks: usize) -> Result<Graph> {
    let options = OpenOptions { on_demand: NonZeroUsize::new(ranks), ..OpenOptions::default() };
    Ok(Graph::reader(store).opening(options).read()?)
}
