//! Passes that count the values of each vertex's neighbours, for `mode`.
//!
//! An edge kernel fills a table per vertex, and a kernel of the runtime reads the tables. Vertices are processed in
//! ranges whose tables fit into memory.
#![allow(unsafe_code)]

use super::driver::Buffer;
use super::pages::degrees_of;
use super::session::CudaSession;
use bytemuck::{Pod, Zeroable};
use gts_contract::{KernelDescriptor, ScalarType, Side};
use gts_core::advice::Advice;
use gts_core::memory;
use gts_core::parallel::*;
use gts_device::error::{Error, Result};
use gts_device::{PassOutcome, PassRequest};
use std::ops::Range;

/// The header of the tables, with the layout of `gts_tallies`.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct TallyHeader {
    places: u64,
    keys: u64,
    counts: u64,
    first: u64,
    end: u64,
}

/// The tables of a session, sized for passes over the topologies `sides`.
#[derive(Debug)]
pub(super) struct TallyTables {
    sides: Vec<Side>,
    key_bytes: usize,
    /// The ranges of vertices. Each pass counts values for the vertices in one range.
    ranges: Vec<Range<u64>>,
    /// The index of the range whose table positions are on the device.
    placed: Option<usize>,
    head: Buffer,
    places: Buffer,
    keys: Buffer,
    counts: Buffer,
}

impl TallyTables {
    /// Returns the device address of the header.
    pub(super) fn address(&self) -> u64 {
        self.head.address()
    }
}

/// The number of vertices per task when several threads compute table positions.
const VERTICES_AT_ONCE: usize = 1 << 14;

/// Returns the number of slots in a vertex's table: 1.5 per edge, one for the largest key, and one that stays free.
fn slots(edges: u64) -> u64 {
    if edges == 0 { 0 } else { edges + edges / 2 + 2 }
}

/// Divides the vertices into ranges whose tables fit into `room` bytes. Each range has at least one vertex, even if the
/// vertex's table does not fit.
fn cut(vertices: u64, bytes_of: impl Fn(u64) -> u64, room: u64) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    let (mut first, mut taken) = (0, 0);
    for v in 0..vertices {
        let bytes = bytes_of(v);
        if v > first && taken + bytes > room {
            ranges.push(first..v);
            (first, taken) = (v, 0);
        }
        taken += bytes;
    }
    ranges.push(first..vertices);
    ranges
}

impl CudaSession {
    /// Counts the neighbours' values for each vertex, or for each active vertex. Stores the most frequent value per
    /// vertex.
    pub(super) fn run_tallied(
        &mut self,
        kernel: &'static KernelDescriptor,
        attribute: usize,
        request: &PassRequest,
    ) -> Result<PassOutcome> {
        // Place columns before the tables use the remaining memory.
        self.place_columns(kernel, request)?;
        let scalar = kernel.schema.attributes[attribute].ty.scalar;
        let tallies = self.cut_tables(kernel, scalar.bytes(self.vertex_bytes), request)?;
        let ranges = tallies.ranges.len();
        self.tallies = Some(tallies);
        let mut outcomes = Vec::with_capacity(ranges);
        for range in 0..ranges {
            self.clear_tables(range, &request.sides)?;
            outcomes.push(self.run_edges(kernel, request, None)?);
            self.pick(attribute, scalar)?;
        }
        Ok(PassOutcome::in_turn(&outcomes))
    }

    fn edges_of(&self, v: u64, sides: &[Side]) -> u64 {
        sides.iter().map(|side| u64::from(degrees_of(&self.graph, *side)[v as usize])).sum()
    }

    /// Returns the tables for a pass. Reuses the session's tables if their topologies and key size match.
    fn cut_tables(
        &mut self,
        kernel: &KernelDescriptor,
        key_bytes: usize,
        request: &PassRequest,
    ) -> Result<TallyTables> {
        let sides = &request.sides;
        if let Some(there) = self.tallies.take()
            && there.sides == *sides
            && there.key_bytes == key_bytes
        {
            return Ok(there);
        }
        let slot_bytes = (key_bytes + size_of::<u32>()) as u64;
        let bytes_of = |v| slot_bytes * slots(self.edges_of(v, sides)) + 8;
        let vertices = self.graph.num_vertices();
        let all: u64 = (0..vertices).into_par_iter().map(bytes_of).sum();
        let context = self.context().clone();
        if 2 * all > context.available()? {
            self.shared.evict(&self.graph);
        }
        // Leave half of the memory for pages.
        let room = all.min(context.available()? / 2);
        let ranges = if all <= room { std::iter::once(0..vertices).collect() } else { cut(vertices, bytes_of, room) };
        let bytes = |range: &Range<u64>| -> u64 { range.clone().into_par_iter().map(bytes_of).sum() };
        if let Some(bytes) = ranges.iter().map(bytes).find(|&bytes| bytes > room) {
            return Err(Error::OutOfMemory {
                device: context.name().to_owned(),
                what: format!("counts of the values of one vertex's neighbours, for `{}`", kernel.function),
                needed: 2 * bytes,
                free: context.available()?,
                remedy: Advice::new(
                    "give the device more --device-memory, or run with --device cpu",
                    "allow more `device_memory`, or run on the CPU",
                ),
            });
        }
        let most_vertices = ranges.iter().map(|range| range.end - range.start).max().unwrap_or(0);
        let slots_of = |range: &Range<u64>| (bytes(range) - 8 * (range.end - range.start)) / slot_bytes;
        let most_slots = ranges.iter().map(slots_of).max().unwrap_or(0);
        let buffer = |bytes: u64| Buffer::lent(&self.kit.stream, bytes as usize, "counts of neighbours' values");
        Ok(TallyTables {
            sides: sides.clone(),
            key_bytes,
            ranges,
            placed: None,
            head: buffer(size_of::<TallyHeader>() as u64)?,
            places: buffer(8 * (most_vertices + 1))?,
            keys: buffer(key_bytes as u64 * most_slots)?,
            counts: buffer(size_of::<u32>() as u64 * most_slots)?,
        })
    }

    /// Clears the tables, and assigns the tables to a range of vertices.
    fn clear_tables(&mut self, range: usize, sides: &[Side]) -> Result<()> {
        let Some(tallies) = &self.tallies else { return Ok(()) };
        for table in [&tallies.keys, &tallies.counts] {
            self.kit.stream.clear(table, 0, table.bytes())?;
        }
        if tallies.placed == Some(range) {
            return Ok(());
        }
        let vertices = tallies.ranges[range].clone();
        let places = self.places(vertices.clone(), sides)?;
        let head = TallyHeader {
            places: tallies.places.address(),
            keys: tallies.keys.address(),
            counts: tallies.counts.address(),
            first: vertices.start,
            end: vertices.end,
        };
        self.send(&tallies.places, 0, bytemuck::cast_slice(&places))?;
        self.kit.stream.upload(&tallies.head, 0, bytemuck::bytes_of(&head))?;
        // Wait until the positions and the header are on the device.
        self.kit.stream.synchronize("laying out counts")?;
        if let Some(tallies) = &mut self.tallies {
            tallies.placed = Some(range);
        }
        Ok(())
    }

    /// Returns the table position for each vertex in `vertices`, followed by the end of the last table.
    fn places(&self, vertices: Range<u64>, sides: &[Side]) -> Result<Vec<u64>> {
        let name = "counts of neighbours' values";
        let mut places = memory::zeroed::<u64>(name, (vertices.end - vertices.start) as usize + 1)?;
        let first_of = |part: usize| vertices.start + (part * VERTICES_AT_ONCE) as u64;
        let end_of = |part: usize| first_of(part + 1).min(vertices.end);
        let slots_of = |v| slots(self.edges_of(v, sides));
        // First compute positions relative to the beginning of each part.
        let parts = places[1..].par_chunks_mut(VERTICES_AT_ONCE).enumerate().map(|(part, places)| {
            let mut sum = 0;
            for (place, v) in places.iter_mut().zip(first_of(part)..end_of(part)) {
                sum += slots_of(v);
                *place = sum;
            }
            sum
        });
        let sums = memory::collected_in_parallel(name, parts)?;
        let begins: Vec<u64> = sums.iter().scan(0, |sum, part| Some(std::mem::replace(sum, *sum + part))).collect();
        let parts = places[1..].par_chunks_mut(VERTICES_AT_ONCE).zip(begins);
        parts.for_each(|(places, begin)| places.iter_mut().for_each(|place| *place += begin));
        Ok(places)
    }

    /// Stores the most frequent neighbour value of each vertex in the range. Skips vertices without counts.
    fn pick(&self, attribute: usize, scalar: ScalarType) -> Result<()> {
        let Some(tallies) = &self.tallies else { return Ok(()) };
        let Some(vertices) = tallies.placed.map(|range| tallies.ranges[range].clone()) else { return Ok(()) };
        let sign: u64 = match scalar {
            ScalarType::I32 => 1 << 31,
            ScalarType::I64 => 1 << 63,
            _ => 0,
        };
        let function = self.shared.kernels.pick(self.context(), tallies.key_bytes)?;
        let arguments = [tallies.address(), self.memory(attribute)?.address(), sign];
        let slots: Vec<&[u64]> = arguments.chunks(1).collect();
        // SAFETY: the tables have a position for each vertex in their range, and the column has a key for each vertex.
        unsafe { function.launch(&self.kit.stream, self.items(32 * (vertices.end - vertices.start)), &slots) }?;
        self.kit.stream.synchronize("finding the most frequent values")
    }
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn ranges_hold_all_vertices_within_the_room() {
        let bytes = [5, 1, 1, 9, 2, 2, 2, 2];
        let bytes_of = |v: u64| bytes[v as usize];
        assert_eq!(cut(8, bytes_of, 7), [0..3, 3..4, 4..7, 7..8]);
        let one = |end| std::iter::once(0..end).collect::<Vec<_>>();
        assert_eq!(cut(8, bytes_of, 100), one(8));
        assert_eq!(cut(0, bytes_of, 7), one(0));
    }
}
