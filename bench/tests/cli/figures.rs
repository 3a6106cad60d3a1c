//! The commands for a CPU in the book's pages on figures of papers.

use crate::sandbox::Sandbox;
use std::path::Path;

/// Returns the arguments of the commands in a page that measure figures on a CPU.
fn commands(page: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../book/src/figures/{page}.md"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let joined = text.replace("\\\n", " ");
    let arguments = joined.lines().filter_map(|line| line.strip_prefix("gts-bench "));
    let words = arguments.map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    words.filter(|call| call.windows(2).any(|pair| pair == ["--device", "cpu"])).collect()
}

/// Runs the commands of a page. They write figures to a folder.
fn run(page: &str) {
    let commands = commands(page);
    assert_eq!(commands.len(), 1, "{commands:?}");
    let sandbox = Sandbox::new();
    for command in commands {
        sandbox.text(&command.iter().map(String::as_str).collect::<Vec<_>>());
    }
    assert_eq!(sandbox.names(), ["figures"]);
}

#[test]
fn the_page_on_gts_runs_as_it_stands() {
    run("gts");
}

#[test]
fn the_page_on_totem_runs_as_it_stands() {
    run("totem");
}

#[test]
fn the_page_on_wolfpath_runs_as_it_stands() {
    run("wolfpath");
}

#[test]
fn the_page_on_neighbours_runs_as_it_stands() {
    run("neighbours");
}
