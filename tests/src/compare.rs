//! Rules for comparing answers. Each rule returns the first vertex that violates it.

use crate::data::{PlainGraph, Published};
use std::collections::HashMap;

/// Maximum relative difference of an f32 distance.
pub const DISTANCE: f64 = 1e-5;
/// Maximum relative difference of an f32 rank.
pub const RANK_F32: f64 = 1e-4;
/// Maximum relative difference of an f64 rank.
pub const RANK_F64: f64 = 1e-7;

/// Requires that the values of all vertices are equal.
///
/// # Errors
///
/// The first difference.
pub fn equal<T: PartialEq + std::fmt::Debug>(found: &[T], expected: &[T]) -> Result<(), String> {
    same_length(found, expected)?;
    match found.iter().zip(expected).position(|(found, expected)| found != expected) {
        None => Ok(()),
        Some(vertex) => Err(format!("vertex {vertex}: {:?}, expected {:?}", found[vertex], expected[vertex])),
    }
}

/// Requires values within a relative tolerance. Infinity equals only itself, and NaN equals nothing.
///
/// # Errors
///
/// The first difference.
pub fn close(found: &[f64], expected: &[f64], tolerance: f64) -> Result<(), String> {
    same_length(found, expected)?;
    let agree = |found: f64, expected: f64| {
        found == expected || (expected.is_finite() && (found - expected).abs() <= tolerance * expected.abs())
    };
    match found.iter().zip(expected).position(|(&found, &expected)| !agree(found, expected)) {
        None => Ok(()),
        Some(vertex) => {
            Err(format!("vertex {vertex}: {}, expected {} within {tolerance}", found[vertex], expected[vertex]))
        }
    }
}

/// Requires the listed values within a relative tolerance. `listed` contains vertices by original ID.
///
/// # Errors
///
/// The first difference, or a vertex that is not in the graph.
pub fn listed(graph: &PlainGraph, values: &[f64], listed: &Published, tolerance: f64) -> Result<(), String> {
    same_length(values, &graph.ids)?;
    let pick = |(id, _): &(u64, f64)| graph.rank(*id).map(|rank| values[rank]).ok_or(format!("no vertex has ID {id}"));
    let found = listed.iter().map(pick).collect::<Result<Vec<f64>, _>>()?;
    let expected: Vec<f64> = listed.iter().map(|(_, value)| *value).collect();
    close(&found, &expected, tolerance)
}

/// Requires the same partition. The names of the classes may differ.
///
/// # Errors
///
/// The first difference.
pub fn same_partition(found: &[u64], expected: &[u64]) -> Result<(), String> {
    same_length(found, expected)?;
    let (mut there, mut back) = (HashMap::new(), HashMap::new());
    for (vertex, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        if *there.entry(found).or_insert(expected) != expected {
            return Err(format!("vertex {vertex}: class {found} spans two expected ones"));
        }
        if *back.entry(expected).or_insert(found) != found {
            return Err(format!("vertex {vertex}: class {found} is a part of the expected one"));
        }
    }
    Ok(())
}

fn same_length<T, U>(found: &[T], expected: &[U]) -> Result<(), String> {
    match (found.len(), expected.len()) {
        (found, expected) if found == expected => Ok(()),
        (found, expected) => Err(format!("{found} values, expected {expected}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_ignore_names_but_not_classes() {
        assert!(same_partition(&[7, 7, 3], &[1, 1, 2]).is_ok());
        assert!(same_partition(&[7, 7, 7], &[1, 1, 2]).is_err());
        assert!(same_partition(&[7, 8, 3], &[1, 1, 2]).is_err());
    }

    #[test]
    fn closeness_is_relative_and_infinity_is_exact() {
        assert!(close(&[1.0, f64::INFINITY], &[1.000_001, f64::INFINITY], 1e-5).is_ok());
        assert!(close(&[1e-9], &[1.1e-9], 1e-5).is_err());
        assert!(close(&[f64::MAX], &[f64::INFINITY], 1e-5).is_err());
        assert!(close(&[f64::NAN], &[1.0], 1e-5).is_err());
    }
}
