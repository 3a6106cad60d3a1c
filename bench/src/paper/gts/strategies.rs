//! Times of Strategy-P and Strategy-S by page location, on 1, 2, 4 and all GPUs (Figure 9 of the GTS paper).

use super::super::Bench;
use super::super::figure::{Drawing, Figure, Finding};
use super::super::machine::{Machine, Setup};
use super::super::subject::{OnDisk, Reference, Subject};
use super::super::trials::{PAGERANK_AND_BFS, Workload, workloads};
use super::timings::{Quantity, Row, Timings, by_algorithm, find};
use crate::counter::Counter;
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::units;
use gts_graph::core::cost::Strategy;
use gts_graph::device::CacheChoice;
use gts_graph::tuning;
use std::num::NonZeroUsize;

/// Percentage of pages that fit into host memory if pages are read from disk.
const IN_HOST_MEMORY: u64 = 10;
/// GPU counts to measure, in addition to all GPUs.
const DEVICES: [usize; 3] = [1, 2, 4];
/// The algorithm that requires weights.
const WEIGHTED: &str = "sssp";
/// Names of the page locations.
const HOST_MEMORY: &str = "host memory";
const DISK: &str = "disk";

/// A number of GPUs and a strategy, shown as one series.
struct Way {
    series: String,
    devices: NonZeroUsize,
    strategy: Option<Strategy>,
}

/// A graph with its pages in one location.
struct Place {
    name: &'static str,
    /// Whether the GPU copies the pages in every pass.
    streamed: bool,
    subject: Subject,
    /// Reference times by number of GPUs.
    references: Vec<(NonZeroUsize, Reference)>,
}

/// A graph with its pages in each location, and notes on the measurements.
struct Places {
    places: [Place; 3],
    notes: Vec<String>,
    /// Store of the on-disk graph. The store must exist while the graph is read.
    _on_disk: OnDisk,
}

pub(in super::super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    let counts = counts(bench.machine.devices);
    let ways = ways(&counts);
    let plain = workloads(PAGERANK_AND_BFS)?;
    let weighted = workloads([WEIGHTED])?;
    let scale = bench.scale;
    let (mut notes, mut rows) = (Vec::new(), Vec::new());
    for (text, workloads) in [(format!("rmat:{scale}"), plain), (format!("rmat:{scale},weights=f32"), weighted)] {
        let graph = Places::new(bench, &text, &counts)?;
        notes.extend_from_slice(&graph.notes);
        let mut counter = Counter::new("strategies", workloads.len() * graph.places.len() * ways.len());
        for workload in &workloads {
            for place in &graph.places {
                for way in &ways {
                    counter.next();
                    rows.push(place.measure(bench, workload, way)?);
                }
            }
        }
    }
    notes.dedup();
    let finding = finding(&rows, &counts);
    Ok(Timings {
        name: "strategies",
        title: "Strategy-P beside Strategy-S, by where the graph lies",
        across: "graph in",
        series: "strategy",
        drawing: Drawing::Bars,
        quantity: Quantity::Time,
        notes,
        finding,
        rows,
    }
    .figure())
}

/// Returns the GPU counts to measure: 1, 2 and 4 if available, then all.
fn counts(all: NonZeroUsize) -> Vec<NonZeroUsize> {
    let mut counts: Vec<_> = DEVICES.into_iter().filter_map(NonZeroUsize::new).filter(|count| *count <= all).collect();
    counts.push(all);
    counts.dedup();
    counts
}

/// Returns the combinations to measure: one GPU without a strategy, and several GPUs with each strategy.
fn ways(counts: &[NonZeroUsize]) -> Vec<Way> {
    let several = counts.iter().filter(|count| count.get() > 1);
    let shared = several.flat_map(|&devices| {
        let way = move |strategy| Way { series: series(strategy, devices), devices, strategy: Some(strategy) };
        [Strategy::Pages, Strategy::Split].map(way)
    });
    let one = Way { series: "one GPU".to_owned(), devices: NonZeroUsize::MIN, strategy: None };
    std::iter::once(one).chain(shared).collect()
}

fn series(strategy: Strategy, devices: NonZeroUsize) -> String {
    format!("{}, {devices} GPUs", strategy.name())
}

impl Places {
    fn new(bench: &Bench, text: &str, counts: &[NonZeroUsize]) -> Result<Self, Failure> {
        let mut subject = Subject::generated(text, bench.making)?;
        let copies = counts.iter().map(|&count| Ok((count, subject.reference(&bench.machine, count, bench.trials)?)));
        let copies = copies.collect::<Result<Vec<_>, Failure>>()?;
        let on_disk = OnDisk::new(&subject, &bench.folder)?;
        let read = on_disk.reference()?;
        let disk = subject.with(on_disk.open(IN_HOST_MEMORY)?);
        let reads = copies.iter().map(|(count, _)| (*count, read)).collect();
        let last = copies.last().map_or(read, |(_, reference)| *reference);
        let mut notes = bench.notes(&[subject.describe()], (&subject, &last));
        notes.push(format!(
            "disk: {} a second, host memory for {IN_HOST_MEMORY} % of the pages",
            units::bytes((subject.bytes() as f64 / read.seconds) as u64)
        ));
        let memory = subject.with(subject.graph.clone());
        let places = [
            Place { name: "GPU memory", streamed: false, subject: memory, references: copies.clone() },
            Place { name: HOST_MEMORY, streamed: true, subject, references: copies },
            Place { name: DISK, streamed: true, subject: disk, references: reads },
        ];
        Ok(Self { places, notes, _on_disk: on_disk })
    }
}

impl Place {
    fn measure(&self, bench: &Bench, workload: &Workload, way: &Way) -> Result<Row, Failure> {
        let machine: &Machine = &bench.machine;
        let setup = Setup { devices: way.devices, strategy: way.strategy, ..self.setup(workload, way.devices)? };
        let measured = workload.measure(machine, &setup, &self.subject.graph, bench.trials)?;
        let reference = self.references.iter().find(|(count, _)| *count == way.devices).or(self.references.first());
        let Some((_, reference)) = reference else {
            return Err(Failure::other("there is no GPU to measure on", "see `gts devices`"));
        };
        Ok(Row::new(workload, &self.subject, (self.name, way.series.clone()), measured, *reference))
    }

    fn setup(&self, workload: &Workload, devices: NonZeroUsize) -> Result<Setup, Failure> {
        if !self.streamed {
            return Ok(Setup::default());
        }
        let budget = self.subject.streaming_budget(workload, devices, tuning::CUDA_STREAMS)?;
        Ok(Setup { cache: CacheChoice::Off, device_memory: Some(budget), ..Setup::default() })
    }
}

fn finding(rows: &[Row], counts: &[NonZeroUsize]) -> Finding {
    let here = by_algorithm(rows, |algorithm| {
        let seconds = |place: &str, series: &str| Some(find(rows, algorithm, place, series)?.measured.times.median);
        let several: Vec<_> = counts.iter().copied().filter(|count| count.get() > 1).collect();
        let most = *several.last()?;
        let over_split = |place| {
            Some(seconds(place, &series(Strategy::Pages, most))? / seconds(place, &series(Strategy::Split, most))?)
        };
        let faster = |count: &NonZeroUsize| {
            let one = seconds(HOST_MEMORY, "one GPU")?;
            let speed = one / seconds(HOST_MEMORY, &series(Strategy::Pages, *count))?;
            Some(format!("{speed:.2} on {count}"))
        };
        Some(format!(
            "{algorithm} takes by Strategy-P {:.2} of the time by Strategy-S from host memory and {:.2} from the disk \
             ({most} GPUs), and from host memory runs by Strategy-P at a speed over one GPU of {}",
            over_split(HOST_MEMORY)?,
            over_split(DISK)?,
            several.iter().filter_map(faster).collect::<Vec<_>>().join(" and ")
        ))
    });
    Finding {
        paper: "both strategies take as long where one SSD or hard disks bound them, and Strategy-P is slightly faster from \
                main memory or two SSDs",
        here,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_gpus_share_the_work_by_both_strategies() {
        let of = |all| counts(NonZeroUsize::new(all).unwrap()).into_iter().map(NonZeroUsize::get).collect::<Vec<_>>();
        assert_eq!(of(1), [1]);
        assert_eq!(of(2), [1, 2]);
        assert_eq!(of(3), [1, 2, 3]);
        assert_eq!(of(4), [1, 2, 4]);
        assert_eq!(of(8), [1, 2, 4, 8]);
        let four = ways(&counts(NonZeroUsize::new(4).unwrap()));
        let names: Vec<_> = four.iter().map(|way| way.series.as_str()).collect();
        let several = ["Strategy-P, 2 GPUs", "Strategy-S, 2 GPUs", "Strategy-P, 4 GPUs", "Strategy-S, 4 GPUs"];
        assert_eq!(names, [&["one GPU"][..], &several].concat());
    }
}
