//! Runs algorithms on CPU devices that share the edges unequally, as the CPU and GPUs do. Sharing must not change an
//! answer.

use super::{Case, Cell, Report, answer, for_each};
use gts_core::graph::Graph;
use gts_graph::device::cpu::CpuDevice;
use gts_graph::device::replicated::{HostCollective, ReplicatedDevice};
use gts_graph::device::{Device, PageShares};
use gts_graph::prelude::*;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// How CPU devices share the edges. Each device has one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unlike {
    /// Weight of each device's share.
    pub weights: &'static [u32],
    /// Placement of the last device's pages.
    pub placement: Placement,
    /// Direction of propagation along edges.
    pub propagation: Propagation,
}

/// Ways of sharing that are tested.
const WAYS: [Unlike; 5] = [
    unlike(&[3, 1], Placement::Random, Propagation::Auto),
    unlike(&[3, 1], Placement::High, Propagation::Push),
    unlike(&[1, 3], Placement::Low, Propagation::Pull),
    unlike(&[3, 1, 2], Placement::Random, Propagation::Push),
    unlike(&[1, 1, 5], Placement::High, Propagation::Auto),
];

const fn unlike(weights: &'static [u32], placement: Placement, propagation: Propagation) -> Unlike {
    Unlike { weights, placement, propagation }
}

impl fmt::Display for Unlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weights: Vec<String> = self.weights.iter().map(u32::to_string).collect();
        let placement = format!("{:?}", self.placement).to_lowercase();
        write!(f, "{} devices {} {placement}", self.weights.len(), weights.join(":"))?;
        match self.propagation {
            Propagation::Auto => Ok(()),
            propagation => write!(f, ", {}", propagation.name()),
        }
    }
}

impl Unlike {
    /// Returns whether each device gets some edges of the graph.
    fn shares_out(self, graph: &Graph) -> bool {
        let shares = PageShares::weighted(graph, self.weights, self.placement);
        shares.each().all(|share| share.num_edges(graph.out_topology()) > 0)
    }

    fn engine(self) -> Result<Engine> {
        let device = |_: &u32| Ok(Arc::new(CpuDevice::new(Some(NonZeroUsize::MIN))?) as Arc<dyn Device>);
        let devices = self.weights.iter().map(device).collect::<Result<_>>()?;
        let collective = Arc::new(HostCollective);
        let together = ReplicatedDevice::weighted(devices, self.weights, self.placement, collective)?;
        Engine::builder()
            .custom_device(Arc::new(together.led_by(self.weights.len() - 1)))
            .propagation(self.propagation)
            .build()
    }
}

/// Runs every algorithm on these cases with each page size. The way of sharing changes from cell to cell, so that every
/// graph, algorithm and page size is tested in several ways. Returns the report, and the number of cells in which each
/// device had edges.
///
/// # Errors
///
/// A device is not available. Errors within a cell are recorded in the report.
pub fn unlike_devices(cases: &[Case], page_sizes: &[u32], progress: impl FnMut(&str)) -> Result<(Report, usize)> {
    let engines = WAYS.into_iter().map(|way| Ok((way, way.engine()?))).collect::<Result<Vec<_>>>()?;
    let mut turn = engines.iter().cycle();
    let (mut report, mut shared) = (Report::default(), 0);
    for_each(cases, page_sizes, &mut report, progress, |case, graph, cell, report| {
        let Some((way, engine)) = turn.next() else { return };
        shared += usize::from(way.shares_out(graph));
        let found = answer(engine, graph, cell.algorithm, case).map_err(|error| error.to_string());
        report.ran(Cell { unlike: Some(*way), ..cell.clone() }, found.and_then(|found| case.check(&found)));
    });
    Ok((report, shared))
}
