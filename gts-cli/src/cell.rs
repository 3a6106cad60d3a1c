//! Cells of tables, as text and as JSON.

use crate::lines::printable;
use gts_graph::algorithm::Scalar;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io::{self, Write};

/// A cell of a table.
pub(crate) enum Cell<'a> {
    Null,
    Text(Cow<'a, str>),
    Value(Scalar),
}

impl Cell<'_> {
    /// Returns the cell for readers. Numbers have no separators, as in files.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Text(name) => printable(name).into_owned(),
            Self::Value(value) => value.to_string(),
        }
    }

    /// Returns the cell as JSON.
    pub(crate) fn json(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Text(name) => (**name).into(),
            Self::Value(value) => scalar_json(*value),
        }
    }
}

/// Appends a value to a text, as files contain it.
pub(crate) fn put(value: Scalar, text: &mut Vec<u8>) -> io::Result<()> {
    match value {
        Scalar::Unsigned(number) => text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
        Scalar::Signed(number) => text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
        _ => write!(text, "{value}")?,
    }
    Ok(())
}

/// Converts a value to JSON, which supports neither infinity nor NaN.
pub(crate) fn scalar_json(value: Scalar) -> Value {
    match value {
        Scalar::Unsigned(number) => json!(number),
        Scalar::Signed(number) => json!(number),
        // Through its shortest text: a conversion to f64 would add meaningless digits.
        Scalar::Single(number) => number.to_string().parse::<f64>().map_or(Value::Null, |number| json!(number)),
        Scalar::Real(number) => json!(number),
        Scalar::Flag(flag) => json!(flag),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_no_infinity() {
        assert_eq!(scalar_json(Scalar::Single(f32::INFINITY)), Value::Null);
        assert_eq!(scalar_json(Scalar::Single(0.1)), json!(0.1));
    }
}
