//! Time by the edges of a vertex and by technique (the paper's Figure 14), where all pages are in the device's memory:
//! kernels rule, not the link.

use super::figure::{Drawing, Figure, Quantity, Row};
use super::machine::Setup;
use super::subject::Subject;
use super::trials::workloads;
use super::{Bench, Counter};
use crate::error::Failure;
use gts_runtime::core::contract::{Technique, VirtualWarp};
use std::num::NonZeroUsize;

/// Edges a vertex.
const FACTORS: [u64; 4] = [4, 8, 16, 32];
/// The paper's vertex-centric, edge-centric and hybrid technique, and ours for lists of any length.
const TECHNIQUES: [Technique; 4] =
    [Technique::Vertex, Technique::Edge(VirtualWarp::W32), Technique::Hybrid, Technique::Balanced];

pub(super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    // The CPU has no techniques.
    let techniques: Vec<_> = match bench.machine.has_gpus() {
        true => TECHNIQUES.map(Some).to_vec(),
        false => vec![None],
    };
    let (workloads, mut rows) = (workloads()?, Vec::new());
    let (mut graphs, mut notes) = (Vec::new(), Vec::new());
    let mut counter = Counter::new("density", FACTORS.len() * workloads.len() * techniques.len());
    for factor in FACTORS {
        counter.hide();
        let mut subject = Subject::generated(&format!("rmat:{},edge-factor={factor}", bench.scale), bench.making)?;
        let reference = subject.reference(&bench.machine, NonZeroUsize::MIN, bench.trials)?;
        graphs.push(subject.describe());
        notes = bench.notes(&graphs, (&subject, &reference));
        for workload in workloads {
            for technique in &techniques {
                counter.next();
                let setup = Setup { technique: *technique, ..Setup::default() };
                let measured = workload.measure(&bench.machine, &setup, &subject.graph, bench.trials)?;
                let series = technique.map_or("cpu", Technique::name);
                rows.push(Row::new(&workload, &subject, (format!("1:{factor}"), series), measured, reference));
            }
        }
    }
    Ok(Figure {
        name: "density",
        title: "Time by density and technique",
        across: "vertices : edges",
        series: "technique",
        drawing: Drawing::Lines,
        quantity: Quantity::Time,
        notes,
        rows,
    })
}
