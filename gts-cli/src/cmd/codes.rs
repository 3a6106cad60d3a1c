//! Explanations of error codes, as `gts explain` prints them.

use crate::report::Report;
use gts_graph::contract::language::{Code, Example, Exit, indented};
use serde_json::{Value, json};

/// Returns the explanation of an error code, or `None` if the text is not an error code.
pub(super) fn explained(code: &str) -> Option<Report> {
    Code::find(code).map(|code| Report::new(text(code), entry(code)))
}

fn text(code: Code) -> String {
    let mut text = format!("{code}: {}\n\n{}", code.title(), wrapped(code.meaning()));
    if let Some(exit) = exit(code) {
        text.push_str(&format!("\nExit code: {}\n", exit.code()));
    }
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

/// Returns the end of a command with this error. `None` for errors of macros, which `cargo build` reports.
fn exit(code: Code) -> Option<Exit> {
    (code.number() >= 1000).then(|| code.exit())
}

fn entry(code: Code) -> Value {
    json!({
        "code": code.to_string(),
        "title": code.title(),
        "meaning": code.meaning(),
        "exit": exit(code).map(Exit::code),
        "wrong": code.wrong().map(Example::complete),
        "mended": code.mended().map(Example::complete),
    })
}

/// Wraps the text at 80 characters.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_explained_with_its_examples() {
        let text = super::text(Code::Mismatch);
        assert!(text.starts_with("GTS0203: Two types that differ\n\nAs in Rust, "), "{text}");
        assert!(text.contains("\nWrong:\n\n    #[gts_kernel(vertex)]\n"), "{text}");
        assert!(text.contains("\nMended:\n\n    #[gts_kernel(vertex)]\n"), "{text}");
        assert!(text.contains("\nwith this struct:\n") && text.ends_with("        total: u64,\n    }\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let text = super::text(Code::find("GTS2002").expect("a code"));
        assert!(!text.contains("Wrong:") && !text.contains("struct:"), "{text}");
    }

    #[test]
    fn programs_get_examples_that_are_complete() {
        let json = entry(Code::Mismatch);
        assert_eq!(json["code"], "GTS0203");
        assert!(json["mended"].as_str().is_some_and(|text| text.starts_with("#[gts_attributes]")), "{json}");
        let fault = entry(Code::find("1001").expect("a code"));
        assert_eq!((&fault["wrong"], &fault["exit"], &json["exit"]), (&Value::Null, &json!(3), &Value::Null));
    }
}
