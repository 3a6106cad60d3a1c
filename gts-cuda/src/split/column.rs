//! Columns that cover all vertices. The kernels of every device read these columns in place.
//!
//! A column is spread over the devices if they have peer access and enough memory. Otherwise the column is in
//! page-locked host memory.

use crate::driver::{Context, Pinned, Spread};
use crate::session::CudaSession;
use gts_core::graph::Vertex;
use gts_core::memory;
use gts_device::Session;
use gts_device::error::Result;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// A column that contains one value for every vertex of the graph.
#[derive(Debug)]
pub(super) struct WholeColumn {
    memory: ColumnMemory,
    /// Bytes per value.
    value: usize,
}

#[derive(Debug)]
enum ColumnMemory {
    Host(Pinned),
    Spread(Spread),
}

/// The number of bytes per upload when a column is filled with one value.
const FILLED: usize = 4 << 20;

impl WholeColumn {
    /// Creates a column in host memory, with `value` for each vertex.
    pub(super) fn in_host_memory(context: &Arc<Context>, vertices: u64, value: &[u8]) -> Result<Self> {
        let mut memory = Pinned::new(context, (vertices as usize * value.len()).max(1))?;
        fill(memory.as_mut_slice(), value);
        Ok(Self { memory: ColumnMemory::Host(memory), value: value.len() })
    }

    /// Creates a column that is spread over these devices, with `value` for each vertex. Returns `None` if the devices
    /// cannot provide the memory.
    pub(super) fn over_devices(contexts: &[Arc<Context>], vertices: u64, value: &[u8]) -> Result<Option<Self>> {
        let bytes = vertices as usize * value.len();
        let Some(memory) = Spread::zeroed(contexts, bytes)? else { return Ok(None) };
        if value.iter().any(|&byte| byte != 0) {
            let mut filled = vec![0; (FILLED / value.len()).max(1) * value.len()];
            fill(&mut filled, value);
            for from in (0..bytes).step_by(filled.len()) {
                memory.upload(from, &filled[..filled.len().min(bytes - from)])?;
            }
        }
        Ok(Some(Self { memory: ColumnMemory::Spread(memory), value: value.len() }))
    }

    /// Returns the address at which kernels read the first value.
    pub(super) fn address(&self) -> u64 {
        match &self.memory {
            ColumnMemory::Host(memory) => memory.address().addr() as u64,
            ColumnMemory::Spread(memory) => memory.address(),
        }
    }

    fn range(&self, vertices: &Range<u64>) -> Range<usize> {
        vertices.start as usize * self.value..vertices.end as usize * self.value
    }

    /// Returns the values of consecutive vertices. No kernel may access these values during the call.
    pub(super) fn get(&self, vertices: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let range = self.range(&vertices);
        match &self.memory {
            ColumnMemory::Host(memory) => Ok(Cow::Borrowed(&memory.as_slice()[range])),
            ColumnMemory::Spread(memory) => {
                let mut bytes = memory::zeroed("values of vertices", range.len())?;
                memory.download(range.start, &mut bytes)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// Sets the values of consecutive vertices. No kernel may access these values during the call.
    pub(super) fn set(&mut self, vertices: Range<u64>, values: &[u8]) -> Result<()> {
        let range = self.range(&vertices);
        match &mut self.memory {
            ColumnMemory::Host(memory) => memory.as_mut_slice()[range].copy_from_slice(values),
            ColumnMemory::Spread(memory) => memory.upload(range.start, values)?,
        }
        Ok(())
    }

    /// Copies an attribute of a session's part to this column. The copy is complete after the session's stream has been
    /// synchronized.
    pub(super) fn set_from(&mut self, session: &mut CudaSession, attribute: usize) -> Result<()> {
        let vertices = session.vertices();
        let range = self.range(&vertices);
        match &mut self.memory {
            ColumnMemory::Host(memory) => {
                session.read(attribute, Vertex::from_dense(vertices.start), &mut memory.as_mut_slice()[range])
            }
            ColumnMemory::Spread(memory) => {
                session.kit.stream.copy_to_spread(session.memory(attribute)?, memory, range.start, range.len())
            }
        }
    }

    /// Sets all values to `value`. No kernel may access the column during the call. `session` may belong to any of the
    /// devices.
    pub(super) fn fill(&mut self, session: &CudaSession, value: &[u8]) -> Result<()> {
        match &mut self.memory {
            ColumnMemory::Host(memory) => fill(memory.as_mut_slice(), value),
            ColumnMemory::Spread(memory) => {
                session.launch_fill(memory.address(), memory.bytes(), value)?;
                session.kit.stream.synchronize("filling an attribute")?;
            }
        }
        Ok(())
    }
}

/// Fills memory with copies of a value.
fn fill(memory: &mut [u8], value: &[u8]) {
    memory.chunks_exact_mut(value.len()).for_each(|place| place.copy_from_slice(value));
}
