//! A device that is one of several processes': each rank of a group has a replica of the attributes on its own device and
//! walks its share of the pages. After a pass the ranks make their replicas one, as the devices of one process do
//! ([`super::replicated`]), by messages of the group.
//!
//! Kernels that are not replicable run on rank 0 alone, which then tells the others.
//!
//! | module | what it has |
//! |---|---|
//! | here | [`DistributedDevice`] |
//! | `session` | passes: what all ranks decide together, and what each does |
//! | `merge` | how replicas of the ranks become one |
//! | `packed` | values of the active vertices alone, one behind the other |

mod merge;
mod packed;
mod session;

use super::{Device, MemoryTaken, PageShares, Session, SessionOptions, is_same};
use crate::error::{Error, Result};
use crate::group::{Call, Group, Place};
use gts_core::contract::Schema;
use gts_core::graph::{Graph, Side};
use session::DistributedSession;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// The device of one rank, as a part of all ranks' devices.
///
/// A group carries one run at a time: a program that starts several runs has each of them end before the next one's passes.
#[derive(Clone)]
pub struct DistributedDevice {
    own: Arc<dyn Device>,
    group: Arc<dyn Group>,
    /// The graph at hand.
    known: Arc<Mutex<Option<Known>>>,
}

/// A graph, and how its pages are shared out.
#[derive(Clone)]
struct Known {
    graph: Graph,
    shares: Arc<PageShares>,
    /// By what ranks with another graph are found out.
    fingerprint: u64,
}

impl std::fmt::Debug for DistributedDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("DistributedDevice").field(&self.name()).finish()
    }
}

impl DistributedDevice {
    /// Creates the device of this rank from the one that it has by itself. All ranks have devices of one kind.
    ///
    /// # Errors
    ///
    /// More ranks than [`PageShares::MOST`].
    pub fn new(own: Arc<dyn Device>, group: Arc<dyn Group>) -> Result<Self> {
        if group.size() > PageShares::MOST {
            return Err(Error::argument(
                format_args!("{} ranks", group.size()),
                format_args!("start at most {}", PageShares::MOST),
            ));
        }
        Ok(Self { own, group, known: Arc::default() })
    }

    /// Returns how the pages of a graph are shared out, which is found out when it is asked for first.
    fn known(&self, graph: &Graph) -> Known {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.as_ref().filter(|known| is_same(&known.graph, graph)) {
            return known.clone();
        }
        let shares = PageShares::even(graph, self.group.size());
        known.insert(Known { graph: graph.clone(), shares, fingerprint: fingerprint(graph) }).clone()
    }
}

/// Returns a hash of what tells graphs apart without a look at their edges: sizes, properties, and where vertices begin.
fn fingerprint(graph: &Graph) -> u64 {
    let mut hasher = DefaultHasher::new();
    (graph.num_vertices(), graph.num_edges(), format!("{:?}", graph.properties())).hash(&mut hasher);
    for topology in [Side::Out, Side::In].into_iter().filter_map(|side| graph.topology(side)) {
        (topology.format().page_size(), topology.rvt().start_vids()).hash(&mut hasher);
    }
    hasher.finish()
}

impl Device for DistributedDevice {
    fn name(&self) -> String {
        format!("{} on each of {} ranks", self.own.name(), self.group.size())
    }

    fn names(&self) -> Vec<String> {
        self.own.names()
    }

    fn start(&self, graph: &Graph, schema: &'static Schema, options: &SessionOptions) -> Result<Box<dyn Session>> {
        let known = self.known(graph);
        let own = self.own.start(graph, schema, options)?;
        let (vertices, edges) = (graph.num_vertices(), graph.num_edges());
        let start = format!("the start of `{}` on a graph of {vertices} vertices and {edges} edges", schema.name);
        self.group.barrier(&Call::new(&Place::new(start, (known.fingerprint, own.vertex_bytes()))))?;
        let share = known.shares.each().nth(self.group.rank()).unwrap_or_default();
        let shares = Arc::clone(&known.shares);
        let (group, trace) = (Arc::clone(&self.group), options.trace.clone());
        Ok(Box::new(DistributedSession::new(graph.clone(), schema, group, own, shares, share, trace)))
    }

    fn keeps_time(&self) -> bool {
        // Else ranks would stop at different passes.
        self.group.rank() == 0
    }

    fn forget(&self, graph: &Graph) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_some_and(|known| is_same(&known.graph, graph)) {
            *known = None;
        }
        drop(known);
        self.own.forget(graph);
    }

    fn memory_taken(&self) -> Vec<MemoryTaken> {
        self.own.memory_taken()
    }
}
