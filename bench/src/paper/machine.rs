//! The measured processor: the CPU, or one or more GPUs.

use gts_graph::cli::program::Failure;
use gts_graph::cli::program::report::tell;
use gts_graph::contract::Technique;
use gts_graph::core::cost::Strategy;
use gts_graph::device::CacheChoice;
use gts_graph::device::Device;
use gts_graph::device::cuda::CudaDevice;
use gts_graph::prelude::{DeviceChoice, Engine, Graph, Hybrid, Propagation};
use gts_graph::{EngineBuilder, measure, tuning};
use std::cell::OnceCell;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

/// The processor on which figures are measured.
pub(super) struct Machine {
    /// Number of the first GPU, or `None` on the CPU.
    first: Option<usize>,
    /// Number of GPUs to use together; 1 on the CPU.
    pub(super) devices: NonZeroUsize,
    /// Name of the processor, shown in figures.
    pub(super) name: String,
    /// Rate in bytes per second at which all cores together read memory, measured on first use.
    memory_rate: OnceCell<f64>,
    /// Device shared by measurements, opened on first use. The device caches graph data between measurements.
    shared: OnceCell<Arc<dyn Device>>,
}

/// Engine options of a measurement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setup {
    /// Number of GPUs that run the measurement together.
    pub(super) devices: NonZeroUsize,
    /// Strategy for several GPUs, or `None` to let the engine choose.
    pub(super) strategy: Option<Strategy>,
    /// Streams per GPU.
    pub(super) streams: u32,
    /// Cache policy for pages.
    pub(super) cache: CacheChoice,
    /// Memory limit per device in bytes.
    pub(super) device_memory: Option<u64>,
    /// Technique for assigning edges to threads, or `None` to let the engine choose.
    pub(super) technique: Option<Technique>,
    /// Direction of propagation, for kernels that support push and pull.
    pub(super) propagation: Propagation,
    /// Shares of the CPU and the GPUs, or `None` if the CPU does not take part.
    pub(super) hybrid: Option<Hybrid>,
    /// Number of CPU threads, or `None` for one per core.
    pub(super) threads: Option<NonZeroUsize>,
    /// Time limit per run, or `None` for no limit.
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
    /// Sets the options that may differ between runs on one device.
    fn of_runs(&self, builder: EngineBuilder) -> EngineBuilder {
        let builder = builder.technique(self.technique).propagation(self.propagation);
        match self.time_limit {
            Some(limit) => builder.time_limit(limit),
            None => builder,
        }
    }
}

impl Machine {
    /// Selects a processor. For a GPU, figures use `devices` GPUs with consecutive numbers, starting with this GPU; by
    /// default, all GPUs from there on.
    ///
    /// # Errors
    ///
    /// Fails if the processor is not available, or if too few GPUs follow it.
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

    /// Returns whether the processor is one or more GPUs.
    pub(super) fn has_gpus(&self) -> bool {
        self.first.is_some()
    }

    /// Returns the CPU, or the first GPU.
    pub(super) fn choice(&self) -> DeviceChoice {
        self.first.map_or(DeviceChoice::Cpu, DeviceChoice::Cuda)
    }

    /// Returns the numbers of the first `devices` GPUs. On the CPU, the iterator is empty.
    pub(super) fn numbers(&self, devices: NonZeroUsize) -> impl Iterator<Item = u32> {
        let first = self.first.map(|first| u32::try_from(first).unwrap_or(u32::MAX));
        let count = u32::try_from(devices.get()).unwrap_or(u32::MAX);
        first.into_iter().flat_map(move |first| first..first.saturating_add(count))
    }

    /// Returns a builder for an engine on the shared device, so that later runs reuse the device's cached graph data.
    /// The builder applies only those options of `setup` that may differ between runs: technique, propagation and time
    /// limit.
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

    /// Drops the graph's data from the shared device, if that device is open.
    pub(super) fn forget(&self, graph: &Graph) {
        if let Some(device) = self.shared.get() {
            device.forget(graph);
        }
    }

    /// Returns an engine builder configured with `setup`.
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

    /// Returns the rate in bytes per second at which all cores together read memory.
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
