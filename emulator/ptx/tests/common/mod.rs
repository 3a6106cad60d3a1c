//! Runs kernels on memory of the test process.
#![allow(unsafe_code, dead_code)]

use gts_emulator_ptx::{Allocation, Block, Fault, Launch, Memory, Program, Ran, Table};
use std::cell::UnsafeCell;
use std::sync::Arc;

/// A buffer of words that kernels can read and write.
pub(crate) struct Buffer(Box<[UnsafeCell<u64>]>);

impl Buffer {
    /// Creates a buffer that contains a copy of the words.
    pub(crate) fn of(words: &[u64]) -> Self {
        Self(words.iter().map(|&word| UnsafeCell::new(word)).collect())
    }

    /// Returns a copy of the words.
    pub(crate) fn words(&self) -> Vec<u64> {
        // SAFETY: no kernel runs while the test reads.
        self.0.iter().map(|word| unsafe { *word.get() }).collect()
    }

    fn start(&self) -> u64 {
        self.0.as_ptr().addr() as u64
    }
}

struct Seen(Arc<Table>);

impl Memory for Seen {
    fn table(&self) -> Arc<Table> {
        Arc::clone(&self.0)
    }
}

/// Runs a kernel whose parameters are the addresses of buffers. Blocks run in turns. Fails if a fault ends the launch.
pub(crate) fn run(ptx: &str, kernel: &str, blocks: u32, threads: u32, buffers: &[&Buffer]) -> Result<(), Fault> {
    let program = Arc::new(Program::load(ptx).unwrap_or_else(|error| panic!("{error}")));
    let launch = Launch {
        kernel: program.kernel(kernel).expect("the kernel"),
        program,
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        dynamic_shared: 0,
        parameters: buffers.iter().flat_map(|buffer| buffer.start().to_le_bytes()).collect(),
        globals: 0,
        device: 0,
        together: true,
    };
    let of = |buffer: &&Buffer| Allocation {
        start: buffer.start(),
        bytes: 8 * buffer.0.len() as u64,
        reach: 1,
        on_host: false,
    };
    let mut allocations: Vec<Allocation> = buffers.iter().map(of).collect();
    allocations.sort_by_key(|allocation| allocation.start);
    let memory = Seen(Arc::new(Table::new(allocations)));
    let mut running: Vec<Block> = Vec::new();
    for index in 0..blocks {
        let mut block = Block::default();
        block.begin(&launch, index.into());
        running.push(block);
    }
    for _ in 0..100_000 {
        let mut left = Vec::new();
        for mut block in running {
            match block.run(&launch, &memory, 1000) {
                Ran::Ended => {}
                Ran::Paused | Ran::Parked => left.push(block),
                Ran::Failed(fault) => return Err(fault),
            }
        }
        running = left;
        if running.is_empty() {
            return Ok(());
        }
    }
    panic!("the kernel does not end: {}", running[0].describe(&launch));
}
