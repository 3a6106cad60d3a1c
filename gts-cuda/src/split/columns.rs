//! What a run keeps beside the parts of its attributes that are on the devices.

use super::column::Column;
use crate::driver::{Context, Spread};
use crate::shared::Shared;
use gts_contract::{AttributeKind, Schema};
use gts_core::graph::Graph;
use gts_device::error::{Error, Result};
use gts_device::{initial_value, value_bytes, vertex_bytes};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Columns of all vertices: what kernels read at src, and the parts that no device has at the moment.
#[derive(Debug)]
pub(super) struct Columns {
    graph: Graph,
    pub(super) schema: &'static Schema,
    /// How many attributes the run began with.
    own_attributes: usize,
    pub(super) vertex_bytes: usize,
    devices: Vec<Arc<Shared>>,
    /// By attribute: each `ra`; each `wa` where parts take turns, or where a kernel has read it at src.
    columns: Vec<Option<Mutex<Column>>>,
    /// Out-degrees and in-degrees; the same where only the first is there.
    degrees: (Column, Option<Column>),
    /// Whether parts take turns.
    pub(super) turns: bool,
    /// Bytes of each device's memory that columns may still take.
    spare: u64,
}

impl Columns {
    /// Creates the columns of a run within a number of bytes of each device's memory. If parts take `turns`, their home is here.
    pub(super) fn new(
        devices: &[Arc<Shared>],
        graph: &Graph,
        schema: &'static Schema,
        turns: bool,
        spare: u64,
    ) -> Result<Self> {
        let (vertex_bytes, mut spare) = (vertex_bytes(graph), spare);
        let mut degrees = |degrees: &[u32]| -> Result<Column> {
            let mut column = column(devices, graph, &[0; size_of::<u32>()], &mut spare)?;
            column.set(0..graph.num_vertices(), bytemuck::cast_slice(degrees))?;
            Ok(column)
        };
        let out = degrees(graph.out_degrees())?;
        let incoming = (!graph.properties().symmetric).then(|| degrees(graph.in_degrees())).transpose()?;
        let mut columns = Self {
            graph: graph.clone(),
            schema,
            own_attributes: schema.attributes.len(),
            vertex_bytes,
            devices: devices.to_vec(),
            columns: schema.attributes.iter().map(|_| None).collect(),
            degrees: (out, incoming),
            turns,
            spare,
        };
        for (attribute, declared) in schema.attributes.iter().enumerate() {
            let wanted = match declared.kind {
                AttributeKind::Ra { .. } => true,
                AttributeKind::Wa { .. } => turns,
                _ => false,
            };
            if wanted {
                columns.add(attribute)?;
            }
        }
        Ok(columns)
    }

    /// Makes sure that there is a column of an attribute, with its initial value; answers its address.
    pub(super) fn add(&mut self, attribute: usize) -> Result<u64> {
        if self.columns[attribute].is_none() {
            let initial = initial_value(self.schema, attribute, self.vertex_bytes);
            let column = column(&self.devices, &self.graph, &initial, &mut self.spare)?;
            self.columns[attribute] = Some(Mutex::new(column));
        }
        Ok(self.column(attribute)?.address())
    }

    /// Takes up the attributes that a longer schema has behind those that the run began with.
    pub(super) fn extend(&mut self, schema: &'static Schema) -> Result<()> {
        self.columns.truncate(self.own_attributes);
        self.columns.resize_with(schema.attributes.len(), || None);
        self.schema = schema;
        let added: Vec<usize> = self.turning().filter(|&attribute| attribute >= self.own_attributes).collect();
        added.into_iter().try_for_each(|attribute| self.add(attribute).map(|_| ()))
    }

    /// The column of an attribute.
    pub(super) fn column(&self, attribute: usize) -> Result<MutexGuard<'_, Column>> {
        match &self.columns[attribute] {
            Some(column) => Ok(column.lock().unwrap_or_else(PoisonError::into_inner)),
            None => Err(Error::argument(
                format_args!("`{}`", self.schema.attributes[attribute].name),
                "it has no value a vertex",
            )),
        }
    }

    /// By attribute, where its column is; 0 for those that have none.
    pub(super) fn addresses(&self) -> Vec<u64> {
        let address = |attribute| self.column(attribute).map_or(0, |column| column.address());
        (0..self.columns.len()).map(address).collect()
    }

    /// Where the out-degrees and the in-degrees are.
    pub(super) fn degrees(&self) -> [u64; 2] {
        let (out, incoming) = &self.degrees;
        [out.address(), incoming.as_ref().unwrap_or(out).address()]
    }

    pub(super) fn is_wa(&self, attribute: usize) -> bool {
        matches!(self.schema.attributes[attribute].kind, AttributeKind::Wa { .. })
    }

    /// Whether the values of vertices whose part is on no device are here.
    pub(super) fn is_home(&self, attribute: usize) -> bool {
        self.turns || !self.is_wa(attribute)
    }

    /// The attributes whose parts take turns.
    pub(super) fn turning(&self) -> impl Iterator<Item = usize> {
        (0..self.columns.len()).filter(|&attribute| self.turns && self.is_wa(attribute))
    }

    /// Bytes of one vertex's value.
    pub(super) fn value_bytes(&self, attribute: usize) -> usize {
        value_bytes(self.schema, attribute, self.vertex_bytes)
    }
}

/// A column of copies of a value: over all devices where that takes no more of each than can be spared.
fn column(devices: &[Arc<Shared>], graph: &Graph, value: &[u8], spare: &mut u64) -> Result<Column> {
    let vertices = graph.num_vertices();
    let contexts: Vec<Arc<Context>> = devices.iter().map(|device| Arc::clone(&device.context)).collect();
    let bytes = vertices as usize * value.len();
    let share = Spread::share(&contexts, bytes).map(|share| share as u64).filter(|share| *share <= *spare);
    if let Some(share) = share {
        let mut made = Column::over_devices(&contexts, vertices, value)?;
        if made.is_none() {
            // Staging and cache take all that is left, and can do with less.
            devices.iter().for_each(|device| device.evict(graph));
            made = Column::over_devices(&contexts, vertices, value)?;
        }
        if let Some(column) = made {
            *spare -= share;
            return Ok(column);
        }
    }
    Column::in_host_memory(&contexts[0], vertices, value)
}
