// Merges the replicas of an attribute. Each device combines one range of elements and writes the result to every
// replica. All replicas therefore contain the same bits, and each link carries a value only once in each direction.
//
// GTS_ELEMENT is the type of an element. GTS_MERGED(a, b) is the result of merging `b` into `a`. If GTS_KEEPS_FIRST is
// defined, elements are compared as bits, and the first replica that changed an element determines the new value. If
// GTS_CHECKS_SUMS is defined, elements are sums of integers that rise if GTS_RISES is true and fall otherwise. The first
// replica holds whole values if GTS_CHECKS_SUMS is GTS_WHOLE, and parts if it is GTS_PART. All other replicas hold
// parts.

#define GTS_REPLICAS 16

struct gts_replicas {
    void *memory[GTS_REPLICAS];
    u64 count;
    // The range, in quads of 16 bytes. The size of each replica is a multiple of 16 bytes.
    u64 begin;
    u64 end;
    // The previous elements, identical in all replicas. The array contains only the range.
    const void *before;
    // The complement of the index of the first element that cannot hold its total; 0 if there is none. Elements from
    // `elements` on are padding.
    u64 *lost;
    u64 elements;
};

#ifdef GTS_CHECKS_SUMS
// Returns whether an element that holds `total` can also hold another replica's part.
template <class T>
__device__ __forceinline__ bool gts_holds_part(T total, T part) {
    typedef typename gts_unsigned<T>::type U;
    U magnitude = GTS_RISES ? (U)part : (U)(0 - (U)part);
    if constexpr (GTS_CHECKS_SUMS == GTS_WHOLE) {
        T least = (T)-1 < 0 ? (T)((U)1 << (8 * sizeof(T) - 1)) : (T)0;
        U room = GTS_RISES ? (U)((U)(T)~least - (U)total) : (U)((U)total - (U)least);
        return magnitude <= room;
    } else {
        U own = GTS_RISES ? (U)total : (U)(0 - (U)total);
        return (U)(own + magnitude) >= own;
    }
}
#endif

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
#ifdef GTS_CHECKS_SUMS
                u64 element = i * (16 / sizeof(GTS_ELEMENT)) + k;
                if (element < replicas.elements && !gts_holds_part(a, b)) {
                    atomicMax(replicas.lost, ~element);
                }
#endif
                total.at[k] = (GTS_ELEMENT)(GTS_MERGED(a, b));
#endif
            }
        }
        for (u32 replica = 0; replica < replicas.count; replica++) {
            ((gts_quad *)replicas.memory[replica])[i] = total;
        }
    }
}
