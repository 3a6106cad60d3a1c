//! Tests of the examples of the macros' error codes. Wrong examples are UI cases, so trybuild's expected output
//! contains their messages. `TRYBUILD=overwrite cargo test -p gts-book --test reference` writes these cases. trybuild
//! writes the expected output. The build script writes the mended examples, which must compile.

#[path = "../../build/codes.rs"]
mod codes;

use codes::modules;
use gts_contract::language::Code;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The name of each file, and the range of the code numbers in the file.
const FILES: [(&str, Range<u16>); 5] =
    [("bodies", 0..100), ("structs", 100..200), ("names", 200..300), ("access", 300..400), ("kernels", 400..500)];

#[allow(clippy::all, unused, reason = "generated examples")]
mod mended {
    include!(concat!(env!("OUT_DIR"), "/mended.rs"));
}

/// Codes whose wrong examples also cause errors of rustc itself, each with the reason.
const WITH_OTHERS: [(Code, &str); 2] = [
    (Code::NoAttributeStruct, "the name of a constant is no type for rustc either"),
    (Code::TypeOfStruct, "the struct with a type that it does not list is no attribute struct for rustc either"),
];

/// Returns a path in the `tests` directory of `gts-runtime`.
pub(crate) fn of_runtime(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../gts-runtime/tests").join(path)
}

/// Returns the codes whose numbers are in the range.
fn listed(numbers: &Range<u16>) -> impl Iterator<Item = Code> {
    Code::ALL.iter().copied().filter(|code| numbers.contains(&code.number()))
}

fn wrong(numbers: &Range<u16>) -> String {
    let text = modules(listed(numbers), Code::wrong);
    format!("//! The wrong examples of codes. Generated from `gts_contract::language`.\n\n{text}\nfn main() {{}}\n")
}

#[test]
fn each_example_is_in_a_file_that_is_compiled() {
    let overwrite = std::env::var_os("TRYBUILD").is_some_and(|mode| mode == "overwrite");
    let mut stale = Vec::new();
    for (name, numbers) in &FILES {
        let (path, text) = (of_runtime(&format!("ui/codes/{name}.rs")), wrong(numbers));
        if overwrite {
            fs::write(&path, text).expect("the file can be written");
        } else if fs::read_to_string(&path).ok() != Some(text) {
            stale.push(path);
        }
    }
    assert!(stale.is_empty(), "not the examples of the codes, write them with TRYBUILD=overwrite: {stale:#?}");
    let last = FILES.last().map_or(0, |(_, numbers)| numbers.end);
    assert!(Code::ALL.iter().all(|code| code.number() < last || code.number() >= 1000), "codes without a file");
}

/// Returns the errors in trybuild's expected output of a generated UI case, each as its module and its code. An error
/// without a code is represented by its first line.
fn reported(name: &str) -> Vec<(String, String)> {
    let program = fs::read_to_string(of_runtime(&format!("ui/codes/{name}.rs"))).expect("a UI case");
    let output = fs::read_to_string(of_runtime(&format!("ui/codes/{name}.stderr"))).expect("an expected output");
    let module = |line: usize| {
        let before = program.lines().take(line).filter_map(|line| line.strip_prefix("mod "));
        before.last().unwrap_or_default().trim_end_matches(" {").to_uppercase()
    };
    let mut found = Vec::new();
    let mut code = String::new();
    for line in output.lines() {
        if let Some(text) = line.strip_prefix("error") {
            let text = text.strip_prefix(": [").and_then(|text| text.split_once(']'));
            code = text.map_or_else(|| line.to_owned(), |(code, _)| code.to_owned());
        } else if let Some((_, place)) = line.split_once(&format!("--> tests/ui/codes/{name}.rs:"))
            && !code.is_empty()
        {
            let line = place.split(':').next().and_then(|line| line.parse().ok()).expect("a line number");
            found.push((module(line), std::mem::take(&mut code)));
        }
    }
    found
}

#[test]
fn each_wrong_example_has_its_code_and_no_other_error() {
    let mut wrong = Vec::new();
    for (name, numbers) in &FILES {
        let found = reported(name);
        for code in listed(numbers).filter(|code| code.wrong().is_some()) {
            if !found.iter().any(|(module, _)| *module == code.to_string()) {
                wrong.push(format!("{code} has no error"));
            }
        }
        let others = |module: &str| WITH_OTHERS.iter().any(|(code, _)| code.to_string() == module);
        let found = found.iter().filter(|(module, code)| module != code && !others(module));
        wrong.extend(found.map(|(module, code)| format!("{module} also has {code}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
