// Merges the replicas of an attribute at the vertices that any replica has activated. At all other vertices, the
// replicas contain the same values. Each device processes a range of vertices and writes the result to every replica.
//
// In a replica in host memory, the values of all 32 vertices of a word are read and written, even if only some of these
// values are needed. The link transfers a whole line about as fast as a single value.
//
// GTS_ELEMENT is the type of an element. GTS_MERGED(a, b) is the result of merging `b` into `a`.

#define GTS_REPLICAS 16

struct gts_activated {
    void *values[GTS_REPLICAS];
    // A bit set per replica: the vertices that the replica has activated.
    u32 *sets[GTS_REPLICAS];
    u64 count;
    // The range, in words of 32 vertices.
    u64 begin;
    u64 end;
    // The number of elements per value.
    u64 length;
    // Whether the union of the sets replaces each set.
    u64 unites;
    // The number of vertices in the graph.
    u64 vertices;
    // The index of the first replica in host memory, or GTS_REPLICAS if there is none, and the index of a replica in
    // the device's own memory.
    u64 far;
    u64 near;
};

// The number of words whose loads a warp keeps in flight, to hide the high latency of another device's memory.
#define GTS_WORDS_AT_ONCE 4

// Each warp loads 32 words at a time, and then assigns one lane to each vertex of every nonempty word.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK) gts_unite(const __grid_constant__ gts_activated activated) {
    u32 lane = threadIdx.x % GTS_WARP;
    u64 warps = (u64)gridDim.x * (GTS_BLOCK / GTS_WARP);
    u64 warp = ((u64)blockIdx.x * GTS_BLOCK + threadIdx.x) / GTS_WARP;
    // Only single-element values are contiguous across lanes.
    bool by_word = activated.far < GTS_REPLICAS && activated.length == 1;
    u32 far = (u32)activated.far;
    for (u64 first = activated.begin + warp * GTS_WARP; first < activated.end; first += warps * GTS_WARP) {
        bool is_mine = first + lane < activated.end;
        u32 own[GTS_REPLICAS];
        u32 all = 0;
#pragma unroll
        for (u32 replica = 0; replica < GTS_REPLICAS; replica++) {
            own[replica] = is_mine && replica < activated.count ? activated.sets[replica][first + lane] : 0;
            all |= own[replica];
        }
        u32 filled = __ballot_sync(GTS_ALL_LANES, all != 0);
        while (filled != 0) {
            // The replicas that have activated the lane's vertex in each word, and the index of the vertex's first
            // element.
            u32 holders[GTS_WORDS_AT_ONCE];
            u64 elements[GTS_WORDS_AT_ONCE];
#pragma unroll
            for (u32 k = 0; k < GTS_WORDS_AT_ONCE; k++) {
                u32 word = filled == 0 ? 0 : __ffs(filled) - 1;
                holders[k] = 0;
#pragma unroll
                for (u32 replica = 0; replica < GTS_REPLICAS; replica++) {
                    holders[k] |= (__shfl_sync(GTS_ALL_LANES, own[replica], word) >> lane & 1) << replica;
                }
                holders[k] = filled == 0 ? 0 : holders[k];
                elements[k] = ((first + word) * 32 + lane) * activated.length;
                filled &= filled - 1;
            }
            for (u64 element = 0; element < activated.length; element++) {
                GTS_ELEMENT totals[GTS_WORDS_AT_ONCE];
                GTS_ELEMENT from_far[GTS_WORDS_AT_ONCE];
#pragma unroll
                for (u32 k = 0; k < GTS_WORDS_AT_ONCE; k++) {
                    bool is_asked = by_word && __any_sync(GTS_ALL_LANES, (holders[k] >> far & 1) != 0);
                    if (is_asked && elements[k] < activated.vertices) {
                        from_far[k] = ((const GTS_ELEMENT *)activated.values[far])[elements[k]];
                    }
                    if (holders[k] != 0) {
                        u32 holder = __ffs(holders[k]) - 1;
                        totals[k] = by_word && holder == far
                                        ? from_far[k]
                                        : ((const GTS_ELEMENT *)activated.values[holder])[elements[k] + element];
                    }
                }
#pragma unroll
                for (u32 k = 0; k < GTS_WORDS_AT_ONCE; k++) {
                    for (u32 left = holders[k] & (holders[k] - 1); left != 0; left &= left - 1) {
                        u32 next = __ffs(left) - 1;
                        GTS_ELEMENT a = totals[k];
                        GTS_ELEMENT b = by_word && next == far
                                            ? from_far[k]
                                            : ((const GTS_ELEMENT *)activated.values[next])[elements[k] + element];
                        totals[k] = (GTS_ELEMENT)(GTS_MERGED(a, b));
                    }
                    // If only one replica has activated the vertex, that replica already contains the result.
                    u32 has = (holders[k] & (holders[k] - 1)) == 0 ? holders[k] : 0;
                    u32 lacking = holders[k] == 0 ? 0 : ~has & ((1u << activated.count) - 1);
                    for (u32 replica = 0; replica < activated.count; replica++) {
                        bool lacks = (lacking >> replica & 1) != 0;
                        if (by_word && replica == far) {
                            lacks = __any_sync(GTS_ALL_LANES, lacks) && elements[k] < activated.vertices;
                            if (lacks && holders[k] == 0) {
                                totals[k] = ((const GTS_ELEMENT *)activated.values[activated.near])[elements[k]];
                            }
                        }
                        if (lacks) {
                            ((GTS_ELEMENT *)activated.values[replica])[elements[k] + element] = totals[k];
                        }
                    }
                }
            }
        }
        if (activated.unites && is_mine && all != 0) {
            for (u32 replica = 0; replica < activated.count; replica++) {
                activated.sets[replica][first + lane] = all;
            }
        }
    }
}
