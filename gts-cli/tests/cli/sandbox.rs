//! Runs the real binary in a temporary folder.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};
#[cfg(unix)]
use std::{
    fs::DirBuilder,
    io::Write,
    process::{Child, Stdio},
};
use tempfile::TempDir;

/// A folder to run in, which also contains the cache of imports.
pub(crate) struct Sandbox(TempDir);

/// Result of a command.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    /// Standard error as [`without_codes`] returns it.
    pub(crate) stderr: String,
    /// The error codes, in the order of the messages.
    pub(crate) codes: Vec<String>,
}

impl Ended {
    pub(crate) fn of(command: &mut Command) -> Self {
        let Output { status, stdout, stderr } = command.output().expect("the binary runs");
        let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).expect("text"));
        let after = stderr.split("error[").skip(1).filter_map(|after| after.split_once("]: "));
        let codes = after.map(|(code, _)| code.to_owned()).collect();
        Self { code: status.code().unwrap_or(-1), stdout, stderr: without_codes(&stderr), codes }
    }
}

/// Removes from the text of standard error each error code and the line with the command that explains the code. Stops
/// at the first code that has no such line.
pub(crate) fn without_codes(text: &str) -> String {
    let mut plain = text.to_owned();
    while let Some((before, after)) = plain.split_once("error[GTS") {
        let Some((number, after)) = after.split_once("]: ") else { break };
        let more = format!("  more:  gts explain GTS{number}\n");
        let Some((block, rest)) = after.split_once(&more) else { break };
        // If the error is from a rank, each line begins with the number of the rank.
        let start = block.rfind('\n').map_or(0, |end| end + 1);
        let (block, rank) = block.split_at(start);
        assert!(rank.is_empty() || rank.starts_with('['), "{text}");
        plain = format!("{before}error: {block}{rest}");
    }
    plain
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).expect("a file in the folder");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a text file in the folder")
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(crate::PROGRAM);
        command.args(arguments).current_dir(self.0.path()).env("GTS_CACHE_DIR", self.path("cache"));
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        Ended::of(&mut self.command(arguments))
    }

    /// Does the same with an address space of this many KiB.
    #[cfg(target_os = "linux")]
    pub(crate) fn run_within(&self, kibibytes: u32, arguments: &[&str]) -> Ended {
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -v $0 && exec \"$@\"", &kibibytes.to_string(), crate::PROGRAM]);
        shell.args(arguments).current_dir(self.0.path()).env("GTS_CACHE_DIR", self.path("cache"));
        Ended::of(&mut shell)
    }

    /// Starts a command as one of several ranks, as `gts launch` does. All meet in the folder `meet`.
    #[cfg(unix)]
    pub(crate) fn start_rank(&self, mut command: Command, rank: usize, size: usize) -> Child {
        use std::os::unix::fs::DirBuilderExt;
        let meet = self.path("meet");
        DirBuilder::new().recursive(true).mode(0o700).create(&meet).expect("a folder");
        command.env("GTS_GROUP_RANK", rank.to_string()).env("GTS_GROUP_SIZE", size.to_string());
        command.env("GTS_GROUP_FOLDER", meet);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary runs");
        // The secret of the group.
        child.stdin.take().expect("a pipe").write_all(&[7; 16]).expect("a pipe holds it");
        child
    }

    /// Returns the standard output of a command that succeeds.
    pub(crate) fn text(&self, arguments: &[&str]) -> String {
        let ended = self.run(arguments);
        assert_eq!(ended.code, 0, "{arguments:?}: {}", ended.stderr);
        ended.stdout
    }

    /// Returns what a command that succeeds prints on both streams, standard output first.
    pub(crate) fn both(&self, arguments: &[&str]) -> String {
        let ended = self.run(arguments);
        assert_eq!(ended.code, 0, "{arguments:?}: {}", ended.stderr);
        ended.stdout + &ended.stderr
    }

    /// Returns the parsed output of the same command with `--json`.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let text = self.text(&[arguments, &["--json"]].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
    }

    /// Returns the standard error of a command that fails with a code.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, arguments: &[&str]) -> String {
        let ended = self.run(arguments);
        assert_eq!(ended.code, code, "{arguments:?}: {ended:?}");
        assert_eq!(ended.stdout, "", "{arguments:?} printed a result");
        assert!(ended.stderr.contains("error: "), "{arguments:?}: {}", ended.stderr);
        ended.stderr
    }

    /// Returns the standard error of a command that fails with an exit code and reports a single error with this code.
    pub(crate) fn fails_with(&self, code: i32, error: &str, arguments: &[&str]) -> String {
        let ended = self.run(arguments);
        assert_eq!((ended.code, &*ended.codes), (code, &[error.to_owned()][..]), "{arguments:?}: {ended:?}");
        ended.stderr
    }

    /// Returns the names of the existing files and folders.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("the folder");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}
