//! Pattern searches. A search may read any list at any time, so all pages must be in memory.

use super::session::{CpuSession, outcome};
use gts_device::error::Result;
use gts_device::kernel::{Asked, Context, Matched, Matching, SEARCH, Searched, WholeLists, search};
use gts_device::{PassOutcome, on_disk, too_many_matches, too_many_vertices};
use std::sync::Mutex;

impl CpuSession {
    /// Counts the matches of a pattern, and lists the matches if requested. A search that is stopped early counts and
    /// lists only some of the matches.
    pub(super) fn find_matches(&self, matching: &Matching<'_>, gts: Context<'_>) -> Result<(Matched, PassOutcome)> {
        let topology = self.graph.out_topology();
        if !topology.load_all()? {
            return Err(on_disk(&SEARCH));
        }
        let stopped = || gts.stopped();
        let outcome = outcome(topology, topology.num_edges(), topology.num_pages().into(), 0);
        self.pool.install(|| {
            let lists = WholeLists::new(topology, self.graph.out_degrees(), matching, stopped)?;
            let Some(lists) = lists else {
                return if gts.stopped() { Ok((Matched::default(), outcome)) } else { Err(too_many_vertices(&SEARCH)) };
            };
            let Searched { matches, overflow } = search(&lists, matching.plan, &Asked::Count, &stopped)?;
            if overflow {
                return Err(too_many_matches());
            }
            let mut matched = Matched::with_room(matches, matching)?;
            if !matched.listed.is_empty() {
                search(&lists, matching.plan, &Asked::List(Mutex::new(&mut matched.listed)), &stopped)?;
            }
            Ok((matched, outcome))
        })
    }
}
