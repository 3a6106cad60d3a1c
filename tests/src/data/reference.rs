//! Computed and published reference answers.

use super::{Data, DataError, PlainGraph, at, text};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Level of unreached vertices in the data files.
pub const UNREACHED: u64 = 9_223_372_036_854_775_807;

/// The computed reference answers of one graph.
#[derive(Clone, Debug)]
pub struct Reference {
    folder: PathBuf,
    facts: Value,
}

/// Listed values of vertices as pairs of ID and value, in ascending order of IDs.
pub type Published = Vec<(u64, f64)>;

impl Reference {
    pub(super) fn open(folder: &Path, name: &str) -> Result<Self, DataError> {
        let path = folder.join(format!("{name}.json"));
        // The files contain the bare word Infinity, which is not valid JSON.
        let json = text(&path)?.replace(" Infinity", " \"inf\"");
        let facts = serde_json::from_str(&json).map_err(|error| at(&path, error))?;
        Ok(Self { folder: folder.to_owned(), facts })
    }

    /// Returns the source vertex of the traversals.
    ///
    /// # Errors
    ///
    /// The reference contains no source.
    pub fn source(&self) -> Result<u64, DataError> {
        Ok(self.facts["source"].as_u64().ok_or("the reference states no source")?)
    }

    /// Returns whether there is an answer for this algorithm.
    pub fn has(&self, algorithm: &str) -> bool {
        self.facts[algorithm].is_object()
    }

    /// Returns an answer that is a single number.
    pub fn count(&self, algorithm: &str) -> Option<u64> {
        self.facts[algorithm].as_u64()
    }

    /// Returns a named number that belongs to an answer.
    pub fn number(&self, algorithm: &str, fact: &str) -> Option<f64> {
        self.facts[algorithm][fact].as_f64()
    }

    /// Returns the source vertices of betweenness, or an empty list if there is no such answer.
    pub fn sources(&self) -> Vec<u64> {
        self.facts["bc"]["sources"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect()
    }

    /// Returns the numbers of vertices and arcs of the graph in canonical form.
    pub fn size(&self) -> (Option<u64>, Option<u64>) {
        (self.facts["vertices"].as_u64(), self.facts["arcs_canonical"].as_u64())
    }

    /// Compares integers with the recorded sum, maximum, and SHA-256 of all lines `id value`.
    ///
    /// # Errors
    ///
    /// The values differ.
    pub fn check_integers(&self, algorithm: &str, graph: &PlainGraph, values: &[u64]) -> Result<(), DataError> {
        let mut lines = String::new();
        for (id, value) in graph.ids.iter().zip(values) {
            writeln!(lines, "{id} {value}")?;
        }
        let found: String = Sha256::digest(lines).iter().map(|byte| format!("{byte:02x}")).collect();
        let stated = self.facts[algorithm]["sha256_id_space_value_lf_sorted_by_id"].as_str();
        if stated == Some(&found) {
            return Ok(());
        }
        let reached = values.iter().filter(|value| **value != UNREACHED);
        let sum: u64 = reached.clone().sum();
        let facts = &self.facts[algorithm];
        Err(format!(
            "{algorithm}: checksum {found} differs; sum {sum}, stated {}; largest {:?}, stated {}",
            facts["sum"],
            reached.max(),
            facts["max"]
        )
        .into())
    }

    /// Returns all recorded values, or a sample and the ten largest values if not all are recorded.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or no values are recorded.
    pub fn values(&self, algorithm: &str) -> Result<Published, DataError> {
        let facts = &self.facts[algorithm];
        if let Some(file) = facts["full"].as_str() {
            return listed(&self.folder.join(file));
        }
        let pair = |entry: &Value| -> Option<(u64, f64)> {
            match entry.as_str() {
                Some(line) => pair(line),
                None => Some((entry[0].as_u64()?, entry[1].as_f64().or_else(|| entry[1].as_str()?.parse().ok())?)),
            }
        };
        let lists = ["samples", "top10"].into_iter().filter_map(|list| facts[list].as_array()).flatten();
        let values: Option<Published> = lists.map(pair).collect();
        match values {
            Some(values) if !values.is_empty() => Ok(values),
            _ => Err(format!("no values of {algorithm} are stated").into()),
        }
    }
}

impl Data {
    /// Returns the values of a published answer from a file below `published/`.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn published(&self, file: &str) -> Result<Published, DataError> {
        listed(&self.path("published").join(file))
    }
}

fn listed(path: &Path) -> Result<Published, DataError> {
    let content = text(path)?;
    let lines = content.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| pair(line).ok_or_else(|| at(path, format_args!("`{line}` is no ID and value")))).collect()
}

fn pair(line: &str) -> Option<(u64, f64)> {
    let mut words = line.split_ascii_whitespace();
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}
