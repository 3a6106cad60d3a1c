// Steps of a traversal whose body runs at most once for each dst. No fence is needed: only the first thread to claim
// dst runs the body, and no thread reads the body's writes before the loop ends. Blocks recognise new data by numbers:
// each queue entry carries its step number, and each count carries its round number.
//
// A body has a guard, `wants(dst)`, which is false once the body has run for dst. A vertex is settled if its guard is
// false; settled vertices are claimed from the start. Each block appends the vertices that it reaches to its own queue,
// and then publishes the number of vertices in the queue. One warp of each block waits for the counts of all blocks.

#define GTS_CLAIMING_BLOCKS 32
#define GTS_CLAIMING_THREADS 512
// The number of lanes that walk a vertex's list together.
#define GTS_CLAIMING_LANES 4
#define GTS_CLAIMING_AT_A_TIME (GTS_CLAIMING_BLOCKS * GTS_CLAIMING_THREADS / GTS_CLAIMING_LANES)

static_assert(GTS_CLAIMING_BLOCKS == GTS_WARP, "a lane waits for each block");
static_assert(GTS_VERTEX_BYTES == 4, "a vertex and a step share a word");

// The loop's arguments, each in an eight-byte slot.
struct gts_claims {
    // The position of each vertex's list, in the encoding that `gts_entry_place` describes.
    const u64 *places;
    // Bit sets of the claimed vertices, and of the vertices that are active between loops.
    u32 *claimed;
    u32 *active;
    // Two queues per block, with `room` entries each. An entry contains the vertex in its lower half and the step
    // number in its upper half.
    u64 *queues;
    u64 room;
    // Two counts per block, initially 0.
    u64 *counts;
    // The number of vertices in the first queues; 0 until `gts_claim_settled` fills the queues.
    u64 *listed;
    // The step number that the entries of the first queues carry.
    u64 first_tag;
    // The loop ends after `most_steps` steps, or before a step with more than `most_active` active vertices.
    u64 most_steps;
    u64 most_active;
    gts_loop_end *end;
    // The words through which the device reports steps to the host, and the number of steps reported before this loop.
    u64 *told;
    u64 told_before;
};

// Layout of a count, from the lowest bits: vertices reached, edges walked, whether the loop ends, and the round number.
#define GTS_COUNT_BITS 22
#define GTS_ROUND_BITS 19

__device__ __forceinline__ u64 gts_count_word(u32 round, bool ends, u32 edges, u32 reached) {
    return (u64)(round & ((1u << GTS_ROUND_BITS) - 1)) << (64 - GTS_ROUND_BITS) | (u64)ends << (2 * GTS_COUNT_BITS) |
           (u64)edges << GTS_COUNT_BITS | reached;
}

// Claims the settled vertices, and moves the active vertices from the bit set to the queues.
template <class Body>
__device__ __forceinline__ void gts_claim_settled(const gts_common &gts, const gts_claims &claims, Body &body) {
    u32 lane = threadIdx.x % GTS_WARP;
    u64 words = (gts.num_vertices + 31) / 32;
    u64 warps = (u64)gridDim.x * (GTS_BLOCK / GTS_WARP);
    for (u64 word = ((u64)blockIdx.x * GTS_BLOCK + threadIdx.x) / GTS_WARP; word < words; word += warps) {
        u64 v = word * 32 + lane;
        u32 settled = __ballot_sync(GTS_ALL_LANES, v >= gts.num_vertices || !body.wants((gts_vertex)v));
        u32 active = 0;
        u64 first = 0;
        if (lane == 0) {
            claims.claimed[word] = settled;
            active = claims.active[word];
            if (active != 0) {
                claims.active[word] = 0;
                first = atomicAdd(claims.listed, (u64)__popc(active));
            }
        }
        active = __shfl_sync(GTS_ALL_LANES, active, 0);
        first = __shfl_sync(GTS_ALL_LANES, first, 0);
        if (active >> lane & 1) {
            u64 place = first + __popc(active & ((1u << lane) - 1));
            u64 queue = place % GTS_CLAIMING_BLOCKS;
            claims.queues[queue * claims.room + place / GTS_CLAIMING_BLOCKS] = claims.first_tag << 32 | v;
        }
    }
}

// The queues of all blocks in one step, read as a single list.
struct gts_claimed_queue {
    const u64 *queues;
    u64 room;
    // For each block: the number of entries in the queues of all earlier blocks.
    const u32 *before;
    u32 before_lane;
    u32 tag;

    // Returns the vertex at index `place` of the list. All lanes of a warp must call this function together, with
    // ascending indices that start at `first`. Lanes past the end of the list receive 0.
    __device__ __forceinline__ gts_vertex at(u32 first, u32 place, bool is_there) const {
        u32 queue = __popc(__ballot_sync(GTS_ALL_LANES, before_lane <= first)) - 1;
        if (!is_there) {
            return 0;
        }
        while (queue + 1 < GTS_CLAIMING_BLOCKS && before[queue + 1] <= place) {
            queue++;
        }
        const u64 *entry = queues + queue * room + (place - before[queue]);
        u64 found;
        do {
            found = gts_relaxed(entry);
        } while ((u32)(found >> 32) != tag);
        return (gts_vertex)found;
    }
};

template <class Body>
__device__ __forceinline__ void gts_run_claiming_steps(gts_common &gts, const gts_claims &claims, Body &body) {
    __shared__ u32 before[GTS_CLAIMING_BLOCKS];
    __shared__ u32 total;
    __shared__ bool is_last;
    // The vertices reached and edges walked by this block. Even and odd steps use different elements.
    __shared__ u32 reached[2];
    __shared__ u32 walked[2];
    u32 lane = threadIdx.x % GTS_WARP;
    u64 first_step = gts.step;
    u64 edges = 0;
    u32 step = 0;
    if (threadIdx.x < 2) {
        reached[threadIdx.x] = 0;
        walked[threadIdx.x] = 0;
    }
    for (;; step++) {
        u32 turn = step % 2;
        if (threadIdx.x < GTS_WARP) {
            u32 count;
            bool ends = false;
            u32 edges_of_step = 0;
            if (step == 0) {
                count = (u32)((*claims.listed + GTS_CLAIMING_BLOCKS - 1 - lane) / GTS_CLAIMING_BLOCKS);
            } else {
                u64 word;
                u64 round = gts_count_word(step, false, 0, 0);
                do {
                    word = gts_relaxed(claims.counts + turn * GTS_CLAIMING_BLOCKS + lane);
                } while ((word ^ round) >> (64 - GTS_ROUND_BITS) != 0);
                count = (u32)word & ((1u << GTS_COUNT_BITS) - 1);
                edges_of_step = (u32)(word >> GTS_COUNT_BITS) & ((1u << GTS_COUNT_BITS) - 1);
                ends = (word >> (2 * GTS_COUNT_BITS) & 1) != 0;
            }
            __syncwarp();
            u32 until = count;
#pragma unroll
            for (u32 distance = 1; distance < GTS_WARP; distance *= 2) {
                u32 other = __shfl_up_sync(GTS_ALL_LANES, until, distance);
                until += lane >= distance ? other : 0;
            }
            before[lane] = until - count;
            ends = __any_sync(GTS_ALL_LANES, ends) != 0;
            if (lane == GTS_WARP - 1) {
                total = until;
                is_last = ends || until == 0 || until > claims.most_active || step == claims.most_steps;
            }
            if (blockIdx.x == 0 && step > 0) {
#pragma unroll
                for (u32 distance = GTS_WARP / 2; distance > 0; distance /= 2) {
                    edges_of_step += __shfl_down_sync(GTS_ALL_LANES, edges_of_step, distance);
                }
                edges += edges_of_step;
                u32 active = __shfl_sync(GTS_ALL_LANES, until, GTS_WARP - 1);
                if (lane == 0) {
                    gts_tell(claims.told, claims.told_before + step - 1, active, edges_of_step);
                }
            }
        }
        __syncthreads();
        u32 tag = (u32)claims.first_tag + step;
        u64 of_turn = (u64)GTS_CLAIMING_BLOCKS * claims.room;
        gts_claimed_queue queue = {claims.queues + turn * of_turn, claims.room, before, before[lane], tag};
        u32 active = total;
        if (is_last) {
            // Move the active vertices back into the bit set for the host.
            for (u32 first = (blockIdx.x * GTS_CLAIMING_THREADS + threadIdx.x) / GTS_WARP * GTS_WARP; first < active;
                 first += GTS_CLAIMING_BLOCKS * GTS_CLAIMING_THREADS) {
                bool is_there = first + lane < active;
                gts_vertex v = queue.at(first, first + lane, is_there);
                if (is_there) {
                    atomicOr(claims.active + v / 32, 1u << (v % 32));
                }
            }
            break;
        }
        bool ends = blockIdx.x == 0 && threadIdx.x == 0 && gts_ends(gts);
        gts.step = first_step + step;
        u64 *next = claims.queues + (1 - turn) * of_turn + blockIdx.x * claims.room;
        gts_vertex last_reached = 0;
        bool has_reached = false;
        for (u32 first = (blockIdx.x * GTS_CLAIMING_THREADS + threadIdx.x) / GTS_WARP * (GTS_WARP / GTS_CLAIMING_LANES);
             first < active; first += GTS_CLAIMING_AT_A_TIME) {
            u32 place = first + lane / GTS_CLAIMING_LANES;
            bool is_there = place < active;
            gts_vertex src = queue.at(first, place, is_there);
            typename Body::source source;
            if (!is_there || !body.begin(src, source)) {
                continue;
            }
            u64 list = gts_load(claims.places + src);
            u32 degree = gts_load(gts.lists[0].degrees + src);
            if (lane % GTS_CLAIMING_LANES == 0) {
                atomicAdd(&walked[turn], degree);
            }
            for (u32 index = lane % GTS_CLAIMING_LANES; index < degree; index += GTS_CLAIMING_LANES) {
                gts_entry_place entry(gts, list, index);
                gts_page page = gts_page::numbered(gts.lists[0], gts.page_bytes, entry.page);
                gts_vertex dst = page.target(entry.index);
                u32 bit = 1u << (dst % 32);
                if ((atomicOr(claims.claimed + dst / 32, bit) & bit) == 0) {
                    u32 at = atomicAdd(&reached[turn], 1u);
                    gts_relaxed_store(next + at, (u64)(tag + 1) << 32 | dst);
                    gts_prefetch(claims.places + dst);
                    gts_prefetch(gts.lists[0].degrees + dst);
                    body.edge(source, src, dst, page.value(entry.index));
                    last_reached = dst;
                    has_reached = true;
                }
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            gts_relaxed_store(claims.counts + (1 - turn) * GTS_CLAIMING_BLOCKS + blockIdx.x,
                              gts_count_word(step + 1, ends, walked[turn], reached[turn]));
            reached[turn] = 0;
            walked[turn] = 0;
        }
        if (has_reached) {
            gts_entry_place entry(gts, gts_load(claims.places + last_reached), 0);
            gts_prefetch(gts_page::entry_address(gts.lists[0], gts.page_bytes, entry.page, entry.index));
        }
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        claims.end->steps = step;
        claims.end->active = total;
        claims.end->edges = edges;
    }
}

// Activation does nothing: the thread that claims a vertex has already queued it.
#define gts_activate(gts, v) ((void)0)
