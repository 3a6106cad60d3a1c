//! Code in chapters comes from tested files.

use crate::LANGUAGE;
use crate::prose::section;
use crate::source::{Book, file, includes, lines, root};

/// Maximum number of lines of Rust that a chapter may contain without including them.
const FRAGMENT: usize = 2;
/// Folder with programs that the compiler refuses, and its messages.
const REFUSED: &str = "gts-runtime/tests/ui/";
const SOLUTIONS: &str = "https://github.com/gts-graph/gts/blob/main/book/solutions/";

/// Returns the programs of listings: `main.rs` in `book/listings` or in a folder there.
fn programs() -> Vec<(String, String)> {
    let folder = root().join("book/listings");
    let folders = std::fs::read_dir(folder).expect("the folder of listings");
    let names = folders.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let paths = names.map(|name| format!("book/listings/{name}/main.rs"));
    paths.chain(["book/listings/main.rs".to_owned()]).filter_map(|path| Some((path.clone(), file(&path)?))).collect()
}

/// Returns whether a program has this file as a module.
fn is_module(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.trim_end_matches(".rs");
    programs().iter().any(|(program, text)| {
        let beside = program.trim_end_matches("main.rs");
        let is_beside = path == format!("{beside}{name}") && text.contains(&format!("mod {stem};"));
        let other = path.trim_start_matches("book/");
        // `hops/serial.rs` is a module of `hops.rs`.
        let outer = path.rsplit_once('/').map(|(folder, _)| format!("{folder}.rs"));
        let is_inner = outer.filter(|outer| file(outer).is_some_and(|text| text.contains(&format!("mod {stem};"))));
        path == program
            || is_beside
            || is_inner.is_some()
            || text.lines().any(|line| line.contains("#[path") && line.contains(other))
    })
}

pub(crate) fn code_is_included(book: &Book) -> Vec<String> {
    let mut places = Vec::new();
    for (entry, text) in book.written() {
        let lines = lines(text);
        for block in lines.chunk_by(|one, next| one.number + 1 == next.number) {
            let is_rust = block[0].block.is_some_and(|info| info.starts_with("rust"));
            let own = block.iter().filter(|line| !line.text.trim().is_empty()).count();
            let included = block.iter().any(|line| !includes(&entry.path, line.text).is_empty());
            if is_rust && !included && own > FRAGMENT {
                places.push(format!("{}:{}: {own} lines of Rust are no file's", entry.path, block[0].number));
            }
        }
    }
    places
}

pub(crate) fn listings_are_tested(book: &Book) -> Vec<String> {
    let mut places = Vec::new();
    for (entry, text) in book.written() {
        let included = lines(text).into_iter().flat_map(|line| includes(&entry.path, line.text));
        let listings = included.filter(|include| {
            include.path.starts_with("book/listings/") && include.path.ends_with(".rs") && !is_module(&include.path)
        });
        places.extend(listings.map(|include| format!("{}: {} is in no test program", entry.path, include.path)));
    }
    places
}

pub(crate) fn mistakes_are_shown(book: &Book) -> Vec<String> {
    let chapters = book.written().filter(|(entry, _)| entry.part == LANGUAGE);
    let shows = |path: &str, text: &str| {
        let included = includes(path, section(text, "Break it").unwrap_or_default());
        [".rs", ".stderr"]
            .iter()
            .all(|end| included.iter().any(|include| include.path.starts_with(REFUSED) && include.path.ends_with(end)))
    };
    let silent = chapters.filter(|(entry, text)| !shows(&entry.path, text));
    silent.map(|(entry, _)| format!("{}: \"Break it\" does not include a program and its errors", entry.path)).collect()
}

pub(crate) fn exercises_are_solved(book: &Book) -> Vec<String> {
    let mut places = Vec::new();
    for (entry, text) in book.written().filter(|(entry, _)| entry.part == LANGUAGE) {
        let exercises = section(text, "Exercises").unwrap_or_default();
        let names: Vec<_> = exercises.split(SOLUTIONS).skip(1).filter_map(|rest| rest.split(')').next()).collect();
        if names.len() != 2 {
            places.push(format!("{}: \"Exercises\" links {} solutions, not 2", entry.path, names.len()));
        }
        let paths = names.iter().map(|name| format!("book/solutions/{name}"));
        let missing = paths.filter(|path| file(path).is_none() || !is_module(path));
        places.extend(missing.map(|path| format!("{}: {path} is in no test program", entry.path)));
    }
    places
}
