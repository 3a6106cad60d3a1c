//! Bad input to the real binary: an exit code, one block that names the error and the remedy, and no files left.

use crate::advice::CALLS;
use crate::sandbox::Sandbox;
use serde_json::Value;

#[test]
fn misuse_exits_with_2() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "1 2\n");
    for arguments in [
        &["run", "pagerank", "g.txt", "--damping", "1.5"][..],
        &["run", "pagerank", "g.txt", "--iterations", "-1"],
        &["run", "pagerank", "g.txt", "--precision", "f16"],
        &["run", "bfs", "g.txt", "--technique", "fast"],
        &["run", "bfs", "g.txt", "--technique", "edge3"],
        &["run", "bfs", "g.txt", "--technique", "edge16", "--chunk", "0"],
        &["run", "bfs", "g.txt", "--technique", "edge16", "--chunk", "11"],
        &["run", "bfs", "g.txt", "--technique", "balanced", "--chunk", "2"],
        &["run", "bfs", "g.txt", "--chunk", "2"],
        &["run", "bfs", "g.txt", "--technique", "edge-list", "--propagation", "pull"],
        &["run", "bfs", "g.txt", "--technique", "edge-list-pairs", "--propagation", "pull-at-edge"],
        &["run", "bfs", "g.txt", "--page-size", "3000"],
        &["run", "bfs", "g.txt", "--record-ids", "5,1"],
        &["run", "bfs", "g.txt", "--output", "levels.xls"],
        &["run", "triangles", "g.txt", "--output", "triangles.el"],
        &["run", "bfs", "g.txt", "--output", "a.json", "--trace", "./a.json"],
        &["run", "bfs", "g.txt", "--threads", "1000000"],
        &["plan", "bfs", "rmat:4", "--device", "cpu", "--devices", "2"],
        &["run", "sssp", "rmat:4,weights=u32", "--weights", "f32"],
        &["generate", "rmat:4,weights=u32", "a.gts", "--weights", "none"],
        &["run", "bfs", "g.txt", "--device", "tpu"],
        &["run", "bfs", "g.txt", "--device", "cpu+cpu"],
        &["run", "bfs", "g.txt", "--device", "cuda:0+cuda"],
        &["run", "bfs", "g.txt", "--device", "cpu+cuda", "--alpha", "1.5"],
        &["run", "bfs", "g.txt", "--device", "cpu+cuda", "--alpha", "-0.5"],
        &["run", "bfs", "g.txt", "--device", "cpu+cuda", "--alpha", "NaN"],
        &["run", "bfs", "g.txt", "--device", "cpu+cuda", "--place", "even"],
        &["run", "bfs", "g.txt", "--device", "cpu+cuda", "--strategy", "s"],
        &["run", "bfs", "g.txt", "--device", "cpu", "--alpha", "0.5"],
        &["plan", "bfs", "g.txt", "--device", "cuda", "--place", "high"],
        &["plan", "bfs", "g.txt", "--device", "cpu+cuda", "--strategy", "s"],
        &["run", "bsf", "g.txt"],
        &["run", "bfs", "rmat:many"],
        &["show", "bsf"],
        &["show", "bfs", "--variant", "small/balanced"],
        &["frobnicate"],
    ] {
        let error = sandbox.fails(2, arguments);
        assert!(error.len() > 30, "{arguments:?}: {error}");
    }
    assert_eq!(sandbox.names(), ["g.txt"], "a graph was imported before the flags were looked at");
}

#[test]
fn choices_of_virtual_warps_are_told_with_what_would_do() {
    let sandbox = Sandbox::new();
    let run = |flags: &[&str]| sandbox.fails(2, &[&["run", "pagerank", "rmat:4"], flags].concat());
    let error = run(&["--technique", "edge3"]);
    assert!(error.contains("2, 4, 8, 16, 32 or 64 lanes") && error.contains("edge64"), "{error}");
    let error = run(&["--technique", "balanced", "--chunk", "2"]);
    assert!(error.contains("`balanced` has no virtual warps") && error.contains("--technique edge32"), "{error}");
    let error = run(&["--technique", "edge-list", "--propagation", "pull"]);
    assert!(error.contains("writes to its target") && error.contains("another --technique"), "{error}");
    let error = run(&["--technique", "edge2", "--chunk", "11"]);
    assert!(error.contains("1 to 10"), "{error}");
}

#[test]
fn an_absent_graph_is_told_with_what_would_do() {
    let error = Sandbox::new().fails(66, &["run", "bfs", "absent.txt"]);
    assert!(error.contains("absent.txt") && error.contains("rmat:SCALE"), "{error}");
}

#[test]
fn a_bad_line_is_named() {
    let sandbox = Sandbox::new();
    let mut text = "1 2\n".repeat(999_999);
    text.push_str("3 x\n");
    sandbox.write("g.txt", text);
    let error = sandbox.fails(65, &["import", "g.txt", "g.gts"]);
    assert!(error.contains("g.txt:1000000:3"), "{error}");
    assert_eq!(sandbox.names(), ["g.txt"]);
}

#[test]
fn ids_beyond_64_bits_and_negative_ones_are_refused() {
    let sandbox = Sandbox::new();
    for line in ["1 -2", "1 18446744073709551616", "1 2.5", "1"] {
        sandbox.write("g.txt", format!("0 1\n{line}\n"));
        let error = sandbox.fails(65, &["run", "bfs", "g.txt"]);
        assert!(error.contains("g.txt:2"), "{line}: {error}");
    }
    assert_eq!(sandbox.names(), ["cache", "g.txt"]);
}

#[test]
fn a_truncated_archive_is_refused() {
    let sandbox = Sandbox::new();
    let whole = include_bytes!("../../../examples/data/debian-12-dependencies.tsv.gz");
    sandbox.write("g.tsv.gz", &whole[..whole.len() / 2]);
    let error = sandbox.fails(65, &["run", "bfs", "g.tsv.gz"]);
    assert!(error.contains("g.tsv.gz"), "{error}");
}

#[test]
fn an_unknown_source_is_told_with_the_ids_that_there_are() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "5 2\n2 90\n");
    let error = sandbox.fails(66, &["run", "bfs", "g.txt", "--source", "77"]);
    let next = "give one of its 3 IDs; the smallest is 2, the largest 90";
    assert_eq!(
        error.lines().skip(1).collect::<Vec<_>>().join("\n"),
        format!("error: vertex 77 is not in the graph\n  next:  {next}")
    );
    for command in ["run", "plan"] {
        let error = sandbox.fails(66, &[command, "bfs", "rmat:6", "--source", "999999", "--device", "cpu"]);
        assert!(error.ends_with("\n  next:  give one of its 64 IDs, 0 to 63\n"), "{error}");
    }
}

#[test]
fn a_pattern_that_is_none_is_refused_with_the_next_step() {
    let sandbox = Sandbox::new();
    sandbox.write("labels.tsv", "0\tred\n1\tblue\n");
    let long: String = (0..32).map(|v| format!("{v} {}\n", v + 1)).collect();
    for (pattern, what, next) in [
        ("", "it has no vertex", "write an edge a line"),
        ("0 1\n2 2\n", "vertex 2 has an edge to itself", "leave the edge out"),
        ("0 1\n2 3\n", "no path leads from vertex 0 to vertex 2", "add an edge between its parts"),
        (long.as_str(), "more than 32 vertices", "look for a part of it"),
        ("0 1 2\n", "line 1", "write an edge as two numbers"),
        (
            "0 1\nv 0 green\n",
            "its label `green`",
            "correct the pattern or the labels of the graph, which has `blue`, `red`",
        ),
    ] {
        sandbox.write("p.txt", pattern);
        let error = sandbox.fails(2, &["run", "match", "rmat:6", "--pattern", "p.txt", "--labels", "labels.tsv"]);
        assert!(error.contains(what) && error.contains(&format!("\n  next:  {next}")), "{error}");
    }
    let error = sandbox.fails(2, &["run", "match", "rmat:6", "--pattern", "p.txt"]);
    assert!(error.contains("have none") && error.contains("--labels FILE"), "{error}");
    let error = sandbox.fails(2, &["run", "match", "rmat:6", "--pattern", "none.txt"]);
    assert!(error.contains("none.txt"), "{error}");
}

#[test]
fn a_listing_beyond_its_limit_tells_how_many_matches_there_are() {
    let sandbox = Sandbox::new();
    let error = sandbox.fails(2, &["run", "match", "complete:5", "--limit", "9", "--output", "matches.csv"]);
    assert!(error.contains("there are 10 matches, and at most 9 are listed"), "{error}");
    assert!(error.contains("\n  next:  give --count to count them alone, or --limit 10, which takes 1 MiB"), "{error}");
    assert!(!sandbox.path("matches.csv").exists());
    sandbox.text(&["run", "match", "complete:5", "--count", "--output", "matches.csv"]);
    assert_eq!(sandbox.read("matches.csv"), "matches\n10\n");
}

#[test]
fn a_mistyped_word_is_told_with_what_it_may_mean() {
    for (typed, what, next) in [
        (&["run", "bsf", "g.txt", "--source", "1"][..], "algorithm `bsf`", "did you mean `bfs`? `gts list` lists all"),
        (&["run", "BFS", "g.txt"], "algorithm `BFS`", "did you mean `bfs`? `gts list` lists all"),
        (&["plan", "pagernak", "rmat:4"], "algorithm `pagernak`", "did you mean `pagerank`? `gts list` lists all"),
        (&["run", "rnu", "g.txt"], "algorithm `rnu`", "`gts list` lists all"),
        (&["show", "bsf"], "algorithm `bsf`", "did you mean `bfs`? `gts list` lists all"),
        (&["rnu", "bfs", "rmat:4"], "command `rnu`", "did you mean `gts run`? `gts --help` lists all"),
        (&["bfs", "rmat:4"], "command `bfs`", "`gts run bfs` runs the algorithm"),
    ] {
        let error = Sandbox::new().fails(2, typed);
        assert!(error.starts_with(&format!("error: there is no {what}\n  next:  {next}")), "{typed:?}: {error}");
    }
}

#[test]
fn a_message_is_whole_whatever_a_file_is_called() {
    let sandbox = Sandbox::new();
    let error = sandbox.fails(66, &["run", "bfs", "a; b.csv"]);
    assert!(error.starts_with("error: there is no file or store `a; b.csv`\n  next:  "), "{error}");
    sandbox.write("a; b.csv", "1,x\n1,y\n");
    let error = sandbox.fails(65, &["import", "a; b.csv", "g.gts"]);
    assert!(error.starts_with("error: a; b.csv:") && error.contains("\n  next:  "), "{error}");
    sandbox.write("c; d.npy", "precious");
    let error = sandbox.fails(73, &["run", "bfs", "rmat:4", "--output", "c; d.npy"]);
    assert_eq!(error, "error: c; d.npy exists already\n  next:  give another name, or add --force to replace it\n");
}

#[test]
fn a_graph_of_too_many_vertices_is_told_with_the_limit() {
    for command in [
        &["info", "rmat:33"][..],
        &["run", "bfs", "rmat:33"],
        &["generate", "rmat:33", "g.gts"],
        &["plan", "pagerank", "rmat:33", "--device", "cpu"],
        &["plan", "bfs", "star:5000000000", "--device", "cuda"],
    ] {
        let error = Sandbox::new().fails(2, command);
        assert!(error.contains("a graph has at most 4,294,967,295 vertices"), "{error}");
    }
}

/// Calls are advice for the author of a program, and meaningless to the user of a command.
#[test]
fn advice_names_flags_and_commands_but_no_call() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "1 2\n2 3\n");
    sandbox.write("part.v", "1\n");
    sandbox.write("odd.bin", [0u8, 200, 3, 0]);
    sandbox.text(&["generate", "rmat:8", "g.gts", "--page-size", "4KiB"]);
    for (code, arguments) in [
        (1, &["run", "bfs", "chain:100", "--source", "0", "--max-steps", "5"][..]),
        (75, &["run", "bfs", "chain:100000", "--source", "0", "--time-limit", "1ms"]),
        (1, &["run", "wcc", "g.gts"]),
        (1, &["run", "triangles", "g.gts"]),
        (1, &["run", "bfs", "g.gts", "--propagation", "pull"]),
        (1, &["run", "pagerank", "g.gts", "--propagation", "pull", "--device", "cpu"]),
        (71, &["run", "bfs", "g.gts", "--host-memory", "1KiB"]),
        (66, &["run", "bfs", "g.gts", "--source", "100000"]),
        (2, &["run", "bfs", "g.gts", "--parents", "--level-type", "u16"]),
        (2, &["run", "bfs", "rmat:4", "--host-memory", "1MiB"]),
        (2, &["run", "bfs", "rmat:4", "--device", "cpu", "--devices", "3"]),
        (71, &["run", "bfs", "rmat:14", "--memory", "1MiB"]),
        (71, &["generate", "rmat:18", "h.gts", "--memory", "20MiB"]),
        (73, &["generate", "rmat:4", "g.gts"]),
        (2, &["generate", "rmat:8", "h.gts", "--page-size", "256"]),
        (2, &["generate", "rmat:16", "h.gts", "--page-size", "4KiB", "--record-ids", "1,1"]),
        (73, &["generate", "complete:3", "."]),
        (66, &["import", "part.v", "h.gts"]),
        (65, &["import", "odd.bin", "h.gts"]),
        (65, &["import", "g.txt", "h.gts", "--weights", "u32"]),
        (66, &["info", "absent"]),
        (66, &["verify", "g.txt"]),
        (2, &["plan", "bfs", "rmat:20", "--device", "cpu", "--devices", "2"]),
        (71, &["plan", "bfs", "rmat:30", "--device", "cpu", "--host-memory", "1MiB"]),
        (1, &["plan", "wcc", "g.gts", "--device", "cpu"]),
        (2, &["run", "bfs", "rmat"]),
        (2, &["run", "bfs", "rmat:4,colour=red"]),
        (2, &["run", "bfs", "rmat:4,seed=1,seed=2"]),
    ] {
        let ended = sandbox.run(arguments);
        let error = ended.stderr;
        assert_eq!(ended.code, code, "{arguments:?}: {error}");
        let (_, block) = error.split_once("error: ").unwrap_or_else(|| panic!("{arguments:?}: {error}"));
        assert!(block.contains("\n  next:  ") || block.contains("expected"), "{arguments:?}: {error}");
        for call in CALLS {
            assert!(!block.contains(call), "{arguments:?} names {call}: {error}");
        }
    }
}

#[test]
fn negative_weights_are_refused_by_edge() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "1 2 0.5\n2 3 -1.5\n");
    let error = sandbox.fails(2, &["run", "sssp", "g.txt", "--source", "1"]);
    assert!(error.contains("edge 2 -> 3 has weight -1.5"), "{error}");
    sandbox.write("h.txt", "1 2\n");
    let error = sandbox.fails(1, &["run", "sssp", "h.txt", "--source", "1"]);
    assert!(error.contains("weights"), "{error}");
}

#[test]
fn a_distance_beyond_its_type_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "1 2 4294967290\n2 3 10\n");
    let error = sandbox.fails(2, &["run", "sssp", "g.txt", "--source", "1"]);
    assert!(error.contains("vertex 3"), "{error}");
    assert!(error.contains("--weights f64"), "{error}");
}

#[test]
fn a_store_without_in_edges_says_how_to_get_them() {
    let sandbox = Sandbox::new();
    sandbox.text(&["generate", "rmat:5", "g.gts"]);
    let error = sandbox.fails(1, &["run", "wcc", "g.gts"]);
    assert!(error.contains("in-edges") && error.contains("next:"), "{error}");
    let error = sandbox.fails(2, &["run", "wcc", "g.gts", "--in-edges"]);
    assert!(error.contains("--in-edges cannot change the store"), "{error}");
}

#[test]
fn a_store_is_never_replaced_unasked() {
    let sandbox = Sandbox::new();
    sandbox.text(&["generate", "chain:5", "g.gts"]);
    let error = sandbox.fails(73, &["generate", "chain:9", "g.gts"]);
    assert!(error.contains("g.gts exists already"), "{error}");
    sandbox.write("bad.txt", "1 x\n");
    sandbox.fails(65, &["import", "bad.txt", "g.gts", "--force"]);
    assert_eq!(sandbox.json(&["info", "g.gts"])["vertices"], 5, "a failed import lost the old store");
    sandbox.text(&["generate", "chain:9", "g.gts", "--force"]);
    assert_eq!(sandbox.json(&["info", "g.gts"])["vertices"], 9);
    assert_eq!(sandbox.names(), ["bad.txt", "g.gts"]);
}

#[test]
fn a_store_with_foreign_files_is_not_replaced() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "1 2\n");
    sandbox.text(&["generate", "chain:5", "g.gts"]);
    sandbox.write("g.gts/notes.txt", "ten years");
    for command in [["import", "g.txt", "g.gts", "--force"], ["generate", "chain:9", "g.gts", "--force"]] {
        let error = sandbox.fails(73, &command);
        assert!(error.contains("notes.txt") && error.contains("next:  move them elsewhere"), "{error}");
    }
    assert_eq!(sandbox.read("g.gts/notes.txt"), "ten years");
    assert_eq!(sandbox.json(&["info", "g.gts"])["vertices"], 5);
}

#[test]
fn a_flipped_bit_in_any_file_of_a_store_is_found() {
    let sandbox = Sandbox::new();
    sandbox.text(&["generate", "rmat:6", "g.gts", "--page-size", "4KiB", "--in-edges"]);
    for entry in std::fs::read_dir(sandbox.path("g.gts")).unwrap() {
        let path = entry.unwrap().path();
        let whole = std::fs::read(&path).unwrap();
        let mut damaged = whole.clone();
        damaged[whole.len() / 2] ^= 4;
        std::fs::write(&path, damaged).unwrap();
        let error = sandbox.fails(65, &["verify", "g.gts"]);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(error.contains(&name), "{name}: {error}");
        std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        sandbox.fails(65, &["verify", "g.gts"]);
        std::fs::write(&path, whole).unwrap();
    }
    sandbox.text(&["verify", "g.gts"]);
}

#[test]
fn limits_end_a_run() {
    let sandbox = Sandbox::new();
    let error = sandbox.fails(1, &["run", "bfs", "chain:100", "--source", "0", "--max-steps", "5"]);
    assert!(error.contains("5 steps"), "{error}");
    let error = sandbox.fails(75, &["run", "bfs", "chain:100000", "--source", "0", "--time-limit", "1ms"]);
    assert!(error.contains("time limit"), "{error}");
}

#[test]
fn files_that_cannot_be_written_are_refused_before_the_graph_is_read() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "1 2\n");
    for flag in ["--output", "--trace", "--timeline"] {
        let error = sandbox.fails_with(73, "GTS4009", &["run", "bfs", "g.txt", flag, "missing/a.json"]);
        assert!(error.contains("error: missing/a.json") && error.contains("next:"), "{error}");
    }
    assert_eq!(sandbox.names(), ["g.txt"], "a graph was imported before the files were looked at");
}

#[test]
fn labels_that_are_none_are_refused_by_line() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "1 2\n");
    for (lines, what) in [
        (
            &b"1\tone\ntwo\n"[..],
            "names.txt:2:1: expected a vertex ID, an integer of 0 to 18446744073709551615, found `two`",
        ),
        (b"1\tone\n\n2\tcaf\xe9\n", "names.txt:3:3: "),
        (b"1\tone\n2\n", "names.txt:2:2: "),
        (b"1\tone\n2\ttwo\n1\tuno\n", "names.txt: vertex 1 has two names, `one` and `uno`"),
        (b"1\tone\n2 \x1b[2J\n", "names.txt:2:1: "),
    ] {
        sandbox.write("names.txt", lines);
        let error = sandbox.fails(65, &["run", "bfs", "g.txt", "--labels", "names.txt"]);
        assert!(error.starts_with(&format!("error: {what}")) && error.contains("\n  next:  "), "{error}");
    }
}

#[test]
fn a_missing_gpu_is_told_with_what_is_missing() {
    let sandbox = Sandbox::new();
    let devices = sandbox.json(&["devices"]);
    if devices["problems"].as_array().is_some_and(Vec::is_empty) {
        println!("skipped: this machine has a GPU that works");
        return;
    }
    let error = sandbox.fails(69, &["run", "bfs", "chain:5", "--device", "cuda"]);
    assert!(error.contains("cannot be used") && error.contains("next:"), "{error}");
}

#[test]
fn a_run_that_fails_leaves_its_trace_and_says_where() {
    let sandbox = Sandbox::new();
    let run = ["run", "bfs", "chain:1000", "--device", "cpu", "--max-steps", "5", "--trace", "run.json"];
    let error = sandbox.fails(1, &run);
    assert!(error.contains("trace until then: ") && error.contains("in run.json"), "{error}");
    let trace: serde_json::Value = serde_json::from_str(&sandbox.read("run.json")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    assert!(events.iter().filter(|event| event["ph"] == "X").count() >= 5, "{trace}");
}

#[test]
fn a_store_that_was_put_aside_is_named_and_put_back() {
    let sandbox = Sandbox::new();
    sandbox.text(&["generate", "chain:5", ".g.gts.gts-old-17-0"]);
    for command in [&["info", "g.gts"][..], &["verify", "g.gts"]] {
        let error = sandbox.fails(66, command);
        assert!(error.contains(".g.gts.gts-old-17-0") && error.contains("next:  rename it back"), "{error}");
    }
    let text = sandbox.text(&["clean", "."]);
    assert!(text.contains("g.gts: put back"), "{text}");
    assert_eq!(sandbox.json(&["info", "g.gts"])["vertices"], 5);
}

#[test]
fn cleaning_tells_of_a_folder_that_is_not_there() {
    let ended = Sandbox::new().run(&["clean", "absent"]);
    assert_eq!((ended.code, &*ended.codes), (1, &["GTS4005".to_owned()][..]), "{ended:?}");
    assert!(ended.stdout.contains("cannot list absent") && ended.stderr.contains("1 failed"), "{ended:?}");
}

#[test]
fn a_budget_that_does_not_suffice_is_told_with_what_does() {
    let sandbox = Sandbox::new();
    let error = sandbox.fails(71, &["generate", "rmat:18", "g.gts", "--memory", "20MiB"]);
    assert!(error.contains("20.0 MiB are what --memory allows") && error.contains("give --memory 5"), "{error}");
    assert_eq!(sandbox.names(), [""; 0]);
}

#[test]
fn an_advised_budget_suffices_at_once() {
    let sandbox = Sandbox::new();
    let mut text = String::new();
    let vertex = |number: u64| 3 * (number % 300_000);
    (0..600_000u64).for_each(|edge| text.push_str(&format!("{} {}\n", vertex(edge), vertex(edge * 7919))));
    sandbox.write("g.txt", text);
    for memory in ["33MiB", "50MiB"] {
        let import = |memory: &str| sandbox.run(&["import", "g.txt", "g.gts", "--force", "--memory", memory]);
        let refused = import(memory);
        assert_eq!(refused.code, 71, "{refused:?}");
        let advised = refused.stderr.split("give --memory ").nth(1).and_then(|rest| rest.split(' ').next());
        let done = import(advised.expect("an amount"));
        assert_eq!(done.code, 0, "{memory}, {advised:?}: {done:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_graph_beyond_the_memory_is_refused_where_no_budget_is_given() {
    let sandbox = Sandbox::new();
    sandbox.write("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n4000000000 4000000000 1\n1 2\n");
    for (arguments, advice) in [
        ("run bfs g.mtx --source 1", "gts import g.mtx STORE"),
        ("info g.mtx", "gts import g.mtx STORE"),
        ("info chain:4000000000", "gts generate chain:4000000000 STORE"),
    ] {
        let line = format!("ulimit -v 6000000; exec \"{}\" {arguments}", crate::PROGRAM);
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &line]).current_dir(sandbox.path(".")).env("GTS_CACHE_DIR", sandbox.path("cache"));
        let ended = command.env("RAYON_NUM_THREADS", "2").output().expect("a shell runs");
        let error = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(71), "{arguments}: {error}");
        assert!(error.contains("half of the free memory") && error.contains(advice), "{arguments}: {error}");
    }
}

/// Commands that fail: the exit code, the error code, and the arguments of each.
const CODES: [(i32, &str, &[&str]); 26] = [
    (1, "GTS1006", &["run", "bfs", "chain:100", "--source", "0", "--max-steps", "5"]),
    (75, "GTS1007", &["run", "bfs", "chain:100000", "--source", "0", "--time-limit", "1ms"]),
    (1, "GTS1011", &["run", "wcc", "g.gts"]),
    (2, "GTS1012", &["run", "pagerank", "g.gts", "--damping", "1.5"]),
    (66, "GTS1013", &["run", "bfs", "chain:5", "--source", "77"]),
    (1, "GTS1018", &["plan", "afforest", "s.gts", "--device", "cuda", "--strategy", "s"]),
    (66, "GTS2002", &["verify", "."]),
    (73, "GTS2007", &["generate", "rmat:4", "g.txt", "--force"]),
    (2, "GTS2017", &["generate", "rmat:8", "h.gts", "--page-size", "256"]),
    (66, "GTS2112", &["import", "part.v", "h.gts"]),
    (65, "GTS2103", &["import", "bad.txt", "h.gts"]),
    (65, "GTS2104", &["import", "g.txt", "h.gts", "--weights", "u32"]),
    (65, "GTS2107", &["import", "wide.txt", "h.gts"]),
    (65, "GTS2109", &["import", "odd.dat", "h.gts"]),
    (2, "GTS2209", &["generate", "rmat:16", "h.gts", "--page-size", "4KiB", "--record-ids", "1,1"]),
    (71, "GTS2216", &["generate", "rmat:16", "h.gts", "--memory", "30MiB", "--order", "layers:0"]),
    (2, "GTS2301", &["generate", "nothing:5", "h.gts"]),
    (2, "GTS2302", &["run", "bfs", "rmat"]),
    (2, "GTS2303", &["run", "bfs", "rmat:many"]),
    (2, "GTS2304", &["run", "bfs", "rmat:4,colour=red"]),
    (2, "GTS2305", &["info", "rmat:33"]),
    (2, "GTS4001", &["run", "bfs", "chain:5", "--no-such-flag"]),
    (2, "GTS4002", &["run", "bsf", "chain:5"]),
    (73, "GTS4004", &["run", "bfs", "rmat:4", "--output", "levels.csv"]),
    (66, "GTS2112", &["run", "bfs", "absent.txt"]),
    (71, "GTS2213", &["run", "bfs", "rmat:8", "--memory", "1KiB"]),
];

#[test]
fn an_error_names_its_code_and_what_explains_it() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "1 2\n2 3\n");
    sandbox.write("bad.txt", "1 2\n3 x\n");
    sandbox.write("part.v", "1\n");
    sandbox.write("odd.dat", "hello\nworld\n");
    sandbox.write("wide.txt", b"\xff\xfe1\0 \x002\0\n\0");
    sandbox.write("levels.csv", "precious");
    sandbox.text(&["generate", "rmat:8", "g.gts", "--page-size", "4KiB"]);
    sandbox.text(&["generate", "rmat:8", "s.gts", "--symmetrise"]);
    for (status, code, arguments) in CODES {
        let output = sandbox.command(arguments).output().expect("the binary runs");
        let stderr = String::from_utf8(output.stderr).expect("text");
        assert!(stderr.contains(&format!("error[{code}]: ")), "{arguments:?}: {stderr}");
        assert!(stderr.ends_with(&format!("\n  more:  gts explain {code}\n")), "{arguments:?}: {stderr}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(status), 0), "{arguments:?}: {stderr}");
        let ended = sandbox.run(&[arguments, &["--json"]].concat());
        let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
        let error = json["error"].as_object().expect("an error");
        assert!(ended.code == status && error["code"] == code && json.as_object().unwrap().len() == 1, "{json}");
        assert!(error["message"].is_string() && error.contains_key("next"), "{json}");
        let explained = sandbox.json(&["explain", code]);
        assert!(explained["code"] == code && explained["meaning"].is_string(), "{explained}");
        assert!(explained["exit"] == status || status == 2, "{explained}");
    }
    let error = sandbox.fails(2, &["explain", "GTS0230"]);
    assert!(
        error.contains("no code and no word is `GTS0230`\n  next:  did you mean `gts explain GTS0203`?"),
        "{error}"
    );
}

#[test]
fn programs_get_the_place_of_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write("bad.txt", "1 2\n3 x\n");
    sandbox.write("names.txt", "1\tone\nx\ttwo\n");
    let place = |arguments: &[&str]| {
        let ended = sandbox.run(&[arguments, &["--json"]].concat());
        let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
        let entry = |name: &str| json["error"][name].clone();
        (ended.code, entry("file"), entry("line"), entry("column"))
    };
    assert_eq!(place(&["info", "bad.txt"]), (65, "bad.txt".into(), 2.into(), 3.into()));
    assert_eq!(place(&["info", "absent.txt"]), (66, "absent.txt".into(), Value::Null, Value::Null));
    let labels = ["run", "bfs", "chain:5", "--labels", "names.txt"];
    assert_eq!(place(&labels), (65, "names.txt".into(), 2.into(), 1.into()));
    assert_eq!(place(&["run", "bfs", "chain:5", "--colour"]).1, Value::Null);
    let slow = ["run", "bfs", "chain:100000", "--source", "0", "--time-limit", "1ms"];
    let (code, file, line, _) = place(&slow);
    assert!(code == 75 && file.as_str().is_some_and(|file| file.ends_with("bfs.rs")) && line.is_u64(), "{file}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_output_is_a_failure() {
    let sandbox = Sandbox::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device that is always full");
    let ended = sandbox.command(&["list"]).stdout(full).output().expect("the binary runs");
    let error = String::from_utf8_lossy(&ended.stderr);
    assert!(
        ended.status.code() == Some(73) && error.starts_with("error[GTS4008]: cannot print the result: "),
        "{error}"
    );
}
