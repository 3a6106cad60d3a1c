//! Parses numbers and blanks in text, and describes faults in text.

use super::{ImportError, key_kind};
use crate::graph::KeyKind;
use gts_contract::ScalarType;
use memchr::memchr;
use std::fmt::Write;
use std::path::Path;

/// A position in a text, and the problem at this position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The offset of the position in the text.
    pub(super) at: usize,
    pub(super) problem: Problem,
}

/// A problem in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// The text is not a vertex ID.
    Id,
    /// The text is not a key of the given type.
    Key(KeyKind),
    /// The number is outside the range declared in the header.
    OutOfRange { what: &'static str, max: u64 },
    /// The .v file does not list the vertex.
    Undeclared,
    /// The text is not a number that can be a weight.
    Weight,
    /// The text is not a number with a decimal comma.
    CommaWeight,
    /// The requested type cannot represent the weight.
    Misfit(ScalarType),
    /// The integer cannot be represented exactly, and no weight type was requested.
    LargeInteger,
    /// The number of fields differs from that of the first record.
    Fields { expected: usize, found: usize, advice: &'static str },
    /// The delimiter differs from that of the first record.
    Delimiter { expected: &'static str, found: &'static str },
    /// An arc at the given line and column precedes the header.
    BeforeHeader { line: u64, column: u64 },
    /// The line contains more text than the format allows.
    LineEnd,
    /// The byte cannot occur in text.
    Binary,
    /// The closing quote is missing.
    Quote,
    /// Any other problem: a description of the required text, and the advice.
    Expected { what: &'static str, advice: &'static str },
}

/// The advice for a line with a wrong number of fields.
pub(super) const CORRECT_FIELDS: &str =
    "correct the line; `--format adjacency` reads a vertex and its neighbours on each line";

impl Problem {
    /// Returns a description of the text or the cell that can be read.
    pub(super) fn expected(self) -> String {
        match self {
            Self::Id => "a vertex ID, an integer of 0 to 18446744073709551615".into(),
            Self::Key(KeyKind::Number) => "a vertex ID, an integer of 0 to 18446744073709551615".into(),
            Self::Key(KeyKind::Signed) => "a signed number, an integer of -2^63 to 2^63 - 1".into(),
            Self::Key(KeyKind::Uuid) => "a UUID, such as 123e4567-e89b-12d3-a456-426614174000".into(),
            Self::Key(KeyKind::Text) => "a name, UTF-8 text of 1 byte to 64 KiB".into(),
            Self::OutOfRange { what, max } => format!("{what} of 1 to {max}, as the header declares"),
            Self::Undeclared => "a vertex that the .v file lists".into(),
            Self::Weight => "a weight, a finite number".into(),
            Self::CommaWeight => "a weight, a number with a decimal comma and without a point".into(),
            Self::Misfit(ty) => format!("a weight that a {ty} holds"),
            Self::LargeInteger => "a weight of at most 2^53, the largest kept exactly without a type".into(),
            Self::Fields { expected, .. } => format!("{}, as in the first record", fields(expected)),
            Self::Delimiter { expected, .. } => format!("fields apart by {expected}, as in the first record"),
            Self::BeforeHeader { .. } => "the problem line `p sp VERTICES ARCS` before the first arc".into(),
            Self::LineEnd => "the end of the line".into(),
            Self::Binary => "text".into(),
            Self::Quote => "a field whose quotes end on its line".into(),
            Self::Expected { what, .. } => what.into(),
        }
    }

    /// Returns the next step.
    pub(super) fn advice(self) -> &'static str {
        match self {
            Self::Id | Self::Key(_) => "correct the line",
            Self::OutOfRange { .. } => "correct the line or the header",
            Self::Undeclared => "add the vertex to the .v file, or read the .e file as `edges`",
            Self::Weight => "correct the weight, or leave weights out with `--weights none`",
            Self::CommaWeight => "correct the line, or leave --decimal-comma out",
            Self::Misfit(_) => "ask for another type of weights, such as `--weights f64`",
            Self::LargeInteger => "ask for `--weights u64` or `--weights f64`",
            Self::Delimiter { .. } => "use one delimiter in the whole file",
            Self::BeforeHeader { .. } => "move the problem line to the top, or delete it",
            Self::LineEnd => "correct the line",
            Self::Binary => "the file is binary or damaged: name a text file, or fetch it again",
            Self::Quote => "correct the line; line breaks inside of quotes are not read",
            Self::Expected { advice, .. } | Self::Fields { advice, .. } => advice,
        }
    }

    /// Returns the error for this problem. `text` begins at the position of the fault.
    pub(super) fn error(self, path: &Path, line: u64, column: u64, text: &[u8]) -> ImportError {
        let (line, column) = match self {
            Self::BeforeHeader { line, column } => (line, column),
            _ => (line, column),
        };
        let found = match (self, text.first()) {
            (Self::Fields { found, .. }, _) => found.to_string(),
            (Self::Delimiter { found, .. }, _) => format!("fields apart by {found}"),
            (Self::BeforeHeader { .. }, _) => "an arc".into(),
            (_, None) => "the end of the file".into(),
            (_, Some(b'\n' | b'\r')) => "the end of the line".into(),
            (_, Some(0)) => "a NUL byte".into(),
            (_, Some(_)) => quoted(token(text, self)),
        };
        ImportError::Malformed {
            path: path.into(),
            line,
            column,
            expected: self.expected(),
            found,
            advice: match self {
                Self::Weight if has_decimal_comma(text) => "read commas as decimal points: `--decimal-comma`",
                Self::Id => advice_on_id(text),
                Self::Key(kind) => key_kind::advice(kind, token(text, self)),
                _ => self.advice(),
            },
        }
    }
}

/// Returns the advice for text that is not a vertex ID.
fn advice_on_id(text: &[u8]) -> &'static str {
    let id = token(text, Problem::Id);
    let id = id.strip_prefix(b"\"").map_or(id, |id| id.strip_suffix(b"\"").unwrap_or(id));
    let digits = id.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_number = std::str::from_utf8(id).is_ok_and(|id| id.parse::<f64>().is_ok_and(f64::is_finite));
    match id {
        [] | [b'\r' | b'\n' | b'\t' | b',' | b';', ..] => "write the ID that is missing, or delete the line",
        [b'-', ..] if is_number => "IDs have no sign: add a number to all of them, or correct the line",
        _ if is_number && id.len() == digits => "number the vertices from 0 on: IDs have at most 64 bits",
        _ if is_number && id.iter().any(|byte| matches!(byte, b'e' | b'E')) => {
            "write the ID with all its digits, without an exponent, as R does after `options(scipen = 999)`"
        }
        _ if is_number && id.contains(&b'.') => {
            "write the ID without a point, as pandas does after `astype(\"Int64\")`"
        }
        [b'+', ..] if is_number => "write the ID without its sign",
        _ if id.len() > digits && !id.iter().any(u8::is_ascii_control) => {
            "this format numbers its vertices: write the edges as a table, whose vertices may have names"
        }
        _ => "correct the line",
    }
}

/// Returns whether a text begins with a number that has a decimal comma.
fn has_decimal_comma(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    whole > 0 && digits.get(whole) == Some(&b',') && digits.get(whole + 1).is_some_and(u8::is_ascii_digit)
}

/// Returns the text up to the next blank or the end of the line. The text ends before a delimiter unless the delimiter
/// itself is the fault.
fn token(text: &[u8], problem: Problem) -> &[u8] {
    let mut cursor = Cursor::new(text);
    let word = cursor.word();
    let field = &word[..word.iter().skip(1).position(|b| matches!(b, b',' | b';')).map_or(word.len(), |end| end + 1)];
    // A number on its own would have been accepted, so the text after the number is the fault.
    let number = std::str::from_utf8(field).is_ok_and(|field| field.parse::<f64>().is_ok_and(f64::is_finite));
    let digits = field.iter().all(u8::is_ascii_digit);
    match problem {
        Problem::Id if digits && field.len() < 20 => word,
        // A number with leading zeros is itself the fault.
        Problem::Key(KeyKind::Number)
            if digits && field.len() < 20 && (field.first() != Some(&b'0') || field.len() == 1) =>
        {
            word
        }
        Problem::Weight if number => word,
        _ => field,
    }
}

fn fields(count: usize) -> String {
    format!("{count} field{}", if count == 1 { "" } else { "s" })
}

/// Returns the text in backquotes, in a readable and shortened form.
pub(super) fn quoted(text: &[u8]) -> String {
    const LONGEST: usize = 40;
    let shown = String::from_utf8_lossy(&text[..text.len().min(LONGEST)]);
    let mut quoted = String::from("`");
    for c in shown.chars() {
        let _ = if c.is_control() { write!(quoted, "{}", c.escape_default()) } else { write!(quoted, "{c}") };
    }
    quoted.push_str(if text.len() > LONGEST { "…`" } else { "`" });
    quoted
}

/// A set of ASCII signs, such as those that begin a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signs(u128);

impl Signs {
    /// Creates the set of the given signs. Other bytes than ASCII are left out.
    pub(super) const fn of(signs: &[u8]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < signs.len() {
            if signs[at].is_ascii() {
                bits |= 1 << signs[at];
            }
            at += 1;
        }
        Self(bits)
    }

    #[inline(always)]
    pub(super) fn contains(self, byte: u8) -> bool {
        byte.is_ascii() && self.0 >> byte & 1 == 1
    }
}

/// A position in a text that moves forward.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// Returns the byte at the current position, or a newline at the end of the text.
    #[inline]
    pub(super) fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(b'\n')
    }

    pub(super) fn ended(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(super) fn fault(&self, problem: Problem) -> Fault {
        Fault { at: self.at, problem }
    }

    #[inline]
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t') {
            self.at += 1;
        }
    }

    /// Returns whether the line ends at the current position. A carriage return ends a line only before a newline or at
    /// the end of the text.
    #[inline]
    pub(super) fn at_line_end(&self) -> bool {
        match self.peek() {
            b'\n' => true,
            b'\r' => matches!(self.text.get(self.at + 1), None | Some(b'\n')),
            _ => false,
        }
    }

    /// Moves to the beginning of the next line.
    #[inline]
    pub(super) fn next_line(&mut self) {
        // Usually the position is already at the end of the line.
        if self.peek() == b'\n' {
            self.at += 1;
        } else {
            self.at = memchr(b'\n', &self.text[self.at..]).map_or(self.text.len(), |length| self.at + length + 1);
        }
    }

    /// Returns the rest of the line, without the line ending.
    pub(super) fn line(&self) -> &'a [u8] {
        let rest = &self.text[self.at.min(self.text.len())..];
        let line = &rest[..memchr(b'\n', rest).unwrap_or(rest.len())];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Moves past blanks to the next line. Fails if other text precedes the end of the line.
    #[inline]
    pub(super) fn end_line(&mut self) -> Result<(), Fault> {
        self.skip_blanks();
        if !self.at_line_end() {
            return Err(self.fault(Problem::LineEnd));
        }
        self.next_line();
        Ok(())
    }

    /// Returns the text up to the next blank or the end of the line, and moves past it.
    pub(super) fn word(&mut self) -> &'a [u8] {
        let start = self.at;
        while !matches!(self.peek(), b' ' | b'\t') && !self.at_line_end() {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// Moves to the first non-blank byte of the next data line: a line that is not blank and does not begin with a sign
    /// in `comments`. Returns whether there is such a line.
    pub(super) fn next_data_line(&mut self, comments: Signs) -> bool {
        while !self.ended() {
            self.skip_blanks();
            if !self.at_line_end() && !comments.contains(self.peek()) {
                return true;
            }
            self.next_line();
        }
        false
    }

    /// Reads an unsigned integer, which a blank or the end of the line must follow.
    #[inline]
    pub(super) fn id(&mut self) -> Result<u64, Fault> {
        self.unsigned(Problem::Id)
    }

    #[inline]
    pub(super) fn unsigned(&mut self, problem: Problem) -> Result<u64, Fault> {
        let (n, length) = leading_integer(&self.text[self.at.min(self.text.len())..]);
        let start = self.at;
        self.at += length;
        match n {
            Some(n) if matches!(self.peek(), b' ' | b'\t' | b'\n') || self.at_line_end() => Ok(n),
            _ => Err(Fault { at: start, problem }),
        }
    }
}

/// Returns the integer at the beginning of the text, and its length. The integer is `None` if there is no digit, or if
/// the integer exceeds 64 bits.
#[inline(always)]
pub(super) fn leading_integer(text: &[u8]) -> (Option<u64>, usize) {
    let Some((chunk, rest)) = text.split_first_chunk() else { return short_text(text) };
    let (high, length) = up_to_eight_digits(*chunk);
    if length < 8 {
        return ((length > 0).then_some(high), length);
    }
    let Some((chunk, _)) = rest.split_first_chunk() else { return short_text(text) };
    match up_to_eight_digits(*chunk) {
        (_, 8) => short_text(text),
        (low, length) => (Some(high * POWERS_OF_TEN[length] + low), 8 + length),
    }
}

/// The powers of ten for appending up to seven digits.
const POWERS_OF_TEN: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// Returns the number formed by the digits at the beginning of eight bytes, and the number of digits.
#[inline(always)]
fn up_to_eight_digits(text: [u8; 8]) -> (u64, usize) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    // Digits become 0 to 9. Adding 0x76 sets the top bit of any other byte. Carries only affect bytes beyond the first
    // such byte.
    let bytes = u64::from_le_bytes(text) ^ (0x30 * EACH);
    let others = (bytes.wrapping_add(0x76 * EACH) | bytes) & (0x80 * EACH);
    let length = others.trailing_zeros() / 8;
    // Zeros are shifted in before the digits. Then neighbours are joined into numbers of two, four and eight digits.
    let digits = bytes.checked_shl(64 - 8 * length).unwrap_or(0);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    ((fours.wrapping_mul(10_000).wrapping_add(fours >> 32)) & 0xffff_ffff, length as usize)
}

/// Implements [`leading_integer`] near the end of a text and for long numbers.
#[cold]
fn short_text(text: &[u8]) -> (Option<u64>, usize) {
    let (mut n, mut length) = (0u64, 0);
    for &byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        n = n.wrapping_mul(10).wrapping_add(u64::from(digit));
        length += 1;
    }
    // 19 digits always fit in 64 bits. Longer numbers are rare, and are parsed again with overflow checks.
    match length {
        0 => (None, 0),
        1..=19 => (Some(n), length),
        _ => (long_integer(&text[..length]), length),
    }
}

#[cold]
fn long_integer(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |n, digit| n.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn integers_are_read_up_to_what_is_no_digit(digits in "[0-9]{0,22}", rest in prop::collection::vec(any::<u8>(), 0..12)) {
            let mut text = digits.clone().into_bytes();
            text.extend(rest);
            let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let expected = std::str::from_utf8(&text[..length]).unwrap().parse::<u64>().ok();
            prop_assert_eq!(leading_integer(&text), (expected, length));
        }
    }
}
