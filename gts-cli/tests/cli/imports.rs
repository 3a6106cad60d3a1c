//! Imports that are kept for later runs: conditions, users and limits of their use.

use crate::sandbox::Sandbox;
#[cfg(unix)]
use serde_json::Value;
use serde_json::json;
use std::fs;

#[cfg(unix)]
#[test]
fn an_import_that_another_user_could_have_written_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    sandbox.write("u.txt", "0 1\n0 2\n0 3\n");
    let run = ["--json", "run", "bfs", "u.txt", "--source", "0"];
    assert!(sandbox.run(&run).stderr.contains("kept in"));
    let graphs = sandbox.path("cache/graphs");
    let mode = |path: &std::path::Path| fs::metadata(path).expect("a folder").permissions().mode() & 0o777;
    let kept = fs::read_dir(&graphs).expect("the folder").next().expect("an import").expect("an import").path();
    assert_eq!([mode(&sandbox.path("cache")), mode(&graphs), mode(&kept)], [0o700; 3]);
    // Another user with write access plants a chain.
    sandbox.write("chain.txt", "0 1\n1 2\n2 3\n");
    sandbox.text(&["import", "chain.txt", kept.to_str().expect("text"), "--force", "--order", "original"]);
    for shared in [&graphs, &kept] {
        fs::set_permissions(shared, fs::Permissions::from_mode(0o777)).expect("permissions");
        let ended = sandbox.run(&run);
        assert!(ended.stderr.contains("may be written to by other users; run `chmod go-w"), "{ended:?}");
        let told: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        assert_eq!(told["answer"]["depth"], json!(1), "{ended:?}");
        assert_eq!(ended.stderr.lines().filter(|line| line.contains("chmod")).count(), 1, "{ended:?}");
        fs::set_permissions(shared, fs::Permissions::from_mode(0o700)).expect("permissions");
    }
}

#[test]
fn a_file_with_its_old_time_and_length_is_imported_again() {
    let sandbox = Sandbox::new();
    let depth = || sandbox.json(&["run", "bfs", "k.txt", "--source", "0"])["answer"]["depth"].clone();
    sandbox.write("k.txt", "0 1\n0 2\n0 3\n");
    let time = fs::metadata(sandbox.path("k.txt")).and_then(|found| found.modified()).expect("a time");
    assert_eq!([depth(), depth()], [json!(1), json!(1)]);
    sandbox.write("k.txt", "0 1\n1 2\n2 3\n");
    fs::File::options()
        .write(true)
        .open(sandbox.path("k.txt"))
        .and_then(|file| file.set_modified(time))
        .expect("a time");
    assert_eq!(depth(), json!(3));
}

#[test]
fn kept_imports_stay_within_their_limit() {
    let sandbox = Sandbox::new();
    let run = |file: &str, limit: &str| {
        sandbox.write(file, "0 1\n1 2\n");
        let mut command = sandbox.command(&["run", "wcc", file]);
        let ended = command.env("GTS_IMPORTS_LIMIT", limit).output().expect("the binary runs");
        assert!(ended.status.success(), "{ended:?}");
        String::from_utf8(ended.stderr).expect("text")
    };
    let kept = || fs::read_dir(sandbox.path("cache/graphs")).map_or(0, Iterator::count);
    assert!(run("a.txt", "5MiB").contains("kept in"));
    assert!(run("b.txt", "5MiB").contains("kept in"));
    assert_eq!(kept(), 2);
    assert!(run("c.txt", "5MiB").contains("kept in"));
    assert_eq!(kept(), 2, "the least recently used one goes");
    let told = run("d.txt", "1MiB");
    assert!(told.contains("not kept for the next run") && told.contains("GTS_IMPORTS_LIMIT"), "{told}");
    assert_eq!(kept(), 2, "one that is too large makes no room");
    // A store of the user's own is not removed to make room.
    fs::rename(sandbox.path("cache/graphs"), sandbox.path("graphs")).expect("a folder");
    fs::create_dir(sandbox.path("cache/graphs")).expect("a folder");
    sandbox.text(&["generate", "rmat:5", "cache/graphs/mine.gts"]);
    assert!(run("f.txt", "3MiB").contains("kept in"));
    assert!(sandbox.path("cache/graphs/mine.gts/manifest").exists());
    let told = run("e.txt", "much");
    assert!(told.contains("GTS_IMPORTS_LIMIT is \"much\""), "{told}");
}

#[test]
fn a_damaged_import_is_made_again() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", "0 1\n1 2\n");
    sandbox.text(&["info", "a.txt"]);
    let kept = fs::read_dir(sandbox.path("cache/graphs")).expect("the folder").next().expect("an import");
    let kept = kept.expect("an import").path();
    fs::write(kept.join("out.sums"), [0; 8]).expect("a file");
    let ended = sandbox.run(&["info", "a.txt"]);
    assert!(ended.code == 0 && ended.stderr.contains("does not open and is made again"), "{ended:?}");
    assert!(sandbox.run(&["info", "a.txt"]).stderr.starts_with("using the import in "));
    // A file that is not part of a store stays, and so does the import.
    fs::write(kept.join("out.sums"), [0; 8]).expect("a file");
    fs::write(kept.join("thesis"), "ten years").expect("a file");
    let ended = sandbox.run(&["info", "a.txt"]);
    assert!(ended.code == 0 && kept.join("thesis").exists(), "{ended:?}");
    assert!(ended.stderr.contains("it cannot be removed") && !ended.stderr.contains("kept in"), "{ended:?}");
}
