// Runs the steps of a traversal one after the other in a single launch. After each step, a barrier makes the writes of
// every block visible to all blocks.
//
// Active vertices are in a bit set, as between passes, and also in a queue. A queue entry contains a vertex and the
// total number of edges of all earlier entries. Blocks process equal shares of the edges, and look up each edge's
// vertex in the queue. A vertex without edges counts as one edge, so a share never has more vertices than edges. The
// queue may be too short for a step, but the bit set is always complete.

#define GTS_STEPS_THREADS 512
#define GTS_STEPS_WARPS (GTS_STEPS_THREADS / GTS_WARP)
// The maximum number of edges per thread in one share.
#define GTS_STEPS_ROUNDS 4
// The lower bits of a count contain the number of a queue's edges, and the upper bits contain the number of the queue's
// vertices.
#define GTS_EDGE_BITS 34
#define GTS_EDGE_MASK ((1ull << GTS_EDGE_BITS) - 1)

// State shared by all blocks, initially 0.
struct gts_steps_state {
    // The counts of the current, next and previous step's queues, in rotation. `bare` counts the vertices without
    // edges.
    u64 queued[3];
    u64 bare[3];
    // Whether the loop ends before the current step and before the next step. The two elements alternate.
    u64 ends[2];
    // The total number of block arrivals at barriers.
    u64 arrived;
};

// The loop's arguments, in slots of eight bytes. Steps alternate between two queues and between two sets.
struct gts_steps {
    // The number of walked topologies, the topologies, and the position of each vertex's list in each topology.
    // `gts_entry_place` defines the encoding of positions.
    u64 walks;
    gts_lists lists[2];
    const u64 *places[2];
    u32 *sets[2];
    u64 words;
    gts_vertex *vertices[2];
    u64 *firsts[2];
    // The capacity of a queue in vertices.
    u64 room;
    gts_steps_state *state;
    // The loop ends after `most_steps` steps, or before a step with at least `too_many_edges` edges.
    u64 most_steps;
    u64 too_many_edges;
    gts_loop_end *end;
    // The words through which the device reports steps to the host, and the number of steps reported before this loop.
    u64 *told;
    u64 told_before;
};

// Waits until all blocks arrive. Afterwards, all earlier writes of any block are visible to all blocks.
__device__ __forceinline__ void gts_wait_for_all(gts_steps_state *state) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        u64 round = atomicAdd(&state->arrived, (u64)1) / gridDim.x + 1;
        u64 arrived;
        do {
            asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(arrived) : "l"(&state->arrived) : "memory");
        } while (arrived < round * gridDim.x);
        __threadfence();
    }
    __syncthreads();
}

// Makes a vertex active in the next step. Returns whether the vertex was inactive before.
__device__ __forceinline__ bool gts_set_active(const gts_common &gts, gts_vertex v) {
    u32 *word = gts.next + v / 32;
    u32 bit = 1u << (v % 32);
    return (gts_relaxed(word) & bit) == 0 && (atomicOr(word, bit) & bit) == 0;
}

// For each thread with `fresh` set, appends the thread's vertex to the queue of step `step`. All threads of the block
// must call this function.
__device__ __forceinline__ void gts_append(const gts_common &gts, const gts_steps &steps, u32 step, bool fresh,
                                           gts_vertex v) {
    __shared__ u64 sums[GTS_STEPS_WARPS];
    if (!__syncthreads_or(fresh)) {
        return;
    }
    u32 lane = threadIdx.x % GTS_WARP;
    u32 warp = threadIdx.x / GTS_WARP;
    u64 edges = 0;
    if (fresh) {
        for (u32 walk = 0; walk < steps.walks; walk++) {
            edges += gts_load(steps.lists[walk].degrees + v);
        }
    }
    u32 bare = __ballot_sync(GTS_ALL_LANES, fresh && edges == 0);
    if (lane == 0 && bare != 0) {
        atomicAdd(&steps.state->bare[step % 3], (u64)__popc(bare));
    }
    u64 own = fresh ? 1ull << GTS_EDGE_BITS | max(edges, (u64)1) : 0;
    u64 until = own;
#pragma unroll
    for (u32 distance = 1; distance < GTS_WARP; distance *= 2) {
        u64 other = __shfl_up_sync(GTS_ALL_LANES, until, distance);
        until += lane >= distance ? other : 0;
    }
    if (lane == GTS_WARP - 1) {
        sums[warp] = until;
    }
    __syncthreads();
    if (warp == 0) {
        u64 sum = lane < GTS_STEPS_WARPS ? sums[lane] : 0;
        u64 sums_until = sum;
#pragma unroll
        for (u32 distance = 1; distance < GTS_WARP; distance *= 2) {
            u64 other = __shfl_up_sync(GTS_ALL_LANES, sums_until, distance);
            sums_until += lane >= distance ? other : 0;
        }
        u64 base = 0;
        if (lane == GTS_WARP - 1) {
            base = atomicAdd(&steps.state->queued[step % 3], sums_until);
        }
        base = __shfl_sync(GTS_ALL_LANES, base, GTS_WARP - 1);
        if (lane < GTS_STEPS_WARPS) {
            sums[lane] = base + sums_until - sum;
        }
    }
    __syncthreads();
    u64 at = sums[warp] + until - own;
    if (fresh && at >> GTS_EDGE_BITS < steps.room) {
        steps.vertices[step % 2][at >> GTS_EDGE_BITS] = v;
        steps.firsts[step % 2][at >> GTS_EDGE_BITS] = at & GTS_EDGE_MASK;
    }
    __syncthreads();
}

// Fills the queue of the first step from the bit set.
__device__ __forceinline__ void gts_queue_active(const gts_common &gts, const gts_steps &steps) {
    u64 threads = (u64)gridDim.x * GTS_STEPS_THREADS;
    // The threads of a block stay together, because `gts_append` requires all threads.
    for (u64 base = (u64)blockIdx.x * GTS_STEPS_THREADS; base < steps.words; base += threads) {
        u64 word = base + threadIdx.x;
        u32 bits = word < steps.words ? steps.sets[0][word] : 0;
        while (__syncthreads_or(bits != 0)) {
            gts_vertex v = (gts_vertex)(word * 32 + (bits != 0 ? __ffs(bits) - 1 : 0));
            gts_append(gts, steps, 0, bits != 0, v);
            bits &= bits - 1;
        }
    }
}

// Returns the queue index of the last vertex whose edges begin at or before `edge`. All lanes of a warp search
// together.
__device__ __forceinline__ u32 gts_owner_of(const u64 *firsts, u32 count, u64 edge) {
    u32 lane = threadIdx.x % GTS_WARP;
    u32 low = 0;
    for (u32 width = count; width > 1;) {
        u32 stride = (width + GTS_WARP - 1) / GTS_WARP;
        u32 probe = lane * stride;
        bool before = probe < width && firsts[low + probe] <= edge;
        u32 last = 31 - __clz(__ballot_sync(GTS_ALL_LANES, before) | 1u);
        low += last * stride;
        width = min(stride, width - last * stride);
    }
    return low;
}

// Runs the body for an edge of an active vertex. Returns the neighbour, or `src` if the body skips the vertex.
template <class Body>
__device__ __forceinline__ gts_vertex gts_step_on(const gts_common &gts, const gts_steps &steps, Body &body,
                                                  gts_vertex src, u64 index) {
    for (u32 walk = 0; walk < steps.walks; walk++) {
        u32 degree = gts_load(steps.lists[walk].degrees + src);
        if (index < degree) {
            typename Body::source source;
            if (!body.begin(src, source)) {
                return src;
            }
            gts_entry_place entry(gts, gts_load(steps.places[walk] + src), index);
            gts_page page = gts_page::numbered(steps.lists[walk], gts.page_bytes, entry.page);
            gts_vertex dst = page.target(entry.index);
            body.edge(source, src, dst, page.value(entry.index));
            return dst;
        }
        index -= degree;
    }
    return src;
}

// Runs one step over a queue of `count` vertices and `edges` edges.
template <class Body>
__device__ __forceinline__ void gts_step(const gts_common &gts, const gts_steps &steps, Body &body, u32 step, u32 count,
                                         u64 edges) {
    __shared__ u64 begins[GTS_STEPS_ROUNDS * GTS_STEPS_THREADS];
    __shared__ u32 first_owner;
    const gts_vertex *vertices = steps.vertices[step % 2];
    const u64 *firsts = steps.firsts[step % 2];
    u64 at_once = (u64)gridDim.x * GTS_STEPS_THREADS;
    u32 rounds = (u32)min((edges + at_once - 1) / at_once, (u64)GTS_STEPS_ROUNDS);
    u32 share = rounds * GTS_STEPS_THREADS;
    for (u64 base = (u64)blockIdx.x * share; base < edges; base += (u64)gridDim.x * share) {
        if (threadIdx.x < GTS_WARP) {
            u32 owner = gts_owner_of(firsts, count, base);
            if (threadIdx.x == 0) {
                first_owner = owner;
            }
        }
        __syncthreads();
        u32 first = first_owner;
        u32 owners = min(count - first, share);
        for (u32 owner = threadIdx.x; owner < owners; owner += GTS_STEPS_THREADS) {
            begins[owner] = firsts[first + owner];
        }
        __syncthreads();
        for (u32 round = 0; round < rounds; round++) {
            u64 edge = base + round * GTS_STEPS_THREADS + threadIdx.x;
            gts_vertex reached = 0;
            body.gts_fresh = false;
            if (edge < edges) {
                u32 low = 0;
                for (u32 high = owners; high - low > 1;) {
                    u32 middle = (low + high) / 2;
                    if (begins[middle] <= edge) {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                reached = gts_step_on(gts, steps, body, vertices[first + low], edge - begins[low]);
            }
            __syncwarp();
            gts_append(gts, steps, step + 1, body.gts_fresh, reached);
        }
        __syncthreads();
    }
    // Clear this step's set, whose vertices are all in the queue. The next step refills the set.
    for (u64 at = (u64)blockIdx.x * GTS_STEPS_THREADS + threadIdx.x; at < count; at += at_once) {
        steps.sets[step % 2][vertices[at] / 32] = 0;
    }
}

template <class Body>
__device__ __forceinline__ void gts_run_steps(gts_common &gts, const gts_steps &steps, Body &body) {
    gts_steps_state *state = steps.state;
    bool leads = blockIdx.x == 0 && threadIdx.x == 0;
    u64 first_step = gts.step;
    u64 walked = 0;
    u64 all_walked = 0;
    gts_queue_active(gts, steps);
    gts_wait_for_all(state);
    for (u32 step = 0;; step++) {
        u64 queued = gts_relaxed(&state->queued[step % 3]);
        u64 bare = gts_relaxed(&state->bare[step % 3]);
        u64 count = queued >> GTS_EDGE_BITS;
        u64 edges = queued & GTS_EDGE_MASK;
        if (leads && step > 0) {
            gts_tell(steps.told, steps.told_before + step - 1, count, walked);
            all_walked += walked;
        }
        if (count == 0 || count > steps.room || edges - bare >= steps.too_many_edges || step == steps.most_steps ||
            gts_relaxed(&state->ends[step % 2]) != 0) {
            if (leads) {
                steps.end->steps = step;
                steps.end->active = count;
                steps.end->edges = all_walked;
            }
            return;
        }
        if (leads) {
            // Reset the previous step's counts, which every block read before the last barrier.
            state->queued[(step + 2) % 3] = 0;
            state->bare[(step + 2) % 3] = 0;
            state->ends[(step + 1) % 2] = gts_ends(gts);
        }
        walked = edges - bare;
        gts.step = first_step + step;
        gts.active = steps.sets[step % 2];
        gts.next = steps.sets[(step + 1) % 2];
        gts_step(gts, steps, body, step, (u32)count, edges);
        gts_wait_for_all(state);
    }
}

// Activation sets the vertex's bit. The loop also appends each newly active vertex to the next step's queue.
#define gts_activate(gts, v) (gts_fresh |= gts_set_active(gts, v))
