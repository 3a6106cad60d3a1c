//! Converts edges from original IDs to records of ranks. Adds reverse edges and drops self-loops if required.

use super::BuildError;
use super::chunk::{Ends, RawChunk};
use super::record::{self, Record, convert, to_ordered};
use super::renumber::Ranks;
use crate::graph::KeySource;
use crate::parallel::*;
use gts_contract::ScalarType;

/// Number of edges in a part of a chunk.
const PIECE: usize = 1 << 15;

/// The number of edges by which loads of ranks run ahead.
const AHEAD: usize = 16;

/// The rules for storing each edge.
pub(super) struct Rules {
    /// Whether to store each edge in both directions.
    pub(super) both_ways: bool,
    /// Whether to drop an edge from a vertex to itself.
    pub(super) drop_self_loops: bool,
    /// The type of the values in the chunks and the type to store; `None` if values are not stored.
    pub(super) values: Option<(ScalarType, ScalarType)>,
}

/// Edges as records, and the numbers of edges added and dropped.
pub(super) struct Edges<R> {
    pub(super) chunks: Vec<Vec<R>>,
    pub(super) self_loops_dropped: u64,
    pub(super) reversed: u64,
}

/// Converts all chunks to records. The error names the first invalid edge.
pub(super) fn records<R: Record>(
    chunks: Vec<RawChunk>,
    ranks: &Ranks<'_>,
    keys: &KeySource,
    rules: &Rules,
) -> Result<Edges<R>, BuildError> {
    let converted: Vec<_> = chunks.into_par_iter().map(|chunk| chunk_records::<R>(chunk, ranks, keys, rules)).collect();
    let mut edges = Edges { chunks: Vec::with_capacity(converted.len()), self_loops_dropped: 0, reversed: 0 };
    for chunk in converted {
        let chunk = chunk?;
        edges.chunks.extend(chunk.chunks);
        edges.self_loops_dropped += chunk.self_loops_dropped;
        edges.reversed += chunk.reversed;
    }
    Ok(edges)
}

fn chunk_records<R: Record>(
    chunk: RawChunk,
    ranks: &Ranks<'_>,
    keys: &KeySource,
    rules: &Rules,
) -> Result<Edges<R>, BuildError> {
    let chunk = match as_read(chunk, ranks, rules) {
        Ok(records) => return Ok(Edges { chunks: vec![records], self_loops_dropped: 0, reversed: 0 }),
        Err(chunk) => chunk,
    };
    let ways = if rules.both_ways { 2 } else { 1 };
    let mut records = Vec::with_capacity(ways * chunk.len());
    let mut edges = Edges { chunks: Vec::new(), self_loops_dropped: 0, reversed: 0 };
    for edge in 0..chunk.len() {
        if edge + AHEAD < chunk.len() {
            let (src, dst) = chunk.get(edge + AHEAD);
            [src, dst].into_iter().for_each(|id| ranks.prefetch(id));
        }
        let (src, dst) = chunk.get(edge);
        let number = chunk.first + edge as u64;
        let (Some(from), Some(to)) = (ranks.rank(src), ranks.rank(dst)) else {
            let vertex = if ranks.rank(src).is_none() { src } else { dst };
            let [src, dst, vertex] = [src, dst, vertex].map(|id| ranks.key(keys, id));
            return Err(BuildError::Undeclared { edge: number, src: src?, dst: dst?, vertex: vertex? });
        };
        if from == to && rules.drop_self_loops {
            edges.self_loops_dropped += 1;
            continue;
        }
        let value = match rules.values {
            Some((from, target)) => {
                let bits = convert(chunk.values[edge], from, target);
                let bits = bits.or_else(|value| {
                    let (src, dst) = (ranks.key(keys, src)?, ranks.key(keys, dst)?);
                    Err(BuildError::Value { edge: number, src, dst, value, target })
                })?;
                to_ordered(target, bits)
            }
            None => 0,
        };
        records.push(R::new(record::key(from, to), value));
        if rules.both_ways && from != to {
            records.push(R::new(record::key(to, from), value));
            edges.reversed += 1;
        }
    }
    edges.chunks.push(records);
    Ok(edges)
}

/// Returns the keys of a chunk as records without copying them. This is possible if all IDs are ranks and no rule
/// changes an edge; otherwise returns the chunk as the error.
fn as_read<R: Record>(mut chunk: RawChunk, ranks: &Ranks<'_>, rules: &Rules) -> Result<Vec<R>, RawChunk> {
    let plain = !rules.both_ways && !rules.drop_self_loops && rules.values.is_none();
    if let (true, Ranks::Offset { first: 0, count }, Ends::Narrow(keys)) = (plain, ranks, &mut chunk.ends)
        && keys.iter().all(|&key| (key >> 32 < *count) & (key & u64::from(u32::MAX) < *count))
    {
        return bytemuck::allocation::try_cast_vec(std::mem::take(keys)).map_err(|(_, keys)| {
            let ends = Ends::Narrow(keys);
            RawChunk { ends, ..chunk }
        });
    }
    Err(chunk)
}

/// Replaces each vertex with its entry in `numbers`.
pub(super) fn relabel<R: Record>(chunks: &mut [Vec<R>], numbers: &[u32]) {
    each(chunks, |edge| {
        let (src, dst) = (numbers[edge.src() as usize], numbers[edge.dst() as usize]);
        *edge = R::new(record::key(src, dst), edge.value());
    });
}

/// Swaps the source and the target of each edge.
pub(super) fn reverse<R: Record>(chunks: &mut [Vec<R>]) {
    each(chunks, |edge| *edge = R::new(edge.key().rotate_left(32), edge.value()));
}

/// Calls a function with each edge.
fn each<R: Record>(chunks: &mut [Vec<R>], change: impl Fn(&mut R) + Sync) {
    let pieces: Vec<&mut [R]> = chunks.iter_mut().flat_map(|chunk| chunk.chunks_mut(PIECE)).collect();
    pieces.into_par_iter().for_each(|piece| piece.iter_mut().for_each(&change));
}
