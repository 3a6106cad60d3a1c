//! Names of files that are not UTF-8, and paths that are not files.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Returns a name with a byte that is not UTF-8.
fn odd(ending: &str) -> OsString {
    OsString::from_vec([b"caf\xe9", ending.as_bytes()].concat())
}

/// Returns the name in the form for programs.
fn odd_json(ending: &str) -> Value {
    let name = odd(ending);
    json!({ "path": format!("caf\u{fffd}{ending}"), "path_bytes": name.as_bytes() })
}

/// Runs a command that succeeds. Returns its output for programs.
fn run(sandbox: &Sandbox, arguments: &[&OsStr]) -> Value {
    let output = sandbox.command(&[]).args(arguments).arg("--json").output().expect("the binary runs");
    let (stdout, stderr) = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text")).into();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {stdout}"))
}

/// Returns the words of a command, with each `@` and its ending replaced by the odd name.
fn words(text: &str) -> Vec<OsString> {
    text.split(' ').map(|word| word.strip_prefix('@').map_or_else(|| word.into(), odd)).collect()
}

#[test]
fn names_that_are_not_text_are_worked_with_and_told_by_their_bytes() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("").join(odd(".txt")), "0 1\n1 2\n2 0\n").expect("a file");
    std::fs::write(sandbox.path("").join(odd(".p")), "0 1\n").expect("a file");
    std::fs::create_dir(sandbox.path("").join(odd(".d"))).expect("a folder");
    let run = |text: &str| {
        let words = words(text);
        run(&sandbox, &words.iter().map(OsString::as_os_str).collect::<Vec<_>>())
    };
    assert_eq!(run("import @.txt @.gts")["store"], odd_json(".gts"));
    assert_eq!(run("generate rmat:4 @.gen")["store"], odd_json(".gen"));
    assert_eq!(run("verify @.gen")["store"], odd_json(".gen"));
    for graph in [".txt", ".gts"] {
        assert_eq!(run(&format!("info @{graph}"))["edges"], json!(3));
        assert_eq!(run(&format!("plan bfs @{graph} --device cpu"))["graph"]["argument"], odd_json(graph));
        let files = "--output @.csv --trace @.json --timeline @.svg --force";
        let told = run(&format!("run bfs @{graph} --source 0 --device cpu {files}"));
        assert_eq!(told["graph"]["argument"], odd_json(graph));
        assert_eq!(told["output"], odd_json(".csv"));
        assert_eq!(told["trace"]["files"], json!([odd_json(".json"), odd_json(".svg")]));
    }
    assert_eq!(run("run match @.txt --device cpu --pattern @.p")["parameters"]["pattern"], odd_json(".p"));
    // A file that a killed command has left in such a folder.
    std::fs::write(sandbox.path("").join(odd(".d")).join(".gts-output-AbC123"), "half").expect("a file");
    let removed = run("clean @.d")["removed"].clone();
    assert_eq!(removed[0]["path"], json!("caf\u{fffd}.d/.gts-output-AbC123"), "{removed}");
    assert!(removed[0]["path_bytes"].is_array(), "{removed}");
}

#[test]
fn a_file_that_is_none_is_refused_and_not_waited_for() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "0 1\n1 2\n2 0\n");
    for folder in ["", "cache"] {
        std::fs::create_dir_all(sandbox.path(folder)).expect("a folder");
    }
    let pipe = |name: &str| {
        let made = std::process::Command::new("mkfifo").arg(sandbox.path(name)).status().expect("mkfifo runs");
        assert!(made.success());
    };
    pipe("pipe");
    for (code, flag) in [(2, "--pattern"), (74, "--labels")] {
        for file in ["pipe", "/dev/zero"] {
            let error = sandbox.fails(code, &["run", "match", "g.txt", "--device", "cpu", flag, file]);
            assert!(error.contains(&format!("{file}: not a regular file")), "{error}");
        }
        let error = sandbox.fails(code, &["run", "match", "g.txt", "--device", "cpu", flag, "cache"]);
        assert!(error.contains("cache: a directory"), "{error}");
    }
    sandbox.fails_with(74, "GTS4003", &["run", "match", "rmat:4", "--device", "cpu", "--labels", "pipe"]);
    pipe("cache/constants.json");
    for command in [&["devices"][..], &["plan", "bfs", "rmat:4", "--device", "cpu"]] {
        let error = sandbox.fails_with(65, "GTS3009", command);
        assert!(error.contains("constants.json: not a regular file"), "{error}");
    }
}

#[test]
fn a_line_without_an_end_is_refused_at_the_limit() {
    use std::io::Write;
    let sandbox = Sandbox::new();
    let line = vec![b'1'; (1 << 20) + 1];
    sandbox.write("long.txt", &line);
    let file = std::fs::File::create(sandbox.path("long.gz")).expect("a file");
    let mut zipped = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    for _ in 0..64 {
        zipped.write_all(&line).expect("a file");
    }
    zipped.finish().expect("a file");
    for (code, flag, file, place) in [
        (2, "--pattern", "long.txt", "long.txt: line 1: "),
        (65, "--labels", "long.txt", "long.txt:1: "),
        (65, "--labels", "long.gz", "long.gz:1: "),
    ] {
        let error = sandbox.fails(code, &["run", "match", "rmat:4", "--device", "cpu", flag, file]);
        let what = if flag == "--labels" { "a line of more than 1.00 MiB" } else { "the line is longer than 1 MiB" };
        assert!(error.contains(&format!("{place}{what}")), "{error}");
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_pattern_or_of_labels() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "0 1\n1 2\n2 0\n");
    sandbox.write("p.txt", "\u{feff}0 1\r\n1 2\r\n");
    sandbox.write("names.txt", "\u{feff}0\tzero\n");
    let run = ["run", "match", "g.txt", "--device", "cpu", "--pattern", "p.txt", "--labels", "names.txt", "--count"];
    assert_eq!(sandbox.json(&run)["answer"]["matches"], json!(3));
}
