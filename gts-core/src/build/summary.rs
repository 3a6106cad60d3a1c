//! The summary of a build.

use super::Phase;
use crate::graph::VertexOrder;
use crate::units::{counted, graph_size};
use std::fmt;
use std::time::Duration;

/// The counts and times of a build. The displayed text mentions everything that was dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildSummary {
    /// The number of vertices in the graph.
    pub vertices: u64,
    /// The number of vertices without edges.
    pub isolated: u64,
    /// The number of edges in the input.
    pub edges_read: u64,
    /// The number of directed edges in the graph.
    pub edges_stored: u64,
    /// The number of undirected edges in the graph, each counted once; `None` if the graph is directed.
    pub undirected_edges: Option<u64>,
    /// The number of reverse edges added because edges are undirected.
    pub edges_reversed: u64,
    /// The number of dropped edges from a vertex to itself.
    pub self_loops_dropped: u64,
    /// The number of edges dropped because another edge connects the same vertices.
    pub duplicates_dropped: u64,
    /// The order in which vertices are numbered.
    pub order: VertexOrder,
    /// The number of pages of out-edges.
    pub pages: u64,
    /// Bytes of all pages and tables.
    pub bytes: u64,
    /// Bytes written to temporary files; 0 if the graph was built in memory.
    pub spilled: u64,
    /// Notes from the input's reader, for example about columns that were not read.
    pub notes: Vec<String>,
    /// The time of each phase, in order.
    pub times: Vec<(Phase, Duration)>,
}

impl BuildSummary {
    /// Returns the numbers of edges kept and dropped, as one line of text.
    pub fn kept_and_dropped(&self) -> String {
        let mut text = graph_size(self.vertices, self.edges_stored, self.undirected_edges);
        for (number, one, what) in [
            (self.isolated, "vertex", " without an edge"),
            (self.edges_reversed, "edge", " added as the reverse of another"),
            (self.self_loops_dropped, "self-loop", " dropped"),
            (self.duplicates_dropped, "duplicate edge", " dropped"),
        ] {
            if number > 0 {
                text.push_str(&format!(", {}{what}", counted(number, one)));
            }
        }
        text
    }

    /// Returns the total time of all phases.
    pub fn total_time(&self) -> Duration {
        self.times.iter().map(|&(_, time)| time).sum()
    }
}

impl fmt::Display for BuildSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}, {} bytes", self.kept_and_dropped(), counted(self.pages, "page"), self.bytes)?;
        for (phase, time) in &self.times {
            write!(f, "; {} {:.3} s", phase.name(), time.as_secs_f64())?;
        }
        for note in &self.notes {
            write!(f, "; {note}")?;
        }
        Ok(())
    }
}
