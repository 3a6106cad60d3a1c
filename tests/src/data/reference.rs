//! Computed and published answers.

use super::{Data, DataError, PlainGraph, at, text};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Level of unreached vertices in the files.
pub const UNREACHED: u64 = 9_223_372_036_854_775_807;

/// The computed answers of one graph.
#[derive(Clone, Debug)]
pub struct Reference {
    folder: PathBuf,
    facts: Value,
}

/// One value per vertex as listed in a file: (ID, value), ascending.
pub type Published = Vec<(u64, f64)>;

impl Reference {
    pub(super) fn open(folder: &Path, name: &str) -> Result<Self, DataError> {
        let path = folder.join(format!("{name}.json"));
        // The files contain infinity as a bare word, which is not valid JSON.
        let json = text(&path)?.replace(" Infinity", " \"inf\"");
        let facts = serde_json::from_str(&json).map_err(|error| at(&path, error))?;
        Ok(Self { folder: folder.to_owned(), facts })
    }

    /// Returns the source vertex of traversals.
    ///
    /// # Errors
    ///
    /// The reference has no source.
    pub fn source(&self) -> Result<u64, DataError> {
        Ok(self.facts["source"].as_u64().ok_or("the reference states no source")?)
    }

    /// Returns whether there is an answer with this name.
    pub fn has(&self, algorithm: &str) -> bool {
        self.facts[algorithm].is_object()
    }

    /// Returns an answer that is one number.
    pub fn count(&self, algorithm: &str) -> Option<u64> {
        self.facts[algorithm].as_u64()
    }

    /// Returns a number among the facts of an answer.
    pub fn number(&self, algorithm: &str, fact: &str) -> Option<f64> {
        self.facts[algorithm][fact].as_f64()
    }

    /// Returns the source vertices of betweenness; empty if there is no such answer.
    pub fn sources(&self) -> Vec<u64> {
        self.facts["bc"]["sources"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect()
    }

    /// Returns the numbers of vertices and arcs of the canonical graph.
    pub fn size(&self) -> (Option<u64>, Option<u64>) {
        (self.facts["vertices"].as_u64(), self.facts["arcs_canonical"].as_u64())
    }

    /// Compares whole numbers with the recorded sum, largest value and SHA-256 of `id value` lines.
    ///
    /// # Errors
    ///
    /// The difference.
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

    /// Returns the recorded values: all of them, or samples and the ten largest.
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
    /// Returns the values of a published answer, a file below `published/`.
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
