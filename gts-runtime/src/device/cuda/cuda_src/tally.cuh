// How often each value occurs among a vertex's neighbours, for `mode`: a table for each vertex of a range, in open
// addressing. The host gives a vertex more slots than it has edges, so that there is always a free one.

// The number of a value, in the order of the values.
__device__ __forceinline__ u32 gts_tally_key(u32 value) {
    return value;
}
__device__ __forceinline__ u64 gts_tally_key(u64 value) {
    return value;
}
__device__ __forceinline__ u32 gts_tally_key(i32 value) {
    return (u32)value ^ 0x80000000u;
}
__device__ __forceinline__ u64 gts_tally_key(i64 value) {
    return (u64)value ^ 0x8000000000000000ull;
}

// The tables. A key is stored as its complement, so that 0 stands for a free slot; the largest key, whose complement
// that is, has the first slot of each table for itself.
struct gts_tallies {
    // Where the table of each vertex of the range begins, then where the last one ends.
    const u64 *places;
    void *keys;
    u32 *counts;
    u64 first;
    u64 end;
};

// Whether values of the vertex are counted in this pass.
__device__ __forceinline__ bool gts_is_tallied(const gts_common &gts, gts_vertex v) {
    return v >= gts_load(&gts.tallies->first) && v < gts_load(&gts.tallies->end);
}

template <class Key>
__device__ __forceinline__ void gts_tally_add(const gts_tallies &tallies, u64 v, Key key) {
    u64 place = gts_load(tallies.places + (v - tallies.first));
    u64 room = gts_load(tallies.places + (v - tallies.first) + 1) - place - 1;
    Key wanted = ~key;
    u64 at = 0;
    if (wanted != 0) {
        Key *keys = (Key *)tallies.keys + place + 1;
        u32 mixed = (u32)(((u64)key * 0x9e3779b97f4a7c15ull) >> 32);
        at = ((u64)mixed * room) >> 32;
        for (;; at = at + 1 < room ? at + 1 : 0) {
            Key there = *(volatile Key *)(keys + at);
            if (there == 0) {
                there = atomicCAS(keys + at, (Key)0, wanted);
            }
            if (there == 0 || there == wanted) {
                break;
            }
        }
        at += 1;
    }
    atomicAdd(tallies.counts + place + at, 1u);
}

// Counts a value of a vertex of the range.
template <class T>
__device__ __forceinline__ void gts_tally(const gts_common &gts, gts_vertex v, T value) {
    gts_tally_add(*gts.tallies, v, gts_tally_key(value));
}

#ifdef GTS_TALLY_KEY
// Stores the most frequent value of each vertex of the range, the smallest of several; a warp a vertex. `sign` is the bit
// by which a key differs from its value.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK)
    gts_pick(const gts_tallies *tallies, GTS_TALLY_KEY *column, u64 sign) {
    u32 lane = threadIdx.x % GTS_WARP;
    u64 warps = (u64)gridDim.x * (GTS_BLOCK / GTS_WARP);
    u64 first = tallies->first;
    for (u64 v = first + ((u64)blockIdx.x * GTS_BLOCK + threadIdx.x) / GTS_WARP; v < tallies->end; v += warps) {
        u64 place = tallies->places[v - first];
        u64 end = tallies->places[v - first + 1];
        u32 count = 0;
        GTS_TALLY_KEY key = 0;
        for (u64 slot = place + lane; slot < end; slot += GTS_WARP) {
            u32 found = tallies->counts[slot];
            GTS_TALLY_KEY other = ~((const GTS_TALLY_KEY *)tallies->keys)[slot];
            if (found > count || (found == count && found != 0 && other < key)) {
                count = found;
                key = other;
            }
        }
        for (u32 distance = GTS_WARP / 2; distance > 0; distance /= 2) {
            u32 found = __shfl_down_sync(GTS_ALL_LANES, count, distance);
            GTS_TALLY_KEY other = __shfl_down_sync(GTS_ALL_LANES, key, distance);
            if (found > count || (found == count && other < key)) {
                count = found;
                key = other;
            }
        }
        if (lane == 0 && count != 0) {
            column[v] = key ^ (GTS_TALLY_KEY)sign;
        }
    }
}
#endif
