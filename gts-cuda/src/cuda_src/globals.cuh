// Updates of globals. Each thread accumulates its own share, each block merges the shares of its threads, and one
// atomic per block updates memory. In memory, each element is a cell of eight bytes, or two cells for sums of 64-bit
// integers. Sums of f32 are stored as f64, sums of integers of at most 32 bits as i64, and other small integers as u32.

#define GTS_CELL_BYTES 8

template <class T> struct gts_cell { typedef T type; };
template <> struct gts_cell<u8> { typedef u32 type; };
template <> struct gts_cell<u16> { typedef u32 type; };
template <> struct gts_cell<bool> { typedef u32 type; };

// Operations that merge two values, or merge a value into a cell that other threads update concurrently.
#define GTS_MERGE(NAME, COMBINED)                                                                                \
    template <class T> struct gts_merge_##NAME {                                                                 \
        typedef typename gts_cell<T>::type cell;                                                                 \
        static __device__ __forceinline__ cell merge(cell a, cell b) { return COMBINED; }                        \
        template <class P>                                                                                       \
        static __device__ __forceinline__ void update(P *place, P value) { gts_fetch_##NAME(place, value); }     \
        static __device__ __forceinline__ void update_cell(void *place, cell value) {                            \
            update((cell *)place, value);                                                                        \
        }                                                                                                        \
    };

GTS_MERGE(min, gts_min(a, b))
GTS_MERGE(max, gts_max(a, b))
GTS_MERGE(and, a & b)
GTS_MERGE(or, a | b)

// The cell of a sum. An i64 holds every sum of smaller integers over the edges of a graph. An f32 sum of millions of
// small values would lose most of them.
template <class T> struct gts_sum_cell { typedef T type; };
template <> struct gts_sum_cell<u8> { typedef i64 type; };
template <> struct gts_sum_cell<u16> { typedef i64 type; };
template <> struct gts_sum_cell<u32> { typedef i64 type; };
template <> struct gts_sum_cell<i32> { typedef i64 type; };
template <> struct gts_sum_cell<u64> { typedef gts_wide type; };
template <> struct gts_sum_cell<i64> { typedef gts_wide type; };
template <> struct gts_sum_cell<f32> { typedef f64 type; };
// Adds to two cells. The thread whose addition to the low word carries also adds the carry to the high word.
__device__ __forceinline__ void gts_fetch_add(gts_wide *place, gts_wide value) {
    u64 old = atomicAdd(&place->low, value.low);
    u64 high = (u64)value.high + (old + value.low < old ? 1 : 0);
    if (high != 0) {
        atomicAdd((u64 *)&place->high, high);
    }
}
template <class T> struct gts_merge_add {
    typedef typename gts_sum_cell<T>::type cell;
    static __device__ __forceinline__ cell merge(cell a, cell b) { return a + b; }
    template <class P>
    static __device__ __forceinline__ void update(P *place, P value) { gts_fetch_add(place, value); }
    static __device__ __forceinline__ void update_cell(void *place, cell value) { update((cell *)place, value); }
};

// A sum of 64-bit integers in a global whose terms are small. Shares of threads and blocks have 64 bits.
template <class T> struct gts_merge_add_short {
    typedef i64 cell;
    static __device__ __forceinline__ cell merge(cell a, cell b) { return a + b; }
    static __device__ __forceinline__ void update_cell(void *place, cell value) {
        gts_fetch_add((gts_wide *)place, gts_wide(value));
    }
};

// An operation that stores the value instead of merging it: the last write wins.
template <class T> struct gts_merge_any {
    typedef typename gts_cell<T>::type cell;
    static __device__ __forceinline__ cell merge(cell, cell b) { return b; }
    static __device__ __forceinline__ void update(cell *place, cell value) { *(volatile cell *)place = value; }
    static __device__ __forceinline__ void update_cell(void *place, cell value) { update((cell *)place, value); }
};

// A thread's share of a global with one element. The share starts untouched, so the merge operation needs no identity
// element.
template <class Merge> struct gts_global {
    typedef typename Merge::cell cell;
    cell value;
    bool touched;

    __device__ __forceinline__ gts_global() : value(), touched(false) {}

    __device__ __forceinline__ void merge(cell other) {
        value = touched ? Merge::merge(value, other) : other;
        touched = true;
    }

    // Merges the shares of the block's threads into memory. Every thread of the block must call this function once,
    // after its work.
    __device__ __forceinline__ void flush(void *place) {
        for (u32 distance = GTS_WARP / 2; distance > 0; distance /= 2) {
            cell other = gts_from_lane_up(value, distance);
            bool there = __shfl_down_sync(GTS_ALL_LANES, (u32)touched, distance) != 0;
            if (there && threadIdx.x % GTS_WARP + distance < GTS_WARP) {
                merge(other);
            }
        }
        // Loops over steps have larger blocks than passes.
        __shared__ cell values[GTS_WARP];
        __shared__ bool set[GTS_WARP];
        if (threadIdx.x % GTS_WARP == 0) {
            values[threadIdx.x / GTS_WARP] = value;
            set[threadIdx.x / GTS_WARP] = touched;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            for (u32 warp = 1; warp < blockDim.x / GTS_WARP; warp++) {
                if (set[warp]) {
                    merge(values[warp]);
                }
            }
            if (touched) {
                Merge::update_cell(place, value);
            }
        }
        __syncthreads();
    }
};

// A global with several elements. If several threads of a warp update the same element, one thread writes the merged
// value.
template <class Merge> struct gts_global_array {
    typedef typename Merge::cell cell;

    static __device__ __forceinline__ void merge(void *cells, u32 index, cell value) {
        u32 lane = threadIdx.x % GTS_WARP;
        u32 waiting = __activemask();
        u32 lanes = waiting;
        while (waiting != 0) {
            u32 leader = __ffs(waiting) - 1;
            u32 wanted = __shfl_sync(lanes, index, leader);
            u32 same = __ballot_sync(lanes, wanted == index) & waiting;
            for (u32 rest = same & (same - 1); rest != 0; rest &= rest - 1) {
                cell other = gts_from_lane(lanes, value, __ffs(rest) - 1);
                value = lane == leader ? Merge::merge(value, other) : value;
            }
            if (lane == leader) {
                constexpr u64 bytes = sizeof(cell) > GTS_CELL_BYTES ? sizeof(cell) : GTS_CELL_BYTES;
                Merge::update((cell *)((u8 *)cells + index * bytes), value);
            }
            waiting &= ~same;
        }
    }
};
