//! `gts explain`: prints the entries of the language reference for a word.

use super::words;
use crate::error::Failure;
use crate::nearest::nearest;
use crate::report::Report;
use gts_runtime::contract::language;

/// What `gts explain` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// A word of the kernel language, or one that kernels lack: fetch_min, wa, match
    #[arg(value_name = "WORD")]
    what: String,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<Report, Failure> {
    words::explained(&arguments.what).ok_or_else(|| unknown(&arguments.what))
}

/// Returns the failure for a text that names no entry.
fn unknown(text: &str) -> Failure {
    let next = match nearest(text, &language::words()) {
        Some(near) => format!("did you mean `gts explain {near}`?"),
        None => "the language reference of the book lists all words".to_owned(),
    };
    Failure::usage(format!("the kernel language has no entry `{text}`"), next)
}
