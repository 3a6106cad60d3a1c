//! Takes the edges from the stream into memory, in original IDs.

use super::progress::Reporter;
use super::{BuildError, EdgeBatch, EdgeStream, Phase};

/// Edges in a chunk: large enough for the allocator to give whole chunks back to the system.
const CHUNK: usize = 1 << 20;

/// Edges as the input has them, in order.
pub(super) struct RawChunk {
    /// Number of the first edge.
    pub(super) first: u64,
    pub(super) ends: Ends,
    /// Bits in the declared type; empty without values.
    pub(super) values: Vec<u64>,
}

/// Sources and targets in original IDs.
pub(super) enum Ends {
    /// All below 2^32: `src << 32 | dst`.
    Narrow(Vec<u64>),
    /// Any.
    Wide(Vec<[u64; 2]>),
}

impl RawChunk {
    fn new(first: u64, wide: bool) -> Self {
        let ends = if wide { Ends::Wide(Vec::with_capacity(CHUNK)) } else { Ends::Narrow(Vec::with_capacity(CHUNK)) };
        Self { first, ends, values: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        match &self.ends {
            Ends::Narrow(keys) => keys.len(),
            Ends::Wide(pairs) => pairs.len(),
        }
    }

    /// Source and target of an edge.
    #[inline]
    pub(super) fn get(&self, edge: usize) -> (u64, u64) {
        match &self.ends {
            Ends::Narrow(keys) => (keys[edge] >> 32, keys[edge] & u64::from(u32::MAX)),
            Ends::Wide(pairs) => (pairs[edge][0], pairs[edge][1]),
        }
    }

    /// Bytes in memory.
    fn bytes(&self) -> u64 {
        let each = if matches!(self.ends, Ends::Narrow(_)) { 8 } else { 16 };
        self.len() as u64 * each + 8 * self.values.len() as u64
    }
}

/// Takes all edges.
pub(super) fn collect(
    stream: &mut dyn EdgeStream,
    budget: Option<u64>,
    reporter: &Reporter,
) -> Result<Vec<RawChunk>, BuildError> {
    let mut chunks: Vec<RawChunk> = Vec::new();
    let mut batch = EdgeBatch::default();
    let (mut edges, mut bytes) = (0, 0);
    while stream.next(&mut batch)? {
        let columns = (batch.src.len(), batch.dst.len(), batch.value.len());
        let values = if stream.declared().value_type.is_some() { columns.0 } else { 0 };
        if columns != (columns.0, columns.0, values) {
            return Err(BuildError::Batch { src: columns.0, dst: columns.1, value: columns.2 });
        }
        let mut done = 0;
        while done < columns.0 {
            let present = chunks.last().filter(|chunk| chunk.len() < CHUNK);
            let room = present.map_or(CHUNK, |chunk| CHUNK - chunk.len());
            let part = done..columns.0.min(done + room);
            let ids = batch.src[part.clone()].iter().chain(&batch.dst[part.clone()]);
            let wide = ids.fold(0, |all, id| all | id) > u64::from(u32::MAX);
            let suits = present.is_some_and(|chunk| !wide || matches!(chunk.ends, Ends::Wide(_)));
            if !suits {
                bytes += chunks.last().map_or(0, RawChunk::bytes);
                chunks.push(RawChunk::new(edges, wide));
            }
            let Some(chunk) = chunks.last_mut() else { continue };
            let pairs = batch.src[part.clone()].iter().zip(&batch.dst[part.clone()]);
            match &mut chunk.ends {
                Ends::Narrow(keys) => keys.extend(pairs.map(|(src, dst)| src << 32 | dst)),
                Ends::Wide(ends) => ends.extend(pairs.map(|(&src, &dst)| [src, dst])),
            }
            if values > 0 {
                chunk.values.extend_from_slice(&batch.value[part.clone()]);
            }
            edges += part.len() as u64;
            done = part.end;
        }
        if let Some(budget) = budget.filter(|&budget| bytes > budget) {
            return Err(BuildError::Budget { needed: bytes, budget });
        }
        let (done, total) = stream.progress();
        reporter.report(Phase::Read, done, total);
    }
    Ok(chunks)
}
