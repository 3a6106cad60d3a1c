// A warp's window: neighbours of one vertex in shared memory, for comparison with other lists.

// The capacity of a window in neighbours, and the size of the window's table in slots. The table is at most half full.
#define GTS_WINDOW ((u32)(2048 / sizeof(gts_vertex)))
#define GTS_TABLE 1024u
#define GTS_NO_PLACE 0xffffu

struct gts_window {
    // Distinct neighbours in ascending order.
    gts_vertex *values;
    // A hash table of indices into `values`. Valid only if `hashed` is set.
    u16 *table;
    u32 length;
    bool hashed;

    // Fills the window with the neighbours that `wanted` accepts, from entry `entry` of the list's page `page` on,
    // until the window is full. Moves `page` and `entry` past the examined entries. Returns the number of examined
    // entries. All lanes must call this function.
    template <class Wanted>
    __device__ __forceinline__ u32 fill(const gts_whole_list &list, u32 &page, u32 &entry, const Wanted &wanted) {
        u32 lane = threadIdx.x % GTS_WARP;
        u32 seen = 0;
        // Other lanes may still be reading the previous window.
        __syncwarp();
        length = 0;
        hashed = false;
        for (; page < list.num_pages && has_room(); page++, entry = 0) {
            gts_whole_list::part here = list.at(page);
            for (; here.begin + entry < here.end; entry += GTS_WARP) {
                if (!has_room()) {
                    __syncwarp();
                    return seen;
                }
                u32 index = here.begin + entry + lane;
                bool taken = index < here.end;
                gts_vertex w = taken ? here.page.target(index) : 0;
                taken = taken && !list.is_repeated(here, page, index, w) && wanted(w);
                u32 votes = __ballot_sync(GTS_ALL_LANES, taken);
                if (taken) {
                    values[length + __popc(votes & ((1u << lane) - 1))] = w;
                }
                length += __popc(votes);
                seen += min((u32)GTS_WARP, here.end - here.begin - entry);
            }
        }
        __syncwarp();
        return seen;
    }

    // Builds the table from the window's neighbours. All lanes must call this function.
    __device__ __forceinline__ void hash() {
        u32 lane = threadIdx.x % GTS_WARP;
        for (u32 place = lane; place < GTS_TABLE; place += GTS_WARP) {
            table[place] = GTS_NO_PLACE;
        }
        __syncwarp();
        for (u32 base = 0; base < length; base += GTS_WARP) {
            u32 index = base + lane;
            bool waits = index < length;
            u32 place = waits ? first_place(values[index]) : 0;
            // If several lanes claim the same slot, the last write wins, and the other lanes try the next slot.
            while (__any_sync(GTS_ALL_LANES, waits)) {
                if (waits && table[place] == GTS_NO_PLACE) {
                    table[place] = (u16)index;
                }
                __syncwarp();
                waits = waits && table[place] != index;
                place = waits ? (place + 1) % GTS_TABLE : place;
                __syncwarp();
            }
        }
        hashed = true;
    }

    // Returns whether a vertex is in the table.
    __device__ __forceinline__ bool has(gts_vertex w) const {
        for (u32 place = first_place(w);; place = (place + 1) % GTS_TABLE) {
            u32 index = table[place];
            if (index == GTS_NO_PLACE) {
                return false;
            }
            if (values[index] == w) {
                return true;
            }
        }
    }

    // Returns the index of the first neighbour at or after `from` that is at least `w`, or `length` if there is none.
    // The search is fastest if the result is near `from`.
    __device__ __forceinline__ u32 advance(u32 from, gts_vertex w) const {
        u32 low = from;
        u32 step = 1;
        while (low + step <= length && values[low + step - 1] < w) {
            low += step;
            step *= 2;
        }
        u32 high = min(low + step - 1, length);
        while (low < high) {
            u32 middle = low + (high - low) / 2;
            if (values[middle] < w) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    __device__ __forceinline__ gts_vertex last() const { return values[length - 1]; }

private:
    __device__ __forceinline__ bool has_room() const { return length + GTS_WARP <= GTS_WINDOW; }

    static __device__ __forceinline__ u32 first_place(gts_vertex w) {
        return ((u32)(w ^ (u64)w >> 32) * 2654435769u) >> 22;
    }
};
static_assert(GTS_TABLE == 1u << (32 - 22), "a hash is a place of the table");
