//! The commands of the book that begin with `$ gts-bench`.

use crate::chapter::{self, commands};
use crate::sandbox::Sandbox;

/// Runs the commands of a chapter. They write figures to a folder.
fn run(name: &str, folder: &str) {
    let commands = commands(&chapter::text(name));
    assert_eq!(commands.len(), 1, "{commands:?}");
    let sandbox = Sandbox::new();
    for command in commands {
        sandbox.text(&command.iter().map(String::as_str).collect::<Vec<_>>());
    }
    assert!(sandbox.path(folder).exists(), "{folder}");
}

#[test]
fn the_chapter_on_budgets_runs_as_it_stands() {
    run("budgets", "figures");
}

#[test]
fn the_chapter_on_totem_runs_as_it_stands() {
    run("totem", "totem");
}

#[test]
fn the_chapter_on_wolfpath_runs_as_it_stands() {
    run("wolfpath", "wolfpath");
}

#[test]
fn the_chapter_on_neighbours_runs_as_it_stands() {
    run("neighbours", "neighbours");
}
