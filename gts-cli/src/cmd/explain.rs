//! `gts explain`: explains an error code or a word of the kernel language.

use super::{codes, words};
use crate::error::Failure;
use crate::nearest::nearest;
use crate::report::Report;
use gts_graph::contract::language::{self, Code};

/// Arguments of `gts explain`.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// An error code such as GTS0203, or a word of the kernel language such as fetch_min, wa or match
    #[arg(value_name = "CODE|WORD")]
    what: String,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<Report, Failure> {
    let what = &arguments.what;
    codes::explained(what).or_else(|| words::explained(what)).ok_or_else(|| unknown(what))
}

/// Returns the failure for a text that is neither a code nor a word. The next step suggests the nearest entry, if any.
fn unknown(text: &str) -> Failure {
    let codes: Vec<String> = Code::ALL.iter().map(|code| code.to_string().to_lowercase()).collect();
    let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
    let code = nearest(text, &codes).map(str::to_uppercase);
    let next = match code.or_else(|| nearest(text, &language::words()).map(str::to_owned)) {
        Some(near) => format!("did you mean `gts explain {near}`?"),
        None => "give the code of an error message, or a word: the language reference of the book lists all".to_owned(),
    };
    Failure::usage(format!("no code and no word is `{text}`"), next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_entry_is_offered() {
        let failure = |text: &str| format!("{:?}", execute(&Arguments { what: text.to_owned() }).err());
        assert!(failure("GTS0230").contains("did you mean `gts explain GTS0203`?"), "{}", failure("GTS0230"));
        assert!(failure("fetch_mon").contains("did you mean `gts explain fetch_min`?"), "{}", failure("fetch_mon"));
        assert!(failure("borrow checker").contains("of an error message"), "{}", failure("borrow checker"));
    }
}
