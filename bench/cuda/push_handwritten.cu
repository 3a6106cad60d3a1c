// PageRank's push over slotted pages with record IDs of (2, 2) bytes and 4-byte vertex numbers, written by hand: what the
// generated kernels are measured against. It takes the same list of pages and adds to the same vector.
//
// Each vertex's contribution, rank / degree, is computed once, in a kernel before. A block takes CHUNK entries of a page:
// the vertices that own them and their contributions are staged in shared memory, each entry finds its owner there by
// binary search, and one atomic adds it at its target. Entries are loaded four to a thread before any is used.

typedef unsigned int u32;
typedef unsigned long long u64;

#define BLOCK 256
#define AHEAD 4
#define CHUNK (BLOCK * AHEAD * 4)
#define STAGED 2048

struct page_ref {
    const unsigned char *data;
    u64 id;
};

extern "C" __global__ void __launch_bounds__(BLOCK)
    contributions(const float *__restrict__ rank, const u32 *__restrict__ degrees, float *__restrict__ contribution,
                  u64 vertices) {
    u64 v = (u64)blockIdx.x * BLOCK + threadIdx.x;
    if (v < vertices) {
        contribution[v] = rank[v] / (float)degrees[v];
    }
}

// The last slot in [low, high] whose list begins at or before an entry.
static __device__ __forceinline__ u32 owner_of(const u32 *slots_end, u32 entry, u32 low, u32 high) {
    while (low < high) {
        u32 middle = high - (high - low) / 2;
        if (__ldg(slots_end - 1 - middle) <= entry) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    push(const page_ref *__restrict__ pages, u64 page_bytes, const u32 *__restrict__ start_vids,
         const float *__restrict__ contribution, float *__restrict__ next) {
    __shared__ u32 starts[STAGED];
    __shared__ float shares[STAGED];
    __shared__ u32 bounds[2];

    const unsigned char *page = pages[blockIdx.y].data;
    u32 first_vertex = (u32)__ldg((const u64 *)page);
    u32 slots = __ldg((const u32 *)page + 2);
    u32 entries = __ldg((const u32 *)page + 3);
    u32 begin = blockIdx.x * CHUNK;
    if (begin >= entries) {
        return;
    }
    u32 end = min(begin + CHUNK, entries);
    const u32 *slots_end = (const u32 *)(page + page_bytes);
    const u32 *records = (const u32 *)(page + 16);

    if (threadIdx.x < 2) {
        bounds[threadIdx.x] = owner_of(slots_end, threadIdx.x == 0 ? begin : end - 1, 0, slots - 1);
    }
    __syncthreads();
    u32 low = bounds[0];
    u32 owners = bounds[1] - low + 1;
    bool staged = owners <= STAGED;
    if (staged) {
        for (u32 i = threadIdx.x; i < owners; i += BLOCK) {
            starts[i] = __ldg(slots_end - 1 - low - i);
            shares[i] = __ldg(contribution + first_vertex + low + i);
        }
    }
    __syncthreads();

    for (u32 base = begin + threadIdx.x; base < end; base += BLOCK * AHEAD) {
        u32 target[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) {
            u32 i = base + k * BLOCK;
            if (i < end) {
                u32 record = __ldg(records + i);
                target[k] = __ldg(start_vids + (record & 0xffff)) + (record >> 16);
            }
        }
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) {
            u32 i = base + k * BLOCK;
            if (i >= end) {
                break;
            }
            float share;
            if (staged) {
                u32 from = 0;
                u32 to = owners - 1;
                while (from < to) {
                    u32 middle = to - (to - from) / 2;
                    if (starts[middle] <= i) {
                        from = middle;
                    } else {
                        to = middle - 1;
                    }
                }
                share = shares[from];
            } else {
                share = __ldg(contribution + first_vertex + owner_of(slots_end, i, low, low + owners - 1));
            }
            atomicAdd(next + target[k], share);
        }
    }
}

// The pages of vertices whose list fills pages of its own: one contribution, all threads share its entries.
extern "C" __global__ void __launch_bounds__(BLOCK)
    push_large(const page_ref *__restrict__ pages, u64 page_bytes, const u32 *__restrict__ start_vids,
               const float *__restrict__ contribution, float *__restrict__ next) {
    const unsigned char *page = pages[blockIdx.y].data;
    u32 entries = __ldg((const u32 *)page + 3);
    const u32 *records = (const u32 *)(page + 16);
    float share = __ldg(contribution + __ldg((const u64 *)page));
    u32 end = min((blockIdx.x + 1) * CHUNK, entries);
    for (u32 i = blockIdx.x * CHUNK + threadIdx.x; i < end; i += BLOCK) {
        u32 record = __ldg(records + i);
        atomicAdd(next + __ldg(start_vids + (record & 0xffff)) + (record >> 16), share);
    }
}
