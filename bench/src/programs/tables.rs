//! Writes the book's tables about the algorithms, or counts the lines of other files by the same rule.
//!
//! `gts-bench tables` writes `bench/tables`.
//! `gts-bench tables FILE... [--without NAME,NAME]` counts the lines of C++ files, excluding comments, blank lines and
//! the named functions.

use crate::{code_size, measure, tables};
use std::error::Error;
use std::fs;

pub(super) fn main() -> Result<(), Box<dyn Error>> {
    let without = measure::option("--without").unwrap_or_default();
    let without: Vec<&str> = without.split(',').filter(|name| !name.is_empty()).collect();
    let files: Vec<String> = measure::arguments().take_while(|argument| !argument.starts_with("--")).collect();
    for file in &files {
        let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        println!("{:6} {file}", code_size::of_file(&text, &without));
    }
    if files.is_empty() {
        for (name, table) in tables::all()? {
            fs::write(tables::folder().join(name), table)?;
        }
    }
    Ok(())
}
