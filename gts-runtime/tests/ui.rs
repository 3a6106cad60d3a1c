//! Programs that must not compile, each with the message for its author. Programs that must compile are separate tests,
//! in `ui_pass`.

use std::fs;

#[test]
fn wrong_kernels_are_refused() {
    // Without programs that compile, trybuild checks all of them at once, and builds no dependency.
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}

#[test]
fn every_program_that_must_compile_is_a_test() {
    let root = env!("CARGO_MANIFEST_DIR");
    let manifest = fs::read_to_string(format!("{root}/Cargo.toml")).expect("the manifest is text");
    let mut count = 0;
    for entry in fs::read_dir(format!("{root}/tests/ui_pass")).expect("the folder can be listed") {
        let name = entry.expect("the folder can be listed").file_name();
        let path = format!("\"tests/ui_pass/{}\"", name.to_string_lossy());
        assert!(manifest.contains(&path), "Cargo.toml has no test {path}");
        count += 1;
    }
    assert!(count > 0, "there are no programs that must compile");
}
