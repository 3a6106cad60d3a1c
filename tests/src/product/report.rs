//! Results of the cells.

use super::{Algorithm, Ranks, Sharing, Streaming, Unlike};
use gts_runtime::prelude::Technique;
use std::collections::BTreeMap;
use std::fmt;

/// One combination of everything that must not change an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The graph.
    pub graph: String,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Spread of edges over threads; `None` is the device's own choice.
    pub technique: Option<Technique>,
    /// Page size in bytes.
    pub page_size: u32,
    /// Bytes of a page number, and of a slot number.
    pub width: (u8, u8),
    /// Streaming of pages, if they stream.
    pub streaming: Option<Streaming>,
    /// Sharing of the work by several devices, if there are several.
    pub sharing: Option<Sharing>,
    /// Sharing of the edges by unlike devices, if there are several.
    pub unlike: Option<Unlike>,
    /// Sharing of the run by ranks, if there are ranks.
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

/// Counts of cells, and each cell that did not pass.
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

    /// Returns the number of cells whose answer was right.
    pub fn passed(&self) -> usize {
        self.passed
    }

    /// Returns the cells whose answer was wrong, or that ended with an error.
    pub fn failures(&self) -> &[(Cell, String)] {
        &self.failures
    }

    /// Returns the impossible cells, with the reason.
    pub fn missing_cells(&self) -> &[(Cell, String)] {
        &self.missing
    }
}

/// Maximum number of failures to list.
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
