//! Graphs in several files, and from pipes.

use crate::sandbox::{Ended, Sandbox};
use std::io::Write;
use std::process::{Command, Stdio};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("shards")).expect("a folder");
    for (name, text) in [("part-0.csv", "source,target\nann,bob\n"), ("part-1.csv", "source,target\nbob,cy\ndan,eve\n")]
    {
        sandbox.write(name, text);
        sandbox.write(&format!("shards/{name}"), text);
    }
    sandbox.write("shards/_SUCCESS", "");
    sandbox.write("shards/.part-0.csv.crc", "crc");
    sandbox
}

/// Runs a command with a text as its standard input.
fn fed(sandbox: &Sandbox, arguments: &[&str], text: &[u8]) -> Ended {
    sandbox.write("input", text);
    let mut shell = Command::new("sh");
    // A pipe, rather than a file as standard input.
    shell.args(["-c", "cat input | \"$0\" \"$@\"", crate::PROGRAM]).args(arguments);
    Ended::of(shell.current_dir(sandbox.path("")).env("GTS_CACHE_DIR", sandbox.path("cache")))
}

#[test]
fn files_folders_patterns_and_pipes_give_one_answer() {
    let sandbox = sandbox();
    let expected = sandbox.text(&["run", "wcc", "part-0.csv", "part-1.csv"]);
    assert_eq!(expected.lines().count(), 6, "{expected}");
    for graph in [&["part-1.csv", "part-0.csv"][..], &["part-*"], &["shards"], &["shards/part-[01].csv"]] {
        assert_eq!(sandbox.text(&[&["run", "wcc"], graph].concat()), expected, "{graph:?}");
    }
    let whole = b"source,target\nann,bob\nbob,cy\ndan,eve\n";
    let ended = fed(&sandbox, &["run", "wcc", "-"], whole);
    assert_eq!((ended.code, &*ended.stdout), (0, &*expected), "{}", ended.stderr);
    assert!(!ended.stderr.contains("kept in"), "{}", ended.stderr);
    sandbox.text(&["import", "part-0.csv", "part-1.csv", "files.gts"]);
    let ended = fed(&sandbox, &["import", "-", "pipe.gts"], whole);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let manifest = |store: &str| sandbox.read(&format!("{store}/manifest"));
    assert_eq!(manifest("files.gts"), manifest("pipe.gts"));
}

#[cfg(target_os = "linux")]
#[test]
fn the_output_of_a_command_takes_the_place_of_a_file() {
    let sandbox = sandbox();
    let expected = sandbox.text(&["run", "wcc", "part-*"]);
    let mut shell = Command::new("bash");
    shell.args(["-c", "\"$0\" run wcc <(cat part-0.csv) <(cat part-1.csv)", crate::PROGRAM]);
    let ended = Ended::of(shell.current_dir(sandbox.path("")).env("GTS_CACHE_DIR", sandbox.path("cache")));
    assert_eq!((ended.code, &*ended.stdout), (0, &*expected), "{}", ended.stderr);
}

#[test]
fn weights_of_a_pipe_are_converted_without_a_second_import() {
    let sandbox = Sandbox::new();
    let text = b"1 2 -7\n2 3 8\n";
    sandbox.write("g.txt", text);
    let expected = sandbox.run(&["run", "spanning-forest", "g.txt", "--symmetrise"]);
    let note = "the weights are i32, which the algorithm does not take: they are imported as f64";
    assert!(expected.code == 0 && expected.stderr.contains(note), "{}", expected.stderr);
    let ended = fed(&sandbox, &["run", "spanning-forest", "-", "--symmetrise"], text);
    assert!(ended.code == 0 && ended.stderr.contains(note), "{}", ended.stderr);
    assert_eq!(ended.stdout, expected.stdout);
}

#[test]
fn files_that_do_not_make_one_graph_are_refused() {
    let sandbox = sandbox();
    sandbox.write("other.csv", "from,to,weight\n1,2,3\n");
    let error = sandbox.fails_with(65, "GTS2115", &["run", "wcc", "part-0.csv", "other.csv"]);
    let text = "other.csv: the columns `from,to,weight`, but part-0.csv has the columns `source,target`";
    assert!(error.contains(text), "{error}");
    let error = sandbox.fails_with(66, "GTS2116", &["run", "wcc", "*.tsv"]);
    assert!(error.contains("*.tsv: no file has a name of the pattern"), "{error}");
    let error = sandbox.fails_with(2, "GTS4002", &["run", "wcc", "part-0.csv", "rmat:4"]);
    assert!(error.contains("`rmat:4` is a generator, and only files can be read together"), "{error}");
}

#[test]
fn a_pipe_that_ends_too_early_is_refused() {
    let sandbox = Sandbox::new();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    (0..10_000).for_each(|id| writeln!(encoder, "{id} {}", id * 7919 % 10_007).expect("memory"));
    let whole = encoder.finish().expect("memory");
    let ended = fed(&sandbox, &["run", "wcc", "-"], &whole[..whole.len() / 2]);
    assert_eq!((ended.code, &ended.codes[..]), (65, &["GTS2102".to_owned()][..]), "{}", ended.stderr);
    assert!(ended.stderr.contains("standard input is not a whole gzip file: it ends too early"), "{}", ended.stderr);
    assert!(ended.stderr.contains("see why the program that writes the pipe ended"), "{}", ended.stderr);
}

#[cfg(unix)]
#[test]
fn several_processes_cannot_read_one_pipe() {
    let sandbox = Sandbox::new();
    let arguments = ["launch", "-n", "2", "run", "wcc", "-"];
    let mut command = sandbox.command(&arguments);
    let ended = Ended::of(command.stdin(Stdio::null()));
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("several processes cannot read one pipe"), "{}", ended.stderr);
}
