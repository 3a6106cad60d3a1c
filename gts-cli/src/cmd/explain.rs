//! `gts explain`: explains the code of an error.

use crate::error::Failure;
use crate::nearest::nearest;
use crate::report::Report;
use gts_runtime::contract::language::{Code, Example};
use serde_json::{Value, json};

/// What `gts explain` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// The code of an error, such as GTS0203 or 203
    #[arg(value_name = "CODE")]
    what: String,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<Report, Failure> {
    match find(&arguments.what) {
        Some(explained) => Ok(Report::new(explained.text(), explained.json())),
        None => Err(unknown(&arguments.what)),
    }
}

/// An entry of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Explained {
    Code(Code),
}

/// Returns the entry that a text names.
fn find(text: &str) -> Option<Explained> {
    Code::find(text).map(Explained::Code)
}

/// Returns the failure for a text that names no entry.
fn unknown(text: &str) -> Failure {
    let codes: Vec<_> = Code::ALL.iter().map(|code| code.to_string().to_lowercase()).collect();
    let next = match nearest(text, &codes.iter().map(String::as_str).collect::<Vec<_>>()) {
        Some(meant) => format!("did you mean `gts explain {}`?", meant.to_uppercase()),
        None => "give the code that an error message names, such as GTS0203".to_owned(),
    };
    Failure::usage(format!("there is no code `{text}`"), next)
}

impl Explained {
    fn text(self) -> String {
        let Self::Code(code) = self;
        let mut text = format!("{code}: {}\n\n{}", code.title(), wrapped(code.meaning()));
        let examples = [("Wrong", code.wrong()), ("Mended", code.mended())];
        let examples = || examples.into_iter().filter_map(|(head, example)| Some((head, example?)));
        for (head, example) in examples() {
            text.push_str(&format!("\n{head}:\n\n{}", indented(&example.items())));
        }
        if examples().any(|(_, example)| example.uses_shared_struct()) {
            text.push_str(&format!("\nwith this struct:\n\n{}", indented(Example::shared_struct())));
        }
        text
    }

    fn json(self) -> Value {
        let Self::Code(code) = self;
        json!({
            "code": code.to_string(),
            "title": code.title(),
            "meaning": code.meaning(),
            "wrong": code.wrong().map(Example::complete),
            "mended": code.mended().map(Example::complete),
        })
    }
}

/// Returns the text in lines of at most 80 characters.
fn wrapped(text: &str) -> String {
    const WIDTH: usize = 80;
    let (mut lines, mut line) = (String::new(), String::new());
    for word in text.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push_str(&line);
            lines.push('\n');
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    format!("{lines}{line}\n")
}

fn indented(code: &str) -> String {
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") };
    code.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_explained_with_its_examples() {
        let text = find("203").expect("a code").text();
        assert!(text.starts_with("GTS0203: Two types that differ\n\nAs in Rust, "), "{text}");
        assert!(text.contains("\nWrong:\n\n    #[gts_kernel(vertex)]\n"), "{text}");
        assert!(text.contains("\nMended:\n\n    #[gts_kernel(vertex)]\n"), "{text}");
        assert!(text.contains("\nwith this struct:\n") && text.ends_with("        total: u64,\n    }\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let text = find("GTS2002").expect("a code").text();
        assert!(!text.contains("Wrong:") && !text.contains("struct:"), "{text}");
    }

    #[test]
    fn programs_get_examples_that_are_complete() {
        let json = find("gts0203").expect("a code").json();
        assert_eq!(json["code"], "GTS0203");
        assert!(json["mended"].as_str().is_some_and(|text| text.starts_with("#[gts_attributes]")), "{json}");
        assert_eq!(find("1001").expect("a code").json()["wrong"], Value::Null);
    }

    #[test]
    fn a_code_that_does_not_exist_is_told_with_one_that_does() {
        let failure = |text: &str| format!("{:?}", execute(&Arguments { what: text.to_owned() }).err());
        assert!(failure("GTS0230").contains("did you mean `gts explain GTS0203`?"), "{}", failure("GTS0230"));
        assert!(failure("borrow checker").contains("such as GTS0203"), "{}", failure("borrow checker"));
    }
}
