//! A hand-written BFS that reads adjacency lists from host memory, used as the baseline for streamed traversals.
#![allow(unsafe_code)]

use super::gpu::{BLOCK, Gpu, Memory};
use gts_graph::device::cuda::CudaDevice;
use gts_graph::{Error, Result};
use std::time::Duration;

/// Results of the hand-written BFS.
#[derive(Clone, Debug)]
pub(crate) struct PeerBfs {
    /// Time of each repetition.
    pub(crate) times: Vec<Duration>,
    /// Level of each vertex, or `u32::MAX` if the vertex is not reached.
    pub(crate) levels: Vec<u32>,
}

/// Runs the hand-written BFS in `source` from the vertex `root`, `repetitions` times. Each step launches the kernel
/// `level`. The search ends when a step changes no level. The graph's compressed rows have 4-byte vertex numbers.
/// `offsets` is copied to the device, and `targets` stays in page-locked host memory.
///
/// # Errors
///
/// Fails if the rows are inconsistent, or if the compiler or the device fails.
pub(crate) fn zero_copy_bfs(
    device: &CudaDevice,
    source: &str,
    offsets: &[u64],
    targets: &[u32],
    root: u32,
    repetitions: u32,
) -> Result<PeerBfs> {
    let vertices = offsets.len().saturating_sub(1);
    let rows = offsets.windows(2).all(|pair| pair[0] <= pair[1]) && offsets.last() == Some(&(targets.len() as u64));
    if !rows || root as usize >= vertices || targets.iter().any(|&target| target as usize >= vertices) {
        return Err(Error::argument("the hand-written BFS", "the rows are not those of a graph with that root"));
    }
    let gpu = Gpu::of(device)?;
    let level = gpu.program("bfs_zero_copy", source)?.kernel("level")?;
    let Some(mapped) = gpu.map(targets)? else {
        return Err(Error::argument("the hand-written BFS", "kernels cannot read page-locked memory on this device"));
    };
    let offsets = gpu.copied(offsets)?;
    let reached = gpu.zeroed(4 * vertices)?;
    let changed = gpu.zeroed(8)?;
    let grid = ((vertices as u64).div_ceil(u64::from(BLOCK)) as u32, 1);
    let mut result = PeerBfs { times: Vec::new(), levels: vec![u32::MAX; vertices] };
    for _ in 0..repetitions {
        let mut start = vec![u32::MAX; vertices];
        start[root as usize] = 0;
        gpu.upload(&reached, &start)?;
        let time = gpu.time(|| {
            for depth in 0.. {
                gpu.clear(&changed)?;
                let [offsets, reached, flag] = [&offsets, &reached, &changed].map(Memory::address);
                let arguments = [offsets, mapped.address(), reached, vertices as u64, depth, flag];
                // SAFETY: the rows were checked, there is a level for each vertex, and all memory exists until the
                // stream has been synchronised.
                unsafe { gpu.launch(level, grid, &arguments) }?;
                let mut flag = [0u64];
                gpu.download(&changed, &mut flag)?;
                if flag == [0] {
                    break;
                }
            }
            Ok(())
        })?;
        result.times.push(time);
    }
    gpu.download(&reached, &mut result.levels)?;
    Ok(result)
}
