// Stores the most frequent value of each vertex in the range. Among equally frequent values, the smallest wins. Each
// warp processes one vertex at a time. The stored value is the key XOR `sign`.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK)
    gts_pick(const gts_tallies *tallies, GTS_TALLY_KEY *column, u64 sign) {
    u32 lane = threadIdx.x % GTS_WARP;
    u64 warps = (u64)gridDim.x * (GTS_BLOCK / GTS_WARP);
    u64 first = tallies->first;
    for (u64 v = first + ((u64)blockIdx.x * GTS_BLOCK + threadIdx.x) / GTS_WARP; v < tallies->end; v += warps) {
        u64 place = tallies->places[v - first];
        u64 end = tallies->places[v - first + 1];
        u32 count = 0;
        GTS_TALLY_KEY key = 0;
        for (u64 slot = place + lane; slot < end; slot += GTS_WARP) {
            u32 found = tallies->counts[slot];
            GTS_TALLY_KEY other = ~((const GTS_TALLY_KEY *)tallies->keys)[slot];
            if (found > count || (found == count && found != 0 && other < key)) {
                count = found;
                key = other;
            }
        }
        for (u32 distance = GTS_WARP / 2; distance > 0; distance /= 2) {
            u32 found = __shfl_down_sync(GTS_ALL_LANES, count, distance);
            GTS_TALLY_KEY other = __shfl_down_sync(GTS_ALL_LANES, key, distance);
            if (found > count || (found == count && other < key)) {
                count = found;
                key = other;
            }
        }
        if (lane == 0 && count != 0) {
            column[v] = key ^ (GTS_TALLY_KEY)sign;
        }
    }
}
