//! A system that fails: reads, threads, memory for their stacks, larger files. In each case a command ends with a right
//! answer or an error, and leaves no files.
#![cfg(target_os = "linux")]

use crate::sandbox::{Ended, Sandbox};
use std::process::Command;

/// Runs a shell command in the sandbox, with the binary in `$GTS`, for at most a minute.
fn shell(sandbox: &Sandbox, script: &str) -> Ended {
    let mut command = Command::new("timeout");
    command.args(["60", "sh", "-c", script]).env("GTS", crate::PROGRAM).current_dir(sandbox.path(""));
    command.env("GTS_CACHE_DIR", sandbox.path("cache"));
    Ended::of(&mut command)
}

fn has_strace() -> bool {
    let found = Command::new("strace").arg("--version").output().is_ok();
    if !found {
        println!("skipped: there is no strace");
    }
    found
}

#[test]
fn a_run_from_disk_goes_on_where_io_uring_fails() {
    if !has_strace() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.text(&["generate", "rmat:13", "g.gts", "--page-size", "16KiB", "--in-edges"]);
    let run = "run bfs g.gts --device cpu --host-memory 300KiB --output";
    shell(&sandbox, &format!("$GTS {run} whole.csv"));
    for error in ["EIO", "EPERM", "ENOSYS", "EBADF", "ENOMEM"] {
        let fault = format!("strace -f -o /dev/null -e trace=io_uring_enter -e inject=io_uring_enter:error={error}");
        let ended = shell(&sandbox, &format!("{fault}:when=3+1 $GTS {run} {error}.csv"));
        assert_eq!(ended.code, 0, "{error}: {ended:?}");
        assert_eq!(sandbox.read(&format!("{error}.csv")), sandbox.read("whole.csv"), "{error}");
        let said = ended.stderr.lines().filter(|line| line.contains("io_uring cannot be used")).count();
        assert_eq!(said, 1, "{error}: {}", ended.stderr);
    }
}

#[test]
fn reads_that_never_end_are_an_error() {
    if !has_strace() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.text(&["generate", "rmat:12", "g.gts", "--page-size", "16KiB"]);
    // Threads read instead of io_uring, and the system delays each of them.
    let faults = "-e inject=io_uring_setup:error=ENOSYS -e inject=pread64:delay_enter=3000000";
    let run = "$GTS run bfs g.gts --device cpu --host-memory 200KiB --stall-limit 1s";
    let ended = shell(&sandbox, &format!("strace -f -o /dev/null -e trace=io_uring_setup,pread64 {faults} {run}"));
    assert_eq!(ended.code, 74, "{ended:?}");
    assert!(ended.stderr.contains("error: cannot read page "), "{}", ended.stderr);
    assert!(ended.stderr.contains("g.gts/out.pages: no read has ended for 1 s"), "{}", ended.stderr);
}

#[test]
fn whichever_thread_does_not_start_the_command_ends_in_order() {
    if !has_strace() {
        return;
    }
    let sandbox = Sandbox::new();
    let command = |when: &str, command: &str| {
        let fault = format!("-e trace=clone,clone3 -e inject=clone,clone3:error=EAGAIN:when={when}");
        let script = format!("RAYON_NUM_THREADS=2 strace -f -o /dev/null {fault} $GTS {command}");
        let ended = shell(&sandbox, &script);
        assert!([0, 1, 71].contains(&ended.code), "{when}: {ended:?}");
        assert_eq!(ended.code != 0, ended.stderr.contains("error: "), "{when}: {ended:?}");
        ended
    };
    for when in 1..8 {
        command(&when.to_string(), "generate rmat:10 g.gts --force");
        let ended = command(&when.to_string(), "run pagerank rmat:10 --device cpu --threads 3 --time-limit 1min");
        // The first thread handles Ctrl-C. The second is the first of the shared threads, without which there is no
        // run.
        if when == 3 {
            assert!(ended.stderr.contains(" threads could be started"), "{when}: {ended:?}");
        }
    }
    // Only the thread that waits for Ctrl-C starts.
    let ended = command("2+", "generate rmat:10 h.gts");
    assert_eq!(ended.code, 71, "{ended:?}");
    assert!(ended.stderr.contains("error: the system starts no further thread"), "{}", ended.stderr);
    assert_eq!(ended.codes, ["GTS1016"], "{}", ended.stderr);
    assert!(ended.stderr.contains("next:  let this user have more processes (ulimit -u)"), "{}", ended.stderr);
    let ended = command("1+", "generate rmat:10 h.gts");
    assert!(ended.stderr.contains("error: Ctrl-C cannot be handled"), "{}", ended.stderr);
    assert!(!sandbox.path("h.gts").exists());
}

#[test]
fn threads_without_room_for_their_stacks_are_done_without() {
    let sandbox = Sandbox::new();
    for kilobytes in [60_000, 70_000, 80_000, 120_000] {
        let run = "run k-truss rmat:10 --symmetrise --device cpu --threads 200";
        let ended = shell(&sandbox, &format!("ulimit -v {kilobytes}; exec $GTS {run}"));
        // Without room for one thread, Ctrl-C cannot be handled.
        assert!([0, 1, 71].contains(&ended.code), "{kilobytes}: {ended:?}");
        assert!(ended.code != 0 || ended.stderr.contains(" threads could be started"), "{ended:?}");
    }
}

#[test]
fn an_answer_is_kept_whatever_becomes_of_its_trace() {
    let sandbox = Sandbox::new();
    let run = "run bfs chain:4 --source 0 --device cpu --output levels.csv --trace run.json";
    let ended = shell(&sandbox, &format!("ulimit -f 1; exec $GTS {run}"));
    assert_eq!(ended.code, 73, "{ended:?}");
    assert!(ended.stderr.contains("run.json: File too large"), "{ended:?}");
    assert!(ended.stderr.contains("\noutput       levels.csv\n"), "{ended:?}");
    assert_eq!(sandbox.read("levels.csv"), "vertex,level\n0,0\n1,1\n2,2\n3,3\n");
    assert_eq!(sandbox.names(), ["levels.csv"]);
}

#[test]
fn what_runs_in_a_small_address_space_runs_in_a_larger_one() {
    let sandbox = Sandbox::new();
    let mut ran = false;
    // At some limits above the minimum, the heaps of the C library's threads once took more than remained for the
    // graph.
    for megabytes in (40..160).step_by(10).chain((160..260).step_by(5)).chain((260..=500).step_by(20)) {
        let ended = sandbox.run_within(megabytes * 1000, &["run", "bfs", "rmat:15", "--device", "cpu", "--no-cache"]);
        assert!(!ran || ended.code == 0, "{megabytes} MB: {ended:?}");
        ran |= ended.code == 0;
    }
    assert!(ran);
}

#[test]
fn a_file_beyond_the_limit_of_the_system_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.text(&["generate", "rmat:12", "g.gts", "--page-size", "4KiB"]);
    for command in ["generate rmat:12 h.gts --page-size 4KiB", "generate rmat:16 h.gts --page-size 4KiB --memory 49MiB"]
    {
        let ended = shell(&sandbox, &format!("ulimit -f 8; exec $GTS {command}"));
        assert_eq!((ended.code, &*ended.codes), (73, &["GTS2024".to_owned()][..]), "{command}: {ended:?}");
        assert!(ended.stderr.contains("File too large"), "{command}: {}", ended.stderr);
        assert!(ended.stderr.contains("next:  allow larger files (ulimit -f)"), "{command}: {}", ended.stderr);
    }
    let ended = shell(&sandbox, "ulimit -f 1; exec $GTS run pagerank g.gts --device cpu --output ranks.csv");
    assert_eq!(ended.code, 73, "{ended:?}");
    assert!(ended.stderr.contains("File too large"), "{}", ended.stderr);
    assert_eq!(sandbox.names(), ["g.gts"]);
}
