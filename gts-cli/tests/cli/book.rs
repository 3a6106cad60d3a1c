//! The commands of the book that begin with `$ gts`.

use crate::chapter::{self, commands};
use crate::sandbox::Sandbox;

#[test]
fn the_chapter_on_totem_runs_as_it_stands() {
    let commands = commands(&chapter::text("totem"));
    assert_eq!(commands.len(), 1, "{commands:?}");
    let sandbox = Sandbox::new();
    for command in commands {
        sandbox.text(&command.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn the_chapter_on_neighbours_runs_as_it_stands() {
    let sandbox = Sandbox::new();
    let commands = commands(&chapter::text("neighbours"));
    assert_eq!(commands.len(), 4, "{commands:?}");
    for command in commands {
        let text = sandbox.text(&command.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(!command.contains(&"--models".to_owned()) || text.contains("T_NoDiv"), "{text}");
    }
}

#[test]
#[cfg(unix)]
fn the_chapter_on_several_processes_runs_as_it_stands() {
    let commands = commands(&chapter::text("several-machines"));
    assert!(commands.iter().any(|command| command[0] == "launch"), "{commands:?}");
    let sandbox = Sandbox::new();
    for command in commands {
        sandbox.text(&command.iter().map(String::as_str).collect::<Vec<_>>());
    }
    assert!(sandbox.path("ranks.csv").exists());
}

#[test]
fn the_chapter_on_budgets_runs_as_it_stands() {
    let commands = commands(&chapter::text("budgets"));
    assert!(commands.len() >= 5, "{commands:?}");
    let sandbox = Sandbox::new();
    for command in commands {
        let text = sandbox.text(&command.iter().map(String::as_str).collect::<Vec<_>>());
        if command.iter().any(|argument| argument == "--check") {
            for part in ["host memory", " of 600 KiB", "check"] {
                assert!(text.contains(part), "{part} is not in {text}");
            }
        }
    }
    for file in ["run.json", "run.svg"] {
        assert!(sandbox.path(file).exists(), "{file} is missing");
    }
}

#[test]
fn the_chapter_on_steps_runs_as_it_stands() {
    let sandbox = Sandbox::new();
    let texts: Vec<String> = commands(&chapter::text("steps"))
        .iter()
        .map(|command| sandbox.text(&command.iter().map(String::as_str).collect::<Vec<_>>()))
        .collect();
    assert!(texts[0].contains("claiming"), "{}", texts[0]);
}

#[test]
fn the_chapter_on_techniques_runs_as_it_stands() {
    let commands = commands(&chapter::text("techniques"));
    assert_eq!(commands.len(), 3, "{commands:?}");
    let sandbox = Sandbox::new();
    for command in commands {
        let text = sandbox.text(&command.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(!command.contains(&"--check".to_owned()) || text.contains("of a serial run"), "{text}");
    }
}

/// Returns the files of a chapter: blocks of text that begin with a comment with the name.
fn files(chapter: &str) -> Vec<(String, String)> {
    let blocks = chapter.split("```text\n# ").skip(1).filter_map(|rest| rest.split_once("```"));
    blocks
        .filter_map(|(block, _)| block.split_once('\n'))
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .collect()
}

#[test]
fn the_chapter_on_patterns_runs_as_it_stands() {
    let chapter = chapter::text("matching");
    let sandbox = Sandbox::new();
    let files = files(&chapter);
    assert_eq!(files.len(), 3, "{files:?}");
    files.iter().for_each(|(name, text)| sandbox.write(name, text));
    let commands = commands(&chapter);
    assert_eq!(commands.len(), 3, "{commands:?}");
    for command in commands {
        let text = sandbox.text(&command.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(text.contains("a backtracker finds"), "{text}");
    }
    let (_, listed) = chapter.split_once("```csv\n").expect("a listing");
    let (listed, _) = listed.split_once("```").expect("its end");
    assert_eq!(sandbox.read("people.csv"), listed);
}

#[test]
fn the_chapter_on_files_runs_as_it_stands() {
    let chapter = chapter::text("files");
    let sandbox = Sandbox::new();
    let files = files(&chapter);
    assert_eq!(files.len(), 2, "{files:?}");
    files.iter().for_each(|(name, text)| sandbox.write(name, text));
    let run = |command: &Vec<String>| sandbox.text(&command.iter().map(String::as_str).collect::<Vec<_>>());
    let texts: Vec<String> = commands(&chapter).iter().map(run).collect();
    let parts = [
        "`amount` is not read",
        "2 directed edges",
        "values are those of Dijkstra",
        "values are those of union and find",
        "2 directed edges",
        "is sound",
        "nothing to clean",
        "\"undirected_edges\": 2",
    ];
    assert_eq!(texts.len(), parts.len(), "{texts:?}");
    for (text, part) in texts.iter().zip(parts) {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}
