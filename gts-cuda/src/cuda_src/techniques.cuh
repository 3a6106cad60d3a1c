// Techniques distribute the edges of a page among threads. Each technique is a struct with a loop over a chunk of a
// page.
//
// A body has `traverse` (whether only active vertices are visited), `source` (values computed once per visit of a
// vertex), `begin(src, source)` (returns false to skip the vertex) and `edge(source, src, dst, value)`. `begin` is
// never called for a vertex without an entry in the page. If lanes share a vertex, each lane calls `begin`.
//
// The unit of work is a chunk of a page, which one block processes. The grid has one column of blocks per chunk, and
// blocks stride over the pages of the launch. For techniques that distribute vertices, a chunk is an equal part of the
// slots. For techniques that distribute edges, a chunk is GTS_CHUNK entries.

// Page entries per chunk: the share of a warp, and the total of a block.
#define GTS_SHARE 512
#define GTS_CHUNK (GTS_SHARE * (GTS_BLOCK / GTS_WARP))

template <class Body>
__device__ __forceinline__ bool gts_begin(const gts_common &gts, Body &body, gts_vertex src,
                                          typename Body::source &source) {
    return (!Body::traverse || gts_is_active(gts, src)) && body.begin(src, source);
}

#ifdef GTS_POSITIONS
// The positions of a vertex's entries within the vertex's list.
struct gts_list {
    // The position of any entry in the list minus the entry's index in the page, modulo 2^64.
    u64 base;

    __device__ __forceinline__ gts_list() {}
    __device__ __forceinline__ gts_list(const gts_page &page, u32 slot) : base(0ull - page.first_entry(slot)) {}

    static __device__ __forceinline__ gts_list of_large_page(const gts_common &gts, const gts_page &page) {
        gts_list list;
        list.base = page.entries_before(gts);
        return list;
    }

    // Restricts a range of entries to the positions to visit.
    __device__ __forceinline__ void cut(const gts_common &gts, u32 &first, u32 &last) const {
        u64 begin = base + first < gts.first_place ? gts.first_place : base + first;
        u64 end = min(base + last, gts.first_place + gts.places);
        last = begin < end ? (u32)(end - base) : first;
        first = begin < end ? (u32)(begin - base) : first;
    }

    // Returns whether the entry's position lies in the range to visit. If the body reads positions, stores the position
    // in the body.
    template <class Body>
    __device__ __forceinline__ bool at(const gts_common &gts, Body &body, u32 index) const {
#ifdef GTS_READS_POSITION
        body.gts_position = base + index;
#endif
        return base + index - gts.first_place < gts.places;
    }
};
#else
// Replaces the struct above in kernels that do not use positions.
struct gts_list {
    __device__ __forceinline__ gts_list() {}
    __device__ __forceinline__ gts_list(const gts_page &, u32) {}
    static __device__ __forceinline__ gts_list of_large_page(const gts_common &, const gts_page &) { return gts_list(); }
    __device__ __forceinline__ void cut(const gts_common &, u32 &, u32 &) const {}
    template <class Body>
    __device__ __forceinline__ bool at(const gts_common &, Body &, u32) const { return true; }
};
#endif

// Iterates over a page's slots in the order in which a block's virtual warps process them. Runs of consecutive slots
// are assigned to the virtual warps in turn. Each block processes whole runs, so only the end of the page shortens a
// run.
template <u32 Lanes>
struct gts_warp_slots {
    static constexpr u32 warps = GTS_BLOCK / Lanes;
    // The number of slots per run, and the number of slots processed in the current run.
    u32 run;
    u32 taken;
    // The current slot of the block's first virtual warp, and the end of the block's slots.
    u32 base;
    u32 end;

    __device__ __forceinline__ gts_warp_slots(const gts_common &gts, const gts_page &page) {
        // With one thread per vertex, there are no virtual warps.
        run = Lanes == 1 || gts.warp_chunk == 0 ? 1 : (u32)gts.warp_chunk * Lanes;
        taken = 0;
        u64 runs = ((u64)page.vertices + run - 1) / run;
        base = (u32)(runs * blockIdx.x / gridDim.x) * run;
        end = min((u32)(runs * (blockIdx.x + 1) / gridDim.x) * run, page.vertices);
    }
    // Returns the current slot of this thread's virtual warp. Slots from `end` on do not belong to this block.
    __device__ __forceinline__ u32 slot() const { return base + threadIdx.x / Lanes * run; }
    __device__ __forceinline__ void next() {
        base++;
        if (++taken == run) {
            taken = 0;
            base += (warps - 1) * run;
        }
    }
};

// The lanes of a virtual warp share a vertex. With one lane, each thread processes a vertex.
template <u32 Lanes>
struct gts_by_vertex {
    template <class Body>
    static __device__ __forceinline__ void chunk(const gts_common &gts, const gts_page &page, Body &body) {
        for (gts_warp_slots<Lanes> slots(gts, page); slots.slot() < slots.end; slots.next()) {
            u32 slot = slots.slot();
            u32 index = page.first_entry(slot);
            u32 last = page.first_entry(slot + 1);
            gts_list list(page, slot);
            list.cut(gts, index, last);
            gts_vertex src = page.start + slot;
            typename Body::source source;
            if (index == last || !gts_begin(gts, body, src, source)) {
                continue;
            }
            for (index += threadIdx.x % Lanes; index < last; index += Lanes) {
                list.at(gts, body, index);
                body.edge(source, src, page.target(index), page.value(index));
            }
        }
    }
};

// Each warp processes an equal share of the page's entries. The whole warp searches for the owner of the share's first
// entry, and then steps through the share, 32 entries (a window) at a time.
struct gts_balanced {
    // The maximum number of rounds in which a warp examines 32 vertices together before each lane searches separately.
    static constexpr u32 looks = 4;
    // If a share has fewer active vertices than this limit, and at most one vertex in four is active, the warp skips
    // the inactive vertices.
    static constexpr u32 few = 8;

    template <class Body>
    static __device__ __forceinline__ void chunk(const gts_common &gts, const gts_page &page, Body &body) {
        // In a scan, entries are loaded several windows ahead. In a traversal, most vertices are inactive, so entries
        // are loaded only when needed.
        constexpr u32 ahead = Body::traverse ? 1 : 4;
        u32 lane = threadIdx.x % GTS_WARP;
        u64 begin = (u64)blockIdx.x * GTS_CHUNK + threadIdx.x / GTS_WARP * GTS_SHARE;
        if (begin >= page.entries) {
            return;
        }
        u32 end = min((u32)begin + GTS_SHARE, page.entries);
        u32 first = page.warp_owner((u32)begin);
        u32 final = 0;
        bool sparse = false;
        if (Body::traverse) {
            final = page.warp_owner(end - 1);
            u32 active = count_active(gts, page, first, final);
            if (active == 0) {
                return;
            }
            sparse = active < few && 4 * active <= final - first;
        }

        u32 visited = ~0u;
        bool wanted = false;
        gts_list list;
        typename Body::source source;
        for (u32 base = (u32)begin; base < end; base += GTS_WARP * ahead) {
            if (Body::traverse && sparse && !find_active(gts, page, first, final, base)) {
                return;
            }
            gts_vertex dst[ahead];
            gts_edge_value value[ahead];
            if (!Body::traverse) {
#pragma unroll
                for (u32 window = 0; window < ahead; window++) {
                    u32 index = base + window * GTS_WARP + lane;
                    if (index < end) {
                        dst[window] = page.target(index);
                        value[window] = page.value(index);
                    }
                }
            }
#pragma unroll
            for (u32 window = 0; window < ahead; window++) {
                u32 from = base + window * GTS_WARP;
                if (from >= end) {
                    break;
                }
                u32 index = min(from + lane, end - 1);
                u32 slot = owner(page, first, index, min(from + GTS_WARP, end) - 1);
                first = __shfl_sync(GTS_ALL_LANES, slot, GTS_WARP - 1);
                gts_vertex src = page.start + slot;
                if (slot != visited) {
                    visited = slot;
                    list = gts_list(page, slot);
                    wanted = gts_begin(gts, body, src, source);
                }
                if (wanted && from + lane < end && list.at(gts, body, index)) {
                    if (Body::traverse) {
                        body.edge(source, src, page.target(index), page.value(index));
                    } else {
                        body.edge(source, src, dst[window], value[window]);
                    }
                }
            }
        }
    }

    // Returns the owner of each lane's entry in a window whose last entry is `last`. `first` is the owner of the
    // window's first entry, or an earlier vertex. The warp examines 32 vertices together, and one round nearly always
    // suffices. If `looks` rounds do not suffice, because most lists are empty, each lane searches separately.
    static __device__ __forceinline__ u32 owner(const gts_page &page, u32 first, u32 index, u32 last) {
        u32 found = first;
        bool open = true;
#pragma unroll 1
        for (u32 look = 0; look < looks; look++, first += GTS_WARP) {
            // Lane k loads the end of the list in slot `first` + k.
            u32 slot = first + threadIdx.x % GTS_WARP;
            u32 end = slot < page.vertices ? page.first_entry(slot + 1) : ~0u;
            if (__shfl_sync(GTS_ALL_LANES, end, 0) > last) {
                return open ? first : found;
            }
            u32 all_end = __shfl_sync(GTS_ALL_LANES, end, GTS_WARP - 1);
            // The number of lists that end at or before this lane's entry.
            u32 passed = 0;
#pragma unroll
            for (u32 step = GTS_WARP / 2; step > 0; step /= 2) {
                passed += __shfl_sync(GTS_ALL_LANES, end, passed + step - 1) <= index ? step : 0;
            }
            found = open ? first + passed : found;
            if (all_end > last) {
                return found;
            }
            open = index >= all_end;
        }
        return open ? later_owner(page, first, index) : found;
    }

    // Returns the owner of an entry. The list in slot `low` must begin at or before the entry.
    static __device__ __forceinline__ u32 later_owner(const gts_page &page, u32 low, u32 index) {
        u32 width = GTS_WARP;
        for (; low + width < page.vertices && page.first_entry(low + width) <= index; width *= 2) {
            low += width;
        }
        for (u32 step = width / 2; step > 0; step /= 2) {
            low += low + step < page.vertices && page.first_entry(low + step) <= index ? step : 0;
        }
        return low;
    }

    // Returns a word of the active set, restricted to the vertices in slots `first` to `last`.
    static __device__ __forceinline__ u32 active_bits(const gts_common &gts, const gts_page &page, gts_vertex word,
                                                      u32 first, u32 last) {
        gts_vertex low = page.start + first;
        gts_vertex high = page.start + last;
        u32 bits = word <= high / 32 ? gts_load(gts.active + word) : 0;
        bits &= word == low / 32 ? GTS_ALL_LANES << (low % 32) : GTS_ALL_LANES;
        return bits & (word == high / 32 ? GTS_ALL_LANES >> (31 - high % 32) : GTS_ALL_LANES);
    }

    // Returns the number of active vertices in slots `first` to `last`. All lanes of a warp must call this function.
    static __device__ __forceinline__ u32 count_active(const gts_common &gts, const gts_page &page, u32 first,
                                                       u32 last) {
        u32 active = 0;
        gts_vertex end = (page.start + last) / 32;
        for (gts_vertex word = (page.start + first) / 32 + threadIdx.x % GTS_WARP; word <= end; word += GTS_WARP) {
            active += __popc(active_bits(gts, page, word, first, last));
        }
#pragma unroll
        for (u32 distance = GTS_WARP / 2; distance > 0; distance /= 2) {
            active += __shfl_xor_sync(GTS_ALL_LANES, active, distance);
        }
        return active;
    }

    // Advances `first` to the next active vertex, up to slot `last`, and `base` to that vertex's first entry at or
    // after `base`. On entry, entry `base` must belong to `first` or a later vertex. Returns whether an active vertex
    // was found. All lanes of a warp must call this function.
    static __device__ __forceinline__ bool find_active(const gts_common &gts, const gts_page &page, u32 &first, u32 last,
                                                       u32 &base) {
        u32 from = first + (page.first_entry(first + 1) <= base ? 1 : 0);
        gts_vertex end = (page.start + last) / 32;
        for (gts_vertex word = (page.start + from) / 32; from <= last && word <= end; word += GTS_WARP) {
            u32 bits = active_bits(gts, page, word + threadIdx.x % GTS_WARP, from, last);
            u32 filled = __ballot_sync(GTS_ALL_LANES, bits != 0);
            if (filled != 0) {
                u32 owner = __ffs(filled) - 1;
                bits = __shfl_sync(GTS_ALL_LANES, bits, owner);
                first = (u32)((word + owner) * 32 + __ffs(bits) - 1 - page.start);
                base = max(base, page.first_entry(first));
                return true;
            }
        }
        return false;
    }
};

// Uses `Short` on the pages whose bits the host has set in `by_vertex`, and `Long` on all other pages.
template <class Short, class Long>
struct gts_by_page {
    template <class Body>
    static __device__ __forceinline__ void chunk(const gts_common &gts, const gts_page &page, Body &body) {
        if ((gts_load(gts.by_vertex + page.id / 32) >> (page.id % 32) & 1) != 0) {
            Short::chunk(gts, page, body);
        } else {
            Long::chunk(gts, page, body);
        }
    }
};

// Uses one thread per vertex on pages with short lists of similar length, and equal shares of entries on all other
// pages.
using gts_hybrid = gts_by_page<gts_by_vertex<1>, gts_balanced>;

// All threads share the entries of a large page, which contains a single vertex.
struct gts_whole_page {
    template <class Body>
    static __device__ __forceinline__ void chunk(const gts_common &gts, const gts_page &page, Body &body) {
        u64 begin = (u64)blockIdx.x * GTS_CHUNK;
        u32 end = (u32)min(begin + GTS_CHUNK, (u64)page.entries);
        if (begin >= end) {
            return;
        }
        u32 first = (u32)begin;
        gts_list list = gts_list::of_large_page(gts, page);
        list.cut(gts, first, end);
        typename Body::source source;
        if (first == end || !gts_begin(gts, body, page.start, source)) {
            return;
        }
        for (u32 index = first + threadIdx.x; index < end; index += GTS_BLOCK) {
            list.at(gts, body, index);
            body.edge(source, page.start, page.target(index), page.value(index));
        }
    }
};

// Reads pages in host memory. Among the entries, only those in active vertices' lists cross the bus, in aligned lines.
// One warp processes each short list. The whole block processes each long list, because a single warp would wait for
// the list line by line.
struct gts_in_place {
    template <class Body>
    static __device__ __forceinline__ void chunk(const gts_common &gts, const gts_page &page, Body &body) {
        constexpr u32 most_of_a_warp = 1024;
        __shared__ u32 long_lists[GTS_BLOCK];
        __shared__ u32 long_count;
        u32 begin = (u32)((u64)page.vertices * blockIdx.x / gridDim.x);
        u32 end = (u32)((u64)page.vertices * (blockIdx.x + 1) / gridDim.x);
        for (u32 base = begin; base < end; base += GTS_BLOCK) {
            if (threadIdx.x == 0) {
                long_count = 0;
            }
            __syncthreads();
            u32 slot = base + threadIdx.x;
            u32 first = 0;
            u32 last = 0;
            if (slot < end && gts_is_active(gts, page.start + slot)) {
                first = page.first_entry(slot);
                last = page.first_entry(slot + 1);
            }
            if (last - first > most_of_a_warp) {
                long_lists[atomicAdd(&long_count, 1u)] = slot;
                last = first;
            }
            for (u32 left = __ballot_sync(GTS_ALL_LANES, first != last); left != 0; left &= left - 1) {
                u32 owner = __ffs(left) - 1;
                u32 of_warp = base + threadIdx.x / GTS_WARP * GTS_WARP + owner;
                list<GTS_WARP>(gts, page, body, of_warp, __shfl_sync(GTS_ALL_LANES, first, owner),
                               __shfl_sync(GTS_ALL_LANES, last, owner));
            }
            __syncthreads();
            for (u32 found = 0; found < long_count; found++) {
                slot = long_lists[found];
                list<GTS_BLOCK>(gts, page, body, slot, page.first_entry(slot), page.first_entry(slot + 1));
            }
            __syncthreads();
        }
    }

    // Visits the list of a vertex with `Lanes` lanes. Lane 0 starts at the beginning of the list's first line, so that
    // every read covers aligned lines.
    template <u32 Lanes, class Body>
    static __device__ __forceinline__ void list(const gts_common &gts, const gts_page &page, Body &body, u32 slot,
                                                u32 first, u32 last) {
        gts_list places(page, slot);
        places.cut(gts, first, last);
        gts_vertex src = page.start + slot;
        typename Body::source source;
        if (first == last || !body.begin(src, source)) {
            return;
        }
        u32 index = first - min(page.into_line(first), first) + threadIdx.x % Lanes;
        for (; index < last; index += Lanes) {
            if (index >= first) {
                places.at(gts, body, index);
                body.edge(source, src, page.target(index), page.value(index));
            }
        }
    }
};

// Whether a technique reads pages from host memory without copying the pages.
template <class Technique>
constexpr bool gts_stays_in_place = false;
template <>
constexpr bool gts_stays_in_place<gts_in_place> = true;

// The order in which a launch processes its pages.
enum gts_page_order {
    // The order of the launch's page list.
    gts_first_to_last,
    // The reverse order, so that long work does not begin last. In most vertex orders, the last pages have the most
    // vertices, and take longer than their number of entries suggests.
    gts_last_to_first,
    // Alternately from both ends. Values that spread early from the first vertices reduce the number of steps.
    gts_from_both_ends,
};

template <class Technique, class Body>
constexpr gts_page_order gts_order_of = Body::traverse ? gts_from_both_ends : gts_last_to_first;

// Returns the index of the page that row `row` of the grid's blocks processes.
__device__ __forceinline__ u64 gts_place_of_row(gts_page_order order, u64 row, u64 pages) {
    switch (order) {
    case gts_last_to_first: return pages - 1 - row;
    case gts_from_both_ends: return row % 2 == 0 ? row / 2 : pages - 1 - row / 2;
    default: return row;
    }
}

// Runs the body over the pages of a launch.
template <class Technique, class Body>
__device__ __forceinline__ void gts_pages(const gts_common &gts, Body &body) {
    u64 pages = gts.found_pages != nullptr ? gts_load(gts.found_pages) : gts.num_pages;
    for (u64 row = blockIdx.y; row < pages && !gts_stopped(gts); row += gridDim.y) {
        gts_page_ref ref = gts.pages[gts_place_of_row(gts_order_of<Technique, Body>, row, pages)];
        if constexpr (gts_stays_in_place<Technique>) {
            Technique::chunk(gts, gts_page::in_place(gts, ref), body);
        } else {
            Technique::chunk(gts, gts_page(gts, ref), body);
        }
    }
}
