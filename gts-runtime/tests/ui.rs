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

/// Returns the kernels and calls that a message suggests, without indentation.
fn offered(message: &str) -> Vec<String> {
    let form = message.split("let the pass settle, then look in a `vertex` kernel:").nth(1);
    let code = form.and_then(|form| form.split("or say that any order will do").next()).unwrap_or_default();
    unindented(code).split("\n\n").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

fn unindented(code: &str) -> String {
    code.lines().map(|line| line.trim().to_owned() + "\n").collect()
}

#[test]
fn settled_forms_of_messages_are_the_text_of_a_program_that_runs() {
    let root = env!("CARGO_MANIFEST_DIR");
    let read = |path: &str| fs::read_to_string(format!("{root}/tests/{path}")).expect("the file can be read");
    let (messages, program) = (read("ui/access/counts_down.stderr"), unindented(&read("ui_pass/settled_forms.rs")));
    let mut forms = 0;
    for message in messages.split("\nerror: ") {
        let parts = offered(message);
        forms += usize::from(!parts.is_empty());
        for part in parts {
            assert!(program.contains(&part), "the program that runs does not contain\n{part}");
        }
    }
    assert_eq!(forms, 4, "each kernel but the last has a settled form");
}
