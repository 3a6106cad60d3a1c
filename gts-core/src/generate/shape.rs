//! Generates simple shapes and uniform random graphs.

use crate::hash::Words;

/// Returns the number of pairs of distinct vertices.
pub(super) fn pairs(vertices: u64) -> u64 {
    // One of the two factors is even. Halving the even factor is exact and keeps the product small.
    if vertices.is_multiple_of(2) { vertices / 2 * (vertices - 1) } else { vertices * ((vertices - 1) / 2) }
}

/// Writes edges whose ends are both drawn uniformly from `0..2^scale`.
pub(super) fn uniform(hash: Words, scale: u32, first: u64, src: &mut [u64], dst: &mut [u64]) {
    let mask = (1u64 << scale) - 1;
    for (edge, (src, dst)) in (first..).zip(src.iter_mut().zip(dst)) {
        // One random word provides both ends.
        let word = hash.word(edge);
        (*src, *dst) = (word >> 32 & mask, word & mask);
    }
}

/// Writes the edges of a grid. Vertices are numbered in row-major order. Edges along rows precede edges along columns.
pub(super) fn grid(rows: u64, columns: u64, first: u64, src: &mut [u64], dst: &mut [u64]) {
    let along_rows = rows * (columns - 1);
    for (edge, (src, dst)) in (first..).zip(src.iter_mut().zip(dst)) {
        (*src, *dst) = if edge < along_rows {
            let from = edge / (columns - 1) * columns + edge % (columns - 1);
            (from, from + 1)
        } else {
            let from = edge - along_rows;
            (from, from + columns)
        };
    }
}

/// Writes the edges from vertex 0 to every other vertex.
pub(super) fn star(first: u64, src: &mut [u64], dst: &mut [u64]) {
    for (edge, (src, dst)) in (first..).zip(src.iter_mut().zip(dst)) {
        (*src, *dst) = (0, edge + 1);
    }
}

/// Writes the edges from each vertex to the next vertex.
pub(super) fn chain(first: u64, src: &mut [u64], dst: &mut [u64]) {
    for (edge, (src, dst)) in (first..).zip(src.iter_mut().zip(dst)) {
        (*src, *dst) = (edge, edge + 1);
    }
}

/// Writes all pairs of vertices, in order of the smaller vertex.
pub(super) fn complete(vertices: u64, first: u64, src: &mut [u64], dst: &mut [u64]) {
    // Returns the number of edges that precede the edges of vertex `u`: all pairs, minus the pairs of vertices that are
    // at least `u`.
    let before = |u: u64| pairs(vertices) - pairs(vertices - u);
    let (mut low, mut high) = (0, vertices);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if before(middle) <= first { low = middle } else { high = middle }
    }
    let (mut u, mut v) = (low, low + 1 + (first - before(low)));
    for (src, dst) in src.iter_mut().zip(dst) {
        (*src, *dst) = (u, v);
        v += 1;
        if v == vertices {
            u += 1;
            v = u + 1;
        }
    }
}
