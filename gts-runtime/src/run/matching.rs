//! Counts and lists the occurrences of a pattern in a run's graph.

use super::Run;
use super::state::RunState;
use gts_core::advice::Advice;
use gts_core::pattern::{PatternPlan, listing_host_bytes};
use gts_core::summaries;
use gts_device::error::{Error, Result};
use gts_device::kernel::{Attributes, Matched, Matching, SEARCH};
use std::time::Instant;

impl<A: Attributes> Run<A> {
    /// Counts the occurrences of a pattern: the sets of edges that have the shape and the labels of the pattern. Each
    /// set counts once, even if the pattern has symmetries. `labels` contains one number per dense vertex: the position
    /// of the vertex's label in the pattern's list of labels, counted from 1, or 0 for any other label. If the pattern
    /// has no labels, `labels` is empty.
    ///
    /// Parallel edges count as one edge, and self-loops do not count. The search stores no candidates. In addition to
    /// the lists of the graph, it needs one byte per vertex and thread on the CPU, and only registers on a GPU
    /// ([`gts_core::pattern::host_bytes`], [`gts_core::pattern::device_bytes`]).
    ///
    /// # Errors
    ///
    /// Returns [`Error::Needs`] if the graph is not symmetric or pages are not in memory, [`Error::Argument`] if the
    /// length of `labels` differs from the number of vertices, or [`Error::TimeLimit`] or [`Error::Interrupted`] if the
    /// run ends early. Also fails if there are 2^64 matches or more, if memory is too small, or if the device fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # use gts_graph::core::pattern::{Pattern, PatternPlan};
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let graph = Graph::builder().edges([(1, 2), (2, 3), (3, 1), (3, 4)]).undirected(true).build()?;
    /// let triangle = Pattern::from_edges([(0, 1), (1, 2), (2, 0)])?;
    /// let degrees = graph.out_degrees();
    /// let powers = |_, power| degrees.iter().map(|&degree| f64::from(degree).powi(power as i32)).sum();
    /// let plan = PatternPlan::new(&triangle, false, graph.num_edges(), powers);
    /// assert_eq!(Engine::cpu()?.start::<Hops>(&graph)?.matches(&plan, &[])?, 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn matches(&mut self, plan: &PatternPlan, labels: &[u8]) -> Result<u64> {
        Ok(self.state.matched(plan, labels, None)?.matches)
    }

    /// Lists the occurrences of a pattern. Returns the dense vertices of all matches, one match after another. The
    /// vertices of a match are in the order of the plan's levels; the order of the matches is unspecified.
    /// [`gts_core::pattern::Columns`] arranges the vertices. `labels` has the same form as for [`Run::matches`]. The
    /// search first counts the matches and fails if there are more than `most`.
    ///
    /// In addition to the memory that [`Run::matches`] needs, a listing needs memory for its rows
    /// ([`gts_core::pattern::listing_host_bytes`], [`gts_core::pattern::listing_device_bytes`]).
    ///
    /// # Errors
    ///
    /// As for [`Run::matches`]. Also returns [`Error::Argument`] if there are more than `most` matches, or
    /// [`Error::NoMemory`] if memory for the matches is too small.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # use gts_graph::core::pattern::{Pattern, PatternPlan};
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let graph = Graph::builder().edges([(1, 2), (2, 3), (3, 1), (3, 4)]).undirected(true).build()?;
    /// let triangle = Pattern::from_edges([(0, 1), (1, 2), (2, 0)])?;
    /// let degrees = graph.out_degrees();
    /// let powers = |_, power| degrees.iter().map(|&degree| f64::from(degree).powi(power as i32)).sum();
    /// let plan = PatternPlan::new(&triangle, false, graph.num_edges(), powers);
    /// let mut found = Engine::cpu()?.start::<Hops>(&graph)?.list_matches(&plan, &[], 10)?;
    /// found.sort();
    /// assert_eq!(found, [0, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn list_matches(&mut self, plan: &PatternPlan, labels: &[u8], most: u64) -> Result<Vec<u32>> {
        self.state.list_matches(plan, labels, most)
    }
}

impl RunState {
    fn list_matches(&mut self, plan: &PatternPlan, labels: &[u8], most: u64) -> Result<Vec<u32>> {
        let matched = self.matched(plan, labels, Some(most))?;
        if matched.matches > most {
            return Err(too_many_to_list(matched.matches, most, plan.len() as u64));
        }
        Ok(matched.listed)
    }

    fn matched(&mut self, plan: &PatternPlan, labels: &[u8], most_listed: Option<u64>) -> Result<Matched> {
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
        let matching = Matching { plan, labels: if plan.reads_labels() { labels } else { &[] }, most_listed };
        // A pattern of a single vertex needs no search.
        if let [only] = plan.levels() {
            let has_label = |v: usize| only.label == 0 || labels[v] == only.label;
            let mut matched = Matched::with_room(summaries::count_below(vertices as usize, has_label), &matching)?;
            let found = (0..vertices as usize).filter(|&v| has_label(v));
            matched.listed.iter_mut().zip(found).for_each(|(entry, v)| *entry = v as u32);
            return Ok(matched);
        }
        let request = self.request(&SEARCH, false, false)?;
        let begun = Instant::now();
        let (matched, outcome) = self.call(|session| session.matches(&matching, &request))?;
        self.finish(&SEARCH, &outcome, begun, false)?;
        Ok(matched)
    }
}

/// Returns the error for a listing that would exceed `most` rows.
fn too_many_to_list(matches: u64, most: u64, levels: u64) -> Error {
    let mebibytes = listing_host_bytes(levels, matches).div_ceil(1 << 20);
    Error::argument_with_advice(
        "the listing of matches",
        format_args!("there are {matches} matches, and at most {most} are listed"),
        Advice::new(
            format!("give --count to count them alone, or --limit {matches}, which takes {mebibytes} MiB of memory"),
            format!("count them by `matches` alone, or allow {matches}, which takes {mebibytes} MiB of memory"),
        ),
    )
}
