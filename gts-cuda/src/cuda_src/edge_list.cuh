// Passes over an edge list, which the device stores instead of a topology's pages. Each thread processes one edge at a
// time, and reads the source and the target from the list. The edges are in the same order as in the pages.

// An edge list with all sources before all targets.
struct gts_edge_arrays {
    static __device__ __forceinline__ void load(const gts_common &gts, u64 index, gts_vertex &src, gts_vertex &dst) {
        const gts_vertex *sources = (const gts_vertex *)gts.edge_list;
        src = gts_load(sources + index);
        dst = gts_load(sources + gts.listed_edges + index);
    }
};

// An edge list in which the target of each edge follows its source.
struct gts_edge_pairs {
    static __device__ __forceinline__ void load(const gts_common &gts, u64 index, gts_vertex &src, gts_vertex &dst) {
#if GTS_VERTEX_BYTES == 4
        u64 pair = gts_load((const u64 *)gts.edge_list + index);
        src = (gts_vertex)pair;
        dst = (gts_vertex)(pair >> 32);
#else
        src = gts_load((const gts_vertex *)gts.edge_list + 2 * index);
        dst = gts_load((const gts_vertex *)gts.edge_list + 2 * index + 1);
#endif
    }
};

__device__ __forceinline__ gts_edge_value gts_listed_value(const gts_common &gts, u64 index) {
#if !defined(GTS_VALUE)
    return gts_edge_value();
#elif defined(GTS_VALUE_DEFAULT)
    return GTS_VALUE_DEFAULT;
#else
    return gts_load((const gts_edge_value *)gts.edge_values + index);
#endif
}

// Runs the body for the listed edges. A traversal visits and counts only the edges with active sources.
template <class List, class Body>
__device__ __forceinline__ void gts_listed(const gts_common &gts, Body &body) {
    u64 threads = (u64)gridDim.x * GTS_BLOCK;
    u64 active = 0;
    gts_rounds rounds;
    for (u64 index = (u64)blockIdx.x * GTS_BLOCK + threadIdx.x; index < gts.listed_edges && rounds.go_on(gts);
         index += threads) {
        gts_vertex src;
        gts_vertex dst;
        List::load(gts, index, src, dst);
        if (Body::traverse && !gts_is_active(gts, src)) {
            continue;
        }
        active++;
        typename Body::source source;
        if (body.begin(src, source)) {
            body.edge(source, src, dst, gts_listed_value(gts, index));
        }
    }
    if (Body::traverse) {
#pragma unroll
        for (u32 distance = GTS_WARP / 2; distance > 0; distance /= 2) {
            active += __shfl_down_sync(GTS_ALL_LANES, active, distance);
        }
        if (threadIdx.x % GTS_WARP == 0 && active != 0) {
            atomicAdd(gts.active_edges, active);
        }
    }
}
