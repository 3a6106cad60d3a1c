//! An output with a value for each vertex, in a few lines.

use crate::labels::Labels;
use crate::report::{Align, printable, table};
use crate::units;
use gts_runtime::algorithm::{Output, OutputShape, Scalar, Summary, Values};
use gts_runtime::core::memory::{self, NoMemory};
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::collections::HashMap;

/// One line of a summary.
struct Line {
    /// The vertex that it is about, or that names its group.
    vertex: Option<u64>,
    /// The value.
    value: Scalar,
    /// The number of vertices with that value, where the line is about several.
    size: Option<u64>,
}

/// The most telling lines of an output.
pub(crate) struct Digest {
    name: &'static str,
    lines: Vec<Line>,
    /// Lines that were left out.
    more: u64,
}

impl Digest {
    /// Takes at most `top` lines from the values, which stand in the order of the original IDs `ids`.
    pub(crate) fn new(output: &Output, values: &Values, ids: &[u64], top: usize) -> Result<Self, NoMemory> {
        let OutputShape::Vertices { unreached, summary, .. } = output.shape else {
            return Ok(Self { name: output.name, lines: Vec::new(), more: 0 });
        };
        let present = |index: &usize| unreached.is_none() || !values.is_unreached(*index);
        let places = (0..values.len()).filter(present);
        let mut lines: Vec<Line> = match summary {
            Summary::Largest => best(places, values, top, Ordering::Greater)?,
            Summary::Smallest => best(places, values, top, Ordering::Less)?,
            Summary::Groups => {
                let mut groups = groups(places, values)?;
                groups.sort_unstable_by_key(|group| (std::cmp::Reverse(group.size), group.vertex));
                groups
            }
            Summary::Histogram => {
                let mut groups = groups(places, values)?;
                groups.sort_unstable_by(|a, b| order(a.value, b.value));
                groups
            }
        };
        for line in &mut lines {
            line.vertex = match (summary, line.value) {
                (Summary::Histogram, _) => None,
                (Summary::Groups, Scalar::Unsigned(name)) if matches!(values, Values::Vertex(_)) => Some(name),
                (Summary::Groups, _) => None,
                _ => line.vertex.map(|place| ids[place as usize]),
            };
        }
        let more = lines.len().saturating_sub(top) as u64;
        lines.truncate(top);
        Ok(Self { name: output.name, lines, more })
    }

    /// For people.
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

    /// For programs.
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

/// What memory is for.
const WHAT: &str = "lines of the summary";

/// The places of the largest or smallest values, those of smaller IDs first where values are equal.
fn best(
    places: impl Iterator<Item = usize>,
    values: &Values,
    top: usize,
    first: Ordering,
) -> Result<Vec<Line>, NoMemory> {
    let top = top.min(values.len());
    if top == 0 {
        return Ok(Vec::new());
    }
    let by = |a: &(Scalar, usize), b: &(Scalar, usize)| {
        let values = if first == Ordering::Less { order(a.0, b.0) } else { order(b.0, a.0) };
        values.then(a.1.cmp(&b.1))
    };
    // As many again gather before the best of them are chosen, so that each value costs little, however many are wanted.
    let mut best: Vec<(Scalar, usize)> = memory::reserved(WHAT, top.saturating_mul(2).min(values.len()))?;
    let mut worst = None;
    for place in places {
        let found = (values.get(place), place);
        if worst.is_some_and(|worst| by(&found, &worst).is_gt()) {
            continue;
        }
        best.push(found);
        if best.len() == top.saturating_mul(2) {
            let (_, last, _) = best.select_nth_unstable_by(top - 1, by);
            worst = Some(*last);
            best.truncate(top);
        }
    }
    best.sort_unstable_by(by);
    best.truncate(top);
    let line = |(value, place)| Line { vertex: Some(place as u64), value, size: None };
    memory::collected(WHAT, best.into_iter().map(line))
}

/// The vertices of each value.
fn groups(places: impl Iterator<Item = usize>, values: &Values) -> Result<Vec<Line>, NoMemory> {
    let mut sizes: HashMap<u64, (Scalar, u64)> = HashMap::new();
    for place in places {
        let value = values.get(place);
        memory::reserve_entry(WHAT, &mut sizes)?;
        sizes.entry(bits(value)).or_insert((value, 0)).1 += 1;
    }
    let line = |(value, size): (Scalar, u64)| Line {
        vertex: if let Scalar::Unsigned(name) = value { Some(name) } else { None },
        value,
        size: Some(size),
    };
    memory::collected(WHAT, sizes.into_values().map(line))
}

fn bits(value: Scalar) -> u64 {
    match value {
        Scalar::Unsigned(value) => value,
        Scalar::Signed(value) => value as u64,
        Scalar::Single(value) => value.to_bits().into(),
        Scalar::Real(value) => value.to_bits(),
        Scalar::Flag(value) => value.into(),
    }
}

/// The order of two values of one type; NaN is above all numbers.
fn order(a: Scalar, b: Scalar) -> Ordering {
    // Of values of one type, only NaN differs from itself.
    let is_nan = |value: Scalar| value.partial_cmp(&value).is_none();
    a.partial_cmp(&b).unwrap_or_else(|| is_nan(a).cmp(&is_nan(b)))
}

/// A value with as many digits as a reader wants.
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

/// A value in JSON, which knows neither infinity nor NaN.
pub(crate) fn scalar_json(value: Scalar) -> Value {
    match value {
        Scalar::Unsigned(number) => json!(number),
        Scalar::Signed(number) => json!(number),
        // Through its shortest text: a conversion to f64 would add digits that mean nothing.
        Scalar::Single(number) => number.to_string().parse::<f64>().map_or(Value::Null, |number| json!(number)),
        Scalar::Real(number) => json!(number),
        Scalar::Flag(flag) => json!(flag),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_runtime::core::contract::ScalarType;

    const IDS: [u64; 5] = [10, 20, 30, 40, 50];

    fn text(output: Output, values: impl Into<Values>, top: usize) -> String {
        Digest::new(&output, &values.into(), &IDS, top).expect("some lines").text(&Labels::default())
    }

    #[test]
    fn the_largest_values_come_first_and_ties_by_id() {
        let output = Output::vertices("rank", &[ScalarType::F32], "");
        let found = text(output, vec![0.1f32, 0.4, 0.1, 0.4, 0.0], 3);
        assert_eq!(found, "    rank  vertex\n0.400000      20\n0.400000      40\n0.100000      10\n");
    }

    #[test]
    fn as_many_lines_as_are_wanted_are_chosen_quickly() {
        let ids: Vec<u64> = (0..100_000).collect();
        let values: Vec<u32> = (0..100_000u32).map(|place| place.wrapping_mul(2_654_435_761) % 1000).collect();
        let mut expected: Vec<(u32, u64)> = values.iter().copied().zip(ids.iter().copied()).collect();
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
    fn json_has_no_infinity() {
        assert_eq!(scalar_json(Scalar::Single(f32::INFINITY)), Value::Null);
        assert_eq!(scalar_json(Scalar::Single(0.1)), json!(0.1));
    }
}
