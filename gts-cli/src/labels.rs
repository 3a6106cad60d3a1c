//! Names of vertices, from a file of `ID<TAB>name` lines.

use crate::error::Failure;
use flate2::read::MultiGzDecoder;
use gts_graph::contract::language::Code;
use gts_graph::core::advice::Explain;
use gts_graph::core::files::{self, LineError, LineFault, Lines};
use gts_graph::core::memory;
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Names of vertices by original ID.
#[derive(Default)]
pub(crate) struct Labels(Arc<HashMap<u64, String>>);

impl Labels {
    /// Reads a file of lines `ID<TAB>name`, which may be compressed (`.gz`). Skips empty lines and comments (`#`).
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let fail =
            |error| Failure::unread(path, error, "--labels takes a text file, plain or .gz, of lines `ID<TAB>name`");
        let file = files::open(path).map_err(fail)?;
        let zipped = path.extension().is_some_and(|extension| extension == "gz");
        let text: Box<dyn Read> = if zipped { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
        let mut lines = Lines::new(text);
        let mut names = HashMap::new();
        let refuse = |code, line, what, next| Failure::Line { code, path: path.to_owned(), line, what, next };
        let refused = |error: LineError| match error.fault {
            LineFault::Read(source) => fail(source),
            _ => refuse(error.code(), error.line, error.to_string(), error.advice()),
        };
        while let Some((number, line)) = lines.next_line().map_err(refused)? {
            let refuse = |what, next: &'static str| refuse(Code::MalformedText, number, what, Some(next.into()));
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let entry = line.split_once('\t').and_then(|(id, name)| Some((id.trim().parse().ok()?, name)));
            let (id, name): (u64, _) = entry.ok_or_else(|| {
                let found: String = line.chars().take(40).collect();
                refuse(format!("expected `ID<TAB>name`, found `{found}`"), "correct the line")
            })?;
            memory::reserve_entry("names of vertices", &mut names).map_err(gts_graph::Error::from)?;
            if let Some(present) = names.insert(id, name.to_owned()) {
                return Err(refuse(
                    format!("{id} is called `{name}`, and `{present}` on an earlier line"),
                    "leave one of the lines out",
                ));
            }
        }
        Ok(Self(Arc::new(names)))
    }

    /// Returns all names.
    pub(crate) fn all(&self) -> Arc<HashMap<u64, String>> {
        Arc::clone(&self.0)
    }

    /// Returns the name of a vertex.
    pub(crate) fn get(&self, id: u64) -> Option<&str> {
        self.0.get(&id).map(String::as_str)
    }

    /// Returns whether no vertex has a name.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
