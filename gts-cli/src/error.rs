//! Failures of commands, printed as one block: the error and its location, then the remedy.

use crate::lines::{insist, path_json, printable};
use crate::requests;
use crate::started;
use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use clap::builder::Styles;
use gts_graph::contract::language::{Code, Exit};
use gts_graph::core::advice::{Advice, ErrorPlace, Explain, Reader, explain};
use gts_graph::core::cost::Shortfall;
use gts_graph::core::read::ReadError;
use gts_graph::core::store::StoreError;
use gts_graph::measure::ConstantsError;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Once;

/// Reasons why a command ended without its result.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The parser cannot parse the command line, or help was requested.
    #[error(transparent)]
    Parse(#[from] clap::Error),
    /// The command line is invalid, as found after parsing.
    #[error("{what}")]
    Usage {
        /// Code of the error.
        code: Code,
        /// Description of the error.
        what: String,
        /// Next step for the user.
        next: Option<Advice>,
    },
    /// An engine or a run failed.
    #[error(transparent)]
    Run(#[from] gts_graph::Error),
    /// A store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A graph cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Code of the error.
        code: Code,
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
        /// Next step for the user.
        next: String,
    },
    /// A graph cannot be run.
    #[error(transparent)]
    Plan(#[from] Shortfall),
    /// Measured constants cannot be read or kept.
    #[error(transparent)]
    Constants(#[from] ConstantsError),
    /// A file or folder exists that would be overwritten.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// A line of a text file is invalid.
    #[error("{}:{line}: {what}", path.display())]
    Line {
        /// Code of the error.
        code: Code,
        /// The file.
        path: PathBuf,
        /// The line number, counted from 1.
        line: u64,
        /// Description of the error.
        what: String,
        /// Next step for the user.
        next: Option<Advice>,
    },
    /// Any other failure, in words.
    #[error("{what}")]
    Other {
        /// Code of the error.
        code: Code,
        /// Description of the error.
        what: String,
        /// Next step for the user.
        next: Option<Advice>,
    },
    /// An answer differs from that of the serial version.
    #[error("the answer is wrong: {0}")]
    Differs(String),
    /// A rank failed with this exit code, and has reported the reason.
    #[error("a rank failed")]
    Ranks(u8),
    /// The result cannot be printed.
    #[error("cannot print the result: {0}")]
    Print(io::Error),
}

impl Failure {
    /// Creates the failure of an invalid command line, with a valid alternative.
    pub fn usage(what: impl Into<String>, next: impl Into<Advice>) -> Self {
        Self::Usage { code: Code::InvalidUse, what: what.into(), next: Some(next.into()) }
    }

    /// Creates the failure of an invalid command line from an error.
    pub(crate) fn usage_of(error: &impl Explain) -> Self {
        Self::Usage { code: error.code(), what: error.to_string(), next: error.advice() }
    }

    /// Creates any other failure, with the next step for the user.
    pub fn other(what: impl Into<String>, next: impl Into<Advice>) -> Self {
        Self::Other { code: Code::CommandFailure, what: what.into(), next: Some(next.into()) }
    }

    /// Creates the failure of a file that cannot be read.
    pub fn unread(path: impl Into<PathBuf>, source: io::Error, next: impl Into<String>) -> Self {
        let is_missing = source.kind() == io::ErrorKind::NotFound;
        let code = if is_missing { Code::MissingFile } else { Code::FileAccess };
        Self::File { code, path: path.into(), source, next: next.into() }
    }

    /// Creates the failure of a file or folder that cannot be written.
    pub fn unwritten(path: impl Into<PathBuf>, source: io::Error, next: impl Into<String>) -> Self {
        Self::File { code: Code::UnwritableFile, path: path.into(), source, next: next.into() }
    }

    /// Reports the failure to the user. Returns the exit code.
    pub(crate) fn tell(self) -> u8 {
        match &self {
            // Prints help to standard output, usage errors to standard error.
            Self::Parse(error) => {
                match parse_block(error) {
                    Some(text) => tell_styled(&text),
                    None => drop(error.print()),
                }
                return if error.use_stderr() { self.exit_code() } else { 0 };
            }
            _ if requests::requested() => {
                insist(requests::INTERRUPTION);
                return Exit::Interrupted.code();
            }
            Self::Print(error) if error.kind() == io::ErrorKind::BrokenPipe => return 0,
            Self::Run(error) if started::is_told_elsewhere(error) => return self.exit_code(),
            Self::Ranks(code) => return *code,
            _ => {}
        }
        let write = || {
            let block = self.block();
            if !started::is_told_by_another(&block) {
                tell_styled(&started::by_rank(&block));
            }
        };
        match &self {
            // Two threads of a rank report this error. The second one waits, because it may end the process.
            Self::Run(gts_graph::Error::LostRank { .. }) => {
                static LOST: Once = Once::new();
                LOST.call_once(write);
            }
            _ => write(),
        }
        self.exit_code()
    }

    /// Returns the exit code of the command.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Ranks(code) => *code,
            // The command line requests what the code describes, such as a strategy that a kernel does not support.
            Self::Usage { .. } => Exit::Usage.code(),
            _ => self.code().exit().code(),
        }
    }

    /// Returns the error and its location, its causes, the next step, and the command that explains the error code.
    fn block(&self) -> String {
        let (code, styles) = (self.code(), Styles::styled());
        let (error, tip) = (styles.get_error(), styles.get_valid());
        let text = explain(self, Reader::CommandLine);
        let text = printable(&text).replace("\n  next:  ", &format!("\n  {tip}next:{tip:#}  "));
        format!("{error}error[{code}]:{error:#} {text}\n{}", more(code))
    }

    /// Returns the error as JSON. Returns `None` for help and version requests, for an error that another process
    /// reports, and if writing to standard output failed.
    pub fn json(&self) -> Option<Value> {
        let what = match self {
            Self::Parse(error) if parse_block(error).is_none() => return None,
            Self::Ranks(_) | Self::Print(_) => return None,
            Self::Parse(error) => parse_message(error),
            _ => self.to_string(),
        };
        let tip = if let Self::Parse(error) = self { parse_tip(error) } else { None };
        let next = self.advice().map(|advice| advice.of(Reader::CommandLine).to_owned()).or(tip);
        let place = self.place();
        let file = place.as_ref().map(|place| path_json(&place.file));
        let (line, column) = place.map_or((None, None), |place| (place.line, place.column));
        let code = self.code().to_string();
        Some(json!({ "code": code, "message": what, "file": file, "line": line, "column": column, "next": next }))
    }
}

/// Returns the line with the command that explains an error code.
fn more(code: Code) -> String {
    let styles = Styles::styled();
    let literal = styles.get_literal();
    format!("  more:  {literal}gts explain {code}{literal:#}\n")
}

/// Writes a text to standard error in one piece, with its colours if a terminal shows it and `NO_COLOR` is not set.
fn tell_styled(text: &str) {
    let plain = AutoStream::choice(&io::stderr()) == ColorChoice::Never;
    let text = if plain { Cow::Owned(strip_str(text).to_string()) } else { Cow::Borrowed(text) };
    // If standard error is closed too, there is no way to report the failure.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Returns the parser's error message with its error code, or `None` for help and version texts.
fn parse_block(error: &clap::Error) -> Option<String> {
    let code = Code::CommandLine;
    let text = error.render();
    let is_error = text.to_string().starts_with("error:");
    let styled = text.ansi().to_string().replacen("error:", &format!("error[{code}]:"), 1);
    is_error.then(|| format!("{}\n\n{}", styled.trim_end(), more(code)))
}

/// Returns the parser's error message in one line.
fn parse_message(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let message = text.strip_prefix("error: ").unwrap_or(&text).split("\n\n").next().unwrap_or_default();
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the parser's first suggestion, if it has one.
fn parse_tip(error: &clap::Error) -> Option<String> {
    let text = error.render().to_string();
    let tip = text.lines().find_map(|line| line.trim_start().strip_prefix("tip: "));
    tip.map(str::to_owned)
}

impl Explain for Failure {
    fn code(&self) -> Code {
        match self {
            Self::Parse(_) => Code::CommandLine,
            Self::Usage { code, .. } | Self::Other { code, .. } | Self::File { code, .. } | Self::Line { code, .. } => {
                *code
            }
            Self::Run(error) => error.code(),
            Self::Store(error) => error.code(),
            Self::Read(error) => error.code(),
            Self::Plan(error) => error.code(),
            Self::Constants(error) => error.code(),
            Self::Exists(_) => Code::ExistingFile,
            Self::Differs(_) => Code::WrongAnswer,
            Self::Ranks(_) => Code::FailedRank,
            Self::Print(_) => Code::ClosedOutput,
        }
    }

    fn advice(&self) -> Option<Advice> {
        match self {
            Self::Usage { next, .. } | Self::Other { next, .. } | Self::Line { next, .. } => next.clone(),
            Self::Run(error) => error.advice(),
            Self::Store(error) => error.advice(),
            Self::Read(error) => error.advice(),
            Self::Plan(error) => error.advice(),
            Self::Constants(error) => error.advice(),
            Self::File { next, .. } => Some(next.clone().into()),
            Self::Exists(_) => Some("give another name, or add --force to replace it".into()),
            Self::Differs(_) => Some("run again with another --technique or --device, and report it".into()),
            Self::Parse(_) | Self::Print(_) | Self::Ranks(_) => None,
        }
    }

    fn place(&self) -> Option<ErrorPlace> {
        match self {
            Self::Run(error) => error.place(),
            Self::Store(error) => error.place(),
            Self::Read(error) => error.place(),
            Self::File { path, .. } | Self::Exists(path) => Some(ErrorPlace::file(path)),
            Self::Line { path, line, .. } => Some(ErrorPlace::line(path, *line)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(failure: &Failure) -> String {
        strip_str(&failure.block()).to_string()
    }

    #[test]
    fn a_block_names_the_next_step_on_a_line_of_its_own() {
        let block = plain(&Failure::Exists("ranks.csv".into()));
        let expected = "error[GTS4004]: ranks.csv exists already\n  next:  give another name, or add --force to replace it\n  \
                        more:  gts explain GTS4004\n";
        assert_eq!(block, expected);
    }

    #[test]
    fn a_message_is_whole_whatever_is_in_the_name_of_a_file() {
        let block = Failure::unread("a; b\u{1b}[31m.csv", io::Error::other("no; disk"), "look; and see");
        let block = plain(&block);
        let expected =
            "error[GTS4003]: a; b\\u{1b}[31m.csv: no; disk\n  next:  look; and see\n  more:  gts explain GTS4003\n";
        assert_eq!(block, expected);
    }

    #[test]
    fn codes_tell_misuse_from_failure() {
        assert_eq!(Failure::usage("--page-size 3", "give 4096").exit_code(), 2);
        let absent = || io::Error::from(io::ErrorKind::NotFound);
        assert_eq!(Failure::unread("a", absent(), "").exit_code(), 66);
        assert_eq!(Failure::unwritten("a/b", absent(), "").exit_code(), 73);
        assert_eq!(Failure::other("no", "yes").exit_code(), 1);
        let device = |during: &str| gts_graph::Error::Device {
            device: "cuda:0".into(),
            during: during.into(),
            why: "gone".into(),
        };
        assert_eq!(Failure::Run(device("a launch")).exit_code(), 70);
        let overflow = gts_graph::Error::GlobalOverflow {
            attributes: "Counts",
            global: "total",
            scalar: gts_graph::contract::ScalarType::U8,
            total: Box::new(256),
        };
        assert_eq!(Failure::Run(overflow).exit_code(), 3);
        assert_eq!(Failure::Run(gts_graph::Error::Interrupted).exit_code(), 130);
    }
}
