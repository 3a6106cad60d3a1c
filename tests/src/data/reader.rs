//! Reads well-formed graph files with minimal code that is independent of the importers it checks.

use super::plain::Raw;
use super::{Data, DataError, Entry, Layout, at, text};
use std::path::Path;
use std::str::FromStr;

pub(super) fn read(data: &Data, entry: &Entry) -> Result<Raw, DataError> {
    let path = match entry.format {
        Layout::BvGraph => data.path(&format!("graphs/{}.tsv.zst", entry.file)),
        _ => data.file(entry),
    };
    let content = text(&path)?;
    let lines = content.lines().map(str::trim_end);
    let mut raw = match entry.format {
        Layout::Edges | Layout::BvGraph => edges(lines, entry.weighted),
        Layout::Mtx => matrix_market(lines),
        Layout::Metis => metis(lines),
        Layout::Dimacs => dimacs(lines),
    }
    .map_err(|error| at(&path, error))?;
    if let Some(vertices) = &entry.vfile {
        let listed = text(&data.path(&format!("graphs/{vertices}")))?;
        raw.declared =
            Some(listed.lines().map(|line| number(line.split_ascii_whitespace().next())).collect::<Result<_, _>>()?);
    }
    Ok(raw)
}

/// Reads an adjacency list: each line contains a vertex and its neighbours.
pub(super) fn adjacency(path: &Path) -> Result<Raw, DataError> {
    let (mut declared, mut edges) = (Vec::new(), Vec::new());
    for line in text(path)?.lines() {
        let ids: Vec<u64> = line.split_ascii_whitespace().map(|word| number(Some(word))).collect::<Result<_, _>>()?;
        edges.extend(ids.iter().skip(1).map(|&dst| (ids[0], dst, 1.0)));
        declared.extend(ids);
    }
    Ok(Raw { declared: Some(declared), edges, weighted: false })
}

fn number<T: FromStr<Err: std::error::Error + Send + Sync + 'static>>(word: Option<&str>) -> Result<T, DataError> {
    Ok(word.ok_or("a column is missing")?.parse()?)
}

fn is_content(line: &&str) -> bool {
    !line.is_empty() && !line.starts_with(['#', '%'])
}

fn edges<'a>(lines: impl Iterator<Item = &'a str>, weighted: bool) -> Result<Raw, DataError> {
    let mut edges = Vec::new();
    for line in lines.filter(is_content) {
        let mut words = line.split_ascii_whitespace();
        let (src, dst) = (number(words.next())?, number(words.next())?);
        edges.push((src, dst, if weighted { number(words.next())? } else { 1.0 }));
    }
    Ok(Raw { declared: None, edges, weighted })
}

fn matrix_market<'a>(mut lines: impl Iterator<Item = &'a str>) -> Result<Raw, DataError> {
    let weighted = !lines.next().ok_or("no header")?.contains("pattern");
    let mut lines = lines.filter(is_content);
    let mut sizes = lines.next().ok_or("no sizes")?.split_ascii_whitespace();
    let (rows, columns): (u64, u64) = (number(sizes.next())?, number(sizes.next())?);
    // The columns of a rectangular matrix become separate vertices, numbered after the rows.
    let (vertices, shift) = if rows == columns { (rows, 0) } else { (rows + columns, rows) };
    let mut edges = Vec::new();
    for line in lines {
        let mut words = line.split_ascii_whitespace();
        let (row, column): (u64, u64) = (number(words.next())?, number(words.next())?);
        edges.push((row, column + shift, if weighted { number(words.next())? } else { 1.0 }));
    }
    Ok(Raw { declared: Some((1..=vertices).collect()), edges, weighted })
}

fn metis<'a>(lines: impl Iterator<Item = &'a str>) -> Result<Raw, DataError> {
    // Keep empty lines: they are vertices without neighbours.
    let mut lines = lines.filter(|line| !line.starts_with('%'));
    let mut header = lines.next().ok_or("no header")?.split_ascii_whitespace();
    let vertices: u64 = number(header.next())?;
    let weighted = header.nth(1).is_some_and(|format| format.ends_with('1'));
    let mut edges = Vec::new();
    for (src, line) in (1..=vertices).zip(lines) {
        let mut words = line.split_ascii_whitespace();
        while let Some(dst) = words.next() {
            edges.push((src, number(Some(dst))?, if weighted { number(words.next())? } else { 1.0 }));
        }
    }
    Ok(Raw { declared: Some((1..=vertices).collect()), edges, weighted })
}

fn dimacs<'a>(lines: impl Iterator<Item = &'a str>) -> Result<Raw, DataError> {
    let (mut declared, mut edges) = (None, Vec::new());
    for line in lines {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("p") => declared = Some((1..=number(words.nth(1))?).collect()),
            Some("a") => edges.push((number(words.next())?, number(words.next())?, number(words.next())?)),
            _ => {}
        }
    }
    Ok(Raw { declared, edges, weighted: true })
}
