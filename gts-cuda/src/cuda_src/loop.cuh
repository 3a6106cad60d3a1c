// Shared by loops over steps: places of entries, reports to the host, and accesses that are coherent between blocks.
//
// A loop is one launch whose blocks are all on the device at once. `steps/arguments.rs` fills its arguments.

// Steps that the host may fall behind before it misses one, with two words each: GTS_TOLD.
#define GTS_TOLD 16384

// The end of a loop.
struct gts_loop_end {
    u64 steps;
    // Vertices that are active after the last step.
    u64 active;
    // Edges of all steps.
    u64 edges;
};

__device__ __forceinline__ u32 gts_relaxed(const u32 *place) {
    u32 value;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(place) : "memory");
    return value;
}
__device__ __forceinline__ u64 gts_relaxed(const u64 *place) {
    u64 value;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(value) : "l"(place) : "memory");
    return value;
}
__device__ __forceinline__ void gts_relaxed_store(u64 *place, u64 value) {
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(place), "l"(value) : "memory");
}
__device__ __forceinline__ void gts_prefetch(const void *place) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(place));
}

// Returns whether the loop has to end early: the host requested it, or a body has reported an error.
__device__ __forceinline__ bool gts_ends(const gts_common &gts) {
    return gts_stopped(gts) || *(volatile const u32 *)&gts.status->error != 0;
}

// Reports step number `step` of the session to the host: the vertices that are active after it, and its edges. The
// upper bits of each word count how often the word was used, so that the host recognizes a new value.
__device__ __forceinline__ void gts_tell(u64 *told, u64 step, u64 active, u64 edges) {
    u64 round = (step / GTS_TOLD + 1) << 48;
    volatile u64 *words = told + step % GTS_TOLD * 2;
    words[0] = round | active;
    words[1] = round | edges;
}

// The page of an entry, and its index there. The entry is `index` entries after the first one of a list, whose place
// has the page's number in its upper half and the first entry's index in its lower half.
struct gts_entry_place {
    u64 page;
    u32 index;

    __device__ __forceinline__ gts_entry_place(const gts_common &gts, u64 place, u64 index) {
        u64 behind = (u32)place + index;
        page = place >> 32;
        // Only lists of large vertices continue in the next page.
        if (behind >= gts.large_page_entries) {
            page += behind / gts.large_page_entries;
            behind %= gts.large_page_entries;
        }
        this->index = (u32)behind;
    }
};
