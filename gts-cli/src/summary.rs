//! Summary of an output with a value per vertex, or of a table, in a few lines.

mod key;
mod select;

use crate::labels::Labels;
use crate::report::{Align, printable, table};
use crate::units;
use gts_graph::Result;
use gts_graph::algorithm::{Output, OutputShape, Scalar, Summary, Table, Values};
use gts_graph::core::graph::IdMap;
use gts_graph::core::{memory, threads};
use key::Keys;
use select::Tally;
use serde_json::{Value, json};

/// One line of a summary.
struct Line {
    /// Vertex of the line, or the one that names its group.
    vertex: Option<u64>,
    /// The value.
    value: Scalar,
    /// Number of vertices with that value, if the line represents several.
    size: Option<u64>,
}

/// The most informative lines of an output.
pub(crate) struct Digest {
    name: &'static str,
    lines: Vec<Line>,
    /// Number of omitted lines.
    more: u64,
}

impl Digest {
    /// Selects at most `top` lines from the values, which are in the order of the original IDs.
    pub(crate) fn new(output: &Output, values: &Values, ids: &IdMap, top: usize) -> Result<Self> {
        let OutputShape::Vertices { unreached, summary, .. } = output.shape else {
            return Ok(Self { name: output.name, lines: Vec::new(), more: 0 });
        };
        threads::prepare()?;
        let keys = Keys::new(values, unreached.is_some());
        let (lines, all) = match summary {
            Summary::Largest => (best(values, ids, select::least(top, &keys, |key| !key)?)?, 0),
            Summary::Smallest => (best(values, ids, select::least(top, &keys, |key| key)?)?, 0),
            Summary::Groups => {
                let tally = Tally::new(&keys)?;
                let largest = select::least(top, &tally, |size| !size)?;
                let is_vertex = matches!(values, Values::Vertex(_));
                (groups(&keys, &tally, largest, |key| is_vertex.then_some(key))?, tally.distinct())
            }
            Summary::Histogram => {
                let tally = Tally::new(&keys)?;
                let first = select::least(top, &tally, |_| 0)?;
                (groups(&keys, &tally, first, |_| None)?, tally.distinct())
            }
        };
        let more = all.saturating_sub(lines.len()) as u64;
        Ok(Self { name: output.name, lines, more })
    }

    /// Formats the lines for readers.
    pub(crate) fn text(&self, labels: &Labels) -> String {
        let vertices = self.lines.iter().any(|line| line.vertex.is_some());
        let sizes = self.lines.iter().any(|line| line.size.is_some());
        let named = vertices && !labels.is_empty();
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
        if named {
            heads.push(("name", Align::Left));
        }
        let row = |line: &Line| {
            let mut cells = Vec::new();
            if !(vertices && sizes) {
                cells.push(readable(line.value));
            }
            cells.extend(line.size.map(units::count));
            cells.extend(line.vertex.map(|vertex| vertex.to_string()));
            if named {
                cells.push(
                    line.vertex
                        .and_then(|vertex| labels.get(vertex))
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
            if let Some(vertex) = line.vertex {
                entry["vertex"] = json!(vertex);
                if let Some(name) = labels.get(vertex) {
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
pub(crate) fn first_rows(shown: &Table, top: usize) -> String {
    let heads: Vec<_> = shown.columns.iter().map(|(head, _)| (head.as_str(), Align::Right)).collect();
    // IDs are printed as in files, without commas.
    let row = |row: usize| shown.columns.iter().map(|(_, values)| values.get(row).to_string()).collect();
    let rows: Vec<Vec<String>> = (0..top.min(shown.rows())).map(row).collect();
    let mut text = table(&heads, &rows);
    if shown.rows() > top {
        text.push_str(&format!("... and {} more\n", units::count((shown.rows() - top) as u64)));
    }
    text
}

/// Returns the first rows of a table, for programs.
pub(crate) fn first_rows_json(shown: &Table, top: usize) -> Value {
    let entry = |row: usize| {
        let entries = shown.columns.iter().map(|(head, values)| (head.clone(), scalar_json(values.get(row))));
        Value::Object(entries.collect())
    };
    (0..top.min(shown.rows())).map(entry).collect()
}

/// Returns the lines of vertices, by their places in the order of the original IDs.
fn best(values: &Values, ids: &IdMap, places: Vec<(u64, usize)>) -> Result<Vec<Line>> {
    let line = |(_, place)| Line { vertex: ids.original_of_rank(place as u64), value: values.get(place), size: None };
    Ok(memory::collected(select::WHAT, places.into_iter().map(line))?)
}

/// Returns the lines of values that vertices share, by their places in the tally; `name` converts a key to a vertex.
fn groups(
    keys: &Keys<'_>,
    tally: &Tally,
    places: Vec<(u64, usize)>,
    name: impl Fn(u64) -> Option<u64>,
) -> Result<Vec<Line>> {
    let line = |(_, place)| {
        let (key, size) = tally.get(place);
        Line { vertex: name(key), value: keys.value(key), size: Some(size.into()) }
    };
    Ok(memory::collected(select::WHAT, places.into_iter().map(line))?)
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

/// Converts a value to JSON, which supports neither infinity nor NaN.
pub(crate) fn scalar_json(value: Scalar) -> Value {
    match value {
        Scalar::Unsigned(number) => json!(number),
        Scalar::Signed(number) => json!(number),
        // Through its shortest text: a conversion to f64 would add meaningless digits.
        Scalar::Single(number) => number.to_string().parse::<f64>().map_or(Value::Null, |number| json!(number)),
        Scalar::Real(number) => json!(number),
        Scalar::Flag(flag) => json!(flag),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_graph::contract::ScalarType;
    use gts_graph::core::build::DeclaredVertices;
    use gts_graph::prelude::Graph;

    fn ids(list: impl IntoIterator<Item = u64>) -> IdMap {
        let vertices = DeclaredVertices::List(list.into_iter().collect::<Vec<_>>().into());
        Graph::builder().vertices(vertices).build().expect("a graph").ids().clone()
    }

    fn text(output: Output, values: impl Into<Values>, top: usize) -> String {
        let ids = ids([10, 20, 30, 40, 50]);
        Digest::new(&output, &values.into(), &ids, top).expect("some lines").text(&Labels::default())
    }

    #[test]
    fn the_largest_values_come_first_and_ties_by_id() {
        let output = Output::vertices("rank", &[ScalarType::F32], "");
        let found = text(output, vec![0.1f32, 0.4, 0.1, 0.4, 0.0], 3);
        assert_eq!(found, "    rank  vertex\n0.400000      20\n0.400000      40\n0.100000      10\n");
    }

    #[test]
    fn as_many_lines_as_are_wanted_are_chosen_quickly() {
        let (listed, ids): (Vec<u64>, _) = ((0..100_000).collect(), ids(0..100_000));
        let values: Vec<u32> = (0..100_000u32).map(|place| place.wrapping_mul(2_654_435_761) % 1000).collect();
        let mut expected: Vec<(u32, u64)> = values.iter().copied().zip(listed).collect();
        expected.sort_by_key(|&(value, id)| (std::cmp::Reverse(value), id));
        let (values, output) = (values.into(), Output::vertices("rank", &[ScalarType::U32], ""));
        for top in [0, 1, 7, 60_000, usize::MAX] {
            let found = Digest::new(&output, &values, &ids, top).expect("some lines");
            assert!(found.lines.iter().map(|line| line.vertex).eq(expected.iter().take(top).map(|line| Some(line.1))));
        }
    }

    #[test]
    fn values_that_are_no_numbers_have_a_place() {
        let output = Output::vertices("rank", &[ScalarType::F32], "");
        let values = vec![0.5f32, f32::NAN, 0.25, f32::NAN, 1.0];
        assert_eq!(text(output, values, 3), "   rank  vertex\n    NaN      20\n    NaN      40\n1.00000      50\n");
    }

    #[test]
    fn unreached_vertices_are_left_out() {
        let output = Output::vertices("level", &[ScalarType::U32], "").unreached("no path").summary(Summary::Histogram);
        assert_eq!(
            text(output, vec![0, 1, 1, u32::MAX, 2], 2),
            "level  vertices\n    0         1\n    1         2\n... and 1 more\n"
        );
    }

    #[test]
    fn groups_are_named_by_a_vertex() {
        let output = Output::vertices("component", &[ScalarType::VertexId], "").summary(Summary::Groups);
        let found = text(output, Values::Vertex(vec![10, 20, 20, 20, 10]), 9);
        assert_eq!(found, "vertices  component\n       3         20\n       2         10\n");
    }

    #[test]
    fn the_first_rows_of_a_table_are_shown() {
        let columns =
            vec![("2".to_owned(), Values::Vertex(vec![7, 8, 1000])), ("10".to_owned(), vec![1u32, 2, 3].into())];
        let table = Table { name: "listing", columns };
        assert_eq!(first_rows(&table, 2), "2  10\n7   1\n8   2\n... and 1 more\n");
        assert_eq!(first_rows(&table, 3), "   2  10\n   7   1\n   8   2\n1000   3\n");
        assert_eq!(first_rows_json(&table, 1), json!([{"2": 7, "10": 1}]));
    }

    #[test]
    fn json_has_no_infinity() {
        assert_eq!(scalar_json(Scalar::Single(f32::INFINITY)), Value::Null);
        assert_eq!(scalar_json(Scalar::Single(0.1)), json!(0.1));
    }
}
