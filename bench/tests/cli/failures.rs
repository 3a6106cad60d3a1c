//! Bad input to the real binary: an exit code, and one block that names the error and the remedy.

use crate::sandbox::Sandbox;

#[test]
fn misuse_exits_with_2() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "1 2\n");
    for arguments in [
        &["gap", "g.txt", "--device", "cpu", "--alpha", "auto"][..],
        &["paper", "--device", "cpu+cuda"],
        &["gpu"],
        &["streaming", "slowly", "10"],
        &["algorithms"],
        &["beyond"],
        &["frobnicate"],
    ] {
        let error = sandbox.fails(2, arguments);
        assert!(error.len() > 30, "{arguments:?}: {error}");
    }
    assert_eq!(sandbox.names(), ["g.txt"], "a graph was imported before the flags were looked at");
}
