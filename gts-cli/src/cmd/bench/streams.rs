//! Time by the number of streams (the paper's Figure 10): all pages come from host memory in every pass.

use super::figure::{Drawing, Figure, Quantity, Row};
use super::machine::Setup;
use super::subject::Subject;
use super::trials::workloads;
use super::{Bench, Counter};
use crate::error::Failure;
use crate::units;
use gts_runtime::device::cuda::{CacheChoice, MAX_STREAMS};
use std::num::NonZeroUsize;

/// Numbers of streams.
const STREAMS: [u32; 6] = [1, 2, 4, 8, 16, MAX_STREAMS];

pub(super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    let mut subject = Subject::generated(&format!("rmat:{}", bench.scale), bench.making)?;
    let reference = subject.reference(&bench.machine, NonZeroUsize::MIN, bench.trials)?;
    let (workloads, mut rows) = (workloads()?, Vec::new());
    let mut notes = bench.notes(&[subject.describe()], (&subject, &reference));
    let mut counter = Counter::new("streams", workloads.len() * STREAMS.len());
    for workload in workloads {
        // The same memory whatever the number: more streams share it, in smaller groups where it does not suffice.
        let budget = subject.streaming_budget(&workload, MAX_STREAMS)?;
        notes.push(format!("{}: {} of device memory, no cache", workload.name(), units::bytes(budget)));
        for streams in STREAMS {
            counter.next();
            let setup = Setup { streams, cache: CacheChoice::Off, device_memory: Some(budget), ..Setup::default() };
            let measured = workload.measure(&bench.machine, &setup, &subject.graph, bench.trials)?;
            rows.push(Row::new(&workload, &subject, (streams.to_string(), "streamed"), measured, reference));
        }
    }
    Ok(Figure {
        name: "streams",
        title: "Time by the number of streams",
        across: "streams",
        series: "pages",
        drawing: Drawing::Lines,
        quantity: Quantity::Time,
        notes,
        rows,
    })
}
