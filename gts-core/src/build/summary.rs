//! Summary of a build.

use super::Phase;
use crate::graph::VertexOrder;
use crate::units::{counted, graph_size};
use std::fmt;
use std::time::Duration;

/// Counts of what a build read, stored and dropped, and its times. The displayed text names all that was dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildSummary {
    /// Vertices of the graph.
    pub vertices: u64,
    /// Vertices without any edge.
    pub isolated: u64,
    /// Edges in the input.
    pub edges_read: u64,
    /// Edges in the graph.
    pub edges_stored: u64,
    /// Undirected edges in the graph, each counted once; `None` if the graph is directed.
    pub undirected_edges: Option<u64>,
    /// Reverse edges that were added because edges are undirected.
    pub edges_reversed: u64,
    /// Edges from a vertex to itself that were dropped.
    pub self_loops_dropped: u64,
    /// Edges that were dropped because another one joins the same vertices.
    pub duplicates_dropped: u64,
    /// Order of the vertices.
    pub order: VertexOrder,
    /// Pages of the out-edges.
    pub pages: u64,
    /// Bytes of pages and tables.
    pub bytes: u64,
    /// Bytes written to temporary files; 0 if the graph was built in memory.
    pub spilled: u64,
    /// Notes of the input's reader, such as which columns it left out.
    pub notes: Vec<String>,
    /// Time of each phase, in order.
    pub times: Vec<(Phase, Duration)>,
}

impl BuildSummary {
    /// Returns the counts of what was kept and what was dropped, on one line.
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

    /// Time of all phases.
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
