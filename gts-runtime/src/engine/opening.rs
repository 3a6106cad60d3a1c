//! Opens the device of an engine.

use super::{Engine, EngineBuilder, dealing};
use crate::choice::DeviceChoice;
use crate::device::gpus;
use crate::report::Recorder;
use crate::shared::EngineState;
use gts_core::advice::Advice;
use gts_core::cost::Strategy;
use gts_cpu::CpuDevice;
use gts_device::Device;
use gts_device::error::{Error, Result};
use gts_device::hybrid::{self, Hybrid, Sides};
use gts_group::{Collectives, DistributedDevice, Group};
use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

impl EngineBuilder {
    pub(super) fn open(mut self) -> Result<Engine> {
        let count = self.devices.map_or(1, NonZeroUsize::get);
        let mut notices = Vec::new();
        if let (Some(group), None) = (&self.group, &self.custom) {
            let asked = self.device;
            self.device = dealing::choose(group.as_ref(), asked, count, self.strategy)?;
            if self.device != DeviceChoice::Cpu {
                prepare_nccl(group.as_ref(), self.collectives);
            }
            self.strategy = Some(Strategy::Pages);
            if asked == DeviceChoice::Auto && self.device == DeviceChoice::Cpu && gpus::count().is_ok() {
                notices.push("the ranks run on CPUs: there are too few GPUs for all of them".to_owned());
            }
        }
        let mut compiles = |device: Arc<dyn Device>| {
            notices.extend(gpus::problems());
            device
        };
        if self.custom.is_none() {
            self.device.check_sharing(self.hybrid.is_some(), self.strategy)?;
        }
        let device = match (self.custom, self.device) {
            (Some(device), _) => device,
            (None, DeviceChoice::Cpu) if count > 1 => {
                return Err(Error::argument_with_advice(
                    format!("{count} devices"),
                    "there is one CPU",
                    Advice::new("give --threads instead of --devices", "spread work over it with `threads`"),
                ));
            }
            (None, DeviceChoice::Cpu) => cpu(self.threads)?,
            (None, DeviceChoice::Cuda(number)) => compiles(gpus::open(number, count, self.cuda, self.strategy)?),
            (None, DeviceChoice::Hybrid(number)) => {
                let asked = self.hybrid.unwrap_or_default();
                let model = self.sharing_model.filter(|_| asked.alpha.is_none());
                let chosen = model.as_ref().map(|model| model.choose().alpha);
                let hybrid = Hybrid { alpha: asked.alpha.or(chosen), ..asked };
                match hybrid.sides(count)? {
                    Sides::Gpus => {
                        let device = compiles(gpus::open(number, count, self.cuda, self.strategy)?);
                        if hybrid.alpha.is_none() {
                            notices.push("alpha was not set: the GPUs have all edges, and the CPU has none".to_owned());
                        }
                        device
                    }
                    Sides::Cpu => {
                        // Open the GPUs even if the CPU processes all edges, so that a request for missing GPUs fails.
                        gpus::check(number, count, self.cuda)?;
                        cpu(self.threads)?
                    }
                    Sides::Both(weights) => {
                        let threads = self.threads.unwrap_or_else(|| hybrid::threads_beside(count));
                        let cpu = || CpuDevice::new(Some(threads));
                        let together = gpus::beside_cpu((number, count), self.cuda, cpu, &weights, hybrid.placement)?;
                        compiles(Arc::new(match model.filter(|model| model.is_adjusted()) {
                            Some(model) => together.adjusted_by(Arc::new(move |measured| model.adjust(measured))),
                            None => together,
                        }))
                    }
                }
            }
            (None, DeviceChoice::Auto) => match gpus::open(0, count, self.cuda, self.strategy) {
                Ok(device) => compiles(device),
                // A request for several GPUs must not fall back to the CPU.
                Err(error) if count > 1 => return Err(error),
                Err(_) => cpu(self.threads)?,
            },
        };
        let device = match self.group {
            Some(group) => Arc::new(DistributedDevice::with_collectives(device, group, self.collectives)?),
            None => device,
        };
        Ok(Engine {
            shared: Arc::new(EngineState {
                device,
                technique: self.technique,
                warp_chunk: self.warp_chunk,
                propagation: self.propagation,
                steps_by: self.steps_by,
                max_steps: self.max_steps.unwrap_or(u32::MAX),
                seed: self.seed,
                checked: self.checked,
                time_limit: self.time_limit,
                progress: self.progress,
                session: self.session,
                interrupt: Arc::default(),
                recorder: Recorder::default(),
                poison: OnceLock::new(),
                notices,
            }),
        })
    }
}

fn cpu(threads: Option<NonZeroUsize>) -> Result<Arc<dyn Device>> {
    Ok(Arc::new(CpuDevice::new(threads)?))
}

/// Loads NCCL if ranks on GPUs may use it.
fn prepare_nccl(group: &dyn Group, collectives: Collectives) {
    if collectives != Collectives::Host && group.size() > 1 {
        gpus::prepare_nccl();
    }
}
