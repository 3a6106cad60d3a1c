//! What a search for a pattern takes of memory: lists of neighbours, and nothing that grows with what it finds. A listing
//! also takes that of its rows.

/// The most warps that search at a time.
pub const MOST_WARPS: u64 = 1 << 13;

/// The words in which a warp keeps its search while the host takes away what it has listed: six for each lane, and six more.
pub const SAVED_WORDS: u64 = 6 * 32 + 6;

/// Bytes of device memory for rows of a listing. The host takes them away when they are full.
const ROWS_BYTES: u64 = 64 << 20;

/// Returns the bytes of host memory that a search by `threads` threads takes: 4 for each neighbour, 20 a vertex, and another one
/// a vertex for each thread. A search that asks for smaller neighbours alone has half of the neighbours.
pub const fn host_bytes(vertices: u64, neighbours: u64, threads: u64) -> u64 {
    lists_bytes(vertices, neighbours) + 8 * vertices + threads * vertices
}

/// Returns the bytes of the lists alone: 4 for each neighbour and 12 a vertex.
const fn lists_bytes(vertices: u64, neighbours: u64) -> u64 {
    4 * neighbours + 8 * (vertices + 1) + 4 * vertices
}

/// Returns the bytes of device memory that a search by `warps` warps takes for a pattern of `levels` vertices: the lists, and
/// room for what warps leave to others.
pub const fn device_bytes(vertices: u64, neighbours: u64, levels: u64, warps: u64) -> u64 {
    lists_bytes(vertices, neighbours) + 2 * 4 * unit_words(levels) * units_left(levels, warps)
}

/// Returns the bytes of host memory that a listing of `rows` matches of `levels` vertices takes: for each match 4 a vertex for
/// what the search finds, 8 a vertex for the original IDs, and 8 for its place in the order.
pub const fn listing_host_bytes(levels: u64, rows: u64) -> u64 {
    rows.saturating_mul(12 * levels + 8)
}

/// Returns the bytes of device memory that a listing of `rows` matches takes beside the search: a part of the rows, and what
/// `warps` warps keep while the host takes that part away.
pub const fn listing_device_bytes(levels: u64, rows: u64, warps: u64) -> u64 {
    4 * levels * rows_at_a_time(levels, rows) + 4 * SAVED_WORDS * warps
}

/// Returns the number of rows that a device has room for at a time, where `rows` are to be listed: 32 at least, which is as many
/// as a warp finds at a time.
pub const fn rows_at_a_time(levels: u64, rows: u64) -> u64 {
    let room = ROWS_BYTES / (4 * levels);
    let wanted = if rows < room { rows } else { room };
    if wanted < 32 { 32 } else { wanted }
}

/// Returns the most parts of their work that `warps` warps leave to others. Half of them leave their work at once. Each may cut
/// each level into eight pieces, and also leaves the entries of lists that it has not begun with.
pub const fn units_left(levels: u64, warps: u64) -> u64 {
    warps * (4 * levels + 1)
}

/// Returns the words of a part that a warp leaves: its level, where in a list it begins and ends, and the vertices of the levels
/// before.
pub const fn unit_words(levels: u64) -> u64 {
    levels + 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_does_not_depend_on_what_is_found() {
        // 1000 vertices, 8000 neighbours, 2 threads: lists of 32000, starts of 8008, two numbers of places, one of smaller.
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
