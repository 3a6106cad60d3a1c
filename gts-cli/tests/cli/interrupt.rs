//! Ctrl-C and other signals: an exit code of their own, and no incomplete files left.
//!
//! Unsafe code sets a child's action at a signal: under `nohup` it would ignore the signal of a closing terminal.
#![allow(unsafe_code)]

use crate::sandbox::Sandbox;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn send(signal: &str, child: &Child) {
    Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().expect("kill runs");
}

/// Sends the interrupt after a delay. Returns the exit code, and the time in which the command ended.
fn interrupted(sandbox: &Sandbox, arguments: &[&str], after: Duration) -> (Option<i32>, Duration) {
    let mut command = sandbox.command(arguments);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary runs");
    std::thread::sleep(after);
    let sent = Instant::now();
    send("INT", &child);
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

/// Waits for up to a minute until a build has begun to write.
fn wait_for_temporary(sandbox: &Sandbox) {
    let begun = Instant::now();
    while !sandbox.names().iter().any(|name| name.contains(".gts-tmp-")) {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing is written");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Starts a command with the signals of a terminal, whatever the tests were started from.
fn as_in_a_terminal(command: &mut Command) {
    let reset = || {
        // SAFETY: `signal` may be called between fork and exec, and no handler is set, so none runs.
        unsafe { libc::signal(libc::SIGHUP, libc::SIG_DFL) };
        Ok(())
    };
    // SAFETY: the closure makes one call, which is safe between fork and exec, and does not allocate.
    unsafe { command.pre_exec(reset) };
}

#[test]
fn a_build_on_disk_leaves_nothing() {
    for signal in ["INT", "TERM", "HUP"] {
        let sandbox = Sandbox::new();
        let mut command =
            sandbox.command(&["generate", "rmat:24", "big.gts", "--order", "original", "--memory", "256MiB"]);
        as_in_a_terminal(&mut command);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary runs");
        wait_for_temporary(&sandbox);
        send(signal, &child);
        assert_eq!(child.wait().expect("the command ends").code(), Some(130), "{signal}");
        assert!(sandbox.names().is_empty(), "{signal}: {:?}", sandbox.names());
    }
}

#[test]
fn a_build_outlives_its_terminal_if_told_to() {
    let sandbox = Sandbox::new();
    let mut shell = Command::new("sh");
    let script = "trap '' HUP; exec \"$0\" generate rmat:24 big.gts --order original --memory 256MiB";
    shell.args(["-c", script, crate::PROGRAM]).current_dir(sandbox.path("."));
    let mut child = shell.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the shell runs");
    wait_for_temporary(&sandbox);
    send("HUP", &child);
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().expect("a child").is_none(), "it ended with its terminal");
    send("TERM", &child);
    assert_eq!(child.wait().expect("the command ends").code(), Some(130));
}

#[test]
fn what_a_killed_build_leaves_is_cleaned_and_what_a_running_one_writes_is_not() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["generate", "rmat:24", "big.gts", "--order", "original", "--memory", "256MiB"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary runs");
    wait_for_temporary(&sandbox);
    let cleaned = sandbox.json(&["clean"]);
    assert_eq!(
        (cleaned["removed"].as_array().map(Vec::len), cleaned["running"].as_array().map(Vec::len)),
        (Some(0), Some(1))
    );
    child.kill().expect("the build runs");
    child.wait().expect("the command ends");
    assert_eq!(sandbox.names().len(), 1, "{:?}", sandbox.names());
    let text = sandbox.text(&["clean", "."]);
    assert!(text.contains(".gts-tmp-") && text.ends_with(": removed\n"), "{text}");
    assert!(sandbox.names().is_empty(), "{:?}", sandbox.names());
    assert_eq!(sandbox.text(&["clean"]), "nothing to clean\n");
}

#[test]
fn what_a_killed_run_leaves_is_cleaned_and_the_next_one_cleans_too() {
    let sandbox = Sandbox::new();
    let run = ["run", "pagerank", "rmat:12", "--iterations", "1000000000", "--output", "ranks.csv"];
    let mut child = sandbox.command(&run).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary runs");
    std::thread::sleep(Duration::from_millis(800));
    child.kill().expect("the run runs");
    child.wait().expect("the command ends");
    sandbox.text(&["clean"]);
    assert!(sandbox.names().is_empty(), "{:?}", sandbox.names());
    // The leftover on a file system without unnamed files.
    sandbox.write(".gts-output-AbC123", "half");
    assert!(sandbox.text(&["clean"]).contains(".gts-output-AbC123: removed"));
    assert!(sandbox.names().is_empty(), "{:?}", sandbox.names());
    sandbox.write(".gts-output-AbC123", "half");
    sandbox.text(&["run", "bfs", "chain:5", "--output", "levels.csv"]);
    assert_eq!(sandbox.names(), ["levels.csv"]);
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

#[test]
fn what_a_run_did_until_then_is_traced() {
    let sandbox = Sandbox::new();
    let run = ["run", "pagerank", "rmat:10", "--device", "cpu", "--iterations", "1000000000"];
    let traces = ["--trace", "run.json", "--timeline", "run.svg"];
    let arguments = [&run[..], &traces].concat();
    let (code, _) = interrupted(&sandbox, &arguments, Duration::from_millis(800));
    assert_eq!(code, Some(130));
    assert_eq!(sandbox.names(), ["run.json", "run.svg"]);
    let trace: serde_json::Value = serde_json::from_str(&sandbox.read("run.json")).expect("JSON");
    let launches = trace["traceEvents"]
        .as_array()
        .map_or(0, |events| events.iter().filter(|event| event["ph"] == "X" && event["cat"] == "launch").count());
    assert!(launches > 0, "{launches} launches");
}
