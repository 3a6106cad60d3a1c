//! Scans that pull: what sources hand out is found out first, then each vertex gathers it along its own list.
#![allow(unsafe_code)]

use super::memory::Bytes;
use super::session::{CpuSession, VERTICES};
use crate::device::{PassOutcome, PassRequest, Propagation};
use crate::error::{Error, Result};
use crate::kernel::{Context, EdgePass, PullPass, RawColumn, Receivers};
use gts_core::graph::Side;
use rayon::prelude::*;

/// Edges a vertex from which pulling pays: what is handed out is written once a vertex, and read once an edge.
const EDGES_PER_HANDED_VALUE: u64 = 2;

/// A pass that pulls: its form, and memory for what every vertex hands out.
#[derive(Clone, Copy)]
pub(super) struct Pulling {
    form: &'static dyn PullPass,
    handed: RawColumn,
}

impl CpuSession {
    /// What a pass needs to pull, where it shall.
    pub(super) fn pulling(&mut self, kernel: &dyn EdgePass, request: &PassRequest) -> Result<Option<Pulling>> {
        let Some(form) = kernel.pull().filter(|_| !request.active_only && request.neighbours.is_all()) else {
            return Ok(None);
        };
        let graph = &self.graph;
        let has = |side: &Side| graph.topology(side.opposite()).is_some();
        let in_memory = |side: &Side| graph.topology(*side).is_some_and(|topology| topology.is_resident());
        let pulls = match request.propagation {
            Propagation::Push => false,
            Propagation::Pull if !request.sides.iter().all(has) => {
                return Err(Error::needs(
                    kernel.descriptor().name,
                    "in-edges to pull along, which this graph was built without",
                    "build it with in-edges (`--in-edges`), or leave the choice to the device",
                ));
            }
            Propagation::Pull => true,
            Propagation::Auto => {
                request.sides.iter().all(|side| has(side) && in_memory(&side.opposite()) >= in_memory(side))
                    && graph.num_edges() >= EDGES_PER_HANDED_VALUE * graph.num_vertices()
            }
        };
        if !pulls {
            return Ok(None);
        }
        let bytes = form.handed_bytes() * graph.num_vertices() as usize;
        if self.handed.as_slice().len() < bytes {
            self.handed = Bytes::zeroed(bytes, "values handed along edges")?;
        }
        Ok(Some(Pulling { form, handed: self.handed.column() }))
    }

    /// Has every vertex tell what it hands out.
    pub(super) fn hand_out(&self, Pulling { form, handed }: Pulling, gts: Context<'_>) {
        let vertices = self.graph.num_vertices();
        let wide = self.vertex_bytes == 8;
        self.pool.install(|| {
            (0..vertices.div_ceil(VERTICES)).into_par_iter().for_each(|unit| {
                let range = unit * VERTICES..vertices.min((unit + 1) * VERTICES);
                // SAFETY: `lend` gave the lane the columns of this session's schema and graph, `pulling` an element
                // for each vertex; each range is one unit's.
                self.on_lane(gts, |columns| unsafe { form.hand(range, handed, wide, columns, gts) });
            });
        });
    }

    /// Every edge of a side, by the opposite topology.
    pub(super) fn pull(
        &self,
        kernel: &dyn EdgePass,
        Pulling { form, handed }: Pulling,
        side: Side,
        request: &PassRequest,
        gts: Context<'_>,
    ) -> Result<PassOutcome> {
        let wide = self.vertex_bytes == 8;
        let outcome = self.walk(kernel.descriptor(), side.opposite(), request, gts, |page, entries| {
            // A vertex of a small page has its whole list there.
            let shared = page.is_large() || entries.len() < page.num_entries() as usize;
            self.on_lane(gts, |columns| {
                // SAFETY: as for `hand_out`, which is done; the vertices of a whole small page are in no other unit.
                unsafe { form.run(Receivers { page, entries, shared }, handed, wide, columns, gts) };
            });
        })?;
        Ok(PassOutcome { pulled: true, ..outcome })
    }
}
