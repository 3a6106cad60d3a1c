//! Thread blocks, run in time slices.
#![allow(unsafe_code)]

mod run;

use crate::access::read;
use crate::fault::{self, Fault};
use crate::lanes::{Column, LANES};
use crate::memory::{Memory, Table};
use crate::program::{Kernel, Program, Special};
use crate::warp::{Group, State, Watch};
use std::fmt::Write as _;
use std::sync::Arc;

/// A launch of a kernel.
#[derive(Debug)]
pub struct Launch {
    /// The program that contains the kernel.
    pub program: Arc<Program>,
    /// The kernel to run.
    pub kernel: Arc<Kernel>,
    /// Number of blocks in each dimension.
    pub grid: [u32; 3],
    /// Number of threads per block in each dimension.
    pub block: [u32; 3],
    /// Bytes of shared memory in addition to those that the kernel declares.
    pub dynamic_shared: u32,
    /// Bytes of the kernel's parameters.
    pub parameters: Vec<u8>,
    /// Address of the program's global variables.
    pub globals: u64,
    /// Number of the device: the index of its bit in [`crate::Allocation::reach`].
    pub device: u32,
    /// Whether all blocks must run concurrently because they wait for each other.
    pub together: bool,
}

impl Launch {
    /// Returns the number of blocks.
    pub fn blocks(&self) -> u64 {
        self.grid.map(u64::from).iter().product()
    }

    /// Returns the name of the kernel.
    pub fn kernel_name(&self) -> &str {
        &self.kernel.name
    }

    fn threads(&self) -> u32 {
        self.block.iter().product()
    }
}

/// Result of [`Block::run`].
#[derive(Debug)]
pub enum Ran {
    /// All threads of the block have ended.
    Ended,
    /// The block has used up its slice.
    Paused,
    /// All threads of the block wait for words in memory to change.
    Parked,
    /// A thread caused a fault.
    Failed(Fault),
}

/// A thread block. The value can be reused for another block.
#[derive(Debug, Default)]
pub struct Block {
    index: [u32; 3],
    warps: Vec<Warp>,
    /// Number of warps in use, at the beginning of `warps`.
    count: usize,
    shared: Vec<u64>,
    shared_bytes: u64,
    /// Number of warp instructions run, including those of earlier blocks that used this value.
    instructions: u64,
    /// Index of the warp that runs next.
    turn: usize,
    /// The table of allocations fetched last.
    table: Arc<Table>,
}

/// State of a warp.
#[derive(Debug, Default)]
struct Warp {
    number: u32,
    columns: Vec<Column>,
    predicates: Vec<u32>,
    local: Vec<u64>,
    groups: Vec<Group>,
    /// Mask of the lanes that have ended.
    ended: u32,
    /// Mask of the lanes that exist.
    all: u32,
    /// Values that loads have read since the last write, by load instruction.
    seen: Vec<Seen>,
    /// Number of consecutive loads that read the same values as before.
    repeated: usize,
    /// Registers recorded after a loop has repeated its loads for some rounds.
    before: Option<Registers>,
    /// Number of rounds of a loop before its registers are compared.
    patience: usize,
    /// Number of backward jumps since another group last had its turn.
    jumps: u32,
}

/// Values read by a load that may read other values later.
#[derive(Debug)]
struct Seen {
    pc: u32,
    mask: u32,
    watches: Vec<Watch>,
}

/// Registers of a warp at a load instruction.
#[derive(Debug)]
struct Registers {
    pc: u32,
    columns: Vec<Column>,
    predicates: Vec<u32>,
}

impl Block {
    /// Prepares the block with this index to run.
    pub fn begin(&mut self, launch: &Launch, index: u64) {
        let [x, y, _] = launch.grid.map(u64::from);
        self.index = [(index % x) as u32, (index / x % y) as u32, (index / (x * y)) as u32];
        let kernel = &launch.kernel;
        let threads = launch.threads();
        self.count = threads.div_ceil(LANES as u32) as usize;
        self.turn = 0;
        self.shared_bytes = kernel.shared + u64::from(launch.dynamic_shared);
        self.shared.clear();
        self.shared.resize(self.shared_bytes.div_ceil(8) as usize, UNSET);
        if self.warps.len() < self.count {
            self.warps.resize_with(self.count, Warp::default);
        }
        for number in 0..self.count {
            self.warps[number].begin(launch, self.index, number as u32);
        }
    }

    /// Returns the number of warp instructions run, including those of earlier blocks that used this value.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Runs the block for about `most` instructions.
    pub fn run(&mut self, launch: &Launch, memory: &dyn Memory, most: u64) -> Ran {
        run::run(self, launch, memory, most)
    }

    /// Returns whether a parked block can continue: a word that its threads wait for may have changed.
    pub fn can_go_on(&self) -> bool {
        // Words of shared memory are checked when the block runs.
        let changes = |watch: &Watch| watch.address >> 60 != 0 || has_changed(&self.table, watch);
        self.watches().any(changes) || self.watches().next().is_none()
    }

    /// Returns whether threads wait for memory that the host can also access.
    pub fn waits_for_host(&self) -> bool {
        self.watches().any(|watch| {
            let number = self
                .table
                .find(watch.address, 1, 0)
                .or_else(|| (1..8).find_map(|device| self.table.find(watch.address, 1, device)));
            number.and_then(|number| self.table.get(number)).is_some_and(|found| found.on_host)
        })
    }

    fn watches(&self) -> impl Iterator<Item = &Watch> {
        self.warps[..self.count].iter().flat_map(|warp| &warp.groups).flat_map(|group| match &group.state {
            State::Parked(watches) => watches.as_slice(),
            _ => &[],
        })
    }

    /// Describes where the threads are and what they wait for.
    pub fn describe(&self, launch: &Launch) -> String {
        let [x, y, z] = self.index;
        let mut text = String::new();
        for warp in &self.warps[..self.count] {
            for group in &warp.groups {
                let (line, code) = launch.kernel.line(&launch.program, group.pc);
                let state = match &group.state {
                    State::Ready => "runs at",
                    State::Together => "waits for lanes of its mask at",
                    State::AtBarrier => "waits for the block at",
                    State::Parked(_) => "waits for a word to change at",
                };
                let first = warp.number * LANES as u32;
                let _ = writeln!(
                    text,
                    "  block ({x}, {y}, {z}), threads from {first}, lanes {:#010x}: {state} PTX line {line}: {code}",
                    group.mask
                );
            }
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// Creates the fault of a group of lanes.
    fn fault(&self, launch: &Launch, warp: usize, at: (u32, u32), code: u32, what: String) -> Fault {
        let (mask, pc) = at;
        Fault {
            code,
            address: None,
            what,
            block: self.index,
            thread: self.warps[warp].number * LANES as u32 + mask.trailing_zeros() % LANES as u32,
            lanes: mask,
            line: launch.kernel.line(&launch.program, pc),
        }
    }

    /// Creates the fault of a block whose threads cannot continue.
    fn stuck(&self, launch: &Launch, what: &str) -> Fault {
        let (warp, group) = (self.warps[..self.count].iter().enumerate())
            .find_map(|(number, warp)| warp.groups.first().map(|group| (number, (group.mask, group.pc))))
            .unwrap_or((0, (0, 0)));
        self.fault(launch, warp, group, fault::TIMEOUT, format!("{what}\n{}", self.describe(launch)))
    }
}

/// Initial number of rounds of a loop before the warp checks whether the loop changes any register.
const PATIENCE: usize = 8;

/// Content of shared and local memory before the first write.
const UNSET: u64 = 0xA5A5_A5A5_A5A5_A5A5;

impl Warp {
    fn begin(&mut self, launch: &Launch, block: [u32; 3], number: u32) {
        let kernel = &launch.kernel;
        let threads = launch.threads();
        let first = number * LANES as u32;
        let lanes = (threads - first).min(LANES as u32);
        self.number = number;
        self.all = u32::MAX >> (LANES as u32 - lanes);
        self.ended = 0;
        self.columns.resize(self.columns.len().max(kernel.columns), [0; LANES]);
        self.predicates.resize(self.predicates.len().max(kernel.predicates), 0);
        let words = kernel.local.div_ceil(8) as usize * LANES;
        self.local.resize(self.local.len().max(words), UNSET);
        self.seen.clear();
        self.repeated = 0;
        self.before = None;
        self.patience = PATIENCE;
        self.jumps = 0;
        self.groups.clear();
        self.groups.push(Group { mask: self.all, pc: kernel.entry, stack: Vec::new(), state: State::Ready });
        let [width, height, _] = launch.block;
        for &(special, column) in &kernel.specials {
            self.columns[column as usize] = std::array::from_fn(|lane| {
                let thread = first + lane as u32;
                let of = |values: [u32; 3], axis: u8| u64::from(values[axis as usize]);
                match special {
                    Special::Thread(axis) => {
                        of([thread % width, thread / width % height, thread / (width * height)], axis)
                    }
                    Special::Threads(axis) => of(launch.block, axis),
                    Special::Block(axis) => of(block, axis),
                    Special::Blocks(axis) => of(launch.grid, axis),
                    Special::Lane => lane as u64,
                    Special::Warp => u64::from(number),
                    Special::Multiprocessor => u64::from(block[0] % 4),
                    Special::LanesBelow => (1 << lane) - 1,
                    Special::LanesUpTo => (2 << lane) - 1,
                    Special::LanesAbove => u64::from(!(((2_u64 << lane) - 1) as u32)),
                    Special::LanesFrom => u64::from(!(((1_u64 << lane) - 1) as u32)),
                    Special::LaneAlone => 1 << lane,
                    Special::DynamicShared => kernel.shared,
                    Special::SharedBytes => kernel.shared + u64::from(launch.dynamic_shared),
                    Special::Variable(offset) => launch.globals + offset,
                }
            });
        }
    }
}

/// Returns whether a watched word differs from the value that lanes have read.
fn has_changed(table: &Table, watch: &Watch) -> bool {
    // Shared memory can change only while the block runs.
    let is_memory = watch.address >> 60 == 0;
    let lies_somewhere = || (0..8).any(|device| table.find(watch.address, watch.bytes.into(), device).is_some());
    // SAFETY: the word is in an allocation, and an earlier load has read it there.
    is_memory && lies_somewhere() && unsafe { read(watch.address as *mut u8, watch.bytes.into(), false) } != watch.value
}
