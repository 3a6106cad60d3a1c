//! Values of ranks move between their GPUs by NCCL, without passing through the memory of the hosts.
//!
//! NCCL moves bytes, and merges nothing: values are merged by the kernel that merges replicas of one process, in the
//! order of the ranks, so that all ranks have the same bits. A rank is a process, whose first GPU contains the memory
//! that it lends.
//!
//! | module | content |
//! |---|---|
//! | here | `RankLink`: the link between this rank's GPU and those of the others |
//! | `library` | search for the library |
//! | `table` | its functions |
//! | `communicator` | the library's view of the ranks |
//! | `slices` | which bytes go where, and how they are merged |
//! | `local` | work of a rank in its own memory |
//! | [`rehearsal`] | several ranks that share a GPU, for checks |
#![allow(unsafe_code)]

mod communicator;
mod library;
mod local;
pub mod rehearsal;
mod slices;
mod table;

pub use library::{Nccl, NcclVersion, nccl};
use table::UniqueId;

use super::CudaDevice;
use super::collective::GpuMemory;
use super::driver::Buffer;
use super::shared::Shared;
use communicator::{Bind, Communicator};
use gts_device::error::{Error, Result};
use gts_device::links::{ID_BYTES, Link, LinkOffer, Linkable, Rendezvous, Stopped};
use gts_device::ranks::Exchanged;
use gts_device::replicated::{Merged, Replica, ReplicaMemory, lent, set_bytes};
use local::OnGpu;
use slices::{Carrier, Column, QUAD, Slices, Staging};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum bytes of the staging memory, which receives what others send: enough to make the start of a transfer cheap.
const MOST_STAGED: u64 = 64 << 20;
/// Divisor of the free memory that gives the size of the staging memory.
const STAGED_OF: u64 = 64;
/// Bytes that ranks exchange when they have found each other, so that the library allocates its memory before pages do.
const GREETING: usize = 64 << 10;
/// Time for which a rank waits for the group to report why NCCL has failed. Another rank may be lost.
const TOLD_WITHIN: Duration = Duration::from_secs(3);
/// Interval at which the rank checks for that report.
const ASKED_EVERY: Duration = Duration::from_millis(20);

impl Linkable for CudaDevice {
    fn offer(&self) -> Result<LinkOffer> {
        nccl()?;
        let staged = (self.shared.context.available()? / STAGED_OF).min(MOST_STAGED);
        Ok(LinkOffer { device: self.shared.context.identity()?, staged })
    }

    fn new_id(&self) -> Result<[u8; ID_BYTES]> {
        communicator::unique_id(&nccl()?.table).map(|UniqueId(id)| id)
    }

    fn join(&self, meeting: &Rendezvous, stopped: Stopped<'_>) -> Result<Box<dyn Link>> {
        Ok(Box::new(RankLink::new(self, meeting, stopped)?))
    }
}

/// The link between this rank's GPU and those of the other ranks.
struct RankLink {
    shared: Arc<Shared>,
    communicator: Communicator,
    staging: Buffer,
    /// The error after which nothing more can be moved.
    failed: Mutex<Option<Error>>,
    calls: AtomicU64,
    nanoseconds: AtomicU64,
}

impl RankLink {
    /// Joins the other ranks. All ranks call this with the same ID and the same number of staged bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Nccl`], too little memory, and an error of `stopped`.
    fn new(device: &CudaDevice, meeting: &Rendezvous, stopped: Stopped<'_>) -> Result<Self> {
        let Rendezvous { id, rank, size, staged } = *meeting;
        let shared = Arc::clone(&device.shared);
        let bytes = staged as usize / QUAD * QUAD;
        let staging = Buffer::zeroed(&shared.context, bytes, "what other ranks send")?;
        let communicator = Communicator::new(&nccl()?.table, binding(&shared), UniqueId(id), (rank, size), stopped)?;
        let (failed, [calls, nanoseconds]) = (Mutex::default(), [const { AtomicU64::new(0) }; 2]);
        let link = Self { shared, communicator, staging, failed, calls, nanoseconds };
        link.greet(stopped)?;
        Ok(link)
    }

    /// Exchanges bytes between all ranks by every kind of transfer.
    fn greet(&self, stopped: Stopped<'_>) -> Result<()> {
        use super::kit::{Kit, Lent};
        let kit = Lent::take(&self.shared.kits, || Kit::new(&self.shared.context))?;
        let support = self.shared.kernels.support(&self.shared.context, 4)?;
        let place =
            super::merging::Place { shared: &self.shared, stream: &kit.stream, support: &support, vertex_bytes: 4 };
        let local = OnGpu { place, end: &kit.merged };
        let ranks = self.communicator.size();
        let bytes = (self.staging.bytes() / (2 * (ranks + 1))).min(GREETING) / QUAD * QUAD;
        // The merged values are in the last part of the memory, after the slots.
        let staging = Staging { address: self.staging.address(), bytes: self.staging.bytes() / 2 / QUAD * QUAD };
        let address = staging.address + staging.bytes as u64;
        let slices = Slices { carrier: &self.communicator, local: &local, staging, stopped };
        let (scalar, merge) = (gts_contract::ScalarType::U32, gts_contract::Merge::Or);
        let attribute =
            Merged { attribute: 0, scalar, merge, length: 1, vertices: (bytes / 4) as u64, vertex_bytes: 4 };
        // SAFETY: the memory has these bytes after the slots, and nothing else uses them.
        unsafe {
            slices.reduce(Column { attribute: &attribute, address }, None)?;
            slices.broadcast(address, bytes)
        }
    }

    /// Runs a transfer. A failure ends the link between the ranks for good.
    fn with(
        &self,
        memory: &GpuMemory<'_>,
        stopped: Stopped<'_>,
        action: impl FnOnce(&Slices<'_, Communicator, OnGpu<'_>>) -> Result<()>,
    ) -> Result<()> {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.clone().map_or(Ok(()), Err)?;
        let begun = Instant::now();
        self.shared.context.bind()?;
        let local = OnGpu { place: memory.place(), end: &memory.kit().merged };
        let staging = Staging { address: self.staging.address(), bytes: self.staging.bytes() };
        let done = action(&Slices { carrier: &self.communicator, local: &local, staging, stopped });
        self.calls.fetch_add(1, Relaxed);
        self.nanoseconds.fetch_add(begun.elapsed().as_nanos() as u64, Relaxed);
        done.map_err(|error| {
            self.communicator.abort();
            let error = explained(error, stopped);
            *failed = Some(error.clone());
            error
        })
    }
}

impl Link for RankLink {
    fn version(&self) -> String {
        nccl().map(|nccl| nccl.version.to_string()).unwrap_or_default()
    }

    fn exchanged(&self) -> Exchanged {
        let [sent, received] = self.communicator.moved();
        let time = Duration::from_nanos(self.nanoseconds.load(Relaxed));
        Exchanged { exchanges: self.calls.load(Relaxed), sent, received, time }
    }

    fn has_room(&self, attributes: &[Merged]) -> bool {
        slices::has_room(self.staging.bytes(), self.communicator.size(), attributes)
    }

    fn reduce(
        &self,
        replica: &mut Replica<'_>,
        attribute: &Merged,
        before: Option<&[u8]>,
        stopped: Stopped<'_>,
    ) -> Result<()> {
        let memory = on_gpu(lent(replica, 0)?, attribute.bytes())?;
        let column = Column { attribute, address: memory.buffer.address() };
        // SAFETY: the buffer has these bytes, ends at a multiple of 16 bytes, and its session does nothing until this
        // returns.
        self.with(&memory, stopped, |slices| unsafe { slices.reduce(column, before) })
    }

    fn gather(
        &self,
        replica: &mut Replica<'_>,
        attribute: &Merged,
        own: &[Vec<Range<u64>>],
        stopped: Stopped<'_>,
    ) -> Result<()> {
        let memory = on_gpu(lent(replica, 0)?, attribute.bytes())?;
        let column = Column { attribute, address: memory.buffer.address() };
        // SAFETY: as for `reduce`.
        self.with(&memory, stopped, |slices| unsafe { slices.gather(column, own) })
    }

    fn broadcast(&self, replica: &mut Replica<'_>, bytes: usize, stopped: Stopped<'_>) -> Result<()> {
        let memory = on_gpu(lent(replica, 0)?, bytes)?;
        // SAFETY: as for `reduce`.
        self.with(&memory, stopped, |slices| unsafe { slices.broadcast(memory.buffer.address(), bytes) })
    }

    fn unite(
        &self,
        replica: &mut Replica<'_>,
        vertices: u64,
        attributes: &[Merged],
        stopped: Stopped<'_>,
    ) -> Result<()> {
        let set = on_gpu(&replica.activated, set_bytes(vertices))?;
        let mut columns = Vec::with_capacity(attributes.len());
        for (place, attribute) in attributes.iter().enumerate() {
            let address = on_gpu(lent(replica, place)?, attribute.bytes())?.buffer.address();
            columns.push(Column { attribute, address });
        }
        // SAFETY: as for `reduce`, and the set has a bit for each vertex.
        self.with(&set, stopped, |slices| unsafe { slices.unite(set.buffer.address(), vertices, &columns) })
    }
}

/// Returns a function that makes a device current for a thread.
fn binding(shared: &Arc<Shared>) -> Bind {
    let shared = Arc::clone(shared);
    Arc::new(move || shared.context.bind().is_ok())
}

/// Returns memory that a replica lends on a GPU, with at least `bytes` bytes.
fn on_gpu<'a>(memory: &ReplicaMemory<'a>, bytes: usize) -> Result<GpuMemory<'a>> {
    GpuMemory::of(memory)
        .filter(|memory| bytes <= memory.buffer.bytes())
        .ok_or_else(|| Error::argument("a collective of GPUs", "the replica lends no such memory of a GPU"))
}

/// Returns the reason why NCCL has failed, if the group reports it in time: a rank may be lost.
fn explained(error: Error, stopped: Stopped<'_>) -> Error {
    if !matches!(error, Error::Nccl { .. }) {
        return error;
    }
    let begun = Instant::now();
    while begun.elapsed() < TOLD_WITHIN {
        if let Err(told) = stopped() {
            return told;
        }
        std::thread::sleep(ASKED_EVERY);
    }
    error
}
