//! Runs every registered algorithm on every graph of the reference data, in every way of running on one device.
//!
//! An answer must equal the graph's reference answer, if there is one, and pass the algorithm's serial check. The check
//! is slow, so it runs for one way. An answer that equals a checked answer needs no check; any other answer is checked
//! too.

mod judge;
mod question;
mod ranks;
mod report;
mod subject;
mod way;

pub use report::{Cell, Report};
pub use way::{Way, alone, ways_of};

use crate::data::{Data, DataError};
use judge::Judge;
use question::questions;
use std::time::Instant;
use subject::Subject;
use way::{Lab, Outcome};

/// Selects the cells to run.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// Ways of running.
    pub ways: &'a [Way],
    /// Maximum number of vertices of a graph.
    pub vertices: u64,
    /// Maximum number of arcs of a graph.
    pub arcs: u64,
    /// Text that the name `ALGORITHM on GRAPH` must contain.
    pub filter: &'a str,
    /// Time after which no cell begins. The remaining cells are reported as missing.
    pub until: Option<Instant>,
}

/// Runs all selected cells and reports each graph to `progress`.
///
/// # Errors
///
/// The data cannot be read, or a device is not available. Errors within a cell are recorded in the report.
pub fn run(data: &Data, scope: &Scope<'_>, mut progress: impl FnMut(&str)) -> Result<Report, DataError> {
    gts_graph::algorithms::link();
    let lab = Lab::new(scope.ways)?;
    let mut report = Report::new(scope.ways);
    for entry in data.entries()? {
        let started = Instant::now();
        let Some(subject) = Subject::open(data, &entry, scope.vertices, scope.arcs)? else { continue };
        for question in questions(&subject) {
            if !format!("{} on {}", question.label(), subject.name()).contains(scope.filter) {
                continue;
            }
            let mut judge = Judge::new(&question, &subject);
            for &way in scope.ways.iter().filter(|way| way.takes(&question)) {
                let cell = Cell { algorithm: question.label(), graph: subject.name().to_owned(), way };
                let started = Instant::now();
                let over = scope.until.is_some_and(|until| started >= until).then_some("the time was over");
                let outcome = match question.left_out.or(over) {
                    Some(reason) => Outcome::Missing(reason.to_owned()),
                    None => lab.run(way, &question, &subject),
                };
                let ran = started.elapsed();
                match outcome {
                    Outcome::Missing(reason) => report.missing(cell, reason),
                    Outcome::Failed(why) => report.ran(cell, Err(why), ran),
                    Outcome::Answered(answers) => report.ran(cell, judge.hold(answers), ran),
                    Outcome::Elsewise(answers, reason) => match judge.hold(answers) {
                        Ok(()) => report.missing(cell, reason),
                        wrong => report.ran(cell, wrong, ran),
                    },
                }
            }
            report.judged(&judge);
        }
        let (run, failed) = (report.run(), report.failures().len());
        let took = started.elapsed().as_secs_f64();
        progress(&format!("{}: {run} cells so far, {failed} failed, {took:.1} s", subject.name()));
    }
    Ok(report)
}
