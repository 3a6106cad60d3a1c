//! Advice on what to do after an error, phrased for the reader.
//!
//! The text of an error states the problem and its location. The next step is separate because it depends on the
//! reader: the user of a command passes another flag, and the author of a program makes another call. An error that
//! implements [`Explain`] provides its text and the next step; [`explain`] joins them with the causes. `Debug` prints
//! the same text with the code, so an error returned from `main` is complete.

use gts_contract::UnknownTechnique;
use gts_contract::language::Code;
use std::borrow::Cow;
use std::error::Error;
use std::path::{Path, PathBuf};

/// The reader of an error message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The user of a command: advice names flags and commands.
    CommandLine,
    /// The author of a program: advice names calls and options.
    Program,
}

/// The next step after an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    command_line: Cow<'static, str>,
    program: Cow<'static, str>,
}

impl Advice {
    /// Creates advice with a separate text for each reader.
    pub fn new(command_line: impl Into<Cow<'static, str>>, program: impl Into<Cow<'static, str>>) -> Self {
        Self { command_line: command_line.into(), program: program.into() }
    }

    /// Returns the text for the given reader.
    pub fn of(&self, reader: Reader) -> &str {
        match reader {
            Reader::CommandLine => &self.command_line,
            Reader::Program => &self.program,
        }
    }
}

impl From<Cow<'static, str>> for Advice {
    fn from(text: Cow<'static, str>) -> Self {
        Self { command_line: text.clone(), program: text }
    }
}

impl From<&'static str> for Advice {
    fn from(text: &'static str) -> Self {
        Cow::Borrowed(text).into()
    }
}

impl From<String> for Advice {
    fn from(text: String) -> Self {
        Cow::<str>::Owned(text).into()
    }
}

/// The place in a file to which an error refers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorPlace {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1. `None` if the error concerns the whole file.
    pub line: Option<u64>,
    /// The column, counted from 1. `None` if the error concerns a whole line.
    pub column: Option<u64>,
}

impl ErrorPlace {
    /// Creates the place of an error that concerns a whole file.
    pub fn file(path: impl AsRef<Path>) -> Self {
        Self { file: path.as_ref().to_owned(), line: None, column: None }
    }

    /// Creates the place of an error that concerns a line of a file.
    pub fn line(path: impl AsRef<Path>, line: u64) -> Self {
        Self { line: Some(line), ..Self::file(path) }
    }

    /// Returns the place with a column of its line.
    pub fn column(self, column: u64) -> Self {
        Self { column: Some(column), ..self }
    }
}

/// An error that has a code and can suggest a next step.
pub trait Explain: Error {
    /// Returns the code of the error. `gts explain` prints the explanation of a code. An error that wraps another
    /// `Explain` error returns the code of the inner error.
    fn code(&self) -> Code;

    /// Returns the next step. Returns `None` if the error's text already contains it, or if nothing can be done.
    fn advice(&self) -> Option<Advice>;

    /// Returns the place in a file that the error's text names, for programs. Returns `None` if the text names none.
    fn place(&self) -> Option<ErrorPlace> {
        None
    }
}

impl Explain for UnknownTechnique {
    fn code(&self) -> Code {
        Code::InvalidArgument
    }

    fn advice(&self) -> Option<Advice> {
        None
    }
}

/// Returns the error's text, its causes and the next step, each on its own line.
pub fn explain(error: &impl Explain, reader: Reader) -> String {
    let what = error.to_string();
    let mut text = what.clone();
    let mut cause = error.source();
    while let Some(error) = cause {
        let detail = error.to_string();
        if !what.contains(&detail) {
            text.push_str(&format!("\n  cause: {detail}"));
        }
        cause = error.source();
    }
    if let Some(advice) = error.advice() {
        text.push_str(&format!("\n  next:  {}", advice.of(reader)));
    }
    text
}

/// Returns the error's text and the next step as one sentence, for use within another text.
pub fn explain_within(error: &impl Explain, reader: Reader) -> String {
    match error.advice() {
        Some(advice) => format!("{error}; {}", advice.of(reader)),
        None => error.to_string(),
    }
}

/// Returns the text of [`explain`], followed by a line with the command that explains the error's code.
pub fn explain_with_code(error: &impl Explain, reader: Reader) -> String {
    format!("{}\n  more:  gts explain {}", explain(error, reader), error.code())
}

/// Implements `Debug` for errors through [`explain_with_code`], so that `fn main() -> Result<(), E>` prints the
/// explanation.
#[macro_export]
macro_rules! debug_by_explaining {
    ($($error:ty),+ $(,)?) => {$(
        impl ::std::fmt::Debug for $error {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(&$crate::advice::explain_with_code(self, $crate::advice::Reader::Program))
            }
        }
    )+};
}

/// Returns advice for a system error, phrased as the end of a sentence.
pub(crate) fn of_system(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space, or write the store elsewhere",
        ErrorKind::FileTooLarge => "allow larger files (ulimit -f), or write the store elsewhere",
        ErrorKind::NotFound => "check the name",
        ErrorKind::PermissionDenied => "check who may read and write there",
        ErrorKind::InvalidFilename => "choose a shorter name: some 50 bytes are added to it while a store is written",
        ErrorKind::ReadOnlyFilesystem => "write the store elsewhere",
        ErrorKind::UnexpectedEof => "the file is cut short: build the store again, or fetch it again",
        _ => "check the disk, and try again",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(thiserror::Error)]
    #[error("a; b.csv cannot be read")]
    struct Unreadable(#[source] std::io::Error);

    impl Explain for Unreadable {
        fn code(&self) -> Code {
            Code::FileAccess
        }

        fn advice(&self) -> Option<Advice> {
            Some(Advice::new("give --force", "set `force`"))
        }
    }

    debug_by_explaining!(Unreadable);

    #[test]
    fn each_reader_gets_the_whole_text_and_the_own_next_step() {
        let error = Unreadable(std::io::Error::other("the disk is gone"));
        let expected = "a; b.csv cannot be read\n  cause: the disk is gone\n  next:  give --force";
        assert_eq!(explain(&error, Reader::CommandLine), expected);
        let shown = format!("{error:?}");
        assert_eq!(shown, expected.replace("give --force", "set `force`") + "\n  more:  gts explain GTS4003");
        assert_eq!(explain_within(&error, Reader::Program), "a; b.csv cannot be read; set `force`");
    }
}
