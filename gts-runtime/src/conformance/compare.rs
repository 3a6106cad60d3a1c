//! Compares the answers of an algorithm for two variants of the same graph.

use crate::algorithm::{Answer, Cells, Column, Scalar, TableKind, Values};
use std::collections::HashMap;
use std::fmt::Display;

/// Compares the answer for a variant of a graph with the answer for the graph itself. `ranks` maps each vertex of the
/// graph to its position in the variant. Integers must be equal, and real numbers must be close. Outputs whose values
/// are vertices must divide the graph into the same groups.
pub(super) fn agree(
    found: &Answer,
    expected: &Answer,
    ranks: &[usize],
    scalars: bool,
    any_valid: &[&str],
) -> Result<(), String> {
    let tables = expected.tables();
    let columns = tables.iter().filter(|table| table.kind == TableKind::Vertices).flat_map(|table| &table.columns);
    for Column { name, cells, .. } in columns.filter(|column| !any_valid.contains(&column.name)) {
        let Cells::Values(expected) = cells else { continue };
        let found = found.values(name).ok_or_else(|| format!("no output `{name}`"))?;
        let differs = |place: usize, found: &dyn Display, expected: &dyn Display| {
            Err(format!("`{name}` of vertex number {place} is {found}, was {expected}"))
        };
        let numbers = (0..expected.len()).filter_map(|place| real(expected.get(place)));
        let largest = numbers.filter(|number| number.is_finite()).fold(0.0, f64::max);
        let (mut forward, mut backward) = (HashMap::new(), HashMap::new());
        for (place, &rank) in ranks.iter().take(expected.len()).enumerate() {
            let (new, old) = (found.get(rank), expected.get(place));
            let same = match (*expected, real(new), real(old)) {
                (Values::Vertex(_), ..) => {
                    let (new, old) = (new.to_string(), old.to_string());
                    let unreached = (found.is_unreached(rank), expected.is_unreached(place));
                    unreached.0 == unreached.1
                        && *forward.entry(old.clone()).or_insert_with(|| new.clone()) == new
                        && *backward.entry(new).or_insert_with(|| old.clone()) == old
                }
                (_, Some(new), Some(old)) => close(new, old, largest),
                _ => new == old,
            };
            if !same {
                return differs(place, &new, &old);
            }
        }
    }
    for (name, old) in expected.scalars().filter(|(name, _)| scalars && !any_valid.contains(name)) {
        let new = found.value(name);
        let same = match (new.and_then(real), real(old)) {
            (Some(new), Some(old)) => close(new, old, old.abs()),
            _ => new == Some(old),
        };
        if !same {
            return Err(format!("`{name}` is {}, was {old}", new.map_or("none".to_owned(), |value| value.to_string())));
        }
    }
    Ok(())
}

/// Returns the value if it is a real number.
fn real(value: Scalar) -> Option<f64> {
    match value {
        Scalar::Single(value) => Some(value.into()),
        Scalar::Real(value) => Some(value),
        _ => None,
    }
}

/// Returns whether two numbers are equal up to rounding errors. Sums in a different order differ in their last digits;
/// the tolerance also depends on the largest value of the output.
fn close(new: f64, old: f64, largest: f64) -> bool {
    new == old || (new - old).abs() <= 1e-4 * old.abs() + 1e-6 * largest
}
