//! Time by number of streams (Figure 10 of the GTS paper). Every pass copies all pages from host memory.

use super::super::Bench;
use super::super::figure::{Drawing, Figure, Finding};
use super::super::machine::Setup;
use super::super::subject::Subject;
use super::super::trials::{PAGERANK_AND_BFS, workloads};
use super::timings::{Quantity, Row, Timings, by_algorithm};
use crate::counter::Counter;
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::units;
use gts_graph::device::{CacheChoice, MAX_STREAMS};
use std::num::NonZeroUsize;

/// Numbers of streams to measure.
const STREAMS: [u32; 6] = [1, 2, 4, 8, 16, MAX_STREAMS];

pub(in super::super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    let mut subject = Subject::generated(&format!("rmat:{}", bench.scale), bench.making)?;
    let reference = subject.reference(&bench.machine, NonZeroUsize::MIN, bench.trials)?;
    let (workloads, mut rows) = (workloads(PAGERANK_AND_BFS)?, Vec::new());
    let mut notes = bench.notes(&[subject.describe()], (&subject, &reference));
    let mut counter = Counter::new("streams", workloads.len() * STREAMS.len());
    for workload in workloads {
        // The budget is sufficient for the largest number of streams, and is the same for smaller numbers.
        let budget = subject.streaming_budget(&workload, NonZeroUsize::MIN, MAX_STREAMS)?;
        notes.push(format!("{}: {} of device memory, no cache", workload.name(), units::bytes(budget)));
        for streams in STREAMS {
            counter.next();
            let setup = Setup { streams, cache: CacheChoice::Off, device_memory: Some(budget), ..Setup::default() };
            let measured = workload.measure(&bench.machine, &setup, &subject.graph, bench.trials)?;
            rows.push(Row::new(&workload, &subject, (streams.to_string(), "streamed"), measured, reference));
        }
    }
    let finding = finding(&rows);
    Ok(Timings {
        name: "streams",
        title: "Time by the number of streams",
        across: "streams",
        series: "pages",
        drawing: Drawing::Lines,
        quantity: Quantity::Time,
        notes,
        finding,
        rows,
    }
    .figure())
}

fn finding(rows: &[Row]) -> Finding {
    let here = by_algorithm(rows, |algorithm| {
        let of_algorithm = || rows.iter().filter(|row| row.algorithm == algorithm);
        let seconds = |row: &Row| row.measured.times.median;
        let best = of_algorithm().min_by(|a, b| seconds(a).total_cmp(&seconds(b)))?;
        let over = |row: &Row| seconds(row) / seconds(best);
        let (one, most) = (of_algorithm().next()?, of_algorithm().next_back()?);
        Some(format!(
            "{algorithm} is fastest with {} streams, takes {:.2} of that time with {} and {:.2} with {}",
            best.place,
            over(one),
            one.place,
            over(most),
            most.place
        ))
    });
    Finding { paper: "both algorithms get steadily faster from 1 stream to 32", here }
}
