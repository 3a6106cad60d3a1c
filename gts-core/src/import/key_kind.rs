//! The type of the keys in a table, and what to do about text that is no such key.

use crate::graph::{KeyKind, uuid};

/// Parses a signed integer in its usual form, without a plus sign or leading zeros.
pub(super) fn signed(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let usual = digits.first() != Some(&b'0') || text == b"0";
    let text = std::str::from_utf8(text).ok().filter(|text| usual && !text.starts_with('+'))?;
    text.parse().ok()
}

/// Determines the type of keys from both ends of the first edge. Numbers in an unusual form count as numbers, so that the
/// reader refuses them and names the flag that reads them.
pub(super) fn kind_of(ends: [&str; 2]) -> KeyKind {
    let all = |is: fn(&str) -> bool| ends.iter().all(|end| end.is_empty() || is(end));
    if ends.concat().is_empty() {
        KeyKind::Number
    } else if all(|end| uuid(end.as_bytes()).is_some()) {
        KeyKind::Uuid
    } else if all(|end| !is_like_a_number(end)) {
        KeyKind::Text
    } else {
        KeyKind::Number
    }
}

/// Returns whether a field is a number, in any form.
pub(super) fn is_like_a_number(field: &str) -> bool {
    let begins = field.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    begins && field.parse::<f64>().is_ok()
}

/// Returns the next step for text that is not a key of a type.
pub(super) fn advice(kind: KeyKind, key: &[u8]) -> &'static str {
    let key = key.strip_prefix(b"\"").map_or(key, |key| key.strip_suffix(b"\"").unwrap_or(key));
    let text = std::str::from_utf8(key).unwrap_or_default();
    let digits = key.iter().filter(|byte| byte.is_ascii_digit()).count();
    match kind {
        _ if matches!(key, [] | [b'\r' | b'\n' | b'\t' | b',' | b';', ..]) => {
            "write the key that is missing, or delete the line"
        }
        KeyKind::Text => "correct the line; `iconv -f latin1 -t utf-8` converts text that is not UTF-8",
        KeyKind::Signed | KeyKind::Uuid => "correct the line, or read all keys as names: `--keys text`",
        KeyKind::Number if uuid(key).is_some() => "read the keys as UUIDs: `--keys uuid`",
        KeyKind::Number if is_like_a_number(text) => match key {
            [b'-', ..] if signed(key).is_some() => "read the keys as signed numbers: `--keys signed`",
            [b'0', ..] if key.len() == digits => {
                "write the ID without leading zeros, or read all keys as names: `--keys text`"
            }
            _ if key.len() == digits => "IDs have at most 64 bits: read all keys as names, `--keys text`",
            _ if key.iter().any(|byte| matches!(byte, b'e' | b'E')) => {
                "write the ID with all its digits, without an exponent, as R does after `options(scipen = 999)`; or read \
                 all keys as names: `--keys text`"
            }
            _ if key.contains(&b'.') => {
                "write the ID without a point, as pandas does after `astype(\"Int64\")`; or read all keys as names: \
                 `--keys text`"
            }
            _ => "write the ID without its sign, or read all keys as names: `--keys text`",
        },
        KeyKind::Number if key.iter().any(u8::is_ascii_control) => "correct the line",
        KeyKind::Number => "correct the line, or read all keys as names: `--keys text`",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_numbers_have_one_form() {
        assert_eq!([signed(b"-7"), signed(b"0"), signed(b"12")], [Some(-7), Some(0), Some(12)]);
        for text in ["-0", "007", "-07", "+7", "", "-", "1.0", "9223372036854775808"] {
            assert_eq!(signed(text.as_bytes()), None, "{text}");
        }
    }
}
