//! Draws the pictures of the book and of the README.
//!
//! `gts-bench pictures` writes `book/src/pictures`.

use crate::pictures;
use std::error::Error;
use std::fs;

pub(super) fn main() -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(pictures::folder())?;
    for (name, picture) in pictures::all()? {
        fs::write(pictures::folder().join(name), picture)?;
    }
    Ok(())
}
