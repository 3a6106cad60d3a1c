// Slotted pages on the device. No other part of a program depends on the layout of slots and record IDs.
//
// GTS_P and GTS_Q are the sizes in bytes of a record ID's page number and slot number. GTS_VALUE is the type of the
// edge values, if the kernel reads edge values. GTS_VALUE_DEFAULT replaces every value if the pages contain no values.
// A page begins with its first vertex (u64), its number of vertices (u32) and its number of entries (u32). The entries
// follow, then one value per entry. The slots grow backward from the end of the page. The slots contain the index of
// each vertex's first entry, and the end of the last list.

#ifdef GTS_VALUE
typedef GTS_VALUE gts_edge_value;
#else
struct gts_edge_value {};
#endif

#define GTS_HEADER_BYTES 16
#define GTS_ENTRY_BYTES (GTS_P + GTS_Q)

struct gts_page {
    const u8 *data;
    // The end of the page. Slot 0 is the last word before the end, slot 1 is the word before slot 0, and so on.
    const u32 *slots_end;
    const gts_vertex *start_vids;
    gts_vertex start;
    u32 vertices;
    u32 entries;
    u64 id;
#if defined(GTS_VALUE) && !defined(GTS_VALUE_DEFAULT)
    const gts_edge_value *values;
#endif

    __device__ __forceinline__ gts_page(const gts_common &gts, const gts_page_ref &ref) {
        place(gts.page_base + ref.offset, gts.page_bytes, gts.start_vids, ref.id);
        read_header();
    }

    // Returns page `number` of a topology with contiguous pages.
    static __device__ __forceinline__ gts_page numbered(const gts_lists &lists, u64 page_bytes, u64 number) {
        gts_page page;
        page.place(lists.base + number * page_bytes, page_bytes, lists.start_vids, number);
        page.read_header();
        return page;
    }

    // Returns the address of entry `index` on page `number`, in a topology with contiguous pages.
    static __device__ __forceinline__ const u8 *entry_address(const gts_lists &lists, u64 page_bytes, u64 number,
                                                              u32 index) {
        return lists.base + number * page_bytes + GTS_HEADER_BYTES + (u64)index * GTS_ENTRY_BYTES;
    }

    // Returns a page after reading only the necessary bytes. The number of entries is read only if it determines where
    // the values begin.
    static __device__ __forceinline__ gts_page in_place(const gts_common &gts, const gts_page_ref &ref) {
        gts_page page;
        page.place(gts.page_base + ref.offset, gts.page_bytes, gts.start_vids, ref.id);
        page.start = gts_load(gts.start_vids + ref.id);
        page.vertices = (u32)(gts_load(gts.start_vids + ref.id + 1) - page.start);
#if defined(GTS_VALUE) && !defined(GTS_VALUE_DEFAULT)
        page.entries = gts_load((const u32 *)page.data + 3);
        page.find_values();
#endif
        return page;
    }

    // Returns the index of the first entry in slot `slot`'s list, or the end of the last list if `slot == vertices`.
    __device__ __forceinline__ u32 first_entry(u32 slot) const { return gts_load(slots_end - 1 - slot); }

    // Returns the number of entries that precede an entry in its 128-byte line, or 0 if the entry size does not divide
    // 128.
    __device__ __forceinline__ u32 into_line(u32 index) const {
        return 128 % GTS_ENTRY_BYTES == 0
                   ? (u32)((GTS_HEADER_BYTES + (u64)index * GTS_ENTRY_BYTES) % 128 / GTS_ENTRY_BYTES)
                   : 0;
    }

    // Returns a record ID, read with the widest loads that the entry size allows.
    __device__ __forceinline__ u64 record(u32 index) const {
        const u8 *place = data + GTS_HEADER_BYTES + (u64)index * GTS_ENTRY_BYTES;
#if GTS_ENTRY_BYTES == 8
        return gts_load((const u64 *)place);
#elif GTS_ENTRY_BYTES == 4
        return gts_load((const u32 *)place);
#elif GTS_ENTRY_BYTES == 6
        const u16 *halves = (const u16 *)place;
        return gts_load(halves) | (u64)gts_load(halves + 1) << 16 | (u64)gts_load(halves + 2) << 32;
#elif GTS_ENTRY_BYTES == 2
        return gts_load((const u16 *)place);
#else
        u64 record = 0;
#pragma unroll
        for (u32 byte = 0; byte < GTS_ENTRY_BYTES; byte++) {
            record |= (u64)gts_load(place + byte) << (8 * byte);
        }
        return record;
#endif
    }

    // Returns the neighbour of an entry.
    __device__ __forceinline__ gts_vertex target(u32 index) const {
        u64 id = record(index);
        u64 page = id & ((1ull << (8 * GTS_P)) - 1);
        return gts_load(start_vids + page) + (gts_vertex)(id >> (8 * GTS_P));
    }

    __device__ __forceinline__ gts_edge_value value(u32 index) const {
#if !defined(GTS_VALUE)
        return gts_edge_value();
#elif defined(GTS_VALUE_DEFAULT)
        return GTS_VALUE_DEFAULT;
#else
        return gts_load(values + index);
#endif
    }

#ifdef GTS_POSITIONS
    // Returns the number of a large vertex's entries on the pages before this page. All pages of the vertex begin with
    // the vertex, and no other page does.
    __device__ __forceinline__ u64 entries_before(const gts_common &gts) const {
        u64 low = 0;
        for (u64 high = id; low < high;) {
            u64 middle = (low + high) / 2;
            if (gts_load(start_vids + middle) < start) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return (id - low) * gts.large_page_entries;
    }
#endif

    // Returns the slot that owns an entry: the last slot whose list begins at or before the entry. All lanes of a warp
    // search together, 32 slots per round.
    __device__ __forceinline__ u32 warp_owner(u32 index) const {
        u32 lane = threadIdx.x % GTS_WARP;
        u32 low = 0;
        u32 width = vertices;
        while (width > 1) {
            u32 stride = (width + GTS_WARP - 1) / GTS_WARP;
            u32 probe = lane * stride;
            bool before = probe < width && first_entry(low + probe) <= index;
            u32 last = 31 - __clz(__ballot_sync(GTS_ALL_LANES, before) | 1u);
            low += last * stride;
            width = min(stride, width - last * stride);
        }
        return low;
    }

private:
    __device__ __forceinline__ gts_page() {}

    __device__ __forceinline__ void place(const u8 *begin, u64 bytes, const gts_vertex *first_vertices, u64 number) {
        data = begin;
        slots_end = (const u32 *)(begin + bytes);
        start_vids = first_vertices;
        id = number;
    }

    __device__ __forceinline__ void read_header() {
        start = (gts_vertex)gts_load((const u64 *)data);
        vertices = gts_load((const u32 *)data + 2);
        entries = gts_load((const u32 *)data + 3);
        find_values();
    }

    // Locates the values, which follow the entries and are aligned to their width.
    __device__ __forceinline__ void find_values() {
#if defined(GTS_VALUE) && !defined(GTS_VALUE_DEFAULT)
        u64 end = GTS_HEADER_BYTES + (u64)entries * GTS_ENTRY_BYTES;
        u64 width = sizeof(gts_edge_value);
        values = (const gts_edge_value *)(data + (end + width - 1) / width * width);
#endif
    }
};
