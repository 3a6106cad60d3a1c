//! Pages stream from the disk through host memory, past the attributes in GPU memory.

use super::canvas::{Canvas, Lettering, PAGE, Point, Stroke, Surface};

/// Left edge and width of the disk, of host memory and of GPU memory.
const DISK: Point = (8.0, 98.0);
const HOST: Point = (152.0, 98.0);
const GPU: Point = (296.0, 256.0);
/// Top and height of the frames.
const FRAMES: Point = (36.0, 336.0);
/// Middle of the row of pages that kernels visit.
const MOVING: f64 = 187.0;
/// Size of a value in a table.
const VALUE: Point = (16.0, 24.0);
const VALUES: u8 = 14;

pub(super) fn draw() -> String {
    let mut canvas = Canvas::new(
        "streaming",
        380.0,
        "Pages stream past the attributes in GPU memory",
        "All pages are on the disk. A buffer in host memory has some of them. Streams copy pages to the GPU, whose \
         kernels update the attributes. GPU memory has the attributes of all vertices, the RVT, and a cache of pages.",
    );
    for ((x, width), name) in [(DISK, "disk"), (HOST, "host memory"), (GPU, "GPU memory")] {
        canvas.centred((x + width / 2.0, 20.0), name, Lettering::Bold);
        canvas.frame((x, FRAMES.0), (width, FRAMES.1));
    }
    columns_of_pages(&mut canvas, DISK, 6, "all pages");
    columns_of_pages(&mut canvas, HOST, 4, "buffer");
    for ((x, width), name, next) in [(DISK, "read", HOST), (HOST, "copy", GPU)] {
        let middle = (x + width + next.0) / 2.0;
        canvas.centred((middle, MOVING - 16.0), name, Lettering::Plain);
        canvas.arrow((x + width + 3.0, MOVING), (next.0 - 3.0, MOVING), Stroke::Accent);
    }
    gpu_memory(&mut canvas);
    canvas.finish()
}

/// Draws pages in two columns, around the height at which pages move.
fn columns_of_pages(canvas: &mut Canvas, (x, width): Point, rows: u8, caption: &str) {
    let step = PAGE.1 + 7.0;
    let top = MOVING - f64::from(rows) * step / 2.0 + 3.5;
    for row in 0..rows {
        for column in 0..2 {
            let left = x + width / 2.0 - PAGE.0 - 4.0 + f64::from(column) * (PAGE.0 + 8.0);
            canvas.page((left, top + f64::from(row) * step), Surface::Paper);
        }
    }
    canvas.centred((x + width / 2.0, FRAMES.0 + FRAMES.1 - 18.0), caption, Lettering::Plain);
}

fn gpu_memory(canvas: &mut Canvas) {
    let middle = GPU.0 + GPU.1 / 2.0;
    let left = middle - VALUE.0 * f64::from(VALUES) / 2.0;
    let row = |canvas: &mut Canvas, y: f64, surface: Surface| {
        for value in 0..VALUES {
            canvas.rectangle((left + VALUE.0 * f64::from(value), y), VALUE, surface);
        }
    };
    row(canvas, 48.0, Surface::Tint);
    canvas.centred((middle, 88.0), "attributes (WA), per vertex", Lettering::Plain);
    for stream in 0u8..3 {
        let x = middle + 76.0 * (f64::from(stream) - 1.0);
        canvas.arrow((x, 164.0), (x, 104.0), Stroke::Accent);
        canvas.page((x - PAGE.0 / 2.0, MOVING - PAGE.1 / 2.0), Surface::Tint);
        canvas.centred((x, MOVING + 32.0), &format!("stream {stream}"), Lettering::Plain);
    }
    canvas.centred((middle - 38.0, 134.0), "kernels", Lettering::Plain);
    row(canvas, 244.0, Surface::Paper);
    canvas.centred((middle, 284.0), "RVT, per page", Lettering::Plain);
    for page in 0u8..5 {
        canvas.page((middle - 2.5 * 42.0 + 4.0 + 42.0 * f64::from(page), 302.0), Surface::Paper);
    }
    canvas.centred((middle, FRAMES.0 + FRAMES.1 - 18.0), "cached pages", Lettering::Plain);
}
