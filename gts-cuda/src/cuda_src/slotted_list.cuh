// Locates a vertex's list by vertex number. Intersection kernels access slotted pages through this file.

// The list of one vertex in contiguous pages: part of one page, or all pages of a large vertex.
struct gts_whole_list {
    const gts_lists &lists;
    u64 page_bytes;
    gts_vertex owner;
    u64 first_page;
    u32 num_pages;

    // The part of the list in one page.
    struct part {
        gts_page page;
        u32 begin;
        u32 end;

        // Returns the index of the first entry at or after `from` whose neighbour is at least `v`, or `end` if there is
        // none.
        __device__ __forceinline__ u32 seek(u32 from, gts_vertex v) const {
            u32 low = from;
            u32 high = end;
            while (low < high) {
                u32 middle = low + (high - low) / 2;
                if (page.target(middle) < v) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        __device__ __forceinline__ bool names(gts_vertex v) const {
            u32 index = seek(begin, v);
            return index < end && page.target(index) == v;
        }
    };

    __device__ __forceinline__ gts_whole_list(const gts_common &gts, const gts_lists &lists, gts_vertex owner)
        : lists(lists), page_bytes(gts.page_bytes), owner(owner) {
        u64 begin = pages_before(owner, false);
        // If a page begins with the vertex, the list starts on that page. Otherwise, the list is on the page before
        // `begin`.
        bool leads = begin < lists.num_pages && gts_load(lists.start_vids + begin) == owner;
        first_page = leads ? begin : begin - 1;
        bool runs = leads && gts_load(lists.start_vids + begin + 1) == owner;
        num_pages = runs ? (u32)(pages_before(owner, true) - begin) : 1;
    }

    // Creates a list whose pages are known.
    __device__ __forceinline__ gts_whole_list(const gts_common &gts, const gts_lists &lists, gts_vertex owner,
                                              u64 first_page, u32 num_pages)
        : lists(lists), page_bytes(gts.page_bytes), owner(owner), first_page(first_page), num_pages(num_pages) {}

    // Broadcasts the list that lane `lane` has located to all lanes of the warp.
    __device__ __forceinline__ gts_whole_list of_lane(const gts_common &gts, u32 lane) const {
        return gts_whole_list(gts, lists, __shfl_sync(GTS_ALL_LANES, owner, lane),
                              __shfl_sync(GTS_ALL_LANES, first_page, lane),
                              __shfl_sync(GTS_ALL_LANES, num_pages, lane));
    }

    __device__ __forceinline__ part at(u32 place) const {
        gts_page page = gts_page::numbered(lists, page_bytes, first_page + place);
        u32 slot = (u32)(owner - page.start);
        return part{page, page.first_entry(slot), page.first_entry(slot + 1)};
    }

    // Returns whether the list contains a vertex.
    __device__ __forceinline__ bool names(gts_vertex v) const { return at(page_of(v)).names(v); }

    // Returns the list-relative index of the last page whose first neighbour is at most `v`, or 0 if there is no such
    // page.
    __device__ __forceinline__ u32 page_of(gts_vertex v) const {
        u32 place = 0;
        for (u32 width = num_pages; width > 1;) {
            u32 half = width / 2;
            part middle = at(place + half);
            bool after = middle.begin == middle.end || middle.page.target(middle.begin) > v;
            place += after ? 0 : half;
            width = after ? half : width - half;
        }
        return place;
    }

    // Returns whether the list's previous entry has the same neighbour.
    __device__ __forceinline__ bool is_repeated(const part &here, u32 place, u32 index, gts_vertex neighbour) const {
        if (index > here.begin) {
            return here.page.target(index - 1) == neighbour;
        }
        if (place == 0) {
            return false;
        }
        part before = at(place - 1);
        return before.begin < before.end && before.page.target(before.end - 1) == neighbour;
    }

private:
    // Returns the number of pages whose first vertex is below `v`. If `or_with` is set, pages that begin with `v` also
    // count.
    __device__ __forceinline__ u64 pages_before(gts_vertex v, bool or_with) const {
        u64 low = 0;
        u64 high = lists.num_pages;
        while (low < high) {
            u64 middle = low + (high - low) / 2;
            gts_vertex start = gts_load(lists.start_vids + middle);
            if (start < v || (or_with && start == v)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
};
