//! Tables of the book that are generated from the algorithms, as Markdown.

mod attributes;
mod size;

pub use attributes::attributes;
pub use size::{Size, median_share, size, sizes};

use std::error::Error;
use std::path::PathBuf;

/// Returns the expected tables by file name.
///
/// # Errors
///
/// The source of an algorithm cannot be read.
pub fn all() -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
    gts_algorithms::link();
    Ok(vec![("attributes.md", attributes()), ("code-size.md", size()?)])
}

/// Returns the folder of the tables.
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tables"))
}

/// Returns a Markdown table with a column of text followed by columns aligned as given.
fn markdown(heads: &[(&str, Align)], rows: &[Vec<String>]) -> String {
    let mut text = format!("| {} |\n|", heads.iter().map(|head| head.0).collect::<Vec<_>>().join(" | "));
    for (_, align) in heads {
        text.push_str(match align {
            Align::Left => "---|",
            Align::Right => "---:|",
        });
    }
    text.push('\n');
    for row in rows {
        text.push_str(&format!("| {} |\n", row.join(" | ")));
    }
    text
}

/// Alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Align {
    Left,
    Right,
}
