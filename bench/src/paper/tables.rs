//! Formats the tables of figures as text, Markdown, CSV and JSON.

use super::figure::Figure;
use gts_graph::cli::program::report::{Align, table};
use serde_json::{Value, json};

/// Formats a figure for the terminal.
pub(super) fn text(figure: &Figure) -> String {
    let notes: String = figure.notes.iter().map(|note| format!("{note}\n")).collect();
    let rows = table(&figure.table.heads, &figure.table.cells);
    format!("{}: {}\n{notes}\n{rows}\n{}\n", figure.name, figure.title, figure.finding.sentence())
}

/// Formats a figure as a Markdown section that embeds its plot.
pub(super) fn markdown(figure: &Figure) -> String {
    let line = |cells: &mut dyn Iterator<Item = String>| format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
    let escaped = |text: &str| text.replace('|', "\\|");
    let heads = &figure.table.heads;
    let mut text = format!("# {}\n\n{}\n\n", figure.title, figure.finding.sentence());
    text.extend(figure.notes.iter().map(|note| format!("- {}\n", escaped(note))));
    text.push_str(&format!("\n![{}]({}.svg)\n\n", escaped(figure.title), figure.name));
    text.push_str(&line(&mut heads.iter().map(|(head, _)| escaped(head))));
    let rule = |align: &Align| if *align == Align::Left { "---" } else { "---:" }.to_owned();
    text.push_str(&line(&mut heads.iter().map(|(_, align)| rule(align))));
    for row in &figure.table.cells {
        text.push_str(&line(&mut row.iter().map(|cell| escaped(cell))));
    }
    text
}

/// Formats a figure as comma-separated values. Times are in seconds, sizes in bytes.
pub(super) fn csv(figure: &Figure) -> String {
    let quoted = |text: &str| match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let cell = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => quoted(text),
        value => value.to_string(),
    };
    let line = |cells: Vec<String>| format!("{}\n", cells.join(","));
    let head = line(figure.table.keys.iter().map(|key| quoted(key)).collect());
    let rows = figure.table.values.iter().map(|row| line(row.iter().map(cell).collect()));
    std::iter::once(head).chain(rows).collect()
}

/// Converts a figure to JSON.
pub(super) fn json(figure: &Figure) -> Value {
    let keys = || figure.table.keys.iter().map(|key| (*key).to_owned());
    let row = |values: &Vec<Value>| Value::Object(keys().zip(values.iter().cloned()).collect());
    json!({
        "figure": figure.name,
        "title": figure.title,
        "across": figure.across,
        "series": figure.series,
        "notes": figure.notes,
        "paper_found": figure.finding.paper,
        "machine_shows": figure.finding.here,
        "rows": figure.table.values.iter().map(row).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::figure::Drawing;
    use super::super::gts::timings::tests::sample;
    use super::*;

    #[test]
    fn tables_leave_out_what_says_nothing() {
        let text = text(&sample(Drawing::Lines));
        let head = text.lines().nth(3).unwrap();
        assert!(head.contains("hits") && head.contains("copied"), "{head}");
        assert!(!head.contains("in place") && !head.contains("read"), "{head}");
        assert!(text.contains("4.000") && text.contains("25.0 %"), "{text}");
        assert!(
            text.ends_with("The paper found that there is one; this machine shows that there are two.\n"),
            "{text}"
        );
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
