//! Answers of `gts run` on standard output and in files of every kind.

use crate::sandbox::Sandbox;
use serde_json::json;
use std::process::Stdio;

const CSV: &str = "vertex,level\n1,0\n2,1\n3,1\n5,2\n20,\n30,\n";
const RUN: [&str; 7] = ["run", "bfs", "g.txt", "--source", "1", "--device", "cpu"];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "1 2\n1 3\n3 2\n2 5\n30 20\n");
    sandbox
}

fn run(sandbox: &Sandbox, more: &[&str]) -> (String, String) {
    let ended = sandbox.run(&[&RUN[..], more].concat());
    assert_eq!(ended.code, 0, "{more:?}: {ended:?}");
    (ended.stdout, ended.stderr)
}

#[test]
fn standard_output_is_the_answer_and_standard_error_the_rest() {
    let sandbox = sandbox();
    let (answer, rest) = run(&sandbox, &[]);
    assert_eq!(answer, CSV);
    assert!(rest.contains("imported g.txt") && rest.contains("\ndevice "), "{rest}");
    assert!(rest.contains("reached      4\n") && rest.contains("depth        2\n"), "{rest}");
    let (table, rest) = run(&sandbox, &["--top", "2"]);
    let expected = "level  vertices\n    0         1\n    1         2\n... and 1 more\n\nreached  4\ndepth    2\n";
    assert_eq!(table, expected);
    assert!(rest.contains("\ndevice ") && !rest.contains("depth"), "{rest}");
    let (all, _) = run(&sandbox, &["--output", "-"]);
    assert_eq!(all, CSV);
    let (nothing, rest) = run(&sandbox, &["--output", "a.csv"]);
    assert_eq!((nothing.as_str(), sandbox.read("a.csv").as_str()), ("", CSV));
    assert!(rest.contains("\noutput       a.csv\n"), "{rest}");
    let (report, rest) = run(&sandbox, &["--json"]);
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!((&report["answer"]["depth"], rest.contains("device")), (&json!(2), false), "{rest}");
    let (single, _) = {
        let ended = sandbox.run(&["run", "triangles", "complete:4", "--device", "cpu"]);
        (ended.stdout, ended.code)
    };
    assert_eq!(single, "triangles\n4\n");
}

#[test]
fn weights_count_if_asked_for_and_the_summary_reports_those_that_do_not() {
    let sandbox = Sandbox::new();
    sandbox.write("w.csv", "source,target,weight\n0,1,3\n0,2,1\n1,0,1\n2,0,1\n");
    sandbox.text(&["import", "w.csv", "w.gts", "--in-edges"]);
    let note = "weights      not used: --weighted counts edges by weight";
    for name in ["pagerank", "personalised-pagerank", "hits"] {
        for graph in ["w.csv", "w.gts"] {
            let of = |flags: &[&str]| sandbox.run(&[&["run", name, graph, "--device", "cpu"], flags].concat());
            let (plain, weighted) = (of(&[]), of(&["--weighted"]));
            assert_eq!((plain.code, weighted.code), (0, 0), "{plain:?} {weighted:?}");
            assert!(plain.stderr.contains(note) && !weighted.stderr.contains(note), "{plain:?} {weighted:?}");
            let middle = |csv: &str| csv.lines().skip(2).map(|line| line[2..].to_owned()).collect::<Vec<_>>();
            let [plain, weighted] = [middle(&plain.stdout), middle(&weighted.stdout)];
            assert_eq!((plain[0] == plain[1], weighted[0] == weighted[1]), (true, false), "{plain:?} {weighted:?}");
        }
    }
    let bfs = sandbox.run(&["run", "bfs", "w.gts", "--device", "cpu"]);
    assert!(!bfs.stderr.contains("weights      "), "{bfs:?}");
}

#[test]
fn a_quiet_run_prints_errors_alone_and_a_verbose_one_its_kernels() {
    let sandbox = sandbox();
    assert_eq!(run(&sandbox, &["-q"]), (CSV.to_owned(), String::new()));
    assert_eq!(run(&sandbox, &["--quiet", "--output", "q.csv"]), (String::new(), String::new()));
    let error = sandbox.fails(66, &["-q", "run", "bfs", "g.txt", "--source", "4", "--no-cache"]);
    assert!(error.starts_with("error: vertex 4 is not in the graph\n"), "{error}");
    let (_, rest) = run(&sandbox, &["-v"]);
    assert!(rest.contains("\nkernel       expand: passes 3, edges ") && rest.contains(", passes "), "{rest}");
}

#[test]
fn every_kind_of_text_contains_the_same_rows() {
    let sandbox = sandbox();
    let lines = "{\"vertex\":1,\"level\":0}\n{\"vertex\":2,\"level\":1}\n{\"vertex\":3,\"level\":1}\n\
                 {\"vertex\":5,\"level\":2}\n{\"vertex\":20,\"level\":null}\n{\"vertex\":30,\"level\":null}\n";
    for (kind, text) in [("csv", CSV.to_owned()), ("tsv", CSV.replace(',', "\t")), ("jsonl", lines.to_owned())] {
        assert_eq!(run(&sandbox, &["--output-format", kind]).0, text);
        // The ending of a name counts in any case, and --output-format before it.
        let name = format!("a.{}", kind.to_uppercase());
        run(&sandbox, &["--output", &name]);
        assert_eq!(sandbox.read(&name), text);
        run(&sandbox, &["--output", "other.txt", "--output-format", kind, "--force"]);
        assert_eq!(sandbox.read("other.txt"), text);
        for (ending, program) in [("gz", "gzip"), ("zst", "zstd")] {
            let name = format!("a.{kind}.{ending}");
            run(&sandbox, &["--output", &name]);
            let unpacked =
                std::process::Command::new(program).args(["-dc", &name]).current_dir(sandbox.path("")).output();
            // Not all machines have zstd.
            if let Ok(unpacked) = unpacked {
                assert_eq!(String::from_utf8_lossy(&unpacked.stdout), text, "{name}");
            }
        }
    }
    let whole: serde_json::Value = serde_json::from_str(&run(&sandbox, &["--output-format", "json"]).0).expect("JSON");
    assert_eq!(whole["level"], json!([0, 1, 1, 2, null, null]));
}

#[test]
fn edges_of_an_answer_are_read_back_from_every_kind() {
    let sandbox = sandbox();
    for name in ["f.el", "f.el.gz", "f.wel.zst"] {
        sandbox.text(&["run", "induced-subgraph", "g.txt", "--vertices", "1,2,3", "--output", name]);
        let info = sandbox.json(&["info", name]);
        assert_eq!((&info["vertices"], &info["edges"]), (&json!(3), &json!(3)), "{name}: {info}");
    }
    sandbox.text(&["run", "induced-subgraph", "g.txt", "--vertices", "5", "--output", "none.el.gz"]);
    let unpacked =
        std::process::Command::new("gzip").args(["-dc", "none.el.gz"]).current_dir(sandbox.path("")).output();
    let unpacked = unpacked.expect("gzip");
    assert!(unpacked.status.success() && unpacked.stdout.is_empty(), "{unpacked:?}");
}

#[test]
fn outputs_that_cannot_be_are_refused_before_the_run() {
    let sandbox = sandbox();
    let refused = |more: &[&str]| sandbox.fails(2, &[&RUN[..], more].concat());
    for (more, part) in [
        (&["--output", "a.npz.gz"][..], "only text is compressed"),
        (&["--output", "a.txt"], "--output a.txt: the ending tells no kind of file"),
        (&["--output", "a.mtx"], "--output a.mtx: the ending tells no kind of file"),
        (&["--output-format", "csv", "--top", "3"], "--top: the whole answer is printed on standard output"),
    ] {
        let error = refused(more);
        assert!(error.contains(part), "{more:?}: {error}");
    }
    let report = sandbox.run(&[&RUN[..], &["--output", "-", "--json"]].concat());
    assert_eq!(report.code, 2, "{report:?}");
    assert!(report.stdout.contains("--json: the whole answer is printed on standard output"), "{report:?}");
    assert_eq!(sandbox.names(), ["g.txt"]);
}

#[cfg(unix)]
#[test]
fn a_reader_that_takes_only_the_head_is_no_failure() {
    let sandbox = Sandbox::new();
    let run = ["run", "degree-distribution", "rmat:17", "--device", "cpu"];
    let mut child =
        sandbox.command(&run).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
    drop(child.stdout.take());
    let ended = child.wait_with_output().expect("it ends");
    assert!(ended.status.success(), "{ended:?}");
    assert!(!String::from_utf8_lossy(&ended.stderr).contains("error"), "{ended:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_printed_is_a_failure() {
    let sandbox = sandbox();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device that is always full");
    let ended = sandbox.command(&RUN).stdout(full).output().expect("the binary runs");
    assert_eq!(ended.status.code(), Some(73), "{ended:?}");
    assert!(String::from_utf8_lossy(&ended.stderr).contains("cannot print the result"), "{ended:?}");
}
