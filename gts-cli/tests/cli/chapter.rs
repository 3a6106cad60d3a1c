//! Commands of the tested program in a chapter of the book: lines of `console` blocks that begin with `$` and its name.

use std::path::Path;

/// Returns the text of a chapter.
pub(crate) fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../book/src/{name}.md"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the arguments of each command of a chapter, in order.
pub(crate) fn commands(chapter: &str) -> Vec<Vec<String>> {
    let program = Path::new(crate::PROGRAM).file_stem().expect("a program has a name").to_string_lossy();
    let prompt = format!("$ {program} ");
    let mut inside = false;
    let mut found = Vec::new();
    for line in chapter.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let (true, Some(command)) = (inside, line.strip_prefix(&prompt)) {
            found.push(command.split_whitespace().map(str::to_owned).collect());
        }
    }
    found
}
