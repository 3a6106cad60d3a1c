//! The book's table of contents, its chapters, and the files that they include.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// An entry of `SUMMARY.md` whose chapter exists.
#[derive(Clone)]
pub(crate) struct Entry {
    /// Title of the part of the book.
    pub(crate) part: String,
    /// Path in `book/src`.
    pub(crate) path: String,
}

/// Chapters in the order of the table of contents.
#[derive(Clone)]
pub(crate) struct Book {
    pub(crate) entries: Vec<Entry>,
    /// Text of each chapter, by its path in `book/src`.
    pub(crate) texts: BTreeMap<String, String>,
}

/// A line of a chapter.
pub(crate) struct Line<'a> {
    /// Number from 1.
    pub(crate) number: usize,
    pub(crate) text: &'a str,
    /// Info string of the code block that the line is in, if any. The fences are no lines.
    pub(crate) block: Option<&'a str>,
}

/// An included part of a file: `{{#include PATH:PART}}`.
#[derive(Debug)]
pub(crate) struct Include {
    /// Path from the root of the repository.
    pub(crate) path: String,
    /// An anchor, a range of lines, or nothing.
    pub(crate) part: String,
}

impl Book {
    pub(crate) fn read() -> Self {
        let entries = entries(&file("book/src/SUMMARY.md").expect("a table of contents"));
        let texts = entries
            .iter()
            .filter_map(|entry| Some((entry.path.clone(), file(&format!("book/src/{}", entry.path))?)))
            .collect();
        Self { entries, texts }
    }

    /// Returns a copy in which this chapter has this text. A new chapter stands at the end of a part.
    pub(crate) fn with(&self, part: &str, path: &str, text: &str) -> Self {
        let mut copy = self.clone();
        if copy.texts.insert(path.to_owned(), text.to_owned()).is_none() {
            let at = copy.entries.iter().rposition(|entry| entry.part == part).map_or(0, |at| at + 1);
            copy.entries.insert(at, Entry { part: part.to_owned(), path: path.to_owned() });
        }
        copy
    }

    /// Returns all chapters that people write, in order.
    pub(crate) fn written(&self) -> impl Iterator<Item = (&Entry, &str)> {
        let people = self.entries.iter().filter(|entry| !entry.path.starts_with("reference/"));
        people.filter_map(|entry| Some((entry, self.texts.get(&entry.path)?.as_str())))
    }

    /// Returns the place of a chapter in the table of contents.
    pub(crate) fn place(&self, path: &str) -> Option<usize> {
        self.entries.iter().position(|entry| entry.path == path)
    }
}

fn entries(summary: &str) -> Vec<Entry> {
    let mut part = String::new();
    let mut found = Vec::new();
    for line in summary.lines() {
        if let Some(title) = line.strip_prefix("# ") {
            title.clone_into(&mut part);
        } else if let Some((_, path)) = line.trim_end_matches(')').split_once("](")
            && !path.is_empty()
        {
            found.push(Entry { part: part.clone(), path: path.to_owned() });
        }
    }
    found
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the text of a file of the repository, if there is one.
pub(crate) fn file(path: &str) -> Option<String> {
    fs::read_to_string(root().join(path)).ok()
}

/// Returns the paths of all chapters in `book/src`.
pub(crate) fn chapters() -> Vec<String> {
    let source = root().join("book/src");
    let (mut folders, mut found) = (vec![source.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of chapters") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") && !path.ends_with("SUMMARY.md") {
                found.push(path.strip_prefix(&source).expect("a path within").to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found
}

/// Returns the lines of a chapter.
pub(crate) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut block = None;
    let mut found = Vec::new();
    for (number, text) in (1..).zip(text.lines()) {
        match text.trim_start().strip_prefix("```") {
            Some(info) => block = if block.is_some() { None } else { Some(info) },
            None => found.push(Line { number, text, block }),
        }
    }
    found
}

/// Returns what a line of a chapter includes.
pub(crate) fn includes(chapter: &str, line: &str) -> Vec<Include> {
    let starts = ["{{#include ", "{{#rustdoc_include ", "{{#playground "];
    let parts = starts.iter().flat_map(|start| line.split(start).skip(1));
    parts
        .filter_map(|rest| rest.split_once("}}"))
        .map(|(target, _)| {
            let (path, part) = target.trim().split_once(':').unwrap_or((target.trim(), ""));
            let folder = Path::new("book/src").join(chapter);
            let path = normal(&folder.parent().expect("a chapter is in a folder").join(path));
            Include { path, part: part.to_owned() }
        })
        .collect()
}

/// Returns a path without `..`.
fn normal(path: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(part) => parts.push(part.to_str().expect("text")),
            _ => {}
        }
    }
    parts.join("/")
}

impl Include {
    /// Returns the included lines, if the file and the part exist.
    pub(crate) fn lines(&self) -> Option<Vec<String>> {
        let text = file(&self.path)?;
        let lines: Vec<&str> = text.lines().collect();
        let chosen = match self.part.chars().next() {
            None => lines,
            Some(first) if first == ':' || first.is_ascii_digit() => {
                let (start, end) = self.part.split_once(':').unwrap_or((&self.part, &self.part));
                let start = if start.is_empty() { 1 } else { start.parse().ok()? };
                let end = if end.is_empty() { lines.len() } else { end.parse().ok()? };
                lines.get(usize::checked_sub(start, 1)?..end)?.to_vec()
            }
            Some(_) => {
                let marks = ["ANCHOR", "ANCHOR_END"].map(|word| format!("{word}: {}", self.part));
                let at = |mark: &String| lines.iter().position(|line| line.trim_end().ends_with(mark.as_str()));
                let (start, end) = (at(&marks[0])?, at(&marks[1])?);
                lines.get(start + 1..end)?.to_vec()
            }
        };
        let kept = chosen.into_iter().filter(|line| !line.contains("ANCHOR"));
        Some(kept.map(str::to_owned).collect())
    }
}
