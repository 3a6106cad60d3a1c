//! Time per edge by graph size. A GPU streams the pages, so that the link is the bottleneck. The CPU reads the pages
//! from memory.

use super::super::Bench;
use super::super::figure::{Drawing, Figure, Finding};
use super::super::machine::Setup;
use super::super::subject::Subject;
use super::super::trials::{PAGERANK_AND_BFS, Workload, workloads};
use super::timings::{Quantity, Row, Timings, by_algorithm};
use crate::counter::Counter;
use gts_graph::cli::program::Failure;
use gts_graph::device::CacheChoice;
use gts_graph::tuning;
use std::num::NonZeroUsize;

/// Smallest scale at which attributes exceed a GPU's caches. At larger scales, the time per edge should not grow.
const LARGE: u32 = 23;

pub(in super::super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    let (workloads, mut rows) = (workloads(PAGERANK_AND_BFS)?, Vec::new());
    let (mut graphs, mut notes) = (Vec::new(), Vec::new());
    let mut counter = Counter::new("growth", bench.scales.clone().count() * workloads.len());
    let mut from_large: Vec<Vec<f64>> = vec![Vec::new(); workloads.len()];
    for scale in bench.scales.clone() {
        counter.hide();
        let mut subject = Subject::generated(&format!("rmat:{scale}"), bench.making)?;
        let reference = subject.reference(&bench.machine, NonZeroUsize::MIN, bench.trials)?;
        graphs.push(subject.describe());
        notes = bench.notes(&graphs, (&subject, &reference));
        for (workload, large) in workloads.iter().zip(&mut from_large) {
            counter.next();
            let setup = setup(bench, &subject, workload)?;
            let measured = workload.measure(&bench.machine, &setup, &subject.graph, bench.trials)?;
            let series = if bench.machine.has_gpus() { "streamed" } else { "in memory" };
            let row = Row::new(workload, &subject, (scale.to_string(), series), measured, reference);
            if scale >= LARGE {
                large.push(row.seconds_an_edge());
            }
            rows.push(row);
        }
    }
    for (workload, large) in workloads.iter().zip(&from_large) {
        notes.extend(spread(large).map(|spread| {
            let spread = 100.0 * spread;
            format!("{}: time an edge from scale {LARGE} on within {spread:.1} % of the least", workload.name())
        }));
    }
    let finding = finding(&rows);
    Ok(Timings {
        name: "growth",
        title: "Time an edge as graphs grow",
        across: "scale",
        series: "pages",
        drawing: Drawing::Lines,
        quantity: Quantity::TimeAnEdge,
        notes,
        finding,
        rows,
    }
    .figure())
}

fn finding(rows: &[Row]) -> Finding {
    let here = by_algorithm(rows, |algorithm| {
        let last = rows.iter().rfind(|row| row.algorithm == algorithm)?;
        let (ratio, reference) = (last.ratio(), last.reference.what);
        Some(format!(
            "at scale {} {algorithm} takes {ratio:.2} times as long as the reference ({reference})",
            last.place
        ))
    });
    Finding {
        paper: "the bus bounds PageRank from main memory: ten iterations over RMAT 30 take 153 s, 0.81 of what ten copies of \
                its 114 GB take at 6 GB/s, as some pages are cached",
        here,
    }
}

fn setup(bench: &Bench, subject: &Subject, workload: &Workload) -> Result<Setup, Failure> {
    if !bench.machine.has_gpus() {
        return Ok(Setup::default());
    }
    let budget = subject.streaming_budget(workload, NonZeroUsize::MIN, tuning::CUDA_STREAMS)?;
    Ok(Setup { cache: CacheChoice::Off, device_memory: Some(budget), ..Setup::default() })
}

/// Returns the relative spread: the difference between the largest and smallest value, divided by the smallest.
fn spread(values: &[f64]) -> Option<f64> {
    let least = values.iter().copied().reduce(f64::min)?;
    let most = values.iter().copied().reduce(f64::max)?;
    (values.len() > 1 && least > 0.0).then(|| most / least - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_is_over_the_least() {
        assert_eq!(spread(&[]), None);
        assert_eq!(spread(&[1.0]), None);
        assert!(spread(&[2.0, 2.5, 2.2]).is_some_and(|spread| (spread - 0.25).abs() < 1e-12));
    }
}
