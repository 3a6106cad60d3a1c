//! Strategy-S (section 4.2 of the GTS paper): the updatable attributes are divided into parts by vertex.
//!
//! Each device holds one part at a time, and walks all pages for this part. If there are more parts than devices, a
//! pass walks the pages several times, once for each of a device's parts. Attributes can therefore be larger than the
//! memory of all devices.

mod column;
mod columns;
mod layout;
mod session;

use super::CudaDevice;
use super::driver::{Context, Spread};
use super::shared::DeviceState;
use super::travelling::load_of;
use gts_contract::{AttributeKind, AttributeSchema, Schema};
use gts_core::advice::Advice;
use gts_core::cost::holding::{GRAIN, STAGING_SHARE};
use gts_core::graph::Graph;
use gts_device::error::{Error, Result};
use gts_device::{Device, MemoryTaken, Session, SessionOptions, value_bytes, vertex_bytes};
use layout::{DeviceRoom, Parts};
use session::SplitSession;
use std::sync::Arc;

/// A group of devices. Each device holds one part of the updatable attributes at a time.
#[derive(Clone, Debug)]
pub struct SplitDevice {
    devices: Vec<Arc<CudaDevice>>,
    /// Whether all devices have peer access to each other. With peer access, the devices forward pages, so that each
    /// page crosses the host's bus only once.
    relayed: bool,
}

impl SplitDevice {
    /// Creates a group of devices.
    ///
    /// # Errors
    ///
    /// Fails if `devices` is empty, or if a device fails.
    pub fn new(devices: Vec<Arc<CudaDevice>>) -> Result<Self> {
        if devices.is_empty() {
            return Err(Error::argument("no device", "give one or more"));
        }
        let relayed = devices.len() > 1 && all_reach(&devices)?;
        Ok(Self { devices, relayed })
    }

    /// Returns parts whose attributes fit into device memory, and the number of bytes per device that remain for
    /// columns that cover all vertices.
    fn parts(&self, graph: &Graph, schema: &Schema) -> Result<(Parts, u64)> {
        let width = vertex_bytes(graph);
        let load = load_of(graph, schema, width);
        let (vertex, least) = (load.attributes.wa, load.least_beside_part(self.relayed));
        let room = |device: &Arc<CudaDevice>| {
            let available = device.shared.context.available()?;
            Ok(DeviceRoom { available, fixed: load.beside_part(available, self.relayed), vertex })
        };
        let rooms: Vec<DeviceRoom> = self.devices.iter().map(room).collect::<Result<_>>()?;
        let parts = Parts::fitting(graph.num_vertices(), self.devices.len() as u64, &rooms);
        let parts = parts.ok_or_else(|| Error::OutOfMemory {
            device: self.name(),
            what: format!("sets, tables and staging beside a part of `{}`", schema.name),
            needed: enough(least, vertex),
            free: rooms.iter().map(|room| room.available).min().unwrap_or(0),
            remedy: Advice::new(
                "give the device more --device-memory, or run with --device cpu",
                "allow more `device_memory`, or run on the CPU",
            ),
        })?;
        // If parts take turns, larger parts are a better use of device memory than columns.
        let spread = self.relayed && parts.len() == self.devices.len();
        let left = |room: &DeviceRoom| room.available.saturating_sub(room.fixed + vertex * parts.largest());
        let spare = rooms.iter().map(left).min().filter(|_| spread).unwrap_or(0);
        Ok((parts, spare))
    }

    /// Returns the maximum number of bytes per device that spread columns can use. There is a column for each direction
    /// of degrees, and one for each attribute that a kernel may read at src.
    fn of_columns(&self, graph: &Graph, schema: &Schema) -> u64 {
        if !self.relayed {
            return 0;
        }
        let width = vertex_bytes(graph);
        let contexts: Vec<Arc<Context>> =
            self.devices.iter().map(|device| Arc::clone(&device.shared.context)).collect();
        let of_vertices =
            |declared: &&AttributeSchema| matches!(declared.kind, AttributeKind::Ra { .. } | AttributeKind::Wa { .. });
        let values = (0..).zip(schema.attributes).filter(|(_, declared)| of_vertices(declared));
        let values = values.map(|(attribute, _)| value_bytes(schema, attribute, width));
        let bytes = values.chain([size_of::<u32>(); 2]).map(|value| value * graph.num_vertices() as usize);
        bytes.filter_map(|bytes| Spread::share(&contexts, bytes)).map(|share| share as u64).sum()
    }
}

impl Device for SplitDevice {
    fn name(&self) -> String {
        let names = self.names();
        let alone = if self.relayed || names.len() == 1 { "" } else { ", each copying all pages from the host" };
        format!("{}, attributes in parts{alone}", names.join(" + "))
    }

    fn names(&self) -> Vec<String> {
        self.devices.iter().map(|device| device.name()).collect()
    }

    fn start(&self, graph: &Graph, schema: &'static Schema, options: &SessionOptions) -> Result<Box<dyn Session>> {
        let of_edges = |declared: &&AttributeSchema| matches!(declared.kind, AttributeKind::EdgeWa { .. });
        if let Some(attribute) = schema.attributes.iter().find(of_edges) {
            return Err(Error::needs(
                format!("`{}` of `{}`", attribute.name, schema.name),
                "a device that holds it whole: values of edges are not cut into parts",
                Advice::new(
                    "run it with --strategy p on a device with more memory, or with --device cpu",
                    "run it by `Strategy::Pages` on a device with more memory, or on the CPU",
                ),
            ));
        }
        let shared: Vec<Arc<DeviceState>> = self.devices.iter().map(|device| Arc::clone(&device.shared)).collect();
        shared.iter().for_each(|device| device.end_streams());
        let (parts, spare) = match self.parts(graph, schema) {
            // Keep the pages of earlier runs if there is enough memory for the parts and all columns.
            Ok((parts, spare)) if parts.len() == self.devices.len() && spare >= self.of_columns(graph, schema) => {
                (parts, spare)
            }
            _ => {
                shared.iter().for_each(|device| device.evict(graph));
                self.parts(graph, schema)?
            }
        };
        Ok(Box::new(SplitSession::new(&shared, graph, schema, options, parts, self.relayed, spare)?))
    }

    fn forget(&self, graph: &Graph) {
        self.devices.iter().for_each(|device| device.forget(graph));
    }

    fn memory_taken(&self) -> Vec<MemoryTaken> {
        self.devices.iter().flat_map(|device| device.memory_taken()).collect()
    }
}

/// Returns the smallest amount of device memory in bytes that suffices for a run. The smallest part has [`GRAIN`]
/// vertices of `vertex` bytes each. The device also needs `least` bytes, and the share of memory that is reserved for
/// staging.
fn enough(least: u64, vertex: u64) -> u64 {
    let part = least + GRAIN * vertex;
    part + part.div_ceil(STAGING_SHARE - 1)
}

/// Enables peer access between all devices. Returns whether the machine supports this access.
fn all_reach(devices: &[Arc<CudaDevice>]) -> Result<bool> {
    for device in devices {
        for other in devices {
            if !device.shared.context.reach(&other.shared.context)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_device_is_said_to_need_is_enough() {
        for (least, vertex) in [(0, 1), (1000, 8), (341_091, 4096), (1 << 40, 3)] {
            let available = enough(least, vertex);
            let room = DeviceRoom { available, fixed: least + available / STAGING_SHARE, vertex };
            assert!(Parts::fitting(1 << 20, 2, &[room]).is_some(), "{least} and {vertex} a vertex");
        }
    }
}
