// Lists the edges of pages: the source and target number of each edge, and the bits of the edge's value.

struct gts_listing {
    // The pages to list.
    gts_common gts;
    // The list index of each page's first edge, by page number.
    const u64 *first_edges;
    // Whether the target of each edge follows the edge's source; otherwise, all sources precede all targets.
    // `num_edges` is the number of edges in the whole list.
    u64 pairs;
    u64 num_edges;
    gts_vertex *edges;
    gts_edge_value *values;
};

// Each warp processes an equal share of a page's entries, as in `gts_balanced`.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK)
    gts_list_edges(const __grid_constant__ gts_listing listing) {
    u32 lane = threadIdx.x % GTS_WARP;
    u64 begin = (u64)blockIdx.x * GTS_CHUNK + threadIdx.x / GTS_WARP * GTS_SHARE;
    for (u64 number = blockIdx.y; number < listing.gts.num_pages; number += gridDim.y) {
        gts_page_ref ref = listing.gts.pages[number];
        gts_page page(listing.gts, ref);
        if (begin >= page.entries) {
            continue;
        }
        u64 place = gts_load(listing.first_edges + ref.id);
        u32 end = min((u32)begin + GTS_SHARE, page.entries);
        u32 first = page.warp_owner((u32)begin);
        for (u32 from = (u32)begin; from < end; from += GTS_WARP) {
            u32 index = min(from + lane, end - 1);
            u32 slot = gts_balanced::owner(page, first, index, min(from + GTS_WARP, end) - 1);
            first = __shfl_sync(GTS_ALL_LANES, slot, GTS_WARP - 1);
            if (from + lane >= end) {
                continue;
            }
            u64 edge = place + index;
            gts_vertex src = page.start + slot;
            gts_vertex dst = page.target(index);
            if (listing.pairs != 0) {
                listing.edges[2 * edge] = src;
                listing.edges[2 * edge + 1] = dst;
            } else {
                listing.edges[edge] = src;
                listing.edges[listing.num_edges + edge] = dst;
            }
#ifdef GTS_VALUE
            listing.values[edge] = page.value(index);
#endif
        }
    }
}
