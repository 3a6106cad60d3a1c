// Traversals that pull. Pages belong to the opposite topology: a page's own vertices are the receivers (dst), and its
// entries are the sources that may reach them (src). As in a push, the body runs for edges with an active source.
//
// A body has the flag `guarded` (whether the body begins with a condition on dst alone) and the function `wants(dst)`,
// which evaluates the condition. Once the condition is false, no edge changes dst any more. Receivers with a false
// condition are skipped, and the rest of a list is skipped as soon as an edge makes the condition false.

// Processes an entry of a receiver's list. Returns whether the rest of the list can be skipped.
template <class Body>
__device__ __forceinline__ bool gts_receive(const gts_common &gts, const gts_page &page, Body &body, gts_vertex dst,
                                            u32 index) {
    gts_vertex src = page.target(index);
    typename Body::source source;
    if (!gts_is_active(gts, src) || !body.begin(src, source)) {
        return false;
    }
    body.edge(source, src, dst, page.value(index));
    return Body::guarded && !body.wants(dst);
}

// The lanes of a virtual warp share a receiver.
template <u32 Lanes>
struct gts_pull_by_vertex {
    template <class Body>
    static __device__ __forceinline__ void chunk(const gts_common &gts, const gts_page &page, Body &body) {
        // The number of lanes in this warp that share a receiver, and the mask of the lanes that share this lane's
        // receiver.
        constexpr u32 near = Lanes < GTS_WARP ? Lanes : GTS_WARP;
        u32 group = (GTS_ALL_LANES >> (GTS_WARP - near)) << (threadIdx.x % GTS_WARP / near * near);
        // The lanes of a warp stay together, because they vote in each iteration.
        for (gts_warp_slots<Lanes> slots(gts, page); slots.base < slots.end; slots.next()) {
            u32 slot = slots.slot();
            gts_vertex dst = page.start + slot;
            u32 index = 0;
            u32 last = 0;
            if (slot < slots.end && body.wants(dst)) {
                index = page.first_entry(slot) + threadIdx.x % Lanes;
                last = page.first_entry(slot + 1);
            }
            while (__any_sync(GTS_ALL_LANES, index < last)) {
                bool done = index < last && gts_receive(gts, page, body, dst, index);
                // Votes do not cross warps: another warp's progress on the receiver is visible only in the receiver's
                // values.
                if (Lanes > GTS_WARP && Body::guarded && index < last) {
                    done |= !body.wants(dst);
                }
                index += Lanes;
                if (Body::guarded && (__ballot_sync(GTS_ALL_LANES, done) & group) != 0) {
                    index = last;
                }
            }
        }
    }
};

// Uses one thread per receiver, without votes.
template <>
struct gts_pull_by_vertex<1> {
    template <class Body>
    static __device__ __forceinline__ void chunk(const gts_common &gts, const gts_page &page, Body &body) {
        for (gts_warp_slots<1> slots(gts, page); slots.slot() < slots.end; slots.next()) {
            u32 slot = slots.slot();
            gts_vertex dst = page.start + slot;
            if (!body.wants(dst)) {
                continue;
            }
            u32 last = page.first_entry(slot + 1);
            for (u32 index = page.first_entry(slot); index < last; index++) {
                if (gts_receive(gts, page, body, dst, index)) {
                    break;
                }
            }
        }
    }
};

// Each warp processes an equal share of the page's entries, as in traversals that push. A share is skipped if `wants`
// is false for all of its receivers.
struct gts_pull_balanced {
    template <class Body>
    static __device__ __forceinline__ void chunk(const gts_common &gts, const gts_page &page, Body &body) {
        u32 lane = threadIdx.x % GTS_WARP;
        u64 begin = (u64)blockIdx.x * GTS_CHUNK + threadIdx.x / GTS_WARP * GTS_SHARE;
        if (begin >= page.entries) {
            return;
        }
        u32 end = min((u32)begin + GTS_SHARE, page.entries);
        u32 first = page.warp_owner((u32)begin);
        if (Body::guarded && !any_wants(page, body, first, page.warp_owner(end - 1))) {
            return;
        }
        for (u32 from = (u32)begin; from < end; from += GTS_WARP) {
            u32 index = min(from + lane, end - 1);
            u32 slot = gts_balanced::owner(page, first, index, min(from + GTS_WARP, end) - 1);
            first = __shfl_sync(GTS_ALL_LANES, slot, GTS_WARP - 1);
            gts_vertex dst = page.start + slot;
            if (from + lane < end && body.wants(dst)) {
                gts_receive(gts, page, body, dst, index);
            }
        }
    }

    // Returns whether `wants` is true for any vertex in slots `first` to `last`. All lanes of a warp must call this
    // function.
    template <class Body>
    static __device__ __forceinline__ bool any_wants(const gts_page &page, Body &body, u32 first, u32 last) {
        for (u32 base = first; base <= last; base += GTS_WARP) {
            u32 slot = base + threadIdx.x % GTS_WARP;
            if (__any_sync(GTS_ALL_LANES, slot <= last && body.wants(page.start + slot))) {
                return true;
            }
        }
        return false;
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
        for (u64 index = begin + threadIdx.x; index < end && body.wants(page.start); index += GTS_BLOCK) {
            gts_receive(gts, page, body, page.start, (u32)index);
        }
    }
};
