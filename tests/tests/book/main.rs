//! Rules of the book. Each rule returns its violations, and is tested on a chapter that violates it.

mod glossary;
mod listings;
mod prose;
mod source;

use source::{Book, includes, lines};
use std::collections::BTreeSet;

/// Title of the part whose chapters teach the language.
const LANGUAGE: &str = "The language by example";
/// Titles of the parts that are read from the start to the end.
const TAUGHT: [&str; 3] = ["Half an hour", LANGUAGE, "Beyond memory"];

/// Maximum number of words per chapter, without code and the output of commands.
const WORDS: usize = 1500;
/// Maximum width of commands and code in a chapter, in columns: a screen of 1280 pixels shows them without scrolling.
const COLUMNS: usize = 72;
/// Maximum width of included code.
const INCLUDED_COLUMNS: usize = 100;
/// Maximum length of the visible text of a table's row. Longer rows become columns of single words at 390 pixels.
const ROW: usize = 90;

fn includes_exist(book: &Book) -> Vec<String> {
    let mut places = Vec::new();
    for (entry, text) in book.written() {
        for line in lines(text) {
            let missing = includes(&entry.path, line.text)
                .into_iter()
                .filter(|include| include.lines().is_none_or(|lines| lines.iter().all(|line| line.trim().is_empty())));
            let place = |include| format!("{}:{}: nothing to include: {include:?}", entry.path, line.number);
            places.extend(missing.map(place));
        }
    }
    places
}

fn chapters_are_short(book: &Book) -> Vec<String> {
    let count = |text| {
        lines(text).iter().filter(|line| line.block.is_none()).flat_map(|line| line.text.split_whitespace()).count()
    };
    let words = book.written().map(|(entry, text)| (entry, count(text)));
    let long = words.filter(|(_, words)| *words > WORDS);
    long.map(|(entry, words)| format!("{}: {words} words; {WORDS} are allowed", entry.path)).collect()
}

fn code_is_narrow(book: &Book) -> Vec<String> {
    let mut places = Vec::new();
    for (entry, text) in book.written() {
        let mut continues = false;
        for line in lines(text) {
            let Some(block) = line.block else { continue };
            let is_command = line.text.starts_with("$ ") || continues;
            continues = is_command && line.text.ends_with('\\');
            // The output of a command is as wide as the command prints it.
            if block.starts_with("console") && !is_command {
                continue;
            }
            let width = line.text.chars().count();
            let included = includes(&entry.path, line.text);
            if included.is_empty() && width > COLUMNS {
                places.push(format!("{}:{}: {width} columns; {COLUMNS} are allowed", entry.path, line.number));
            }
            for include in included.iter().filter(|include| !include.path.ends_with(".stderr")) {
                let widest = include.lines().iter().flatten().map(|line| line.chars().count()).max();
                if widest > Some(INCLUDED_COLUMNS) {
                    let path = &include.path;
                    places.push(format!("{}:{}: {widest:?} columns of {path}", entry.path, line.number));
                }
            }
        }
    }
    places
}

fn tables_are_narrow(book: &Book) -> Vec<String> {
    let mut places = Vec::new();
    for (entry, text) in book.written() {
        for line in lines(text).iter().filter(|line| line.block.is_none() && line.text.starts_with('|')) {
            let width =
                prose::visible(line.text).split_whitespace().map(|word| word.chars().count() + 1).sum::<usize>();
            if width > ROW {
                let number = line.number;
                places.push(format!("{}:{number}: a row of {width} characters; {ROW} are allowed", entry.path));
            }
        }
    }
    places
}

fn chapters_lead_on(book: &Book) -> Vec<String> {
    let taught = book.written().filter(|(entry, _)| TAUGHT.contains(&entry.part.as_str()));
    let links = |text: &str| prose::section(text, "Next").map(|next| next.matches("](").count());
    let wrong = taught.filter(|(_, text)| !matches!(links(text), Some(1 | 2)));
    wrong.map(|(entry, _)| format!("{}: \"Next\" is no section with one or two links", entry.path)).collect()
}

type Rule = fn(&Book) -> Vec<String>;

/// All rules, each with the part, the path and the text of a chapter that violates it.
const RULES: [(Rule, &str, &str, &str); 13] = [
    (includes_exist, "Look up", "broken.md", "{{#include ../listings/none.rs:anchor}}\n"),
    (includes_exist, "Look up", "broken.md", "{{#include SUMMARY.md:9000:}}\n"),
    (chapters_are_short, "Look up", "broken.md", include_str!("../../../Cargo.lock")),
    (code_is_narrow, "Look up", "broken.md", WIDE_COMMAND),
    (code_is_narrow, "Look up", "broken.md", "```toml\n{{#include ../../ARCHITECTURE.md}}\n```\n"),
    (tables_are_narrow, "Look up", "broken.md", WIDE_TABLE),
    (chapters_lead_on, "Half an hour", "broken.md", "# Broken\n\n## Next\n\nNothing.\n"),
    (glossary::terms_are_told_or_linked, "Half an hour", "broken.md", "# Broken\n\nThis is a technique.\n"),
    (glossary::entries_name_their_chapters, "Look up", "glossary.md", "# Glossary\n\n## page\n\nA part of a graph.\n"),
    (listings::code_is_included, "Look up", "broken.md", "```rust\nfn f() {\n    g();\n}\n```\n"),
    (listings::listings_are_tested, "Look up", "broken.md", "```rust\n{{#include ../listings/none.rs:a}}\n```\n"),
    (listings::mistakes_are_shown, LANGUAGE, "broken.md", "# Broken\n\n## Break it\n\nNothing.\n"),
    (listings::exercises_are_solved, LANGUAGE, "broken.md", UNSOLVED),
];

const WIDE_COMMAND: &str = concat!(
    "```console\n$ gts run pagerank rmat:10 --check \\\n",
    "    --in-edges --propagation pull --output aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.csv\n```\n"
);
const WIDE_TABLE: &str = concat!(
    "| option | meaning |\n|---|---|\n",
    "| `--propagation` | This text is far too long for a row of a table, because narrow screens show it by words. |\n"
);
const UNSOLVED: &str = concat!(
    "# Broken\n\n## Exercises\n\n",
    "1. First ([solution](https://github.com/gts-graph/gts/blob/main/book/solutions/none.rs)).\n2. Second.\n"
);

#[test]
fn every_rule_holds() {
    let book = Book::read();
    // A rule with several samples stands in the table several times.
    let broken: BTreeSet<_> = RULES.iter().flat_map(|(rule, ..)| rule(&book)).collect();
    let broken: Vec<_> = broken.into_iter().collect();
    assert!(broken.is_empty(), "{} places break a rule:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn every_rule_sees_what_breaks_it() {
    let book = Book::read();
    for (number, (rule, part, path, text)) in RULES.iter().enumerate() {
        let found = rule(&book.with(part, path, text));
        assert!(found.iter().any(|place| place.starts_with(&format!("{path}:"))), "rule {number}: {found:?}");
    }
}

#[test]
fn every_chapter_is_in_the_table_of_contents() {
    let book = Book::read();
    let missing: Vec<_> = source::chapters().into_iter().filter(|path| book.place(path).is_none()).collect();
    assert!(missing.is_empty(), "SUMMARY.md does not list {missing:?}");
}
