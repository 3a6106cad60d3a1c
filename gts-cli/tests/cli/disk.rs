//! Stores that stay on disk, and stores in several directories.

use crate::sandbox::Sandbox;
use serde_json::json;

/// Creates a sandbox with a store of about thirty pages in two directories.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for disk in ["one", "two"] {
        std::fs::create_dir(sandbox.path(disk)).expect("a folder");
    }
    let generate = ["generate", "rmat:13", "g.gts", "--page-size", "16KiB", "--in-edges"];
    sandbox.text(&[&generate[..], &["--stripe", "one", "--stripe", "two"]].concat());
    sandbox
}

#[test]
fn answers_from_disk_are_those_of_memory() {
    let sandbox = sandbox();
    for algorithm in ["bfs", "wcc", "pagerank"] {
        let run = ["run", algorithm, "g.gts", "--device", "cpu", "--check"];
        let whole = sandbox.json(&run);
        let streamed = sandbox.json(&[&run[..], &["--host-memory", "300KiB"]].concat());
        for report in [&whole, &streamed] {
            assert_eq!(report["check"]["agrees"], json!(true), "{algorithm}: {}", report["check"]);
        }
        assert_eq!(whole["read"], json!(0));
        assert!(streamed["read"].as_u64() > Some(0), "{algorithm}");
        let host = &streamed["memory"]["host"];
        assert_eq!(host["budget"], json!(300 << 10));
        assert!(host["graph"].as_u64() <= Some(300 << 10), "{host}");
        assert!(host["graph"].as_u64() < whole["memory"]["host"]["graph"].as_u64(), "{host}");
    }
    let text = sandbox.both(&["run", "bfs", "g.gts", "--device", "cpu", "--host-memory", "300KiB"]);
    assert!(text.contains("from storage"), "{text}");
    assert!(text.contains("host memory") && text.contains(" of 300 KiB"), "{text}");
}

#[test]
fn too_little_host_memory_says_how_much_is_needed() {
    let sandbox = sandbox();
    let ended = sandbox.run(&["run", "bfs", "g.gts", "--host-memory", "10KiB"]);
    assert_ne!(ended.code, 0);
    assert!(ended.stderr.contains("10.0 KiB of host memory are too little"), "{}", ended.stderr);
    let generated = sandbox.run(&["run", "bfs", "rmat:8", "--host-memory", "1MiB"]);
    assert!(generated.stderr.contains("gts generate"), "{}", generated.stderr);
}

#[test]
fn stripes_are_told_of_and_missed() {
    let sandbox = sandbox();
    let info = sandbox.json(&["info", "g.gts"]);
    let stripes: Vec<_> =
        info["stripes"].as_array().expect("stripes").iter().filter_map(|path| path.as_str()).collect();
    assert_eq!(stripes.len(), 2);
    sandbox.text(&["verify", "g.gts"]);
    std::fs::rename(stripes[1], sandbox.path("elsewhere")).expect("moved");
    for command in [&["verify", "g.gts"][..], &["run", "bfs", "g.gts", "--host-memory", "300KiB"]] {
        let ended = sandbox.run(command);
        assert_ne!(ended.code, 0);
        assert!(
            ended.stderr.contains("stripe 1 of g.gts") && ended.stderr.contains("bring it back"),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn an_import_that_is_kept_streams_too() {
    let sandbox = Sandbox::new();
    let edges: String = (0..30_000).map(|edge| format!("{} {}\n", edge % 700, (edge * 7919) % 1500)).collect();
    sandbox.write("g.txt", edges);
    let run = ["run", "pagerank", "g.txt", "--device", "cpu", "--check", "--page-size", "4KiB"];
    for _ in 0..2 {
        let report = sandbox.json(&[&run[..], &["--host-memory", "60KiB"]].concat());
        assert_eq!(report["check"]["agrees"], json!(true));
        assert!(report["read"].as_u64() > Some(0));
    }
}
