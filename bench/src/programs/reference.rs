//! Writes the files generated from the tables of the kernel language, and prints the number of rows of each kind.
//!
//! `gts-bench reference` writes `book/src/reference` and `gts-macros/doc`.

use crate::reference;
use std::error::Error;
use std::fs;

pub(super) fn main() -> Result<(), Box<dyn Error>> {
    for (path, text) in reference::all() {
        let path = reference::root().join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)?;
    }
    print!("{}", reference::counts());
    Ok(())
}
