//! What a search for a pattern takes of memory: lists of neighbours, and nothing that grows with what it finds.

/// The most warps that search at a time.
pub const MOST_WARPS: u64 = 1 << 13;

/// Returns the bytes of host memory that a search by `threads` threads takes: 4 for each neighbour, 20 a vertex (21 with labels),
/// and another one a vertex for each thread. A search that asks for smaller neighbours alone has half of the neighbours.
pub const fn host_bytes(vertices: u64, neighbours: u64, labelled: bool, threads: u64) -> u64 {
    lists_bytes(vertices, neighbours, labelled) + 8 * vertices + threads * vertices
}

/// Returns the bytes of the lists alone: 4 for each neighbour; 12 a vertex, 13 with labels.
const fn lists_bytes(vertices: u64, neighbours: u64, labelled: bool) -> u64 {
    4 * neighbours + 8 * (vertices + 1) + (4 + labelled as u64) * vertices
}

/// Returns the bytes of device memory that a search by `warps` warps takes for a pattern of `levels` vertices: the lists, and
/// room for what warps leave to others.
pub const fn device_bytes(vertices: u64, neighbours: u64, labelled: bool, levels: u64, warps: u64) -> u64 {
    lists_bytes(vertices, neighbours, labelled) + 2 * 4 * unit_words(levels) * units_left(levels, warps)
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
        assert_eq!(host_bytes(1000, 8000, false, 2), 32_000 + 8008 + 4000 + 8000 + 2000);
        assert_eq!(host_bytes(1000, 8000, true, 2) - host_bytes(1000, 8000, false, 2), 1000);
        assert_eq!(units_left(5, 4224), 4224 * 21);
        let lists = host_bytes(1000, 8000, false, 0) - 8000;
        assert_eq!(device_bytes(1000, 8000, false, 5, 4224), lists + 8 * 8 * 4224 * 21);
    }
}
