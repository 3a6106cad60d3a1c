//! Replays the commands of the book and compares their output with the chapters.
//!
//! Each chapter runs in a folder of its own, in which its files are written. If a block shows no output, its commands
//! only have to succeed; otherwise each of its commands prints exactly the lines below it, as masked by `masks`. A line
//! `...` in a chapter stands for any lines. A command whose output contains an error may fail.

use crate::chapter::{self, Chapter, ChapterStep, ShownCommand};
use crate::masks::masked;
use rayon::prelude::*;
use snapbox::IntoData;
use std::path::Path;
use std::process::Command;

/// Commands that are not replayed: they build programs, or need what a test machine may lack.
const NOT_REPLAYED: [&str; 6] = ["cargo", "cd", "git", "mpirun", "pip", "rustup"];

/// Option of commands that measure the machine for minutes. They are not replayed either.
const MEASURES: &str = "--measure";

/// Runs the commands of one chapter.
struct Replay<'a> {
    program: &'a Path,
    folder: &'a Path,
    cache: &'a Path,
}

impl Replay<'_> {
    /// Returns whether the command succeeds, and its output on both streams.
    fn run(&self, text: &str) -> (bool, String) {
        let programs = self.program.parent().expect("a program is in a folder");
        let others = std::env::var_os("PATH").unwrap_or_default();
        let path = [programs.to_owned()].into_iter().chain(std::env::split_paths(&others));
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1\n{text}")])
            .current_dir(self.folder)
            .env("PATH", std::env::join_paths(path).expect("folders of programs"))
            .env("COLUMNS", "80")
            .env("GTS_CACHE_DIR", self.cache)
            .output()
            .expect("a shell");
        let shown = String::from_utf8_lossy(&output.stdout).replace(&*self.folder.to_string_lossy(), "[FOLDER]");
        (output.status.success(), shown)
    }

    /// Returns the difference between a chapter and a command, if there is one.
    fn difference(&self, command: &ShownCommand, is_compared: bool) -> Option<String> {
        let (succeeds, output) = self.run(&command.text);
        if !succeeds && !command.output.contains("error") {
            return Some(format!("fails:\n{output}"));
        }
        let expected = masked(&command.output).into_data();
        let equal = snapbox::Assert::new().try_eq(None, masked(&output).into_data(), expected);
        equal.err().filter(|_| is_compared).map(|difference| format!("prints something else:\n{difference}"))
    }
}

/// Returns the name of a command's program, without variables that are set for it.
fn program_of(command: &str) -> &str {
    command.split_whitespace().find(|word| !word.contains('=')).unwrap_or_default()
}

/// Returns whether these tests replay a command: `gts` and the system's, or only those of another program under test.
fn is_replayed(command: &str, program: &Path) -> bool {
    let (own, name) = (program.file_stem().expect("a name").to_string_lossy(), program_of(command));
    let is_left_out = NOT_REPLAYED.contains(&name) || name == "gts-bench" || command.contains(MEASURES);
    if own == "gts" { !is_left_out } else { name == own }
}

/// Returns the number of replayed commands of a chapter, and what differs.
fn replay(chapter: &Chapter, program: &Path) -> (usize, Vec<String>) {
    let [folder, cache] = [(); 2].map(|()| tempfile::tempdir().expect("a temporary folder"));
    std::os::unix::fs::symlink(chapter::root().join("examples"), folder.path().join("examples")).expect("a link");
    let run = Replay { program, folder: folder.path(), cache: cache.path() };
    let (mut commands, mut differences) = (0, Vec::new());
    for step in &chapter.steps {
        match step {
            ChapterStep::File { name, text } => std::fs::write(folder.path().join(name), text).expect("a file"),
            ChapterStep::Commands(shown) => {
                let is_compared = shown.iter().any(|command| !command.output.is_empty());
                for command in shown.iter().filter(|command| is_replayed(&command.text, program)) {
                    commands += 1;
                    let difference = run.difference(command, is_compared);
                    differences.extend(
                        difference.map(|text| format!("{}:{}: `{}` {text}", chapter.name, command.line, command.text)),
                    );
                }
            }
        }
    }
    (commands, differences)
}

#[test]
fn commands_print_what_the_book_shows() {
    let program = Path::new(crate::PROGRAM);
    let replayed: Vec<_> = chapter::all().par_iter().map(|chapter| replay(chapter, program)).collect();
    let commands: usize = replayed.iter().map(|(commands, _)| commands).sum();
    let differences: Vec<_> = replayed.into_iter().flat_map(|(_, differences)| differences).collect();
    assert!(differences.is_empty(), "{} commands differ:\n{}", differences.len(), differences.join("\n"));
    assert!(commands > 0, "no command of the book is replayed");
    println!("{commands} commands");
}

/// A chapter whose command prints two lines.
const SAMPLE: &str = "```text\n# a.txt\n1 2\n2 3\n```\n\n```console\n$ cat a.txt\n1 2\n2 3\n```\n";

#[test]
fn a_chapter_that_shows_something_else_is_found() {
    let differences = |text: &str| replay(&Chapter::new("sample.md", text), Path::new("gts")).1;
    assert!(differences(SAMPLE).is_empty(), "the sample itself");
    assert_eq!(differences(&SAMPLE.replace("\n1 2\n2 3\n```\n\n", "\n2 3\n```\n\n")).len(), 1, "a line of the file");
    assert_eq!(differences(&SAMPLE.replace("a.txt\n1 2\n2 3\n```\n", "a.txt\n1 2\n...\n```\n")).len(), 0, "any lines");
    let missing = differences(&SAMPLE.replace("$ cat a.txt\n1 2\n", "$ cat a.txt\n"));
    assert!(matches!(&missing[..], [one] if one.starts_with("sample.md:8: `cat a.txt` ")), "{missing:?}");
    let failing = differences("```console\n$ cat none.txt\n```\n");
    assert!(matches!(&failing[..], [one] if one.contains("fails")), "{failing:?}");
}
