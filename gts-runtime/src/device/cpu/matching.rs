//! Searches for a pattern: any list may be looked into at any time, so all pages are in memory.

use super::session::{CpuSession, outcome};
use crate::device::{PassOutcome, on_disk, too_many_vertices};
use crate::error::Result;
use crate::kernel::{Context, Matching, SEARCH, Searched, WholeLists, search};

impl CpuSession {
    /// Counts how often a pattern occurs. A search that has to end early leaves out what is missing.
    pub(super) fn find_matches(&self, matching: &Matching<'_>, gts: Context<'_>) -> Result<(Searched, PassOutcome)> {
        let topology = self.graph.out_topology();
        if !topology.load_all()? {
            return Err(on_disk(&SEARCH));
        }
        let stopped = || gts.stopped();
        let found = self.pool.install(|| {
            let lists = WholeLists::new(topology, self.graph.out_degrees(), matching, stopped)?;
            lists.map(|lists| search(&lists, matching.plan, &stopped)).transpose()
        })?;
        let outcome = outcome(topology, topology.num_edges(), topology.num_pages().into(), 0);
        match found {
            Some(found) => Ok((found, outcome)),
            None if gts.stopped() => Ok((Searched::default(), outcome)),
            None => Err(too_many_vertices(&SEARCH)),
        }
    }
}
