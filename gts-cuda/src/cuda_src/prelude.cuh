// The common base of all kernels: types, launch arguments, and functions that a body can call.
//
// The program is compiled without headers. GTS_VERTEX_BYTES (4 or 8) is the width of a vertex number in memory and in
// registers. UNREACHED is the vertex number with all bits set.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;
typedef float f32;
typedef double f64;

static_assert(sizeof(u32) == 4 && sizeof(u64) == 8 && sizeof(void *) == 8, "the widths of the kernel language");

#if GTS_VERTEX_BYTES == 4
typedef u32 gts_vertex;
#else
typedef u64 gts_vertex;
#endif

// The number of threads per block, unless a kernel defines its own number.
#define GTS_BLOCK 256
#define GTS_WARP 32
#define GTS_ALL_LANES 0xffffffffu

// A page's offset in bytes from the launch's `page_base`, and its number.
struct gts_page_ref {
    u64 offset;
    u64 id;
};

// The part of a launch's report that kernels write: the least fault of the first step that has one. Only the thread
// that has set `lock` writes the fault.
struct gts_status {
    u32 error;
    u32 error_site;
    i64 error_value;
    u64 error_src;
    u64 error_dst;
    // `gts_fault_prefix` of the fault.
    u64 error_prefix;
    u32 error_step;
    u32 lock;
    // The host sets this field while a kernel runs to end work loops and loops in bodies early.
    u32 stop;
    u32 unused;
};

// The vertex or edge for which a body runs. `dst` has all bits set in vertex kernels.
struct gts_place {
    gts_vertex src;
    gts_vertex dst;
    // Whether the body has reported an error.
    mutable bool is_faulty = false;
    // Whether a loop of the body has ended because of an error. Later errors may result from this end, so they are
    // ignored.
    mutable bool is_cut = false;
};

// A topology with contiguous pages, in which any vertex's list can be located.
struct gts_lists {
    const u8 *base;
    // The first vertex of each page, followed by the number of vertices.
    const gts_vertex *start_vids;
    u64 num_pages;
    // The length of each vertex's list.
    const u32 *degrees;
    // The edge number of each page's first edge. Used only if the kernel updates edge values.
    const u64 *first_edges;
};

struct gts_tallies;


// The fields with which every argument struct begins, in slots of eight bytes. `arguments.rs` fills the slots.
struct gts_common {
    // The launch's pages, and the address to which page offsets are relative.
    const gts_page_ref *pages;
    const u8 *page_base;
    // The address of the page count if a kernel computes the count; otherwise null, and `num_pages` is the count.
    const u64 *found_pages;
    u64 num_pages;
    u64 page_bytes;
    // The number of chunks per page. A chunk is a block's unit of work.
    u64 page_chunks;
    // The first vertex of each page in the topology, followed by the number of vertices.
    const gts_vertex *start_vids;
    u64 num_vertices;
    u64 num_edges;
    u64 step;
    // Bit sets of the vertices that are active in this step and in the next step.
    const u32 *active;
    u32 *next;
    const u32 *out_degrees;
    const u32 *in_degrees;
    gts_status *status;
    // The length of a virtual warp's runs of consecutive vertices, divided by its number of lanes; 0 if each run is a
    // single vertex.
    u64 warp_chunk;
    // One bit per page of the topology: whether the hybrid technique uses one thread per vertex on this page.
    const u32 *by_vertex;
    // The range of vertices whose attributes are on this device: all vertices unless GTS_SPLIT is defined.
    u64 first_vertex;
    u64 local_vertices;
    // The initial state of the pass's random numbers.
    u64 random;
    // The first position to visit in each list, and the number of positions. Used only if GTS_POSITIONS is defined.
    u64 first_place;
    u64 places;
    // The number of entries on every page of a large vertex except its last page.
    u64 large_page_entries;
    // The topologies in which intersection kernels look up lists.
    gts_lists lists[2];
    // The tables in which a kernel counts values.
    const gts_tallies *tallies;
    // The values that vertices send in a pulling scan, indexed by vertex.
    void *handed;
    // The pass's edge list, if any: sources and targets, values, and the number of edges.
    const void *edge_list;
    const void *edge_values;
    u64 listed_edges;
    // The counter for edges with active sources, in a pass over an edge list.
    u64 *active_edges;
};

#define GTS_COMMON_SLOTS 39
static_assert(sizeof(gts_common) == 8 * GTS_COMMON_SLOTS, "the host fills slots of eight bytes");

// Loads a value that no kernel writes while this kernel runs.
template <class T>
__device__ __forceinline__ T gts_load(const T *place) {
    return __ldg(place);
}
template <>
__device__ __forceinline__ bool gts_load(const bool *place) {
    return __ldg((const u8 *)place) != 0;
}

// Returns whether the host has requested that the kernel end.
__device__ __forceinline__ bool gts_stopped(const gts_common &gts) {
    return *(volatile const u32 *)&gts.status->stop != 0;
}

// Widens a vertex number to 64 bits. UNREACHED has all bits set in both widths.
__device__ __forceinline__ u64 gts_widen(gts_vertex v) {
    return v == (gts_vertex)~(gts_vertex)0 ? ~0ull : (u64)v;
}

// Returns the beginning of a fault's key (step, site, src, dst) as one number, in the order of the keys. Large parts
// share a number, and parts behind them do not count.
__device__ __forceinline__ u64 gts_fault_prefix(u32 step, u32 site, u64 src) {
    if (step >= 0xfffu) {
        return 0xfffull << 52;
    }
    u64 later = site >= 0xffu ? 0xffull << 44 : (u64)site << 44 | min(src, 0xfffffffffffull);
    return (u64)step << 52 | later;
}

// Returns whether the calling thread has the least fault of the threads of its warp that call this together.
__device__ __forceinline__ bool gts_is_least(u32 site, u64 src, u64 dst, i64 value) {
    u32 group = __activemask();
    bool least = true;
    for (u32 rest = group; rest != 0; rest &= rest - 1) {
        u32 lane = __ffs(rest) - 1;
        u32 other_site = __shfl_sync(group, site, lane);
        u64 other_src = __shfl_sync(group, src, lane);
        u64 other_dst = __shfl_sync(group, dst, lane);
        i64 other_value = __shfl_sync(group, value, lane);
        bool less = other_site != site ? other_site < site
                    : other_src != src ? other_src < src
                    : other_dst != dst ? other_dst < dst
                                       : other_value < value;
        bool same = other_site == site && other_src == src && other_dst == dst && other_value == value;
        least = least && !less && !(same && lane < threadIdx.x % GTS_WARP);
    }
    return least;
}

// Reports a run-time error, unless a lesser one was reported before.
__device__ __noinline__ void gts_fault(gts_status *status, u32 step, u32 site, i64 value, u64 src, u64 dst) {
    volatile gts_status *known = status;
    u64 prefix = gts_fault_prefix(step, site, src);
    // If every edge of a graph faults, few threads take the lock: one thread per warp, and none with a greater fault.
    if (!gts_is_least(site, src, dst, value)) {
        return;
    }
    do {
        bool found = known->error != 0;
        __threadfence();
        if (found && prefix > known->error_prefix) {
            return;
        }
    } while (atomicCAS(&status->lock, 0u, 1u) != 0u);
    __threadfence();
    bool least = known->error == 0;
    if (!least) {
        least = step != known->error_step   ? step < known->error_step
                : site != known->error_site ? site < known->error_site
                : src != known->error_src   ? src < known->error_src
                : dst != known->error_dst   ? dst < known->error_dst
                                            : value < known->error_value;
    }
    if (least) {
        known->error_step = step;
        known->error_site = site;
        known->error_value = value;
        known->error_src = src;
        known->error_dst = dst;
        known->error_prefix = prefix;
        __threadfence();
        known->error = 1;
    }
    __threadfence();
    atomicExch(&status->lock, 0u);
}
__device__ __forceinline__ void gts_report_at(const gts_common &gts, const gts_place &place, gts_vertex dst, u32 site,
                                              i64 value) {
    if (!place.is_cut) {
        place.is_faulty = true;
        gts_fault(gts.status, (u32)gts.step, site, value, gts_widen(place.src), gts_widen(dst));
    }
}
__device__ __forceinline__ void gts_report(const gts_common &gts, const gts_place &place, u32 site, i64 value) {
    gts_report_at(gts, place, place.dst, site, value);
}

__device__ __forceinline__ u64 gts_out_degree(const gts_common &gts, gts_vertex v) {
    return gts_load(gts.out_degrees + v);
}

__device__ __forceinline__ u64 gts_in_degree(const gts_common &gts, gts_vertex v) {
    return gts_load(gts.in_degrees + v);
}

// Returns vertex `number`. If the graph has no such vertex, reports an error and returns vertex 0.
__device__ __forceinline__ gts_vertex gts_make_vertex(const gts_common &gts, const gts_place &place,
                                                      u32 site, u64 number) {
    if (number < gts.num_vertices) {
        return (gts_vertex)number;
    }
    gts_report(gts, place, site, (i64)number);
    return 0;
}

// Returns `index` if it is below `length`. Otherwise, reports an error and returns 0.
__device__ __forceinline__ u32 gts_index(const gts_common &gts, const gts_place &place, u32 site, u64 index,
                                         u32 length) {
    if (index < length) {
        return (u32)index;
    }
    gts_report(gts, place, site, (i64)index);
    return 0;
}

__device__ __forceinline__ bool gts_is_active(const gts_common &gts, gts_vertex v) {
    return (gts_load(gts.active + v / 32) >> (v % 32) & 1u) != 0;
}

// Returns whether the attributes of a vertex are on this device.
__device__ __forceinline__ bool gts_is_here(const gts_common &gts, gts_vertex v) {
#ifdef GTS_SPLIT
    return (u64)v - gts.first_vertex < gts.local_vertices;
#else
    return true;
#endif
}

// Returns the array from which a vertex's value can be read on this device: `now` for local vertices; otherwise
// `before`, which contains the values at the beginning of the step.
template <class T>
__device__ __forceinline__ const T *gts_known(const gts_common &gts, const T *now, const T *before, gts_vertex v) {
    return gts_is_here(gts, v) ? now : before;
}

// Makes a vertex active in the next step. Most vertices are already marked, so the test avoids most atomics.
__device__ __forceinline__ void gts_activate(const gts_common &gts, gts_vertex v) {
    u32 *word = gts.next + v / 32;
    u32 bit = 1u << (v % 32);
    if ((*word & bit) == 0) {
        atomicOr(word, bit);
    }
}

// Returns the value of an unreached vertex: the largest integer, infinity, or the vertex number with all bits set.
template <class T>
__device__ __forceinline__ T gts_unreached() {
    return (T)~(T)0;
}
template <>
__device__ __forceinline__ i32 gts_unreached<i32>() {
    return 0x7fffffff;
}
template <>
__device__ __forceinline__ i64 gts_unreached<i64>() {
    return 0x7fffffffffffffffll;
}
template <>
__device__ __forceinline__ f32 gts_unreached<f32>() {
    return __uint_as_float(0x7f800000u);
}
template <>
__device__ __forceinline__ f64 gts_unreached<f64>() {
    return __longlong_as_double(0x7ff0000000000000ll);
}

// An array that is copied by value.
template <class T, u32 Length>
struct gts_array {
    T at[Length];

    __device__ __forceinline__ T &operator[](u32 index) { return at[index]; }
    __device__ __forceinline__ const T &operator[](u32 index) const { return at[index]; }

    static __device__ __forceinline__ gts_array filled(T value) {
        gts_array array;
        for (u32 index = 0; index < Length; index++) {
            array.at[index] = value;
        }
        return array;
    }
};
template <class T, u32 Length>
__device__ __forceinline__ gts_array<T, Length> gts_load_array(const T *place) {
    gts_array<T, Length> array;
    for (u32 index = 0; index < Length; index++) {
        array.at[index] = gts_load(place + index);
    }
    return array;
}

// Counts the rounds of a loop that might never end, and regularly checks whether the loop must stop.
struct gts_rounds {
    u32 count = 0;

    __device__ __forceinline__ bool go_on(const gts_common &gts) { return ++count % 1024 != 0 || !gts_stopped(gts); }

    // For loops of bodies: a loop that a wrapped number keeps alive ends within 1,024 rounds of the fault. Faults of
    // other bodies do not end the loop: the order of the threads would then determine which fault is reported.
    __device__ __forceinline__ bool body_goes_on(const gts_common &gts, const gts_place &place) {
        if (++count % 1024 != 0) {
            return true;
        }
        place.is_cut = place.is_cut || place.is_faulty;
        return !(place.is_cut || gts_stopped(gts));
    }
};

// A range with inclusive bounds. `last` may be the type's largest number.
template <class T>
struct gts_range {
    T at;
    T last;
    bool left;

    __device__ __forceinline__ gts_range(T first, T last) : at(first), last(last), left(first <= last) {}
    __device__ __forceinline__ void step() {
        left = at != last;
        at = left ? (T)(at + 1) : at;
    }
};
