//! A run whose updatable attributes are divided into parts by vertex.
//!
//! Each device holds the columns of one part at a time, and walks all pages for this part. Kernels drop updates to
//! vertices outside the part. Values that kernels read at src are in columns that cover all vertices: `ra`, degrees,
//! and `wa` as of the beginning of the step. These columns are either spread over the devices or in host memory. If
//! there are more parts than devices, each device processes its parts in turn. Parts that no device holds are stored in
//! host memory.
//!
//! If the devices have peer access, each streamed page crosses the host's bus once: every device loads a share of the
//! pages and forwards this share to the other devices. Otherwise, every device copies all pages from the host.

use super::columns::WholeColumns;
use super::layout::Parts;
use crate::arguments::reads_before;
use crate::part::Part;
use crate::pass::LoadedAmount;
use crate::session::CudaSession;
use crate::shared::{DeviceState, alone};
use crate::streaming::{Member, Relay};
use gts_contract::{AttributeKind, KernelDescriptor, Limit, Schema};
use gts_core::advice::Advice;
use gts_core::graph::{Graph, Vertex};
use gts_device::at_once::at_once;
use gts_device::error::{Error, Result};
use gts_device::kernel::{EdgePass, Matched, Matching, VertexPass, merge_totals};
use gts_device::{PageShare, PageShares, PassOutcome, PassRequest, Session, SessionOptions, initial_value};
use std::ops::Range;
use std::sync::Arc;

/// A device's session, and the part whose values are in the session's columns.
#[derive(Debug)]
struct PartHolder {
    session: CudaSession,
    part: Option<usize>,
}

#[derive(Debug)]
pub(super) struct SplitSession {
    // Sessions are dropped before the columns that their kernels access.
    holders: Vec<PartHolder>,
    parts: Parts,
    columns: WholeColumns,
    activated_apart: bool,
    /// Whether devices forward streamed pages to each other.
    relayed: bool,
    /// The share of the pages that each device loads, if devices forward pages.
    shares: Option<Arc<PageShares>>,
}

impl SplitSession {
    pub(super) fn new(
        devices: &[Arc<DeviceState>],
        graph: &Graph,
        schema: &'static Schema,
        options: &SessionOptions,
        parts: Parts,
        relayed: bool,
        spare: u64,
    ) -> Result<Self> {
        let turns = parts.len() > devices.len();
        let columns = WholeColumns::new(devices, graph, schema, turns, spare)?;
        let holder = |(index, (number, device)): (usize, (u32, &Arc<DeviceState>))| {
            let part = Part {
                vertices: parts.vertices(index),
                room: parts.largest(),
                columns: columns.addresses(),
                degrees: columns.degrees(),
            };
            let options = SessionOptions { device: number, ..options.clone() };
            let session = CudaSession::new(Arc::clone(device), graph.clone(), schema, &options, Some(part))?;
            Ok(PartHolder { session, part: (!turns).then_some(index) })
        };
        let holders = (0..).zip(devices).enumerate().map(holder).collect::<Result<_>>()?;
        let shares = relayed.then(|| PageShares::even(graph, devices.len()));
        Ok(Self { holders, parts, columns, activated_apart: false, relayed, shares })
    }

    /// Copies the current values of each `wa` that a kernel reads at src to the column that covers all vertices. The
    /// kernel then reads values as of the beginning of the step.
    fn keep_before(&mut self, kernel: &KernelDescriptor) -> Result<()> {
        for attribute in reads_before(kernel) {
            let address = self.columns.add(attribute)?;
            for holder in &mut self.holders {
                if let Some(part) = &mut holder.session.part {
                    part.columns[attribute] = address;
                }
                holder.store(&self.columns, attribute)?;
            }
        }
        self.settle()
    }

    /// Waits until all devices have copied their parts to the columns.
    fn settle(&self) -> Result<()> {
        self.holders.iter().try_for_each(|holder| holder.session.kit.stream.synchronize("storing an attribute"))
    }

    /// Calls `pass` for every part, on all devices concurrently. If `relayed` is set, the devices process their n-th
    /// parts together and forward pages to each other.
    fn each_part(
        &mut self,
        kernel: &'static KernelDescriptor,
        relayed: bool,
        pass: impl Fn(&mut CudaSession, Option<&mut Member<'_>>) -> Result<PassOutcome> + Sync,
    ) -> Result<Vec<Vec<PassOutcome>>> {
        let devices = self.holders.len();
        let (parts, columns, pass) = (&self.parts, &self.columns, &pass);
        let relay = |_| relayed.then(|| Relay::new(devices));
        let relays: Vec<Option<Relay>> = (0..parts.len() / devices).map(relay).collect();
        let turns = |index: usize, holder: &mut PartHolder| -> Result<Vec<PassOutcome>> {
            let turn = |(part, relay): (usize, &Option<Relay>)| {
                let mut member = relay.as_ref().map(|relay| relay.member(index));
                let taken = holder.take(columns, parts, part);
                let outcome = taken.and_then(|()| pass(&mut holder.session, member.as_mut()));
                if let (Err(error), Some(member)) = (&outcome, &member) {
                    member.fail(error);
                }
                outcome
            };
            (index..parts.len()).step_by(devices).zip(&relays).map(turn).collect()
        };
        let outcomes = at_once(&mut self.holders, turns)?;
        self.activated_apart |= !kernel.facts.activates.is_empty();
        Ok(outcomes)
    }

    /// Loads the pages onto every device. If the pages do not fit onto one of the devices, pages stream on all devices.
    /// Returns whether pages stream, and the amount of loaded data.
    fn load_pages(&mut self, kernel: &'static KernelDescriptor, request: &PassRequest) -> Result<(bool, LoadedAmount)> {
        let mut loaded = LoadedAmount::default();
        if !self.holders.iter().all(|holder| holder.session.is_loaded(kernel, request)) {
            for one in at_once(&mut self.holders, |_, holder| holder.session.load_pages(kernel, request))? {
                loaded.copied += one.copied;
                loaded.read += one.read;
            }
        }
        let streamed = self.holders.iter().any(|holder| holder.session.streams());
        if streamed {
            self.holders.iter_mut().for_each(|holder| holder.session.let_stream());
        }
        Ok((streamed, loaded))
    }

    /// Returns the combined outcome of the passes for all parts.
    fn total(&self, outcomes: &[Vec<PassOutcome>]) -> PassOutcome {
        let each: Vec<PassOutcome> = outcomes.iter().map(|turns| PassOutcome::in_turn(turns)).collect();
        let (parts, devices) = (self.parts.len() as u32, outcomes.len() as u32);
        PassOutcome { parts, devices, ..PassOutcome::total(&each) }
    }

    /// Returns the session that currently holds a part, or `None` if no session holds the part.
    fn holder(&mut self, part: usize) -> Option<&mut CudaSession> {
        let devices = self.holders.len();
        let holder = &mut self.holders[part % devices];
        (holder.part == Some(part)).then_some(&mut holder.session)
    }

    fn all(&mut self, action: impl Fn(&mut CudaSession) -> Result<()>) -> Result<()> {
        self.holders.iter_mut().try_for_each(|holder| action(&mut holder.session))
    }

    /// Splits the values of consecutive vertices by part. Each item consists of a part, the vertices in that part, and
    /// the byte range of these vertices' values.
    fn ranges(&self, attribute: usize, first: Vertex, bytes: usize) -> Vec<(usize, Range<u64>, Range<usize>)> {
        let value = self.columns.value_bytes(attribute);
        let start = first.dense();
        let within = self.parts.within(start..start + (bytes / value) as u64);
        let place =
            |vertices: &Range<u64>| (vertices.start - start) as usize * value..(vertices.end - start) as usize * value;
        within.map(|(part, vertices)| (part, vertices.clone(), place(&vertices))).collect()
    }
}

impl PartHolder {
    /// Stores the current part in the columns that cover all vertices, and loads part `part`. Does nothing if the
    /// session already holds that part.
    fn take(&mut self, columns: &WholeColumns, parts: &Parts, part: usize) -> Result<()> {
        if self.part == Some(part) {
            return Ok(());
        }
        let values: Vec<usize> = columns.turning().collect();
        for &attribute in &values {
            self.store(columns, attribute)?;
        }
        self.session.kit.stream.synchronize("storing an attribute")?;
        if let Some(own) = &mut self.session.part {
            own.vertices = parts.vertices(part);
        }
        self.part = Some(part);
        let vertices = parts.vertices(part);
        for attribute in values {
            let home = columns.column(attribute)?;
            self.session.write(attribute, Vertex::from_dense(vertices.start), &home.get(vertices.clone())?)?;
        }
        Ok(())
    }

    /// Copies an attribute of the current part into the column that covers all vertices.
    fn store(&mut self, columns: &WholeColumns, attribute: usize) -> Result<()> {
        match self.part {
            Some(_) => columns.column(attribute)?.set_from(&mut self.session, attribute),
            None => Ok(()),
        }
    }
}

/// Fails if a kernel needs the attributes of all vertices on one device.
fn splittable(kernel: &KernelDescriptor) -> Result<()> {
    match kernel.facts.splittable {
        Limit::Yes => Ok(()),
        Limit::No { why, location } => Err(Error::needs(
            kernel.function,
            format!("the attributes of all vertices on one device: {why} at {location}"),
            Advice::new(
                "run it with --strategy p, or give more --device-memory",
                "run it by `Strategy::Pages`, or allow more `device_memory`",
            ),
        )),
    }
}

impl Session for SplitSession {
    fn vertex_bytes(&self) -> usize {
        self.columns.vertex_bytes
    }

    fn write(&mut self, attribute: usize, first: Vertex, bytes: &[u8]) -> Result<()> {
        for (part, vertices, place) in self.ranges(attribute, first, bytes.len()) {
            let (wa, start) = (self.columns.is_wa(attribute), Vertex::from_dense(vertices.start));
            match self.holder(part) {
                Some(session) if wa => session.write(attribute, start, &bytes[place])?,
                _ => self.columns.column(attribute)?.set(vertices, &bytes[place])?,
            }
        }
        Ok(())
    }

    fn read(&mut self, attribute: usize, first: Vertex, bytes: &mut [u8]) -> Result<()> {
        for (part, vertices, place) in self.ranges(attribute, first, bytes.len()) {
            let (wa, start) = (self.columns.is_wa(attribute), Vertex::from_dense(vertices.start));
            match self.holder(part) {
                Some(session) if wa => session.read(attribute, start, &mut bytes[place])?,
                _ => bytes[place].copy_from_slice(&self.columns.column(attribute)?.get(vertices)?),
            }
        }
        Ok(())
    }

    fn fill(&mut self, attribute: usize, value: &[u8]) -> Result<()> {
        if self.columns.is_home(attribute) {
            self.columns.column(attribute)?.fill(&self.holders[0].session, value)?;
        }
        if self.columns.is_wa(attribute) {
            self.all(|session| session.fill(attribute, value))?;
        }
        Ok(())
    }

    fn rotate(&mut self, ra: usize, wa: usize) -> Result<()> {
        let devices = self.holders.len();
        for part in 0..self.parts.len() {
            let holder = &mut self.holders[part % devices];
            let mut target = self.columns.column(ra)?;
            if holder.part == Some(part) {
                target.set_from(&mut holder.session, wa)?;
            } else {
                let vertices = self.parts.vertices(part);
                target.set(vertices.clone(), &self.columns.column(wa)?.get(vertices)?)?;
            }
        }
        self.settle()?;
        self.fill(wa, &initial_value(self.columns.schema, wa, self.columns.vertex_bytes))
    }

    fn set_param(&mut self, attribute: usize, value: &[u8]) -> Result<()> {
        self.all(|session| session.set_param(attribute, value))
    }

    fn reset_globals(&mut self, attributes: &[usize]) -> Result<()> {
        self.all(|session| session.reset_globals(attributes))
    }

    fn global(&mut self, attribute: usize) -> Result<Vec<u8>> {
        let declared = &self.columns.schema.attributes[attribute];
        let mut total = self.holders[0].session.global(attribute)?;
        if let AttributeKind::Global { merge } = declared.kind {
            for holder in &mut self.holders[1..] {
                let part = holder.session.global(attribute)?;
                merge_totals(declared.ty.scalar, merge, &mut total, &part);
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
        if std::mem::take(&mut self.activated_apart) && self.holders.len() > 1 {
            let union = self.activated()?;
            self.activate_set(&union)?;
        }
        let sizes = self.holders.iter_mut().map(|holder| holder.session.advance_frontier());
        Ok(sizes.collect::<Result<Vec<u64>>>()?[0])
    }

    fn frontier_size(&mut self) -> Result<u64> {
        self.holders[0].session.frontier_size()
    }

    fn activated(&mut self) -> Result<Vec<u64>> {
        let mut union = self.holders[0].session.activated()?;
        for holder in &mut self.holders[1..] {
            let own = holder.session.activated()?;
            union.iter_mut().zip(&own).for_each(|(all, own)| *all |= own);
        }
        Ok(union)
    }

    fn activate_set(&mut self, words: &[u64]) -> Result<()> {
        self.all(|session| session.activate_set(words))
    }

    fn extend(&mut self, kernel: &'static KernelDescriptor) -> Result<()> {
        splittable(kernel)?;
        self.all(|session| session.extend(kernel))?;
        self.columns.extend(kernel.schema)
    }

    fn edge_pass(&mut self, kernel: &dyn EdgePass, request: &PassRequest) -> Result<PassOutcome> {
        let request = &request.within_a_step();
        let descriptor = kernel.descriptor();
        splittable(descriptor)?;
        self.keep_before(descriptor)?;
        let (streamed, loaded) = self.load_pages(descriptor, request)?;
        let relayed = streamed && self.relayed;
        let devices: Vec<Arc<DeviceState>> =
            self.holders.iter().map(|holder| Arc::clone(&holder.session.shared)).filter(|_| relayed).collect();
        let _alone = alone(&devices);
        // In a relay, each device loads a share of the pages.
        let shares: Vec<PageShare> = self.shares.iter().flat_map(PageShares::each).collect();
        let outcomes = self.each_part(descriptor, relayed, |session, member| {
            let share = member.as_ref().and_then(|member| shares.get(member.index()));
            let share = share.cloned().unwrap_or(PageShare::WHOLE);
            session.run_edges(descriptor, &PassRequest { share, ..request.clone() }, member)
        })?;
        // The passes for all parts walk the same edges, so count only the edges of the first part. In a relay, each
        // device counts only the edges in its share of the pages.
        let seen = outcomes.iter().take(if relayed { outcomes.len() } else { 1 });
        let edges = seen.filter_map(|turns| turns.first()).map(|first| first.edges).sum();
        let total = self.total(&outcomes);
        let (copied, read) = (total.copied + loaded.copied, total.read + loaded.read);
        Ok(PassOutcome { edges, copied, read, ..total })
    }

    fn matches(&mut self, matching: &Matching<'_>, request: &PassRequest) -> Result<(Matched, PassOutcome)> {
        let (matches, outcome) = self.holders[0].session.matches(matching, request)?;
        Ok((matches, PassOutcome { devices: 1, alone: true, ..outcome }))
    }

    fn vertex_pass(&mut self, kernel: &dyn VertexPass, request: &PassRequest) -> Result<PassOutcome> {
        let request = &request.within_a_step();
        let descriptor = kernel.descriptor();
        splittable(descriptor)?;
        self.keep_before(descriptor)?;
        let outcomes = self.each_part(descriptor, false, |session, _| session.vertex_pass(kernel, request))?;
        let edges = outcomes.first().and_then(|turns| turns.first()).map_or(0, |first| first.edges);
        Ok(PassOutcome { edges, ..self.total(&outcomes) })
    }
}
