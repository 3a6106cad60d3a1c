//! Reasons are drawn among the vertices one level before, and depend only on the seed.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

/// Runs the algorithm. Returns the columns of its output file.
fn reasons(folder: &Path, graph: &str, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reasons"));
    command.args(["run", "reasons", graph, "--device", "cpu", "--force", "--output", "reasons.json"]).args(arguments);
    let output = command.current_dir(folder).env("GTS_CACHE_DIR", folder.join("cache")).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&std::fs::read(folder.join("reasons.json")).expect("an answer")).expect("JSON")
}

#[test]
fn every_vertex_before_is_drawn_by_some_seed() {
    let folder = tempfile::tempdir().expect("a folder");
    let edges = "10 20\n10 30\n10 40\n20 50\n30 50\n40 50\n50 60\n70 60\n";
    std::fs::write(folder.path().join("fan.txt"), edges).expect("a file");
    let mut drawn = Vec::new();
    for seed in ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"] {
        let answer = reasons(folder.path(), "fan.txt", &["--source", "10", "--seed", seed]);
        assert_eq!(answer["vertex"], json!([10, 20, 30, 40, 50, 60, 70]));
        assert_eq!(answer["level"], json!([0, 1, 1, 1, 2, 3, null]));
        let of: Vec<_> = answer["reason"].as_array().expect("a column").to_vec();
        assert_eq!(
            [&of[..4], &of[5..]].concat(),
            [json!(null), json!(10), json!(10), json!(10), json!(50), json!(null)]
        );
        drawn.push(of[4].as_u64().expect("a reason"));
        for threads in ["1", "3"] {
            let flags = ["--source", "10", "--seed", seed, "--threads", threads];
            assert_eq!(reasons(folder.path(), "fan.txt", &flags), answer, "{threads} threads");
        }
    }
    drawn.sort_unstable();
    drawn.dedup();
    assert_eq!(drawn, [20, 30, 40]);
}

#[test]
fn reasons_of_packages_are_dependencies_one_level_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let graph = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/debian-12-dependencies.tsv.gz");
    let answer = reasons(folder.path(), graph, &["--source", "gnome"]);
    let column = |name: &str| answer[name].as_array().expect("a column");
    let names = |name: &str| column(name).iter().map(Value::as_str).collect::<Vec<_>>();
    let levels: Vec<_> = column("level").iter().map(Value::as_u64).collect();
    let (vertices, found) = (names("vertex"), names("reason"));
    let level_of: HashMap<_, _> = vertices.iter().zip(&levels).collect();
    assert!(levels.iter().flatten().count() > 1000, "`gnome` needs many packages");
    for (level, reason) in levels.iter().zip(&found) {
        match level {
            None | Some(0) => assert_eq!(*reason, None),
            Some(level) => assert_eq!(*level_of[reason], Some(level - 1)),
        }
    }
}
