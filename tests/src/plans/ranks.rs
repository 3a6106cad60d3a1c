//! Compares the merges that a plan for several nodes predicts with the report of a session on the same number of ranks.

use super::{PLENTY, Question};
use gts_contract::Transport;
use gts_core::cost::nodes::{Network, Nodes};
use gts_core::cost::{HostConstants, ProcessorConstants, RunConfiguration, Shortfall, predict};
use gts_core::graph::GraphShape;
use gts_graph::algorithm::Arguments;
use gts_graph::device::cpu::CpuDevice;
use gts_graph::device::distributed::DistributedDevice;
use gts_graph::group::threads;
use gts_graph::prelude::*;
use gts_graph::tuning::CPU_PULL_SHARE;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Collective work of the ranks in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Together {
    /// Number of passes over edges.
    pub passes: f64,
    /// Bytes merged per replica.
    pub merged: f64,
    /// Number of message exchanges.
    pub exchanges: f64,
}

impl Question<'_> {
    /// Returns the planned work for `count` nodes and a graph of this shape.
    ///
    /// # Errors
    ///
    /// The plan rejects the run.
    pub fn planned_together(&self, graph: &GraphShape, count: u32) -> Result<Together, Shortfall> {
        let host = HostConstants::default_of(PLENTY);
        let network = Network { rate: 1e9, latency: 1e-6 };
        let nodes = Nodes { count, network, transport: Transport::HostMemory };
        let configuration = RunConfiguration { nodes, pull_share: Some(CPU_PULL_SHARE), ..RunConfiguration::default() };
        let processor = ProcessorConstants::default_cpu(&host, 1);
        let found = predict(graph, &self.shape(), &host, &processor, &configuration)?;
        let merged = found.steps.iter().map(|step| step.bytes.merged * step.repeats).sum();
        let passes = found.steps.iter().filter(|step| step.bytes.merged > 0.0).map(|step| step.repeats).sum();
        Ok(Together { passes, merged, exchanges: found.exchanges() })
    }

    /// Runs the algorithm on `count` ranks, which are threads. Returns the work that rank 0 reports.
    ///
    /// # Errors
    ///
    /// The run fails.
    pub fn run_together(&self, arguments: &Arguments, count: usize) -> Result<Together> {
        let found = threads::ranks(count, |group| {
            let cpu = CpuDevice::new(NonZeroUsize::new(1))?;
            let device = DistributedDevice::new(Arc::new(cpu), Arc::new(group))?;
            let engine = Engine::builder().custom_device(Arc::new(device)).build()?;
            self.algorithm.run(&engine, self.graph, arguments)?;
            let kernels = engine.take_report().kernels;
            let ranks = engine.ranks()?;
            let over_edges = kernels.iter().filter(|kernel| kernel.edges > 0);
            Ok(Together {
                passes: over_edges.map(|kernel| kernel.passes as f64).sum(),
                merged: kernels.iter().map(|kernel| kernel.merged as f64).sum(),
                exchanges: ranks[0].exchanged.exchanges as f64,
            })
        })?;
        Ok(found.first().copied().unwrap_or_default())
    }

    /// Returns the default arguments of the algorithm.
    pub fn arguments(&self) -> Arguments {
        Arguments::of(self.algorithm)
    }
}
