//! Measures the cost of random accesses to device memory by all threads of a device, for several working-set sizes.

use super::Bench;
use crate::compile;
use crate::driver::{Buffer, Function, Module};
use gts_core::cost::{AccessConstants, AccessTime};
use gts_device::error::{Error, Result};

/// Kernels that repeat one kind of memory access or instruction.
const PROGRAM: &str = include_str!("../cuda_src/accesses.cuh");
/// The sizes of the working sets in bytes, from the size of a multiprocessor's own cache to far beyond the shared
/// cache.
const SIZES: [u64; 7] = [64 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30];
/// The number of accesses per thread.
const ROUNDS: u64 = 256;
/// The number of accesses in the latency measurement. A single thread waits for each access.
const WAITS: u64 = 16 << 10;
/// The number of instruction rounds per thread.
const INSTRUCTION_ROUNDS: u64 = 16 << 10;
const INSTRUCTIONS_A_ROUND: u64 = 7;
/// The number of lanes per warp.
const WARP: u64 = 32;
/// The number of warps per block.
const WARPS_A_BLOCK: u64 = 8;
/// The number of 256-thread blocks that a multiprocessor runs concurrently.
const BLOCKS_A_MULTIPROCESSOR: u64 = 8;

/// Measures random accesses to a device's memory. Skips working-set sizes that exceed the available memory.
pub(super) fn measure(bench: &Bench) -> Result<AccessConstants> {
    let program = compile::compile("gts_accesses", PROGRAM, bench.context.architecture())?;
    let module = Module::load(&bench.context, &program)?;
    let function = |name: &str| module.function(name, &[8; 4]);
    let (reads, writes) = (function("gts_measure_reads")?, function("gts_measure_writes")?);
    let (atomics, waits) = (function("gts_measure_atomics")?, function("gts_measure_waits")?);
    let multiprocessors = u64::from(bench.context.multiprocessors().max(1));
    let blocks = BLOCKS_A_MULTIPROCESSOR * multiprocessors;
    let warps = blocks * WARPS_A_BLOCK;
    let mut found = AccessConstants::unmeasured(bench.context.cache()?, warps);
    let memory = room(bench)?;
    let at = |function: &Function, blocks: u64, working_set: u64, lanes: u64, rounds: u64| {
        let words = working_set / 4;
        bench.best(|stream| {
            let slots: [&[u64]; 4] = [&[memory.address()], &[words - 1], &[lanes], &[rounds]];
            // SAFETY: the kernels access only the first `words` words of the memory; `words` is a power of two.
            unsafe { function.launch(stream, (blocks as u32, 1), &slots) }
        })
    };
    for working_set in SIZES.into_iter().filter(|&bytes| bytes <= memory.bytes() as u64) {
        let all = (warps * WARP * ROUNDS) as f64;
        let time = |seconds: f64, accesses: f64| AccessTime { working_set, seconds: seconds / accesses };
        found.reads.push(time(at(&reads, blocks, working_set, WARP, ROUNDS)?, all));
        found.writes.push(time(at(&writes, blocks, working_set, WARP, ROUNDS)?, all));
        found.atomics.push(time(at(&atomics, blocks, working_set, WARP, ROUNDS)?, all));
        found.waits.push(time(at(&waits, 1, working_set, 1, WAITS)?, WAITS as f64));
    }
    // Only one lane per warp accesses the word. This models updates of a hub, whose incoming edges are spread over many
    // lists.
    found.contended = at(&atomics, blocks, 4, 1, ROUNDS)? / (warps * ROUNDS) as f64;
    let instructions = function("gts_measure_instructions")?;
    let rounds = INSTRUCTION_ROUNDS;
    found.instruction = at(&instructions, blocks, 4, WARP, rounds)? / (warps * rounds * INSTRUCTIONS_A_ROUND) as f64;
    Ok(found)
}

/// Allocates memory for the largest working set that fits.
fn room(bench: &Bench) -> Result<Buffer> {
    let mut last = None;
    for bytes in SIZES.into_iter().rev() {
        match Buffer::zeroed(&bench.context, bytes as usize, "what is measured") {
            Ok(buffer) => return Ok(buffer),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| Error::argument("a measurement", "it has no sizes")))
}
