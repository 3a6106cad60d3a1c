//! Tuned constants, with their units and the measurements on which they are based.

use gts_core::cost::loops::StepLoops;

/// The threshold for pulling on the CPU: a step pulls if the active vertices have at least 1 / `CPU_PULL_SHARE` of all
/// edges. A step that pulls reads the lists of all vertices that may still be reached. With a value of 20, BFS over a
/// uniform graph of degree 32 pulled one step too early.
pub const CPU_PULL_SHARE: u64 = 15;

/// Like [`CPU_PULL_SHARE`], but for traversals that add to the values of the vertices they reach. These traversals must
/// read whole lists, but pulling saves an atomic update per edge.
pub const CPU_PULL_SUMS_SHARE: u64 = 5;

/// Like [`CPU_PULL_SHARE`], but for a GPU if pulling was requested. By default, a GPU uses the model of
/// [`gts_core::cost::neighbours`] to compare the costs of both directions.
pub const CUDA_PULL_SHARE: u64 = 16;

/// Blocks per multiprocessor of launches whose work is counted on the device. These blocks have the 2,048 threads that
/// a multiprocessor runs concurrently.
pub const CUDA_BLOCKS_A_MULTIPROCESSOR: u64 = 8;

/// Blocks of a launch over the active pages, as a multiple of the blocks that the device runs concurrently. The device
/// counts these pages, so the host cannot compute the required number of blocks. Blocks that start later even out the
/// load. On an H200, SSSP over RMAT 24 with one edge per vertex took 4.6 ms with 1 and 3.7 ms with 4; 8 gave no
/// improvement.
pub const CUDA_ROUNDS: u64 = 4;

/// Bytes of device memory that remain free if no limit is set. After the plan is computed, the driver allocates memory
/// for compiled programs and launches.
pub const CUDA_MEMORY_MARGIN: u64 = gts_core::cost::holding::MARGIN;

/// Default number of streams for launches; copies have a separate stream. Each stream has two staging slots, so one
/// stream keeps the bus busy if kernels are short. On an H200, PageRank over RMAT 24 took 1.03 times as long as plain
/// copies with one or two streams. With four streams it took 1.07 times as long, because their slots of 128 MiB slow
/// copies down to 53 GB/s. The second stream helps if the kernels of a group take longer than its copies, as they do
/// while kernels for cached pages run. With half of the pages cached, an iteration took 11.4 to 13.6 ms with one stream
/// and 11.5 to 11.7 ms with two.
pub const CUDA_STREAMS: u32 = 2;

/// Bytes copied per launch, if the memory limit allows this size. On an H200, copies of 4 MiB reach 53 GB/s, and copies
/// of 16 MiB 55 GB/s.
pub const CUDA_GROUP_BYTES: u64 = 16 << 20;

/// A traversal copies a whole page only if it needs at least this share of the page. Otherwise, the device reads the
/// needed parts in place. On an H200, reading in place reached 46 to 49 GB/s and copies 55 GB/s; running both
/// concurrently is no faster than copies. Over RMAT 24 and 26 in original, random and degree order, BFS and SSSP took
/// 0.86 to 1.00 of the time of the faster method alone. With a share of 0.75, BFS took up to 1.07 of that time.
pub const CUDA_IN_PLACE_SHARE: f64 = 0.88;

/// Maximum number of list positions for which a pass over a part of each list runs one thread per vertex. Each thread
/// reads only the entries at these positions.
pub const CUDA_FEW_NEIGHBOURS: u64 = 8;

/// Maximum degree for which a GPU runs a loop over steps by default: the claiming loop, or the in-order loop for
/// kernels that cannot claim. Graphs with larger degrees have few steps. On an H200, the in-order loop took 0.53 to
/// 0.86 of the time of steps started by the host, for BFS over RMAT 24 and uniform 23. BFS pulls in large steps. For
/// SSSP over RMAT 20, which never pulls, the loop took 1.08 of the time.
pub const CUDA_LOOP_DEGREE: u64 = 64;

/// Maximum number of active vertices of a step in the claiming loop. The loop has 32 blocks of 512 threads, because
/// more blocks wait longer for each other. On an H200, a hand-written loop over a grid of 4096 x 4096 took 2.6 us per
/// level with 32 blocks, 5 us with 64 and 15 us with 128.
pub const CUDA_CLAIMING_ACTIVE: u64 = 1 << 16;

/// Capacity in vertices of each of the two queues of the in-order loop, at 12 bytes per vertex. The host starts larger
/// steps, which take so long that the cost of a launch is negligible.
pub const CUDA_LOOP_ROOM: u64 = 1 << 22;

/// The loops over steps that a GPU runs by default.
pub const CUDA_STEP_LOOPS: StepLoops = StepLoops {
    in_order_degree: CUDA_LOOP_DEGREE,
    claiming_degree: CUDA_LOOP_DEGREE,
    claiming_active: CUDA_CLAIMING_ACTIVE,
    blocks: 32,
    vertices_at_a_time: 128,
    room: CUDA_LOOP_ROOM,
};

/// Default minimum number of active edges of a pushing step that the host starts. The in-order loop has fewer threads
/// than a pass, but a pass searches all vertices for active ones. On an H200, WCC over uniform 20, whose steps visit
/// all edges, took 9.6 ms with the loop and 1.0 ms with passes. On an H100, BFS over RMAT 22 took 0.41 ms with this
/// number and 0.57 ms with half of it.
pub const CUDA_LOOP_EDGES: u64 = 1 << 19;

/// Number of steps after which a GPU's loop returns to the host.
pub const CUDA_LOOP_STEPS: u32 = 1 << 20;
