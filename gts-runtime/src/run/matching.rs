//! How often a pattern occurs in the graph of a run.

use super::Run;
use crate::error::{Error, Result};
use crate::kernel::{Attributes, Matching, SEARCH};
use gts_core::advice::Advice;
use gts_core::pattern::PatternPlan;
use gts_core::summaries;
use std::time::Instant;

impl<A: Attributes> Run<A> {
    /// Counts how often a pattern occurs: the sets of edges of the graph that have its shape and labels. Each counts once, also
    /// where the pattern has symmetries. `labels` has for each dense vertex the place of its label among those of the pattern,
    /// from 1, and 0 where it has none of them; it is empty where the pattern has no labels.
    ///
    /// Parallel edges count as one, edges from a vertex to itself not at all. The search keeps no candidates: beside the
    /// lists of the graph it takes a byte a vertex for each thread on the CPU, and registers on a GPU
    /// ([`gts_core::pattern::host_bytes`], [`gts_core::pattern::device_bytes`]).
    ///
    /// # Errors
    ///
    /// A graph that is not symmetric, labels for other vertices than the graph has, pages that are not in memory, 2^64
    /// matches or more, a limit, or a device that fails.
    pub fn matches(&mut self, plan: &PatternPlan, labels: &[u8]) -> Result<u64> {
        if !self.graph.properties().symmetric {
            return Err(Error::needs(
                SEARCH.name,
                "a symmetric graph, because edges of a pattern have no direction",
                Advice::new("build the graph with --symmetrise", "build the graph with `symmetrise`"),
            ));
        }
        let vertices = self.graph.num_vertices();
        if labels.len() as u64 != vertices && (plan.reads_labels() || !labels.is_empty()) {
            return Err(Error::argument(
                format_args!("{} labels", labels.len()),
                format_args!("the graph has {vertices} vertices"),
            ));
        }
        // A vertex by itself is in no list.
        if let [only] = plan.levels() {
            return Ok(match only.label {
                0 => vertices,
                label => summaries::count(labels, |&other| other == label),
            });
        }
        let matching = Matching { plan, labels: if plan.reads_labels() { labels } else { &[] } };
        let request = self.request(&SEARCH, false, false)?;
        let begun = Instant::now();
        let (matches, outcome) = self.call(|session| session.matches(&matching, &request))?;
        self.finish(&SEARCH, &outcome, begun, false)?;
        Ok(matches)
    }
}
