//! `gts completions`: prints the completions of a shell.

use crate::report::Report;
use clap_complete::Shell;
use serde_json::json;

/// What `gts completions` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn execute(arguments: &Arguments) -> Report {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::command(), "gts", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    let json = json!({ "shell": arguments.shell.to_string(), "script": script });
    Report::new(script, json)
}
