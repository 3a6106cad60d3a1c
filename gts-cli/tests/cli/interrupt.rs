//! Ctrl-C: a code of its own, and nothing half-written left.

use crate::sandbox::Sandbox;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Sends the interrupt after a while; answers the exit code, and how long the command took to end.
fn interrupted(sandbox: &Sandbox, arguments: &[&str], after: Duration) -> (Option<i32>, Duration) {
    let mut command = sandbox.command(arguments);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary runs");
    std::thread::sleep(after);
    let sent = Instant::now();
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    let status = child.wait().expect("the command ends");
    (status.code(), sent.elapsed())
}

#[test]
fn a_build_leaves_nothing() {
    let sandbox = Sandbox::new();
    let (code, took) = interrupted(&sandbox, &["generate", "rmat:24", "big.gts"], Duration::from_millis(300));
    assert_eq!(code, Some(130));
    assert!(took < Duration::from_secs(20), "{took:?}");
    assert!(sandbox.names().is_empty(), "{:?}", sandbox.names());
}

#[test]
fn a_run_ends_after_its_pass() {
    let sandbox = Sandbox::new();
    let arguments = ["run", "pagerank", "rmat:12", "--iterations", "1000000000", "--output", "ranks.csv"];
    let (code, took) = interrupted(&sandbox, &arguments, Duration::from_millis(800));
    assert_eq!(code, Some(130));
    assert!(took < Duration::from_secs(20), "{took:?}");
    assert!(sandbox.names().is_empty(), "{:?}", sandbox.names());
}
