//! Contents of small and large pages, beside the graph and its RVT.

use super::canvas::{Canvas, Lettering, Point, Stroke, Surface};

/// Positions of the vertices.
const VERTICES: [Point; 5] = [(36.0, 50.0), (190.0, 50.0), (113.0, 105.0), (190.0, 160.0), (36.0, 160.0)];
/// The list of each vertex. The pages have room for five words, so the list of vertex 2 needs two pages.
const LISTS: [&[usize]; 5] = [&[1], &[3], &[0, 1, 3, 4], &[4], &[0]];
/// The neighbour whose record ID on the last large page is decoded below the pages.
const DECODED: usize = 4;
/// Record IDs and slots that fit into a page.
const WORDS: usize = 5;
/// Left edge of the contents, width and height of a word, and distance of the rows.
const CONTENTS: f64 = 84.0;
const WORD: Point = (62.0, 32.0);
const ROW: f64 = 40.0;
/// Left edges and widths of the numbers in the header.
const HEADER: [Point; 3] = [(84.0, 44.0), (128.0, 44.0), (172.0, 62.0)];
/// Left edges of the columns of the RVT, their widths, its top and the height of its rows.
const RVT: [Point; 3] = [(280.0, 60.0), (340.0, 104.0), (444.0, 104.0)];
const RVT_TOP: f64 = 60.0;
const RVT_ROW: f64 = 28.0;

/// A page: its first vertex, the pages that are left of a large vertex, and its lists.
struct Sheet {
    first: usize,
    left: usize,
    lists: Vec<Vec<usize>>,
}

/// Fills pages with lists as the builder does: a list that fits into no page alone gets large pages.
fn sheets() -> Vec<Sheet> {
    let mut sheets: Vec<Sheet> = Vec::new();
    for (vertex, list) in LISTS.iter().enumerate() {
        // A page has a slot per list and one more.
        let room = WORDS - 2;
        if list.len() > room {
            let parts: Vec<_> = list.chunks(room).collect();
            sheets.extend((0..).zip(&parts).map(|(place, part)| Sheet {
                first: vertex,
                left: parts.len() - place,
                lists: vec![part.to_vec()],
            }));
            continue;
        }
        let used = |sheet: &Sheet| sheet.lists.iter().map(|list| list.len() + 1).sum::<usize>() + 1;
        match sheets.last_mut() {
            Some(last) if last.left == 0 && used(last) + list.len() < WORDS => last.lists.push(list.to_vec()),
            _ => sheets.push(Sheet { first: vertex, left: 0, lists: vec![list.to_vec()] }),
        }
    }
    sheets
}

/// Returns the record ID of a vertex: its page, or its first page, and its slot there.
fn record(sheets: &[Sheet], vertex: usize) -> (usize, usize) {
    let holds = |sheet: &Sheet| (sheet.first..sheet.first + sheet.lists.len()).contains(&vertex);
    let page = sheets.iter().position(holds).unwrap_or_default();
    (page, vertex - sheets[page].first)
}

pub(super) fn draw() -> String {
    let mut canvas = Canvas::new(
        "page",
        452.0,
        "A graph of five vertices in small and large pages",
        "Vertices 0 and 1 share a small page. The list of vertex 2 fills one large page and continues in another. \
         Vertices 3 and 4 share a small page. A page has a header, record IDs, and slots that grow backward. The RVT \
         has the first vertex of each page, and the number of pages that are left of a large vertex.",
    );
    let sheets = sheets();
    canvas.text((8.0, 16.0), "graph", Lettering::Bold);
    for (src, list) in LISTS.iter().enumerate() {
        for dst in *list {
            canvas.edge(VERTICES[src], VERTICES[*dst], Stroke::Grey);
        }
    }
    for (vertex, at) in VERTICES.iter().enumerate() {
        canvas.vertex(*at, &vertex.to_string(), if vertex == 2 { Surface::Tint } else { Surface::Paper });
    }
    rvt(&mut canvas, &sheets);
    heads(&mut canvas);
    for (page, sheet) in sheets.iter().enumerate() {
        contents(&mut canvas, &sheets, page, sheet);
    }
    let (page, slot) = record(&sheets, DECODED);
    let first = sheets[page].first;
    let decoded =
        format!("record {page},{slot}: page {page} begins at vertex {first}, and {first} + {slot} = {DECODED}");
    canvas.text((8.0, 436.0), &decoded, Lettering::Accent);
    canvas.finish()
}

fn rvt(canvas: &mut Canvas, sheets: &[Sheet]) {
    canvas.text((RVT[0].0, 16.0), "RVT", Lettering::Bold);
    for ((left, width), name) in RVT.into_iter().zip(["page", "first vertex", "pages left"]) {
        canvas.centred((left + width / 2.0, RVT_TOP - 14.0), name, Lettering::Muted);
    }
    for (page, sheet) in sheets.iter().enumerate() {
        let y = RVT_TOP + RVT_ROW * page as f64;
        let used = if page == record(sheets, DECODED).0 { Surface::Tint } else { Surface::Paper };
        canvas.centred((RVT[0].0 + RVT[0].1 / 2.0, y + RVT_ROW / 2.0), &page.to_string(), Lettering::Plain);
        canvas.cell((RVT[1].0, y), (RVT[1].1, RVT_ROW), &sheet.first.to_string(), used);
        canvas.cell((RVT[2].0, y), (RVT[2].1, RVT_ROW), &sheet.left.to_string(), Surface::Paper);
    }
}

/// Top of the row of a page.
fn top(page: usize) -> f64 {
    258.0 + ROW * page as f64
}

fn heads(canvas: &mut Canvas) {
    let (y, end) = (top(0) - 16.0, CONTENTS + 150.0);
    canvas.text((8.0, y - 28.0), "pages", Lettering::Bold);
    for ((left, width), name) in HEADER.into_iter().zip(["first", "slots", "records"]) {
        canvas.centred((left + width / 2.0, y), name, Lettering::Muted);
    }
    canvas.text((end + 6.0, y), "record IDs →", Lettering::Muted);
    canvas.ending((end + WORD.0 * WORDS as f64, y), "← list starts", Lettering::Muted);
}

/// Draws the row of a page: its header, its record IDs, and its slots from the end.
fn contents(canvas: &mut Canvas, sheets: &[Sheet], page: usize, sheet: &Sheet) {
    let y = top(page);
    let kind = if sheet.left == 0 { "small" } else { "large" };
    canvas.text((8.0, y + WORD.1 / 2.0), &format!("{page} {kind}"), Lettering::Plain);
    let records: Vec<usize> = sheet.lists.concat();
    for ((left, width), value) in HEADER.into_iter().zip([sheet.first, sheet.lists.len(), records.len()]) {
        canvas.cell((left, y), (width, WORD.1), &value.to_string(), Surface::Wall);
    }
    let word = |place: usize| (CONTENTS + 150.0 + WORD.0 * place as f64, y);
    for place in 0..WORDS {
        canvas.rectangle(word(place), WORD, Surface::Paper);
    }
    for (place, dst) in records.iter().enumerate() {
        let (page, slot) = record(sheets, *dst);
        let surface = if *dst == DECODED && sheet.left == 1 { Surface::Accent } else { Surface::Tint };
        canvas.cell(word(place), WORD, &format!("{page},{slot}"), surface);
    }
    let mut begin = 0;
    for slot in 0..=sheet.lists.len() {
        canvas.cell(word(WORDS - 1 - slot), WORD, &begin.to_string(), Surface::Paper);
        begin += sheet.lists.get(slot).map_or(0, Vec::len);
    }
}
