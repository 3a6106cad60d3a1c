//! The same step twice: pushed along out-edges, and pulled along in-edges.

use super::canvas::{Canvas, Lettering, Point, Stroke, Surface};

const SOURCES: [Point; 4] = [(40.0, 86.0), (40.0, 142.0), (40.0, 198.0), (40.0, 254.0)];
const TARGETS: [Point; 2] = [(206.0, 126.0), (206.0, 214.0)];
/// Whether a source is active.
const ACTIVE: [bool; 4] = [false, true, true, true];
/// Edges from sources to targets, ascending by source.
const EDGES: [(usize, usize); 6] = [(0, 0), (1, 0), (2, 0), (1, 1), (2, 1), (3, 1)];
/// Left edge of the picture of a pull.
const PULL: f64 = 306.0;

pub(super) fn draw() -> String {
    let mut canvas = Canvas::new(
        "push-pull",
        362.0,
        "A step pushed and pulled",
        "Three of four sources are active, and two vertices are unreached. In a push, each active source visits all of \
         its edges: five visits. In a pull, each unreached vertex visits its in-edges in order and stops at the first \
         active source: three visits.",
    );
    canvas.text((8.0, 16.0), "push", Lettering::Bold);
    canvas.text((8.0, 40.0), "active sources write", Lettering::Plain);
    canvas.text((PULL + 8.0, 16.0), "pull", Lettering::Bold);
    canvas.text((PULL + 8.0, 40.0), "unreached vertices look", Lettering::Plain);
    let pushed = push(&mut canvas);
    let pulled = pull(&mut canvas);
    for (left, visits) in [(0.0, pushed), (PULL, pulled)] {
        let skipped = EDGES.len() - visits;
        canvas.text((left + 8.0, 304.0), &format!("{visits} edges visited, {skipped} skipped"), Lettering::Accent);
    }
    legend(&mut canvas);
    canvas.finish()
}

/// Draws the push, and returns the number of edges that it visits.
fn push(canvas: &mut Canvas) -> usize {
    let mut visits = 0;
    for (src, dst) in EDGES {
        let stroke = if ACTIVE[src] { Stroke::Accent } else { Stroke::Dashed };
        visits += usize::from(ACTIVE[src]);
        canvas.edge(SOURCES[src], TARGETS[dst], stroke);
    }
    vertices(canvas, 0.0);
    visits
}

/// Draws the pull, and returns the number of edges that it visits.
fn pull(canvas: &mut Canvas) -> usize {
    let mut visits = 0;
    for (target, at) in TARGETS.into_iter().enumerate() {
        let mut reached = false;
        let sources = EDGES.iter().filter(|(_, dst)| *dst == target).map(|(src, _)| *src);
        for src in sources {
            let stroke = if reached { Stroke::Dashed } else { Stroke::Accent };
            visits += usize::from(!reached);
            reached |= ACTIVE[src];
            canvas.edge((PULL + at.0, at.1), (PULL + SOURCES[src].0, SOURCES[src].1), stroke);
        }
    }
    vertices(canvas, PULL);
    visits
}

fn vertices(canvas: &mut Canvas, left: f64) {
    for ((x, y), active) in SOURCES.into_iter().zip(ACTIVE) {
        canvas.vertex((left + x, y), "", if active { Surface::Accent } else { Surface::Tint });
    }
    for (x, y) in TARGETS {
        canvas.vertex((left + x, y), "", Surface::Paper);
    }
}

fn legend(canvas: &mut Canvas) {
    let y = 344.0;
    for (x, surface, name) in
        [(16.0, Surface::Accent, "active"), (106.0, Surface::Tint, "reached"), (206.0, Surface::Paper, "unreached")]
    {
        canvas.circle((x, y), 8.0, surface);
        canvas.text((x + 15.0, y), name, Lettering::Plain);
    }
    canvas.line((318.0, y), (350.0, y), Stroke::Accent);
    canvas.text((357.0, y), "visited", Lettering::Plain);
    canvas.line((438.0, y), (470.0, y), Stroke::Dashed);
    canvas.text((477.0, y), "skipped", Lettering::Plain);
}
