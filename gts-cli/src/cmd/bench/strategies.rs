//! Strategy-P beside Strategy-S by where the graph lies (the paper's Figure 9), with one GPU as what both start from.

use super::figure::{Drawing, Figure, Quantity, Row};
use super::machine::Setup;
use super::subject::{OnDisk, Reference, Subject};
use super::trials::{Workload, workloads};
use super::{Bench, Counter};
use crate::error::Failure;
use crate::units;
use gts_runtime::core::cost::Strategy;
use gts_runtime::device::cuda::CacheChoice;
use gts_runtime::tuning;
use std::num::NonZeroUsize;

/// The share of the pages that host memory has room for, in percent, where they come from the disk.
const IN_HOST_MEMORY: u64 = 10;

/// Where the graph lies.
struct Place {
    name: &'static str,
    /// Whether pages come anew in every pass.
    streamed: bool,
    subject: Subject,
    /// For one GPU, and for all.
    references: [Reference; 2],
}

pub(super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    let (machine, all) = (&bench.machine, bench.machine.devices);
    let mut subject = Subject::generated(&format!("rmat:{}", bench.scale), bench.making)?;
    let one = subject.reference(machine, NonZeroUsize::MIN, bench.trials)?;
    let copies = [one, subject.reference(machine, all, bench.trials)?];
    let on_disk = OnDisk::new(&subject, &bench.folder)?;
    let read = on_disk.reference()?;
    let disk = subject.with(on_disk.open(IN_HOST_MEMORY)?);
    let mut notes = bench.notes(&[subject.describe()], (&subject, &copies[1]));
    notes.push(format!(
        "disk: {} a second, host memory for {IN_HOST_MEMORY} % of the pages",
        units::bytes((subject.bytes() as f64 / read.seconds) as u64)
    ));
    let memory = subject.with(subject.graph.clone());
    let places = [
        Place { name: "GPU memory", streamed: false, subject: memory, references: copies },
        Place { name: "host memory", streamed: true, subject, references: copies },
        Place { name: "disk", streamed: true, subject: disk, references: [read; 2] },
    ];

    let ways = [
        ("one GPU".to_owned(), NonZeroUsize::MIN, None),
        (format!("Strategy-P, {all} GPUs"), all, Some(Strategy::Pages)),
        (format!("Strategy-S, {all} GPUs"), all, Some(Strategy::Split)),
    ];
    let (workloads, mut rows) = (workloads()?, Vec::new());
    let mut counter = Counter::new("strategies", workloads.len() * places.len() * ways.len());
    for workload in workloads {
        for place in &places {
            for (series, devices, strategy) in &ways {
                counter.next();
                let setup = Setup { devices: *devices, strategy: *strategy, ..place.setup(&workload)? };
                let measured = workload.measure(machine, &setup, &place.subject.graph, bench.trials)?;
                let reference = place.references[usize::from(devices.get() > 1)];
                rows.push(Row::new(&workload, &place.subject, (place.name, series.clone()), measured, reference));
            }
        }
    }
    Ok(Figure {
        name: "strategies",
        title: "Strategy-P beside Strategy-S, by where the graph lies",
        across: "graph in",
        series: "strategy",
        drawing: Drawing::Bars,
        quantity: Quantity::Time,
        notes,
        rows,
    })
}

impl Place {
    fn setup(&self, workload: &Workload) -> Result<Setup, Failure> {
        if !self.streamed {
            return Ok(Setup::default());
        }
        let budget = self.subject.streaming_budget(workload, tuning::CUDA_STREAMS)?;
        Ok(Setup { cache: CacheChoice::Off, device_memory: Some(budget), ..Setup::default() })
    }
}
