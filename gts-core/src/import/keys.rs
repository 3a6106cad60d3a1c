//! Reads the keys of vertices in tables.

use super::key_kind::signed;
use super::scan::{Cursor, Fault, Problem, leading_integer};
use crate::build::EdgeBatch;
use crate::graph::{KeyKind, is_text, number_of_signed, uuid};
use std::borrow::Cow;

/// A way to read keys. The result is an original ID, or the place of a key in the batch.
pub(super) trait KeyReader: Copy {
    /// Whether a line may be read as two integers that are the original IDs.
    const PLAIN: bool;

    /// Reads the key at the cursor, which a blank or the end of the line must follow.
    fn word(self, cursor: &mut Cursor<'_>, batch: &mut EdgeBatch) -> Result<u64, Fault>;

    /// Reads a field of a table. In a quoted field, two quotes represent one.
    fn field(self, field: &[u8], quoted: bool, batch: &mut EdgeBatch) -> Result<u64, Problem>;

    /// Reads a field of a table that contains a target.
    #[inline]
    fn target(self, field: &[u8], quoted: bool, batch: &mut EdgeBatch) -> Result<u64, Problem> {
        self.field(field, quoted, batch)
    }
}

/// Reads integers that are not negative.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    /// Whether a format that defines numbers accepts leading zeros, rather than a table, in which `007` may be a name.
    pub(super) defined: bool,
}

impl Numbers {
    fn problem(self) -> Problem {
        if self.defined { Problem::Id } else { Problem::Key(KeyKind::Number) }
    }

    /// Refuses leading zeros in a table.
    #[inline]
    fn check(self, text: &[u8]) -> bool {
        self.defined || text.first() != Some(&b'0') || !text.get(1).is_some_and(u8::is_ascii_digit)
    }
}

impl KeyReader for Numbers {
    const PLAIN: bool = true;

    #[inline]
    fn word(self, cursor: &mut Cursor<'_>, _: &mut EdgeBatch) -> Result<u64, Fault> {
        let start = cursor.at;
        let number = cursor.unsigned(self.problem())?;
        match self.check(&cursor.text[start..]) {
            true => Ok(number),
            false => Err(Fault { at: start, problem: self.problem() }),
        }
    }

    #[inline]
    fn field(self, field: &[u8], _: bool, _: &mut EdgeBatch) -> Result<u64, Problem> {
        let (number, length) = leading_integer(field);
        number.filter(|_| length == field.len() && self.check(field)).ok_or(self.problem())
    }
}

/// Reads keys of another type.
#[derive(Clone, Copy)]
pub(super) struct Others(pub(super) KeyKind);

impl KeyReader for Others {
    const PLAIN: bool = false;

    fn word(self, cursor: &mut Cursor<'_>, batch: &mut EdgeBatch) -> Result<u64, Fault> {
        let at = cursor.at;
        self.field(cursor.word(), false, batch).map_err(|problem| Fault { at, problem })
    }

    fn field(self, field: &[u8], quoted: bool, batch: &mut EdgeBatch) -> Result<u64, Problem> {
        let key = match self.0 {
            KeyKind::Text if quoted => unquoted(field),
            _ => Cow::Borrowed(field),
        };
        let read = match self.0 {
            KeyKind::Uuid => uuid(&key).map(|uuid| batch.add_key(&uuid)),
            KeyKind::Text => is_text(&key).then(|| batch.add_key(&key)),
            KeyKind::Signed | KeyKind::Number => signed(&key).map(number_of_signed),
        };
        read.ok_or(Problem::Key(self.0))
    }
}

/// Reads vertices' numbers, and their labels in place of targets.
#[derive(Clone, Copy)]
pub(super) struct LabelledNumbers;

impl KeyReader for LabelledNumbers {
    const PLAIN: bool = false;

    fn word(self, cursor: &mut Cursor<'_>, batch: &mut EdgeBatch) -> Result<u64, Fault> {
        Numbers { defined: true }.word(cursor, batch)
    }

    fn field(self, field: &[u8], quoted: bool, batch: &mut EdgeBatch) -> Result<u64, Problem> {
        Numbers { defined: true }.field(field, quoted, batch)
    }

    fn target(self, field: &[u8], quoted: bool, batch: &mut EdgeBatch) -> Result<u64, Problem> {
        Others(KeyKind::Text).field(field, quoted, batch)
    }
}

/// Returns the text of a quoted field, in which two quotes represent one.
fn unquoted(field: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memmem::find(field, b"\"\"").is_none() {
        return Cow::Borrowed(field);
    }
    let mut text = Vec::with_capacity(field.len());
    let mut bytes = field.iter().peekable();
    while let Some(&byte) = bytes.next() {
        text.push(byte);
        if byte == b'"' && bytes.peek() == Some(&&b'"') {
            bytes.next();
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::super::key_kind::kind_of;
    use super::*;

    #[test]
    fn the_first_edge_determines_the_type_of_keys() {
        let uuid = "123e4567-e89b-12d3-a456-426614174000";
        for (ends, kind) in [
            (["1", "2"], KeyKind::Number),
            (["-1", "2"], KeyKind::Number),
            (["1.0", "a"], KeyKind::Number),
            (["", "a"], KeyKind::Text),
            (["", ""], KeyKind::Number),
            ([uuid, uuid], KeyKind::Uuid),
            ([uuid, "a"], KeyKind::Text),
            (["nan", "3com"], KeyKind::Text),
        ] {
            assert_eq!(kind_of(ends), kind, "{ends:?}");
        }
    }

    #[test]
    fn two_quotes_in_a_quoted_field_are_one() {
        let mut batch = EdgeBatch::default();
        let place = Others(KeyKind::Text).field(b"a \"\"b\"\"", true, &mut batch).unwrap();
        assert_eq!(batch.text[EdgeBatch::key_range(place)], *b"a \"b\"");
        let place = Others(KeyKind::Text).field(b"a\"\"b", false, &mut batch).unwrap();
        assert_eq!(batch.text[EdgeBatch::key_range(place)], *b"a\"\"b");
    }
}
