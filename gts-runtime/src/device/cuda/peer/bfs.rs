//! A hand-written BFS that reads adjacency lists from host memory: what streamed traversals are held against.
#![allow(unsafe_code)]

use crate::device::cuda::CudaDevice;
use crate::device::cuda::compile::compile;
use crate::device::cuda::driver::{Buffer, Event, Module, PageLock, Stream};
use crate::error::{Error, Result};
use std::time::Duration;

/// Threads of a block, and vertices of one.
const BLOCK: u64 = 256;

/// What the hand-written BFS did.
#[derive(Clone, Debug)]
pub struct PeerBfs {
    /// Time of each repetition.
    pub times: Vec<Duration>,
    /// The level of each vertex, all ones where it was not reached.
    pub levels: Vec<u32>,
}

/// Runs `level` of a hand-written source, step by step from a vertex until nothing changes, over lists in compressed rows
/// with 4-byte numbers; `offsets` go to the device, `targets` stay in page-locked host memory. `repetitions` times.
///
/// # Errors
///
/// Rows that do not fit each other; the compiler; the device.
pub fn zero_copy_bfs(
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
    let context = &device.shared.context;
    let module = Module::load(context, &compile("bfs_zero_copy", source, context.architecture())?)?;
    let level = module.function("level", &[8; 6])?;
    // SAFETY: the caller keeps the targets until this returns, and the lock is dropped before.
    let lock = unsafe { PageLock::new(context, bytemuck::cast_slice(targets)) }?;
    let Some(mapped) = lock.mapped() else {
        return Err(Error::argument("the hand-written BFS", "kernels cannot read page-locked memory on this device"));
    };
    let offsets = Buffer::copy_of(context, bytemuck::cast_slice(offsets), "offsets")?;
    let reached = Buffer::zeroed(context, 4 * vertices, "levels")?;
    let changed = Buffer::zeroed(context, 8, "a flag")?;
    let stream = Stream::new(context)?;
    let marks = [Event::new(context)?, Event::new(context)?];
    let mut result = PeerBfs { times: Vec::new(), levels: vec![u32::MAX; vertices] };
    for _ in 0..repetitions {
        let mut start = vec![u32::MAX; vertices];
        start[root as usize] = 0;
        reached.upload(0, bytemuck::cast_slice(&start), "levels")?;
        stream.record(&marks[0])?;
        for depth in 0.. {
            stream.clear(&changed, 0, changed.bytes())?;
            let grid = ((vertices as u64).div_ceil(BLOCK) as u32, 1);
            let arguments = [offsets.address(), mapped, reached.address(), vertices as u64, depth, changed.address()];
            let slots: Vec<&[u64]> = arguments.chunks(1).collect();
            // SAFETY: the rows were checked, there is a level for each vertex, and all of it stays until the stream was
            // waited for.
            unsafe { level.launch(&stream, grid, &slots) }?;
            stream.synchronize("the hand-written BFS")?;
            let mut flag = [0; 8];
            changed.download(0, &mut flag, "a flag")?;
            if flag == [0; 8] {
                break;
            }
        }
        stream.record(&marks[1])?;
        stream.synchronize("the hand-written BFS")?;
        result.times.push(marks[1].since(&marks[0])?);
    }
    reached.download(0, bytemuck::cast_slice_mut(&mut result.levels), "levels")?;
    Ok(result)
}
