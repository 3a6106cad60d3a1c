//! Checks the rules of `ARCHITECTURE.md` and `CONTRIBUTING.md` that a program can check. Each rule returns its
//! violations, and is tested on a file that violates it.

mod circles;
mod documented;
mod items;
mod known;
mod phrases;
mod source;

use source::Source;
use std::collections::BTreeSet;

/// Maximum number of lines per file.
const LONGEST: usize = 600;
/// Maximum number of lines per function.
const LONGEST_FUNCTION: usize = 80;
/// Number of lines above an `unsafe` keyword that are searched for its reason.
const REASON_WITHIN: usize = 12;

/// Returns all lines of code that match, in the code files for which `inside` returns true.
fn forbidden(sources: &[Source], inside: impl Fn(&Source) -> bool, matches: impl Fn(&str) -> bool) -> Vec<String> {
    let mut places = Vec::new();
    for source in sources.iter().filter(|source| source.is_code() && inside(source)) {
        for (number, line) in source.lines.iter().enumerate() {
            if !line.trim_start().starts_with("//") && matches(line) {
                places.push(format!("{}:{}: {}", source.path, number + 1, line.trim()));
            }
        }
    }
    places
}

fn contains_one_of(words: &[&str]) -> impl Fn(&str) -> bool {
    move |line| words.iter().any(|word| line.contains(word))
}

fn core_names_no_device(sources: &[Source]) -> Vec<String> {
    let words = ["cudarc", "nvrtc", "Nvrtc", "gts_graph", "gts_runtime"];
    forbidden(sources, |source| source.is_rust_of("gts-core"), contains_one_of(&words))
}

fn runtime_names_no_algorithm(sources: &[Source]) -> Vec<String> {
    let words = ["gts_algorithms", "PageRank", "Sssp", "pagerank"];
    let crates = ["gts-device", "gts-cpu", "gts-cuda", "gts-group", "gts-runtime"];
    let below = |source: &Source| crates.iter().any(|name| source.is_rust_of(name));
    forbidden(sources, below, contains_one_of(&words))
}

/// The product crates that each crate may name in its `Cargo.toml`, apart from dev-dependencies. `gts-graph` there is
/// another name of the runtime.
const ARROWS: [(&str, &[&str]); 13] = [
    ("gts-contract", &[]),
    ("gts-core", &["gts-contract"]),
    ("gts-tables", &["gts-core"]),
    ("gts-macros", &["gts-contract"]),
    ("gts-device", &["gts-contract", "gts-core"]),
    ("gts-cpu", &["gts-contract", "gts-core", "gts-device"]),
    ("gts-cuda", &["gts-contract", "gts-core", "gts-device"]),
    ("gts-group", &["gts-contract", "gts-core", "gts-device"]),
    ("gts-runtime", &["gts-contract", "gts-core", "gts-macros", "gts-device", "gts-cpu", "gts-cuda", "gts-group"]),
    ("gts-mpi", &["gts-graph"]),
    ("gts-algorithms", &["gts-graph"]),
    ("gts-cli", &["gts-graph", "gts-mpi", "gts-algorithms", "gts-tables"]),
    ("gts-graph", &["gts-runtime", "gts-algorithms", "gts-cli", "gts-tables"]),
];

fn arrows_between_crates_point_down(sources: &[Source]) -> Vec<String> {
    let mut places = Vec::new();
    for source in sources {
        let Some((name, "Cargo.toml")) = source.path.split_once('/') else { continue };
        let Some((_, allowed)) = ARROWS.iter().find(|(arrow, _)| *arrow == name) else { continue };
        let own = source.lines.iter().take_while(|line| *line != "[dev-dependencies]");
        let named = own.filter_map(|line| line.split(['.', ' ', '=']).next()).filter(|word| word.starts_with("gts-"));
        places.extend(named.filter(|word| !allowed.contains(word)).map(|word| format!("{}: {word}", source.path)));
    }
    places
}

fn only_the_cuda_device_names_cudarc(sources: &[Source]) -> Vec<String> {
    let elsewhere = |source: &Source| {
        let allowed = ["gts-cuda/src", "bench/src/peer"];
        source.path.contains("/src/") && source.is_rust() && !allowed.iter().any(|path| source.path.starts_with(path))
    };
    forbidden(sources, elsewhere, contains_one_of(&["cudarc"]))
}

fn algorithms_use_the_public_api_only(sources: &[Source]) -> Vec<String> {
    let words = ["__private", "gts_core::", "gts_graph::device"];
    forbidden(sources, |source| source.is_rust_of("gts-algorithms"), contains_one_of(&words))
}

fn pages_are_decoded_by_their_encoding(sources: &[Source]) -> Vec<String> {
    let layouts = ["encoding/", "page/", "build/", "store/consistency.rs", "cost/estimate.rs"];
    let elsewhere = |source: &Source| {
        let path = source.path.trim_start_matches("gts-core/src/");
        source.product_of().is_some() && !layouts.iter().any(|layout| path.starts_with(layout))
    };
    let folder = "gts-cuda/src/cuda_src/";
    let other_cuda = |source: &Source| source.path.starts_with(folder) && !source.path.ends_with("/slotted.cuh");
    let mut places = forbidden(sources, elsewhere, contains_one_of(&["encoding::slotted"]));
    places.extend(forbidden(sources, other_cuda, contains_one_of(&["slots_end", "GTS_Q"])));
    places
}

fn analyses_read_the_typed_form(sources: &[Source]) -> Vec<String> {
    let folders = ["analyse/", "ir/", "emit/cuda/", "emit/descriptor.rs"].map(|path| format!("gts-macros/src/{path}"));
    let inside = |source: &Source| folders.iter().any(|folder| source.path.starts_with(folder.as_str()));
    let reads_syntax = |line: &str| line.contains("crate::parse") || line.replace("syn::ext", "").contains("syn::");
    forbidden(sources, inside, reads_syntax)
}

fn libraries_are_looked_for_in_one_file_each(sources: &[Source]) -> Vec<String> {
    let elsewhere = |source: &Source| {
        let found_by = ["gts-cuda/src/library.rs", "gts-cuda/src/nccl/library.rs"];
        source.product_of().is_some() && !found_by.contains(&source.path.as_str())
    };
    forbidden(sources, elsewhere, contains_one_of(&["is_culib_present", "libloading"]))
}

fn threads_start_in_one_file(sources: &[Source]) -> Vec<String> {
    // The last two files start threads only in tests.
    let allowed = ["gts-core/src/threads.rs", "gts-cli/src/allocator.rs", "gts-cuda/src/streaming/relay.rs"];
    let elsewhere = |source: &Source| source.product_of().is_some() && !allowed.contains(&source.path.as_str());
    forbidden(sources, elsewhere, contains_one_of(&["clippy::disallowed_methods"]))
}

fn loops_on_all_threads_are_compiled_once(sources: &[Source]) -> Vec<String> {
    let elsewhere =
        |source: &Source| source.product_of().is_some() && !source.path.starts_with("gts-core/src/parallel");
    forbidden(sources, elsewhere, contains_one_of(&["rayon::prelude", "rayon::iter", "rayon::slice"]))
}

fn no_file_is_too_long(sources: &[Source]) -> Vec<String> {
    let long = sources.iter().filter(|source| source.is_code() && source.lines.len() > LONGEST);
    long.map(|source| format!("{}: {} lines", source.path, source.lines.len())).collect()
}

fn every_unsafe_has_its_reason(sources: &[Source]) -> Vec<String> {
    let mut bare = Vec::new();
    for source in sources.iter().filter(|source| source.is_rust()) {
        for (number, line) in source.lines.iter().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            // Clippy already requires that the docs of an unsafe function state the caller's obligations.
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
    bare
}

fn functions_are_short(sources: &[Source]) -> Vec<String> {
    let (mut places, mut met) = (Vec::new(), BTreeSet::new());
    for (function, lines) in items::function_lengths(sources) {
        if lines <= LONGEST_FUNCTION {
            continue;
        }
        if known::LONG_FUNCTIONS.iter().any(|(known, _)| *known == function) {
            met.insert(function);
        } else {
            places.push(format!("{function} has {lines} lines; {LONGEST_FUNCTION} are allowed"));
        }
    }
    let gone = known::LONG_FUNCTIONS.iter().filter(|(known, _)| !met.contains(*known));
    places.extend(gone.map(|(known, _)| format!("{known} is short; take it off the list")));
    places
}

fn types_have_names_of_their_own(sources: &[Source]) -> Vec<String> {
    let repeated = items::repeated_types(sources);
    let is_known = |name: &str| known::REPEATED_TYPES.contains(&name);
    let mut places: Vec<_> = repeated
        .iter()
        .filter(|(name, _)| !is_known(name))
        .map(|(name, files)| format!("{name} is defined in {files:?}"))
        .collect();
    let gone = known::REPEATED_TYPES.iter().filter(|name| !repeated.contains_key(**name));
    places.extend(gone.map(|name| format!("{name} is not defined more than once; take it off the list")));
    places
}

fn modules_import_in_no_circle(sources: &[Source]) -> Vec<String> {
    let found = circles::circles(sources);
    let list = |modules: &BTreeSet<String>| modules.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let is_known = |place: &String, circle: &BTreeSet<String>| {
        known::CIRCLES.iter().any(|(known, modules, _)| known == place && *modules == list(circle))
    };
    let mut places: Vec<_> = found
        .iter()
        .filter(|(place, circle)| !is_known(place, circle))
        .map(|(place, circle)| format!("{place}: {} modules import each other: {}", circle.len(), list(circle)))
        .collect();
    let gone = known::CIRCLES
        .iter()
        .filter(|(place, modules, _)| !found.iter().any(|(other, circle)| other == place && *modules == list(circle)));
    places.extend(gone.map(|(place, modules, _)| format!("{place}: change the list, this is no circle: {modules}")));
    places
}

type Rule = fn(&[Source]) -> Vec<String>;

/// All rules, each with the path and the text of a file that violates it.
const RULES: [(Rule, &str, &str); 18] = [
    (core_names_no_device, "gts-core/src/broken.rs", "use cudarc::driver;"),
    (runtime_names_no_algorithm, "gts-runtime/src/broken.rs", "use gts_algorithms::bfs;"),
    (arrows_between_crates_point_down, "gts-group/Cargo.toml", "gts-cuda.workspace = true"),
    (only_the_cuda_device_names_cudarc, "gts-cli/src/broken.rs", "use cudarc::driver;"),
    (algorithms_use_the_public_api_only, "gts-algorithms/src/broken.rs", "use gts_core::graph;"),
    (pages_are_decoded_by_their_encoding, "gts-cpu/src/broken.rs", "use gts_core::encoding::slotted::Layout;"),
    (analyses_read_the_typed_form, "gts-macros/src/analyse/broken.rs", "use syn::Expr;"),
    (libraries_are_looked_for_in_one_file_each, "gts-cuda/src/broken.rs", "use libloading::Library;"),
    (threads_start_in_one_file, "gts-cli/src/broken.rs", "#![allow(clippy::disallowed_methods)]"),
    (loops_on_all_threads_are_compiled_once, "gts-cli/src/broken.rs", "use rayon::prelude::*;"),
    (no_file_is_too_long, "gts-cli/src/broken.rs", LONG_FILE),
    (every_unsafe_has_its_reason, "gts-cli/src/broken.rs", "fn f() { unsafe { g() } }"),
    (functions_are_short, "gts-cli/src/broken.rs", LONG_FUNCTION),
    (types_have_names_of_their_own, "gts-cli/src/broken.rs", "struct BrokenTwice; mod inner { struct BrokenTwice; }"),
    (
        modules_import_in_no_circle,
        "gts-cli/src/broken.rs",
        "mod one { use super::two::Two; struct One; } mod two { use super::one::One; struct Two; }",
    ),
    (phrases::are_plain, "gts-cli/src/broken.rs", "// Takes so many bytes."),
    (
        documented::methods_have_examples,
        "gts-core/src/broken.rs",
        "impl Graph {\n/// Returns 1.\n///\n/// # Examples\npub fn one(&self) -> u32 { 1 } }",
    ),
    (
        documented::methods_describe_their_errors,
        "gts-runtime/src/broken.rs",
        "impl<A: Attributes> Run<A> { pub fn each(&self) -> Option<impl Iterator<Item = Result<u32>>> { None } }",
    ),
];

const LONG_FILE: &str = include_str!("../../../Cargo.lock");
const LONG_FUNCTION: &str = concat!(
    "fn broken() {",
    "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
    "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n}"
);

#[test]
fn every_rule_holds() {
    let sources = source::all();
    let broken: Vec<_> = RULES.iter().flat_map(|(rule, ..)| rule(&sources)).collect();
    assert!(broken.is_empty(), "{} places break a rule:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn every_rule_sees_what_breaks_it() {
    for (number, (rule, path, text)) in RULES.iter().enumerate() {
        let found = rule(&[Source::new(path, text)]);
        let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".rs");
        assert!(found.iter().any(|place| place.contains(name) || place.contains("Broken")), "rule {number}: {found:?}");
    }
}
