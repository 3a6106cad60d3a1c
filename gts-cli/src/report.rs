//! What a command prints.

use crate::error::Failure;
use serde_json::Value;
use std::fmt;
use std::io::{self, Write};

/// The result of a command, for people and for programs.
pub(crate) struct Report {
    /// For people.
    pub(crate) text: String,
    /// For programs.
    pub(crate) json: Value,
    /// What went wrong beside it: told after it is printed, and by the exit code.
    pub(crate) failures: Vec<Failure>,
}

impl Report {
    /// A result of a command that did what it was asked.
    pub(crate) fn new(text: impl Into<String>, json: Value) -> Self {
        Self { text: text.into(), json, failures: Vec::new() }
    }
}

/// Says a line on standard error, beside the result: what listens there may be gone, or full, which is no failure of the
/// work.
pub(crate) fn tell(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Lines of a name and what it is, the names in one column.
pub(crate) fn facts<N: AsRef<str>>(facts: &[(N, String)]) -> String {
    let width = facts.iter().map(|(name, _)| name.as_ref().chars().count()).max().unwrap_or(0);
    facts.iter().map(|(name, fact)| format!("{:width$}  {fact}\n", name.as_ref())).collect()
}

/// How the cells of a column stand.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A table with a line of heads; plain text, as wide as its cells.
pub(crate) fn table(heads: &[(&str, Align)], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([heads[column].0.chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..heads.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded = cells.zip(heads).zip(&widths).map(|((cell, (_, align)), width)| match align {
            Align::Left => format!("{cell:width$}"),
            Align::Right => format!("{cell:>width$}"),
        });
        format!("{}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    let mut text = line(&mut heads.iter().map(|(head, _)| *head));
    for row in rows {
        text.push_str(&line(&mut row.iter().map(String::as_str)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let rows = [vec!["libc6".into(), "7".into()], vec!["x".into(), "120".into()]];
        let text = table(&[("name", Align::Left), ("n", Align::Right)], &rows);
        assert_eq!(text, "name     n\nlibc6    7\nx      120\n");
        assert_eq!(facts(&[("a", "1".into()), ("long", "2".into())]), "a     1\nlong  2\n");
    }
}
