// Scans that pull. Pages belong to the opposite topology: a page's own vertices are the receivers (dst), and its
// entries are the sources (src). By default, the value that a source sends is computed beforehand, once per vertex, and
// read once per edge. If GTS_AT_EDGE is defined, the value is computed once per edge. A receiver gathers values in
// registers. If one warp processes the receiver's whole list, a plain store writes the result to memory. Otherwise, an
// atomic updates memory.
//
// A body has the flags `hands` (whether sources send a value) and `filters` (whether some sources send nothing), and
// the functions `begin(src, source)` and `gather(source, src, dst, value, gathered)`. The body's type `gathered`
// contains one of the structs below per attribute.

// The type in which terms are summed. f32 terms are summed in f64, because an f32 sum would lose small terms to
// rounding.
template <class T> struct gts_total {
    typedef T type;
    static __device__ __forceinline__ T plus(T a, T b) { return gts_add(a, b); }
    static __device__ __forceinline__ T minus(T a, T b) { return gts_sub(a, b); }
};
struct gts_float_total {
    typedef f64 type;
    static __device__ __forceinline__ f64 plus(f64 a, f64 b) { return a + b; }
    static __device__ __forceinline__ f64 minus(f64 a, f64 b) { return a - b; }
};
template <> struct gts_total<f32> : gts_float_total {};
template <> struct gts_total<f64> : gts_float_total {};

#ifdef GTS_CHECKS_SUMS
// The type of exact sums of integers.
template <class T> struct gts_exact_total {
    typedef T type;
    static __device__ __forceinline__ T plus(T a, T b) { return a + b; }
    static __device__ __forceinline__ T minus(T a, T b) { return a + -b; }
};
template <> struct gts_total<u8> : gts_exact_total<i64> {};
template <> struct gts_total<u16> : gts_exact_total<i64> {};
template <> struct gts_total<u32> : gts_exact_total<i64> {};
template <> struct gts_total<i32> : gts_exact_total<i64> {};
template <> struct gts_total<u64> : gts_exact_total<gts_wide> {};
template <> struct gts_total<i64> : gts_exact_total<gts_wide> {};

__device__ __forceinline__ bool gts_is_negative(i64 sum) { return sum < 0; }
__device__ __forceinline__ bool gts_is_negative(gts_wide sum) { return sum.high < 0; }

// Returns whether a sum can be added to an element that held `old`, see `gts_leaves_range`.
template <class T>
__device__ __forceinline__ bool gts_holds(T old, typename gts_total<T>::type sum) {
    typedef typename gts_total<T>::type total;
    if constexpr (GTS_CHECKS_SUMS == GTS_WHOLE) {
        return gts_fits<T>(gts_total<T>::plus(total(old), sum));
    } else {
        typedef typename gts_unsigned<T>::type U;
        bool falls = gts_is_negative(sum);
        U part = falls ? (U)(0 - (U)old) : (U)old;
        return gts_fits<U>(gts_total<T>::plus(total(part), falls ? -sum : sum));
    }
}
#endif

// Adds `total` to an element that other threads update concurrently. Not inlined, because calls are rare and the code
// is long.
template <class T>
__device__ __noinline__ void gts_add_shared(T *place, T total) {
    gts_fetch_add(place, total);
}

// The number of iterations to unroll. Short arrays stay in registers only if loops over them are unrolled. Loops over
// long arrays are not unrolled: a program contains hundreds of copies of such loops, and NVRTC would need a minute to
// compile arrays of 64 elements.
#define GTS_ROUNDS(LENGTH) ((LENGTH) <= 16 ? (LENGTH) : 1)

// The sum of the terms that a vertex has gathered for an attribute.
template <class T, u32 Length>
struct gts_summed {
    typedef typename gts_total<T>::type total;
    total at[Length];

    __device__ __forceinline__ void begin(const T *, gts_vertex) {
#pragma unroll GTS_ROUNDS(Length)
        for (u32 i = 0; i < Length; i++) {
            at[i] = total((T)0);
        }
    }
    __device__ __forceinline__ void add(u32 i, T term) { at[i] = gts_total<T>::plus(at[i], term); }
    __device__ __forceinline__ void sub(u32 i, T term) { at[i] = gts_total<T>::minus(at[i], term); }
    __device__ __forceinline__ void join(u32 distance, bool joins) {
#pragma unroll GTS_ROUNDS(Length)
        for (u32 i = 0; i < Length; i++) {
            total other = gts_from_lane_up(at[i], distance);
            at[i] = joins ? gts_total<T>::plus(at[i], other) : at[i];
        }
    }
    __device__ __forceinline__ void settle(T *place, gts_vertex v, bool alone) const {
        place += (u64)v * Length;
#pragma unroll GTS_ROUNDS(Length)
        for (u32 i = 0; i < Length; i++) {
            if (alone) {
                place[i] = (T)gts_total<T>::plus(place[i], at[i]);
            } else {
                gts_add_shared(place + i, (T)at[i]);
            }
        }
    }
    // Like `settle`. If GTS_CHECKS_SUMS is defined, also reports an error at the site if an element cannot hold the
    // result.
    template <u32 Direction>
    __device__ __forceinline__ void settle_checked(const gts_common &gts, u32 site, T *place, gts_vertex v,
                                                   bool alone) const {
#ifdef GTS_CHECKS_SUMS
        place += (u64)v * Length;
#pragma unroll GTS_ROUNDS(Length)
        for (u32 i = 0; i < Length; i++) {
            T old = place[i];
            if (alone) {
                place[i] = (T)gts_total<T>::plus(total(old), at[i]);
            } else {
                old = gts_fetch_add(place + i, (T)at[i]);
            }
            if ((Direction != GTS_MIXED || GTS_CHECKS_MIXED) && !gts_holds(old, at[i])) {
                gts_place receiver = {v, (gts_vertex)~(gts_vertex)0};
                gts_report(gts, receiver, site, (i64)old);
            }
        }
#else
        settle(place, v, alone);
#endif
    }
};

// Operations that merge two values, or merge a value into memory that other threads update concurrently.
#define GTS_KEPT(NAME, KEPT)                                                                                     \
    template <class T> struct gts_keep_##NAME {                                                                  \
        static __device__ __forceinline__ T kept(T a, T b) { return (T)(KEPT); }                                 \
        static __device__ __forceinline__ void update(T *place, T value) { gts_fetch_##NAME(place, value); }     \
    };

GTS_KEPT(min, gts_min(a, b))
GTS_KEPT(max, gts_max(a, b))
GTS_KEPT(and, a & b)
GTS_KEPT(or, a | b)

// The values that a vertex has gathered for an attribute, merged by an operation other than addition. The merge starts
// with the attribute's value in memory.
template <template <class> class Keep, class T, u32 Length>
struct gts_kept {
    T at[Length];

    __device__ __forceinline__ void begin(const T *place, gts_vertex v) {
#pragma unroll GTS_ROUNDS(Length)
        for (u32 i = 0; i < Length; i++) {
            at[i] = place[(u64)v * Length + i];
        }
    }
    __device__ __forceinline__ void merge(u32 i, T value) { at[i] = Keep<T>::kept(at[i], value); }
    __device__ __forceinline__ void join(u32 distance, bool joins) {
#pragma unroll GTS_ROUNDS(Length)
        for (u32 i = 0; i < Length; i++) {
            T other = gts_from_lane_up(at[i], distance);
            at[i] = joins ? Keep<T>::kept(at[i], other) : at[i];
        }
    }
    __device__ __forceinline__ void settle(T *place, gts_vertex v, bool alone) const {
        place += (u64)v * Length;
#pragma unroll GTS_ROUNDS(Length)
        for (u32 i = 0; i < Length; i++) {
            if (alone) {
                place[i] = at[i];
            } else {
                Keep<T>::update(place + i, at[i]);
            }
        }
    }
};

// The value that a source sends. If `Filters` is set, also contains whether the source sends a value.
template <class Body, bool Filters>
struct gts_handed_to {
    typename Body::source source;
    __device__ __forceinline__ void let(bool) {}
    __device__ __forceinline__ bool counts() const { return true; }
};
template <class Body>
struct gts_handed_to<Body, true> {
    typename Body::source source;
    bool lets;
    __device__ __forceinline__ void let(bool counts) { lets = counts; }
    __device__ __forceinline__ bool counts() const { return lets; }
};
template <class Body>
using gts_handed = gts_handed_to<Body, Body::filters>;

// Returns the value that a source sends along an edge. The value is computed if GTS_AT_EDGE is defined, and loaded
// otherwise.
template <class Body>
__device__ __forceinline__ gts_handed<Body> gts_handed_by(const gts_common &gts, Body &body, gts_vertex src) {
#ifdef GTS_AT_EDGE
    gts_handed<Body> handed;
    handed.let(body.begin(src, handed.source));
    return handed;
#else
    if constexpr (Body::hands) {
        return ((const gts_handed<Body> *)gts.handed)[src];
    } else {
        return gts_handed<Body>();
    }
#endif
}

// Stores the value that each vertex sends.
template <class Body>
__device__ __forceinline__ void gts_hand_out(const gts_common &gts, Body &body) {
    static_assert(sizeof(gts_handed<Body>) <= Body::handed_bytes, "the host has room for it");
    u64 stride = (u64)gridDim.x * GTS_BLOCK;
    for (u64 v = (u64)blockIdx.x * GTS_BLOCK + threadIdx.x; v < gts.num_vertices; v += stride) {
        gts_handed<Body> handed;
        handed.let(body.begin((gts_vertex)v, handed.source));
        ((gts_handed<Body> *)gts.handed)[v] = handed;
    }
}

template <class Body>
__device__ __forceinline__ void gts_gather(Body &body, const gts_handed<Body> &handed, gts_vertex src, gts_vertex dst,
                                           gts_edge_value value, typename Body::gathered &gathered) {
    if (handed.counts()) {
        body.gather(handed.source, src, dst, value, gathered);
    }
}

// Merges the values that `Lanes` consecutive lanes have gathered for one vertex into the first of these lanes. All
// lanes of a warp must call this function.
template <u32 Lanes, class Gathered>
__device__ __forceinline__ void gts_join(Gathered &gathered) {
#pragma unroll
    for (u32 distance = Lanes / 2; distance > 0; distance /= 2) {
        gathered.gts_join(distance, true);
    }
}

// Merges the values that the lanes of each virtual warp have gathered into the virtual warp's first lane. All threads
// of a block must call this function, with consecutive values of `turn`.
template <u32 Lanes, class Gathered>
struct gts_warp_join {
    // Whether the first lane receives the values of all lanes of the virtual warp.
    static constexpr bool whole = true;
    static __device__ __forceinline__ bool settles() { return threadIdx.x % Lanes == 0; }
    static __device__ __forceinline__ void join(Gathered &gathered, u32) { gts_join<Lanes>(gathered); }
    static __device__ __forceinline__ void finish() {}
};

// Joins two warps that share a vertex. The second warp passes its values through shared memory. If long arrays do not
// fit into shared memory, each warp settles its own values.
template <class Gathered>
struct gts_warp_join<2 * GTS_WARP, Gathered> {
    static constexpr u32 pairs = GTS_BLOCK / (2 * GTS_WARP);
    static constexpr bool whole = 2 * pairs * sizeof(Gathered) <= 16384;
    static __device__ __forceinline__ bool settles() { return threadIdx.x % (whole ? 2 * GTS_WARP : GTS_WARP) == 0; }
    static __device__ __forceinline__ void join(Gathered &gathered, u32 turn) {
        gts_join<GTS_WARP>(gathered);
        if constexpr (whole) {
            // Turns alternate between two buffers. The next turn's barrier separates the reads of a buffer from the
            // writes two turns later.
            __shared__ Gathered left[2][pairs];
            Gathered &place = left[turn % 2][threadIdx.x / (2 * GTS_WARP)];
            if (threadIdx.x % (2 * GTS_WARP) == GTS_WARP) {
                place = gathered;
            }
            __syncthreads();
            if (threadIdx.x % (2 * GTS_WARP) == 1) {
                gathered = place;
            }
            // The first lane has the first warp's share, and the second lane now has the second warp's share.
            gathered.gts_join(1, true);
        }
    }
    // Must be called after the last turn, before the buffers are used for another page.
    static __device__ __forceinline__ void finish() {
        if constexpr (whole) {
            __syncthreads();
        }
    }
};

// The lanes of a virtual warp share a receiver.
template <u32 Lanes>
struct gts_pull_by_vertex {
    template <class Body>
    static __device__ __forceinline__ void chunk(const gts_common &gts, const gts_page &page, Body &body) {
        typedef gts_warp_join<Lanes, typename Body::gathered> together;
        gts_warp_slots<Lanes> slots(gts, page);
        // All threads of a block execute every turn together, because the threads exchange values.
        for (u32 turn = 0; slots.base < slots.end; slots.next(), turn++) {
            u32 slot = slots.slot();
            u32 index = slot < slots.end ? page.first_entry(slot) : 0;
            u32 last = slot < slots.end ? page.first_entry(slot + 1) : 0;
            bool receives = index < last;
            gts_vertex dst = page.start + slot;
            typename Body::gathered gathered;
            if (receives) {
                gathered.gts_begin(body, dst);
            }
#pragma unroll 4
            for (index += threadIdx.x % Lanes; index < last; index += Lanes) {
                gts_vertex src = page.target(index);
                gts_gather(body, gts_handed_by(gts, body, src), src, dst, page.value(index), gathered);
            }
            together::join(gathered, turn);
            if (receives && together::settles()) {
                gathered.gts_settle(body, dst, together::whole);
            }
        }
        together::finish();
    }
};

// An entry in flight. Its source is loaded one window before the value that the source sends.
template <class Body>
struct gts_pulled {
    gts_vertex src;
    gts_edge_value value;
    gts_handed<Body> handed;

    __device__ __forceinline__ void name(const gts_page &page, u32 index, u32 end) {
        if (index < end) {
            src = page.target(index);
            value = page.value(index);
        }
    }
    __device__ __forceinline__ void fetch(const gts_common &gts, Body &body, u32 index, u32 end) {
        if (index < end) {
            handed = gts_handed_by(gts, body, src);
        }
    }
};

// Each warp processes an equal share of the page's entries, 32 entries (a window) at a time, as in scans that push.
// Within a list, each lane gathers separately; at the end of the list, the lanes merge their values. A list that
// extends beyond a share is also processed by other warps.
struct gts_pull_balanced {
    template <class Body>
    static __device__ __forceinline__ void chunk(const gts_common &gts, const gts_page &page, Body &body) {
        u32 lane = threadIdx.x % GTS_WARP;
        u64 begin = (u64)blockIdx.x * GTS_CHUNK + threadIdx.x / GTS_WARP * GTS_SHARE;
        if (begin >= page.entries) {
            return;
        }
        u32 end = min((u32)begin + GTS_SHARE, page.entries);
        u32 index = (u32)begin + lane;
        gts_pulled<Body> now;
        gts_pulled<Body> soon;
        now.name(page, index, end);
        soon.name(page, index + GTS_WARP, end);
        now.fetch(gts, body, index, end);
        // The receiver whose list is being processed, and whether that list begins in this share.
        u32 open = page.warp_owner((u32)begin);
        bool alone = page.first_entry(open) == (u32)begin;
        typename Body::gathered gathered;
        gathered.gts_begin(body, page.start + open);
#pragma unroll 1
        for (u32 from = (u32)begin; from < end; from += GTS_WARP) {
            soon.fetch(gts, body, from + GTS_WARP + lane, end);
            gts_pulled<Body> later;
            later.name(page, from + 2 * GTS_WARP + lane, end);
            u32 last = window(page, body, from, end, open, alone, now, gathered);
            alone = alone || last != open;
            open = last;
            now = soon;
            soon = later;
        }
        gts_join<GTS_WARP>(gathered);
        if (lane == 0) {
            gathered.gts_settle(body, page.start + open, alone && page.first_entry(open + 1) == end);
        }
    }

    // Processes a window. Returns the receiver whose list may continue after the window.
    template <class Body>
    static __device__ __forceinline__ u32 window(const gts_page &page, Body &body, u32 from, u32 end, u32 open,
                                                 bool alone, const gts_pulled<Body> &entry,
                                                 typename Body::gathered &gathered) {
        u32 lane = threadIdx.x % GTS_WARP;
        u32 slot = gts_balanced::owner(page, open, min(from + lane, end - 1), min(from + GTS_WARP, end) - 1);
        u32 last = __shfl_sync(GTS_ALL_LANES, slot, GTS_WARP - 1);
        bool gathers = from + lane < end;
        gts_vertex dst = page.start + slot;
        if (gathers && slot == open) {
            gts_gather(body, entry.handed, entry.src, dst, entry.value, gathered);
        }
        if (last == open) {
            return open;
        }
        gts_join<GTS_WARP>(gathered);
        if (lane == 0) {
            gathered.gts_settle(body, page.start + open, alone);
        }
        // The last list may continue. Lists between the first and the last lie entirely within the window.
        gathered.gts_begin(body, slot == open ? page.start + last : dst);
        if (gathers && slot != open) {
            gts_gather(body, entry.handed, entry.src, dst, entry.value, gathered);
        }
        bool between = slot != open && slot != last;
        if (__any_sync(GTS_ALL_LANES, between)) {
            settle_between(page, body, slot, between, gathered);
            if (between) {
                gathered.gts_begin(body, page.start + last);
            }
        }
        return last;
    }

    // Merges the values of each list into the list's first lane, which settles the list.
    template <class Body>
    static __device__ __forceinline__ void settle_between(const gts_page &page, Body &body, u32 slot, bool between,
                                                          const typename Body::gathered &of_lane) {
        u32 lane = threadIdx.x % GTS_WARP;
        typename Body::gathered gathered = of_lane;
#pragma unroll
        for (u32 distance = 1; distance < GTS_WARP; distance *= 2) {
            u32 other = __shfl_down_sync(GTS_ALL_LANES, slot, distance);
            gathered.gts_join(distance, lane + distance < GTS_WARP && other == slot);
        }
        u32 before = __shfl_sync(GTS_ALL_LANES, slot, (lane + GTS_WARP - 1) % GTS_WARP);
        if (between && (lane == 0 || before != slot)) {
            gathered.gts_settle(body, page.start + slot, true);
        }
    }
};

// Uses one thread per receiver on pages with short lists of similar length, and equal shares of entries on all other
// pages.
using gts_pull_hybrid = gts_by_page<gts_pull_by_vertex<1>, gts_pull_balanced>;

// All threads share the entries of a large page, which contains part of one receiver's list.
struct gts_pull_whole_page {
    template <class Body>
    static __device__ __forceinline__ void chunk(const gts_common &gts, const gts_page &page, Body &body) {
        u64 begin = (u64)blockIdx.x * GTS_CHUNK;
        u32 end = (u32)min(begin + GTS_CHUNK, (u64)page.entries);
        if (begin >= end) {
            return;
        }
        typename Body::gathered gathered;
        gathered.gts_begin(body, page.start);
#pragma unroll 4
        for (u32 index = (u32)begin + threadIdx.x; index < end; index += GTS_BLOCK) {
            gts_vertex src = page.target(index);
            gts_gather(body, gts_handed_by(gts, body, src), src, page.start, page.value(index), gathered);
        }
        gts_join<GTS_WARP>(gathered);
        if (threadIdx.x % GTS_WARP == 0) {
            gathered.gts_settle(body, page.start, false);
        }
    }
};
