//! Programs that print lines during their measurements, on tiny graphs on the CPU.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};

#[test]
fn lines_are_text_or_json() {
    let sandbox = Sandbox::new();
    let text = sandbox.text(&["cpu", "6"]);
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.starts_with("pagerank, push rmat:6: GTS "), "{text}");
    for arguments in [["cpu", "6", "--json"], ["cpu", "--json", "6"], ["--json", "cpu", "6"]] {
        let lines = sandbox.text(&arguments);
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!((lines.len(), &lines[3]["algorithm"]), (4, &json!("bfs, pull")), "{arguments:?}");
    }
}

#[test]
fn a_store_is_built_from_text() {
    let sandbox = Sandbox::new();
    let arguments = ["building", "8", "--text", "4KiB", "--order", "degree", "--folder", ".", "--json"];
    let line: Value = serde_json::from_str(&sandbox.text(&arguments)).expect("JSON");
    assert_eq!((&line["graph"], &line["order"]), (&json!("text"), &json!("degree")), "{line}");
    assert_eq!(sandbox.names(), [""; 0], "files were left behind");
}

#[test]
fn each_program_prints_its_usage() {
    let sandbox = Sandbox::new();
    let help = sandbox.text(&["--help"]);
    for name in
        ["algorithms", "beyond", "building", "cpu", "gpu", "opening", "plan", "reading", "several", "strategies"]
            .into_iter()
            .chain(["streaming", "tables", "together"])
    {
        assert!(help.contains(&format!("  {name} ")), "{name} is not in {help}");
        let usage = sandbox.text(&[name, "--help"]);
        assert!(usage.contains(&format!("Usage: gts-bench {name} ")), "{usage}");
    }
}
