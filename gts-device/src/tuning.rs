//! Tuned constants, with their units and the measurements on which they are based.

use gts_core::cost::loops::StepLoops;

/// The threshold for pulling on the CPU: a step pulls if the active vertices have at least 1 / `CPU_PULL_SHARE` of all
/// edges. A pulling step reads the lists of all vertices that the traversal may still reach. With a value of 20, BFS
/// over a uniform graph of degree 32 pulled one step too early.
pub const CPU_PULL_SHARE: u64 = 15;

/// Like [`CPU_PULL_SHARE`], but for traversals that add to the values of the reached vertices. Such a traversal must
/// read whole lists to pull, but saves an atomic update per edge.
pub const CPU_PULL_SUMS_SHARE: u64 = 5;

/// Like [`CPU_PULL_SHARE`], but for a GPU if the request selects pulling. By default, a GPU compares the costs of
/// pushing and pulling by the model in [`gts_core::cost::neighbors`].
pub const CUDA_PULL_SHARE: u64 = 16;

/// Blocks per multiprocessor in launches for which the device counts the work. These blocks have the 2,048 threads that
/// a multiprocessor runs concurrently.
pub const CUDA_BLOCKS_A_MULTIPROCESSOR: u64 = 8;

/// Number of blocks in a launch over the active pages, as a multiple of the blocks that the device runs concurrently.
/// The device counts the active pages, so the host cannot compute the required number of blocks. Blocks that start
/// later even out the load. On an H200, SSSP over RMAT 24 with one edge per vertex took 4.6 ms with a multiple of 1 and
/// 3.7 ms with 4. A multiple of 8 was no faster.
pub const CUDA_ROUNDS: u64 = 4;

/// Device memory in bytes that remains free if no limit is set. The driver needs this memory for compiled programs and
/// launches, which are loaded after the plan has been computed.
pub const CUDA_MEMORY_MARGIN: u64 = gts_core::cost::holding::MARGIN;

/// Default number of streams for launches. Copies have a separate stream. Each stream has two staging slots, so one
/// stream keeps the bus busy if kernels are short. On an H200 with one or two streams, PageRank over RMAT 24 took 1.03
/// times as long as plain copies. With four streams, PageRank took 1.07 times as long, because slots of 128 MiB slow
/// copies down to 53 GB/s. The second stream helps if a group's kernels take longer than its copies, for example while
/// kernels for cached pages run. With half of the pages cached, an iteration took 11.4 to 13.6 ms with one stream and
/// 11.5 to 11.7 ms with two.
pub const CUDA_STREAMS: u32 = 2;

/// Number of bytes copied per launch, if the memory limit permits. On an H200, copies of 4 MiB reach 53 GB/s, and
/// copies of 16 MiB 55 GB/s.
pub const CUDA_GROUP_BYTES: u64 = 16 << 20;

/// A traversal copies a whole page only if at least this share of the page is needed. Otherwise, the device reads the
/// needed parts in place. On an H200, reads in place reached 46 to 49 GB/s, copies reached 55 GB/s, and both together
/// were no faster than copies. Over RMAT 24 and 26 in original, random and degree order, BFS and SSSP took 0.86 to 1.00
/// times as long as with the faster of the two methods alone. With a share of 0.75, BFS took up to 1.07 times as long.
pub const CUDA_IN_PLACE_SHARE: f64 = 0.88;

/// Maximum number of list positions for which a pass over a part of each list uses one thread per vertex. Each thread
/// reads only the entries at these positions.
pub const CUDA_FEW_NEIGHBOURS: u64 = 8;

/// Maximum degree for which a GPU runs a loop over steps by default: the claiming loop, or the in-order loop for
/// kernels that cannot claim. In graphs with larger degrees, traversals have few steps. On an H200, BFS over RMAT 24
/// and uniform 23 took 0.53 to 0.86 times as long with the in-order loop as with steps started by the host. BFS pulls
/// in large steps. SSSP never pulls, and took 1.08 times as long with the loop over RMAT 20.
pub const CUDA_LOOP_DEGREE: u64 = 64;

/// Maximum number of active vertices for a step in the claiming loop. The loop has only 32 blocks of 512 threads,
/// because more blocks would wait longer for each other. On an H200, a hand-written loop over a grid of 4096 x 4096
/// took 2.6 us per level with 32 blocks, 5 us with 64 and 15 us with 128.
pub const CUDA_CLAIMING_ACTIVE: u64 = 1 << 16;

/// Capacity in vertices of each of the in-order loop's two queues, which need 12 bytes per vertex. The host starts
/// larger steps, for which the cost of a launch is negligible.
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

/// Default minimum number of active edges for which the host starts a pushing step. The in-order loop has fewer threads
/// than a pass, but a pass must search all vertices for active vertices. On an H200, WCC over uniform 20 took 9.6 ms
/// with the loop and 1.0 ms with passes. The steps of WCC visit all edges. On an H100, BFS over RMAT 22 took 0.41 ms
/// with this number and 0.57 ms with half of this number.
pub const CUDA_LOOP_EDGES: u64 = 1 << 19;

/// Number of steps after which a GPU's loop returns to the host.
pub const CUDA_LOOP_STEPS: u32 = 1 << 20;
