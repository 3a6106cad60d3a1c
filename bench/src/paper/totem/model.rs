//! Speedup over the CPU alone, as predicted by TOTEM's model, by the bytes per boundary edge that cross the bus (Figure
//! 3 of the TOTEM paper). The model uses the paper's rates and this machine's rates.

use super::super::Bench;
use super::super::figure::{Cell, Chart, Column, Drawing, Figure, Finding, Line, Table, Unit};
use super::super::machine::{Machine, Setup};
use super::super::subject::Subject;
use super::super::trials::workloads;
use crate::counter::Counter;
use gts_graph::cli::program::Constants;
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::units;
use gts_graph::core::cost::hybrid::totem::{BUS_RATE, Offloading, communication_rate};
use gts_graph::prelude::DeviceChoice;

/// The CPU's share of the edges.
const ALPHA: f64 = 0.5;
/// Bytes per boundary edge, on the horizontal axis.
const BYTES: [u32; 5] = [4, 8, 16, 32, 64];
/// Fractions of the edges that are boundary edges. Aggregation yields the small fractions.
const BETAS: [f64; 4] = [0.03, 0.2, 0.6, 1.0];
/// The paper's r_cpu in Figure 2, in edges per second, because the paper states no value for Figure 3.
const CPU_RATE: f64 = 0.5e9;

/// Rates used by the model.
struct Rates {
    /// Source of the rates: the paper or this machine.
    name: &'static str,
    /// Bytes per second across the bus.
    bus: f64,
    /// Edges per second on the CPU.
    cpu: f64,
}

struct Row {
    machine: &'static str,
    bytes: u32,
    beta: f64,
    speedup: f64,
}

pub(in super::super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    let mut counter = Counter::new("model", 1);
    let subject = Subject::generated(&format!("rmat:{}", bench.scale), bench.making)?;
    counter.next();
    let cpu = Machine::of(DeviceChoice::Cpu, None)?;
    let [pagerank] = &workloads(["pagerank"])?[..] else {
        return Err(Failure::other("there is no PageRank", "report it"));
    };
    let measured = pagerank.measure(&cpu, &Setup::default(), &subject.graph, bench.trials)?;
    let constants = Constants::of(DeviceChoice::Cuda(0), 1)?;
    let link = constants.processor.link.as_ref().map_or(BUS_RATE, |link| link.chunk_rate());
    let here = Rates { name: "this machine", bus: link, cpu: measured.edges as f64 / measured.times.median };
    let paper = Rates { name: "the paper's", bus: BUS_RATE, cpu: CPU_RATE };
    let rows: Vec<Row> = [&paper, &here].into_iter().flat_map(rows).collect();
    let notes = vec![
        format!("alpha {:.0} %; beta is the share of the edges that are boundary edges", 100.0 * ALPHA),
        format!(
            "the paper's: {} over the bus, a CPU of {} (of its Figure 2, as it gives none for Figure 3)",
            units::rate(paper.bus),
            units::per_second(paper.cpu, "edges")
        ),
        format!(
            "this machine: {} over the bus of {} ({}), a CPU of {} (PageRank, {}, median of {} trials)",
            units::rate(here.bus),
            constants.processor.name,
            constants.origin(),
            units::per_second(here.cpu, "edges"),
            cpu.name,
            bench.trials
        ),
        subject.describe(),
    ];
    Ok(Figure {
        name: "model",
        title: "The speed over the CPU alone that TOTEM's model predicts",
        across: "bytes of a boundary edge",
        series: "beta",
        notes,
        finding: finding(&rows, here.name),
        table: Table::of(&rows, &columns()),
        charts: [paper.name, here.name].map(|machine| chart(&rows, machine)).into(),
    })
}

fn rows(rates: &Rates) -> impl Iterator<Item = Row> + use<'_> {
    BETAS.into_iter().flat_map(move |beta| {
        BYTES.into_iter().map(move |bytes| {
            let communication_rate = communication_rate(rates.bus, f64::from(bytes));
            let model = Offloading { alpha: ALPHA, beta, cpu_rate: rates.cpu, communication_rate };
            Row { machine: rates.name, bytes, beta, speedup: model.speedup() }
        })
    })
}

fn columns() -> [Column<Row>; 4] {
    [
        Column::left("rates", "rates", |row| Cell::text(row.machine)),
        Column::right("beta", "beta", |row| Cell::of(format!("{:.0} %", 100.0 * row.beta), row.beta)),
        Column::right("bytes of a boundary edge", "bytes", |row| Cell::of(row.bytes.to_string(), row.bytes)),
        Column::right("speed over the CPU", "speedup", |row| Cell::of(format!("{:.2}", row.speedup), row.speedup)),
    ]
}

fn chart(rows: &[Row], machine: &str) -> Chart {
    let line = |(colour, beta): (usize, f64)| Line {
        name: format!("beta {:.0} %", 100.0 * beta),
        colour,
        predicted: true,
        points: rows
            .iter()
            .filter(|row| row.machine == machine && row.beta == beta)
            .enumerate()
            .map(|(place, row)| (place, row.speedup))
            .collect(),
    };
    Chart {
        title: format!("rates: {machine}"),
        upward: "speed over the CPU alone".to_owned(),
        drawing: Drawing::Lines,
        unit: Unit::Times,
        places: BYTES.iter().map(u32::to_string).collect(),
        lines: BETAS.into_iter().enumerate().map(line).collect(),
        reference: Some(Line {
            name: "the CPU alone".to_owned(),
            colour: 0,
            predicted: false,
            points: (0..BYTES.len()).map(|place| (place, 1.0)).collect(),
        }),
    }
}

fn finding(rows: &[Row], machine: &str) -> Finding {
    let speedup = |beta: f64, bytes: u32| {
        let found = rows.iter().find(|row| row.machine == machine && row.beta == beta && row.bytes == bytes);
        found.map_or(f64::NAN, |row| row.speedup)
    };
    let of = |beta: f64| {
        let [few, twice, .., many] = BYTES;
        let speeds = [few, twice, many].map(|bytes| format!("{:.2} with {bytes}", speedup(beta, bytes))).join(", ");
        format!("{speeds} bytes an edge at a beta of {:.0} %", 100.0 * beta)
    };
    let [least, .., most] = BETAS;
    Finding {
        paper: "the speed falls much with each doubling of the bytes of an edge, and a small beta helps against it",
        here: format!("its rates would give speeds over the CPU alone of {}, and of {}", of(most), of(least)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_s_machine_gains_nothing_where_every_edge_crosses() {
        let paper = Rates { name: "the paper's", bus: BUS_RATE, cpu: CPU_RATE };
        let rows: Vec<Row> = rows(&paper).collect();
        assert_eq!(rows.len(), BETAS.len() * BYTES.len());
        let at = |beta, bytes| rows.iter().find(|row| row.beta == beta && row.bytes == bytes).unwrap().speedup;
        // The speedups are 1 / (1 x 0.5 / 1 + 0.5) and, with twice the bytes, 1 / (1 x 0.5 / 0.5 + 0.5).
        assert!((at(1.0, 4) - 1.0).abs() < 1e-12 && (at(1.0, 8) - 1.0 / 1.5).abs() < 1e-12);
        assert!(at(0.03, 4) > 1.9 && at(0.03, 64) > 1.3);
    }
}
