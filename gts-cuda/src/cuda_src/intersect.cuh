// Kernels that intersect neighbour lists. Each warp processes a share of a page's entries, one source vertex u after
// the other.
//
// A window in shared memory contains candidate neighbours of u. If the candidates do not fit into one window, several
// windows are processed in turn. For each edge from u to v, the window is compared with v's list by one of three
// methods, whichever is cheapest for the two lengths: a search of the list for each neighbour in the window, a walk
// through the list along the window (merge), or a walk through the list with lookups in the window's table (hash). The
// table pays off only if the window is compared with many lists.
//
// If `common` is set, the body runs for each pair of neighbours v and w of u that are connected by an edge; otherwise,
// for each neighbour v. If `ordered` is set, the body runs only if degrees ascend from u to v to w. A body has `meet(u,
// v, w)`. If `updates_edge` is set, the body also has `leave_edge(number)`, which every lane that processes an edge
// calls when the edge is finished. `gts.lists[0]` contains the edges from v to w. If edges count in both directions,
// `gts.lists[1]` contains the opposite direction. The pages of a launch belong to one of the two topologies, and are
// contiguous from `gts.page_base` on.

// Page entries per chunk: the share of a warp, and the total of a block. Chunks are smaller than for other kernels,
// because each edge takes longer.
#define GTS_MEETING_SHARE 128
#define GTS_MEETING_CHUNK (GTS_MEETING_SHARE * (GTS_BLOCK / GTS_WARP))

// Relative costs of the three methods per 32 neighbours: one step of a search, a walk along the window, and a walk with
// table lookups.
#define GTS_SEARCH_COST 2
#define GTS_MERGE_COST 10
#define GTS_HASH_COST 5
// The minimum number of edges from u in a warp's share for which the window is hashed.
#define GTS_HASHED_EDGES 8

// Marks the absence of an entry.
#define GTS_NO_ENTRY 0xffffffffu

// A lane's share of the current edge's value.
template <class Merge> struct gts_edge_share {
    typedef typename Merge::cell cell;
    cell value;
    bool touched;

    __device__ __forceinline__ gts_edge_share() : value(), touched(false) {}

    __device__ __forceinline__ void merge(cell other) {
        value = touched ? Merge::merge(value, other) : other;
        touched = true;
    }

    // Merges the share into the edge's value in memory. If `Together` is set, the lanes of a warp first merge their
    // shares, because atomic updates of one address are serialised.
    template <bool Together, class T>
    __device__ __forceinline__ void flush(T *place) {
        join<Together>();
        if (touched) {
            Merge::update(place, (T)value);
            touched = false;
        }
    }

    // Like `flush`, but for a sum of integers. If GTS_CHECKS_SUMS is defined, reports an error at the site if the
    // element cannot hold the result.
    template <bool Together, u32 Direction, class T>
    __device__ __forceinline__ void flush_checked(const gts_common &gts, const gts_place &at, u32 site, T *place) {
#ifdef GTS_CHECKS_SUMS
        join<Together>();
        if (touched) {
            T old = gts_fetch_add(place, (T)value);
            if ((Direction != GTS_MIXED || GTS_CHECKS_MIXED) && !gts_fits<T>(cell(old) + value)) {
                gts_report(gts, at, site, (i64)old);
            }
            touched = false;
        }
#else
        flush<Together>(place);
#endif
    }

    // Merges the shares of a warp's lanes, if `Together` is set.
    template <bool Together>
    __device__ __forceinline__ void join() {
        if constexpr (Together) {
            u32 lanes = __ballot_sync(GTS_ALL_LANES, touched);
            for (u32 distance = GTS_WARP / 2; distance > 0 && (lanes & (lanes - 1)) != 0; distance /= 2) {
                cell other = gts_from_lane_up(value, distance);
                u32 lane = threadIdx.x % GTS_WARP + distance;
                if (lane < GTS_WARP && (lanes >> lane & 1) != 0) {
                    merge(other);
                }
                // The lanes below `distance` now contain the shares of the lanes above.
                touched = touched && threadIdx.x % GTS_WARP < distance;
                lanes = __ballot_sync(GTS_ALL_LANES, touched);
            }
        }
    }
};

// The edges of one vertex in a page, and the state of the window over the vertex's neighbours.
struct gts_meeting {
    gts_vertex u;
    u32 slot;
    u32 begin;
    u32 end;
    // Whether the page belongs to the second direction. Edges that exist in both directions are visited only in the
    // first.
    bool again;
    // The edge number of the page's first edge. Used only if the body updates edges.
    u64 number;
    // The fraction of the vertex's neighbours that the window covers. `later` is set for all windows except the first.
    f32 covered;
    bool later;
};

struct gts_intersect {
    template <class Body>
    static __device__ __forceinline__ void chunk(const gts_common &gts, const gts_page &page, Body &body) {
        __shared__ gts_vertex values[GTS_BLOCK / GTS_WARP][GTS_WINDOW];
        __shared__ u16 tables[GTS_BLOCK / GTS_WARP][GTS_TABLE];
        u32 warp = threadIdx.x / GTS_WARP;
        u64 begin = (u64)blockIdx.x * GTS_MEETING_CHUNK + warp * GTS_MEETING_SHARE;
        if (begin >= page.entries) {
            return;
        }
        u32 end = min((u32)begin + GTS_MEETING_SHARE, page.entries);
        u64 id = (u64)(page.data - gts.page_base) / gts.page_bytes;
        gts_window window{values[warp], tables[warp], 0, false};
        gts_meeting meeting{};
        meeting.again = gts.page_base != gts.lists[0].base;
        if constexpr (Body::updates_edge) {
            meeting.number = gts_load(gts.lists[0].first_edges + id);
        }
        meeting.slot = page.warp_owner((u32)begin);
        for (u32 index = (u32)begin; index < end; index = meeting.end) {
            while (page.first_entry(meeting.slot + 1) <= index) {
                meeting.slot++;
            }
            meeting.u = page.start + meeting.slot;
            meeting.begin = index;
            meeting.end = min(page.first_entry(meeting.slot + 1), end);
            if constexpr (Body::common) {
                vertex(gts, page, id, body, meeting, window);
            } else {
                neighbours(gts, page, body, meeting);
            }
        }
    }

    // Visits the neighbours v of u in this share, one per lane.
    template <class Body>
    static __device__ __forceinline__ void neighbours(const gts_common &gts, const gts_page &page, Body &body,
                                                      const gts_meeting &meeting) {
        for (u32 index = meeting.begin + threadIdx.x % GTS_WARP; index < meeting.end; index += GTS_WARP) {
            gts_vertex v = page.target(index);
            if (is_met<Body>(gts, page, meeting, index, v)) {
                body.meet(meeting.u, v, v);
                if constexpr (Body::updates_edge) {
                    body.leave_edge(meeting.number + index);
                }
            }
        }
    }

    // Compares a vertex's neighbours, one window at a time, with each neighbour's list.
    template <class Body>
    static __device__ __forceinline__ void vertex(const gts_common &gts, const gts_page &page, u64 id, Body &body,
                                                  gts_meeting &meeting, gts_window &window) {
        gts_vertex u = meeting.u;
        u32 directions = gts.lists[1].base != nullptr ? 2 : 1;
        for (u32 direction = 0; direction < directions; direction++) {
            // A page with several vertices contains the whole list of each vertex.
            bool is_here = page.vertices > 1 && (direction == 1) == meeting.again;
            gts_whole_list own = is_here ? gts_whole_list(gts, gts.lists[direction], u, id, 1)
                                         : gts_whole_list(gts, gts.lists[direction], u);
            gts_whole_list forth = direction == 0 ? own : gts_whole_list(gts, gts.lists[0], u);
            auto wanted = [&](gts_vertex w) {
                return w != u && (!Body::ordered || is_before(gts, u, w)) && (direction == 0 || !forth.names(w));
            };
            f32 of_each = 1.0f / (f32)max(degree(gts, direction, u), (u64)1);
            for (u32 place = 0, entry = 0; place < own.num_pages;) {
                meeting.later = place + entry > 0;
                meeting.covered = of_each * (f32)window.fill(own, place, entry, wanted);
                for (u32 base = meeting.begin; window.length > 0 && base < meeting.end; base += GTS_WARP) {
                    if (__any_sync(GTS_ALL_LANES, gts_stopped(gts))) {
                        return;
                    }
                    edges(gts, page, body, meeting, window, base);
                }
            }
        }
    }

    // Visits up to 32 edges. Each lane locates the list for one edge, then all lanes process the edges one after the
    // other.
    template <class Body>
    static __device__ __forceinline__ void edges(const gts_common &gts, const gts_page &page, Body &body,
                                                 const gts_meeting &meeting, gts_window &window, u32 base) {
        u32 index = base + threadIdx.x % GTS_WARP;
        gts_vertex own = index < meeting.end ? page.target(index) : meeting.u;
        bool met = index < meeting.end && is_met<Body>(gts, page, meeting, index, own);
        gts_whole_list list(gts, gts.lists[0], met ? own : meeting.u);
        u32 length = (u32)degree(gts, 0, own);
        u32 from_page = 0;
        u32 from = 0;
        if (met && length > 0) {
            from_page = meeting.later ? list.page_of(window.values[0]) : 0;
            gts_whole_list::part part = list.at(from_page);
            from = meeting.later ? part.seek(part.begin, window.values[0]) : part.begin;
        }
        for (u32 left = __ballot_sync(GTS_ALL_LANES, met && length > 0); left != 0; left &= left - 1) {
            u32 lane = __ffs(left) - 1;
            gts_vertex v = __shfl_sync(GTS_ALL_LANES, own, lane);
            gts_whole_list of_v = list.of_lane(gts, lane);
            auto found = [&](gts_vertex w) {
                if (w != v && (!Body::ordered || is_before(gts, v, w))) {
                    body.meet(meeting.u, v, w);
                }
            };
            u32 entries = __shfl_sync(GTS_ALL_LANES, length, lane);
            u32 page_at = __shfl_sync(GTS_ALL_LANES, from_page, lane);
            u32 entry_at = __shfl_sync(GTS_ALL_LANES, from, lane);
            bool hashes = window.hashed || meeting.end - meeting.begin >= GTS_HASHED_EDGES;
            f32 walked = (f32)entries * min(meeting.covered, 1.0f) + (f32)GTS_WARP;
            f32 searched = (f32)(window.length + GTS_WARP) * (f32)(32 - __clz(entries));
            if (searched * GTS_SEARCH_COST < walked * (hashes ? GTS_HASH_COST : GTS_MERGE_COST)) {
                search(of_v, window, found);
            } else {
                if (hashes && !window.hashed) {
                    window.hash();
                }
                walk(of_v, window, page_at, entry_at, found);
            }
            if constexpr (Body::updates_edge) {
                body.leave_edge(meeting.number + base + lane);
            }
        }
    }

    // Searches a list for every neighbour in the window.
    template <class Found>
    static __device__ __forceinline__ void search(const gts_whole_list &list, const gts_window &window,
                                                  const Found &found) {
        u32 lane = threadIdx.x % GTS_WARP;
        if (list.num_pages == 1) {
            gts_whole_list::part only = list.at(0);
            for (u32 index = lane; index < window.length; index += GTS_WARP) {
                if (only.names(window.values[index])) {
                    found(window.values[index]);
                }
            }
            return;
        }
        for (u32 index = lane; index < window.length; index += GTS_WARP) {
            if (list.names(window.values[index])) {
                found(window.values[index]);
            }
        }
    }

    // Walks a list from entry `from` of its page `place` up to the last neighbour in the window. No earlier entry of
    // that page has the same neighbour as entry `from`.
    template <class Found>
    static __device__ __forceinline__ void walk(const gts_whole_list &list, const gts_window &window, u32 place, u32 from,
                                                const Found &found) {
        gts_vertex last = window.last();
        // Entry `from` counts even if the skipped page before it ends with the same neighbour.
        u32 fresh = from;
        // The window index of the current neighbour. The index never decreases, because the list and the window are
        // sorted.
        u32 along = 0;
        for (; place < list.num_pages; place++) {
            gts_whole_list::part here = list.at(place);
            for (u32 base = max(from, here.begin); base < here.end; base += GTS_WARP) {
                u32 index = base + threadIdx.x % GTS_WARP;
                u32 count = min(here.end - base, (u32)GTS_WARP);
                gts_vertex w = index < here.end ? here.page.target(index) : last;
                bool is_known;
                if (window.hashed) {
                    is_known = window.has(w);
                } else {
                    u32 at = window.advance(along, w);
                    is_known = at < window.length && window.values[at] == w;
                    along = __shfl_sync(GTS_ALL_LANES, at, count - 1);
                }
                if (index < here.end && is_known && (index == fresh || !list.is_repeated(here, place, index, w))) {
                    found(w);
                }
                if (__any_sync(GTS_ALL_LANES, w > last)) {
                    return;
                }
            }
            from = 0;
            fresh = GTS_NO_ENTRY;
        }
    }

    // Returns whether an entry's edge is visited. Loops, repeated edges, edges that contradict the order, and edges
    // visited in the first direction are skipped.
    template <class Body>
    static __device__ __forceinline__ bool is_met(const gts_common &gts, const gts_page &page, const gts_meeting &meeting,
                                                  u32 index, gts_vertex v) {
        if (meeting.u == v || is_repeated(gts, page, meeting.slot, index, v)) {
            return false;
        }
        if (Body::ordered && is_before(gts, v, meeting.u)) {
            return false;
        }
        return !meeting.again || !gts_whole_list(gts, gts.lists[0], meeting.u).names(v);
    }

    static __device__ __forceinline__ u64 degree(const gts_common &gts, u32 lists, gts_vertex v) {
        return gts_load(gts.lists[lists].degrees + v);
    }

    // Returns whether `a` precedes `b` in ascending order of degree, with ties broken by vertex number.
    static __device__ __forceinline__ bool is_before(const gts_common &gts, gts_vertex a, gts_vertex b) {
        u64 of_a = degree(gts, 0, a);
        u64 of_b = degree(gts, 0, b);
        return of_a < of_b || (of_a == of_b && a < b);
    }

    // Returns whether the previous entry of the same list has the same neighbour. The previous entry may be on the
    // previous page.
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

// Starts with the first pages: if vertices are ordered by degree, these pages contain the longest lists.
template <class Body>
constexpr gts_page_order gts_order_of<gts_intersect, Body> = gts_first_to_last;
