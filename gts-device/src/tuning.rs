//! Tuned constants, each with its unit and the measurement behind it.

use gts_core::cost::loops::StepLoops;

/// A step of a traversal pulls if its active vertices have at least one in this number of the edges: it reads the lists
/// of all vertices that may still be reached. With 20, BFS over a uniform graph of degree 32 pulled one step too early.
pub const CPU_PULL_SHARE: u64 = 15;

/// As [`CPU_PULL_SHARE`], for traversals that add to the values of the vertices they reach: reading whole lists costs
/// more than leaving them early, but saves an atomic update per edge.
pub const CPU_PULL_SUMS_SHARE: u64 = 5;

/// As [`CPU_PULL_SHARE`], on a GPU if pulling was requested. By default a GPU compares the costs of both directions
/// with the model of [`gts_core::cost::neighbours`].
pub const CUDA_PULL_SHARE: u64 = 16;

/// Blocks per multiprocessor of launches whose work is counted on the device: the 2,048 threads that it runs
/// concurrently.
pub const CUDA_BLOCKS_A_MULTIPROCESSOR: u64 = 8;

/// Blocks of a launch over the active pages, as a multiple of the blocks that the device runs concurrently. The device
/// counts these pages, so the host does not know how many blocks they need. Later blocks balance the load of earlier
/// ones. On an H200 SSSP over RMAT 24 with one edge per vertex took 4.6 ms with 1 and 3.7 ms with 4; 8 gained nothing.
pub const CUDA_ROUNDS: u64 = 4;

/// Bytes of device memory left free if no limit is set: compiled programs, and what the driver needs for launches, are
/// allocated after the plan is made.
pub const CUDA_MEMORY_MARGIN: u64 = gts_core::cost::holding::MARGIN;

/// Default number of streams of launches; copies have a stream of their own. Each stream has two staging slots, so that
/// one stream keeps the bus busy if kernels are short. PageRank over RMAT 24 on an H200 took 1.03 times the plain
/// copies with one and with two streams, and 1.07 with four, whose slots of 128 MiB slow copies down to 53 GB/s. The
/// second stream serves groups whose kernels take longer than their copies, as they do beside kernels of cached pages.
/// With half of the pages cached an iteration took 11.4 to 13.6 ms with one stream, 11.5 to 11.7 ms with two.
pub const CUDA_STREAMS: u32 = 2;

/// Bytes copied per launch, if the memory limit allows. On an H200 copies of 4 MiB reach 53 GB/s, of 16 MiB 55.
pub const CUDA_GROUP_BYTES: u64 = 16 << 20;

/// Share of a page that a traversal must need for the page to be copied whole; otherwise the needed parts are read in
/// place. Reading in place reached 46 to 49 GB/s on an H200, copies 55; copies do not get faster if both run. With this
/// share BFS and SSSP over RMAT 24 and 26 in original, random and degree order took 0.86 to 1.00 of the better of
/// copies alone and reading in place alone; with three quarters BFS took up to 1.07.
pub const CUDA_IN_PLACE_SHARE: f64 = 0.88;

/// Largest number of neighbours per vertex for which a pass over a part of each list runs one thread per vertex and
/// reads no other entry.
pub const CUDA_FEW_NEIGHBOURS: u64 = 8;

/// Largest degree for which a GPU runs the loop in order by default, unless the loop could claim. Graphs with hubs have
/// few steps. On an H200 the loop in order took 0.53 to 0.86 of the host's time in BFS over RMAT 24 and uniform 23,
/// which pulls in its large steps, and 1.08 in SSSP over RMAT 20, which does not.
pub const CUDA_LOOP_DEGREE: u64 = 64;

/// Maximum number of active vertices of a step that the claiming loop takes. It has 32 blocks of 512 threads, because
/// more blocks wait longer for each other: a hand-written loop over a grid of 4096 x 4096 on an H200 took 2.6 us per
/// level with 32 blocks, 5 with 64 and 15 with 128.
pub const CUDA_CLAIMING_ACTIVE: u64 = 1 << 16;

/// Capacity in vertices of each of the two queues of the loop in order, at 12 bytes per vertex. A larger step takes so
/// long that the cost of starting it does not matter.
pub const CUDA_LOOP_ROOM: u64 = 1 << 22;

/// Loops over steps that a GPU runs by default.
pub const CUDA_STEP_LOOPS: StepLoops = StepLoops {
    in_order_degree: CUDA_LOOP_DEGREE,
    claiming_degree: CUDA_LOOP_DEGREE,
    claiming_active: CUDA_CLAIMING_ACTIVE,
    blocks: 32,
    vertices_at_a_time: 128,
    room: CUDA_LOOP_ROOM,
};

/// Number of active edges from which on the host begins a step that pushes, by default. The loop in order has fewer
/// threads than a pass, but a pass searches all vertices for the active ones. On an H200 WCC over uniform 20, whose
/// steps visit all edges, took 9.6 ms by the loop and 1.0 ms by passes. On an H100 BFS over RMAT 22 took 0.41 ms with
/// this number, and 0.57 ms with half of it.
pub const CUDA_LOOP_EDGES: u64 = 1 << 19;

/// Steps of a traversal after which a GPU's loop returns to the host.
pub const CUDA_LOOP_STEPS: u32 = 1 << 20;
