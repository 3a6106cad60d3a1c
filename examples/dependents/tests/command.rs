//! The program provides the whole command line, with one more algorithm.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dependents"));
    command.args(arguments).arg("--json").current_dir(folder).env("GTS_CACHE_DIR", folder.join("cache"));
    let output = command.output().expect("the example runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("--json prints JSON")
}

#[test]
fn both_the_own_and_the_shipped_algorithms_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let listed = json(folder.path(), &["list"]);
    let names: Vec<_> =
        listed.as_array().unwrap().iter().map(|algorithm| algorithm["name"].as_str().unwrap()).collect();
    for name in ["bfs", "dependents", "pagerank", "sssp", "wcc"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
}

#[test]
fn a_chain_is_needed_from_its_start() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("chain.txt"), "10 20\n20 30\n30 40\n").unwrap();
    for order in ["original", "random", "degree"] {
        let arguments = ["run", "dependents", "chain.txt", "--device", "cpu", "--force", "--output", "share.json"];
        json(folder.path(), &[&arguments[..], &["--order", order]].concat());
        let written: Value = serde_json::from_slice(&std::fs::read(folder.path().join("share.json")).unwrap()).unwrap();
        assert_eq!(written["vertex"], serde_json::json!([10, 20, 30, 40]));
        assert_eq!(written["share"], serde_json::json!([0.25, 0.5, 0.75, 1.0]), "{order}");
    }
}
