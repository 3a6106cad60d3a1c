// The search for a pattern: depth first, a warp for each part of it.
//
// A warp's stack lies in the registers of its lanes: lane l holds level l, that is the vertex that was chosen there, the
// list that is walked and how far. There are no lists of candidates. Up to 32 neighbours are tested at a time, each by a lane;
// those that pass are descended into one after the other, those of the last level are counted, or listed. When the memory for
// rows is full, a warp saves its registers, and goes on in the next launch.
//
// Work comes in units: a range of all entries of lists, or a level and the part of its list that is left. When half of the
// warps have found nothing more to do, the others leave what they have left as units, cut into pieces, and the host
// launches the next round over those. Vertices are places in the order by label and degree.

// Entries of lists that make a unit of the first round: GTS_SEARCH_CHUNK of `matching.rs`.
#define GTS_SEARCH_CHUNK 256ull
// Batches of up to 32 neighbours between two looks at whether to stop, and before a warp leaves its work to others.
#define GTS_SEARCH_TICKS 16u
#define GTS_SEARCH_LEAST 64u
// The most pieces of what is left of a level.
#define GTS_SEARCH_PIECES 32u
// Blocks that a multiprocessor holds at a time, so that all warps of a launch are under way: of `matching.rs`, too.
#define GTS_SEARCH_BLOCKS 4

// What a level asks of a vertex: `LevelArguments`. Sets of earlier levels have a bit each.
struct gts_search_level {
    u32 adjacent;
    u32 apart;
    u32 below;
    u32 distinct;
    u32 least_degree;
    // The first place with the label, and the one behind the last; all ones where any will do.
    u32 first;
    u32 behind;
};

// What all warps share: `Control`.
struct gts_search_control {
    u64 next;
    u64 found;
    u64 left;
    u32 overflow;
    u32 idle;
    // The number of warps that may leave work to others; 0 until they have to.
    u32 split;
    u32 unused;
    // Rows of the listing that warps have asked for; those before the first that found no room.
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
    // Where units for the next round go.
    u32 *left;
    u64 room;
    // The listing: places of the levels, a row a match; and what warps save, `GTS_SEARCH_SAVED` words each.
    u32 *rows;
    u64 room_of_rows;
    u32 *saved;
    u64 num_vertices;
    u32 num_levels;
    u32 by_length;
    gts_search_level levels[GTS_WARP];
};

// A unit: its level, the beginning and end of the part of its list, and the vertices of the levels before. At level 0 the
// beginning and end among all entries, by halves.
#define GTS_SEARCH_STRIDE(levels) ((levels) + 3)

// What a warp saves: its state, the first level that it walks, the entries of lists behind that, and six registers a lane. It
// begins with nothing, waits for the next launch, or has ended this round.
#define GTS_SEARCH_SAVED (6u * GTS_WARP + 6u)
#define GTS_SEARCH_WAITS 1u
#define GTS_SEARCH_ENDED 2u

