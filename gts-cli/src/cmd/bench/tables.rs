//! Figures as tables: for the terminal, as Markdown, as CSV and as JSON.

use super::figure::{Figure, Row};
use crate::report::{Align, table};
use crate::units;
use serde_json::{Value, json};
use std::time::Duration;

/// A column: its head, how it stands, and its cells; those of no value are empty.
type Column<'a> = (&'a str, Align, fn(&Row) -> String);

/// The columns that say something of at least one row.
fn columns(figure: &Figure) -> (Vec<(&str, Align)>, Vec<Vec<String>>) {
    let bytes = |bytes: u64| if bytes == 0 { String::new() } else { units::bytes(bytes) };
    let columns: [Column<'_>; 13] = [
        ("algorithm", Align::Left, |row| row.algorithm.to_owned()),
        (figure.across, Align::Right, |row| row.place.clone()),
        (figure.series, Align::Left, |row| row.series.clone()),
        ("time of", Align::Left, |row| row.unit.to_owned()),
        ("time", Align::Right, |row| units::seconds(row.measured.times.median)),
        ("fastest", Align::Right, |row| units::seconds(row.measured.times.fastest)),
        ("slowest", Align::Right, |row| units::seconds(row.measured.times.slowest)),
        ("reference", Align::Right, |row| units::seconds(row.reference.seconds)),
        ("ratio", Align::Right, |row| format!("{:.3}", row.ratio())),
        ("speed", Align::Right, |row| {
            units::edges_per_second(row.measured.edges, Duration::from_secs_f64(row.measured.times.median))
        }),
        ("an edge", Align::Right, |row| nanoseconds(row.seconds_an_edge())),
        ("held against", Align::Left, |row| row.reference.what.to_owned()),
        ("hits", Align::Right, |row| row.measured.hits.map_or(String::new(), |hits| format!("{:.1} %", 100.0 * hits))),
    ];
    let mut heads: Vec<_> = columns.iter().map(|(head, align, _)| (*head, *align)).collect();
    let mut cells: Vec<Vec<String>> = figure
        .rows
        .iter()
        .map(|row| {
            let moved = [row.measured.copied, row.measured.in_place, row.measured.read].map(bytes);
            columns.iter().map(|(_, _, cell)| cell(row)).chain(moved).collect()
        })
        .collect();
    heads.extend(["copied", "in place", "read"].map(|head| (head, Align::Right)));
    let telling: Vec<bool> = (0..heads.len()).map(|column| cells.iter().any(|row| !row[column].is_empty())).collect();
    let mut keep = telling.iter();
    heads.retain(|_| *keep.next().unwrap_or(&true));
    for row in &mut cells {
        let mut keep = telling.iter();
        row.retain(|_| *keep.next().unwrap_or(&true));
    }
    (heads, cells)
}

fn nanoseconds(seconds: f64) -> String {
    format!("{:.3} ns", seconds * 1e9)
}

/// For the terminal.
pub(super) fn text(figure: &Figure) -> String {
    let (heads, cells) = columns(figure);
    let notes: String = figure.notes.iter().map(|note| format!("{note}\n")).collect();
    format!("{}: {}\n{notes}\n{}", figure.name, figure.title, table(&heads, &cells))
}

/// As a section of Markdown, with the plot beside it.
pub(super) fn markdown(figure: &Figure) -> String {
    let (heads, cells) = columns(figure);
    let line = |cells: &mut dyn Iterator<Item = String>| format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
    let escaped = |text: &str| text.replace('|', "\\|");
    let mut text = format!("# {}\n\n", figure.title);
    text.extend(figure.notes.iter().map(|note| format!("- {}\n", escaped(note))));
    text.push_str(&format!("\n![{}]({}.svg)\n\n", escaped(figure.title), figure.name));
    text.push_str(&line(&mut heads.iter().map(|(head, _)| escaped(head))));
    let rule = |align: &Align| if *align == Align::Left { "---" } else { "---:" }.to_owned();
    text.push_str(&line(&mut heads.iter().map(|(_, align)| rule(align))));
    for row in &cells {
        text.push_str(&line(&mut row.iter().map(|cell| escaped(cell))));
    }
    text
}

/// As comma-separated values, in seconds and bytes.
pub(super) fn csv(figure: &Figure) -> String {
    let quoted = |text: &str| match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let mut text = format!(
        "algorithm,{},{},unit,seconds,fastest_seconds,slowest_seconds,reference,reference_seconds,ratio,edges,\
         copied_bytes,in_place_bytes,read_bytes,hit_rate\n",
        quoted(figure.across),
        quoted(figure.series)
    );
    for row in &figure.rows {
        let (measured, reference) = (&row.measured, &row.reference);
        let hits = measured.hits.map_or(String::new(), |hits| hits.to_string());
        text.push_str(&format!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{hits}\n",
            row.algorithm,
            quoted(&row.place),
            quoted(&row.series),
            row.unit,
            measured.times.median,
            measured.times.fastest,
            measured.times.slowest,
            reference.what,
            reference.seconds,
            row.ratio(),
            measured.edges,
            measured.copied,
            measured.in_place,
            measured.read
        ));
    }
    text
}

/// For programs.
pub(super) fn json(figure: &Figure) -> Value {
    let row = |row: &Row| {
        let (measured, reference) = (&row.measured, &row.reference);
        json!({
            "algorithm": row.algorithm,
            "place": row.place,
            "series": row.series,
            "unit": row.unit,
            "seconds": measured.times.median,
            "fastest_seconds": measured.times.fastest,
            "slowest_seconds": measured.times.slowest,
            "reference": { "what": reference.what, "seconds": reference.seconds },
            "ratio": row.ratio(),
            "edges": measured.edges,
            "copied_bytes": measured.copied,
            "in_place_bytes": measured.in_place,
            "read_bytes": measured.read,
            "hit_rate": measured.hits,
        })
    };
    json!({
        "figure": figure.name,
        "title": figure.title,
        "across": figure.across,
        "series": figure.series,
        "notes": figure.notes,
        "rows": figure.rows.iter().map(row).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::figure::{Drawing, tests::sample};
    use super::*;

    #[test]
    fn tables_leave_out_what_says_nothing() {
        let text = text(&sample(Drawing::Lines));
        let head = text.lines().nth(3).unwrap();
        assert!(head.contains("hits") && head.contains("copied"), "{head}");
        assert!(!head.contains("in place") && !head.contains("read"), "{head}");
        assert!(text.contains("4.000") && text.contains("25.0 %"), "{text}");
    }

    #[test]
    fn markdown_has_as_many_cells_in_every_line() {
        let text = markdown(&sample(Drawing::Lines));
        let lines: Vec<_> = text.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(lines.len(), 2 + 12);
        let cells = |line: &str| line.replace("\\|", "").matches('|').count();
        assert!(lines.iter().all(|line| cells(line) == cells(lines[0])), "{text}");
        assert!(text.contains("on a \\| sample") && text.contains("](cache.svg)"), "{text}");
    }

    #[test]
    fn csv_and_json_have_plain_numbers() {
        let figure = sample(Drawing::Lines);
        let csv = csv(&figure);
        let (head, first) = (csv.lines().next().unwrap(), csv.lines().nth(1).unwrap());
        assert_eq!(head.split(',').count(), first.split(',').count());
        assert!(first.starts_with("pagerank,25 %,lru,iteration,0.02,"), "{first}");
        assert_eq!(json(&figure)["rows"][2]["hit_rate"], Value::Null);
        assert_eq!(json(&figure)["rows"].as_array().map(Vec::len), Some(12));
    }
}
