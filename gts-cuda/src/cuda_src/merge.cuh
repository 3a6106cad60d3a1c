// Merges the replicas of an attribute. Each device combines one range of elements and writes the result to every
// replica. All replicas therefore contain the same bits, and each link carries a value only once in each direction.
//
// GTS_ELEMENT is the type of an element. GTS_MERGED(a, b) is the result of merging `b` into `a`. If GTS_KEEPS_FIRST is
// defined, elements are compared as bits, and the first replica that changed an element determines the new value.

#define GTS_REPLICAS 16

struct gts_replicas {
    void *memory[GTS_REPLICAS];
    u64 count;
    // The range, in quads of 16 bytes. The size of each replica is a multiple of 16 bytes.
    u64 begin;
    u64 end;
    // The previous elements, identical in all replicas. The array contains only the range.
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
