//! `gts clean`: removes files left by killed commands, and restores files that those had moved.

use crate::error::Failure;
use crate::leftovers;
use crate::load;
use crate::report::{Report, paths_json};
use gts_graph::core::advice::{Reader, explain_within};
use gts_graph::core::store::io::FileSystem;
use gts_graph::core::store::{self, Cleaned};
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
        None => [Some(PathBuf::from(".")), load::kept::cache_folder().filter(|folder| folder.is_dir())]
            .into_iter()
            .flatten()
            .collect(),
    };
    let mut text = String::new();
    let mut all = Cleaned::default();
    for folder in folders {
        match store::clean(&FileSystem, &folder) {
            Ok(cleaned) => {
                all.removed.extend(cleaned.removed);
                all.restored.extend(cleaned.restored);
                all.running.extend(cleaned.running);
                all.replaced.extend(cleaned.replaced);
                all.orphans.extend(cleaned.orphans);
                all.failed.extend(cleaned.failed);
            }
            Err(error) => {
                all.failed.push(error);
                continue;
            }
        }
        leftovers::clean(&folder, &mut all)
            .map_err(|error| Failure::unread(&folder, error, "check who may read and write there"))?;
    }
    let Cleaned { removed, restored, running, replaced, orphans, failed } = &all;
    for (paths, what) in [
        (removed, "removed"),
        (restored, "put back, the store that was to replace it never took its place"),
        (running, "left alone, a command that runs may be writing it"),
        (replaced, "left alone, a store that was put aside by a build that did not end; rename it, or remove it"),
        (orphans, "left alone, a stripe that its store does not know; remove it, unless the store was moved"),
    ] {
        for path in paths {
            text.push_str(&format!("{}: {what}\n", path.display()));
        }
    }
    let failed: Vec<_> = failed.iter().map(|error| explain_within(error, Reader::CommandLine)).collect();
    failed.iter().for_each(|error| text.push_str(&format!("{error}\n")));
    if text.is_empty() {
        text.push_str("nothing to clean\n");
    }
    let json = json!({
        "removed": paths_json(removed),
        "restored": paths_json(restored),
        "running": paths_json(running),
        "replaced": paths_json(replaced),
        "orphans": paths_json(orphans),
        "failed": failed,
    });
    let mut report = Report::new(text, json);
    if !failed.is_empty() {
        let count = failed.len();
        report.failures.push(Failure::other(format!("not all could be cleaned, {count} failed"), "see above for each"));
    }
    Ok(report)
}
