//! The CUDA device of GTS, which runs kernels on NVIDIA GPUs through the CUDA driver.
//!
//! ```no_run
//! use gts_cuda::CudaDevice;
//! use gts_device::{CudaOptions, Device};
//!
//! // Device 0, with at most 1 GiB of its memory.
//! let options = CudaOptions { memory: Some(1 << 30), ..CudaOptions::default() };
//! let device = CudaDevice::with_options(0, options)?;
//! assert!(device.name().starts_with("cuda:0"));
//! # Ok::<(), gts_device::Error>(())
//! ```
//!
//! A kernel's CUDA C is combined with the fixed parts (`cuda_src/`), compiled at run time for the device's
//! architecture, and launched over pages in device memory. If all pages of a graph fit, the pages are resident.
//! Otherwise, pages stream through device memory (`streaming/`), and the remaining device memory caches pages
//! (`cache/`). The device determines the pages that a traversal visits.
//!
//! - Only `library` checks whether the driver and the compiler are present.
//! - `driver/` wraps the driver's calls. `launch` launches kernels over pages and vertices.
//! - [`program_text`] returns the source of a program. [`compile()`] and [`CubinCache`] produce machine code from the
//!   source. Neither step needs a GPU.
//!
//! # Where to go next
//!
//! - [`CudaDevice`] is one GPU, and [`CudaDevice::together`] combines several by replicas (Strategy-P).
//! - [`SplitDevice`] divides the attributes between GPUs (Strategy-S).
//! - [`nccl`] moves values between the GPUs of ranks.
//! - [`gts-graph`](https://docs.rs/gts-graph) is the crate that programs depend on.

mod answer;
mod arguments;
mod cache;
mod code;
mod collective;
mod compile;
mod cubin_cache;
mod driver;
mod edge_list;
mod entry;
mod frontier;
mod globals;
mod intersect;
mod kernels;
mod kit;
mod launch;
mod library;
mod matching;
mod measure;
mod merging;
pub mod nccl;
mod pages;
mod part;
mod pass;
mod program;
mod pull;
mod ring;
mod session;
mod several;
mod shared;
mod split;
mod steps;
mod streaming;
mod tally;
mod techniques;
mod travelling;
mod watch;

pub use compile::{check, compile};
pub use cubin_cache::{Cubin, CubinCache};
pub use entry::Entry;
pub use library::{Compiler, compiler};
pub use measure::measure_link;
pub use program::{Variant, kernel_text, program_text};
pub use split::SplitDevice;

use collective::PeerCollective;
use driver::Context;
use gts_contract::Schema;
use gts_core::graph::Graph;
use gts_core::page::HostMemory;
use gts_device::error::{Error, Result};
use gts_device::links::Linkable;
use gts_device::options::{CudaOptions, MAX_STREAMS};
use gts_device::replicated::{Collective, HostCollective, ReplicatedDevice};
use gts_device::{Device, MemoryTaken, Session, SessionOptions};
use kernels::Kernels;
use kit::Spare;
use pages::Residents;
use session::CudaSession;
use shared::DeviceState;
use std::sync::{Arc, Mutex, OnceLock};
use streaming::LockedMemory;

/// One NVIDIA GPU. Clones refer to the same GPU.
#[derive(Clone, Debug)]
pub struct CudaDevice {
    shared: Arc<DeviceState>,
}

impl CudaDevice {
    /// Opens a device, given its zero-based index among the devices that `CUDA_VISIBLE_DEVICES` permits. The device
    /// uses the user's cubin cache.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] if the driver, the device or the run-time compiler is missing. The error states the cause
    /// and a remedy.
    pub fn new(ordinal: u32) -> Result<Self> {
        Self::with_options(ordinal, CudaOptions::default())
    }

    /// Opens a device like [`CudaDevice::new`], with the given options.
    ///
    /// # Errors
    ///
    /// The errors of [`CudaDevice::new`], and [`Error::Argument`] if the number of streams is invalid.
    pub fn with_options(ordinal: u32, options: CudaOptions) -> Result<Self> {
        if !(1..=MAX_STREAMS).contains(&options.streams) {
            return Err(Error::argument(
                format_args!("{} streams", options.streams),
                format_args!("expected 1 to {MAX_STREAMS}"),
            ));
        }
        let context = Context::new(ordinal, options.memory)?;
        compiler()?;
        let shared = DeviceState {
            pool: Mutex::default(),
            streaming: Arc::default(),
            residents: Residents::default(),
            kernels: Kernels::new(CubinCache::of_user()),
            options,
            machine: OnceLock::new(),
            context,
            kits: Spare::default(),
            rings: Spare::default(),
            together: Mutex::default(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Combines several devices into one. The devices exchange values through peer access if available, otherwise
    /// through host memory.
    ///
    /// # Errors
    ///
    /// There are no devices, or a device fails.
    pub fn together(devices: &[Arc<Self>]) -> Result<ReplicatedDevice> {
        let collective = Self::collective(devices)?;
        let devices = devices.iter().map(|device| Arc::clone(device) as Arc<dyn Device>).collect();
        ReplicatedDevice::new(devices, collective)
    }

    /// Returns a collective for replicas on several devices, and possibly on the CPU. The collective uses peer access
    /// if available, otherwise host memory.
    ///
    /// # Errors
    ///
    /// A device fails.
    pub fn collective(devices: &[Arc<Self>]) -> Result<Arc<dyn Collective>> {
        let shared: Vec<Arc<DeviceState>> = devices.iter().map(|device| device.shared.clone()).collect();
        Ok(match PeerCollective::between(&shared)? {
            Some(peers) => Arc::new(peers),
            None => Arc::new(HostCollective),
        })
    }

    /// Returns an allocator of host memory that GPUs can access.
    pub fn host_memory(&self) -> Arc<dyn HostMemory> {
        Arc::new(LockedMemory { context: Arc::clone(&self.shared.context) })
    }

    /// Returns the number of devices that the driver reports.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] with the cause, if there is no device.
    pub fn count() -> Result<u32> {
        library::driver().map(|driver| driver.devices)
    }

    /// Returns the identity of each device of this machine. Identities are unique across machines.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] with the cause, if there is no device.
    pub fn identities() -> Result<Vec<[u8; 16]>> {
        (0..Self::count()?).map(driver::identity).collect()
    }

    /// Returns the index of the device, as passed to [`CudaDevice::new`].
    pub fn ordinal(&self) -> u32 {
        self.shared.context.ordinal()
    }

    /// Page-locks the out-pages of a graph, as a run that streams these pages does. The pages stay locked until the
    /// device forgets the graph or evicts the graph's data. Returns the pages in order, as a list of pieces. The driver
    /// rejects a copy that crosses from one piece into the next.
    ///
    /// # Errors
    ///
    /// The pages are not in memory, or cannot be locked.
    pub fn lock_pages<'a>(&self, graph: &'a Graph) -> Result<Vec<&'a [u8]>> {
        let topology = graph.out_topology();
        let locks = self.shared.residents.page_locks(&self.shared.context, graph, topology)?;
        let found = topology.source().resident().and_then(|pages| Some((pages, locks.of(pages)?)));
        let (pages, lock) =
            found.ok_or_else(|| Error::argument("page-locking", "the graph's pages are not in memory"))?;
        Ok(lock.cut(pages).map(|piece| &pages[piece]).collect())
    }

    /// Returns the free and the total device memory in bytes.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn memory(&self) -> Result<(u64, u64)> {
        self.shared.context.memory()
    }

    /// Returns the peak use of device memory in bytes, including attributes, tables, pages and buffers.
    pub fn peak_memory(&self) -> u64 {
        self.shared.context.ledger().peak()
    }

    /// Returns the architecture for which programs are compiled, such as 90 for `sm_90`.
    pub fn architecture(&self) -> u32 {
        self.shared.context.architecture()
    }
}

impl Device for CudaDevice {
    fn name(&self) -> String {
        self.shared.context.name().to_owned()
    }

    fn linkable(&self) -> Option<Arc<dyn Linkable>> {
        Some(Arc::new(self.clone()))
    }

    fn start(&self, graph: &Graph, schema: &'static Schema, options: &SessionOptions) -> Result<Box<dyn Session>> {
        let start = || CudaSession::new(self.shared.clone(), graph.clone(), schema, options, None);
        let session = match start() {
            Err(Error::OutOfMemory { .. }) => {
                self.shared.evict(graph);
                start()
            }
            result => result,
        };
        Ok(Box::new(session?))
    }

    fn forget(&self, graph: &Graph) {
        self.shared.forget(graph);
    }

    fn memory_taken(&self) -> Vec<MemoryTaken> {
        let context = &self.shared.context;
        vec![MemoryTaken {
            device: self.name(),
            peak: context.ledger().peak(),
            budget: context.ledger().limit(),
            page_locked: context.page_locked().peak(),
            driver_calls: context.calls(),
        }]
    }
}
