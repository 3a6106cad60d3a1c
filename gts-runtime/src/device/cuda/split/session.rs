//! A run whose updatable attributes are cut into parts by vertex.
//!
//! Each device has the columns of one part at a time and walks all pages for it; updates of foreign vertices are dropped
//! by the kernels. What kernels read at src lies in page-locked host memory, a column of all vertices: `ra`, degrees, and
//! `wa` as they were when the step began. With more parts than devices, a device takes its parts in turn, and their
//! values are at home in host memory meanwhile.

use super::host::HostColumn;
use super::layout::Parts;
use crate::device::at_once::at_once;
use crate::device::cuda::arguments::reads_before;
use crate::device::cuda::part::Part;
use crate::device::cuda::session::{CudaSession, Shared};
use crate::device::{PassOutcome, PassRequest, Session, SessionOptions, initial_value, value_bytes, vertex_bytes};
use crate::error::{Error, Result};
use crate::kernel::{EdgePass, VertexPass, merge_elements};
use gts_core::contract::{AttributeKind, KernelDescriptor, Limit, Schema};
use gts_core::graph::{Graph, Vertex};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A device with the part that is in its columns.
#[derive(Debug)]
struct Member {
    session: CudaSession,
    part: Option<usize>,
}

#[derive(Debug)]
pub(super) struct SplitSession {
    // Sessions go before the memory that their kernels reach.
    members: Vec<Member>,
    parts: Parts,
    host: Host,
    _degrees: Vec<HostColumn>,
    activated_apart: bool,
}

/// What is in host memory.
#[derive(Debug)]
struct Host {
    graph: Graph,
    schema: &'static Schema,
    vertex_bytes: usize,
    shared: Arc<Shared>,
    /// By attribute: each `ra`; each `wa` where parts take turns, or where a kernel has read it at src.
    columns: Vec<Option<Mutex<HostColumn>>>,
    /// Whether parts take turns.
    turns: bool,
}

impl SplitSession {
    pub(super) fn new(
        devices: &[Arc<Shared>],
        graph: &Graph,
        schema: &'static Schema,
        options: &SessionOptions,
        parts: Parts,
    ) -> Result<Self> {
        let shared = Arc::clone(&devices[0]);
        let turns = parts.len() > devices.len();
        let (out, degrees_out) = degrees(&shared, graph.out_degrees())?;
        let (incoming, degrees_in) = match graph.properties().symmetric {
            true => (out, None),
            false => degrees(&shared, graph.in_degrees()).map(|(address, column)| (address, Some(column)))?,
        };
        let mut host = Host {
            graph: graph.clone(),
            schema,
            vertex_bytes: vertex_bytes(graph),
            shared,
            columns: schema.attributes.iter().map(|_| None).collect(),
            turns,
        };
        for (attribute, declared) in schema.attributes.iter().enumerate() {
            match declared.kind {
                AttributeKind::Ra { .. } => host.add(attribute)?,
                AttributeKind::Wa { .. } if turns => {
                    host.add(attribute)?;
                    host.fill(attribute, &initial_value(schema, attribute, host.vertex_bytes));
                }
                _ => {}
            }
        }
        let member = |(index, (number, device)): (usize, (u32, &Arc<Shared>))| {
            let part = Part {
                vertices: parts.vertices(index),
                room: parts.largest(),
                columns: host.addresses(),
                degrees: [out, incoming],
            };
            let options = SessionOptions { device: number, ..options.clone() };
            let session = CudaSession::new(Arc::clone(device), graph.clone(), schema, &options, Some(part))?;
            Ok(Member { session, part: (!turns).then_some(index) })
        };
        let members = (0..).zip(devices).enumerate().map(member).collect::<Result<_>>()?;
        let degrees = [degrees_out].into_iter().chain(degrees_in).collect();
        Ok(Self { members, parts, host, _degrees: degrees, activated_apart: false })
    }

    /// Lets kernels read at src what a `wa` is now.
    fn keep_before(&mut self, kernel: &KernelDescriptor) -> Result<()> {
        for attribute in reads_before(kernel) {
            if self.host.columns[attribute].is_none() {
                self.host.add(attribute)?;
                let address = self.host.column(attribute)?.address();
                for part in self.members.iter_mut().filter_map(|member| member.session.part.as_mut()) {
                    part.columns[attribute] = address;
                }
            }
            for member in &mut self.members {
                member.store(&self.host, &self.parts, attribute)?;
            }
        }
        Ok(())
    }

    /// Runs something for every part, on all devices at once.
    fn each_part(
        &mut self,
        kernel: &'static KernelDescriptor,
        pass: impl Fn(&mut CudaSession) -> Result<PassOutcome> + Sync,
    ) -> Result<PassOutcome> {
        splittable(kernel)?;
        self.keep_before(kernel)?;
        let devices = self.members.len();
        let (parts, host, pass) = (&self.parts, &self.host, &pass);
        let turns = |index: usize, member: &mut Member| -> Result<Vec<PassOutcome>> {
            (index..parts.len())
                .step_by(devices)
                .map(|part| {
                    member.take(host, parts, part)?;
                    pass(&mut member.session)
                })
                .collect()
        };
        let outcomes = at_once(&mut self.members, turns)?;
        self.activated_apart |= !kernel.facts.activates.is_empty();
        let each: Vec<PassOutcome> = outcomes.iter().map(|turns| PassOutcome::in_turn(turns)).collect();
        // Every part saw the same edges; each counts for one of them.
        let edges = outcomes.first().and_then(|turns| turns.first()).map_or(0, |first| first.edges);
        let parts = parts.len() as u32;
        Ok(PassOutcome { edges, parts, devices: devices as u32, ..PassOutcome::total(&each) })
    }

    /// The place of a vertex's part: the device that has it now, if one does.
    fn holder(&mut self, part: usize) -> Option<&mut CudaSession> {
        let devices = self.members.len();
        let member = &mut self.members[part % devices];
        (member.part == Some(part)).then_some(&mut member.session)
    }

    fn all(&mut self, action: impl Fn(&mut CudaSession) -> Result<()>) -> Result<()> {
        self.members.iter_mut().try_for_each(|member| action(&mut member.session))
    }

    fn is_wa(&self, attribute: usize) -> bool {
        matches!(self.host.schema.attributes[attribute].kind, AttributeKind::Wa { .. })
    }

    /// Splits values of consecutive vertices by part.
    fn ranges(&self, attribute: usize, first: Vertex, bytes: usize) -> Vec<(usize, Range<u64>, Range<usize>)> {
        let value = value_bytes(self.host.schema, attribute, self.host.vertex_bytes);
        let start = first.dense();
        let within = self.parts.within(start..start + (bytes / value) as u64);
        let place =
            |vertices: &Range<u64>| (vertices.start - start) as usize * value..(vertices.end - start) as usize * value;
        within.map(|(part, vertices)| (part, vertices.clone(), place(&vertices))).collect()
    }
}

impl Member {
    /// Brings a part into the columns.
    fn take(&mut self, host: &Host, parts: &Parts, part: usize) -> Result<()> {
        if self.part == Some(part) {
            return Ok(());
        }
        let values: Vec<usize> = host.turning().collect();
        for &attribute in &values {
            self.store(host, parts, attribute)?;
        }
        if let Some(own) = &mut self.session.part {
            own.vertices = parts.vertices(part);
        }
        self.part = Some(part);
        let vertices = parts.vertices(part);
        for attribute in values {
            let home = host.column(attribute)?;
            self.session.write(attribute, Vertex::from_dense(vertices.start), home.get(vertices.clone()))?;
        }
        Ok(())
    }

    /// Brings an attribute of the part that is in the columns to host memory.
    fn store(&mut self, host: &Host, parts: &Parts, attribute: usize) -> Result<()> {
        let Some(part) = self.part else { return Ok(()) };
        let vertices = parts.vertices(part);
        let mut home = host.column(attribute)?;
        self.session.read(attribute, Vertex::from_dense(vertices.start), home.get_mut(vertices))
    }
}

impl Host {
    /// Makes the column of an attribute.
    fn add(&mut self, attribute: usize) -> Result<()> {
        let value = value_bytes(self.schema, attribute, self.vertex_bytes);
        let column = HostColumn::new(&self.shared.context, self.graph.num_vertices(), value)?;
        self.columns[attribute] = Some(Mutex::new(column));
        Ok(())
    }

    fn column(&self, attribute: usize) -> Result<MutexGuard<'_, HostColumn>> {
        match &self.columns[attribute] {
            Some(column) => Ok(column.lock().unwrap_or_else(PoisonError::into_inner)),
            None => Err(Error::argument(
                format_args!("`{}`", self.schema.attributes[attribute].name),
                "it has no value a vertex",
            )),
        }
    }

    fn fill(&self, attribute: usize, value: &[u8]) {
        if let Ok(mut column) = self.column(attribute) {
            column.fill(0..self.graph.num_vertices(), value);
        }
    }

    fn addresses(&self) -> Vec<u64> {
        let address = |attribute| self.column(attribute).map_or(0, |column| column.address());
        (0..self.columns.len()).map(address).collect()
    }

    /// The attributes whose parts take turns.
    fn turning(&self) -> impl Iterator<Item = usize> {
        let wa = |attribute: &usize| matches!(self.schema.attributes[*attribute].kind, AttributeKind::Wa { .. });
        (0..self.columns.len()).filter(wa).filter(|_| self.turns)
    }
}

/// The degrees of all vertices where kernels reach them.
fn degrees(shared: &Arc<Shared>, degrees: &[u32]) -> Result<(u64, HostColumn)> {
    let mut column = HostColumn::new(&shared.context, degrees.len() as u64, size_of::<u32>())?;
    column.get_mut(0..degrees.len() as u64).copy_from_slice(bytemuck::cast_slice(degrees));
    Ok((column.address(), column))
}

/// Refuses a kernel that needs the attributes of all vertices.
fn splittable(kernel: &KernelDescriptor) -> Result<()> {
    match kernel.facts.splittable {
        Limit::Yes => Ok(()),
        Limit::No { why, location } => Err(Error::needs(
            kernel.name,
            format!("the attributes of all vertices on one device: {why} at {location}"),
            "run it with Strategy-P (`--strategy p`), or give the device more memory",
        )),
    }
}

impl Session for SplitSession {
    fn vertex_bytes(&self) -> usize {
        self.host.vertex_bytes
    }

    fn write(&mut self, attribute: usize, first: Vertex, bytes: &[u8]) -> Result<()> {
        for (part, vertices, place) in self.ranges(attribute, first, bytes.len()) {
            let (wa, start) = (self.is_wa(attribute), Vertex::from_dense(vertices.start));
            match self.holder(part) {
                Some(session) if wa => session.write(attribute, start, &bytes[place])?,
                _ => self.host.column(attribute)?.get_mut(vertices).copy_from_slice(&bytes[place]),
            }
        }
        Ok(())
    }

    fn read(&mut self, attribute: usize, first: Vertex, bytes: &mut [u8]) -> Result<()> {
        for (part, vertices, place) in self.ranges(attribute, first, bytes.len()) {
            let (wa, start) = (self.is_wa(attribute), Vertex::from_dense(vertices.start));
            match self.holder(part) {
                Some(session) if wa => session.read(attribute, start, &mut bytes[place])?,
                _ => bytes[place].copy_from_slice(self.host.column(attribute)?.get(vertices)),
            }
        }
        Ok(())
    }

    fn fill(&mut self, attribute: usize, value: &[u8]) -> Result<()> {
        self.host.fill(attribute, value);
        if self.is_wa(attribute) {
            self.all(|session| session.fill(attribute, value))?;
        }
        Ok(())
    }

    fn rotate(&mut self, ra: usize, wa: usize) -> Result<()> {
        for part in 0..self.parts.len() {
            let vertices = self.parts.vertices(part);
            let start = Vertex::from_dense(vertices.start);
            let devices = self.members.len();
            let member = &mut self.members[part % devices];
            let mut target = self.host.column(ra)?;
            if member.part == Some(part) {
                member.session.read(wa, start, target.get_mut(vertices))?;
            } else {
                target.get_mut(vertices.clone()).copy_from_slice(self.host.column(wa)?.get(vertices));
            }
        }
        self.fill(wa, &initial_value(self.host.schema, wa, self.host.vertex_bytes))
    }

    fn set_param(&mut self, attribute: usize, value: &[u8]) -> Result<()> {
        self.all(|session| session.set_param(attribute, value))
    }

    fn reset_globals(&mut self) -> Result<()> {
        self.all(|session| session.reset_globals())
    }

    fn global(&mut self, attribute: usize) -> Result<Vec<u8>> {
        let declared = &self.host.schema.attributes[attribute];
        let mut total = self.members[0].session.global(attribute)?;
        if let AttributeKind::Global { merge } = declared.kind {
            for member in &mut self.members[1..] {
                merge_elements(declared.ty.scalar, merge, &mut total, &member.session.global(attribute)?);
            }
        }
        Ok(total)
    }

    fn activate(&mut self, v: Vertex) -> Result<()> {
        self.all(|session| session.activate(v))
    }

    fn activate_all(&mut self) -> Result<()> {
        self.all(|session| session.activate_all())
    }

    fn clear_frontier(&mut self) -> Result<()> {
        self.activated_apart = false;
        self.all(|session| session.clear_frontier())
    }

    fn advance_frontier(&mut self) -> Result<u64> {
        if std::mem::take(&mut self.activated_apart) && self.members.len() > 1 {
            let union = self.activated()?;
            self.activate_set(&union)?;
        }
        let sizes = self.members.iter_mut().map(|member| member.session.advance_frontier());
        Ok(sizes.collect::<Result<Vec<u64>>>()?[0])
    }

    fn frontier_size(&mut self) -> Result<u64> {
        self.members[0].session.frontier_size()
    }

    fn activated(&mut self) -> Result<Vec<u64>> {
        let mut union = self.members[0].session.activated()?;
        for member in &mut self.members[1..] {
            let own = member.session.activated()?;
            union.iter_mut().zip(&own).for_each(|(all, own)| *all |= own);
        }
        Ok(union)
    }

    fn activate_set(&mut self, words: &[u64]) -> Result<()> {
        self.all(|session| session.activate_set(words))
    }

    fn edge_pass(&mut self, kernel: &dyn EdgePass, request: &PassRequest) -> Result<PassOutcome> {
        self.each_part(kernel.descriptor(), |session| session.edge_pass(kernel, request))
    }

    fn vertex_pass(&mut self, kernel: &dyn VertexPass, request: &PassRequest) -> Result<PassOutcome> {
        self.each_part(kernel.descriptor(), |session| session.vertex_pass(kernel, request))
    }
}
