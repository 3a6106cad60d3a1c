// The list of any vertex, found by its number: what intersections ask of the slotted encoding.

// The list of one vertex in pages that stand one after the other: in one page, or in the run of a large vertex.
struct gts_whole_list {
    const gts_lists &lists;
    u64 page_bytes;
    gts_vertex owner;
    u64 first_page;
    u64 num_pages;

    // The part of the list in one of its pages.
    struct part {
        gts_page page;
        u32 begin;
        u32 end;

        // The first entry from `from` on whose neighbour is not below a vertex; the end where all are.
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
    };

    __device__ __forceinline__ gts_whole_list(const gts_common &gts, const gts_lists &lists, gts_vertex owner)
        : lists(lists), page_bytes(gts.page_bytes), owner(owner) {
        u64 begin = pages_before(owner, false);
        u64 end = pages_before(owner, true);
        // Pages that begin with the vertex are its run; where none does, it stands within the last page before.
        first_page = begin < end ? begin : end - 1;
        num_pages = begin < end ? end - begin : 1;
    }

    __device__ __forceinline__ part at(u64 place) const {
        gts_page page = gts_page::numbered(lists, page_bytes, first_page + place);
        u32 slot = (u32)(owner - page.start);
        return part{page, page.first_entry(slot), page.first_entry(slot + 1)};
    }

    // Whether the list names a vertex.
    __device__ __forceinline__ bool names(gts_vertex v) const {
        u64 place = 0;
        // The last page whose first neighbour is not above the vertex.
        for (u64 width = num_pages; width > 1;) {
            u64 half = width / 2;
            part middle = at(place + half);
            bool after = middle.begin == middle.end || middle.page.target(middle.begin) > v;
            place += after ? 0 : half;
            width = after ? half : width - half;
        }
        part found = at(place);
        u32 index = found.seek(found.begin, v);
        return index < found.end && found.page.target(index) == v;
    }

    // Hands each neighbour to one lane of a warp, once.
    template <class Visit>
    __device__ __forceinline__ void each(const Visit &visit) const {
        for (u64 place = 0; place < num_pages; place++) {
            part here = at(place);
            for (u32 index = here.begin + threadIdx.x % GTS_WARP; index < here.end; index += GTS_WARP) {
                gts_vertex neighbour = here.page.target(index);
                if (!is_repeated(here, place, index, neighbour)) {
                    visit(neighbour);
                }
            }
        }
    }

    // Whether the entry before names the same neighbour.
    __device__ __forceinline__ bool is_repeated(const part &here, u64 place, u32 index, gts_vertex neighbour) const {
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
    // How many pages begin before a vertex, or with it or before it.
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
