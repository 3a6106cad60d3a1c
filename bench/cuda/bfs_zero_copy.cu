// BFS over compressed rows with 4-byte vertex numbers that stay in host memory, written by hand: what streamed traversals
// are measured against. Nothing is copied: a warp reads the list of an active vertex over the bus, line by line of 128
// bytes, aligned.

typedef unsigned int u32;
typedef unsigned long long u64;

#define BLOCK 256
#define WARP 32
#define LINE (128 / sizeof(u32))

extern "C" __global__ void __launch_bounds__(BLOCK)
    level(const u64 *__restrict__ offsets, const u32 *__restrict__ targets, u32 *levels, u64 vertices, u64 depth,
          u64 *changed) {
    u64 first = ((u64)blockIdx.x * BLOCK + threadIdx.x) / WARP * WARP;
    u32 lane = threadIdx.x % WARP;
    u64 mine = first + lane;
    bool found = false;
    u32 active = __ballot_sync(0xffffffffu, mine < vertices && levels[mine] == (u32)depth);
    for (; active != 0; active &= active - 1) {
        u64 v = first + __ffs(active) - 1;
        u64 begin = offsets[v];
        u64 end = offsets[v + 1];
        for (u64 entry = begin / LINE * LINE + lane; entry < end; entry += WARP) {
            if (entry >= begin) {
                u32 target = targets[entry];
                if (levels[target] == ~0u) {
                    levels[target] = (u32)depth + 1;
                    found = true;
                }
            }
        }
    }
    if (__any_sync(0xffffffffu, found) && lane == 0) {
        *changed = 1;
    }
}
