// The vertices of a launch: all of them, or those that are active.
template <class Body>
__device__ __forceinline__ void gts_vertices(const gts_common &gts, Body &body, bool active_only) {
    u64 stride = (u64)gridDim.x * GTS_BLOCK;
    for (u64 v = (u64)blockIdx.x * GTS_BLOCK + threadIdx.x; v < gts.num_vertices; v += stride) {
        if (!active_only || gts_is_active(gts, (gts_vertex)v)) {
            body.vertex((gts_vertex)v);
        }
    }
}
