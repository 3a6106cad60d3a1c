//! Names of vertices, from a file of `ID<TAB>name` lines.

use crate::error::Failure;
use flate2::read::MultiGzDecoder;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Names of vertices by original ID.
#[derive(Default)]
pub(crate) struct Labels(HashMap<u64, String>);

impl Labels {
    /// Reads a file of lines `ID<TAB>name`, which may be compressed (`.gz`). Empty lines and comments (`#`) are left out.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let fail =
            |error| Failure::file(path, error, "--labels takes a text file, plain or .gz, of lines `ID<TAB>name`");
        let file = File::open(path).map_err(fail)?;
        let zipped = path.extension().is_some_and(|extension| extension == "gz");
        let reader: Box<dyn Read> = if zipped { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
        let mut names = HashMap::new();
        for (number, line) in BufReader::new(reader).lines().enumerate() {
            let line = line.map_err(fail)?;
            let line = line.trim_end_matches('\r');
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let entry = line.split_once('\t').and_then(|(id, name)| Some((id.trim().parse().ok()?, name.to_owned())));
            let (id, name) = entry.ok_or_else(|| {
                Failure::Other(format!(
                    "{}:{}: expected `ID<TAB>name`, found `{}`; correct the line",
                    path.display(),
                    number + 1,
                    line.chars().take(40).collect::<String>()
                ))
            })?;
            names.insert(id, name);
        }
        Ok(Self(names))
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
