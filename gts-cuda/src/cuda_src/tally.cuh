// Counts the values of each vertex's neighbours, for `mode`. Each vertex in a range has a hash table with open
// addressing. The host allocates more slots than the vertex has edges, so at least one slot always stays free.

// Returns the unsigned key of a value. Keys have the same order as values.
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

// The tables for a range of vertices. A key is stored as its complement, so that 0 marks a free slot. The complement of
// the largest key is 0, so the first slot of each table is reserved for this key.
struct gts_tallies {
    // The start of each vertex's table, followed by the end of the last table.
    const u64 *places;
    void *keys;
    u32 *counts;
    u64 first;
    u64 end;
};

// Returns whether this pass counts values for the vertex.
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

// Counts a value for a vertex in the range.
template <class T>
__device__ __forceinline__ void gts_tally(const gts_common &gts, gts_vertex v, T value) {
    gts_tally_add(*gts.tallies, v, gts_tally_key(value));
}
