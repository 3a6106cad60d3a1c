//! Draws the pictures of the book and of `README.md` as SVG, in the colours of the book's theme.

mod canvas;
mod colours;
mod growth;
mod kernel;
mod numbers;
mod page;
mod push_pull;
mod settle;
mod speed;
mod streaming;
mod timeline;

use std::error::Error;
use std::path::PathBuf;

/// Draws all pictures, and returns each with its file name.
///
/// # Errors
///
/// Fails if a table with measured numbers cannot be read, or lacks a row.
pub fn all() -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
    Ok(vec![
        ("growth.svg", growth::draw()?),
        ("kernel.svg", kernel::draw()),
        ("page.svg", page::draw()),
        ("push-pull.svg", push_pull::draw()),
        ("settle.svg", settle::draw()),
        ("speed.svg", speed::draw()?),
        ("streaming.svg", streaming::draw()),
        ("timeline.svg", timeline::draw()?),
    ])
}

/// Returns the folder that contains the pictures.
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../book/src/pictures"))
}
