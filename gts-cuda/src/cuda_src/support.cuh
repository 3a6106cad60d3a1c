// The runtime's own kernels, for frontiers, lists of active pages, fills, copies, and the order of results.

// Distributes `COUNT` items over the threads of the grid.
#define GTS_FOR_EACH(INDEX, COUNT)                                                                               \
    for (u64 INDEX = (u64)blockIdx.x * GTS_BLOCK + threadIdx.x; INDEX < (COUNT); INDEX += (u64)gridDim.x * GTS_BLOCK)


// Fills memory with a 16-byte pattern.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK) gts_fill(uint4 *memory, u64 quads, u64 low, u64 high) {
    uint4 pattern = make_uint4((u32)low, (u32)(low >> 32), (u32)high, (u32)(high >> 32));
    GTS_FOR_EACH(i, quads) {
        memory[i] = pattern;
    }
}

// Fills `bytes` bytes of memory with a pattern of `length` bytes.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK)
    gts_fill_any(u8 *memory, u64 bytes, const u8 *pattern, u64 length) {
    GTS_FOR_EACH(i, bytes) {
        memory[i] = pattern[i % length];
    }
}

// Copies `count` values of `units` units each. Element `i` of the target is the value with index `order[first + i]`.
template <typename Unit>
__device__ __forceinline__ void gts_order_units(Unit *target, const Unit *values, const u32 *order, u64 first, u64 count,
                                                u64 units) {
    if (units == 1) {
        GTS_FOR_EACH(i, count) {
            target[i] = values[order[first + i]];
        }
        return;
    }
    GTS_FOR_EACH(i, count * units) {
        target[i] = values[order[first + i / units] * units + i % units];
    }
}

// Copies values in the order of original IDs.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK)
    gts_order_values(void *target, const void *values, const u32 *order, u64 first, u64 count, u64 units, u64 unit_bytes,
                     u64) {
    switch (unit_bytes) {
    case 8: gts_order_units((u64 *)target, (const u64 *)values, order, first, count, units); break;
    case 4: gts_order_units((u32 *)target, (const u32 *)values, order, first, count, units); break;
    case 2: gts_order_units((u16 *)target, (const u16 *)values, order, first, count, units); break;
    default: gts_order_units((u8 *)target, (const u8 *)values, order, first, count, units); break;
    }
}

// Copies values of `length` vertices each, and replaces the vertices with their original IDs. If `order` is given, also
// puts the values into the order of original IDs. UNREACHED, which has all bits set, stays unchanged.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK)
    gts_name_vertices(void *target, const gts_vertex *values, const u32 *order, u64 first, u64 count, u64 length,
                      const void *ids, u64 id_bytes) {
    GTS_FOR_EACH(i, count * length) {
        u64 rank = first + i / length;
        u64 place = order == nullptr ? rank : order[rank];
        gts_vertex v = values[place * length + i % length];
        bool reached = v != (gts_vertex)~(gts_vertex)0;
        if (id_bytes == 8) {
            ((u64 *)target)[i] = reached ? ((const u64 *)ids)[v] : ~0ull;
        } else {
            ((u32 *)target)[i] = reached ? ((const u32 *)ids)[v] : ~0u;
        }
    }
}

// Computes, for each label, the least rank of the vertices with that label. The caller sets all bits of `least`
// beforehand.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK)
    gts_least_ranks(u32 *, const u32 *labels, const u32 *order, u32 *least, u64 vertices) {
    GTS_FOR_EACH(rank, vertices) {
        u32 label = labels[order == nullptr ? rank : order[rank]];
        // Low ranks come first, so most vertices of a large group read a smaller rank and skip the atomic.
        if (label < vertices && *(volatile u32 *)(least + label) > rank) {
            atomicMin(least + label, (u32)rank);
        }
    }
}

// Computes, for each vertex, the vertex of least rank with the same label, or all bits set if the label is not a
// vertex.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK)
    gts_named_of_groups(u32 *named, const u32 *labels, const u32 *order, const u32 *least, u64 vertices) {
    GTS_FOR_EACH(v, vertices) {
        u32 label = labels[v];
        u32 rank = label < vertices ? least[label] : ~0u;
        named[v] = rank == ~0u || order == nullptr ? rank : order[rank];
    }
}

// A few vertices or cells, passed as a launch argument. `launch.rs` defines GTS_FEW.
struct gts_few {
    u64 count;
    u64 values[GTS_FEW];
};

// Sets the cells of globals.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK)
    gts_set_few_cells(u64 *cells, const __grid_constant__ gts_few few) {
    if (threadIdx.x < few.count) {
        cells[threadIdx.x] = few.values[threadIdx.x];
    }
}

// Adds a few vertices to a bit set.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK)
    gts_set_few_bits(u32 *set, const __grid_constant__ gts_few few) {
    if (threadIdx.x < few.count) {
        u64 v = few.values[threadIdx.x];
        atomicOr(set + v / 32, 1u << (v % 32));
    }
}

// Adds vertices to a bit set.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK) gts_set_bits(u32 *set, const u64 *vertices, u64 count) {
    GTS_FOR_EACH(i, count) {
        atomicOr(set + vertices[i] / 32, 1u << (vertices[i] % 32));
    }
}

// Adds the values of a warp's lanes to a counter. All lanes of the warp must call this function.
__device__ __forceinline__ void gts_count(u64 *counter, u64 value) {
    for (u32 distance = GTS_WARP / 2; distance > 0; distance /= 2) {
        value += __shfl_down_sync(GTS_ALL_LANES, value, distance);
    }
    if (threadIdx.x % GTS_WARP == 0 && value != 0) {
        atomicAdd(counter, value);
    }
}

// The totals of one collection of active pages.
struct gts_collected {
    u64 small_pages;
    u64 large_pages;
    // The number of the active vertices' edges.
    u64 edges;
};

struct gts_collect_arguments {
    const u32 *active;
    const gts_vertex *start_vids;
    const u32 *degrees;
    // The pages of the topology: all small pages, then all large pages.
    const gts_page_ref *pages;
    u64 num_small;
    u64 num_large;
    // The lists of active pages, with room for all small and all large pages.
    gts_page_ref *small_found;
    gts_page_ref *large_found;
    gts_collected *collected;
    // The number of consecutive pages that a warp examines before it updates the page counter, at most 32.
    u64 pages_a_warp;
    // The address of the pass's start time, which is 0 until the pass's first collection.
    u64 *begun;
};

// Returns the device's clock time in nanoseconds.
__device__ __forceinline__ u64 gts_nanoseconds() {
    u64 now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

// Stores the current time if this is the pass's first collection.
__device__ __forceinline__ void gts_begin(const gts_collect_arguments &args) {
    if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0 && *args.begun == 0) {
        *args.begun = gts_nanoseconds();
    }
}

// Returns a word of a set, restricted to the vertices in `low..high`.
__device__ __forceinline__ u32 gts_bits_between(const u32 *set, u64 word, u64 low, u64 high) {
    if (word * 32 >= high) {
        return 0;
    }
    u32 bits = set[word];
    bits &= word * 32 < low ? GTS_ALL_LANES << (low % 32) : GTS_ALL_LANES;
    return bits & (word * 32 + 32 > high ? GTS_ALL_LANES >> (32 - high % 32) : GTS_ALL_LANES);
}

// Calls `add` with the degree of each vertex whose bit is set. Lane k passes the bits of the 32 vertices from `first` +
// 32 k on. All lanes of a warp must call this function.
template <class Add>
__device__ __forceinline__ void gts_each_degree(const u32 *degrees, u64 first, u32 bits, const Add &add) {
    u32 lane = threadIdx.x % GTS_WARP;
    if (!__any_sync(GTS_ALL_LANES, __popc(bits) > 2)) {
        for (; bits != 0; bits &= bits - 1) {
            add(degrees[first + 32 * lane + __ffs(bits) - 1]);
        }
        return;
    }
    for (u32 filled = __ballot_sync(GTS_ALL_LANES, bits != 0); filled != 0;) {
        // The lanes read the adjacent degrees of one word together. The loads for four words are in flight at the same
        // time.
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            u32 owner = filled != 0 ? __ffs(filled) - 1 : 0;
            u32 word = __shfl_sync(GTS_ALL_LANES, bits, owner);
            if (filled != 0 && (word >> lane & 1) != 0) {
                add(degrees[first + 32 * owner + lane]);
            }
            filled &= filled - 1;
        }
    }
}

// Searches a page for active vertices. `warps` warps share the page's words. Adds the number of the active vertices'
// edges to `edges`. Returns whether this warp found an active vertex.
__device__ __forceinline__ bool gts_any_active(const gts_collect_arguments &args, u64 id, u32 warp, u32 warps,
                                               u64 &edges) {
    u64 low = args.start_vids[id];
    u64 high = args.start_vids[id + 1];
    bool any = false;
    for (u64 first = low / 32 + warp * GTS_WARP; first * 32 < high; first += (u64)warps * GTS_WARP) {
        u32 bits = gts_bits_between(args.active, first + threadIdx.x % GTS_WARP, low, high);
        any |= bits != 0;
        gts_each_degree(args.degrees, first * 32, bits, [&](u32 degree) { edges += degree; });
    }
    return __any_sync(GTS_ALL_LANES, any) != 0;
}

// Lists the small pages that contain an active vertex. This kernel is for few pages with many vertices each: a column
// of blocks processes each page. These blocks sum the degrees together. The first block also searches the whole page
// for an active vertex.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK)
    gts_collect_few(const __grid_constant__ gts_collect_arguments args) {
    gts_begin(args);
    constexpr u32 warps = GTS_BLOCK / GTS_WARP;
    u64 edges = 0;
    for (u64 index = blockIdx.x; index < args.num_small; index += gridDim.x) {
        gts_page_ref page = args.pages[index];
        u32 warp = blockIdx.y * warps + threadIdx.x / GTS_WARP;
        bool any = gts_any_active(args, page.id, warp, gridDim.y * warps, edges);
        if (blockIdx.y != 0) {
            continue;
        }
        u64 low = args.start_vids[page.id];
        u64 high = args.start_vids[page.id + 1];
        for (u64 word = low / 32 + threadIdx.x; gridDim.y > 1 && !any && word * 32 < high; word += GTS_BLOCK) {
            any = gts_bits_between(args.active, word, low, high) != 0;
        }
        if (__syncthreads_or(any) && threadIdx.x == 0) {
            args.small_found[atomicAdd(&args.collected->small_pages, 1ull)] = page;
        }
    }
    gts_count(&args.collected->edges, edges);
}

// Lists the small pages that contain an active vertex. Each warp processes one page at a time.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK)
    gts_collect_small(const __grid_constant__ gts_collect_arguments args) {
    gts_begin(args);
    u32 lane = threadIdx.x % GTS_WARP;
    u64 warps = (u64)gridDim.x * (GTS_BLOCK / GTS_WARP);
    u64 edges = 0;
    for (u64 first = ((u64)blockIdx.x * GTS_BLOCK + threadIdx.x) / GTS_WARP * args.pages_a_warp; first < args.num_small;
         first += warps * args.pages_a_warp) {
        u32 found = 0;
        u64 end = min(first + args.pages_a_warp, args.num_small);
        for (u64 index = first; index < end; index++) {
            found |= (u32)gts_any_active(args, args.pages[index].id, 0, 1, edges) << (index - first);
        }
        u64 at = 0;
        if (lane == 0 && found != 0) {
            at = atomicAdd(&args.collected->small_pages, (u64)__popc(found));
        }
        at = __shfl_sync(GTS_ALL_LANES, at, 0);
        if (found >> lane & 1) {
            args.small_found[at + __popc(found & ((1u << lane) - 1))] = args.pages[first + lane];
        }
    }
    gts_count(&args.collected->edges, edges);
}

// Lists the large pages whose vertex is active. Each thread processes one page at a time.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK)
    gts_collect_large(const __grid_constant__ gts_collect_arguments args) {
    gts_begin(args);
    u64 edges = 0;
    GTS_FOR_EACH(index, args.num_large) {
        gts_page_ref page = args.pages[args.num_small + index];
        u64 v = args.start_vids[page.id];
        if ((args.active[v / 32] >> (v % 32) & 1) != 0) {
            args.large_found[atomicAdd(&args.collected->large_pages, 1ull)] = page;
            bool first_of_run = page.id == 0 || args.start_vids[page.id - 1] != v;
            edges += first_of_run ? args.degrees[v] : 0;
        }
    }
    gts_count(&args.collected->edges, edges);
}

// The report of a pass to the host, with the layout of `Report` in `pass.rs`.
struct gts_pass_report {
    gts_status status;
    gts_collected collected[2];
    // The number of vertices that are active in the next step, and the number of these vertices' edges in each
    // topology.
    u64 vertices;
    u64 edges[2];
    // The number of completed blocks in the kernel that ends the pass.
    u64 blocks;
    // The time at which the first collection of the pass began.
    u64 begun;
    // The time at which the report was written, and the number of the report. Both are set only in host memory.
    u64 ended;
    u64 number;
};

// Ends a pass, or counts active vertices between two passes. Counts the vertices of a set, and their edges in each
// topology for which degrees are given. Clears another set, if one is given. Writes the report to page-locked host
// memory, and the cells of globals at offset GTS_REPORT in the same memory. Resets the report for the next pass. A pass
// that does not end a step passes 0 `words`. If the pass has failed, nothing is counted or cleared. The report's number
// is written last: once the host reads the new number, all other words are valid.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK)
    gts_report(const u32 *counted, u32 *cleared, u64 words, const u32 *out_degrees, const u32 *in_degrees,
               gts_pass_report *report, u64 *told, const u64 *cells, u64 num_cells, u64 number) {
    u64 vertices = 0;
    u64 out = 0;
    u64 in = 0;
    u64 counts = report->status.error == 0 ? words : 0;
    u32 lane = threadIdx.x % GTS_WARP;
    // The lanes of a warp stay together, because `gts_each_degree` requires all lanes.
    for (u64 i = (u64)blockIdx.x * GTS_BLOCK + threadIdx.x; i - lane < counts; i += (u64)gridDim.x * GTS_BLOCK) {
        u32 bits = i < counts ? counted[i] : 0;
        if (cleared != nullptr && i < counts) {
            cleared[i] = 0;
        }
        vertices += __popc(bits);
        if (out_degrees != nullptr) {
            gts_each_degree(out_degrees, (i - lane) * 32, bits, [&](u32 degree) { out += degree; });
        }
        if (in_degrees != nullptr) {
            gts_each_degree(in_degrees, (i - lane) * 32, bits, [&](u32 degree) { in += degree; });
        }
    }
    gts_count(&report->vertices, vertices);
    gts_count(&report->edges[0], out);
    gts_count(&report->edges[1], in);
    __shared__ bool is_last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicAdd(&report->blocks, (u64)1) + 1 == gridDim.x;
    }
    __syncthreads();
    if (!is_last) {
        return;
    }
    const u32 all = sizeof(gts_pass_report) / sizeof(u64);
    if (threadIdx.x < all - 1) {
        __threadfence();
        volatile u64 *words_of_report = (volatile u64 *)report;
        told[threadIdx.x] = threadIdx.x == all - 2 ? gts_nanoseconds() : words_of_report[threadIdx.x];
        words_of_report[threadIdx.x] = 0;
    }
    if (threadIdx.x < num_cells) {
        told[GTS_REPORT / sizeof(u64) + threadIdx.x] = cells[threadIdx.x];
    }
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) {
        ((volatile u64 *)told)[all - 1] = number;
    }
}

// The active vertices of a page: their number, their entries, and their runs.
struct gts_activity {
    // The number of active vertices with at least one edge.
    u32 vertices;
    // The number of entries in the active vertices' lists. For a large page, all entries of the vertex's list count,
    // including the entries on other pages.
    u32 entries;
    // The number of runs of consecutive active vertices.
    u32 runs;
};

// Measures the activity of every page. Each warp processes one page at a time.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK)
    gts_measure_pages(const u32 *active, const gts_vertex *start_vids, const u32 *degrees, u64 num_pages,
                      gts_activity *activity) {
    u32 lane = threadIdx.x % GTS_WARP;
    u64 warps = (u64)gridDim.x * (GTS_BLOCK / GTS_WARP);
    for (u64 page = ((u64)blockIdx.x * GTS_BLOCK + threadIdx.x) / GTS_WARP; page < num_pages; page += warps) {
        u64 low = start_vids[page];
        u64 high = start_vids[page + 1];
        // On every page of a large vertex except the last, the range is empty, because the next page begins with the
        // same vertex.
        high = high > low ? high : low + 1;
        u32 vertices = 0;
        u32 entries = 0;
        u32 runs = 0;
        // The last word of the previous round.
        u32 before = 0;
        for (u64 first = low / 32; first * 32 < high; first += GTS_WARP) {
            u32 bits = gts_bits_between(active, first + lane, low, high);
            u32 below = __shfl_up_sync(GTS_ALL_LANES, bits, 1);
            below = lane == 0 ? before : below;
            before = __shfl_sync(GTS_ALL_LANES, bits, GTS_WARP - 1);
            // A run begins at each active vertex that follows an inactive vertex.
            runs += __popc(bits & ~(bits << 1 | below >> 31));
            gts_each_degree(degrees, first * 32, bits, [&](u32 degree) {
                vertices += degree != 0;
                entries += degree;
            });
        }
        for (u32 distance = GTS_WARP / 2; distance > 0; distance /= 2) {
            vertices += __shfl_down_sync(GTS_ALL_LANES, vertices, distance);
            entries += __shfl_down_sync(GTS_ALL_LANES, entries, distance);
            runs += __shfl_down_sync(GTS_ALL_LANES, runs, distance);
        }
        if (lane == 0) {
            activity[page].vertices = vertices;
            activity[page].entries = entries;
            activity[page].runs = runs;
        }
    }
}

#define GTS_RANGES 128

// Byte ranges to copy between two memories.
struct gts_ranges {
    const u8 *source;
    u8 *target;
    u64 count;
    // Per range: the start and end offsets in the source, and the start offset in the target. The start addresses in
    // both memories are congruent modulo 16.
    u64 bounds[GTS_RANGES][3];
};

// Copies byte ranges between two memories. A row of blocks copies each range.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK) gts_copy_ranges(const __grid_constant__ gts_ranges ranges) {
    u64 start = ranges.bounds[blockIdx.y][0];
    u64 end = ranges.bounds[blockIdx.y][1];
    u64 first = (start + 15) / 16;
    u64 last = end / 16;
    u64 threads = (u64)gridDim.x * GTS_BLOCK;
    u64 thread = (u64)blockIdx.x * GTS_BLOCK + threadIdx.x;
    const uint4 *quads = (const uint4 *)ranges.source;
    u8 *target = ranges.target + (ranges.bounds[blockIdx.y][2] - start);
    for (u64 i = first + thread; i < last; i += threads) {
        ((uint4 *)target)[i] = quads[i];
    }
    // Copy the bytes outside whole quads: fewer than 16 at each end, or the whole range if it contains no quad.
    u64 head = first < last ? first * 16 : end;
    for (u64 i = start + thread; i < head; i += threads) {
        target[i] = ranges.source[i];
    }
    for (u64 i = (first < last ? last * 16 : end) + thread; i < end; i += threads) {
        target[i] = ranges.source[i];
    }
}
