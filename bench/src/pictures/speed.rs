//! The speed of GTS over that of the GAP benchmark suite, from the table in `README.md`.

use super::canvas::{Canvas, Lettering, Point, Stroke, Surface};
use super::numbers::{read, row, value};
use std::error::Error;

/// Left and right end of the axis in pixels, and the values there.
const AXIS: Point = (116.0, 418.0);
const ENDS: Point = (0.7, 42.0);
const TICKS: [f64; 6] = [1.0, 2.0, 5.0, 10.0, 20.0, 40.0];
/// Middle of the columns of values.
const CORES: f64 = 462.0;
const GPU: f64 = 532.0;
/// Top of the first panel, height of a panel, and distance of its rows.
const TOP: f64 = 46.0;
const PANEL: f64 = 172.0;
const ROW: f64 = 27.0;
/// Kernels, from the third column of the table on.
const KERNELS: usize = 5;

/// Returns the position of a value on the axis, which is logarithmic.
fn x(value: f64) -> f64 {
    AXIS.0 + (value / ENDS.0).ln() / (ENDS.1 / ENDS.0).ln() * (AXIS.1 - AXIS.0)
}

pub(super) fn draw() -> Result<String, Box<dyn Error>> {
    let readme = read("README.md")?;
    let names = row(&readme, &["graph (2^24 vertices)"])?;
    let mut canvas = Canvas::new(
        "speed",
        TOP + 2.0 * PANEL + 52.0,
        "Speed of GTS over that of the GAP benchmark suite",
        "Run time of the GAP benchmark suite on 16 cores, divided by that of GTS on the same cores and on one H200, \
         for five kernels on a Kronecker graph and on a uniform graph. The table in the README has the same values.",
    );
    for (middle, name, surface) in [(CORES, "16 cores", Surface::Paper), (GPU, "H200", Surface::Accent)] {
        canvas.circle((middle, 16.0), 7.0, surface);
        canvas.centred((middle, 38.0), name, Lettering::Plain);
    }
    let bottom = TOP + 2.0 * PANEL - 2.0;
    canvas.line((x(1.0), TOP + 24.0), (x(1.0), bottom), Stroke::Dashed);
    for (panel, graph) in ["Kronecker", "uniform"].into_iter().enumerate() {
        let top = TOP + PANEL * panel as f64;
        let cores = row(&readme, &[graph, "the same 16 cores"])?;
        let gpu = row(&readme, &[graph, "one H200"])?;
        canvas.text((8.0, top + 14.0), graph, Lettering::Bold);
        for kernel in 0..KERNELS {
            let cell = |row: &[&str]| row.get(2 + kernel).map(|cell| (*cell).to_owned()).unwrap_or_default();
            let y = top + 40.0 + ROW * kernel as f64;
            let name = cell(&names);
            canvas.text((8.0, y), name.split(" (").next().unwrap_or_default(), Lettering::Plain);
            values(&mut canvas, y, &cell(&cores), &cell(&gpu))?;
        }
    }
    canvas.line((AXIS.0, bottom), (AXIS.1, bottom), Stroke::Grey);
    for tick in TICKS {
        canvas.line((x(tick), bottom), (x(tick), bottom + 6.0), Stroke::Grey);
        canvas.centred((x(tick), bottom + 18.0), &tick.to_string(), Lettering::Muted);
    }
    canvas.text((x(1.0) - 4.0, bottom + 40.0), "times the speed of gapbs", Lettering::Muted);
    Ok(canvas.finish())
}

/// Draws a row: the speed on the cores of a CPU, and on a GPU.
fn values(canvas: &mut Canvas, y: f64, cores: &str, gpu: &str) -> Result<(), Box<dyn Error>> {
    let (left, right) = (x(value(cores)?), x(value(gpu)?));
    canvas.line((left, y), (right, y), Stroke::Grey);
    canvas.circle((left, y), 7.0, Surface::Paper);
    canvas.circle((right, y), 7.0, Surface::Accent);
    canvas.ending((CORES + 16.0, y), cores, Lettering::Plain);
    canvas.ending((GPU + 16.0, y), gpu, Lettering::Accent);
    Ok(())
}
