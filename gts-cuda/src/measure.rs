//! Measures the rates of a device's memory and of its link to the host, and the time of a launch. The measurements run
//! one after another, on otherwise idle devices.
#![allow(unsafe_code)]

mod accesses;

use super::compile;
use super::driver::{Buffer, Context, Event, Module, PageLock, Pinned, Stream};
use gts_core::cost::{BesideReads, CopyRate, LinkConstants, RandomReads};
use gts_core::memory::prefer_huge_pages;
use gts_core::threads;
use gts_device::constants::DeviceMeasurement;
use gts_device::error::Result;
use gts_device::reads::Reads;
use std::sync::{Arc, Barrier};
use std::time::Instant;

/// The size in bytes of the memory that copies read and write.
const BYTES: usize = 256 << 20;
/// The number of bytes to page-lock at once, large enough to occupy several threads.
const PINNED: usize = 1 << 30;
/// The number of times that page-locking is measured.
const PINNINGS: usize = 3;
/// The measured copy sizes in bytes.
const COPIES: [usize; 7] = [64 << 10, 256 << 10, 1 << 20, 4 << 20, 8 << 20, 16 << 20, 64 << 20];
/// The copy size in bytes when several devices copy concurrently.
const SHARED_COPY: usize = 16 << 20;
/// The number of times that the host buffer is copied to each device when several devices copy concurrently.
const SHARED_ROUNDS: usize = 8;
/// The copy size in bytes during reads of host memory, large enough that few copies wait in the stream.
const BESIDE_COPY: usize = 64 << 20;
/// The number of times that the host buffer is copied during reads of host memory. The copies take about a third of a
/// second.
const BESIDE_ROUNDS: usize = 64;
/// The sizes in bytes of the ranges that are read at random during copies: smaller than a large cache, about as large
/// as one, and larger than most caches. On a host with an H100 and a 300 MiB cache, the reads took 1.00, 1.18 and 1.23
/// times their time without copies.
const COVERED: [usize; 3] = [64 << 20, 256 << 20, 1 << 30];
/// The number of times that the host buffer is copied in a turn. The copies take about a tenth of a second. Each turn
/// then reads without copies for the same length of time.
const TURN_ROUNDS: usize = 24;
/// The number of turns per measurement. The result is the median of the turns.
const TURNS: usize = 5;
/// The number of launches that are timed together.
const LAUNCHES: u32 = 1000;
/// The number of times that each measurement is repeated. The result is the best of the repetitions.
const RUNS: usize = 5;

/// An empty kernel, and a kernel that reads memory in 128-byte lines, like passes that read active records.
const PROGRAM: &str = r#"
extern "C" __global__ void __launch_bounds__(256) gts_measure_nothing(unsigned long long words) {}
extern "C" __global__ void __launch_bounds__(256)
    gts_measure_read(const uint4* words, unsigned long long count, unsigned* sums) {
    const unsigned long long block = 256; // as every launch has it
    unsigned long long stride = gridDim.x * block;
    unsigned sum = 0;
    for (unsigned long long i = blockIdx.x * block + threadIdx.x; i < count; i += stride) {
        uint4 word = words[i];
        sum += word.x ^ word.y ^ word.z ^ word.w;
    }
    atomicAdd(sums, sum);
}
"#;

/// Measures a device. `others` are the devices that a run would use together with this device. The other devices take
/// part only in measurements of concurrent copies.
///
/// # Errors
///
/// A device is not available, has too little memory, or fails.
pub fn measure_link(ordinal: u32, others: &[u32]) -> Result<DeviceMeasurement> {
    let bench = Bench::new(Context::new(ordinal, None)?)?;
    let (memory_rate, launch) = (bench.memory_rate()?, bench.launch()?);
    let accesses = accesses::measure(&bench)?;
    let copies = COPIES.map(|bytes| Ok(CopyRate { bytes: bytes as u64, rate: bench.copy_rate(bytes)? }));
    let copies = copies.into_iter().collect::<Result<Vec<_>>>()?;
    let (back_rate, in_place_rate, pin_rate) = (bench.back_rate()?, bench.in_place_rate()?, bench.pin_rate()?);
    let pageable_rate = bench.pageable_rate()?;
    let beside = Some(bench.beside_reads()?);
    let mut all = vec![bench];
    for other in others {
        all.push(Bench::new(Context::new(*other, None)?)?);
    }
    let peer_rate = ring_rate(&all)?;
    let link = LinkConstants {
        copies,
        pageable_rate,
        back_rate,
        in_place_rate,
        pin_rate,
        shared_rate: shared_rate(&mut all)?,
        peer_rate,
        beside,
    };
    Ok(DeviceMeasurement { memory_rate, launch, accesses, link })
}

/// A device to measure, with buffers on the host and on the device.
struct Bench {
    context: Arc<Context>,
    stream: Stream,
    module: Module,
    host: Pinned,
    memory: Buffer,
    sums: Buffer,
}

impl Bench {
    fn new(context: Arc<Context>) -> Result<Self> {
        let program = compile::compile("gts_measure", PROGRAM, context.architecture())?;
        Ok(Self {
            module: Module::load(&context, &program)?,
            stream: Stream::new(&context)?,
            memory: Buffer::zeroed(&context, BYTES, "what is measured")?,
            sums: Buffer::zeroed(&context, 4, "what is measured")?,
            host: Pinned::new(&context, BYTES)?,
            context,
        })
    }

    /// Runs `work` several times in the stream, after an untimed warm-up. Returns the shortest time in seconds.
    fn best(&self, work: impl Fn(&Stream) -> Result<()>) -> Result<f64> {
        let (begun, ended) = (Event::new(&self.context)?, Event::new(&self.context)?);
        work(&self.stream)?;
        let mut best = f64::INFINITY;
        for _ in 0..RUNS {
            self.stream.record(&begun)?;
            work(&self.stream)?;
            self.stream.record(&ended)?;
            self.stream.synchronize("measuring")?;
            best = best.min(ended.since(&begun)?.as_secs_f64());
        }
        // A coarse clock may measure zero, for instance on a device that does no work.
        Ok(best.max(1e-9))
    }

    /// Copies the whole host buffer to the device in pieces of `piece` bytes.
    fn copy(&self, stream: &Stream, piece: usize) -> Result<()> {
        let mut pieces = self.host.as_slice().chunks_exact(piece).enumerate();
        // SAFETY: the memory is not written, and is freed only after the copies that read it.
        pieces.try_for_each(|(at, bytes)| unsafe { stream.copy(&self.memory, at * piece, bytes) })
    }

    fn copy_rate(&self, piece: usize) -> Result<f64> {
        Ok(BYTES as f64 / self.best(|stream| self.copy(stream, piece))?)
    }

    fn back_rate(&self) -> Result<f64> {
        let mut target = Pinned::new(&self.context, BYTES)?;
        let (begun, ended) = (Event::new(&self.context)?, Event::new(&self.context)?);
        let mut best = f64::INFINITY;
        for _ in 0..RUNS {
            self.stream.record(&begun)?;
            self.stream.fetch(&self.memory, &mut target, BYTES)?;
            self.stream.record(&ended)?;
            self.stream.synchronize("measuring copies back")?;
            best = best.min(ended.since(&begun)?.as_secs_f64());
        }
        Ok(BYTES as f64 / best.max(1e-9))
    }

    /// Measures copies to the device while all cores read host memory.
    fn beside_reads(&self) -> Result<BesideReads> {
        let reads = Reads::new(COVERED[COVERED.len() - 1]);
        let (memory_rate, seconds) = self.beside_copies(BESIDE_ROUNDS, |ended| reads.rate_until(ended))?;
        let at_random = COVERED
            .map(|bytes| Ok(RandomReads { working_set: bytes as u64, times: self.times_at_random(&reads, bytes)? }));
        Ok(BesideReads {
            copy_rate: (BESIDE_ROUNDS * BYTES) as f64 / seconds.max(1e-9),
            memory_rate,
            at_random: at_random.into_iter().collect::<Result<_>>()?,
        })
    }

    /// Returns the time of random reads within `bytes` bytes during copies, as a multiple of the time without copies.
    /// The result is the median of several turns. Each turn measures both times, because the speed of shared cores
    /// changes.
    fn times_at_random(&self, reads: &Reads, bytes: usize) -> Result<f64> {
        let turn = |_| -> Result<f64> {
            let (beside, seconds) = self.beside_copies(TURN_ROUNDS, |ended| reads.at_random_until(bytes, ended))?;
            let begun = Instant::now();
            let is_over = || -> Result<bool> { Ok(begun.elapsed().as_secs_f64() >= seconds) };
            let alone = reads.at_random_until(bytes, is_over)?;
            Ok((beside / alone.max(1e-9)).max(1.0))
        };
        let mut turns = (0..TURNS).map(turn).collect::<Result<Vec<f64>>>()?;
        turns.sort_by(f64::total_cmp);
        Ok(turns[TURNS / 2])
    }

    /// Runs `work` on the host while the host buffer is copied to the device `rounds` times. The argument of `work` is
    /// a function that returns whether the copies are complete. Returns the result of `work`, and the duration of the
    /// copies in seconds.
    fn beside_copies<T>(
        &self,
        rounds: usize,
        work: impl FnOnce(&dyn Fn() -> Result<bool>) -> Result<T>,
    ) -> Result<(T, f64)> {
        let (begun, ended) = (Event::new(&self.context)?, Event::new(&self.context)?);
        self.stream.record(&begun)?;
        (0..rounds).try_for_each(|_| self.copy(&self.stream, BESIDE_COPY))?;
        self.stream.record(&ended)?;
        let done = work(&|| ended.is_done("measuring copies"));
        self.stream.synchronize("measuring copies")?;
        Ok((done?, ended.since(&begun)?.as_secs_f64()))
    }

    fn pageable_rate(&self) -> Result<f64> {
        let plain = vec![1u8; BYTES];
        let mut best = f64::INFINITY;
        for _ in 0..RUNS {
            let begun = Instant::now();
            self.memory.upload(0, &plain, "what is measured")?;
            best = best.min(begun.elapsed().as_secs_f64());
        }
        Ok(BYTES as f64 / best)
    }

    /// Returns the rate in bytes per second at which initialised memory is page-locked for the first time. The result
    /// is the best of several measurements, because the system may still be busy with memory that was freed earlier.
    fn pin_rate(&self) -> Result<f64> {
        let mut best = f64::INFINITY;
        for _ in 0..PINNINGS {
            let mut plain = Vec::with_capacity(PINNED);
            // Use huge pages, because graph pages use them too.
            prefer_huge_pages(plain.spare_capacity_mut());
            plain.resize(PINNED, 1u8);
            let begun = Instant::now();
            // SAFETY: the lock is dropped before the memory.
            let lock = unsafe { PageLock::new(&self.context, &plain) }?;
            best = best.min(begun.elapsed().as_secs_f64());
            drop(lock);
        }
        Ok(PINNED as f64 / best)
    }

    /// Returns the rate in bytes per second at which a kernel reads the memory at an address.
    fn read_rate(&self, address: u64) -> Result<f64> {
        let words = BYTES as u64 / 16;
        let function = self.module.function("gts_measure_read", &[8, 8, 8])?;
        let grid = (8 * self.context.multiprocessors().max(1), 1);
        let seconds = self.best(|stream| {
            // SAFETY: the kernel reads `words` words of 16 bytes at the address, and adds to one word of `sums`. Both
            // callers pass memory that lives as long as this value.
            unsafe { function.launch(stream, grid, &[&[address], &[words], &[self.sums.address()]]) }
        })?;
        Ok(BYTES as f64 / seconds)
    }

    fn memory_rate(&self) -> Result<f64> {
        self.read_rate(self.memory.address())
    }

    fn in_place_rate(&self) -> Result<f64> {
        // Page-locked memory has the same address on the device as on the host.
        self.read_rate(self.host.as_slice().as_ptr().addr() as u64)
    }

    fn launch(&self) -> Result<f64> {
        let function = self.module.function("gts_measure_nothing", &[8])?;
        let seconds = self.best(|stream| {
            // SAFETY: the kernel accesses no memory.
            (0..LAUNCHES).try_for_each(|_| unsafe { function.launch(stream, (1, 1), &[&[0]]) })
        })?;
        Ok(seconds / f64::from(LAUNCHES))
    }
}

/// Returns the total rate of concurrent copies to all devices, with one thread per device.
fn shared_rate(all: &mut [Bench]) -> Result<f64> {
    let barrier = Barrier::new(all.len());
    let mut best = 0f64;
    for _ in 0..RUNS {
        let times = threads::together(all.iter_mut(), |_, bench| copy_together(bench, &barrier))?;
        let slowest = times.into_iter().collect::<Result<Vec<_>>>()?.into_iter().fold(0.0, f64::max);
        best = best.max((all.len() * SHARED_ROUNDS * BYTES) as f64 / slowest.max(1e-9));
    }
    Ok(best)
}

fn copy_together(bench: &mut Bench, barrier: &Barrier) -> Result<f64> {
    barrier.wait();
    let begun = Instant::now();
    let copied = (0..SHARED_ROUNDS).try_for_each(|_| bench.copy(&bench.stream, SHARED_COPY));
    bench.stream.synchronize("measuring copies")?;
    copied.map(|()| begun.elapsed().as_secs_f64())
}

/// Returns the rate at which each device copies from the next device while all devices copy. Returns `None` if there is
/// only one device, or if a device cannot access the memory of the next device.
fn ring_rate(all: &[Bench]) -> Result<Option<f64>> {
    if all.len() < 2 {
        return Ok(None);
    }
    let next = |index: usize| &all[(index + 1) % all.len()];
    for (index, bench) in all.iter().enumerate() {
        if !bench.context.reach(&next(index).context)? {
            return Ok(None);
        }
    }
    let targets = all.iter().map(|bench| Buffer::zeroed(&bench.context, BYTES, "what is measured"));
    let targets = targets.collect::<Result<Vec<_>>>()?;
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let begun = Instant::now();
        for _ in 0..SHARED_ROUNDS {
            for (index, (bench, target)) in all.iter().zip(&targets).enumerate() {
                bench.stream.copy_from_peer(&next(index).memory, target, BYTES)?;
            }
        }
        all.iter().try_for_each(|bench| bench.stream.synchronize("measuring copies between devices"))?;
        best = best.min(begun.elapsed().as_secs_f64());
    }
    Ok(Some((SHARED_ROUNDS * BYTES) as f64 / best))
}
