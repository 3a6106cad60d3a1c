//! What is measured on: the CPU, or GPUs from one on.

use gts_cli::program::Failure;
use gts_cli::program::report::tell;
use gts_runtime::contract::Technique;
use gts_runtime::core::cost::Strategy;
use gts_runtime::device::Device;
use gts_runtime::device::cuda::{CacheChoice, CudaDevice};
use gts_runtime::prelude::{DeviceChoice, Engine, Graph, Hybrid, Propagation};
use gts_runtime::{EngineBuilder, measure, tuning};
use std::cell::OnceCell;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

/// The processor that figures are of.
pub(super) struct Machine {
    /// The number of the first GPU; none on the CPU.
    first: Option<usize>,
    /// GPUs to use together; 1 on the CPU.
    pub(super) devices: NonZeroUsize,
    /// The processor, for people.
    pub(super) name: String,
    /// Bytes a second that all cores read of memory, measured where it is first asked for.
    memory_rate: OnceCell<f64>,
    /// The device of measurements that share what it keeps of graphs, opened for the first of them.
    shared: OnceCell<Arc<dyn Device>>,
}

/// How an engine is set up for a measurement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setup {
    /// GPUs that share the work.
    pub(super) devices: NonZeroUsize,
    /// How they share it; chosen where none is given.
    pub(super) strategy: Option<Strategy>,
    /// Streams of each.
    pub(super) streams: u32,
    /// Which pages stay.
    pub(super) cache: CacheChoice,
    /// The most bytes of each device's memory.
    pub(super) device_memory: Option<u64>,
    /// How edges are spread over threads; chosen where none is given.
    pub(super) technique: Option<Technique>,
    /// Which way values take, where a kernel knows both.
    pub(super) propagation: Propagation,
    /// How the CPU shares the work of the GPUs, where it does.
    pub(super) hybrid: Option<Hybrid>,
    /// Threads of the CPU; one for each core where none are given.
    pub(super) threads: Option<NonZeroUsize>,
    /// The longest time of a run; none by default.
    pub(super) time_limit: Option<Duration>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            devices: NonZeroUsize::MIN,
            strategy: None,
            streams: tuning::CUDA_STREAMS,
            cache: CacheChoice::Auto,
            device_memory: None,
            technique: None,
            propagation: Propagation::Auto,
            hybrid: None,
            threads: None,
            time_limit: None,
        }
    }
}

impl Setup {
    /// Sets what each run decides.
    fn of_runs(&self, builder: EngineBuilder) -> EngineBuilder {
        let builder = builder.technique(self.technique).propagation(self.propagation);
        match self.time_limit {
            Some(limit) => builder.time_limit(limit),
            None => builder,
        }
    }
}

impl Machine {
    /// The processor that was chosen, and so many GPUs from it on, or all.
    ///
    /// # Errors
    ///
    /// It is not to be had, or has not so many beside it.
    pub(super) fn of(choice: DeviceChoice, devices: Option<NonZeroUsize>) -> Result<Self, Failure> {
        let count = CudaDevice::count().map_or(0, |count| count as usize);
        let first = match choice {
            DeviceChoice::Cpu => None,
            DeviceChoice::Cuda(number) => Some(number),
            DeviceChoice::Auto => (count > 0).then_some(0),
            DeviceChoice::Hybrid(_) => {
                return Err(Failure::usage(
                    format!("--device {choice}: a figure is of processors of one kind"),
                    "give cpu or cuda",
                ));
            }
        };
        let most = first.map_or(1, |first| count.saturating_sub(first)).max(1);
        let devices = devices.unwrap_or(NonZeroUsize::MIN.saturating_add(most - 1));
        if devices.get() > most {
            return Err(match first {
                Some(first) => Failure::usage(
                    format!("--devices {devices}: there are {most} GPUs from cuda:{first} on"),
                    "see `gts devices`",
                ),
                None => Failure::usage(format!("--devices {devices}: it counts GPUs"), "leave it out for the CPU"),
            });
        }
        let mut machine =
            Self { first, devices, name: String::new(), memory_rate: OnceCell::new(), shared: OnceCell::new() };
        let engine = machine.builder(&Setup::default()).build()?;
        engine.notices().iter().for_each(tell);
        machine.name = engine.device_name();
        Ok(machine)
    }

    /// Whether it is one GPU or several.
    pub(super) fn has_gpus(&self) -> bool {
        self.first.is_some()
    }

    /// The processor, without others that share its work.
    pub(super) fn choice(&self) -> DeviceChoice {
        self.first.map_or(DeviceChoice::Cpu, DeviceChoice::Cuda)
    }

    /// The numbers of so many GPUs; none on the CPU.
    pub(super) fn numbers(&self, devices: NonZeroUsize) -> impl Iterator<Item = u32> {
        let first = self.first.map(|first| u32::try_from(first).unwrap_or(u32::MAX));
        let count = u32::try_from(devices.get()).unwrap_or(u32::MAX);
        first.into_iter().flat_map(move |first| first..first.saturating_add(count))
    }

    /// Returns the options of an engine on a device that later calls use again, with what it keeps of graphs. Of the set-up, only
    /// what each run decides counts: technique, propagation and time limit.
    pub(super) fn on_shared_device(&self, setup: &Setup) -> Result<EngineBuilder, Failure> {
        let device = match self.shared.get() {
            Some(device) => device,
            None => {
                let device = self.builder(&Setup::default()).build()?.device();
                self.shared.get_or_init(|| device)
            }
        };
        Ok(setup.of_runs(Engine::builder()).custom_device(Arc::clone(device)))
    }

    /// Lets the shared device go of what it keeps of a graph that is measured no more.
    pub(super) fn forget(&self, graph: &Graph) {
        if let Some(device) = self.shared.get() {
            device.forget(graph);
        }
    }

    /// Returns the options of an engine that is set up so.
    pub(super) fn builder(&self, setup: &Setup) -> EngineBuilder {
        let mut builder = setup.of_runs(Engine::builder()).device(self.choice());
        if let (Some(first), Some(hybrid)) = (self.first, setup.hybrid) {
            builder = builder.device(DeviceChoice::Hybrid(first)).hybrid(hybrid);
        }
        if self.has_gpus() {
            builder = builder.devices(setup.devices).strategy(setup.strategy).streams(setup.streams).cache(setup.cache);
        }
        if let Some(bytes) = setup.device_memory {
            builder = builder.device_memory(bytes);
        }
        if let Some(threads) = setup.threads {
            builder = builder.threads(threads);
        }
        builder
    }

    /// Bytes a second that all cores together read of memory.
    pub(super) fn memory_rate(&self) -> f64 {
        *self.memory_rate.get_or_init(measure::memory_rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_on_the_shared_device_have_one_device_and_options_of_their_own() {
        let machine = Machine::of(DeviceChoice::Cpu, None).unwrap();
        let engine = |setup| machine.on_shared_device(&setup).unwrap().build().unwrap();
        let limited = engine(Setup { time_limit: Some(Duration::ZERO), ..Setup::default() });
        let unlimited = engine(Setup::default());
        assert!(Arc::ptr_eq(&limited.device(), &unlimited.device()));
        let own = machine.builder(&Setup::default()).build().unwrap();
        assert!(!Arc::ptr_eq(&own.device(), &unlimited.device()));
    }
}
