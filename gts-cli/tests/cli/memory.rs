//! Too little memory: the right answer or a specific error, never an abort.

use crate::sandbox::{Ended, Sandbox};

/// Returns whether the command ended with its result. If not, checks that it has reported the reason and the remedy.
fn succeeded(ended: &Ended, what: &str) -> bool {
    if ended.code == 0 {
        return true;
    }
    let has = |start: &str| ended.stderr.lines().any(|line| line.starts_with(start));
    assert!(ended.code == 71 && has("error: ") && has("  next:  "), "{what}: {ended:?}");
    false
}

/// Runs within decreasing memory limits. Returns the messages of failed runs.
fn within_less_and_less(sandbox: &Sandbox, arguments: &[&str], limits: impl Iterator<Item = u32>) -> Vec<String> {
    let answer = |name| [arguments, &["--device", "cpu", "--threads", "1", "--force", "--output", name]].concat();
    sandbox.text(&answer("whole.csv"));
    let (whole, mut failures) = (sandbox.read("whole.csv"), Vec::new());
    let part = "part.csv";
    // Below some limit the system cannot even load the binary.
    for limit in limits.filter(|&limit| sandbox.run_within(limit, &["--version"]).code == 0) {
        let ended = sandbox.run_within(limit, &answer(part));
        if succeeded(&ended, &format!("{arguments:?} within {limit} KiB")) {
            assert_eq!(sandbox.read(part), whole, "{arguments:?} within {limit} KiB");
            std::fs::remove_file(sandbox.path(part)).expect("the answer");
        } else {
            // The answer is written before it is summarised.
            if sandbox.path(part).exists() {
                assert_eq!(sandbox.read(part), whole, "{arguments:?} within {limit} KiB: half an answer");
                std::fs::remove_file(sandbox.path(part)).expect("the answer");
            }
            failures.push(ended.stderr);
        }
    }
    failures
}

#[test]
fn a_run_without_enough_memory_fails_with_a_message() {
    let sandbox = Sandbox::new();
    sandbox.text(&["generate", "rmat:13", "g.gts", "--in-edges"]);
    for arguments in [
        &["run", "cdlp", "g.gts"][..],
        &["run", "betweenness", "g.gts", "--source", "1"],
        &["run", "cross-edges", "g.gts", "--from", "1,2,3", "--to", "4,5,6"],
        &["run", "induced-subgraph", "g.gts", "--vertices", "1,2,3,4,5,6"],
    ] {
        let failures = within_less_and_less(&sandbox, arguments, (22_000..60_000).step_by(2_000));
        assert!(!failures.is_empty(), "{arguments:?} needs less than 22 MB");
    }
}

/// The serial version for `--check` allocates by infallible calls.
#[test]
fn an_allocation_that_cannot_fail_ends_with_a_message() {
    let sandbox = Sandbox::new();
    sandbox.text(&["generate", "rmat:14", "g.gts", "--symmetrise"]);
    let arguments = ["run", "k-core", "g.gts", "--check"];
    let failures = within_less_and_less(&sandbox, &arguments, (26_000..70_000).step_by(1_000));
    let aborted: Vec<_> = failures.iter().filter(|text| text.contains("memory allocation of")).collect();
    assert!(!aborted.is_empty(), "no abort in {failures:#?}");
    assert!(aborted.iter().all(|text| text.contains("\nerror: no memory for ")), "{aborted:#?}");
}
