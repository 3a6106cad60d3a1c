// Visits all vertices on this device, or only the active vertices.
template <bool ActiveOnly, class Body>
__device__ __forceinline__ void gts_vertices(const gts_common &gts, Body &body) {
    u64 stride = (u64)gridDim.x * GTS_BLOCK;
    u64 end = gts.first_vertex + gts.local_vertices;
    for (u64 v = gts.first_vertex + (u64)blockIdx.x * GTS_BLOCK + threadIdx.x; v < end; v += stride) {
        if (!ActiveOnly || gts_is_active(gts, (gts_vertex)v)) {
            body.vertex((gts_vertex)v);
        }
    }
}
