//! Time and hit rate by cache size (Figure 11 of the GTS paper). A GPU caches pages from host memory in device memory;
//! the CPU caches pages from disk in host memory.

use super::super::Bench;
use super::super::figure::{Drawing, Figure, Finding};
use super::super::machine::Setup;
use super::super::subject::{OnDisk, Subject};
use super::super::trials::{PAGERANK_AND_BFS, workloads};
use super::timings::{Quantity, Row, Timings, by_algorithm};
use crate::counter::Counter;
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::units;
use gts_graph::device::CacheChoice;
use std::num::NonZeroUsize;

/// Cache sizes in percent of the graph.
const SHARES: [u64; 4] = [25, 50, 75, 100];
/// Cache policies for a GPU whose cache cannot hold all pages.
const POLICIES: [CacheChoice; 2] = [CacheChoice::Lru, CacheChoice::Scan];

pub(in super::super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    let subject = Subject::generated(&format!("rmat:{}", bench.scale), bench.making)?;
    let (notes, rows) = if bench.machine.has_gpus() { of_gpu(bench, subject)? } else { of_host(bench, &subject)? };
    let finding = finding(&rows);
    Ok(Timings {
        name: "cache",
        title: "Time by the size of the cache",
        across: "cache",
        series: "policy",
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
        let of_algorithm: Vec<&Row> = rows.iter().filter(|row| row.algorithm == algorithm).collect();
        let series = &of_algorithm.first()?.series;
        let lines: Vec<_> = of_algorithm.iter().filter(|row| row.series == *series).map(|row| came(row)).collect();
        Some(format!("of {algorithm} by the policy {series}, {}", lines.join(", ")))
    });
    Finding { paper: "the share of BFS's pages that are found in the cache grows in proportion to its size", here }
}

/// Describes the hit rate of a run, or the bytes read if there is no hit rate.
fn came(row: &Row) -> String {
    match row.measured.hits {
        Some(hits) => format!("{:.0} % of the pages are found with a cache of {}", 100.0 * hits, row.place),
        None if row.measured.read == 0 => format!("nothing is read with a cache of {}", row.place),
        None => format!("{} are read with a cache of {}", units::bytes(row.measured.read), row.place),
    }
}

fn of_gpu(bench: &Bench, mut subject: Subject) -> Result<(Vec<String>, Vec<Row>), Failure> {
    let reference = subject.reference(&bench.machine, NonZeroUsize::MIN, bench.trials)?;
    let mut notes = bench.notes(&[subject.describe()], (&subject, &reference));
    notes.push(
        "cache: device memory for that share of the pages, beside attributes and staging; at 100 % all are loaded \
                before the first pass"
            .to_owned(),
    );
    let (workloads, mut rows) = (workloads(PAGERANK_AND_BFS)?, Vec::new());
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
    notes.push("cache: host memory for that share of the pages, beside tables; the rest is read again".to_owned());
    let (workloads, mut rows) = (workloads(PAGERANK_AND_BFS)?, Vec::new());
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
