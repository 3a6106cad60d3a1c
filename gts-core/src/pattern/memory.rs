//! The memory of a search for a pattern: lists of neighbours, and nothing that grows with the number of matches. A
//! listing also takes the memory of its rows.

/// Maximum number of warps that search concurrently.
pub const MOST_WARPS: u64 = 1 << 13;

/// Words in which a warp saves its search while the host collects the listed rows: six per lane, and six more.
pub const SAVED_WORDS: u64 = 6 * 32 + 6;

/// Bytes of device memory for rows of a listing. The host collects the rows when the memory is full.
const ROWS_BYTES: u64 = 64 << 20;

/// Returns the bytes of host memory that a search by `threads` threads takes: 4 per neighbour, 20 per vertex, and 1 per
/// vertex and thread. A search that looks only for smaller neighbours has half of the neighbours.
pub const fn host_bytes(vertices: u64, neighbours: u64, threads: u64) -> u64 {
    lists_bytes(vertices, neighbours) + 8 * vertices + threads * vertices
}

/// Returns the bytes of the lists: 4 per neighbour and 12 per vertex.
const fn lists_bytes(vertices: u64, neighbours: u64) -> u64 {
    4 * neighbours + 8 * (vertices + 1) + 4 * vertices
}

/// Returns the bytes of device memory that a search by `warps` warps takes for a pattern of `levels` vertices: the
/// lists, and room for the work that warps leave to others.
pub const fn device_bytes(vertices: u64, neighbours: u64, levels: u64, warps: u64) -> u64 {
    lists_bytes(vertices, neighbours) + 2 * 4 * unit_words(levels) * units_left(levels, warps)
}

/// Returns the bytes of host memory that a listing of `rows` matches of `levels` vertices takes. A match takes 4 bytes
/// per vertex for the result of the search, 8 per vertex for the original IDs, and 8 for its place in the order.
pub const fn listing_host_bytes(levels: u64, rows: u64) -> u64 {
    rows.saturating_mul(12 * levels + 8)
}

/// Returns the bytes of device memory that a listing of `rows` matches takes beside the search: a part of the rows, and
/// the state that `warps` warps save while the host collects that part.
pub const fn listing_device_bytes(levels: u64, rows: u64, warps: u64) -> u64 {
    4 * levels * rows_at_a_time(levels, rows) + 4 * SAVED_WORDS * warps
}

/// Returns the number of rows that fit on a device at once if `rows` are to be listed: at least 32, the number that a
/// warp finds at once.
pub const fn rows_at_a_time(levels: u64, rows: u64) -> u64 {
    let room = ROWS_BYTES / (4 * levels);
    let wanted = if rows < room { rows } else { room };
    if wanted < 32 { 32 } else { wanted }
}

/// Returns the maximum number of units of work that `warps` warps leave to others. At most half of the warps leave work
/// at the same time. Each may cut each level into eight pieces, and also leaves the list entries that it has not begun.
pub const fn units_left(levels: u64, warps: u64) -> u64 {
    warps * (4 * levels + 1)
}

/// Returns the words of a unit of work: its level, its start and end in a list, and the vertices of the earlier levels.
pub const fn unit_words(levels: u64) -> u64 {
    levels + 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_does_not_depend_on_what_is_found() {
        // 1000 vertices, 8000 neighbours, 2 threads: lists of 32000, starts of 8008, then 4, 8 and 2 bytes per vertex.
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
