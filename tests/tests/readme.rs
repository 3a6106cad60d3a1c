//! Checks `README.md` against the tree: its length, its links and its kernel.

use std::fs;
use std::path::{Path, PathBuf};

/// Maximum number of lines of `README.md`.
const LONGEST: usize = 90;
/// Pages whose links are checked.
const PAGES: [&str; 4] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "tests/README.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the targets of the links and pictures of a page.
fn links(page: &str) -> Vec<&str> {
    page.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target).collect()
}

/// Returns the anchors of the headings of a page, by GitHub's rule.
fn anchors(page: &str) -> Vec<String> {
    let heading = |line: &str| line.starts_with('#').then(|| line.trim_start_matches('#').trim().to_lowercase());
    let kept = |letter: char| match letter {
        ' ' => Some('-'),
        _ => (letter.is_alphanumeric() || "-_".contains(letter)).then_some(letter),
    };
    page.lines().filter_map(heading).map(|heading| heading.chars().filter_map(kept).collect()).collect()
}

#[test]
fn it_is_short() {
    let lines = read("README.md").lines().count();
    assert!(lines <= LONGEST, "README.md has {lines} lines; {LONGEST} are the limit");
}

#[test]
fn links_lead_to_files_and_headings() {
    for page in PAGES {
        let text = read(page);
        let folder = Path::new(page).parent().expect("a page is in a folder");
        for link in links(&text).into_iter().filter(|link| !link.starts_with("http")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let path = if path.is_empty() { PathBuf::from(page) } else { folder.join(path) };
            assert!(root().join(&path).exists(), "{page}: the link {link} leads nowhere");
            let found = anchor.is_empty() || anchors(&read(&path)).iter().any(|heading| heading == anchor);
            assert!(found, "{page}: the link {link} names no heading");
        }
    }
}

#[test]
fn its_kernel_is_the_one_that_ships() {
    let readme = read("README.md");
    let (kernel, _) = readme.split_once("```rust\n").and_then(|(_, rest)| rest.split_once("```")).expect("a kernel");
    let shipped = read("gts-algorithms/src/bfs.rs");
    assert!(shipped.contains(kernel), "gts-algorithms/src/bfs.rs does not contain\n{kernel}");
}
