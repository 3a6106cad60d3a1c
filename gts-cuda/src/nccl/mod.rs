//! Moves attribute values between the ranks' GPUs through NCCL, without copies in host memory.
//!
//! NCCL only moves bytes. The kernel that merges the replicas of one process also merges the values of all ranks, in
//! rank order, so that all ranks obtain the same bits. Each rank is a process, and lends memory of its first GPU.
//!
//! | module | content |
//! |---|---|
//! | here | `RankLink`: the connection between this rank's GPU and the GPUs of the other ranks |
//! | `library` | search for the library |
//! | `table` | the library's functions |
//! | `communicator` | a rank's interface to the library |
//! | `slices` | the division of values among ranks, and the merge |
//! | `local` | a rank's work in its own memory |
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
use super::shared::DeviceState;
use communicator::{Bind, Communicator};
use gts_device::error::{Error, Result};
use gts_device::links::{ID_BYTES, Link, LinkOffer, Linkable, Rendezvous, Stopped};
use gts_device::ranks::Exchanged;
use gts_device::replicated::{Merged, Replica, ReplicaMemory, lent, set_bytes};
use local::OnGpu;
use slices::{AttributeAddress, Carrier, QUAD, Slices, Staging};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The maximum size in bytes of the staging memory, which receives data from other ranks. At this size, a transfer's
/// latency is negligible.
const MOST_STAGED: u64 = 64 << 20;
/// The size of the staging memory is the available device memory divided by this number, but at most `MOST_STAGED`.
const STAGED_OF: u64 = 64;
/// The number of bytes that ranks exchange once they are connected. The exchange makes the library allocate its memory
/// before pages are loaded.
const GREETING: usize = 64 << 10;
/// The time for which a rank waits for the group to report why NCCL has failed. The reason may be a lost rank.
const TOLD_WITHIN: Duration = Duration::from_secs(3);
/// The interval at which the rank polls for the group's report.
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

/// The connection between this rank's GPU and the GPUs of the other ranks.
struct RankLink {
    shared: Arc<DeviceState>,
    communicator: Communicator,
    staging: Buffer,
    /// The error that ended the connection, if any. All later transfers return this error.
    failed: Mutex<Option<Error>>,
    calls: AtomicU64,
    nanoseconds: AtomicU64,
}

impl RankLink {
    /// Joins the other ranks. All ranks must call this function with the same ID and the same number of staged bytes.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Nccl`] if NCCL fails, [`Error::OutOfMemory`] if the device has too little memory, or the error
    /// that `stopped` returns.
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

    /// Exchanges bytes among all ranks, with every kind of transfer.
    fn greet(&self, stopped: Stopped<'_>) -> Result<()> {
        use super::kit::{Kit, Lent};
        let kit = Lent::take(&self.shared.kits, || Kit::new(&self.shared.context))?;
        let support = self.shared.kernels.support(&self.shared.context, 4)?;
        let place = super::merging::MergeStream {
            shared: &self.shared,
            stream: &kit.stream,
            support: &support,
            vertex_bytes: 4,
        };
        let local = OnGpu { place, end: &kit.merged };
        let ranks = self.communicator.size();
        let bytes = (self.staging.bytes() / (2 * (ranks + 1))).min(GREETING) / QUAD * QUAD;
        // The first half of the buffer serves as staging memory. The second half contains the values to merge.
        let staging = Staging { address: self.staging.address(), bytes: self.staging.bytes() / 2 / QUAD * QUAD };
        let address = staging.address + staging.bytes as u64;
        let slices = Slices { carrier: &self.communicator, local: &local, staging, stopped };
        let (scalar, merge) = (gts_contract::ScalarType::U32, gts_contract::Merge::Or);
        let attribute = Merged {
            attribute: 0,
            scalar,
            merge,
            length: 1,
            vertices: (bytes / 4) as u64,
            vertex_bytes: 4,
            check: None,
        };
        // SAFETY: the second half of the buffer has room for these bytes, and nothing else uses that half.
        unsafe {
            slices.reduce(AttributeAddress { attribute: &attribute, address }, None)?;
            slices.broadcast(address, bytes)
        }
    }

    /// Runs a transfer. After a failure, the connection between the ranks stays closed.
    fn with(
        &self,
        memory: &GpuMemory<'_>,
        stopped: Stopped<'_>,
        action: impl FnOnce(&Slices<'_, Communicator, OnGpu<'_>>) -> Result<()>,
    ) -> Result<()> {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.clone().map_or(Ok(()), Err)?;
        if !Arc::ptr_eq(&memory.session.shared, &self.shared) {
            return Err(Error::argument("a collective of GPUs", "the replica lends memory of another GPU"));
        }
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
        let column = AttributeAddress { attribute, address: memory.buffer.address() };
        // SAFETY: the buffer contains all values, padded to a multiple of 16 bytes. The buffer's session is idle until
        // this call returns.
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
        let column = AttributeAddress { attribute, address: memory.buffer.address() };
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
            columns.push(AttributeAddress { attribute, address });
        }
        // SAFETY: as for `reduce`; the set also has one bit per vertex.
        self.with(&set, stopped, |slices| unsafe { slices.unite(set.buffer.address(), vertices, &columns) })
    }
}

/// Returns a function that makes a device current for the calling thread.
fn binding(shared: &Arc<DeviceState>) -> Bind {
    let shared = Arc::clone(shared);
    Arc::new(move || shared.context.bind().is_ok())
}

/// Returns the GPU memory that a replica lends. Fails if the memory is not on a GPU, or is shorter than `bytes` bytes.
fn on_gpu<'a>(memory: &ReplicaMemory<'a>, bytes: usize) -> Result<GpuMemory<'a>> {
    GpuMemory::of(memory)
        .filter(|memory| bytes <= memory.buffer.bytes())
        .ok_or_else(|| Error::argument("a collective of GPUs", "the replica lends no such memory of a GPU"))
}

/// Returns the reason for an NCCL failure, such as a lost rank, if the group reports a reason in time. Otherwise,
/// returns the error itself.
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
