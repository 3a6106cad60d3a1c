// The search for a pattern: depth first, with a warp for each part of it.
//
// A warp's stack is in the registers of its lanes. Lane l holds level l: the vertex that was chosen there, the list
// that is walked, and the position in the list. There are no lists of candidates. Up to 32 neighbours are tested at
// once, one per lane. Those that pass are descended into one after the other; those of the last level are counted or
// listed. If the memory for rows is full, a warp saves its registers, and continues in the next launch.
//
// Work is divided into units: a range of the entries of all lists, or a level and the rest of its list. When half of
// the warps are out of work, the others leave the rest of their work as units, cut into pieces, and the host launches
// the next round over these units. Vertices are places in the order by label and degree.

// Entries per unit of the first round: GTS_SEARCH_CHUNK of `matching.rs`.
#define GTS_SEARCH_CHUNK 256ull
// Batches of up to 32 neighbours between two checks whether to stop, and before a warp leaves its work to others.
#define GTS_SEARCH_TICKS 16u
#define GTS_SEARCH_LEAST 64u
// Maximum number of pieces into which the rest of a level is cut.
#define GTS_SEARCH_PIECES 32u
// Blocks per multiprocessor, so that all warps of a launch run at once; defined in `matching.rs`, too.
#define GTS_SEARCH_BLOCKS 4

// Requirements of a level on its vertex: `LevelArguments`. A set has a bit per earlier level.
struct gts_search_level {
    u32 adjacent;
    u32 apart;
    u32 below;
    u32 distinct;
    u32 least_degree;
    // The first place with the label, and the end of the places with it; the end is all ones if any label matches.
    u32 first;
    u32 behind;
};

// State that all warps share: `Control`.
struct gts_search_control {
    u64 next;
    u64 found;
    u64 left;
    u32 overflow;
    u32 idle;
    // The number of warps that may leave work to others; 0 until they have to.
    u32 split;
    u32 unused;
    // Rows of the listing that warps have reserved, and the rows before the first reservation that found no room.
    u64 rows;
    u64 listed;
};

// `SearchArguments`.
struct gts_search_arguments {
    const u64 *starts;
    const u32 *neighbours;
    const u32 *before;
    gts_search_control *control;
    const gts_status *status;
    // The units of the round; null in the first one, whose units are equal parts of all entries.
    const u32 *units;
    u64 num_units;
    // Units for the next round.
    u32 *left;
    u64 room;
    // The listing, with a row per match that contains the places of the levels; and the states that warps save,
    // `GTS_SEARCH_SAVED` words each.
    u32 *rows;
    u64 room_of_rows;
    u32 *saved;
    u64 num_vertices;
    u32 num_levels;
    u32 by_length;
    gts_search_level levels[GTS_WARP];
};

// A unit: its level, the beginning and end of the part of its list, and the vertices of the levels before. At level 0:
// the beginning and end among all entries, in halves.
#define GTS_SEARCH_STRIDE(levels) ((levels) + 3)

// The state that a warp saves: a status, the first level that it walks, the entries of lists that follow, and six
// registers per lane. The status is 0 at first, GTS_SEARCH_WAITS before the next launch, and GTS_SEARCH_ENDED after the
// warp's last work of a round.
#define GTS_SEARCH_SAVED (6u * GTS_WARP + 6u)
#define GTS_SEARCH_WAITS 1u
#define GTS_SEARCH_ENDED 2u

