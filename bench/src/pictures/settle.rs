//! A step of k-core: an edge kernel counts degrees down, and a vertex kernel looks at the totals.

use super::canvas::{Canvas, Lettering, Point, Stroke, Surface};

/// Positions in both graphs, relative to their left edges.
const VERTICES: [Point; 6] = [(24.0, 122.0), (24.0, 208.0), (94.0, 165.0), (172.0, 165.0), (172.0, 82.0), (94.0, 82.0)];
const EDGES: [(usize, usize); 6] = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (2, 5)];
/// The limit: the step removes vertices of at most this degree.
const K: usize = 1;
/// Left edges of the two graphs and of the table, and the size of a value.
const BEFORE: f64 = 8.0;
const AFTER: f64 = 356.0;
const TABLE: f64 = 222.0;
const VALUE: Point = (116.0, 28.0);

/// Returns the degree of each vertex, as if the vertices in `gone` and their edges did not exist.
fn degrees(gone: &[usize]) -> [usize; VERTICES.len()] {
    let mut degrees = [0; VERTICES.len()];
    for (one, other) in EDGES {
        degrees[one] += usize::from(!gone.contains(&other));
        degrees[other] += usize::from(!gone.contains(&one));
    }
    degrees
}

pub(super) fn draw() -> String {
    let mut canvas = Canvas::new(
        "settle",
        304.0,
        "An edge kernel writes degrees, and a vertex kernel reads them",
        "Two removed vertices are active. The edge kernel subtracts 1 from the degree of each of their neighbours. \
         When all edges are done, the vertex kernel compares the degrees of these neighbours with k. It removes the \
         neighbour whose degree is 1, and keeps the other.",
    );
    let before = degrees(&[]);
    let removed: Vec<usize> = (0..VERTICES.len()).filter(|vertex| before[*vertex] <= K).collect();
    let after = degrees(&removed);
    let (one, two) = (BEFORE + 98.0, AFTER + 98.0);
    canvas.centred((one, 16.0), "1. edge kernel", Lettering::Bold);
    canvas.centred((one, 40.0), "remove", Lettering::Code);
    canvas.centred((TABLE + VALUE.0 / 2.0, 16.0), "attribute", Lettering::Bold);
    canvas.centred((TABLE + VALUE.0 / 2.0, 40.0), "degree", Lettering::Code);
    canvas.centred((two, 16.0), "2. vertex kernel", Lettering::Bold);
    canvas.centred((two, 40.0), "peel", Lettering::Code);

    let at = |left: f64, vertex: usize| (left + VERTICES[vertex].0, VERTICES[vertex].1);
    for (one, other) in EDGES {
        match [(one, other), (other, one)].into_iter().find(|(src, _)| removed.contains(src)) {
            Some((src, dst)) => {
                canvas.edge(at(BEFORE, src), at(BEFORE, dst), Stroke::Accent);
                let (x, y) = at(BEFORE, dst);
                canvas.text((x + 8.0, y - 42.0), "−1", Lettering::Accent);
                canvas.undirected_edge(at(AFTER, src), at(AFTER, dst), Stroke::Dashed);
            }
            None => {
                canvas.undirected_edge(at(BEFORE, one), at(BEFORE, other), Stroke::Grey);
                canvas.undirected_edge(at(AFTER, one), at(AFTER, other), Stroke::Grey);
            }
        }
    }
    for vertex in 0..VERTICES.len() {
        let gone = removed.contains(&vertex);
        let falls = !gone && after[vertex] <= K;
        let surface = if gone { Surface::Accent } else { Surface::Paper };
        canvas.vertex(at(BEFORE, vertex), &vertex.to_string(), surface);
        let surface = match (falls, after[vertex] < before[vertex]) {
            (true, _) => Surface::Accent,
            (false, true) if !gone => Surface::Tint,
            _ => Surface::Paper,
        };
        canvas.vertex(at(AFTER, vertex), &vertex.to_string(), surface);
        row(&mut canvas, vertex, before[vertex], (!gone).then_some(after[vertex]));
    }
    canvas.centred((one, 256.0), "degree[dst] -= 1", Lettering::Code);
    canvas.centred((two, 256.0), "if degree[v] <= k", Lettering::Code);
    canvas.centred((one, 284.0), "active: 4 and 5", Lettering::Plain);
    canvas.centred((two, 284.0), "3 is removed, 2 stays", Lettering::Plain);
    canvas.finish()
}

/// Draws the degree of a vertex before and after the edge kernel. A removed vertex has none after it.
fn row(canvas: &mut Canvas, vertex: usize, before: usize, after: Option<usize>) {
    let y = 62.0 + VALUE.1 * vertex as f64;
    let middle = y + VALUE.1 / 2.0;
    canvas.ending((TABLE + 18.0, middle), &vertex.to_string(), Lettering::Muted);
    let (left, width) = (TABLE + 28.0, VALUE.0 - 28.0);
    match after {
        Some(after) if after != before => {
            canvas.rectangle((left, y), (width, VALUE.1), Surface::Tint);
            let text = format!("{before} → {after}");
            canvas.centred((left + width / 2.0, middle), &text, Lettering::Accent);
        }
        Some(after) => canvas.cell((left, y), (width, VALUE.1), &after.to_string(), Surface::Paper),
        None => canvas.cell((left, y), (width, VALUE.1), "removed", Surface::Paper),
    }
}
