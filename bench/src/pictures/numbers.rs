//! Numbers of the pictures, from Markdown tables of this repository.

use std::error::Error;
use std::fs;
use std::path::Path;

/// Reads a file. `path` is relative to the root of the repository.
pub(super) fn read(path: &str) -> Result<String, Box<dyn Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    Ok(fs::read_to_string(file).map_err(|error| format!("{path}: {error}"))?)
}

/// Returns the cells of all rows of all tables that begin with the given cells.
pub(super) fn rows<'a>(page: &'a str, first: &[&str]) -> Vec<Vec<&'a str>> {
    let cells = |line: &'a str| {
        let line = line.strip_prefix('|')?.strip_suffix('|')?;
        Some(line.split('|').map(str::trim).collect::<Vec<_>>())
    };
    page.lines().filter_map(cells).filter(|cells| cells.starts_with(first)).collect()
}

/// Returns the cells of the row that begins with the given cells.
///
/// # Errors
///
/// Fails if there is no such row, or several.
pub(super) fn row<'a>(page: &'a str, first: &[&str]) -> Result<Vec<&'a str>, Box<dyn Error>> {
    let mut rows = rows(page, first);
    match (rows.pop(), rows.len()) {
        (Some(row), 0) => Ok(row),
        (None, _) => Err(format!("no row begins with {first:?}").into()),
        (Some(_), others) => Err(format!("{} rows begin with {first:?}", others + 1).into()),
    }
}

/// Parses a number, which may have commas between groups of digits.
pub(super) fn value(cell: &str) -> Result<f64, Box<dyn Error>> {
    Ok(cell.replace(',', "").parse().map_err(|error| format!("{cell}: {error}"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "| a | b |\n|---|---:|\n| x | 1,200 |\n| y | 2 |\n| y | 3 |\ntext\n";

    #[test]
    fn a_row_is_found_by_its_first_cells() {
        assert_eq!(row(PAGE, &["x"]).unwrap(), ["x", "1,200"]);
        assert_eq!(row(PAGE, &["y", "3"]).unwrap(), ["y", "3"]);
        assert!(row(PAGE, &["y"]).is_err() && row(PAGE, &["z"]).is_err());
        assert_eq!(rows(PAGE, &["y"]).len(), 2);
    }

    #[test]
    fn numbers_have_groups_of_digits() {
        assert_eq!(value("1,200").unwrap(), 1200.0);
        assert!(value("fast").is_err());
    }
}
