//! The columns of a run that cover all vertices. The devices store the current parts of updatable attributes
//! separately.

use super::column::WholeColumn;
use crate::driver::{Context, Spread};
use crate::shared::DeviceState;
use gts_contract::{AttributeKind, Schema};
use gts_core::graph::Graph;
use gts_device::error::{Error, Result};
use gts_device::{initial_value, value_bytes, vertex_bytes};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The columns that cover all vertices: values that kernels read at src, and values of the parts that no device
/// currently holds.
#[derive(Debug)]
pub(super) struct WholeColumns {
    graph: Graph,
    pub(super) schema: &'static Schema,
    /// The number of attributes in the run's own struct. All later attributes belong to a derived kernel.
    own_attributes: usize,
    pub(super) vertex_bytes: usize,
    devices: Vec<Arc<DeviceState>>,
    /// The columns, indexed by attribute. Each `ra` has a column. A `wa` has a column if parts take turns, or once a
    /// kernel has read the `wa` at src.
    columns: Vec<Option<Mutex<WholeColumn>>>,
    /// The out-degrees and the in-degrees. The second column is `None` in a symmetric graph, because the degrees are
    /// equal.
    degrees: (WholeColumn, Option<WholeColumn>),
    /// Whether there are more parts than devices, so that the parts of a device take turns.
    pub(super) turns: bool,
    /// The number of bytes of each device's memory that additional columns may use.
    spare: u64,
}

impl WholeColumns {
    /// Creates the columns of a run. The columns use at most `spare` bytes of each device's memory. If `turns` is set,
    /// the columns also store the `wa` values of parts that no device holds.
    pub(super) fn new(
        devices: &[Arc<DeviceState>],
        graph: &Graph,
        schema: &'static Schema,
        turns: bool,
        spare: u64,
    ) -> Result<Self> {
        let (vertex_bytes, mut spare) = (vertex_bytes(graph), spare);
        let mut degrees = |degrees: &[u32]| -> Result<WholeColumn> {
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

    /// Returns the address of an attribute's column. If the attribute has no column, creates a column that contains the
    /// attribute's initial value.
    pub(super) fn add(&mut self, attribute: usize) -> Result<u64> {
        if self.columns[attribute].is_none() {
            let initial = initial_value(self.schema, attribute, self.vertex_bytes);
            let column = column(&self.devices, &self.graph, &initial, &mut self.spare)?;
            self.columns[attribute] = Some(Mutex::new(column));
        }
        Ok(self.column(attribute)?.address())
    }

    /// Replaces the schema with a derived kernel's schema, which has additional attributes. If parts take turns,
    /// creates a column for each additional `wa`.
    pub(super) fn extend(&mut self, schema: &'static Schema) -> Result<()> {
        self.columns.truncate(self.own_attributes);
        self.columns.resize_with(schema.attributes.len(), || None);
        self.schema = schema;
        let added: Vec<usize> = self.turning().filter(|&attribute| attribute >= self.own_attributes).collect();
        added.into_iter().try_for_each(|attribute| self.add(attribute).map(|_| ()))
    }

    /// Returns the column of an attribute. Fails if the attribute has no column.
    pub(super) fn column(&self, attribute: usize) -> Result<MutexGuard<'_, WholeColumn>> {
        match &self.columns[attribute] {
            Some(column) => Ok(column.lock().unwrap_or_else(PoisonError::into_inner)),
            None => Err(Error::argument(
                format_args!("`{}`", self.schema.attributes[attribute].name),
                "it has no value a vertex",
            )),
        }
    }

    /// Returns the address of each attribute's column, or 0 for an attribute without a column.
    pub(super) fn addresses(&self) -> Vec<u64> {
        let address = |attribute| self.column(attribute).map_or(0, |column| column.address());
        (0..self.columns.len()).map(address).collect()
    }

    /// Returns the addresses of the out-degrees and the in-degrees.
    pub(super) fn degrees(&self) -> [u64; 2] {
        let (out, incoming) = &self.degrees;
        [out.address(), incoming.as_ref().unwrap_or(out).address()]
    }

    pub(super) fn is_wa(&self, attribute: usize) -> bool {
        matches!(self.schema.attributes[attribute].kind, AttributeKind::Wa { .. })
    }

    /// Returns whether an attribute's column stores the values of all parts that no device holds.
    pub(super) fn is_home(&self, attribute: usize) -> bool {
        self.turns || !self.is_wa(attribute)
    }

    /// Returns all attributes of kind `wa` if parts take turns, and no attributes otherwise.
    pub(super) fn turning(&self) -> impl Iterator<Item = usize> {
        (0..self.columns.len()).filter(|&attribute| self.turns && self.is_wa(attribute))
    }

    /// Returns the size of an attribute's value in bytes.
    pub(super) fn value_bytes(&self, attribute: usize) -> usize {
        value_bytes(self.schema, attribute, self.vertex_bytes)
    }
}

/// Creates a column with `value` for each vertex. The column is spread over all devices if each device's share is at
/// most `spare` bytes. Otherwise, or if the devices lack memory, the column is in host memory.
fn column(devices: &[Arc<DeviceState>], graph: &Graph, value: &[u8], spare: &mut u64) -> Result<WholeColumn> {
    let vertices = graph.num_vertices();
    let contexts: Vec<Arc<Context>> = devices.iter().map(|device| Arc::clone(&device.context)).collect();
    let bytes = vertices as usize * value.len();
    let share = Spread::share(&contexts, bytes).map(|share| share as u64).filter(|share| *share <= *spare);
    if let Some(share) = share {
        let mut made = WholeColumn::over_devices(&contexts, vertices, value)?;
        if made.is_none() {
            // Staging buffers and the page cache occupy all remaining memory, but can work with less.
            devices.iter().for_each(|device| device.evict(graph));
            made = WholeColumn::over_devices(&contexts, vertices, value)?;
        }
        if let Some(column) = made {
            *spare -= share;
            return Ok(column);
        }
    }
    WholeColumn::in_host_memory(&contexts[0], vertices, value)
}
