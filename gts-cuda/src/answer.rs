//! Copies attribute values to the host, in the form that the caller requests.
//!
//! Kernels reorder values by original ID, replace vertex numbers with original IDs, and write the results into the
//! pieces of a ring. The host empties the ring concurrently. The device therefore needs extra memory only for tables,
//! not for a copy of the values. If the tables exceed the memory budget, the values are copied as stored, and the host
//! converts them. Naming groups requires two more tables with one number per vertex: the least rank in each group, and
//! the vertex with that rank.
#![allow(unsafe_code)]

use super::driver::{Buffer, Pinned};
use super::pages::OriginalIds;
use super::ring::{PIECE, Ring, copy, pieces};
use super::session::CudaSession;
use gts_contract::ScalarType;
use gts_core::graph::Vertex;
use gts_core::memory;
use gts_device::error::{Error, Result};
use gts_device::{AnswerForm, AnswerPiece, AnswerRequest};
use std::ops::Range;
use std::sync::Arc;

/// The maximum size in bytes of a copy that uses neither a ring nor kernels. For smaller copies, converting values on
/// the host is faster than launching kernels.
const FEW_BYTES: usize = 64 << 10;

/// Device tables for converting stored values to the requested form.
#[derive(Debug, Default)]
struct Original {
    /// The dense numbers of the vertices in ascending order of original IDs; `None` if dense numbers already have this
    /// order. A rank is an index into this table.
    order: Option<Arc<Buffer>>,
    /// The original ID of each vertex, if the values are vertices and the IDs differ from dense numbers.
    names: Option<Arc<OriginalIds>>,
    /// The tables for naming groups: the vertex that names each vertex's group, and the least rank in each group. The
    /// second table is stored only to keep its memory allocated while kernels use it.
    named: Option<[Buffer; 2]>,
}

impl CudaSession {
    /// Passes all values of an attribute to `receive`, piece by piece.
    pub(super) fn hand_out_values(
        &mut self,
        request: &AnswerRequest,
        receive: &mut dyn FnMut(AnswerPiece<'_>) -> Result<()>,
    ) -> Result<()> {
        let vertex_bytes = self.vertex_bytes;
        let whole = |receive: &mut dyn FnMut(AnswerPiece<'_>) -> Result<()>, bytes: &[u8]| {
            receive(AnswerPiece { bytes, vertex_bytes, done: false })
        };
        let shared = Arc::clone(&self.shared);
        if let Some(memory) = self.away_mut(request.attribute)? {
            return whole(receive, &memory[..request.bytes()]);
        }
        let many = request.bytes() > FEW_BYTES && request.value_bytes <= PIECE;
        let ring = if many { Ring::of(&shared)? } else { None };
        let Some(mut ring) = ring else {
            let mut bytes = memory::zeroed(request.name, request.bytes())?;
            self.read_plainly(request.attribute, Vertex::from_dense(0), &mut bytes)?;
            return whole(receive, &bytes);
        };
        let stream = Arc::clone(&self.kit.stream);
        let Some(original) = self.original(request)? else {
            if request.form != AnswerForm::Original {
                let lengths = pieces(request.values, request.value_bytes);
                let (column, a_piece) =
                    (self.memory(request.attribute)?, PIECE / request.value_bytes * request.value_bytes);
                let fetch = |piece, memory: &mut Pinned, part| stream.fetch_part(column, piece * a_piece, memory, part);
                return ring.receive(&stream, &lengths, fetch, |_, bytes| {
                    receive(AnswerPiece { bytes, vertex_bytes, done: false })
                });
            }
            let mut bytes = memory::zeroed(request.name, request.bytes())?;
            ring.fetch(&stream, self.memory(request.attribute)?, 0, &mut bytes)?;
            return whole(receive, &bytes);
        };
        let vertex_bytes = original.names.as_ref().map_or(vertex_bytes, |names| names.id_bytes);
        let elements = request.value_bytes / self.vertex_bytes;
        let value_bytes = original.names.as_ref().map_or(request.value_bytes, |names| elements * names.id_bytes);
        let lengths = pieces(request.values, value_bytes);
        let a_piece = (PIECE / value_bytes) as u64;
        let fetch = |piece: usize, memory: &mut Pinned, part: Range<usize>| {
            let first = piece as u64 * a_piece;
            let count = (part.len() / value_bytes) as u64;
            self.put_ordered(request, &original, first..first + count, memory, part)
        };
        ring.receive(&stream, &lengths, fetch, |_, bytes| receive(AnswerPiece { bytes, vertex_bytes, done: true }))
    }

    /// Copies the values of `vertices` into `bytes`, in the same order. A kernel packs the values if possible.
    pub(super) fn read_some(&mut self, attribute: usize, vertices: &[Vertex], bytes: &mut [u8]) -> Result<()> {
        let first = self.vertices().start;
        let value_bytes = bytes.len() / vertices.len().max(1);
        if let Some(memory) = self.away_mut(attribute)? {
            for (v, value) in vertices.iter().zip(bytes.chunks_exact_mut(value_bytes.max(1))) {
                let offset = (v.dense() - first) as usize * value_bytes;
                value.copy_from_slice(&memory[offset..offset + value_bytes]);
            }
            return Ok(());
        }
        let places = || vertices.iter().map(|v| u32::try_from(v.dense() - first));
        let ring =
            if bytes.len() <= PIECE && places().all(|place| place.is_ok()) { Ring::of(&self.shared)? } else { None };
        let Some(mut ring) = ring.filter(|_| vertices.len() > 1) else {
            let each = vertices.iter().zip(bytes.chunks_exact_mut(value_bytes.max(1)));
            return each.into_iter().try_for_each(|(&v, value)| self.read_plainly(attribute, v, value));
        };
        let places: Vec<u32> = places().flatten().collect();
        let stream = Arc::clone(&self.kit.stream);
        let order = Buffer::lent_copy_of(&stream, bytemuck::cast_slice(&places), "the places of values")?;
        let column = self.memory(attribute)?.address();
        let count = places.len() as u64;
        let fetch = |_, memory: &mut Pinned, part| {
            self.launch_ordered_values(column, order.address(), 0..count, value_bytes, memory, part)
        };
        ring.receive(&stream, &[bytes.len()], fetch, |_, values| {
            bytes.copy_from_slice(values);
            Ok(())
        })
    }

    /// Copies `bytes` into `target` at `offset`, after earlier work in the stream. Large copies use a ring. The caller
    /// may change `bytes` once the call returns.
    pub(super) fn send(&self, target: &Buffer, offset: usize, bytes: &[u8]) -> Result<()> {
        let ring = if bytes.len() > FEW_BYTES { Ring::of(&self.shared)? } else { None };
        match ring {
            Some(mut ring) => ring.send(&self.kit.stream, target, offset, bytes),
            None => self.kit.stream.upload(target, offset, bytes),
        }
    }

    /// Copies the values of consecutive vertices or edges into `bytes`. Large copies use a ring.
    pub(super) fn read_values(&mut self, attribute: usize, first: Vertex, bytes: &mut [u8]) -> Result<()> {
        let offset = self.offset(attribute, first);
        if let Some(memory) = self.away_mut(attribute)? {
            copy(&memory[offset..offset + bytes.len()], bytes);
            return Ok(());
        }
        let shared = Arc::clone(&self.shared);
        let ring = if bytes.len() > FEW_BYTES { Ring::of(&shared)? } else { None };
        let Some(mut ring) = ring else { return self.read_plainly(attribute, first, bytes) };
        let stream = Arc::clone(&self.kit.stream);
        ring.fetch(&stream, self.memory(attribute)?, offset, bytes)
    }

    fn read_plainly(&self, attribute: usize, first: Vertex, bytes: &mut [u8]) -> Result<()> {
        self.kit.stream.synchronize("finishing a pass")?;
        self.memory(attribute)?.download(self.offset(attribute, first), bytes, "an attribute")
    }

    /// Returns the tables that the device needs to convert values to the requested form. Returns `None` if no
    /// conversion is necessary, or if the host must convert the values.
    fn original(&self, request: &AnswerRequest) -> Result<Option<Original>> {
        let ids = self.graph.ids();
        if request.form == AnswerForm::Stored || self.part.is_some() {
            return Ok(None);
        }
        let residents = &self.shared.residents;
        let mut original = Original::default();
        if ids.permutation().is_some() {
            original.order = residents.order(&self.shared, &self.graph)?;
            if original.order.is_none() {
                return Ok(None);
            }
        }
        if self.schema.attributes[request.attribute].ty.scalar == ScalarType::VertexId && !ids.is_identity() {
            original.names = residents.names(&self.shared, &self.graph)?;
            if original.names.is_none() {
                return Ok(None);
            }
        }
        if request.form == AnswerForm::Groups {
            original.named = self.named_of_groups(request, original.order.as_deref())?;
            if original.named.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(original))
    }

    /// Computes, for each vertex, the vertex with the least rank in the same group. Returns `None` if the device has
    /// too little memory, or if vertex numbers have 64 bits.
    fn named_of_groups(&self, request: &AnswerRequest, order: Option<&Buffer>) -> Result<Option<[Buffer; 2]>> {
        const WHAT: &str = "names of groups";
        let (stream, bytes) = (&self.kit.stream, request.bytes());
        if request.value_bytes != size_of::<u32>() || self.context().available()? < 2 * bytes as u64 {
            return Ok(None);
        }
        let (least, named) = match (Buffer::lent(stream, bytes, WHAT), Buffer::lent(stream, bytes, WHAT)) {
            (Ok(least), Ok(named)) => (least, named),
            (Err(Error::OutOfMemory { .. }), _) | (_, Err(Error::OutOfMemory { .. })) => return Ok(None),
            (Err(error), _) | (_, Err(error)) => return Err(error),
        };
        self.launch_fill(least.address(), bytes, &[u8::MAX])?;
        let labels = self.memory(request.attribute)?.address();
        let order = order.map_or(0, |order| order.address());
        let arguments = [named.address(), labels, order, least.address(), request.values];
        let slots: Vec<&[u64]> = arguments.chunks(1).collect();
        // SAFETY: labels, least ranks, results and the order, if there is one, contain a number per vertex.
        unsafe {
            self.support.least_ranks.launch(stream, self.items(request.values), &slots)?;
            self.support.named_of_groups.launch(stream, self.items(request.values), &slots)?;
        }
        Ok(Some([named, least]))
    }

    /// Enqueues a copy of the values at consecutive ranks into a part of page-locked memory.
    fn put_ordered(
        &self,
        request: &AnswerRequest,
        original: &Original,
        ranks: Range<u64>,
        target: &mut Pinned,
        part: Range<usize>,
    ) -> Result<()> {
        let column = match &original.named {
            Some([named, _]) => named,
            None => self.memory(request.attribute)?,
        };
        let stream = &self.kit.stream;
        let order = original.order.as_ref().map_or(0, |order| order.address());
        let (first, count) = (ranks.start, ranks.end - ranks.start);
        let Some(names) = &original.names else {
            if order == 0 {
                return stream.fetch_part(column, first as usize * request.value_bytes, target, part);
            }
            return self.launch_ordered_values(column.address(), order, ranks, request.value_bytes, target, part);
        };
        let place = target.part_mut(part).as_mut_ptr().addr() as u64;
        let length = (request.value_bytes / self.vertex_bytes) as u64;
        let (ids, id_bytes) = (names.ids.address(), names.id_bytes as u64);
        let arguments = [place, column.address(), order, first, count, length, ids, id_bytes];
        let slots: Vec<&[u64]> = arguments.chunks(1).collect();
        // SAFETY: the column contains a value per vertex, the order and the IDs contain an entry per vertex, and the
        // part has room for the values. The ring does not access the part until this work in the stream is complete.
        // The device accesses page-locked memory at the host's address.
        unsafe { self.support.name_vertices.launch(stream, self.items(count * length), &slots) }
    }

    /// Enqueues a kernel that writes the values at consecutive ranks into a part of page-locked memory. `order` is the
    /// device address of a table that maps each rank to an index in the column.
    fn launch_ordered_values(
        &self,
        column: u64,
        order: u64,
        ranks: Range<u64>,
        value_bytes: usize,
        target: &mut Pinned,
        part: Range<usize>,
    ) -> Result<()> {
        let place = target.part_mut(part).as_mut_ptr().addr() as u64;
        let (count, bytes) = (ranks.end - ranks.start, value_bytes as u64);
        let unit = 1 << bytes.trailing_zeros().min(3);
        let arguments = [place, column, order, ranks.start, count, bytes / unit, unit, 0];
        let slots: Vec<&[u64]> = arguments.chunks(1).collect();
        // SAFETY: the conditions for the launch in `put_ordered` also hold here.
        unsafe { self.support.order_values.launch(&self.kit.stream, self.items(count * bytes / unit), &slots) }
    }
}
