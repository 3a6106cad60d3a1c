//! `gts devices`: where kernels can run.

use crate::report::{Report, facts};
use crate::units;
use gts_runtime::Result;
use gts_runtime::device::Device;
use gts_runtime::device::cuda::CudaDevice;
use gts_runtime::prelude::*;
use serde_json::{Value, json};

/// What `gts devices` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {}

/// What is said of a device: its name on the command line, a line for people, an object for programs.
type Line = (String, String, Value);

pub(crate) fn execute() -> Report {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let mut add = |choice: String, line: Result<Line>| match line {
        Ok(line) => found.push(line),
        Err(error) => problems.push((choice, error.to_string())),
    };
    add("cpu".to_owned(), cpu());
    match CudaDevice::count() {
        Ok(count) => (0..count).for_each(|number| add(format!("cuda:{number}"), cuda(number))),
        Err(error) => problems.push(("no cuda".to_owned(), error.to_string())),
    }
    let json = json!({
        "devices": found.iter().map(|(_, _, json)| json).collect::<Vec<_>>(),
        "problems": problems.iter().map(|(_, problem)| problem).collect::<Vec<_>>(),
    });
    let lines: Vec<_> = found.into_iter().map(|(choice, text, _)| (choice, text)).chain(problems).collect();
    Report::new(facts(&lines), json)
}

fn cpu() -> Result<Line> {
    let name = Engine::cpu()?.device_name();
    let json = json!({ "device": "cpu", "name": name });
    Ok(("cpu".to_owned(), name, json))
}

fn cuda(number: u32) -> Result<Line> {
    let device = CudaDevice::new(number)?;
    let (free, total) = device.memory()?;
    let (name, architecture) = (device.name(), device.architecture());
    let text = format!("{name}, sm_{architecture}, {} free of {}", units::bytes(free), units::bytes(total));
    let choice = format!("cuda:{number}");
    let json = json!({ "device": choice, "name": name, "architecture": architecture, "free": free, "memory": total });
    Ok((choice, text, json))
}
