//! Several processes that share a run: the same answers, one report, and all of them end if one fails.

use crate::sandbox::{Sandbox, without_codes};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A graph of a few dozen pages.
const GRAPH: [&str; 3] = ["rmat:10,edge-factor=8,weights=u32", "--page-size", "4KiB"];

/// Runs an algorithm in one process, or on `ranks` ranks, and returns its whole answer.
fn answer(sandbox: &Sandbox, ranks: usize, algorithm: &[&str]) -> Value {
    let output = format!("answer-{ranks}.json");
    let run = [&["run"], algorithm, &["--device", "cpu", "--threads", "1", "--output", &output, "--force"]].concat();
    let launch = ["launch", "-n", &ranks.to_string(), "--"].map(str::to_owned);
    let launch: Vec<&str> = launch.iter().map(String::as_str).collect();
    let arguments = if ranks == 0 { run } else { [launch, run].concat() };
    sandbox.text(&arguments);
    serde_json::from_str(&sandbox.read(&output)).expect("JSON")
}

/// Returns whether two answers are equal except for the last bits of their floats.
fn is_near(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len()
                && found.iter().zip(expected).all(|(found, expected)| is_near(found, expected))
        }
        (Value::Object(found), Value::Object(expected)) => {
            found.len() == expected.len()
                && found.iter().all(|(name, found)| expected.get(name).is_some_and(|expected| is_near(found, expected)))
        }
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
            let [a, b] = [a, b].map(|number| number.as_f64().unwrap_or(f64::NAN));
            (a - b).abs() <= 1e-5 * b.abs() + 1e-7
        }
        _ => found == expected,
    }
}

#[test]
fn several_processes_give_the_answer_of_one() {
    let sandbox = Sandbox::new();
    for algorithm in [
        &["bfs", "--source", "1"][..],
        &["sssp", "--source", "1"],
        &["wcc"],
        &["pagerank", "--precision", "f64"],
        &["pagerank", "--tolerance", "1e-4"],
        &["triangles"],
        &["k-truss"],
    ] {
        let named = [algorithm, &GRAPH].concat();
        let expected = answer(&sandbox, 0, &named);
        for ranks in 1..=3 {
            let found = answer(&sandbox, ranks, &named);
            assert!(is_near(&found, &expected), "{algorithm:?} on {ranks} ranks");
        }
    }
}

#[test]
fn the_first_rank_speaks_for_all() {
    let sandbox = Sandbox::new();
    sandbox.text(&["generate", GRAPH[0], "g.gts", GRAPH[1], GRAPH[2]]);
    let told = sandbox.json(&["launch", "-n", "3", "--", "run", "bfs", "g.gts", "--source", "1", "--check"]);
    assert_eq!(told["check"]["agrees"], true);
    assert!(told["device"].as_str().is_some_and(|device| device.ends_with("on each of 3 ranks")), "{told}");
    assert_eq!(told["kernels"][0]["devices"], 3);
    // The arguments after `--` may contain it, too.
    let ended = sandbox.run(&["launch", "-n", "2", "--", "run", "bfs", "g.gts", "--source", "1", "--json"]);
    assert!(serde_json::from_str::<Value>(&ended.stdout).is_ok(), "{ended:?}");
    assert_eq!(sandbox.names(), ["g.gts"]);
}

#[test]
fn ranks_share_the_cores() {
    let sandbox = Sandbox::new();
    let run = [&["launch", "-n", "2", "--", "run", "bfs"], &GRAPH[..], &["--device", "cpu", "--json"]].concat();
    let ended = sandbox.command(&run).env_remove("RAYON_NUM_THREADS").output().expect("the binary runs");
    let told: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let each = format!("cpu ({} thread", (cores / 2).max(1));
    assert!(told["device"].as_str().is_some_and(|device| device.starts_with(&each)), "{told}");
}

#[test]
fn what_a_rank_says_begins_with_its_number() {
    let sandbox = Sandbox::new();
    sandbox.write("answer.csv", "precious");
    let launch = ["launch", "-n", "2", "--", "run", "bfs", GRAPH[0], GRAPH[1], GRAPH[2], "--output", "answer.csv"];
    let error = sandbox.fails(73, &launch);
    assert!(error.contains("[0] error: answer.csv exists already\n[0]   next:"), "{error}");
    // Rank 1 was informed, and reports nothing.
    assert!(!error.contains("[1]"), "{error}");
    assert_eq!(sandbox.read("answer.csv"), "precious");
}

#[test]
fn what_all_ranks_say_is_said_once() {
    let sandbox = Sandbox::new();
    for separator in [&["--"][..], &[]] {
        let run = ["run", "bfs", GRAPH[0], GRAPH[1], GRAPH[2], "--device", "cpu", "--source", "77777"];
        let error = sandbox.fails(66, &[&["launch", "-n", "3"], separator, &run].concat());
        assert_eq!(error.matches("vertex 77777 is not in the graph").count(), 1, "{error}");
    }
}

#[test]
fn a_file_is_imported_once() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", (0..4000).map(|v| format!("{v} {}\n", (v * 7 + 1) % 4000)).collect::<String>());
    let launch = ["launch", "-n", "3", "--", "run", "bfs", "g.txt", "--page-size", "4KiB", "--output", "levels.csv"];
    sandbox.text(&launch);
    assert_eq!(sandbox.read("levels.csv").lines().count(), 4001);
}

#[test]
fn a_rank_reads_its_share_alone() {
    let sandbox = Sandbox::new();
    sandbox.text(&["generate", "rmat:15", "g.gts", "--page-size", "4KiB"]);
    let told = sandbox.json(&["launch", "-n", "2", "--", "run", "pagerank", "g.gts", "--iterations", "3"]);
    let ranks = told["ranks"].as_array().expect("ranks");
    let number = |rank: &Value, name: &str| rank[name].as_u64().expect("a number");
    let (mut held, mut walked) = (0, 0);
    for rank in ranks {
        let (pages, all) = (number(rank, "pages_in_memory"), number(rank, "pages"));
        assert!(100 * pages <= 52 * all, "{told}");
        assert!(number(rank, "sent_bytes") > 0 && number(rank, "exchanges") > 3, "{told}");
        held += pages;
        walked += number(rank, "edges");
    }
    assert_eq!((ranks.len(), held), (2, number(&ranks[0], "pages")));
    assert_eq!(walked, 3 * told["graph"]["edges"].as_u64().expect("a number"));
    // Triangles intersect lists of any vertices on the first rank, which then has all pages.
    sandbox.text(&["generate", "rmat:12", "s.gts", "--page-size", "4KiB", "--symmetrise"]);
    let told = sandbox.json(&["launch", "-n", "2", "--", "run", "triangles", "s.gts"]);
    let of = |rank: usize| number(&told["ranks"][rank], "pages_in_memory");
    assert_eq!(of(0), number(&told["ranks"][0], "pages"));
    assert!(of(1) < of(0), "{told}");
}

#[test]
fn a_run_says_by_what_way_values_went_between_ranks() {
    let sandbox = Sandbox::new();
    let launch = ["launch", "-n", "2", "--", "run", "bfs", "grid:40x40", "--page-size", "4KiB", "--device", "cpu"];
    let told = sandbox.json(&launch);
    assert_eq!(told["between_ranks"], json!({ "way": "host memory", "version": null, "why": null }), "{told}");
    assert_eq!(told["ranks"][0]["nccl_exchanges"], json!(0));
    let text = sandbox.both(&launch);
    assert!(text.lines().any(|line| line.starts_with("between") && line.ends_with("host memory")), "{text}");
    let error = sandbox.fails(2, &[&launch[..], &["--collectives", "nccl"]].concat());
    assert!(error.contains("CPUs of several processes would ignore --collectives"), "{error}");
    let alone = sandbox.json(&["run", "bfs", "grid:40x40", "--device", "cpu"]);
    assert!(alone.get("between_ranks").is_none(), "{alone}");
}

#[test]
fn ranks_with_other_graphs_are_refused() {
    let sandbox = Sandbox::new();
    let start = |rank: usize, run: &[&str]| {
        let mut command = sandbox.command(run);
        command.current_dir(sandbox.path(["a", "b"][rank]));
        sandbox.start_rank(command, rank, 2)
    };
    let refuses = |run: &[&str]| {
        let ended = [0, 1].map(|rank| start(rank, run)).map(|rank| rank.wait_with_output().expect("the command ends"));
        assert!(ended.iter().all(|ended| ended.status.code() == Some(1)), "{ended:?}");
        let told: String = ended.iter().map(|ended| without_codes(&String::from_utf8_lossy(&ended.stderr))).collect();
        for rank in 0..2 {
            let contents = format!("rank {rank} is at a graph with the content ");
            assert_eq!(told.matches(&contents).count(), 2, "{run:?}: {told}");
        }
    };
    for (folder, weight) in [("a", 1), ("b", 2)] {
        fs::create_dir(sandbox.path(folder)).expect("a folder");
        let cycle = (0..2000).map(|v| format!("{v} {} {weight}\n", (v + 1) % 2000)).collect::<String>();
        sandbox.write("cycle.txt", cycle);
        let store = format!("{folder}/g.gts");
        sandbox.text(&["import", "cycle.txt", &store, "--page-size", "4KiB", "--weights", "u32"]);
        // The same number of edges from each vertex and into each page, but different edges.
        let edge = |v: u64, k: u64| (v + if weight == 1 { k } else { 3 * k + 1 }) % 4096;
        let lines = (0..4096).flat_map(|v| (1..=8).map(move |k| format!("{v} {}\n", edge(v, k))));
        sandbox.write(&format!("{folder}/t.txt"), lines.collect::<String>());
    }
    refuses(&["run", "bfs", "g.gts"]);
    let imported = ["run", "bfs", "t.txt", "--source", "0", "--page-size", "4KiB"];
    refuses(&[&imported[..], &["--no-cache"]].concat());
    refuses(&imported);
}

#[test]
fn a_damaged_page_ends_all_ranks_and_is_named() {
    let sandbox = Sandbox::new();
    sandbox.text(&["generate", "rmat:10", "g.gts", "--page-size", "4KiB"]);
    let path = sandbox.path("g.gts/out.pages");
    let mut pages = fs::read(&path).expect("pages");
    let last = pages.len() - 100;
    pages[last] ^= 1;
    fs::write(&path, pages).expect("a file");
    let error = sandbox.fails(65, &["launch", "-n", "3", "--", "run", "bfs", "g.gts", "--output", "levels.csv"]);
    assert!(error.contains("out.pages") && error.contains("checksum") && error.contains("next:"), "{error}");
    assert_eq!(sandbox.names(), ["g.gts"]);
}

#[test]
fn what_ranks_cannot_do_is_refused_before_they_start() {
    let sandbox = Sandbox::new();
    for (code, words, what) in [
        (2, &["-n", "2", "--", "plan", "bfs", "rmat:4"][..], "only `run` has ranks"),
        (2, &["-n", "0", "--", "run", "bfs", "rmat:4"], "0 is not in 1..=256"),
        (2, &["-n", "257", "--", "run", "bfs", "rmat:4"], "257 is not in 1..=256"),
        (2, &["-n", "18446744073709551615", "--", "run", "bfs", "rmat:4"], "invalid value '18446744073709551615'"),
        (2, &["-n", "2", "--", "run", "bsf", "rmat:4"], "did you mean `bfs`"),
        (2, &["-n", "2", "--", "run", "bfs", "rmat:4", "--technique", "fast"], "--technique"),
        (2, &["-n", "3", "--", "run", "bfs", "rmat:4"], "3 ranks for a graph of 1 page:"),
        (
            2,
            &["-n", "2", "--", "run", "bfs", "rmat:10", "--page-size", "256", "--device", "cpu+cuda"],
            "each rank of a group runs on GPUs or on a CPU",
        ),
    ] {
        let error = sandbox.fails(code, &[&["launch"], words].concat());
        assert!(error.contains(what), "{words:?}: {error}");
    }
}

#[test]
fn ranks_without_a_launcher_are_refused() {
    let sandbox = Sandbox::new();
    let by_mpi = [("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "3")];
    let missing = if cfg!(feature = "mpi") { "no MPI has started this process" } else { "--features mpi" };
    for (words, variables, what) in [
        (&["--group", "local"][..], &[][..], "`gts launch` has not started this process"),
        (&["--group", "mpi"], &[], missing),
        // Messages of one process of several begin with its number.
        (
            &[],
            &by_mpi,
            "[1] error: MPI has started 3 processes, and each would do all of the work\n[1]   next:  add --group mpi",
        ),
        (&["--group", "local"], &by_mpi, "`gts launch` has not started this process"),
    ] {
        let mut command = sandbox.command(&[&["run", "bfs", "rmat:4"], words].concat());
        let ended = command.envs(variables.iter().copied()).output().expect("the binary runs");
        let told = without_codes(&String::from_utf8_lossy(&ended.stderr));
        assert!(ended.status.code() == Some(2) && told.contains(what), "{words:?}: {told}");
    }
    sandbox.fails(2, &["launch", "-n", "2", "--", "run", "bfs", "rmat:10", "--page-size", "4KiB", "--group", "mpi"]);
    sandbox.text(&["launch", "-n", "2", "--", "run", "bfs", "rmat:10", "--page-size", "4KiB", "--group", "local"]);
}

#[test]
fn ranks_with_other_options_are_refused() {
    let sandbox = Sandbox::new();
    let start = |rank: usize, seed: &str| {
        sandbox.start_rank(sandbox.command(&[&["run", "bfs"], &GRAPH[..], &["--seed", seed]].concat()), rank, 2)
    };
    let ended = [start(0, "1"), start(1, "2")].map(|rank| rank.wait_with_output().expect("the command ends"));
    assert!(ended.iter().all(|ended| ended.status.code() == Some(1)), "{ended:?}");
    let told: String = ended.iter().map(|ended| without_codes(&String::from_utf8_lossy(&ended.stderr))).collect();
    assert!(told.contains("--seed 1 ") && told.contains("--seed 2 ") && told.contains("]   next:"), "{told}");
}

#[test]
fn a_rank_without_sense_says_why_and_does_not_run_alone() {
    let sandbox = Sandbox::new();
    let meet = sandbox.path("meet");
    fs::DirBuilder::new().mode(0o700).create(&meet).expect("a folder");
    let meet = meet.to_str().expect("text");
    let sound = [("GTS_GROUP_RANK", "0"), ("GTS_GROUP_SIZE", "2"), ("GTS_GROUP_FOLDER", meet)];
    for (name, value, what) in [
        ("GTS_GROUP_RANK", "x", "\"x\", and not a number from 0 to 1"),
        ("GTS_GROUP_SIZE", "18446744073709551615", "not a number from 1 to 256"),
        ("GTS_GROUP_LAUNCHER", "init", "not a number"),
        ("GTS_GROUP_FOLDER", "", "is empty"),
    ] {
        let mut command = sandbox.command(&["run", "bfs", "rmat:4"]);
        let ended = command.envs(sound).env(name, value).output().expect("the binary runs");
        let told = without_codes(&String::from_utf8_lossy(&ended.stderr));
        assert!(told.contains(&format!("error: {name} ")) && told.contains(what) && told.contains("next:"), "{told}");
        assert_eq!((ended.status.code(), ended.stdout.len()), (Some(2), 0), "{told}");
    }
    for (word, what) in [(None, "it is not a pipe"), (Some(&[7u8; 15]), "it ends before the word does")] {
        let mut command = sandbox.command(&["run", "bfs", "rmat:4"]);
        command.envs(sound).stdin(if word.is_some() { Stdio::piped() } else { Stdio::null() }).stderr(Stdio::piped());
        let mut rank = command.spawn().expect("the binary runs");
        if let (Some(mut pipe), Some(word)) = (rank.stdin.take(), word) {
            pipe.write_all(word).expect("a pipe holds it");
        }
        let ended = rank.wait_with_output().expect("the command ends");
        let told = without_codes(&String::from_utf8_lossy(&ended.stderr));
        assert!(ended.status.code() == Some(2) && told.contains(what) && told.contains("next:"), "{told}");
    }
    assert_eq!(fs::read_dir(meet).expect("the folder").count(), 0, "a socket is left");
}

#[test]
fn a_folder_that_others_can_enter_is_refused() {
    let sandbox = Sandbox::new();
    fs::DirBuilder::new().mode(0o755).create(sandbox.path("meet")).expect("a folder");
    let rank = sandbox.start_rank(sandbox.command(&["run", "bfs", "rmat:4"]), 0, 2);
    let ended = rank.wait_with_output().expect("the command ends");
    let told = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.code() == Some(1) && told.contains("may be entered by other users"), "{told}");
    assert!(told.contains("error[GTS1024]: ") && told.contains("]   more:  gts explain GTS1024\n"), "{told}");
    assert_eq!(fs::read_dir(sandbox.path("meet")).expect("the folder").count(), 0, "a socket is left");
}

#[test]
fn a_rank_that_is_interrupted_while_it_waits_leaves_no_socket() {
    let sandbox = Sandbox::new();
    let rank = sandbox.start_rank(sandbox.command(&["run", "bfs", "rmat:4"]), 0, 2);
    let begun = Instant::now();
    while !sandbox.path("meet/rank-0").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the rank does not listen");
        std::thread::sleep(Duration::from_millis(5));
    }
    send("INT", rank.id());
    let ended = rank.wait_with_output().expect("the command ends");
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
    assert_eq!(fs::read_dir(sandbox.path("meet")).expect("the folder").count(), 0, "a socket is left");
}

#[test]
fn a_busy_rank_ends_the_run_if_there_is_a_stall_limit() {
    let sandbox = Sandbox::new();
    // Only rank 0 compares the answer.
    let launch = ["launch", "-n", "2", "--", "run", "triangles", "rmat:16", "--symmetrise", "--page-size", "4KiB"];
    let launch = [&launch[..], &["--device", "cpu", "--check"]].concat();
    sandbox.text(&launch);
    let error = sandbox.fails(1, &[&launch[..], &["--stall-limit", "40ms"]].concat());
    assert!(error.contains(" has sent nothing for 40ms, the stall limit, while rank "), "{error}");
    assert!(error.contains("rank 0 of 2: process ") || error.contains("rank 1 of 2: process "), "{error}");
}

fn send(signal: &str, process: u32) {
    let kill = std::process::Command::new("kill").args([&format!("-{signal}"), &process.to_string()]).status();
    assert!(kill.expect("kill runs").success());
}

/// An endless run with known ranks. Its umask forbids nothing.
#[cfg(target_os = "linux")]
struct Endless {
    sandbox: Sandbox,
    /// The folder of temporary files.
    temporary: TempDir,
    launcher: Child,
    /// Processes by rank.
    ranks: Vec<u32>,
}

#[cfg(target_os = "linux")]
impl Endless {
    fn start(ranks: usize) -> Self {
        let sandbox = Sandbox::new();
        let launch = ["launch", "-n", &ranks.to_string(), "--"].map(str::to_owned);
        let launch: Vec<&str> = launch.iter().map(String::as_str).collect();
        let run = ["run", "pagerank", "--iterations", "1000000000", "--output", "ranks.csv", "--device", "cpu"];
        let temporary = tempfile::tempdir().expect("a folder");
        let command = sandbox.command(&[&launch, &run[..], &GRAPH].concat());
        let mut shell = Command::new("sh");
        shell.args(["-c", "umask 000; exec \"$0\" \"$@\""]).arg(command.get_program()).args(command.get_args());
        shell.current_dir(sandbox.path("")).env("TMPDIR", temporary.path());
        let launcher = shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
        let begun = Instant::now();
        let found = loop {
            let found = children(launcher.id());
            // Threads of a group run from the time when all ranks have met.
            let threads = |process: &u32| fs::read_dir(format!("/proc/{process}/task")).map_or(0, Iterator::count);
            if found.len() == ranks && found.iter().all(|process| threads(process) > 3) {
                break found;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "the ranks do not meet");
            std::thread::sleep(Duration::from_millis(10));
        };
        std::thread::sleep(Duration::from_millis(500));
        Self { sandbox, temporary, launcher, ranks: found }
    }

    /// Returns the existing folders of temporary files.
    fn folders(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.temporary).expect("the folder");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    }

    /// Returns the output of `gts clean` for the folder of temporary files.
    fn cleaned(&self) -> String {
        self.sandbox.text(&["clean", self.temporary.path().to_str().expect("text")])
    }

    /// Kills the launcher, and waits until the ranks have ended.
    fn kill_launcher(&mut self) {
        send("KILL", self.launcher.id());
        self.launcher.wait().expect("it ends");
        let begun = Instant::now();
        while self.ranks.iter().any(|&process| runs(process)) {
            assert!(begun.elapsed() < Duration::from_secs(10), "ranks outlive the launcher");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the launcher has ended; by then all processes and files must be gone. Returns the exit code, the
    /// messages, and the duration.
    fn end(self, since: Instant) -> (Option<i32>, String, Duration) {
        let temporary = self.temporary;
        let Output { status, stderr, .. } = self.launcher.wait_with_output().expect("the command ends");
        let took = since.elapsed();
        assert_eq!(fs::read_dir(temporary).expect("the folder").count(), 0, "temporary files are left");
        assert!(self.ranks.iter().all(|&process| !runs(process)), "a rank is left");
        assert!(self.sandbox.names().is_empty(), "{:?}", self.sandbox.names());
        (status.code(), String::from_utf8(stderr).expect("text"), took)
    }
}

/// Returns the children of a process, by rank.
#[cfg(target_os = "linux")]
fn children(process: u32) -> Vec<u32> {
    let listed = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    let rank = |process: u32| {
        let environment = fs::read(format!("/proc/{process}/environ")).ok()?;
        let variable = environment.split(|&byte| byte == 0).find_map(|entry| entry.strip_prefix(b"GTS_GROUP_RANK="))?;
        Some((std::str::from_utf8(variable).ok()?.parse::<usize>().ok()?, process))
    };
    let mut ranks: Vec<_> = listed.split_whitespace().filter_map(|word| rank(word.parse().ok()?)).collect();
    ranks.sort_unstable();
    ranks.into_iter().map(|(_, process)| process).collect()
}

/// Returns whether a process runs.
#[cfg(target_os = "linux")]
fn runs(process: u32) -> bool {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state.rsplit(')').next().and_then(|rest| rest.trim().chars().next()).is_some_and(|state| state != 'Z')
}

#[test]
#[cfg(target_os = "linux")]
fn all_ranks_end_where_one_is_killed() {
    for victim in 0..3 {
        let run = Endless::start(3);
        let since = Instant::now();
        send("KILL", run.ranks[victim]);
        let (code, told, took) = run.end(since);
        assert_eq!(code, Some(1), "{told}");
        assert!(told.contains(&format!("rank {victim} of 3: process ")), "{told}");
        assert!(told.contains("has ended without a word"), "{told}");
        assert!(told.contains(&format!("rank {victim} (process")) && told.contains("signal 9"), "{told}");
        assert!(took < Duration::from_secs(10), "{took:?}: {told}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn ranks_say_why_they_end_on_a_machine_that_pauses() {
    let run = Endless::start(3);
    send("KILL", run.ranks[2]);
    // The launcher notices the end of the rank. The others wait for its report.
    std::thread::sleep(Duration::from_millis(100));
    let all = [run.launcher.id(), run.ranks[0], run.ranks[1]];
    all.iter().for_each(|&process| send("STOP", process));
    std::thread::sleep(Duration::from_secs(6));
    all.iter().rev().for_each(|&process| send("CONT", process));
    let (code, told, _) = run.end(Instant::now());
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("rank 2 of 3: process ") && told.contains("has ended without a word"), "{told}");
}

#[test]
#[cfg(target_os = "linux")]
fn all_ranks_end_where_one_is_stopped() {
    for victim in 0..2 {
        let run = Endless::start(3);
        let since = Instant::now();
        send("STOP", run.ranks[victim]);
        let (code, told, took) = run.end(since);
        assert_eq!(code, Some(1), "{told}");
        assert!(told.contains(&format!("rank {victim} of 3: process ")) && told.contains("it is stopped"), "{told}");
        assert!(took < Duration::from_secs(10), "{took:?}: {told}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn ctrl_c_reaches_all_ranks() {
    for signal in ["INT", "TERM"] {
        let run = Endless::start(2);
        send(signal, run.launcher.id());
        let (code, told, took) = run.end(Instant::now());
        assert_eq!(code, Some(130), "{told}");
        // The rank that receives the signal first reports it. It ends the run of the other one, which may then report
        // nothing.
        let is_told = |line: &str| told.lines().any(|other| other == line);
        assert!(is_told("[0] interrupted") || is_told("[1] interrupted"), "{told}");
        assert!(is_told("interrupted"), "{told}");
        assert!(took < Duration::from_secs(10), "{took:?}: {told}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn no_rank_outlives_the_process_that_started_it() {
    let mut run = Endless::start(2);
    run.kill_launcher();
    assert!(run.sandbox.names().is_empty(), "{:?}", run.sandbox.names());
}

#[test]
#[cfg(target_os = "linux")]
fn the_folder_of_a_killed_launcher_goes() {
    for by_launch in [false, true] {
        let mut run = Endless::start(2);
        let [folder] = &run.folders()[..] else { panic!("{:?}", run.folders()) };
        assert_eq!(fs::metadata(folder).expect("the folder").permissions().mode() & 0o777, 0o700);
        assert!(run.cleaned().contains("left alone"), "a folder in use");
        run.kill_launcher();
        if by_launch {
            let launch = ["launch", "-n", "1", "--", "run", "bfs", "rmat:4"];
            let next = run.sandbox.command(&launch).env("TMPDIR", run.temporary.path()).output();
            assert!(next.expect("the binary runs").status.success());
        } else {
            assert_eq!(run.cleaned(), format!("{}: removed\n", folder.display()));
        }
        assert!(run.folders().is_empty(), "{:?}", run.folders());
    }
}
