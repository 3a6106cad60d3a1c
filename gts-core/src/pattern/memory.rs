//! Computes the memory of a pattern search. The search needs lists of neighbours, and no memory that grows with the
//! number of matches. A listing also needs memory for its rows.

/// Maximum number of warps that search concurrently.
pub const MOST_WARPS: u64 = 1 << 13;

/// The number of words in which a warp saves its search while the host collects the listed rows: six per lane, plus
/// six.
pub const SAVED_WORDS: u64 = 6 * 32 + 6;

/// Bytes of device memory for the rows of a listing. When this memory is full, the host collects the rows.
const ROWS_BYTES: u64 = 64 << 20;

/// Returns the bytes of host memory needed for a search with `threads` threads: 4 per neighbour, 20 per vertex, and 1
/// per vertex and thread. A search that only uses smaller neighbours has half the neighbours.
pub const fn host_bytes(vertices: u64, neighbours: u64, threads: u64) -> u64 {
    lists_bytes(vertices, neighbours) + 8 * vertices + threads * vertices
}

/// Returns the bytes of the lists: 4 per neighbour, and 12 per vertex.
const fn lists_bytes(vertices: u64, neighbours: u64) -> u64 {
    4 * neighbours + 8 * (vertices + 1) + 4 * vertices
}

/// Returns the bytes of device memory needed for a search with `warps` warps and a pattern of `levels` vertices: the
/// lists, and space for the work that warps share.
pub const fn device_bytes(vertices: u64, neighbours: u64, levels: u64, warps: u64) -> u64 {
    lists_bytes(vertices, neighbours) + 2 * 4 * unit_words(levels) * units_left(levels, warps)
}

/// Returns the bytes of host memory needed for a listing of `rows` matches with `levels` vertices. A match needs 4
/// bytes per vertex for the search result, 8 bytes per vertex for the original IDs, and 8 bytes for its position in the
/// order.
pub const fn listing_host_bytes(levels: u64, rows: u64) -> u64 {
    rows.saturating_mul(12 * levels + 8)
}

/// Returns the bytes of device memory that a listing of `rows` matches needs in addition to the search: space for some
/// of the rows, and for the state that `warps` warps save while the host collects rows.
pub const fn listing_device_bytes(levels: u64, rows: u64, warps: u64) -> u64 {
    4 * levels * rows_at_a_time(levels, rows) + 4 * SAVED_WORDS * warps
}

/// Returns the number of rows that fit on a device together, if `rows` rows are to be listed: at least 32, because a
/// warp finds 32 rows at once.
pub const fn rows_at_a_time(levels: u64, rows: u64) -> u64 {
    let room = ROWS_BYTES / (4 * levels);
    let wanted = if rows < room { rows } else { room };
    if wanted < 32 { 32 } else { wanted }
}

/// Returns the maximum number of work units that `warps` warps share with other warps. At most half of the warps share
/// work at the same time. Each may divide each level into eight pieces, and also shares the list entries that it has
/// not begun.
pub const fn units_left(levels: u64, warps: u64) -> u64 {
    warps * (4 * levels + 1)
}

/// Returns the number of words per work unit: its level, its start and end in a list, and the vertices of the earlier
/// levels.
pub const fn unit_words(levels: u64) -> u64 {
    levels + 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_does_not_depend_on_what_is_found() {
        // With 1000 vertices, 8000 neighbours and 2 threads, there are lists of 32,000 bytes, offsets of 8008 bytes,
        // and 4, 8 and 2 bytes per vertex.
        assert_eq!(host_bytes(1000, 8000, 2), 32_000 + 8008 + 4000 + 8000 + 2000);
        assert_eq!(units_left(5, 4224), 4224 * 21);
        let lists = host_bytes(1000, 8000, 0) - 8000;
        assert_eq!(device_bytes(1000, 8000, 5, 4224), lists + 8 * 8 * 4224 * 21);
    }

    #[test]
    fn a_device_has_room_for_a_part_of_a_listing() {
        assert_eq!(listing_host_bytes(5, 1000), 1000 * 68);
        assert_eq!((rows_at_a_time(4, 3), rows_at_a_time(4, 1000), rows_at_a_time(4, u64::MAX)), (32, 1000, 4 << 20));
        assert_eq!(listing_device_bytes(4, u64::MAX, 10), (64 << 20) + 10 * 4 * 198);
    }
}
