//! A chapter of the book as a reader follows it: files to write, and commands with the output shown below them.

use std::path::{Path, PathBuf};

/// Maximum number of columns of a file's name in a block.
const LONGEST_NAME: usize = 40;

/// A chapter, by its path in `book/src`.
pub(crate) struct Chapter {
    pub(crate) name: String,
    pub(crate) steps: Vec<ChapterStep>,
}

/// One thing that the reader does.
#[derive(Debug, PartialEq)]
pub(crate) enum ChapterStep {
    /// Writes a file: a `text` block whose first line is `# NAME`.
    File { name: String, text: String },
    /// Types the commands of a `console` block.
    Commands(Vec<ShownCommand>),
}

/// A command, with the lines that the chapter shows below it.
#[derive(Debug, PartialEq)]
pub(crate) struct ShownCommand {
    /// Number of its line in the chapter, from 1.
    pub(crate) line: usize,
    /// The command on one line.
    pub(crate) text: String,
    pub(crate) output: String,
}

impl Chapter {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        let mut steps = Vec::new();
        let mut lines = text.lines().enumerate();
        while let Some((_, line)) = lines.next() {
            let Some(kind) = line.strip_prefix("```") else { continue };
            let block: Vec<_> = lines.by_ref().take_while(|(_, line)| !line.starts_with("```")).collect();
            match kind {
                "console" => steps.push(ChapterStep::Commands(commands(&block))),
                "text" => steps.extend(file(&block)),
                _ => {}
            }
        }
        Self { name: name.to_owned(), steps }
    }
}

fn file(block: &[(usize, &str)]) -> Option<ChapterStep> {
    let ((_, first), rest) = block.split_first()?;
    let name = first.strip_prefix("# ")?;
    let is_name = name.len() <= LONGEST_NAME && name.contains('.') && !name.contains(' ');
    let text = rest.iter().map(|(_, line)| format!("{line}\n")).collect();
    is_name.then(|| ChapterStep::File { name: name.to_owned(), text })
}

fn commands(block: &[(usize, &str)]) -> Vec<ShownCommand> {
    let mut shown: Vec<ShownCommand> = Vec::new();
    let mut continues = false;
    for &(number, line) in block {
        let (text, after) = (line.trim_end_matches('\\'), line.ends_with('\\'));
        match (line.strip_prefix("$ "), shown.last_mut()) {
            (Some(_), _) => {
                shown.push(ShownCommand { line: number + 1, text: text[2..].to_owned(), output: String::new() });
                continues = after;
            }
            (None, Some(command)) if continues => {
                command.text += text.trim_start();
                continues = after;
            }
            (None, Some(command)) => command.output += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    shown
}

/// Returns the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository")
}

/// Returns all chapters, sorted by path.
pub(crate) fn all() -> Vec<Chapter> {
    let source = root().join("book/src");
    let mut folders = vec![source.clone()];
    let mut chapters = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder of chapters") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let name = path.strip_prefix(&source).expect("a path within").display().to_string();
                chapters.push(Chapter::new(&name, &std::fs::read_to_string(&path).expect("a chapter")));
            }
        }
    }
    chapters.sort_by(|one, other| one.name.cmp(&other.name));
    chapters
}

#[test]
fn files_and_commands_are_taken_in_order() {
    let text = concat!(
        "A file:\n\n```text\n# a.txt\n1 2\n```\n\n```text\n# Not a name\n```\n\n",
        "```console\n$ gts run bfs \\\n    a.txt\nlevel\n$ ls\n```\n\n",
        "```console\n$ gts devices\n```\n\n```rust\nfn f() {}\n```\n",
    );
    let shown =
        |line, text: &str, output: &str| ShownCommand { line, text: text.to_owned(), output: output.to_owned() };
    let steps = [
        ChapterStep::File { name: "a.txt".to_owned(), text: "1 2\n".to_owned() },
        ChapterStep::Commands(vec![shown(13, "gts run bfs a.txt", "level\n"), shown(16, "ls", "")]),
        ChapterStep::Commands(vec![shown(20, "gts devices", "")]),
    ];
    assert_eq!(Chapter::new("sample.md", text).steps, steps);
}
