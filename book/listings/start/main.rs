//! The listings of the book's first part, as one test program.

#![allow(unreachable_pub, reason = "listings are parts of libraries")]

mod carry;
mod data;
mod engines;
mod hops;
mod ways;
mod ways_by_id;

use std::path::Path;

/// Returns the words of a file of the repository, separated by single spaces.
fn words(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let text =
        std::fs::read_to_string(path).expect("a file of the repository");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A chapter shows errors of machines unlike the one that runs this test.
#[test]
fn the_chapter_quotes_the_errors_of_the_source() {
    let chapter = words("book/src/run-it.md");
    let quoted = [
        ("gts-device/src/error.rs", "cannot be used"),
        (
            "gts-cuda/src/library.rs",
            "the NVIDIA driver's library (libcuda.so.1) is not installed",
        ),
        ("gts-cuda/src/library.rs", "the driver is for CUDA"),
        (
            "gts-cuda/src/library.rs",
            "(libnvrtc.so) was found neither on the loader's path nor in",
        ),
        ("gts-cuda/src/library.rs", "GTS_NVRTC_DIR"),
        ("gts-device/src/error.rs", "does not compile for"),
    ];
    for (file, text) in quoted {
        assert!(chapter.contains(text), "the chapter lacks `{text}`");
        assert!(words(file).contains(text), "{file} lacks `{text}`");
    }
}

/// Returns the code of a file without the marks of listings, and without what depends on the width of lines.
fn code(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let text =
        std::fs::read_to_string(path).expect("a file of the repository");
    let lines = text
        .lines()
        .filter(|line| !line.contains("ANCHOR") && !line.starts_with("//!"));
    lines
        .flat_map(str::chars)
        .filter(|c| !c.is_whitespace() && !",{}".contains(*c))
        .collect()
}

#[test]
fn the_first_listing_is_the_crate_that_gts_new_makes() {
    let template = |file: &str| {
        code(&format!("gts-cli/src/cmd/new/templates/traverse/{file}.rs"))
            .replace("my-algorithm", "hops")
            .replace("my_algorithm", "hops")
    };
    hops::link();
    let library = code("book/listings/start/hops.rs");
    assert!(
        library.starts_with(&template("lib")),
        "lib.rs of the template differs from the listing"
    );
    let serial = code("book/listings/start/hops/serial.rs")
        .replace("super::source", "crate::source");
    assert_eq!(serial, template("serial"));
}
