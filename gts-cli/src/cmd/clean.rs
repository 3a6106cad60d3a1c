//! `gts clean`: removes what killed builds left.

use crate::error::Failure;
use crate::load;
use crate::report::Report;
use gts_runtime::core::store;
use gts_runtime::core::store::io::FileSystem;
use serde_json::json;
use std::path::PathBuf;

/// What `gts clean` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// The folder to clean; the present one and that of kept imports if not given
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<Report, Failure> {
    let folders = match &arguments.folder {
        Some(folder) => vec![folder.clone()],
        None => [Some(PathBuf::from(".")), load::cache_folder().filter(|folder| folder.is_dir())]
            .into_iter()
            .flatten()
            .collect(),
    };
    let (mut text, mut removed, mut running) = (String::new(), Vec::new(), Vec::new());
    let (mut replaced, mut orphans) = (Vec::new(), Vec::new());
    for folder in folders {
        let cleaned = store::clean(&FileSystem, &folder)?;
        removed.extend(cleaned.removed);
        running.extend(cleaned.running);
        replaced.extend(cleaned.replaced);
        orphans.extend(cleaned.orphans);
    }
    for (paths, what) in [
        (&removed, "removed"),
        (&running, "left alone, a build may be writing it"),
        (&replaced, "left alone, a store whose replacement never took its place; rename it, or remove it"),
        (&orphans, "left alone, a stripe that its store does not know; remove it, unless the store was moved"),
    ] {
        for path in paths {
            text.push_str(&format!("{}: {what}\n", path.display()));
        }
    }
    if text.is_empty() {
        text.push_str("nothing to clean\n");
    }
    Ok(Report::new(text, json!({ "removed": removed, "running": running, "replaced": replaced, "orphans": orphans })))
}
