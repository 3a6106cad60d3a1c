//! Finds phrases that are never allowed.

use crate::source::Source;

const PHRASES: [&str; 6] = ["so many", "anew", "nobody", "of which", "in vain", "for ever"];

/// Returns the lines of code, comments and text that contain a forbidden phrase.
pub(crate) fn are_plain(sources: &[Source]) -> Vec<String> {
    let names_them = |path: &str| path.starts_with("tests/tests/tidy/") || path == "CONTRIBUTING.md";
    let mut places = Vec::new();
    for source in sources.iter().filter(|source| !names_them(&source.path)) {
        places.extend(source.lines.iter().enumerate().filter_map(|(number, line)| {
            let phrase = PHRASES.iter().find(|phrase| has(line, phrase))?;
            Some(format!("{}:{}: \"{phrase}\"", source.path, number + 1))
        }));
    }
    places
}

/// Returns whether a line contains a phrase as whole words.
fn has(line: &str, phrase: &str) -> bool {
    let line = line.to_lowercase();
    let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    line.match_indices(phrase).any(|(at, _)| {
        !is_letter(line[..at].chars().next_back()) && !is_letter(line[at + phrase.len()..].chars().next())
    })
}
