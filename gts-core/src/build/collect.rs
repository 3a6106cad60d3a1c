//! Reads the edges of a stream into memory, with original IDs.

use super::census::Census;
use super::chunk::{Ends, RawChunk};
use super::interner::{BatchKeys, Interner};
use super::need;
use super::progress::Reporter;
use super::{BuildError, BuildOptions, Declared, EdgeBatch, EdgeStream, Phase};
use crate::parallel::*;

/// The number of edges per chunk: large enough for the allocator to return whole chunks to the system.
const CHUNK: usize = 1 << 20;
/// The number of edges that one task packs.
const PIECE: usize = 1 << 14;

/// Reads the edges of a stream in chunks.
pub(super) struct Collector<'a> {
    stream: &'a mut dyn EdgeStream,
    has_values: bool,
    /// The number of edges per chunk.
    chunk_edges: usize,
    batch: EdgeBatch,
    /// The keys that have been read; `None` if keys are integers.
    interner: Option<Interner>,
    batch_keys: BatchKeys,
    /// The vertices that exist even if no edge has them, as pairs of equal IDs; empty if keys are no integers.
    vertices: Vec<[u64; 2]>,
    /// The bytes of keys above which a chunk ends after the edges between them.
    most_key_bytes: u64,
    /// The number of edges in the batch that are already in a chunk.
    done: usize,
    edges: u64,
    ended: bool,
}

impl<'a> Collector<'a> {
    /// Creates a collector that starts with the stream's first edge.
    pub(super) fn new(stream: &'a mut dyn EdgeStream) -> Self {
        let declared = stream.declared();
        let has_values = declared.value_type.is_some();
        let interner = declared.keys.is_bytes().then(|| Interner::new(declared.key_form()));
        let batch = EdgeBatch::default();
        Self {
            stream,
            has_values,
            chunk_edges: CHUNK,
            batch,
            interner,
            batch_keys: BatchKeys::default(),
            vertices: Vec::new(),
            most_key_bytes: u64::MAX,
            done: 0,
            edges: 0,
            ended: false,
        }
    }

    /// Sets the number of edges per chunk.
    pub(super) fn set_chunk_edges(&mut self, edges: usize) {
        self.chunk_edges = edges;
    }

    /// Returns the declared properties of the stream's edges.
    pub(super) fn declared(&self) -> Declared {
        self.stream.declared()
    }

    /// Returns the notes that the stream has recorded.
    pub(super) fn notes(&self) -> Vec<String> {
        self.stream.notes()
    }

    /// Takes the keys that have been read.
    pub(super) fn take_interner(&mut self) -> Option<Interner> {
        self.interner.take()
    }

    /// Takes the vertices that exist even if no edge has them, as loops; `None` if there are none, or if keys are no
    /// integers.
    pub(super) fn take_vertices(&mut self) -> Option<RawChunk> {
        let ends = Ends::Wide(std::mem::take(&mut self.vertices));
        let loops = RawChunk { first: self.edges, epoch: 0, ends, values: Vec::new() };
        (loops.len() > 0).then_some(loops)
    }

    /// Limits the bytes of keys. A chunk then ends before later edges get numbers.
    pub(super) fn limit_keys(&mut self, bytes: u64) {
        self.most_key_bytes = bytes;
    }

    /// Returns the keys if they exceed their limit and no edge between them remains.
    pub(super) fn full_interner(&mut self) -> Option<&mut Interner> {
        let is_full = self.done == self.batch.src.len() && self.is_full();
        self.interner.as_mut().filter(|_| is_full)
    }

    fn is_full(&self) -> bool {
        self.interner.as_ref().map_or(0, Interner::bytes_to_sort) > self.most_key_bytes
    }

    /// Returns the bytes of the keys that have been read, and of vertices without edges.
    pub(super) fn key_bytes(&self) -> u64 {
        self.interner.as_ref().map_or(0, Interner::bytes) + 16 * self.vertices.capacity() as u64
    }

    /// Returns the number of edges read.
    pub(super) fn edges(&self) -> u64 {
        self.edges
    }

    /// Returns the next chunk, or `None` after the last edge.
    pub(super) fn next(&mut self, reporter: &Reporter) -> Result<Option<RawChunk>, BuildError> {
        let mut gathered: Option<RawChunk> = None;
        loop {
            let is_read = self.done == self.batch.src.len();
            if is_read && (gathered.is_some() && self.is_full() || !self.read(reporter)?) {
                return Ok(gathered);
            }
            let room = self.chunk_edges - gathered.as_ref().map_or(0, RawChunk::len);
            let part = self.done..self.batch.src.len().min(self.done + room);
            let (src, dst) = (&self.batch.src[part.clone()], &self.batch.dst[part.clone()]);
            let wide = all_bits(src, dst) > u64::from(u32::MAX);
            let chunk = match &mut gathered {
                // Wider IDs require a new chunk.
                Some(present) if wide && matches!(present.ends, Ends::Narrow(_)) => return Ok(gathered),
                Some(present) => present,
                none => none.insert(RawChunk::new(self.edges, wide, self.room(part.len()))?),
            };
            match &mut chunk.ends {
                Ends::Narrow(keys) => append(keys, src, dst, |src, dst| src << 32 | dst),
                Ends::Wide(pairs) => append(pairs, src, dst, |src, dst| [src, dst]),
            }
            if !self.batch.value.is_empty() {
                chunk.values.extend_from_slice(&self.batch.value[part.clone()]);
            }
            self.edges += part.len() as u64;
            self.done = part.end;
            if chunk.len() == self.chunk_edges {
                return Ok(gathered);
            }
        }
    }

    /// Returns the capacity of a new chunk in edges: at most the remaining edges that the stream declares, and at least
    /// `present`.
    fn room(&self, present: usize) -> usize {
        let declared = self.stream.declared().edges.map_or(u64::MAX, |edges| edges.saturating_sub(self.edges));
        (self.chunk_edges as u64).min(declared).max(present as u64) as usize
    }

    /// Reads the next batch, which has edges unless the keys exceed their limit. Returns `false` after the last batch.
    fn read(&mut self, reporter: &Reporter) -> Result<bool, BuildError> {
        self.done = 0;
        self.batch.src.clear();
        while self.batch.src.is_empty() {
            if self.ended || !self.stream.next(&mut self.batch)? {
                self.ended = true;
                (self.batch, self.batch_keys) = (EdgeBatch::default(), BatchKeys::default());
                return Ok(false);
            }
            self.receive()?;
            if self.is_full() {
                break;
            }
        }
        let (done, total) = self.stream.progress();
        reporter.report(Phase::Read, done, total)?;
        Ok(true)
    }

    /// Checks the batch, and takes its keys and vertices.
    fn receive(&mut self) -> Result<(), BuildError> {
        let columns = (self.batch.src.len(), self.batch.dst.len(), self.batch.value.len());
        let values = if self.has_values { columns.0 } else { 0 };
        if columns != (columns.0, columns.0, values) {
            return Err(BuildError::Batch { src: columns.0, dst: columns.1, value: columns.2 });
        }
        match &mut self.interner {
            Some(interner) => interner.number(&mut self.batch, &mut self.batch_keys),
            None => {
                self.vertices.extend(self.batch.vertices.iter().map(|id| [*id, *id]));
                Ok(())
            }
        }
    }
}

/// Returns the bits that are set in at least one ID.
fn all_bits(src: &[u64], dst: &[u64]) -> u64 {
    let bits = |(src, dst): (&[u64], &[u64])| src.iter().chain(dst).fold(0, |all, id| all | id);
    if src.len() < 2 * PIECE {
        return bits((src, dst));
    }
    src.par_chunks(PIECE).zip(dst.par_chunks(PIECE)).map(bits).reduce(|| 0, |a, b| a | b)
}

/// Appends edges in the form returned by `join`.
fn append<T: Send>(target: &mut Vec<T>, src: &[u64], dst: &[u64], join: impl Fn(u64, u64) -> T + Sync) {
    if src.len() < 2 * PIECE {
        target.extend(src.iter().zip(dst).map(|(&src, &dst)| join(src, dst)));
    } else {
        let pairs = src.par_iter().zip(dst).with_min_len(PIECE);
        extend(target, pairs.map(|(&src, &dst)| join(src, dst)));
    }
}

/// Reads all edges. Fails if the declared number of edges, or the number read, needs more memory than the budget.
pub(super) fn collect(
    edges: &mut Collector<'_>,
    options: &BuildOptions,
    reporter: &Reporter,
) -> Result<Vec<RawChunk>, BuildError> {
    let declared = edges.declared();
    // Undeclared vertices are counted after they are known.
    let needed = |edges| need::of_stream(&declared, options, edges, |_| 0);
    let exceeds = |edges, keys| options.memory.is_some_and(|budget| needed(edges) + keys > budget);
    let mut chunks: Vec<RawChunk> = Vec::new();
    let mut exceeded = exceeds(0, 0);
    while !exceeded && let Some(chunk) = edges.next(reporter)? {
        chunks.push(chunk);
        exceeded = exceeds(edges.edges(), edges.key_bytes());
    }
    match options.memory.filter(|_| exceeded) {
        None => Ok(chunks),
        Some(budget) => Err(BuildError::Budget { needed: suffices(edges, chunks, options, reporter)?, budget }),
    }
}

/// Returns a budget that is sufficient for all edges. `chunks` contains the edges that have already been read.
fn suffices(
    edges: &mut Collector<'_>,
    chunks: Vec<RawChunk>,
    options: &BuildOptions,
    reporter: &Reporter,
) -> Result<u64, BuildError> {
    let declared = edges.declared();
    if declared.edges.is_some() && need::declared_vertices(&declared).is_some() {
        return Ok(need::of_stream(&declared, options, 0, |_| 0));
    }
    let mut census = Census::new();
    chunks.into_iter().for_each(|chunk| census.add(&chunk));
    while let Some(chunk) = edges.next(reporter)? {
        census.add(&chunk);
    }
    let vertices = edges.take_vertices();
    vertices.iter().for_each(|loops| (0..loops.len()).for_each(|place| census.add_id(loops.get(place).0)));
    let keys = edges.key_bytes();
    Ok(need::of_stream(&declared, options, census.edges(), |_| census.most_numbers()) + keys)
}
