//! Steps of a traversal: active vertices, and the edges for which the body runs.

use super::canvas::{Canvas, Lettering, Point, RADIUS, Stroke, Surface};

const VERTICES: [Point; 5] = [(24.0, 92.0), (84.0, 42.0), (84.0, 142.0), (144.0, 42.0), (144.0, 142.0)];
const EDGES: [(usize, usize); 6] = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 4), (3, 4)];
/// Lines of the body, each with its indentation in characters.
const BODY: [(f64, &str); 4] = [
    (0.0, "if bfs.level[dst] == UNREACHED {"),
    (4.0, "bfs.level[dst] = step() + 1;"),
    (4.0, "activate(dst);"),
    (0.0, "}"),
];
/// Width of a panel, and its distance from the top.
const PANEL: Point = (194.0, 24.0);

/// Returns the level of each vertex, counted from vertex 0.
fn levels() -> [Option<usize>; VERTICES.len()] {
    let mut levels = [None; VERTICES.len()];
    levels[0] = Some(0);
    for step in 0..VERTICES.len() {
        for (src, dst) in EDGES {
            if levels[src] == Some(step) && levels[dst].is_none() {
                levels[dst] = Some(step + 1);
            }
        }
    }
    levels
}

pub(super) fn draw() -> String {
    let mut canvas = Canvas::new(
        "kernel",
        378.0,
        "Three steps of a traversal",
        "In step 0 the source is active, and the body runs for its two edges. Both neighbours get level 1 and are \
         active in step 1, whose edges reach two more vertices. In step 2 an edge between reached vertices changes \
         nothing, and the traversal ends.",
    );
    for step in 0..3 {
        panel(&mut canvas, step);
    }
    let (x, y) = place(0, 0);
    canvas.centred((x, y + RADIUS + 14.0), "src", Lettering::Code);
    let (x, y) = place(0, 1);
    canvas.centred((x, y - RADIUS - 13.0), "dst", Lettering::Code);
    legend(&mut canvas);
    canvas.text((8.0, 272.0), "For each edge of an active vertex:", Lettering::Plain);
    for (line, (indent, code)) in (0u8..).zip(BODY) {
        canvas.text((8.0 + 9.0 * indent, 300.0 + 21.0 * f64::from(line)), code, Lettering::Code);
    }
    canvas.finish()
}

/// Returns the position of a vertex in the panel of a step.
fn place(step: usize, vertex: usize) -> Point {
    let (x, y) = VERTICES[vertex];
    (x + PANEL.0 * step as f64, y + PANEL.1)
}

fn panel(canvas: &mut Canvas, step: usize) {
    let levels = levels();
    canvas.text((8.0 + PANEL.0 * step as f64, 16.0), &format!("step {step}"), Lettering::Bold);
    for (src, dst) in EDGES {
        let stroke = if levels[src] == Some(step) { Stroke::Accent } else { Stroke::Grey };
        canvas.edge(place(step, src), place(step, dst), stroke);
    }
    for (vertex, level) in levels.into_iter().enumerate() {
        let (text, surface) = match level {
            Some(level) if level == step => (level.to_string(), Surface::Accent),
            Some(level) if level < step => (level.to_string(), Surface::Tint),
            _ => (String::new(), Surface::Paper),
        };
        canvas.vertex(place(step, vertex), &text, surface);
    }
}

fn legend(canvas: &mut Canvas) {
    let y = 226.0;
    for (x, surface, name) in
        [(16.0, Surface::Accent, "active"), (118.0, Surface::Tint, "reached"), (230.0, Surface::Paper, "unreached")]
    {
        canvas.circle((x, y), 8.0, surface);
        canvas.text((x + 15.0, y), name, Lettering::Plain);
    }
    canvas.arrow((352.0, y), (388.0, y), Stroke::Accent);
    canvas.text((396.0, y), "a run of the body", Lettering::Plain);
}
