//! Files that are none, and lines without an end.

use crate::sandbox::Sandbox;
use serde_json::json;

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
    for flag in ["--pattern", "--labels"] {
        for file in ["pipe", "/dev/zero"] {
            let error = sandbox.fails(1, &["run", "match", "g.txt", "--device", "cpu", flag, file]);
            assert!(error.contains(&format!("{file}: not a regular file")), "{error}");
        }
        let error = sandbox.fails(1, &["run", "match", "g.txt", "--device", "cpu", flag, "cache"]);
        assert!(error.contains("cache: a directory"), "{error}");
    }
    pipe("cache/constants.json");
    for command in [&["devices"][..], &["plan", "bfs", "rmat:4", "--device", "cpu"]] {
        let error = sandbox.fails(1, command);
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
    for (flag, file, place) in [
        ("--pattern", "long.txt", "long.txt: line 1: "),
        ("--labels", "long.txt", "long.txt:1: "),
        ("--labels", "long.gz", "long.gz:1: "),
    ] {
        let error = sandbox.fails(1, &["run", "match", "rmat:4", "--device", "cpu", flag, file]);
        assert!(error.contains(&format!("{place}the line is longer than 1 MiB")), "{error}");
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
