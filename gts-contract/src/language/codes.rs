//! Error codes. A code identifies one kind of mistake. The number of a removed code is never used again.
//!
//! `GTS0xxx` are errors of the macros, `GTS1xxx` of runs and engines, `GTS2xxx` of graphs and imports, `GTS3xxx` of
//! devices, and `GTS4xxx` of the command line. A row names the exit code of commands behind its own name, unless it is 1.

use super::{Example, Exit};
use std::fmt;

// Each module defines a macro with the module's name. The macro appends the module's rows, and passes all rows to the
// next macro of the list.
#[macro_use]
mod access;
#[macro_use]
mod bodies;
#[macro_use]
mod commands;
#[macro_use]
mod devices;
#[macro_use]
mod graphs;
#[macro_use]
mod kernels;
#[macro_use]
mod names;
#[macro_use]
mod runs;
#[macro_use]
mod structs;

/// The number, the texts and the examples of a code.
struct CodeRow {
    number: u16,
    title: &'static str,
    meaning: &'static str,
    exit: Exit,
    /// A wrong example and the corrected one. `None` for errors that no example of an item can show.
    examples: Option<(Example, Example)>,
}

macro_rules! codes {
    ([] $($number:literal $name:ident $(: $exit:ident)? $title:literal $meaning:literal $($wrong:literal => $mended:literal)?;)*) => {
        /// A kind of mistake, identified by a number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code {
            $(#[doc = concat!($title, ".")] $name,)*
        }

        impl Code {
            /// All codes, in ascending order of their numbers.
            pub const ALL: &[Self] = &[$(Self::$name),*];
        }

        const ROWS: &[CodeRow] = &[$(CodeRow {
            number: $number,
            title: $title,
            meaning: $meaning,
            exit: codes!(exit $($exit)?),
            examples: codes!(@ $($wrong => $mended)?),
        }),*];
    };
    (exit $exit:ident) => { Exit::$exit };
    (exit) => { Exit::Failed };
    (@ $wrong:literal => $mended:literal) => { Some((Example::new($wrong), Example::new($mended))) };
    (@) => { None };
}

bodies! { [structs names access kernels runs graphs devices commands codes] }

impl Code {
    const fn row(self) -> &'static CodeRow {
        &ROWS[self as usize]
    }

    /// Returns the number, which is unique among all codes.
    pub const fn number(self) -> u16 {
        self.row().number
    }

    /// Returns the title, which describes the mistake in one line.
    pub const fn title(self) -> &'static str {
        self.row().title
    }

    /// Returns a few sentences that state the broken rule, its reason and a remedy.
    pub const fn meaning(self) -> &'static str {
        self.row().meaning
    }

    /// Returns the exit code of a command that ends with this error.
    pub const fn exit(self) -> Exit {
        self.row().exit
    }

    /// Returns an example that causes the error, if the code has examples.
    pub const fn wrong(self) -> Option<Example> {
        match self.row().examples {
            Some((wrong, _)) => Some(wrong),
            None => None,
        }
    }

    /// Returns the corrected example, if the code has examples.
    pub const fn mended(self) -> Option<Example> {
        match self.row().examples {
            Some((_, mended)) => Some(mended),
            None => None,
        }
    }

    /// Returns the code that a text such as `GTS0203`, `gts0203` or `203` names. `None` if there is no such code.
    pub fn find(text: &str) -> Option<Self> {
        let prefixed = text.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("GTS"));
        let digits = if prefixed { &text[3..] } else { text };
        let number = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u16>().ok())??;
        Self::ALL.iter().copied().find(|code| code.number() == number)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GTS{:04}", self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ascend() {
        for pair in Code::ALL.windows(2) {
            assert!(pair[0].number() < pair[1].number(), "{} comes before {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn errors_of_macros_have_examples() {
        for code in Code::ALL {
            // A syntax error has no example: rustc parses each item before it calls the macro.
            assert_eq!(code.wrong().is_some(), code.number() < 1000 && *code != Code::Syntax, "{code}");
            assert!(code.wrong() != code.mended() || code.wrong().is_none(), "{code}");
        }
    }

    #[test]
    fn texts_are_sentences() {
        for code in Code::ALL {
            assert!(code.meaning().ends_with('.') && !code.meaning().contains("  "), "{code}: {}", code.meaning());
            assert!(!code.title().ends_with('.') && code.title().len() <= 80, "{code}: {}", code.title());
        }
    }

    #[test]
    fn a_code_is_found_by_each_of_its_spellings() {
        assert_eq!(Code::Mismatch.to_string(), "GTS0203");
        for text in ["GTS0203", "gts0203", "Gts203", "0203", "203"] {
            assert_eq!(Code::find(text), Some(Code::Mismatch), "{text}");
        }
        for text in ["", "GTS", "0", "GTS9999", "+203", "GTS 203", "999999", "E0203"] {
            assert_eq!(Code::find(text), None, "{text}");
        }
    }
}
