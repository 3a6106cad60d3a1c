//! Helps of the real binary: their examples run, their chapters exist, and they fit a terminal. Also the completions, the
//! manual pages, and the colours of errors.

use crate::sandbox::Sandbox;
use rayon::prelude::*;
use std::path::Path;

/// Columns of the terminals in these tests.
const WIDTH: usize = 80;

fn help(sandbox: &Sandbox, words: &[&str], flag: &str) -> String {
    let output = sandbox.command(&[words, &[flag]].concat()).env("COLUMNS", WIDTH.to_string()).output();
    String::from_utf8(output.expect("the binary runs").stdout).expect("text")
}

/// Returns the names of the algorithms.
fn algorithms() -> Vec<String> {
    let listed = Sandbox::new().json(&["list"]);
    let name = |algorithm: &serde_json::Value| algorithm["name"].as_str().expect("a name").to_owned();
    listed.as_array().expect("a list").iter().map(name).collect()
}

/// Returns the names of the commands in the help.
fn commands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

/// Checks the first and the last lines of a help, and runs its examples.
fn check(sandbox: &Sandbox, words: &[&str]) {
    let text = help(sandbox, words, "--help");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("Examples:"), "{words:?}: {text}");
    let examples: Vec<_> = lines.by_ref().take_while(|line| !line.is_empty()).map(str::trim).collect();
    assert_eq!(examples.len(), 2, "{words:?}: {text}");
    for example in examples {
        let call = example.strip_prefix("gts ").unwrap_or_else(|| panic!("{words:?}: {example}"));
        assert!(words.iter().all(|word| call.split(' ').any(|other| other == *word)), "{words:?}: {example}");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &format!("exec \"$0\" {call}"), crate::PROGRAM]).current_dir(sandbox.path("."));
        let output = shell.env("GTS_CACHE_DIR", sandbox.path("cache")).output().expect("a shell runs");
        assert!(output.status.success(), "{example}: {}", String::from_utf8_lossy(&output.stderr));
        let _ = std::fs::remove_dir_all(sandbox.path("answer"));
        ["csv", "json", "el"]
            .iter()
            .for_each(|kind| drop(std::fs::remove_file(sandbox.path(&format!("answer.{kind}")))));
    }
    let last = text.trim_end().lines().next_back().unwrap_or_default();
    let (title, file) = last.strip_prefix("Book: ").and_then(|last| last.rsplit_once(", ")).expect("a chapter");
    let chapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let chapter = std::fs::read_to_string(&chapter).unwrap_or_else(|error| panic!("{words:?}: {file}: {error}"));
    assert!(chapter.contains(&format!("# {title}\n")), "{words:?}: {title}");
}

#[test]
fn examples_of_commands_run() {
    let sandbox = Sandbox::new();
    sandbox.write("graph.txt", "1 2\n2 3\n3 1\n3 4\n");
    check(&sandbox, &[]);
    let commands = commands(&help(&sandbox, &[], "--help"));
    assert!(commands.len() > 10 && commands.contains(&"man".to_owned()), "{commands:?}");
    commands.iter().for_each(|command| check(&sandbox, &[command]));
}

#[test]
fn examples_of_algorithms_run() {
    algorithms().par_iter().for_each(|algorithm| {
        let sandbox = Sandbox::new();
        ["run", "plan"].iter().for_each(|command| check(&sandbox, &[command, algorithm]));
    });
}

#[test]
fn short_helps_and_the_list_fit_a_terminal() {
    let sandbox = Sandbox::new();
    for algorithm in algorithms() {
        let text = help(&sandbox, &["run", &algorithm], "-h");
        assert!(text.lines().count() <= 40, "{algorithm}: {} lines\n{text}", text.lines().count());
        assert!(text.contains("--output") && !text.contains("--collectives"), "{text}");
        assert!(help(&sandbox, &["run", &algorithm], "--help").contains("--collectives"), "{algorithm}");
    }
    let list = sandbox.command(&["list"]).env("COLUMNS", WIDTH.to_string()).output().expect("the binary runs");
    let list = String::from_utf8(list.stdout).expect("text");
    assert!(list.lines().all(|line| line.chars().count() <= WIDTH), "{list}");
}

#[test]
fn aliases_name_their_algorithms() {
    let sandbox = Sandbox::new();
    let by_name = sandbox.json(&["run", "wcc", "rmat:6", "--device", "cpu"]);
    let by_alias = sandbox.json(&["run", "cc", "rmat:6", "--device", "cpu"]);
    assert_eq!((&by_alias["algorithm"], &by_name["algorithm"]), (&"wcc".into(), &"wcc".into()));
    assert!(sandbox.text(&["show", "kcore"]).contains("core"));
    assert!(sandbox.fails(2, &["run", "kcor", "rmat:6"]).contains("did you mean `kcore`?"));
}

#[test]
fn shells_get_completions_and_readers_pages() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = sandbox.text(&["completions", shell]);
        assert!(script.contains("pagerank") && script.contains("time-limit"), "{shell}: {script}");
        sandbox.write(&format!("gts.{shell}"), &script);
        let path = sandbox.path(&format!("gts.{shell}"));
        // Checks the syntax if the shell is installed.
        if let Ok(ended) = std::process::Command::new(shell).arg("-n").arg(path).output() {
            assert!(ended.status.success(), "{shell}: {}", String::from_utf8_lossy(&ended.stderr));
        }
    }
    sandbox.text(&["man", "pages"]);
    let page = sandbox.read("pages/gts-run-bfs.1");
    assert!(page.contains(".TH") && page.contains("\\-\\-source"), "{page}");
    sandbox.write("file", "");
    assert!(sandbox.fails(73, &["man", "file"]).contains("name a folder"));
}

#[test]
fn errors_of_the_parser_have_the_colours_of_others() {
    let sandbox = Sandbox::new();
    let told = |arguments: &[&str], variables: &[(&str, &str)]| {
        let output = sandbox.command(arguments).envs(variables.iter().copied()).output().expect("the binary runs");
        String::from_utf8(output.stderr).expect("text")
    };
    let start = "\u{1b}[1m\u{1b}[31merror[GTS";
    for arguments in [&["run", "bfs", "absent.txt"][..], &["run", "bfs", "--no-such-flag"]] {
        assert!(told(arguments, &[("CLICOLOR_FORCE", "1")]).starts_with(start), "{arguments:?}");
        for variables in [&[][..], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]] {
            let plain = told(arguments, variables);
            assert!(plain.starts_with("error[GTS") && !plain.contains('\u{1b}'), "{plain:?}");
        }
    }
}
