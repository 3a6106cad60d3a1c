//! Time by edges per vertex and by technique (Figure 14 of the GTS paper). All pages are in device memory, so that
//! kernels are the bottleneck rather than the link.

use super::super::Bench;
use super::super::figure::{Drawing, Figure, Finding};
use super::super::machine::Setup;
use super::super::subject::Subject;
use super::super::trials::{PAGERANK_AND_BFS, workloads};
use super::timings::{Quantity, Row, Timings, by_algorithm, find};
use crate::counter::Counter;
use gts_graph::cli::program::Failure;
use gts_graph::contract::{Technique, VirtualWarp};
use std::num::NonZeroUsize;

/// Edges per vertex.
const FACTORS: [u64; 4] = [4, 8, 16, 32];
/// The paper's vertex-centric, edge-centric and hybrid techniques, and GTS's balanced technique.
const TECHNIQUES: [Technique; 4] =
    [Technique::Vertex, Technique::Edge(VirtualWarp::W32), Technique::Hybrid, Technique::Balanced];

/// Label of the CPU's series.
const CPU: &str = "cpu";

pub(in super::super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    // The CPU has no techniques.
    let techniques: Vec<_> = match bench.machine.has_gpus() {
        true => TECHNIQUES.map(Some).to_vec(),
        false => vec![None],
    };
    let (workloads, mut rows) = (workloads(PAGERANK_AND_BFS)?, Vec::new());
    let (mut graphs, mut notes) = (Vec::new(), Vec::new());
    let mut counter = Counter::new("density", FACTORS.len() * workloads.len() * techniques.len());
    for factor in FACTORS {
        counter.hide();
        let mut subject = Subject::generated(&format!("rmat:{},edge-factor={factor}", bench.scale), bench.making)?;
        let reference = subject.reference(&bench.machine, NonZeroUsize::MIN, bench.trials)?;
        graphs.push(subject.describe());
        notes = bench.notes(&graphs, (&subject, &reference));
        for workload in &workloads {
            for technique in &techniques {
                counter.next();
                let setup = Setup { technique: *technique, ..Setup::default() };
                let measured = workload.measure(&bench.machine, &setup, &subject.graph, bench.trials)?;
                let series = technique.map_or(CPU, Technique::name);
                rows.push(Row::new(workload, &subject, (format!("1:{factor}"), series), measured, reference));
            }
        }
    }
    let finding = finding(&rows);
    Ok(Timings {
        name: "density",
        title: "Time by density and technique",
        across: "vertices : edges",
        series: "technique",
        drawing: Drawing::Lines,
        quantity: Quantity::Time,
        notes,
        finding,
        rows,
    }
    .figure())
}

fn finding(rows: &[Row]) -> Finding {
    let [edge, vertex, hybrid] =
        [Technique::Edge(VirtualWarp::W32), Technique::Vertex, Technique::Hybrid].map(Technique::name);
    let here = by_algorithm(rows, |algorithm| {
        let (sparse, dense) = (FACTORS.first()?, FACTORS.last()?);
        let places = [sparse, dense].map(|factor| format!("1:{factor}"));
        let seconds = |place: &str, series: &str| Some(find(rows, algorithm, place, series)?.measured.times.median);
        let over = |series: &str, place: &str| Some(seconds(place, series)? / seconds(place, edge)?);
        let compared = || {
            let [sparse, dense] = &places;
            Some(format!(
                "{algorithm} takes by vertices {:.2} of the time by edges at {sparse} and {:.2} at {dense}, by both {:.2} \
                 and {:.2}",
                over(vertex, sparse)?,
                over(vertex, dense)?,
                over(hybrid, sparse)?,
                over(hybrid, dense)?
            ))
        };
        let alone = || {
            let each = |place: &str| Some(find(rows, algorithm, place, CPU)?.seconds_an_edge() * 1e9);
            Some(format!(
                "the CPU, which has no techniques, takes {:.2} ns an edge of {algorithm} at {} and {:.2} ns at {}",
                each(&places[0])?,
                places[0],
                each(&places[1])?,
                places[1]
            ))
        };
        compared().or_else(alone)
    });
    Finding {
        paper: "the techniques are alike at 1:4, going by edges is far ahead of going by vertices in denser graphs, and the \
                hybrid is up to 6 % (BFS) and 24 % (PageRank) faster still",
        here,
    }
}
