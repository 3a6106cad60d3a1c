// Merges the replicas of an attribute: each device combines its range of the elements and writes the result to every
// replica, so that all contain the same bits and each link carries a value once in each direction.
//
// GTS_ELEMENT is the type of an element. GTS_MERGED(a, b) is the new value of `a` after `b` is merged into it. With
// GTS_KEEPS_FIRST, elements are bits, and the first replica's element that has changed wins.

#define GTS_REPLICAS 16

struct gts_replicas {
    void *memory[GTS_REPLICAS];
    u64 count;
    // The range in quads of 16 bytes. The memory's size is a multiple of a quad.
    u64 begin;
    u64 end;
    // The previous value of all replicas, from the beginning of the range on.
    const void *before;
};

struct alignas(16) gts_quad {
    GTS_ELEMENT at[16 / sizeof(GTS_ELEMENT)];
};

extern "C" __global__ void __launch_bounds__(GTS_BLOCK) gts_merge(const __grid_constant__ gts_replicas replicas) {
    u64 threads = (u64)gridDim.x * GTS_BLOCK;
    for (u64 i = replicas.begin + (u64)blockIdx.x * GTS_BLOCK + threadIdx.x; i < replicas.end; i += threads) {
        gts_quad total = ((const gts_quad *)replicas.memory[0])[i];
#ifdef GTS_KEEPS_FIRST
        gts_quad before = ((const gts_quad *)replicas.before)[i - replicas.begin];
#endif
        for (u32 replica = 1; replica < replicas.count; replica++) {
            gts_quad part = ((const gts_quad *)replicas.memory[replica])[i];
#pragma unroll
            for (u32 k = 0; k < 16 / sizeof(GTS_ELEMENT); k++) {
#ifdef GTS_KEEPS_FIRST
                total.at[k] = total.at[k] == before.at[k] ? part.at[k] : total.at[k];
#else
                GTS_ELEMENT a = total.at[k];
                GTS_ELEMENT b = part.at[k];
                total.at[k] = (GTS_ELEMENT)(GTS_MERGED(a, b));
#endif
            }
        }
        for (u32 replica = 0; replica < replicas.count; replica++) {
            ((gts_quad *)replicas.memory[replica])[i] = total;
        }
    }
}
