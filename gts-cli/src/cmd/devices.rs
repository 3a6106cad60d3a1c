//! `gts devices`: lists the devices for kernels.

use super::measure;
use crate::error::Failure;
use crate::report::{Report, facts, path_json};
use crate::units;
use gts_graph::core::advice::{Reader, explain_within};
use gts_graph::device::gpus::{self, FoundGpu, FoundNccl};
use gts_graph::prelude::Engine;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// What `gts devices` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// Measure what predictions are reckoned with, and keep it: memory, disk, link, launches, kernels
    #[arg(long)]
    measure: bool,
    /// The folder whose disk is measured; the current one if not given
    #[arg(long, value_name = "DIR", requires = "measure")]
    folder: Option<PathBuf>,
}

/// Description of a device: its name on the command line, a line for readers, an object for programs.
type DeviceDescription = (String, String, Value);

pub(crate) fn execute(arguments: &Arguments) -> Result<Report, Failure> {
    let constants = match arguments.measure {
        true => Some(measure::measure(arguments.folder.as_deref().unwrap_or(Path::new(".")))?),
        false => crate::constants::measured()?,
    };
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let mut add = |choice: String, line: gts_graph::Result<DeviceDescription>| match line {
        Ok(line) => found.push(line),
        Err(error) => problems.push((choice, explain_within(&error, Reader::CommandLine))),
    };
    add("cpu".to_owned(), cpu());
    match gpus::count() {
        Ok(count) => (0..count).for_each(|number| add(format!("cuda:{number}"), cuda(number))),
        Err(error) => problems.push(("no cuda".to_owned(), explain_within(&error, Reader::CommandLine))),
    }
    // Used by processes that share a run on GPUs.
    let library = gpus::nccl();
    let (nccl, line) = match &library {
        Ok(FoundNccl { version, path }) => (
            json!({ "version": version, "path": path_json(path) }),
            ("nccl".to_owned(), format!("{version}, {}", path.display())),
        ),
        Err(error) => {
            let why = explain_within(error, Reader::CommandLine);
            (json!({ "problem": why }), ("no nccl".to_owned(), why))
        }
    };
    let mut json = json!({
        "devices": found.iter().map(|(_, _, json)| json).collect::<Vec<_>>(),
        "problems": problems.iter().map(|(_, problem)| problem).collect::<Vec<_>>(),
        "nccl": nccl,
    });
    let lines: Vec<_> =
        found.into_iter().map(|(choice, text, _)| (choice, text)).chain(problems).chain([line]).collect();
    let mut text = facts(&lines);
    match &constants {
        Some(constants) => {
            json["measured"] = json!(constants);
            text.push_str("\nmeasured\n");
            text.push_str(&facts(&measure::lines(constants)));
        }
        None => text.push_str("\nnothing was measured: predictions take figures of an H200 on PCIe 5, or --measure\n"),
    }
    Ok(Report::new(text, json))
}

fn cpu() -> gts_graph::Result<DeviceDescription> {
    let name = Engine::cpu()?.device_name();
    let json = json!({ "device": "cpu", "name": name });
    Ok(("cpu".to_owned(), name, json))
}

fn cuda(number: u32) -> gts_graph::Result<DeviceDescription> {
    let FoundGpu { name, architecture, free, total } = gpus::find(number)?;
    let text = format!("{name}, sm_{architecture}, {} free of {}", units::bytes(free), units::bytes(total));
    let choice = format!("cuda:{number}");
    let json = json!({ "device": choice, "name": name, "architecture": architecture, "free": free, "memory": total });
    Ok((choice, text, json))
}
