// Code shared by loops over steps: positions of entries, reports to the host, and accesses that are coherent between
// blocks.
//
// A loop is one launch whose blocks are all resident at the same time. `steps/arguments.rs` fills the launch's
// arguments.

// The number of steps by which the host may lag behind without missing a report. The report of a step occupies two
// words.
#define GTS_TOLD 16384

// The final state of a loop.
struct gts_loop_end {
    u64 steps;
    // The number of active vertices after the last step.
    u64 active;
    // The total number of edges in all steps.
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

// Returns whether the loop must end early, because the host has requested a stop or a body has reported an error.
__device__ __forceinline__ bool gts_ends(const gts_common &gts) {
    return gts_stopped(gts) || *(volatile const u32 *)&gts.status->error != 0;
}

// Reports step number `step` of the session to the host: the number of active vertices after the step, and the number
// of the step's edges. The upper bits of each word count the uses of the word, so that the host recognises new values.
__device__ __forceinline__ void gts_tell(u64 *told, u64 step, u64 active, u64 edges) {
    u64 round = (step / GTS_TOLD + 1) << 48;
    volatile u64 *words = told + step % GTS_TOLD * 2;
    words[0] = round | active;
    words[1] = round | edges;
}

// The page of an entry, and the entry's index in the page. `place` is the position of a list's first entry: the page
// number in the upper half, the index in the lower half. `index` counts entries from this position.
struct gts_entry_place {
    u64 page;
    u32 index;

    __device__ __forceinline__ gts_entry_place(const gts_common &gts, u64 place, u64 index) {
        u64 behind = (u32)place + index;
        page = place >> 32;
        // Only the list of a large vertex continues on the next page.
        if (behind >= gts.large_page_entries) {
            page += behind / gts.large_page_entries;
            behind %= gts.large_page_entries;
        }
        this->index = (u32)behind;
    }
};
