//! Output of a command.

use crate::error::Failure;
pub(crate) use crate::lines::printable;
pub use crate::lines::{path_json, tell};
use crate::started;
use serde_json::{Value, json};
use std::path::Path;

/// The result of a command, for readers and for programs.
pub struct Report {
    /// Text for readers.
    pub text: String,
    /// Text for readers about how the result was obtained, for standard error.
    pub remarks: String,
    /// JSON for programs.
    pub json: Value,
    /// Failures in addition to the result: reported after it is printed, and by the exit code.
    pub failures: Vec<Failure>,
}

impl Report {
    /// Creates the result of a successful command.
    pub fn new(text: impl Into<String>, json: Value) -> Self {
        Self { text: text.into(), remarks: String::new(), json, failures: Vec::new() }
    }

    /// Creates the result of a command without output, because another process prints it.
    pub fn silent() -> Self {
        Self::new("", Value::Null)
    }

    /// Creates the result of a command that failed.
    pub(crate) fn failed(failure: Failure) -> Self {
        Self { failures: vec![failure], ..Self::silent() }
    }

    /// Adds the failure that decides the exit code to the JSON, except on ranks above 0, which print no JSON.
    pub(crate) fn add_error(&mut self) {
        let Some(error) = self.failures.last().and_then(Failure::json) else { return };
        if started::rank().is_some_and(|rank| rank > 0) {
            return;
        }
        if self.json.is_null() {
            self.json = json!({});
        }
        if let Value::Object(entries) = &mut self.json {
            entries.insert("error".to_owned(), error);
        }
    }

    /// Returns whether there is no output.
    pub(crate) fn is_silent(&self) -> bool {
        self.text.is_empty() && self.remarks.is_empty() && self.json.is_null()
    }
}

/// Returns several paths for programs.
pub(crate) fn paths_json(paths: &[impl AsRef<Path>]) -> Value {
    paths.iter().map(path_json).collect()
}

/// Formats lines of names and values, with the names in one column.
pub fn facts<N: AsRef<str>>(facts: &[(N, String)]) -> String {
    let width = facts.iter().map(|(name, _)| name.as_ref().chars().count()).max().unwrap_or(0);
    facts.iter().map(|(name, fact)| format!("{:width$}  {fact}\n", name.as_ref())).collect()
}

/// Alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Align {
    /// Left.
    Left,
    /// Right.
    Right,
}

/// Formats a table with a line of heads as plain text, with the width of its cells.
pub fn table(heads: &[(&str, Align)], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
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

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_no_text_keeps_its_bytes() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(path_json("a/ü.gts"), json!("a/ü.gts"));
        let odd = OsStr::from_bytes(b"caf\xe9");
        let expected = json!({ "path": "caf\u{fffd}", "path_bytes": [99, 97, 102, 233] });
        assert_eq!(path_json(odd), expected);
        assert_eq!(paths_json(&[Path::new("a"), Path::new(odd)]), json!(["a", expected]));
    }

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let rows = [vec!["libc6".into(), "7".into()], vec!["x".into(), "120".into()]];
        let text = table(&[("name", Align::Left), ("n", Align::Right)], &rows);
        assert_eq!(text, "name     n\nlibc6    7\nx      120\n");
        assert_eq!(facts(&[("a", "1".into()), ("long", "2".into())]), "a     1\nlong  2\n");
    }
}
