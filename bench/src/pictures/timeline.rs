//! Copies and kernels on three streams. The bars are a schematic; the times below them were measured.

use super::canvas::{Canvas, Lettering, Stroke, Surface};
use super::numbers::{read, row};
use std::error::Error;

/// The page that has an iteration of PageRank by the number of streams.
const MEASURED: &str = "bench/results/2026-11-21-935bea2-paper-NVIDIA-H200/streams.md";
const STREAMS: usize = 3;
/// Width of a copy and of each kernel in pixels. A copy takes the whole bus, so copies follow each other.
const COPY: f64 = 46.0;
const KERNELS: [f64; 9] = [58.0, 66.0, 40.0, 74.0, 52.0, 62.0, 44.0, 56.0, 38.0];
/// Left edge of the bars, top of the first row, distance of the rows and height of a bar.
const LEFT: f64 = 92.0;
const TOP: f64 = 56.0;
const ROW: f64 = 46.0;
const BAR: f64 = 30.0;

pub(super) fn draw() -> Result<String, Box<dyn Error>> {
    let measured = read(MEASURED)?;
    // Algorithm, streams, pages, subject, time, fastest, slowest, reference.
    let measured = row(&measured, &["pagerank", "2"])?;
    let (Some(time), Some(copies)) = (measured.get(4), measured.get(7)) else {
        return Err(format!("{MEASURED}: a row is too short").into());
    };
    let mut canvas = Canvas::new(
        "timeline",
        282.0,
        "Copies and kernels overlap on three streams",
        "A schematic. Copies follow each other without gaps, on one stream after the other. While a page is copied, \
         the kernels of other streams visit the pages that were copied before it.",
    );
    let end = LEFT + COPY * KERNELS.len() as f64;
    canvas.text((LEFT, 20.0), "schematic", Lettering::Muted);
    for (left, surface, name) in [(376.0, Surface::Tint, "copy"), (468.0, Surface::Accent, "kernel")] {
        canvas.rectangle((left, 12.0), (20.0, 16.0), surface);
        canvas.text((left + 28.0, 20.0), name, Lettering::Plain);
    }
    for stream in 0..STREAMS {
        let y = TOP + ROW * stream as f64 + BAR / 2.0;
        canvas.text((8.0, y), &format!("stream {stream}"), Lettering::Plain);
    }
    for (page, kernel) in KERNELS.into_iter().enumerate() {
        let (x, y) = (LEFT + COPY * page as f64, TOP + ROW * (page % STREAMS) as f64);
        canvas.cell((x, y), (COPY, BAR), &page.to_string(), Surface::Tint);
        canvas.cell((x + COPY, y), (kernel, BAR), &page.to_string(), Surface::Accent);
    }
    let axis = TOP + ROW * STREAMS as f64 + 4.0;
    canvas.arrow((LEFT, axis), (end + 48.0, axis), Stroke::Grey);
    canvas.text((8.0, axis), "time", Lettering::Muted);
    canvas.text((8.0, axis + 40.0), "PageRank on an H200, measured:", Lettering::Plain);
    canvas.text(
        (8.0, axis + 64.0),
        &format!("an iteration takes {time}, its copies alone {copies}"),
        Lettering::Accent,
    );
    Ok(canvas.finish())
}
