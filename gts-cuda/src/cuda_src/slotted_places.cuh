// Stores the position of each vertex's list: the page number in the upper half of a word, and the index of the first
// entry in the lower half. Each block processes one page at a time.
extern "C" __global__ void __launch_bounds__(GTS_BLOCK)
    gts_find_places(const __grid_constant__ gts_lists lists, u64 page_bytes, u64 *places) {
    for (u64 number = blockIdx.x; number < lists.num_pages; number += gridDim.x) {
        gts_page page = gts_page::numbered(lists, page_bytes, number);
        // The list of a large vertex begins on the vertex's first page.
        if (number > 0 && gts_load(lists.start_vids + number - 1) == page.start) {
            continue;
        }
        for (u32 slot = threadIdx.x; slot < page.vertices; slot += GTS_BLOCK) {
            places[(u64)page.start + slot] = number << 32 | page.first_entry(slot);
        }
    }
}
