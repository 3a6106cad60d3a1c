//! What a rank of a group does before its devices are open, so that a store can be read meanwhile.

use super::EngineBuilder;
use crate::choice::DeviceChoice;
use crate::device::cuda::CudaDevice;
use crate::device::distributed;
use crate::error::Result;
use gts_core::cost::Strategy;
use gts_core::graph::Graph;
use gts_core::phase::{self, Phase};
use gts_core::store::StoreProgress;

impl EngineBuilder {
    /// Decides which devices each rank of the [group](Self::group) takes. Without this call [`EngineBuilder::build`] decides it. All
    /// ranks make this call. A builder without a group, or with a device of the caller's own, stays as it is.
    ///
    /// # Errors
    ///
    /// A rank finds fewer GPUs than it was asked to take; the CPU and GPUs were asked for, or Strategy-S; a rank that is lost or
    /// elsewhere.
    pub fn deal(self) -> Result<Self> {
        phase::during(Phase::Device, || self.dealt())
    }

    /// Decides the same, unless that is done.
    pub(super) fn dealt(mut self) -> Result<Self> {
        let (Some(group), None, false) = (&self.group, &self.custom, self.is_dealt) else { return Ok(self) };
        let asked = self.device;
        self.device = distributed::choose(group.as_ref(), asked, self.count(), self.strategy)?;
        if self.device != DeviceChoice::Cpu {
            distributed::prepare(group.as_ref(), self.collectives);
        }
        self.strategy = Some(Strategy::Pages);
        self.is_dealt = true;
        if asked == DeviceChoice::Auto && self.device == DeviceChoice::Cpu && CudaDevice::count().is_ok() {
            self.notices.push("the ranks run on CPUs: there are too few GPUs for all of them".to_owned());
        }
        Ok(self)
    }

    /// Checks that all ranks of the group have this graph, as [`Engine::load`](super::Engine::load) does. All ranks make this call.
    ///
    /// # Errors
    ///
    /// Ranks that have another graph than this one; a rank that is lost or elsewhere.
    pub fn compare(&self, graph: &Graph) -> Result<()> {
        let Some(group) = &self.group else { return Ok(()) };
        distributed::compare(group.as_ref(), graph, format_args!("{} devices a rank", self.count())).map(drop)
    }

    /// Reads what this rank of the group walks of a graph that was opened [on
    /// demand](gts_core::store::OpenOptions::on_demand), as [`Engine::load`](super::Engine::load) does. Tells of the bytes done
    /// and the bytes in all.
    ///
    /// # Errors
    ///
    /// Pages that cannot be read or are not sound.
    pub fn read(&self, graph: &Graph, progress: StoreProgress<'_>) -> Result<()> {
        let Some(group) = &self.group else { return Ok(()) };
        let devices = self.custom.as_ref().map_or(self.count(), |device| device.parts());
        let (_, share) = distributed::share_of(group.as_ref(), graph, devices);
        Ok(share.read(graph, progress)?)
    }
}
