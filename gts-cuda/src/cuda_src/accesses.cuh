// Kernels that measure the cost of random memory accesses, for `gts devices --measure`.
//
// Each thread draws its own sequence of indices. `mask` is the number of words minus one; the number of words is a
// power of two. `lanes` is the number of lanes per warp that access memory, and `rounds` the number of accesses per
// lane.

typedef unsigned int u32;
typedef unsigned long long u64;

struct gts_places {
    u64 state;

    __device__ __forceinline__ gts_places()
        : state(((u64)blockIdx.x * 256 + threadIdx.x + 1) * 0x9e3779b97f4a7c15ull) {}
    __device__ __forceinline__ u32 next(u32 mask) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (u32)(state >> 33) & mask;
    }
};

extern "C" __global__ void __launch_bounds__(256) gts_measure_reads(u32 *words, u64 mask, u64 lanes, u64 rounds) {
    gts_places places;
    u32 sum = 0;
    if (threadIdx.x % 32 < lanes) {
#pragma unroll 4
        for (u32 round = 0; round < rounds; round++) {
            sum += words[places.next((u32)mask)];
        }
    }
    // All words are zero, so the store never runs. The branch keeps the compiler from removing the loads.
    if (sum != 0) {
        words[0] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(256) gts_measure_writes(u32 *words, u64 mask, u64 lanes, u64 rounds) {
    gts_places places;
    if (threadIdx.x % 32 < lanes) {
        for (u32 round = 0; round < rounds; round++) {
            words[places.next((u32)mask)] = 0;
        }
    }
}

// Float additions are the most frequent atomic updates. Adding zero takes as long as adding any other value.
extern "C" __global__ void __launch_bounds__(256) gts_measure_atomics(float *words, u64 mask, u64 lanes, u64 rounds) {
    gts_places places;
    if (threadIdx.x % 32 < lanes) {
        for (u32 round = 0; round < rounds; round++) {
            atomicAdd(words + places.next((u32)mask), 0.0f);
        }
    }
}

// A single thread waits for each read before it starts the next read. The indices must differ between launches;
// otherwise, the cache would already contain the words.
extern "C" __global__ void __launch_bounds__(256) gts_measure_waits(u32 *words, u64 mask, u64 lanes, u64 rounds) {
    gts_places places;
    places.state += (u64)clock64() * 0x9e3779b97f4a7c15ull;
    if (blockIdx.x == 0 && threadIdx.x < lanes) {
        u32 sum = 0;
        for (u32 round = 0; round < rounds; round++) {
            u32 word = words[places.next((u32)mask)];
            places.state += word;
            sum += word;
        }
        if (sum != 0) {
            words[0] = sum;
        }
    }
}

// Executes seven integer instructions per round, without memory accesses.
extern "C" __global__ void __launch_bounds__(256)
    gts_measure_instructions(u32 *words, u64 mask, u64 lanes, u64 rounds) {
    u32 a = threadIdx.x, b = blockIdx.x, c = a ^ b, d = a + b;
#pragma unroll 16
    for (u32 round = 0; round < rounds; round++) {
        a = (a + b) ^ (u32)mask;
        c = (c ^ d) + round;
        b += c & (u32)lanes;
        d ^= a | 1u;
    }
    if ((a ^ b ^ c ^ d) == 0xdeadbeefu && a == 77u) {
        words[0] = 0;
    }
}
