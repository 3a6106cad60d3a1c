//! A graph to measure, and a reference: the time for moving its pages without running an algorithm.

use super::machine::Machine;
use super::trials::{Workload, median};
use crate::peer;
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::Meter;
use gts_graph::cli::program::TemporaryFolder;
use gts_graph::cli::program::interrupt::{self, Stoppable, Temporary};
use gts_graph::cli::program::units;
use gts_graph::contract::ScalarType;
use gts_graph::core::cost::{ProcessorConstants, RunConfiguration, memory_plan};
use gts_graph::core::graph::{GraphShape, VertexOrder};
use gts_graph::core::read::{GraphReader, GraphSource, Needs, ReadError, WeightChoice};
use gts_graph::core::store::{self, SaveOptions, StoreError};
use gts_graph::core::threads;
use gts_graph::device::cuda::CudaDevice;
use gts_graph::device::{PageShare, PageShares};
use gts_graph::prelude::Graph;
use gts_graph::{measure, tuning};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Memory size in bytes for plans that must always fit. No machine has this much memory.
const PLENTY: u64 = 1 << 60;

/// Bytes of device memory that plans do not include: a reserve for passes, cells of globals, and padding of buffers.
const SMALL: u64 = 320 << 10;

/// Requirements of a generated graph with weights.
const NEEDS: Needs = Needs { weights: &[ScalarType::U32], in_edges: false, symmetric: false };

/// Returns a short name of a graph: the file name without extension, or the generator specification.
pub(super) fn short_name(text: &str) -> &str {
    match text.rsplit_once('/') {
        Some((_, file)) => file.split('.').next().unwrap_or(file),
        None => text,
    }
}

/// Options for building a graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Making {
    /// Bytes per page.
    pub(super) page_size: u32,
    /// The order of the vertices.
    pub(super) order: VertexOrder,
    /// Whether every edge is stored in both directions.
    pub(super) symmetrise: bool,
    /// Whether in-edges are stored too.
    pub(super) in_edges: bool,
    /// Whether edges have weights of type u32. If the file has no integer weights, every weight is 1.
    pub(super) weighted: bool,
}

/// A baseline: the time to read or copy the graph's pages once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reference {
    /// Description of the measured transfer.
    pub(super) what: &'static str,
    /// Seconds per transfer of all pages.
    pub(super) seconds: f64,
}

/// A graph to measure, its shape, and its baselines.
pub(super) struct Subject {
    /// File name or specification from which the graph was built.
    pub(super) text: String,
    /// The graph to measure.
    pub(super) graph: Graph,
    shape: GraphShape,
    /// Devices that keep the graph's pages locked, so that short-lived engines need not lock the pages again.
    plain: Vec<CudaDevice>,
}

impl Subject {
    /// Returns the shape of the graph.
    pub(super) fn shape(&self) -> &GraphShape {
        &self.shape
    }

    /// Builds a graph from a file or a generator's specification.
    pub(super) fn of(argument: &str, making: Making) -> Result<Self, Failure> {
        match GraphSource::parse(argument)? {
            GraphSource::Generator(text) => Self::generated(&text, making),
            GraphSource::Files(_) => {
                let read = |weights| Self::built(argument, Graph::reader(argument).choose_weights(weights), making);
                match making.weighted {
                    // Reading as u32 fails if the file has no weights, or weights that are not integers.
                    true => read(ScalarType::U32.into()).or_else(|_| read(WeightChoice::One)),
                    false => read(WeightChoice::None),
                }
            }
            GraphSource::Store(path) => Err(Failure::usage(
                format!(
                    "--graph {}: a store has one order of its vertices, and figures compare several",
                    path.display()
                ),
                "give the file that it was imported from, or a generator",
            )),
        }
    }

    /// Builds a graph from a generator's specification.
    pub(super) fn generated(text: &str, making: Making) -> Result<Self, Failure> {
        let reader = Graph::reader(text);
        Self::built(text, if making.weighted { reader.needs(NEEDS) } else { reader }, making)
    }

    fn built(text: &str, reader: GraphReader, making: Making) -> Result<Self, Failure> {
        let reader = reader.page_size(making.page_size).order(making.order).symmetrise(making.symmetrise);
        let graph = reader.in_edges(making.in_edges).progress(Meter::new().of_build()).read()?;
        Ok(Self { text: text.to_owned(), shape: GraphShape::of(&graph), graph, plain: Vec::new() })
    }

    /// Returns the total size of the out-edge pages in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.graph.out_topology().bytes()
    }

    /// Describes the graph in one line.
    pub(super) fn describe(&self) -> String {
        let format = self.graph.out_topology().format();
        format!(
            "graph {}{}, order {}: {}, {} in pages of {}",
            self.text,
            if self.graph.properties().symmetric { ", symmetrised" } else { "" },
            self.graph.properties().order,
            units::graph_size(self.graph.num_vertices(), self.graph.num_edges(), self.graph.num_undirected_edges()),
            units::bytes(self.bytes()),
            units::bytes(format.page_size() as u64),
        )
    }

    /// Returns a copy of this subject with `graph`, which is the same graph with its pages stored elsewhere.
    pub(super) fn with(&self, graph: Graph) -> Self {
        Self { text: self.text.clone(), graph, shape: self.shape.clone(), plain: Vec::new() }
    }

    /// Returns the device memory in bytes that a run requires in addition to pages.
    pub(super) fn beside_pages(&self, workload: &Workload) -> Result<u64, Failure> {
        let processor = ProcessorConstants { memory: PLENTY, ..ProcessorConstants::default_cuda() };
        let shape = workload.shape(&self.shape)?;
        let plan = memory_plan(&self.shape, &shape, &processor, PLENTY, &RunConfiguration::default())?;
        let bytes: u64 = plan.device.iter().map(|need| need.bytes).sum();
        Ok(bytes + bytes / 128 + SMALL)
    }

    /// Returns a memory limit per device with which all pages are streamed. Staging buffers get at most half the size
    /// of the device's share of the pages, but always room for two pages.
    pub(super) fn streaming_budget(
        &self,
        workload: &Workload,
        devices: NonZeroUsize,
        streams: u32,
    ) -> Result<u64, Failure> {
        let staging = 2 * u64::from(streams) * tuning::CUDA_GROUP_BYTES;
        let least = 2 * self.graph.out_topology().format().page_size() as u64 + (4 << 10);
        Ok(self.beside_pages(workload)? + staging.min(self.bytes() / (2 * devices.get() as u64)).max(least))
    }

    /// Returns a memory limit with which a device can cache `percent` of the pages.
    pub(super) fn cache_budget(&self, workload: &Workload, percent: u64) -> Result<u64, Failure> {
        let cached = self.bytes() * percent / 100;
        // Staging may use at most a quarter of the memory for pages.
        let staging = (2 * u64::from(tuning::CUDA_STREAMS) * tuning::CUDA_GROUP_BYTES).min(cached / 3);
        Ok(self.beside_pages(workload)? + cached + staging)
    }

    /// Measures a plain copy of the pages to `devices` GPUs, which copy their shares concurrently. On the CPU, computes
    /// the time to read the pages, based on the measured memory rate.
    pub(super) fn reference(
        &mut self,
        machine: &Machine,
        devices: NonZeroUsize,
        trials: usize,
    ) -> Result<Reference, Failure> {
        if !machine.has_gpus() {
            return Ok(Reference { what: "reading memory", seconds: self.bytes() as f64 / machine.memory_rate() });
        }
        if self.plain.len() < devices.get() {
            self.plain = machine.numbers(devices).map(CudaDevice::new).collect::<Result<_, _>>()?;
            // Lock the pages once, outside the measurement.
            self.copies(&self.plain[0], &PageShare::WHOLE, 1)?;
        }
        let this = &*self;
        let shares: Vec<PageShare> = PageShares::even(&this.graph, devices.get()).each().collect();
        let copies = |index: usize, device: &CudaDevice| this.copies(device, &shares[index], trials);
        let times = threads::together(&this.plain[..devices.get()], copies).map_err(gts_graph::Error::from)?;
        let seconds = times.into_iter().try_fold(0.0, |most, time| Ok::<_, Failure>(f64::max(most, time?)))?;
        let what = if devices.get() > 1 { "plain copies to all GPUs" } else { "plain copy" };
        Ok(Reference { what, seconds })
    }

    /// Returns the median time, in seconds, of a plain copy to a device, for a share of the pages.
    fn copies(&self, device: &CudaDevice, share: &PageShare, trials: usize) -> Result<f64, Failure> {
        let repetitions = u32::try_from(trials).unwrap_or(u32::MAX).saturating_add(1);
        let times = peer::copies(device, &self.graph, share, tuning::CUDA_GROUP_BYTES as usize, repetitions)?;
        let mut seconds: Vec<f64> = times[1..].iter().map(Duration::as_secs_f64).collect();
        Ok(median(&mut seconds))
    }
}

/// A graph in a store. Dropping this value removes the store.
pub(super) struct OnDisk {
    path: PathBuf,
    /// Minimum host memory with which the store can be opened.
    least: u64,
    bytes: u64,
    // Fields are dropped in order. `_folder` removes the folder, then `_guard` cancels its removal on interruption.
    _folder: TemporaryFolder,
    _guard: Temporary,
}

impl OnDisk {
    /// Writes the graph to a new store in a folder.
    pub(super) fn new(subject: &Subject, folder: &Path) -> Result<Self, Failure> {
        let fail = |error| Failure::unwritten(folder, error, "name another folder with --folder");
        let directory = TemporaryFolder::of_measurements(folder).map_err(fail)?;
        let guard = Temporary::new(directory.path());
        let path = directory.path().join("graph.gts");
        interrupt::while_saving(|| {
            store::save(&Stoppable { private: false }, &subject.graph, &path, &SaveOptions::default())
        })?;
        let least = match open(&path, 0) {
            Err(ReadError::Store(StoreError::HostMemory { least, .. })) => least,
            Err(error) => return Err(error.into()),
            Ok(_) => 0,
        };
        Ok(Self { path, least, bytes: subject.bytes(), _folder: directory, _guard: guard })
    }

    /// Opens the graph with the minimum host memory plus room for `percent` of its pages.
    pub(super) fn open(&self, percent: u64) -> Result<Graph, Failure> {
        Ok(open(&self.path, self.least + self.bytes * percent / 100)?)
    }

    /// Measures a sequential read of the pages with direct I/O.
    pub(super) fn reference(&self) -> Result<Reference, Failure> {
        let pages = self.path.join("out.pages");
        let rate = measure::read_rate(&pages)
            .map_err(|error| Failure::unwritten(&pages, error, "name another folder with --folder"))?;
        Ok(Reference { what: "plain read", seconds: self.bytes as f64 / rate })
    }
}

fn open(path: &Path, host_memory: u64) -> Result<Graph, ReadError> {
    Graph::reader(path).host_memory(host_memory).read()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_short() {
        assert_eq!(["torus:4^10", "graphs/rome99.gr", "./web.txt.gz"].map(short_name), ["torus:4^10", "rome99", "web"]);
    }
}
