//! Terms of the glossary: each is told in a chapter, and chapters before that one link the glossary.

use crate::prose::paragraphs;
use crate::source::Book;

/// Terms that are also common words: only uses behind one of [`DETERMINERS`] count.
const COMMON: [&str; 9] = ["budget", "merge", "page", "plan", "pull", "push", "step", "store", "trace"];
const DETERMINERS: [&str; 14] =
    ["a", "an", "the", "this", "that", "each", "every", "one", "another", "its", "your", "of", "no", "same"];

/// Chapters that use a word of the glossary in another sense: the driver of a GPU.
const OTHER_SENSE: [(&str, &str); 1] = [("run-it.md", "driver")];

/// A heading of the glossary.
struct Term<'a> {
    name: &'a str,
    /// Path of the chapter that tells the term.
    told_in: Option<&'a str>,
}

/// Returns the terms of the glossary.
fn terms(book: &Book) -> Vec<Term<'_>> {
    let text = book.texts.get("glossary.md").map_or("", String::as_str);
    let entries = text.split("\n## ").skip(1).filter_map(|entry| entry.split_once('\n'));
    entries
        .map(|(name, text)| {
            // The chapter that tells the term is the last link.
            let told_in = text.rsplit_once("](").and_then(|(_, link)| link.split(['#', ')']).next());
            Term { name: name.trim(), told_in: told_in.filter(|path| path.ends_with(".md")) }
        })
        .collect()
}

/// Returns the anchor of a term's heading.
fn anchor(term: &str) -> String {
    term.to_lowercase().replace(' ', "-")
}

pub(crate) fn entries_name_their_chapters(book: &Book) -> Vec<String> {
    let nameless = terms(book).into_iter().filter(|term| term.told_in.is_none());
    nameless.map(|term| format!("glossary.md: `{}` names no chapter that tells it", term.name)).collect()
}

pub(crate) fn terms_are_told_or_linked(book: &Book) -> Vec<String> {
    let terms = terms(book);
    let mut places = Vec::new();
    for (place, (entry, text)) in book.written().enumerate().filter(|(_, (entry, _))| entry.path != "glossary.md") {
        let prose = paragraphs(text);
        for term in terms.iter().filter(|term| !OTHER_SENSE.contains(&(entry.path.as_str(), term.name))) {
            let is_before = term.told_in.and_then(|path| book.place(path)).is_some_and(|told| place < told);
            let Some(at) = is_before.then(|| first_use(&prose, term.name)).flatten() else { continue };
            let allowed = [format!("glossary.md#{}", anchor(term.name)), term.told_in.unwrap_or_default().to_owned()];
            let link = link_around(&prose, at).unwrap_or_default();
            if !allowed.iter().any(|target| link.contains(target.as_str())) {
                let told = term.told_in.unwrap_or_default();
                let line = prose[..at].matches('\n').count() + 1;
                places.push(format!(
                    "{}: `{}` is told in {told}; link glossary.md#{} at its first use, near line {line}",
                    entry.path,
                    term.name,
                    anchor(term.name)
                ));
            }
        }
    }
    places
}

/// Returns where a text first uses a term, in the singular or the plural.
fn first_use(prose: &str, term: &str) -> Option<usize> {
    // An abbreviation is written in capitals: "was" is no plural of "WA".
    let is_abbreviation = term.chars().all(char::is_uppercase);
    let as_written = |text: &str| if is_abbreviation { text.to_owned() } else { text.to_lowercase() };
    let (lower, name) = (as_written(prose), as_written(term));
    let plural = match name.strip_suffix("ex") {
        Some(stem) => format!("{stem}ices"),
        None => format!("{name}s"),
    };
    let is_common = COMMON.contains(&term);
    let uses = |word: &str, needs_determiner: bool| {
        let found = lower
            .match_indices(word)
            .find(|(at, _)| is_word(&lower, *at, word.len()) && (!needs_determiner || has_determiner(&lower[..*at])));
        found.map(|(at, _)| at)
    };
    let plural = if is_common { None } else { uses(&plural, false) };
    [uses(&name, is_common), plural].into_iter().flatten().min()
}

fn is_word(text: &str, at: usize, length: usize) -> bool {
    let is_inside = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '-');
    !is_inside(text[..at].chars().next_back()) && !is_inside(text[at + length..].chars().next())
}

fn has_determiner(before: &str) -> bool {
    let word = before.split(|letter: char| !letter.is_alphabetic()).rfind(|word| !word.is_empty());
    // An opened link may stand between.
    let is_next = before.ends_with([' ', '\n', '[']);
    is_next && word.is_some_and(|word| DETERMINERS.contains(&word))
}

/// Returns the target of the link whose text contains this place.
fn link_around(prose: &str, at: usize) -> Option<&str> {
    let start = prose[..at].rfind('[')?;
    let (text, after) = prose[start..].split_once("](")?;
    (start + text.len() > at).then(|| after.split(')').next()).flatten()
}

#[test]
fn first_uses_are_found() {
    let linked = "A [frontier](glossary.md#frontier) is a set. Frontiers grow.";
    let at = first_use(linked, "frontier").expect("a use");
    assert_eq!(link_around(linked, at), Some("glossary.md#frontier"));
    let bare = "Frontiers grow; see [frontier](glossary.md#frontier).";
    let at = first_use(bare, "frontier").expect("a use");
    assert_eq!((at, link_around(bare, at)), (0, None));
    assert_eq!(first_use("Stores go into the book; we store a value.", "store"), None);
    assert_eq!(first_use("We open the store.", "store"), Some(12));
    assert_eq!(first_use("All vertices count.", "vertex"), Some(4));
    assert_eq!(first_use("It was WA.", "WA"), Some(7));
    assert_eq!(first_use("A pre-step is no start.", "step"), None);
}
