//! The book's tables that are generated from the algorithms, in Markdown.

mod algorithms;
mod attributes;
mod size;

pub use algorithms::{algorithms, networkx};
pub use attributes::{attributes, classes};
pub use size::{Size, median_share, size, sizes};

use std::error::Error;
use std::path::PathBuf;

/// Generates all tables, and returns each with its file name.
///
/// # Errors
///
/// Fails if an algorithm's source cannot be read.
pub fn all() -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
    gts_graph::algorithms::link();
    Ok(vec![
        ("algorithms.md", algorithms()),
        ("attributes.md", attributes()),
        ("classes.md", classes()),
        ("code-size.md", size()?),
        ("networkx.md", networkx()),
    ])
}

/// Returns the folder that contains the tables.
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tables"))
}

/// Formats a Markdown table. `heads` contains the heading and the alignment of each column.
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
