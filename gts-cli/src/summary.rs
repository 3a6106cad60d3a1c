//! Summary of an output with a value per vertex, or of a table, in a few lines.

mod key;
mod select;

use crate::cell::{Cell, scalar_json};
use crate::labels::Labels;
use crate::output::{Sheet, cursor};
use crate::report::{Align, printable, table};
use crate::units;
use crate::vertex_key;
use gts_graph::Result;
use gts_graph::algorithm::{Cells, Column, Scalar, Summary, Table, Values};
use gts_graph::core::graph::IdMap;
use gts_graph::core::{memory, threads};
use key::Keys;
use select::Tally;
use serde_json::{Value, json};

/// One line of a summary.
struct Line<'a> {
    /// Vertex of the line, or the one that names its group.
    vertex: Option<ShownVertex<'a>>,
    /// The value.
    value: Scalar,
    /// Number of vertices with that value, if the line represents several.
    size: Option<u64>,
}

/// A vertex with its key.
struct ShownVertex<'a> {
    original: u64,
    key: Cell<'a>,
    /// The side of the vertex; `None` if keys have no sides.
    side: Option<&'static str>,
}

/// The most informative lines of an output.
pub(crate) struct Digest<'a> {
    name: &'a str,
    lines: Vec<Line<'a>>,
    /// Number of omitted lines.
    more: u64,
}

impl<'a> Digest<'a> {
    /// Selects at most `top` lines from a column of values of vertices. Returns `None` for other columns.
    pub(crate) fn new(column: &Column<'a>, ids: &'a IdMap, top: usize) -> Result<Option<Self>> {
        let (Cells::Values(values), Some(summary)) = (column.cells, column.summary) else { return Ok(None) };
        threads::prepare()?;
        let keys = Keys::new(values, column.has_nulls);
        let (lines, all) = match summary {
            Summary::Largest => (best(values, ids, select::least(top, &keys, |key| !key)?)?, 0),
            Summary::Smallest => (best(values, ids, select::least(top, &keys, |key| key)?)?, 0),
            Summary::Groups => {
                let tally = Tally::new(&keys)?;
                let largest = select::least(top, &tally, |size| !size)?;
                let is_vertex = matches!(values, Values::Vertex(_));
                (groups(&keys, &tally, ids, largest, |key| is_vertex.then_some(key))?, tally.distinct())
            }
            Summary::Histogram => {
                let tally = Tally::new(&keys)?;
                let first = select::least(top, &tally, |_| 0)?;
                (groups(&keys, &tally, ids, first, |_| None)?, tally.distinct())
            }
        };
        let more = all.saturating_sub(lines.len()) as u64;
        Ok(Some(Self { name: column.name, lines, more }))
    }

    /// Returns the name of the output.
    pub(crate) fn name(&self) -> &'a str {
        self.name
    }

    /// Formats the lines for readers.
    pub(crate) fn text(&self, labels: &Labels) -> String {
        let vertices = self.lines.iter().any(|line| line.vertex.is_some());
        let sizes = self.lines.iter().any(|line| line.size.is_some());
        let named = vertices && !labels.is_empty();
        let sided = self.lines.iter().any(|line| line.vertex.as_ref().is_some_and(|vertex| vertex.side.is_some()));
        let mut heads = Vec::new();
        if !(vertices && sizes) {
            heads.push((self.name, Align::Right));
        }
        if sizes {
            heads.push(("vertices", Align::Right));
        }
        if vertices {
            heads.push((if sizes { self.name } else { "vertex" }, Align::Right));
        }
        if sided {
            heads.push(("side", Align::Left));
        }
        if named {
            heads.push(("name", Align::Left));
        }
        let row = |line: &Line| {
            let mut cells = Vec::new();
            if !(vertices && sizes) {
                cells.push(readable(line.value));
            }
            cells.extend(line.size.map(units::count));
            cells.extend(line.vertex.iter().map(|vertex| vertex.key.shown()));
            if sided {
                cells.push(line.vertex.as_ref().and_then(|vertex| vertex.side).unwrap_or_default().to_owned());
            }
            if named {
                cells.push(
                    line.vertex
                        .as_ref()
                        .and_then(|vertex| labels.get(vertex.original))
                        .map_or(String::new(), |name| printable(name).into_owned()),
                );
            }
            cells
        };
        let mut text = table(&heads, &self.lines.iter().map(row).collect::<Vec<_>>());
        if self.more > 0 {
            text.push_str(&format!("... and {} more\n", units::count(self.more)));
        }
        text
    }

    /// Returns the lines for programs.
    pub(crate) fn json(&self, labels: &Labels) -> Value {
        let line = |line: &Line| {
            let mut entry = json!({ self.name: scalar_json(line.value) });
            if let Some(vertex) = &line.vertex {
                entry["vertex"] = vertex.key.json();
                if let Some(side) = vertex.side {
                    entry["side"] = json!(side);
                }
                if let Some(name) = labels.get(vertex.original) {
                    entry["name"] = json!(name);
                }
            }
            if let Some(size) = line.size {
                entry["vertices"] = json!(size);
            }
            entry
        };
        self.lines.iter().map(line).collect()
    }
}

/// Returns the first rows of a table, for readers.
///
/// # Errors
///
/// Keys cannot be read.
pub(crate) fn first_rows(shown: &Table<'_>, ids: &IdMap, top: usize) -> Result<String> {
    let labels = Labels::default();
    let sheet = Sheet::new(shown, ids, &labels);
    let heads: Vec<_> = sheet.fields.iter().map(|field| field.name()).collect();
    let heads: Vec<_> = heads.iter().map(|name| (&**name, Align::Right)).collect();
    let mut text = table(&heads, &rows(&sheet, top, |cell| cell.shown())?);
    if shown.rows > top {
        text.push_str(&format!("... and {} more\n", units::count((shown.rows - top) as u64)));
    }
    Ok(text)
}

/// Returns the first rows of a table, for programs.
///
/// # Errors
///
/// Keys cannot be read.
pub(crate) fn first_rows_json(shown: &Table<'_>, ids: &IdMap, top: usize) -> Result<Value> {
    let labels = Labels::default();
    let sheet = Sheet::new(shown, ids, &labels);
    let names = || sheet.fields.iter().map(|field| field.name().into_owned());
    let rows = rows(&sheet, top, |cell| cell.json())?;
    Ok(rows.into_iter().map(|row| Value::Object(names().zip(row).collect())).collect())
}

/// Returns the first rows of a sheet.
fn rows<T>(sheet: &Sheet<'_>, top: usize, convert: impl Fn(Cell<'_>) -> T) -> Result<Vec<Vec<T>>> {
    let rows = 0..top.min(sheet.rows);
    let mut cursor = cursor(sheet.ids, rows.clone());
    let mut row = |row| sheet.fields.iter().map(|field| cursor.cell(field, row).map(&convert)).collect();
    rows.map(&mut row).collect()
}

/// Returns the lines of vertices, by their places in the order of the original IDs.
fn best<'a>(values: &Values, ids: &'a IdMap, places: Vec<(u64, usize)>) -> Result<Vec<Line<'a>>> {
    let line = |lines: &mut Vec<Line<'a>>, place: usize| {
        let vertex = ids.original_of_rank(place as u64).map(|id| named(ids, id)).transpose()?;
        lines.push(Line { vertex, value: values.get(place), size: None });
        Ok(())
    };
    lines(places, line)
}

/// Returns the lines of values that vertices share, by their places in the tally; `name` converts a key to a vertex.
fn groups<'a>(
    keys: &Keys<'_>,
    tally: &Tally,
    ids: &'a IdMap,
    places: Vec<(u64, usize)>,
    name: impl Fn(u64) -> Option<u64>,
) -> Result<Vec<Line<'a>>> {
    let line = |lines: &mut Vec<Line<'a>>, place: usize| {
        let (key, size) = tally.get(place);
        let vertex = name(key).map(|id| named(ids, id)).transpose()?;
        lines.push(Line { vertex, value: keys.value(key), size: Some(size.into()) });
        Ok(())
    };
    lines(places, line)
}

/// Returns the vertex with an original ID.
fn named(ids: &IdMap, original: u64) -> Result<ShownVertex<'_>> {
    Ok(ShownVertex { original, key: vertex_key::of_original(ids, original)?, side: ids.side(original) })
}

/// Returns a line per place, in memory that is reserved before.
fn lines<'a>(
    places: Vec<(u64, usize)>,
    line: impl Fn(&mut Vec<Line<'a>>, usize) -> Result<()>,
) -> Result<Vec<Line<'a>>> {
    let mut lines = memory::reserved(select::WHAT, places.len())?;
    places.into_iter().try_for_each(|(_, place)| line(&mut lines, place))?;
    Ok(lines)
}

/// Formats a value with few enough digits for a reader.
pub(crate) fn readable(value: Scalar) -> String {
    match value {
        Scalar::Unsigned(number) => units::count(number),
        Scalar::Single(number) => digits(number.into()),
        Scalar::Real(number) => digits(number),
        _ => value.to_string(),
    }
}

fn digits(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        size if (1e-5..1e6).contains(&size) => {
            let decimals = (5 - size.log10().floor() as i32).clamp(0, 10) as usize;
            format!("{number:.decimals$}")
        }
        _ => format!("{number:.5e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_graph::algorithm::{Answer, Rows};
    use gts_graph::core::build::DeclaredVertices;
    use gts_graph::prelude::Graph;

    fn ids(list: impl IntoIterator<Item = u64>) -> IdMap {
        let vertices = DeclaredVertices::List(list.into_iter().collect::<Vec<_>>().into());
        Graph::builder().vertices(vertices).build().expect("a graph").ids().clone()
    }

    fn digest(ids: &IdMap, (summary, has_nulls): (Summary, bool), values: &Values, top: usize) -> Vec<u64> {
        let column = Column { name: "rank", cells: Cells::Values(values), has_nulls, summary: Some(summary) };
        Digest::new(&column, ids, top)
            .expect("memory")
            .expect("values of vertices")
            .lines
            .iter()
            .filter_map(|line| Some(line.vertex.as_ref()?.original))
            .collect()
    }

    fn text(name: &'static str, how: (Summary, bool), values: impl Into<Values>, top: usize) -> String {
        let (ids, values) = (ids([10, 20, 30, 40, 50]), values.into());
        let column = Column { name, cells: Cells::Values(&values), has_nulls: how.1, summary: Some(how.0) };
        let digest = Digest::new(&column, &ids, top).expect("memory").expect("values of vertices");
        digest.text(&Labels::default())
    }

    #[test]
    fn the_largest_values_come_first_and_ties_by_id() {
        let found = text("rank", (Summary::Largest, false), vec![0.1f32, 0.4, 0.1, 0.4, 0.0], 3);
        assert_eq!(found, "    rank  vertex\n0.400000      20\n0.400000      40\n0.100000      10\n");
    }

    #[test]
    fn as_many_lines_as_are_wanted_are_chosen_quickly() {
        let (listed, ids): (Vec<u64>, _) = ((0..100_000).collect(), ids(0..100_000));
        let values: Vec<u32> = (0..100_000u32).map(|place| place.wrapping_mul(2_654_435_761) % 1000).collect();
        let mut expected: Vec<(u32, u64)> = values.iter().copied().zip(listed).collect();
        expected.sort_by_key(|&(value, id)| (std::cmp::Reverse(value), id));
        let values = values.into();
        for top in [0, 1, 7, 60_000, usize::MAX] {
            let found = digest(&ids, (Summary::Largest, false), &values, top);
            assert!(found.into_iter().eq(expected.iter().take(top).map(|line| line.1)));
        }
    }

    #[test]
    fn values_that_are_no_numbers_have_a_place() {
        let values = vec![0.5f32, f32::NAN, 0.25, f32::NAN, 1.0];
        assert_eq!(
            text("rank", (Summary::Largest, false), values, 3),
            "   rank  vertex\n    NaN      20\n    NaN      40\n1.00000      50\n"
        );
    }

    #[test]
    fn unreached_vertices_are_left_out() {
        assert_eq!(
            text("level", (Summary::Histogram, true), vec![0, 1, 1, u32::MAX, 2], 2),
            "level  vertices\n    0         1\n    1         2\n... and 1 more\n"
        );
    }

    #[test]
    fn groups_are_named_by_a_vertex() {
        let found = text("component", (Summary::Groups, false), Values::Vertex(vec![10, 20, 20, 20, 10]), 9);
        assert_eq!(found, "vertices  component\n       3         20\n       2         10\n");
    }

    #[test]
    fn the_first_rows_of_a_table_are_shown() {
        let columns =
            vec![("2".to_owned(), Values::Vertex(vec![7, 8, 1000])), ("10".to_owned(), vec![1u32, 2, 3].into())];
        let answer = Answer::new().rows(Rows { name: "listing", columns });
        let (table, ids) = (&answer.tables()[0], ids([7, 8, 1000]));
        assert_eq!(first_rows(table, &ids, 2).expect("keys"), "2  10\n7   1\n8   2\n... and 1 more\n");
        assert_eq!(first_rows(table, &ids, 3).expect("keys"), "   2  10\n   7   1\n   8   2\n1000   3\n");
        assert_eq!(first_rows_json(table, &ids, 1).expect("keys"), json!([{"2": 7, "10": 1}]));
    }
}
