//! Text for readers, and lines on standard error.

use crate::started::by_rank;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether only errors are printed on standard error.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Prints only errors on standard error from now on.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Returns whether only errors are printed on standard error.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Returns a text for readers. Characters that control a terminal, or the direction of the text, are replaced by their
/// numbers; line ends and tabs stay. Files and JSON contain the original texts because programs read them.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| match c {
        '\n' | '\t' => true,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        _ => !c.is_control(),
    };
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let escape = |c: char| if is_plain(c) { c.to_string() } else { c.escape_unicode().to_string() };
    Cow::Owned(text.chars().map(escape).collect())
}

/// Prints a line on standard error. Ignores errors, because a closed or full standard error is no failure of the work.
/// `--quiet` omits the line.
pub fn tell(line: impl fmt::Display) {
    if !is_quiet() {
        insist(line);
    }
}

/// Prints a line on standard error, also with `--quiet`.
pub(crate) fn insist(line: impl fmt::Display) {
    let line = format!("{}\n", printable(&line.to_string()));
    // In one piece, because other ranks write there, too.
    let _ = io::stderr().write_all(by_rank(&line).as_bytes());
}

/// Prints the remarks of a report on standard error. `--quiet` omits them.
pub(crate) fn remark(text: &str) {
    if !is_quiet() {
        let _ = io::stderr().write_all(printable(text).as_bytes());
    }
}

/// Returns a path for programs: a string, or, if the path is not UTF-8, an object of its text with replacement
/// characters (`path`) and of its bytes (`path_bytes`).
pub fn path_json(path: impl AsRef<Path>) -> Value {
    let path = path.as_ref().as_os_str();
    match path.to_str() {
        Some(text) => json!(text),
        None => json!({ "path": path.to_string_lossy(), "path_bytes": path.as_encoded_bytes() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_steer_a_terminal_is_printed_by_number() {
        assert_eq!(printable("a\tb\nü 東"), "a\tb\nü 東");
        assert_eq!(printable("\u{1b}[2J\r\u{9b}1m\u{202e}x"), "\\u{1b}[2J\\u{d}\\u{9b}1m\\u{202e}x");
    }
}
