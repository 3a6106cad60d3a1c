//! Kernel launches: sets of blocks that host threads run in time slices.

use crate::codes::Code;
use crate::configuration::configuration;
use crate::contexts;
use crate::memory;
use crate::statistics;
use gts_emulator_ptx::{Block, Launch, Memory, Ran, Table};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Number of warp instructions after which a block must pause.
const TURN: u64 = 1 << 16;
/// Time after which a worker leaves a launch to look for other work.
const WHILE: Duration = Duration::from_millis(2);
/// Time after which a launch fails if all of its threads wait for device memory and no other work is in progress.
const STUCK: Duration = Duration::from_secs(10);

/// The memory visible to kernels.
struct Seen;

impl Memory for Seen {
    fn table(&self) -> Arc<Table> {
        memory::with(memory::Memory::table)
    }
}

/// A launch that has been queued.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) device: u32,
    /// Queue from which the launch was started. The queue continues when the launch ends.
    pub(crate) queue: u64,
    launch: Launch,
    blocks: u64,
    /// Index of the first block that has not begun.
    fresh: AtomicU64,
    /// Number of blocks that have ended.
    ended: AtomicU64,
    /// Blocks that have begun and are not running.
    held: Mutex<VecDeque<Held>>,
    instructions: AtomicU64,
    /// Whether the launch must end before all blocks have ended.
    stopped: AtomicBool,
    /// Number of threads that work on the launch.
    workers: AtomicUsize,
    /// Start of the current period in which no block can run.
    stuck: Mutex<Option<Instant>>,
}

/// A block between two time slices.
#[derive(Debug)]
struct Held {
    block: Block,
    /// Whether all threads of the block wait for memory to change.
    parked: bool,
}

/// Result of one call of [`Job::run`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// At least one block ran.
    Some,
    /// No block could run.
    None,
}

impl Job {
    pub(crate) fn new(device: u32, queue: u64, launch: Launch) -> Self {
        let blocks = launch.blocks();
        Self {
            device,
            queue,
            launch,
            blocks,
            fresh: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            held: Mutex::default(),
            instructions: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            workers: AtomicUsize::new(0),
            stuck: Mutex::default(),
        }
    }

    /// Makes the launch end before all blocks have ended.
    pub(crate) fn abandon(&self) {
        self.stopped.store(true, SeqCst);
    }

    /// Returns whether the launch has work for another thread: a block to run, or the end of the launch.
    pub(crate) fn has_room(&self) -> bool {
        self.stopped.load(SeqCst) || self.fresh.load(SeqCst) < self.blocks || !self.held().is_empty()
    }

    /// Registers a thread that starts to work on the launch.
    pub(crate) fn join(&self) {
        self.workers.fetch_add(1, SeqCst);
    }

    /// Unregisters a thread from the launch. Returns whether the launch has ended.
    pub(crate) fn leave(&self) -> bool {
        let last = self.workers.fetch_sub(1, SeqCst) == 1;
        let over = last && (self.stopped.load(SeqCst) || self.ended.load(SeqCst) == self.blocks);
        if over {
            self.held().clear();
            statistics::launched(&self.launch, self.instructions.load(SeqCst));
        }
        over
    }

    fn held(&self) -> MutexGuard<'_, VecDeque<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs blocks of the launch for about [`WHILE`]. Blocks that have ended are stored in `spare` for reuse.
    pub(crate) fn run(&self, spare: &mut Vec<Block>) -> Progress {
        let begun = Instant::now();
        let mut progress = Progress::None;
        // Number of waiting blocks examined since a block last ran.
        let mut waiting = 0;
        while !self.stopped.load(SeqCst) {
            let Some(mut block) = self.take(spare, &mut waiting) else { break };
            let before = block.instructions();
            let ran = block.run(&self.launch, &Seen, TURN);
            let spent = block.instructions() - before;
            let all = self.instructions.fetch_add(spent, SeqCst) + spent;
            if spent > 0 {
                progress = Progress::Some;
                waiting = 0;
            }
            match ran {
                Ran::Ended => {
                    spare.push(block);
                    self.ended.fetch_add(1, SeqCst);
                }
                Ran::Paused => self.held().push_back(Held { block, parked: false }),
                Ran::Parked => self.held().push_back(Held { block, parked: true }),
                Ran::Failed(fault) => self.fail(Code(fault.code), &fault.to_string(), fault.address),
            }
            if all > configuration().steps {
                self.fail_endless();
            }
            if begun.elapsed() > WHILE {
                break;
            }
        }
        let mut stuck = self.stuck.lock().unwrap_or_else(PoisonError::into_inner);
        match progress {
            Progress::Some => *stuck = None,
            Progress::None => drop(stuck.get_or_insert_with(Instant::now)),
        }
        drop(stuck);
        progress
    }

    /// Takes a block that can run. Blocks that have not begun come before those that have.
    fn take(&self, spare: &mut Vec<Block>, waiting: &mut usize) -> Option<Block> {
        if self.fresh.load(SeqCst) < self.blocks {
            let index = self.fresh.fetch_add(1, SeqCst);
            if index < self.blocks {
                let mut block = spare.pop().unwrap_or_default();
                block.begin(&self.launch, index);
                return Some(block);
            }
        }
        let mut held = self.held();
        while *waiting < held.len() {
            let found = held.pop_front()?;
            if !found.parked || found.block.can_go_on() {
                return Some(found.block);
            }
            held.push_back(found);
            *waiting += 1;
        }
        None
    }

    /// Returns whether no block has been able to run for [`STUCK`] and no block waits for memory that the host can
    /// write.
    pub(crate) fn is_stuck(&self) -> bool {
        let stuck = *self.stuck.lock().unwrap_or_else(PoisonError::into_inner);
        stuck.is_some_and(|since| since.elapsed() > STUCK)
            && !self.held().iter().any(|held| held.block.waits_for_host())
    }

    /// Fails the launch: all of its threads wait for memory that nothing will write.
    pub(crate) fn fail_stuck(&self) {
        self.fail_waiting("all threads wait for memory that nothing writes");
    }

    fn fail_endless(&self) {
        self.fail_waiting(&format!("the launch has not ended within {} instructions", configuration().steps));
    }

    fn fail_waiting(&self, why: &str) {
        let blocks: Vec<String> = self.held().iter().take(4).map(|held| held.block.describe(&self.launch)).collect();
        self.fail(Code::LAUNCH_TIMEOUT, &format!("{why}\n{}", blocks.join("\n")), None);
    }

    /// Reports the first fault of the launch and makes the context fail.
    fn fail(&self, code: Code, what: &str, address: Option<u64>) {
        if self.stopped.swap(true, SeqCst) {
            return;
        }
        let near = address.map(|address| memory::with(|memory| memory.describe(address)));
        report(self.device, code, &format!("kernel {}: {what}", self.launch.kernel_name()), near);
        contexts::fail(self.device, code);
    }
}

/// Reports a device's fault on standard error. `near` describes the nearest allocation.
pub(crate) fn report(device: u32, code: Code, what: &str, near: Option<String>) {
    let name = code.name().map_or("", |name| name.trim_end_matches('\0'));
    let near = near.map(|near| format!("\n  nearest allocation: {near}")).unwrap_or_default();
    eprintln!("gts emulator: device {device}: {name} ({}): {what}{near}", code.0);
}
