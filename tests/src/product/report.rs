//! Reports the results of cells.

use super::{Algorithm, Ranks, Sharing, Streaming, Unlike};
use gts_graph::prelude::Technique;
use std::collections::BTreeMap;
use std::fmt;

/// One combination of options that must not change an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Name of the graph.
    pub graph: String,
    /// The algorithm and the type of its values.
    pub algorithm: Algorithm,
    /// Technique that assigns edges to threads; `None` for the device's default.
    pub technique: Option<Technique>,
    /// Page size in bytes.
    pub page_size: u32,
    /// Width of record IDs: bytes of the page number, and bytes of the slot number.
    pub width: (u8, u8),
    /// How pages are streamed, if they are.
    pub streaming: Option<Streaming>,
    /// How several GPUs share the work, if there are several.
    pub sharing: Option<Sharing>,
    /// How unequal CPU devices share the edges, if there are several.
    pub unlike: Option<Unlike>,
    /// How ranks share the run, if there are ranks.
    pub ranks: Option<Ranks>,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let technique = self.technique.map_or("auto", Technique::name);
        let (page, slot) = self.width;
        write!(f, "{} {} {technique} ({page},{slot}) {} B", self.graph, self.algorithm.name(), self.page_size)?;
        self.streaming.map_or(Ok(()), |streaming| write!(f, ", {streaming}"))?;
        self.sharing.map_or(Ok(()), |sharing| write!(f, ", {sharing}"))?;
        self.unlike.map_or(Ok(()), |unlike| write!(f, ", {unlike}"))?;
        self.ranks.map_or(Ok(()), |ranks| write!(f, ", {ranks}"))
    }
}

/// Number of passed cells, with all failed and all missing cells.
#[derive(Clone, Debug, Default)]
pub struct Report {
    passed: usize,
    failures: Vec<(Cell, String)>,
    missing: Vec<(Cell, String)>,
}

impl Report {
    pub(super) fn ran(&mut self, cell: Cell, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(why) => self.failures.push((cell, why)),
        }
    }

    pub(super) fn missing(&mut self, cell: Cell, why: String) {
        self.missing.push((cell, why));
    }

    /// Returns the number of cells that were run.
    pub fn run(&self) -> usize {
        self.passed + self.failures.len()
    }

    /// Returns the number of cells whose answers were right.
    pub fn passed(&self) -> usize {
        self.passed
    }

    /// Returns the cells whose answers were wrong or that ended with an error, with the reason.
    pub fn failures(&self) -> &[(Cell, String)] {
        &self.failures
    }

    /// Returns the cells that could not be run, with the reason.
    pub fn missing_cells(&self) -> &[(Cell, String)] {
        &self.missing
    }
}

/// Maximum number of failures listed.
const LISTED: usize = 40;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "cells: {} run, {} passed, {} missing", self.run(), self.passed, self.missing.len())?;
        let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
        for (cell, why) in &self.missing {
            let (page, slot) = cell.width;
            *reasons.entry(format!("{} ({page},{slot}) {} B: {why}", cell.graph, cell.page_size)).or_default() += 1;
        }
        for (reason, cells) in reasons {
            writeln!(f, "missing {cells}: {reason}")?;
        }
        for (cell, why) in self.failures.iter().take(LISTED) {
            writeln!(f, "failed {cell}: {why}")?;
        }
        match self.failures.len().checked_sub(LISTED) {
            Some(more) if more > 0 => writeln!(f, "and {more} more failures"),
            _ => Ok(()),
        }
    }
}
