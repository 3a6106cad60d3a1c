//! What a search for a pattern takes of memory: lists of neighbours, and nothing that grows with what it finds.

/// Returns the bytes of host memory that a search by so many threads takes: 4 for each neighbour; 20 a vertex, 21 with labels;
/// and for each thread another one.
pub const fn host_bytes(vertices: u64, neighbours: u64, labelled: bool, threads: u64) -> u64 {
    lists_bytes(vertices, neighbours, labelled) + 8 * vertices + threads * vertices
}

/// Returns the bytes of the lists alone: 4 for each neighbour; 12 a vertex, 13 with labels.
const fn lists_bytes(vertices: u64, neighbours: u64, labelled: bool) -> u64 {
    4 * neighbours + 8 * (vertices + 1) + (4 + labelled as u64) * vertices
}
