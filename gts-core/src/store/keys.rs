//! The description of a store's keys in its manifest.

use super::files::FileName;
use crate::graph::{KeyForm, KeyKind, KeyNames, KeySource};

/// The beginning of the value if keys have sides.
const SIDED: &str = "sided ";

/// The description of the keys of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoredKeys {
    /// The form of the keys. If they have sides, the left vertices are the rows of the bipartite graph.
    pub(crate) form: KeyForm,
    /// The first original ID if the IDs are consecutive; otherwise `None`, and a table contains the IDs.
    pub(crate) first: Option<u64>,
    /// Bytes of names or UUIDs; 0 if keys are integers.
    pub(crate) names: u64,
}

impl StoredKeys {
    /// Returns the description of keys whose original IDs are consecutive from `first`, or listed.
    pub(crate) fn of(keys: &KeySource, first: Option<u64>) -> Self {
        let names = if let KeySource::Names(names) = keys { names.bytes() } else { 0 };
        Self { form: keys.form(), first, names }
    }

    /// Returns the files of the keys of `vertices` vertices, with their sizes. Returns `None` if a size exceeds 64 bits.
    pub(super) fn files(&self, vertices: u64) -> Option<Vec<(FileName, u64)>> {
        if self.form.kind.is_bytes() {
            let index = KeyNames::index_len(vertices).checked_mul(8)?;
            return Some(vec![(FileName::Names, self.names), (FileName::NamesIndex, index)]);
        }
        Some(match self.first {
            Some(_) => Vec::new(),
            None => vec![(FileName::Ids, vertices.checked_mul(8)?)],
        })
    }

    /// Returns the value of the manifest's line.
    pub(super) fn text(&self) -> String {
        let integers = || self.first.map_or_else(|| "list".to_owned(), |first| format!("from {first}"));
        let keys = match self.form.kind {
            KeyKind::Number => integers(),
            KeyKind::Signed => format!("signed {}", integers()),
            KeyKind::Uuid => "uuid".to_owned(),
            KeyKind::Text => format!("text {}", self.names),
        };
        if self.form.has_sides { format!("{SIDED}{keys}") } else { keys }
    }

    /// Parses the value of the manifest's line for a graph of `vertices` vertices.
    pub(super) fn parse(text: &str, vertices: u64) -> Option<Self> {
        let number = |text: &str| text.parse::<u64>().ok().filter(|number| number.to_string() == text);
        let (has_sides, text) = text.strip_prefix(SIDED).map_or((false, text), |text| (true, text));
        let form = |kind| KeyForm { kind, has_sides };
        if text == "uuid" {
            let names = vertices.checked_mul(if has_sides { 17 } else { 16 })?;
            return Some(Self { form: form(KeyKind::Uuid), first: Some(0), names });
        }
        if let Some(bytes) = text.strip_prefix("text ") {
            return Some(Self { form: form(KeyKind::Text), first: Some(0), names: number(bytes)? });
        }
        let (kind, text) = match text.strip_prefix("signed ") {
            Some(rest) => (KeyKind::Signed, rest),
            None => (KeyKind::Number, text),
        };
        if text == "list" {
            return Some(Self { form: form(kind), first: None, names: 0 });
        }
        let first = text.strip_prefix("from ").and_then(number)?;
        // The last ID must fit in 64 bits.
        first.checked_add(vertices.saturating_sub(1))?;
        Some(Self { form: form(kind), first: Some(first), names: 0 })
    }
}
