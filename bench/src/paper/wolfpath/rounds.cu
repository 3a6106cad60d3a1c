// One round over `count` edges from `first` on, with one thread per edge. `relax` reads the distances of the previous
// round and writes the next ones. `settle` then makes the next distances the current ones.

typedef unsigned int u32;
typedef unsigned long long u64;

#define UNREACHED 0xffffffffu

extern "C" __global__ void relax(
    const u32* sources, const u32* targets, const u32* lengths, const u32* distances, u32* next, u64 first, u64 count)
{
    u64 edge = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (edge >= count) return;
    edge += first;
    u32 from = distances[sources[edge]];
    if (from == UNREACHED) return;
    u32 through = from + lengths[edge];
    u32* target = next + targets[edge];
    if (through < *target) atomicMin(target, through);
}

extern "C" __global__ void settle(
    const u32* targets, u32* distances, const u32* next, u64 first, u64 count, u32* changed)
{
    u64 edge = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (edge >= count) return;
    u32 target = targets[first + edge];
    u32 found = next[target];
    // Threads with the same target write the same distance.
    if (found < distances[target]) {
        distances[target] = found;
        *changed = 1;
    }
}
