//! Programs that must not compile, each with the message that its author sees, and programs that must.

#[test]
fn wrong_kernels_are_refused_and_right_ones_compile() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*/*.rs");
    cases.pass("tests/ui_pass/*.rs");
}
