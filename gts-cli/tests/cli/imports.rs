//! Imports that are kept for later runs: conditions, users and limits of their use.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};
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
        // Files of equal content share an import.
        sandbox.write(file, format!("0 1\n1 {}\n", file.as_bytes()[0]));
        let mut command = sandbox.command(&["run", "wcc", file, "--page-size", "1MiB"]);
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

#[test]
fn a_file_that_is_touched_or_moved_is_not_imported_again() {
    let sandbox = Sandbox::new();
    let run = |file: &str| sandbox.run(&["run", "bfs", file, "--source", "0"]).stderr;
    sandbox.write("a.txt", "0 1\n1 2\n");
    assert!(run("a.txt").contains("kept in"));
    let touch = || fs::File::options().write(true).open(sandbox.path("a.txt")).expect("the file");
    touch().set_modified(std::time::SystemTime::now()).expect("a time");
    assert!(run("a.txt").starts_with("using the import in "));
    fs::create_dir(sandbox.path("other")).expect("a folder");
    fs::rename(sandbox.path("a.txt"), sandbox.path("other/b.txt")).expect("a file");
    assert!(run("other/b.txt").starts_with("using the import in "));
    // The name may determine the format.
    fs::rename(sandbox.path("other/b.txt"), sandbox.path("b.edges")).expect("a file");
    assert!(run("b.edges").contains("kept in"));
    sandbox.write("b.edges", "0 1\n1 3\n");
    assert!(run("b.edges").contains("kept in"));
}

#[test]
fn the_cache_is_listed_limited_and_cleared() {
    let sandbox = Sandbox::new();
    let files = ["a.txt", "b.txt", "c.txt"];
    for (file, edge) in files.into_iter().zip(["0 1\n", "0 2\n", "0 3\n"]) {
        sandbox.write(file, edge);
        sandbox.text(&["run", "bfs", file]);
    }
    let listed = || sandbox.json(&["cache", "list"])["imports"].as_array().expect("a list").clone();
    assert_eq!(listed().len(), 3);
    let text = sandbox.text(&["cache", "list"]);
    assert!(text.contains("a.txt-") && text.contains("3 imports, ") && text.contains("of at most 20.0 GiB"), "{text}");
    let bytes: u64 = listed().iter().filter_map(|import| import["bytes"].as_u64()).sum();
    sandbox.text(&["cache", "limit", &(bytes - 1).to_string()]);
    assert_eq!((listed().len(), sandbox.json(&["cache", "limit"])["bytes"].as_u64()), (2, Some(bytes - 1)));
    assert!(!sandbox.text(&["cache", "list"]).contains("a.txt-"), "the least recently used one goes");
    let mut command = sandbox.command(&["cache", "limit"]);
    let by_variable = command.env("GTS_IMPORTS_LIMIT", "3GiB").output().expect("the binary runs");
    assert_eq!(String::from_utf8_lossy(&by_variable.stdout), "3.00 GiB\n");
    assert_eq!(sandbox.json(&["cache", "clear"])["removed"].as_array().map(Vec::len), Some(2));
    assert!(listed().is_empty());
    assert_eq!(sandbox.run(&["cache"]).code, 2);
}

#[test]
fn files_have_one_import_as_read_and_one_both_ways() {
    let sandbox = Sandbox::new();
    sandbox.write("w.csv", "source,target,weight\n0,1,2.5\n1,2,0.5\n2,0,1.5\n2,3,1\n");
    let run = |arguments: &[&str]| {
        let answer =
            |cache: &[&str]| sandbox.json(&[&["run"], arguments, &["w.csv", "--device", "cpu"], cache].concat());
        let (kept, read) = (answer(&[]), answer(&["--no-cache"]));
        assert_eq!(kept["answer"], read["answer"], "{arguments:?}");
    };
    let kept = || fs::read_dir(sandbox.path("cache/graphs")).map_or(0, Iterator::count);
    // Each of the first three needs more than the import of those before it.
    for (arguments, imports) in [
        (&["bfs", "--source", "0"][..], 1),
        (&["pagerank"], 1),
        (&["sssp", "--source", "0"], 1),
        (&["wcc"], 1),
        (&["mst"], 2),
        (&["triangles"], 2),
        (&["pagerank", "--weighted"], 2),
        (&["bfs", "--source", "1"], 2),
    ] {
        run(arguments);
        assert_eq!(kept(), imports, "{arguments:?}");
    }
    for entry in fs::read_dir(sandbox.path("cache/graphs")).expect("imports") {
        let name = entry.expect("one").file_name();
        let info = sandbox.json(&["info", &format!("cache/graphs/{}", name.to_str().expect("text"))]);
        assert!(info["weights"] != Value::Null, "{info}");
        assert!(info["symmetric"] == json!(true) || info["in"] != Value::Null, "{info}");
    }
    // A run that fails replaces nothing.
    sandbox.write("u.csv", "source,target\n0,1\n");
    assert!(sandbox.run(&["run", "bfs", "u.csv", "--source", "0"]).stderr.contains("kept in"));
    assert!(sandbox.run(&["run", "sssp", "u.csv", "--source", "0"]).code != 0 && kept() == 3);
}
