// Random numbers as functions of a key. The bits equal those from `kernel/random.rs`.

// Mixes a number into the state with SplitMix64's finaliser.
__device__ __forceinline__ u64 gts_take_up(u64 state, u64 number) {
    u64 z = (state ^ number) + 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

// Returns 64 random bits for draw number `draw` of the key (`first`, `second`).
__device__ __forceinline__ u64 gts_random(const gts_common &gts, u64 first, u64 second, u64 draw) {
    return gts_take_up(gts_take_up(gts_take_up(gts.random, first), second), draw);
}

// Returns a number in [0, 1) with 24 random bits.
__device__ __forceinline__ f32 gts_random_f32(const gts_common &gts, u64 first, u64 second, u64 draw) {
    return (f32)(u32)(gts_random(gts, first, second, draw) >> 40) * 0x1p-24f;
}

// Returns a number in [0, 1) with 53 random bits.
__device__ __forceinline__ f64 gts_random_f64(const gts_common &gts, u64 first, u64 second, u64 draw) {
    return (f64)(gts_random(gts, first, second, draw) >> 11) * 0x1p-53;
}

// Returns a random integer below `bound`, or 0 if `bound` is 0.
__device__ __forceinline__ u64 gts_random_below(const gts_common &gts, u64 first, u64 second, u64 draw, u64 bound) {
    // Computes the upper half of a 128-bit product from the halves of its factors.
    u64 bits = gts_random(gts, first, second, draw);
    u64 low = (u32)bits * (bound & 0xffffffffull);
    u64 middle = (bits >> 32) * (bound & 0xffffffffull) + (low >> 32);
    u64 other = (u32)bits * (bound >> 32) + (u32)middle;
    return (bits >> 32) * (bound >> 32) + (middle >> 32) + (other >> 32);
}
