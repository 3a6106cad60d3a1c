//! PageRank on a CPU within 100 MiB for pages and tables, as a graph grows.

use super::canvas::{Canvas, Lettering, Point, Stroke, Surface};
use super::numbers::{read, rows, value};
use std::error::Error;

/// The page that has a row per graph.
const MEASURED: &str = "bench/results/2026-11-27-edb0687-2-cores.md";
/// The limit of the runs in MiB.
const LIMIT: f64 = 100.0;
/// Left edge and width of the chart, and the heights of 0 and of `HIGHEST` in pixels.
const CHART: Point = (92.0, 460.0);
const HEIGHTS: Point = (286.0, 22.0);
/// The highest value of the chart in MiB.
const HIGHEST: f64 = 550.0;
/// Width of a bar.
const BAR: f64 = 22.0;

/// A run: the edges per vertex of its graph, and MiB of pages, of pages and tables in memory, and of the whole process.
struct Growing {
    edges: f64,
    pages: f64,
    held: f64,
    process: f64,
}

/// Reads the runs from their table.
fn runs() -> Result<Vec<Growing>, Box<dyn Error>> {
    let page = read(MEASURED)?;
    let run = |cells: Vec<&str>| {
        let numbers = cells[1..].iter().map(|cell| value(cell)).collect::<Result<Vec<_>, _>>()?;
        let [edges, pages, held, process] = numbers[..] else {
            return Err(format!("{MEASURED}: a row has {} numbers", numbers.len()).into());
        };
        Ok(Growing { edges, pages, held, process })
    };
    rows(&page, &["pagerank"]).into_iter().map(run).collect()
}

/// Returns the height of a value in MiB.
fn y(value: f64) -> f64 {
    HEIGHTS.0 + value / HIGHEST * (HEIGHTS.1 - HEIGHTS.0)
}

pub(super) fn draw() -> Result<String, Box<dyn Error>> {
    let runs = runs()?;
    let mut canvas = Canvas::new(
        "growth",
        348.0,
        "PageRank within 100 MiB as the graph grows",
        "A graph of a million vertices gets more and more edges. Its pages grow from 21 MiB to 534 MiB. Pages and \
         tables in memory stay within 100 MiB, and the memory of the whole process within 142 MiB.",
    );
    for (row, (surface, name)) in (0u8..).zip([
        (Surface::Paper, "pages of the graph"),
        (Surface::Tint, "memory of the process"),
        (Surface::Accent, "pages and tables in it"),
    ]) {
        let (x, y) = (CHART.0 + 14.0, 34.0 + 28.0 * f64::from(row));
        canvas.rectangle((x, y - 8.0), (BAR, 16.0), surface);
        canvas.text((x + BAR + 10.0, y), name, Lettering::Plain);
    }
    canvas.ending((CHART.0 - 12.0, 34.0), "MiB", Lettering::Muted);
    let right = CHART.0 + CHART.1;
    for mark in [0.0, 200.0, 400.0] {
        canvas.ending((CHART.0 - 12.0, y(mark)), &mark.to_string(), Lettering::Muted);
        canvas.line((CHART.0 - 6.0, y(mark)), (CHART.0, y(mark)), Stroke::Grey);
    }
    let step = CHART.1 / runs.len().max(1) as f64;
    for (place, run) in runs.iter().enumerate() {
        let middle = CHART.0 + step * (place as f64 + 0.5);
        let bars =
            [(-1.0, run.pages, Surface::Paper), (0.0, run.process, Surface::Tint), (0.0, run.held, Surface::Accent)];
        for (column, value, surface) in bars {
            canvas.rectangle((middle + BAR * column, y(value)), (BAR, y(0.0) - y(value)), surface);
        }
        canvas.centred((middle, HEIGHTS.0 + 20.0), &run.edges.to_string(), Lettering::Plain);
    }
    canvas.line((CHART.0, y(0.0)), (right, y(0.0)), Stroke::Grey);
    canvas.line((CHART.0, y(LIMIT)), (right, y(LIMIT)), Stroke::Dashed);
    canvas.text((CHART.0 + 14.0, y(LIMIT) - 14.0), &format!("limit {LIMIT} MiB"), Lettering::Plain);
    canvas.centred(
        (CHART.0 + CHART.1 / 2.0, HEIGHTS.0 + 46.0),
        "edges per vertex, 1,048,576 vertices",
        Lettering::Muted,
    );
    Ok(canvas.finish())
}
