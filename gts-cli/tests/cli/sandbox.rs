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
    pub(crate) stderr: String,
}

impl Ended {
    fn of(command: &mut Command) -> Self {
        let Output { status, stdout, stderr } = command.output().expect("the binary runs");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        Self { code: status.code().unwrap_or(-1), stdout: text(stdout), stderr: text(stderr) }
    }
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

    /// Returns the parsed output of the same command with `--json`.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let text = self.text(&[arguments, &["--json"]].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
    }

    /// Returns the standard error of a command that fails with a code.
    pub(crate) fn fails(&self, code: i32, arguments: &[&str]) -> String {
        let ended = self.run(arguments);
        assert_eq!(ended.code, code, "{arguments:?}: {ended:?}");
        assert_eq!(ended.stdout, "", "{arguments:?} printed a result");
        assert!(ended.stderr.contains("error: "), "{arguments:?}: {}", ended.stderr);
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
