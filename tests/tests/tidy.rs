//! Tests the invariants of `ARCHITECTURE.md` that can be checked on the source text.

use std::fs;
use std::path::Path;

/// Maximum number of lines of a file.
const LONGEST: usize = 600;
/// Maximum distance in lines from an `unsafe` up to its reason.
const REASON_WITHIN: usize = 12;
/// Folders without sources of this project.
const FOREIGN: [&str; 4] = ["target", ".git", ".gpu", "node_modules"];

/// A source file: its path from the workspace's root, and its lines.
struct Source {
    path: String,
    lines: Vec<String>,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut found, mut folders) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("folders of the workspace can be listed") {
            let path = entry.expect("folders of the workspace can be listed").path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if path.is_dir() {
                if !FOREIGN.contains(&name) {
                    folders.push(path);
                }
            } else if is_source(&path) {
                let text = fs::read_to_string(&path).expect("source files are text");
                let path = path.strip_prefix(&root).expect("the root is above").to_string_lossy().into_owned();
                found.push(Source { path, lines: text.lines().map(str::to_owned).collect() });
            }
        }
    }
    assert!(found.len() > 10, "only {} source files found", found.len());
    found
}

fn is_source(path: &Path) -> bool {
    let snapshot = path.components().any(|part| part.as_os_str() == "snapshots");
    let extension = path.extension().and_then(|extension| extension.to_str());
    !snapshot && matches!(extension, Some("rs" | "cu" | "cuh"))
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// Fails with every place whose code matches.
fn forbid(what: &str, inside: impl Fn(&str) -> bool, matches: impl Fn(&str) -> bool) {
    let mut places = Vec::new();
    for source in sources().iter().filter(|source| inside(&source.path)) {
        for (number, line) in source.lines.iter().enumerate() {
            if !is_comment(line) && matches(line) {
                places.push(format!("{}:{}: {}", source.path, number + 1, line.trim()));
            }
        }
    }
    assert!(places.is_empty(), "{what}:\n{}", places.join("\n"));
}

fn is_rust_of(path: &str, crate_name: &str) -> bool {
    path.starts_with(&format!("{crate_name}/src/")) && path.ends_with(".rs")
}

#[test]
fn core_names_no_device() {
    forbid(
        "gts-core names a device",
        |path| is_rust_of(path, "gts-core"),
        |line| ["cudarc", "nvrtc", "Nvrtc", "gts_runtime"].iter().any(|word| line.contains(word)),
    );
}

#[test]
fn runtime_names_no_algorithm() {
    forbid(
        "gts-runtime names an algorithm",
        |path| is_rust_of(path, "gts-runtime"),
        |line| ["gts_algorithms", "PageRank", "Sssp", "pagerank"].iter().any(|word| line.contains(word)),
    );
}

#[test]
fn only_the_cuda_device_and_its_peer_name_cudarc() {
    let named = ["gts-runtime/src/device/cuda", "bench/src/peer/gpu.rs"];
    forbid(
        "cudarc outside of the CUDA device",
        |path| path.contains("/src/") && path.ends_with(".rs") && !named.iter().any(|place| path.starts_with(place)),
        |line| line.contains("cudarc"),
    );
}

#[test]
fn algorithms_use_the_public_api_only() {
    forbid(
        "gts-algorithms reaches into the runtime",
        |path| is_rust_of(path, "gts-algorithms"),
        |line| ["__private", "gts_core::", "gts_runtime::device"].iter().any(|word| line.contains(word)),
    );
}

#[test]
fn no_file_is_longer_than_a_reader_likes() {
    let long: Vec<_> = sources()
        .into_iter()
        .filter(|source| source.lines.len() > LONGEST)
        .map(|source| format!("{}: {} lines", source.path, source.lines.len()))
        .collect();
    assert!(long.is_empty(), "files of more than {LONGEST} lines:\n{}", long.join("\n"));
}

#[test]
fn every_unsafe_says_why_it_is_safe() {
    let mut bare = Vec::new();
    for source in sources().iter().filter(|source| source.path.ends_with(".rs")) {
        for (number, line) in source.lines.iter().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            // The requirements of an unsafe function are in its docs, which clippy enforces.
            let block = ["unsafe {", "unsafe impl"].iter().any(|form| code.contains(form));
            if !block || code.contains('"') {
                continue;
            }
            let above = &source.lines[number.saturating_sub(REASON_WITHIN)..=number];
            if !above.iter().any(|line| line.contains("SAFETY:") || line.contains("# Safety")) {
                bare.push(format!("{}:{}", source.path, number + 1));
            }
        }
    }
    assert!(bare.is_empty(), "unsafe without a reason:\n{}", bare.join("\n"));
}
