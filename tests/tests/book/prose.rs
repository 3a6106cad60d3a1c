//! Text of chapters as readers see it.

use crate::source::lines;

/// Returns the text of a line without the targets of links, and without the marks of code, tables and emphasis.
pub(crate) fn visible(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("](") {
        text += before;
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    text += rest;
    text.replace(['`', '|', '[', '*'], " ")
}

/// Returns the text of a section of the second level, without its heading.
pub(crate) fn section<'a>(text: &'a str, title: &str) -> Option<&'a str> {
    let (_, after) = text.split_once(&format!("\n## {title}\n"))?;
    Some(after.split_once("\n## ").map_or(after, |(section, _)| section))
}

/// Returns the paragraphs of a chapter, without headings and code, and with an empty `` ` ` `` for each code span.
pub(crate) fn paragraphs(text: &str) -> String {
    let mut prose = String::new();
    for line in lines(text).iter().filter(|line| line.block.is_none()) {
        if !line.text.starts_with('#') && !line.text.contains("{{#") {
            prose += line.text;
        }
        prose.push('\n');
    }
    let parts = prose.split('`').enumerate();
    parts.map(|(number, part)| if number % 2 == 0 { part } else { "` `" }).collect()
}
