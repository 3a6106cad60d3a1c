//! Names of vertices, from a file of `ID<TAB>name` lines.

use crate::error::Failure;
use flate2::read::MultiGzDecoder;
use gts_runtime::core::memory;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

/// Names of vertices by original ID.
#[derive(Default)]
pub(crate) struct Labels(Arc<HashMap<u64, String>>);

impl Labels {
    /// Reads a file of lines `ID<TAB>name`, which may be compressed (`.gz`). Empty lines and comments (`#`) are left out.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let fail =
            |error| Failure::file(path, error, "--labels takes a text file, plain or .gz, of lines `ID<TAB>name`");
        let file = File::open(path).map_err(fail)?;
        let zipped = path.extension().is_some_and(|extension| extension == "gz");
        let reader: Box<dyn Read> = if zipped { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
        let mut reader = BufReader::new(reader);
        let mut names = HashMap::new();
        let mut bytes = Vec::new();
        for number in 1u64.. {
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes).map_err(fail)? == 0 {
                break;
            }
            let refuse = |what: String, next| Failure::other(format!("{}:{number}: {what}", path.display()), next);
            let line = str::from_utf8(&bytes).map_err(|error| {
                let column = error.valid_up_to() + 1;
                refuse(
                    format!("byte {column} of the line is no UTF-8"),
                    "convert the file to UTF-8, as `iconv -f latin1 -t utf-8` does from Latin-1",
                )
            })?;
            let line = line.trim_end_matches(['\n', '\r']);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let entry = line.split_once('\t').and_then(|(id, name)| Some((id.trim().parse().ok()?, name)));
            let (id, name): (u64, _) = entry.ok_or_else(|| {
                let found: String = line.chars().take(40).collect();
                refuse(format!("expected `ID<TAB>name`, found `{found}`"), "correct the line")
            })?;
            memory::reserve_entry("names of vertices", &mut names).map_err(gts_runtime::Error::from)?;
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

    /// The name of a vertex.
    pub(crate) fn get(&self, id: u64) -> Option<&str> {
        self.0.get(&id).map(String::as_str)
    }

    /// Whether no vertex has a name.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
