//! Checks a store by comparing all of its parts with each other.

use super::Files;
use super::pages::{Entry, Pages};
use std::cmp::Reverse;
use std::ops::Range;

/// Checks that a store is sound.
///
/// # Errors
///
/// The first fault in the store.
pub fn check(files: &Files) -> Result<(), String> {
    files.check_seals()?;
    let vertices = files.number("vertices")?;
    let symmetric = files.stated("symmetric")? == "yes";
    let out = Pages::read(files, "out")?;
    check_lists(files, "out", &out)?;
    check_imbalance(files, "out", &out)?;
    let turned = out.turned_around();
    let lengths = |lists: &[Vec<Entry>]| lists.iter().map(|list| list.len() as u64).collect::<Vec<_>>();
    let (out_degrees, in_degrees) = (lengths(&out.lists), lengths(&turned));
    same("out.degrees", &files.table::<4>("out.degrees")?, &out_degrees)?;
    if symmetric {
        let mut lists = out.lists.clone();
        lists.iter_mut().for_each(|list| list.sort_unstable());
        same("the edges turned around", &turned, &lists)?;
    } else {
        same("in.degrees", &files.table::<4>("in.degrees")?, &in_degrees)?;
    }
    if files.stated("in")? != "none" {
        let incoming = Pages::read(files, "in")?;
        check_lists(files, "in", &incoming)?;
        check_imbalance(files, "in", &incoming)?;
        let mut lists = incoming.lists;
        lists.iter_mut().for_each(|list| list.sort_unstable());
        same("the in-lists", &lists, &turned)?;
    }
    same("edges", &files.number("edges")?, &out_degrees.iter().sum())?;
    for (key, degrees) in [("largest-out-degree", &out_degrees), ("largest-in-degree", &in_degrees)] {
        same(key, &files.number(key)?, &degrees.iter().copied().max().unwrap_or(0))?;
    }
    let total: Vec<u64> = out_degrees.iter().zip(&in_degrees).map(|(out, into)| out + into).collect();
    check_numbers(files, vertices, &total)?;
    if files.stated("order")? == "degree" {
        let first = |list: &Vec<Entry>| list.first().map_or(u64::from(u32::MAX), |entry| entry.vertex);
        same("heads", &files.table::<4>("heads")?, &out.lists.iter().map(first).collect())?;
    }
    let edges = || (0..).zip(&out.lists).flat_map(|(src, list)| list.iter().map(move |entry| (src, entry.vertex)));
    let self_loops = edges().filter(|(src, dst)| src == dst).count() as u64;
    same("self-loop-count", &files.number("self-loop-count")?, &self_loops)?;
    if files.stated("self-loops")? == "dropped" && self_loops > 0 {
        return Err("a self-loop".to_owned());
    }
    let mut pairs: Vec<(u64, u64)> = edges().collect();
    pairs.sort_unstable();
    if files.stated("duplicates")? == "dropped" && pairs.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err("a duplicate".to_owned());
    }
    Ok(())
}

/// Checks that all lists ascend and that no value is NaN.
fn check_lists(files: &Files, side: &str, pages: &Pages) -> Result<(), String> {
    let is_nan = |value: u64| match files.stated("values").as_deref() {
        Ok("f32") => f32::from_bits(value as u32).is_nan(),
        Ok("f64") => f64::from_bits(value).is_nan(),
        _ => false,
    };
    for (vertex, list) in pages.lists.iter().enumerate() {
        if list.windows(2).any(|pair| pair[0].vertex > pair[1].vertex) {
            return Err(format!("the {side} list of vertex {vertex} does not ascend"));
        }
        if list.iter().any(|entry| is_nan(entry.value)) {
            return Err(format!("a value of vertex {vertex} is NaN"));
        }
    }
    Ok(())
}

/// Checks the recorded imbalance of each page: the steps of lanes per list entry for each technique in which lanes
/// share a vertex, and the length of the longest list. Both are stored as logarithms.
fn check_imbalance(files: &Files, side: &str, pages: &Pages) -> Result<(), String> {
    let of_page = |vertices: &Range<usize>| {
        let lengths: Vec<u64> = pages.lists[vertices.clone()].iter().map(|list| list.len() as u64).collect();
        let entries = lengths.iter().sum::<u64>() as f64;
        let byte = |value: f64, times: f64| (value.max(1.0).log2() * times).round() as u64;
        let mut all = byte(lengths.iter().copied().max().unwrap_or(0) as f64, 8.0) << 56;
        for number in 0..7 {
            let lanes = 1u64 << number;
            let steps = lengths.chunks(32usize.div_ceil(lanes as usize)).map(|lists| {
                let most = lists.iter().map(|length| length.div_ceil(lanes)).max().unwrap_or(0);
                most * lanes.max(32)
            });
            all |= byte(if entries > 0.0 { steps.sum::<u64>() as f64 / entries } else { 1.0 }, 40.0) << (8 * number);
        }
        all
    };
    let expected: Vec<u64> = pages.small.iter().map(of_page).collect();
    same(&format!("{side}.imbalance"), &files.table::<8>(&format!("{side}.imbalance"))?, &expected)
}

/// Checks the original IDs and the vertex order. `degrees` contains the degrees of all vertices.
fn check_numbers(files: &Files, vertices: u64, degrees: &[u64]) -> Result<(), String> {
    if files.stated("ids")? == "list" {
        let ids = files.table::<8>("ids")?;
        if ids.len() as u64 != vertices || ids.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err("the IDs do not ascend".to_owned());
        }
    }
    match files.stated("order")?.as_str() {
        "original" => Ok(()),
        "degree" => {
            let numbers = files.table::<4>("order")?;
            let mut once = numbers.clone();
            once.sort_unstable();
            same("the numbers in the order", &once, &(0..vertices).collect())?;
            // Vertices are ordered by descending degree. Among equal degrees, the smaller ID comes first.
            let mut ranks: Vec<usize> = (0..vertices as usize).collect();
            ranks.sort_by_key(|&rank| (Reverse(degrees[numbers[rank] as usize]), rank));
            let whole = vertices / 1024 * 1024;
            let place = |at: u64| if at < whole { at / 1024 * 1024 + at % 32 * 32 + at / 32 % 32 } else { at };
            let wrong = (0..).zip(&ranks).find(|&(at, &rank)| numbers[rank] != place(at));
            wrong.map_or(Ok(()), |(at, _)| Err(format!("place {at} in order of degree is another vertex's")))
        }
        other => Err(format!("order {other} is not known here")),
    }
}

fn same<T: PartialEq>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: not as the edges have it")) }
}
