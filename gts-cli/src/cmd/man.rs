//! `gts man`: writes the manual pages.

use crate::error::Failure;
use crate::report::{Report, path_json};
use serde_json::json;
use std::fs;
use std::path::PathBuf;

/// What `gts man` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// The folder for the pages; it is made if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<Report, Failure> {
    let folder = &arguments.folder;
    fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(crate::command(), folder))
        .map_err(|error| Failure::unwritten(folder, error, "name a folder that can be written to"))?;
    let text = format!("the pages are in {folder}; read one by `man -l {folder}/gts.1`\n", folder = folder.display());
    Ok(Report::new(text, json!({ "folder": path_json(folder) })))
}
