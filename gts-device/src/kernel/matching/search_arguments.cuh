// A depth-first search for a pattern. Each warp searches one part at a time.
//
// The registers of a warp's lanes hold the warp's stack. Lane l holds level l: the chosen vertex, the list to walk, and
// the index in the list. There are no lists of candidates. The warp tests up to 32 neighbours in parallel, one per
// lane. The warp then descends into the neighbours that pass, one after the other. At the last level, the warp instead
// counts or lists the neighbours that pass. If the memory for rows is full, a warp saves its registers, and continues
// in the next launch.
//
// A unit of work is a range of the entries of all lists, or a range of the list that a level walks. When half of the
// warps are out of work, the other warps divide their remaining work into new units. The host then launches the next
// round over these units. Vertices are numbered by label, then by degree.

// Entries per unit of the first round, as in `matching.rs`.
#define GTS_SEARCH_CHUNK 256ull
// Number of batches of up to 32 neighbours between two checks of the shared state (GTS_SEARCH_TICKS), and before a warp
// may leave its work as units (GTS_SEARCH_LEAST).
#define GTS_SEARCH_TICKS 16u
#define GTS_SEARCH_LEAST 64u
// Maximum number of units into which the rest of a level is divided.
#define GTS_SEARCH_PIECES 32u
// Blocks per multiprocessor for which all warps of a launch run concurrently. `matching.rs` defines the same number.
#define GTS_SEARCH_BLOCKS 4

// A level's conditions on its vertex, laid out as `LevelArguments`. A set has a bit per earlier level.
struct gts_search_level {
    u32 adjacent;
    u32 apart;
    u32 below;
    u32 distinct;
    u32 least_degree;
    // The first vertex with the required label, and the end of these vertices. If any label matches, `behind` is all
    // ones.
    u32 first;
    u32 behind;
};

// State that all warps share, laid out as `Control`.
struct gts_search_control {
    u64 next;
    u64 found;
    u64 left;
    u32 overflow;
    u32 idle;
    // The number of warps that must leave their work as units. While no warp must do so, 0.
    u32 split;
    u32 unused;
    // The number of rows that warps have reserved, and the number of rows before the first reservation that exceeded
    // the room.
    u64 rows;
    u64 listed;
};

// The kernel's arguments, laid out as `SearchArguments`.
struct gts_search_arguments {
    const u64 *starts;
    const u32 *neighbours;
    const u32 *before;
    gts_search_control *control;
    const gts_status *status;
    // The units of the round. Null in the first round, whose units are equal parts of all entries.
    const u32 *units;
    u64 num_units;
    // Units for the next round.
    u32 *left;
    u64 room;
    // The listing, with a row per match that contains a vertex per level.
    u32 *rows;
    u64 room_of_rows;
    // The states that warps save, `GTS_SEARCH_SAVED` words each.
    u32 *saved;
    u64 num_vertices;
    u32 num_levels;
    u32 by_length;
    gts_search_level levels[GTS_WARP];
};

// The words of a unit: the level, the range in the list that the level walks, and the vertices of the earlier levels. A
// unit of level 0 contains a range of all entries, as two 64-bit numbers.
#define GTS_SEARCH_STRIDE(levels) ((levels) + 3)

// The words of a warp's saved state: a status, the lowest level of the current walk, the range of remaining entries,
// and six registers per lane. The status is initially 0. The status is GTS_SEARCH_WAITS if the warp continues in the
// next launch, and GTS_SEARCH_ENDED if the warp has no more work in the round.
#define GTS_SEARCH_SAVED (6u * GTS_WARP + 6u)
#define GTS_SEARCH_WAITS 1u
#define GTS_SEARCH_ENDED 2u

