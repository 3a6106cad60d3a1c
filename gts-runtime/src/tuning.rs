//! Numbers that measurements have chosen, each with its unit and its reason.

use gts_core::cost::loops::StepLoops;

/// A step of a traversal pulls where the active vertices have at least one of so many edges: it looks into the lists of
/// all vertices that may still be reached. With 20, BFS over a uniform graph of degree 32 pulled one step too early.
pub const CPU_PULL_SHARE: u64 = 15;

/// The same for traversals that add to the values of those that they reach: looking into whole lists costs more than to
/// leave them early, but saves an atomic update an edge.
pub const CPU_PULL_SUMS_SHARE: u64 = 5;

/// As [`CPU_PULL_SHARE`] on a GPU that was asked to pull. By its own choice it goes by what either way takes by the model of
/// [`gts_core::cost::neighbours`].
pub const CUDA_PULL_SHARE: u64 = 16;

/// Blocks a multiprocessor of launches whose work is counted on the device: what it holds at a time, 2,048 threads.
pub const CUDA_BLOCKS_A_MULTIPROCESSOR: u64 = 8;

/// Blocks of a launch over the active pages, in numbers that the device runs at a time. The device counts these pages, so that the
/// host does not know how many blocks they need. Blocks that follow others balance what these leave. On an H200 SSSP over
/// RMAT 24 with an edge a vertex took 4.6 ms with 1, 3.7 ms with 4; 8 gained nothing.
pub const CUDA_ROUNDS: u64 = 4;

/// Bytes of device memory that are left alone where no budget is given: compiled programs, and what the driver needs for
/// launches, come later than the plan.
pub const CUDA_MEMORY_MARGIN: u64 = gts_core::cost::holding::MARGIN;

/// Streams of launches where nobody has chosen; copies have one of their own. Each has two staging slots, so that one
/// alone keeps the bus busy where kernels are short: PageRank over RMAT 24 on an H200 took 1.03 of plain copies with one
/// and with two, 1.07 with four, whose slots of 128 MiB slow copies down to 53 GB/s. The second is there for groups whose
/// kernels take longer than their copies, as they do beside those of cached pages: with half of the pages cached an
/// iteration took 11.4 to 13.6 ms with one, 11.5 to 11.7 ms with two.
pub const CUDA_STREAMS: u32 = 2;

/// Bytes that are copied for one launch, where the budget allows. On an H200 copies of 4 MiB reach 53 GB/s, of 16 MiB 55.
pub const CUDA_GROUP_BYTES: u64 = 16 << 20;

/// The share of a page from which on it is copied whole in a traversal, where the rest would be read in place. Reading in
/// place reached 46 to 49 GB/s on an H200, copies 55; where both are under way copies come no faster. With this share BFS
/// and SSSP over RMAT 24 and 26 in original, random and degree order took 0.86 to 1.00 of the better of copies alone and
/// reading in place alone; with three quarters BFS took up to 1.07.
pub const CUDA_IN_PLACE_SHARE: f64 = 0.88;

/// Neighbours of each vertex up to which a pass over so many of them takes a thread a vertex, and looks at no other entry.
pub const CUDA_FEW_NEIGHBOURS: u64 = 8;

/// The largest degree up to which a GPU runs steps in order by itself where nobody has chosen, unless they could claim. With
/// hubs steps are few. On an H200 the loop in order took 0.53 to 0.86 of the host's time in BFS over RMAT 24 and uniform 23,
/// which pulls in its large steps, and 1.08 in SSSP over RMAT 20, which does not.
pub const CUDA_LOOP_DEGREE: u64 = 64;

/// The most vertices of a step that the loop which claims takes. It has 32 blocks of 512 threads, because more of them wait
/// longer for each other: a hand-written loop over a grid of 4096 x 4096 on an H200 took 2.6 us a level with 32 blocks, 5 with
/// 64 and 15 with 128.
pub const CUDA_CLAIMING_ACTIVE: u64 = 1 << 16;

/// Vertices that the queues of the other loop have room for, 12 bytes each and two of them. A step of more takes so long that
/// it does not matter who begins it.
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

/// Active edges from which on the host begins a step that pushes where nobody has chosen. The loop in order has fewer threads
/// than a pass, but a pass looks for the active vertices among all. On an H200 WCC over uniform 20, whose steps walk all edges,
/// took 9.6 ms by the loop and 1.0 ms by passes. On an H100 BFS over RMAT 22 took 0.41 ms with this number, and 0.57 ms with half of it.
pub const CUDA_LOOP_EDGES: u64 = 1 << 19;

/// Steps of a traversal after which a GPU's loop comes back to the host.
pub const CUDA_LOOP_STEPS: u32 = 1 << 20;
