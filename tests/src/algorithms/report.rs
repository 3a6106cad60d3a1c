//! Reports the results of cells.

use super::judge::Judge;
use super::way::Way;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Maximum number of failures listed.
const LISTED: usize = 60;
/// Number of slowest cells listed.
const SLOWEST: usize = 5;

/// An algorithm on a graph in one way of running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Name of the algorithm and variant of the question.
    pub algorithm: String,
    /// Name of the graph.
    pub graph: String,
    /// Way of running.
    pub way: Way,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}, {}", self.algorithm, self.graph, self.way)
    }
}

/// Counts of cells by algorithm and way, with all failed and all missing cells.
#[derive(Clone, Debug)]
pub struct Report {
    ways: Vec<Way>,
    /// Numbers of passed and run cells for each way, by algorithm.
    counts: BTreeMap<String, Vec<(usize, usize)>>,
    failures: Vec<(Cell, String)>,
    missing: Vec<(Cell, String)>,
    times: Vec<(Duration, Cell)>,
    fingerprints: Vec<String>,
    referenced: usize,
    checking: Duration,
}

impl Report {
    pub(super) fn new(ways: &[Way]) -> Self {
        Self {
            ways: ways.to_vec(),
            counts: BTreeMap::new(),
            failures: Vec::new(),
            missing: Vec::new(),
            times: Vec::new(),
            fingerprints: Vec::new(),
            referenced: 0,
            checking: Duration::ZERO,
        }
    }

    fn counts(&mut self, cell: &Cell) -> &mut (usize, usize) {
        let ways = &self.ways;
        let row = self.counts.entry(cell.algorithm.clone()).or_insert_with(|| vec![(0, 0); ways.len()]);
        let column = ways.iter().position(|way| *way == cell.way).expect("cells are of the report's ways");
        &mut row[column]
    }

    pub(super) fn ran(&mut self, cell: Cell, outcome: Result<(), String>, time: Duration) {
        let (passed, run) = self.counts(&cell);
        *run += 1;
        *passed += usize::from(outcome.is_ok());
        self.times.push((time, cell.clone()));
        if let Err(why) = outcome {
            self.failures.push((cell, why));
        }
    }

    pub(super) fn missing(&mut self, cell: Cell, why: String) {
        self.counts(&cell);
        self.missing.push((cell, why));
    }

    pub(super) fn judged(&mut self, judge: &Judge<'_>) {
        self.referenced += judge.referenced;
        self.checking += judge.checking;
        self.fingerprints.extend(judge.fingerprint());
    }

    /// Returns the number of cells that were run.
    pub fn run(&self) -> usize {
        self.counts.values().flatten().map(|(_, run)| run).sum()
    }

    /// Returns the number of cells whose answers were right.
    pub fn passed(&self) -> usize {
        self.counts.values().flatten().map(|(passed, _)| passed).sum()
    }

    /// Returns the cells whose answers were wrong or that ended with an error, with the reason.
    pub fn failures(&self) -> &[(Cell, String)] {
        &self.failures
    }

    /// Returns the cells that were not run, with the reason.
    pub fn missing_cells(&self) -> &[(Cell, String)] {
        &self.missing
    }
}

impl Report {
    /// Writes all missing cells, grouped by reason, ways and graph.
    fn fmt_missing(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ways: BTreeMap<(&str, &str, &str), Vec<String>> = BTreeMap::new();
        for (Cell { algorithm, graph, way }, why) in &self.missing {
            ways.entry((why, graph, algorithm)).or_default().push(way.to_string());
        }
        let mut reasons: BTreeMap<(&str, String), BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
        for ((why, graph, algorithm), ways) in ways {
            reasons.entry((why, ways.join(", "))).or_default().entry(graph).or_default().push(algorithm);
        }
        for ((why, ways), graphs) in reasons {
            writeln!(f, "missing on {ways}: {why}:")?;
            for (graph, algorithms) in graphs {
                writeln!(f, "    {graph}: {}", algorithms.join("; "))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.ways.iter().map(Way::to_string).collect();
        write!(f, "{:<26}", "cells passed/run")?;
        names.iter().try_for_each(|name| write!(f, "  {name:>12}"))?;
        writeln!(f)?;
        for (algorithm, row) in &self.counts {
            write!(f, "{algorithm:<26}")?;
            for ((passed, run), name) in row.iter().zip(&names) {
                let cell = if *run == 0 { "-".to_owned() } else { format!("{passed}/{run}") };
                write!(f, "  {cell:>0$}", name.len().max(12))?;
            }
            writeln!(f)?;
        }
        write!(f, "{:<26}", "seconds")?;
        for (way, name) in self.ways.iter().zip(&names) {
            let times = self.times.iter().filter(|(_, cell)| cell.way == *way).map(|(time, _)| *time);
            write!(f, "  {:>1$.1}", times.sum::<Duration>().as_secs_f64(), name.len().max(12))?;
        }
        writeln!(f)?;
        for line in &self.fingerprints {
            writeln!(f, "bits {line}")?;
        }
        self.fmt_missing(f)?;
        let mut times: Vec<_> = self.times.iter().collect();
        times.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
        for (time, cell) in times.into_iter().take(SLOWEST) {
            writeln!(f, "slowest {:.1} s: {cell}", time.as_secs_f64())?;
        }
        for (cell, why) in self.failures.iter().take(LISTED) {
            writeln!(f, "failed {cell}: {why}")?;
        }
        if let Some(more @ 1..) = self.failures.len().checked_sub(LISTED) {
            writeln!(f, "and {more} more failures")?;
        }
        writeln!(f, "{:.1} s of serial checks", self.checking.as_secs_f64())?;
        writeln!(
            f,
            "cells: {} run, {} passed, {} of them against reference answers, too; {} missing",
            self.run(),
            self.passed(),
            self.referenced,
            self.missing.len()
        )
    }
}
