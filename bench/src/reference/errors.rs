//! The book's chapter on error codes.

use super::GeneratedFile;
use super::text::{sentence, table};
use gts_contract::language::{Code, Example, Exit};

/// The parts of the chapter: the thousands digit of their codes, and their titles.
const PARTS: [(u16, &str); 5] =
    [(0, "Macros"), (1, "Runs and engines"), (2, "Graphs and imports"), (3, "Devices"), (4, "The command line")];

/// Generates the page.
pub(super) fn page() -> GeneratedFile {
    let mut text = "<!-- Written by `gts-bench reference` from gts-contract/src/language. -->\n\n# Errors\n\nEach kind of \
                    error has a code, which never changes its meaning. `gts explain CODE` prints an entry in a terminal.\n"
        .to_owned();
    text.push_str(&exit_codes());
    for (thousand, title) in PARTS {
        text.push_str(&format!("\n## {title}\n"));
        let of_part = |code: &&Code| code.number() / 1000 == thousand;
        Code::ALL.iter().filter(of_part).for_each(|code| text.push_str(&entry(*code)));
    }
    text.push_str(&format!(
        "\n## The struct of the examples\n\nExamples without a struct use this one. An example without a `fn` is the body \
         of a `vertex` kernel over it, with the parameters `a: &mut A` and `v: Vertex`.\n\n```rust,ignore\n{}\n```\n",
        Example::shared_struct()
    ));
    ("book/src/reference/errors.md".to_owned(), text)
}

/// Returns the section on exit codes.
fn exit_codes() -> String {
    let rows = Exit::ALL.iter().map(|exit| vec![exit.code().to_string(), exit.meaning().to_owned()]);
    let done = vec!["0".to_owned(), "done, or the reader of the output has closed it".to_owned()];
    format!(
        "\n## Exit codes of commands\n\nThe code of an error determines the exit code of `gts`, so that a script need not read \
         the message. With `--json`, standard output contains `{{\"error\": {{\"code\", \"message\", \"file\", \"line\", \
         \"column\", \"next\"}}}}`.\n\n{}",
        table(&["exit code", "meaning"], [done].into_iter().chain(rows))
    )
}

fn entry(code: Code) -> String {
    let mut text = format!("\n### {code}: {}\n\n{}\n", sentence(code.title()).trim_end_matches('.'), code.meaning());
    if code.number() >= 1000 {
        text.push_str(&format!("\nExit code: {}\n", code.exit().code()));
    }
    if let (Some(wrong), Some(mended)) = (code.wrong(), code.mended()) {
        for (head, example) in [("Wrong", wrong), ("Mended", mended)] {
            text.push_str(&format!("\n{head}:\n\n```rust,ignore\n{}\n```\n", example.items()));
        }
    }
    text
}
