//! Time and hit rate by the size of the cache (the paper's Figure 11): of pages in a GPU's memory, whose rest lies in
//! host memory, or of pages in host memory, whose rest lies on the disk.

use super::figure::{Drawing, Figure, Quantity, Row};
use super::machine::Setup;
use super::subject::{OnDisk, Subject};
use super::trials::workloads;
use super::{Bench, Counter};
use crate::error::Failure;
use gts_runtime::device::cuda::CacheChoice;
use std::num::NonZeroUsize;

/// Shares of the graph, in percent.
const SHARES: [u64; 4] = [25, 50, 75, 100];
/// What a GPU keeps of pages that do not all fit.
const POLICIES: [CacheChoice; 2] = [CacheChoice::Lru, CacheChoice::Scan];

pub(super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    let subject = Subject::generated(&format!("rmat:{}", bench.scale), bench.making)?;
    let (notes, rows) = if bench.machine.has_gpus() { of_gpu(bench, subject)? } else { of_host(bench, &subject)? };
    Ok(Figure {
        name: "cache",
        title: "Time by the size of the cache",
        across: "cache",
        series: "policy",
        drawing: Drawing::Lines,
        quantity: Quantity::Time,
        notes,
        rows,
    })
}

fn of_gpu(bench: &Bench, mut subject: Subject) -> Result<(Vec<String>, Vec<Row>), Failure> {
    let reference = subject.reference(&bench.machine, NonZeroUsize::MIN, bench.trials)?;
    let mut notes = bench.notes(&[subject.describe()], (&subject, &reference));
    notes.push(
        "cache: device memory for that share of the pages, beside attributes and staging; at 100 % all are loaded \
                before the first pass"
            .to_owned(),
    );
    let (workloads, mut rows) = (workloads()?, Vec::new());
    let mut counter = Counter::new("cache", workloads.len() * SHARES.len() * POLICIES.len());
    for workload in workloads {
        for cache in POLICIES {
            for share in SHARES {
                counter.next();
                let budget = subject.cache_budget(&workload, share)?;
                let setup = Setup { cache, device_memory: Some(budget), ..Setup::default() };
                let measured = workload.measure(&bench.machine, &setup, &subject.graph, bench.trials)?;
                let place = (format!("{share} %"), cache.to_string());
                rows.push(Row::new(&workload, &subject, place, measured, reference));
            }
        }
    }
    Ok((notes, rows))
}

fn of_host(bench: &Bench, subject: &Subject) -> Result<(Vec<String>, Vec<Row>), Failure> {
    let on_disk = OnDisk::new(subject, &bench.folder)?;
    let reference = on_disk.reference()?;
    let mut notes = bench.notes(&[subject.describe()], (subject, &reference));
    notes.push("cache: host memory for that share of the pages, beside tables; the rest is read anew".to_owned());
    let (workloads, mut rows) = (workloads()?, Vec::new());
    let mut counter = Counter::new("cache", workloads.len() * SHARES.len());
    for workload in workloads {
        for share in SHARES {
            counter.next();
            let subject = subject.with(on_disk.open(share)?);
            let measured = workload.measure(&bench.machine, &Setup::default(), &subject.graph, bench.trials)?;
            let place = (format!("{share} %"), "host buffer");
            rows.push(Row::new(&workload, &subject, place, measured, reference));
        }
    }
    Ok((notes, rows))
}
