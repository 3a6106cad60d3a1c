//! What a plan says that nodes merge, beside what a session on as many ranks reports.

use super::{PLENTY, Question};
use gts_core::cost::nodes::{Network, Nodes};
use gts_core::cost::{GraphShape, HostConstants, ProcessorConstants, RunConfiguration, Shortfall, predict};
use gts_runtime::algorithm::Arguments;
use gts_runtime::device::cpu::CpuDevice;
use gts_runtime::device::distributed::DistributedDevice;
use gts_runtime::group::threads::{self, ThreadGroup};
use gts_runtime::group::{Call, Group};
use gts_runtime::kernel::StopFlag;
use gts_runtime::prelude::*;
use gts_runtime::tuning::CPU_PULL_SHARE;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What ranks do together in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Together {
    /// Passes over edges.
    pub passes: f64,
    /// Bytes of a replica that they merge.
    pub merged: f64,
    /// Exchanges of messages.
    pub exchanges: f64,
}

impl Question<'_> {
    /// Returns what a plan says of so many nodes, in a graph of that shape.
    ///
    /// # Errors
    ///
    /// The plan refuses it.
    pub fn planned_together(&self, graph: &GraphShape, count: u32) -> Result<Together, Shortfall> {
        let host = HostConstants::default_of(PLENTY);
        let nodes = Nodes { count, network: Network { rate: 1e9, latency: 1e-6 } };
        let configuration = RunConfiguration { nodes, pull_share: Some(CPU_PULL_SHARE), ..RunConfiguration::default() };
        let processor = ProcessorConstants::default_cpu(&host, 1);
        let found = predict(graph, &self.shape(), &host, &processor, &configuration)?;
        let merged = found.steps.iter().map(|step| step.bytes.merged * step.repeats).sum();
        let passes = found.steps.iter().filter(|step| step.bytes.merged > 0.0).map(|step| step.repeats).sum();
        Ok(Together { passes, merged, exchanges: found.exchanges() })
    }

    /// Returns what ranks that are threads report of a run with arguments such as `--source 1`.
    ///
    /// # Errors
    ///
    /// The run fails.
    pub fn run_together(&self, arguments: &Arguments, count: usize) -> Result<Together> {
        let found = threads::ranks(count, |group| {
            let group = Arc::new(Counting { group, exchanges: AtomicU64::new(0) });
            let cpu = CpuDevice::new(NonZeroUsize::new(1))?;
            let device = DistributedDevice::new(Arc::new(cpu), Arc::clone(&group) as Arc<dyn Group>)?;
            let engine = Engine::builder().custom_device(Arc::new(device)).build()?;
            (self.algorithm.run)(&engine, self.graph, arguments)?;
            let kernels = engine.take_report().kernels;
            let over_edges = kernels.iter().filter(|kernel| kernel.edges > 0);
            Ok(Together {
                passes: over_edges.map(|kernel| kernel.passes as f64).sum(),
                merged: kernels.iter().map(|kernel| kernel.merged as f64).sum(),
                exchanges: group.exchanges.load(Relaxed) as f64,
            })
        })?;
        Ok(found.first().copied().unwrap_or_default())
    }

    /// Returns the algorithm's default arguments.
    pub fn arguments(&self) -> Arguments {
        Arguments::of(self.algorithm)
    }
}

/// A rank that counts its exchanges.
struct Counting {
    group: ThreadGroup,
    exchanges: AtomicU64,
}

impl Group for Counting {
    fn rank(&self) -> usize {
        self.group.rank()
    }

    fn size(&self) -> usize {
        self.group.size()
    }

    fn exchange(&self, call: &Call<'_>, messages: &[&[u8]], received: &mut [Vec<u8>]) -> Result<()> {
        self.exchanges.fetch_add(1, Relaxed);
        self.group.exchange(call, messages, received)
    }

    fn abort(&self, reason: &str) {
        self.group.abort(reason);
    }

    fn leave(&self) {
        self.group.leave();
    }

    fn tie(&self, flag: &Arc<StopFlag>) {
        self.group.tie(flag);
    }
}
