// Kernels that intersect lists: a warp takes an edge from u to v, its lanes the neighbours of the end with fewer of them,
// each of which is searched in the list of the other end.
//
// A body has `common` (it runs for two neighbours v and w of u with an edge between them; for every neighbour v where
// not), `ordered` (only where degrees ascend from u to v to w), `meet(u, v, w)` and, where it `updates_edge`,
// `leave_edge(number)`, which each lane calls after what it has met of an edge. `gts.lists[0]` holds the edges from v
// to w; where neighbours are those along edges either way, `gts.lists[1]` holds the edges of the other direction. The
// pages of a launch are those of one of both, and stand one after the other from `gts.page_base` on.

// A lane's share of the value of the edge at hand.
template <class Merge> struct gts_edge_share {
    typedef typename Merge::cell cell;
    cell value;
    bool touched;

    __device__ __forceinline__ gts_edge_share() : value(), touched(false) {}

    __device__ __forceinline__ void merge(cell other) {
        value = touched ? Merge::merge(value, other) : other;
        touched = true;
    }

    // Lanes of a warp meet an edge together, so that this is an atomic; one a lane that has met something.
    template <class T>
    __device__ __forceinline__ void flush(T *place) {
        if (touched) {
            Merge::update(place, (T)value);
            touched = false;
        }
    }
};

struct gts_intersect {
    template <class Body>
    static __device__ __forceinline__ void chunk(const gts_common &gts, const gts_page &page, Body &body) {
        u32 lane = threadIdx.x % GTS_WARP;
        u64 begin = (u64)blockIdx.x * GTS_CHUNK + threadIdx.x / GTS_WARP * GTS_SHARE;
        if (begin >= page.entries) {
            return;
        }
        u32 end = min((u32)begin + GTS_SHARE, page.entries);
        u32 slot = page.warp_owner((u32)begin);
        [[maybe_unused]] u64 number = 0;
        if constexpr (Body::updates_edge) {
            number = gts_load(gts.lists[0].first_edges + (u64)(page.data - gts.page_base) / gts.page_bytes);
        }
        // Where no list is met, each lane has an edge of its own.
        u32 index = (u32)begin + (Body::common ? 0 : lane);
        for (; index < end; index += Body::common ? 1 : GTS_WARP) {
            while (page.first_entry(slot + 1) <= index) {
                slot++;
            }
            gts_vertex u = page.start + slot;
            gts_vertex v = page.target(index);
            if (u == v || is_repeated(gts, page, slot, index, v)) {
                continue;
            }
            if (Body::ordered && is_before(gts, v, u)) {
                continue;
            }
            // Edges of the other direction that the first has too were met there.
            bool again = gts.page_base != gts.lists[0].base;
            if (again && gts_whole_list(gts, gts.lists[0], u).names(v)) {
                continue;
            }
            if constexpr (Body::common) {
                if (gts_stopped(gts)) {
                    return;
                }
                edge(gts, body, u, v);
            } else {
                body.meet(u, v, v);
            }
            if constexpr (Body::updates_edge) {
                body.leave_edge(number + index);
            }
        }
    }

    template <class Body>
    static __device__ __forceinline__ void edge(const gts_common &gts, Body &body, gts_vertex u, gts_vertex v) {
        bool both = gts.lists[1].base != nullptr;
        gts_whole_list of_u(gts, gts.lists[0], u);
        gts_whole_list into_u(gts, gts.lists[both ? 1 : 0], u);
        gts_whole_list of_v(gts, gts.lists[0], v);
        u64 length_u = degree(gts, 0, u) + (both ? degree(gts, 1, u) : 0);
        auto wanted = [&](gts_vertex w) { return w != u && w != v && (!Body::ordered || is_before(gts, v, w)); };
        if (degree(gts, 0, v) < length_u) {
            of_v.each([&](gts_vertex w) {
                if (wanted(w) && (of_u.names(w) || (both && into_u.names(w)))) {
                    body.meet(u, v, w);
                }
            });
            return;
        }
        of_u.each([&](gts_vertex w) {
            if (wanted(w) && of_v.names(w)) {
                body.meet(u, v, w);
            }
        });
        if (both) {
            into_u.each([&](gts_vertex w) {
                if (wanted(w) && of_v.names(w) && !of_u.names(w)) {
                    body.meet(u, v, w);
                }
            });
        }
    }

    static __device__ __forceinline__ u64 degree(const gts_common &gts, u32 lists, gts_vertex v) {
        return gts_load(gts.lists[lists].degrees + v);
    }

    // Whether a vertex comes before another one in the order by degree.
    static __device__ __forceinline__ bool is_before(const gts_common &gts, gts_vertex a, gts_vertex b) {
        u64 of_a = degree(gts, 0, a);
        u64 of_b = degree(gts, 0, b);
        return of_a < of_b || (of_a == of_b && a < b);
    }

    // Whether the entry before, in the same list, names the same neighbour; it may stand in the page before.
    static __device__ __forceinline__ bool is_repeated(const gts_common &gts, const gts_page &page, u32 slot, u32 index,
                                                       gts_vertex v) {
        if (index > page.first_entry(slot)) {
            return page.target(index - 1) == v;
        }
        u64 id = (u64)(page.data - gts.page_base) / gts.page_bytes;
        if (index > 0 || id == 0 || gts_load(gts.start_vids + id - 1) != page.start) {
            return false;
        }
        gts_page before = gts_page::numbered(gts_lists{gts.page_base, gts.start_vids, 0, nullptr, nullptr}, gts.page_bytes, id - 1);
        return before.entries > 0 && before.target(before.entries - 1) == v;
    }
};
