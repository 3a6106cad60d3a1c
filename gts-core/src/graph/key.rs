//! Keys: the names of vertices in files, arguments and answers.

use crate::advice::{Advice, Explain};
use gts_contract::language::Code;
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// Maximum number of bytes in a text key.
pub const LONGEST_KEY: usize = 64 << 10;

/// The name of the left side of a bipartite graph.
pub(crate) const LEFT: &str = "left";
/// The name of the right side of a bipartite graph.
pub(crate) const RIGHT: &str = "right";

/// Maximum number of bytes of a text key that a message contains.
const SHOWN: usize = 80;

/// The type of a graph's keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// Integers from 0 to 2^64 - 1.
    #[default]
    Number,
    /// Integers from -2^63 to 2^63 - 1.
    Signed,
    /// UUIDs, such as `123e4567-e89b-12d3-a456-426614174000`.
    Uuid,
    /// UTF-8 text of 1 byte to 64 KiB, without NUL and line breaks.
    Text,
}

/// The form of a graph's keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct KeyForm {
    pub(crate) kind: KeyKind,
    /// Whether left and right vertices have keys of their own. If so, the bytes of a name or a UUID begin with a byte for
    /// its side: 0 or 1.
    pub(crate) has_sides: bool,
}

/// The key of a vertex. All keys of a graph have one type.
///
/// Integers that are not negative convert to [`Key::Number`]. A graph with signed keys, and one with UUIDs as text, finds
/// a vertex by any key with the same meaning.
///
/// ```
/// use gts_core::graph::Key;
///
/// assert_eq!(Key::from(7), Key::Number(7));
/// assert_eq!(Key::from("libc6").to_string(), "libc6");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key<'a> {
    /// An integer that is not negative.
    Number(u64),
    /// An integer with a sign.
    Signed(i64),
    /// The bytes of a UUID.
    Uuid([u8; 16]),
    /// A name.
    Text(Cow<'a, str>),
    /// The key of a left vertex of a bipartite graph with two name spaces.
    Left(Box<Self>),
    /// The key of a right vertex of a bipartite graph with two name spaces.
    Right(Box<Self>),
}

impl KeyKind {
    /// All types of keys.
    pub const ALL: [Self; 4] = [Self::Number, Self::Signed, Self::Uuid, Self::Text];

    /// Returns the name of the type, as flags and stores contain it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Signed => "signed",
            Self::Uuid => "uuid",
            Self::Text => "text",
        }
    }

    /// Returns the plural of the type for messages.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Number => "numbers",
            Self::Signed => "signed numbers",
            Self::Uuid => "UUIDs",
            Self::Text => "names",
        }
    }

    /// Returns whether keys are byte strings rather than integers.
    pub(crate) const fn is_bytes(self) -> bool {
        matches!(self, Self::Uuid | Self::Text)
    }

    /// Parses a key of this type; `None` if the text is no such key.
    pub fn parse(self, text: &str) -> Option<Key<'_>> {
        match self {
            Self::Number => text.parse().ok().map(Key::Number),
            Self::Signed => text.parse().ok().map(Key::Signed),
            Self::Uuid => uuid(text.as_bytes()).map(Key::Uuid),
            Self::Text => is_text(text.as_bytes()).then_some(Key::Text(Cow::Borrowed(text))),
        }
    }
}

impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for a text that does not name a type of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected number, signed, uuid or text")]
pub struct UnknownKeyKind;

impl Explain for UnknownKeyKind {
    fn code(&self) -> Code {
        Code::InvalidArgument
    }

    fn advice(&self) -> Option<Advice> {
        None
    }
}

impl FromStr for KeyKind {
    type Err = UnknownKeyKind;

    fn from_str(text: &str) -> Result<Self, UnknownKeyKind> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or(UnknownKeyKind)
    }
}

impl Key<'_> {
    /// Returns the type of the key.
    pub fn kind(&self) -> KeyKind {
        match self {
            Self::Number(_) => KeyKind::Number,
            Self::Signed(_) => KeyKind::Signed,
            Self::Uuid(_) => KeyKind::Uuid,
            Self::Text(_) => KeyKind::Text,
            Self::Left(key) | Self::Right(key) => key.kind(),
        }
    }

    /// Returns the side of the vertex, `left` or `right`; `None` if the key names none.
    pub fn side(&self) -> Option<&'static str> {
        match self {
            Self::Left(_) => Some(LEFT),
            Self::Right(_) => Some(RIGHT),
            _ => None,
        }
    }

    /// Returns the key without its side.
    pub fn without_side(self) -> Self {
        match self {
            Self::Left(key) | Self::Right(key) => key.without_side(),
            key => key,
        }
    }

    /// Returns the key without borrowed text.
    pub fn into_owned(self) -> Key<'static> {
        match self {
            Self::Number(number) => Key::Number(number),
            Self::Signed(number) => Key::Signed(number),
            Self::Uuid(bytes) => Key::Uuid(bytes),
            Self::Text(text) => Key::Text(Cow::Owned(text.into_owned())),
            Self::Left(key) => Key::Left(Box::new(key.into_owned())),
            Self::Right(key) => Key::Right(Box::new(key.into_owned())),
        }
    }

    /// Returns the key for a message on a terminal: a name is in backquotes, shortened, and without control characters.
    pub fn shown(&self) -> String {
        let text = match self {
            Self::Text(text) => text,
            Self::Left(key) => return format!("{LEFT}:{}", key.shown()),
            Self::Right(key) => return format!("{RIGHT}:{}", key.shown()),
            _ => return self.to_string(),
        };
        let mut shown = String::from("`");
        for c in text.chars() {
            if shown.len() > SHOWN {
                shown.push('…');
                break;
            }
            match c.is_control() {
                true => shown.extend(c.escape_default()),
                false => shown.push(c),
            }
        }
        shown.push('`');
        shown
    }

    /// Returns the key as a key of another type with the same meaning; `None` if there is none.
    fn to_kind(&self, kind: KeyKind) -> Option<Key<'_>> {
        match (self, kind) {
            (&Self::Number(number), KeyKind::Number) => Some(Key::Number(number)),
            (&Self::Number(number), KeyKind::Signed) => i64::try_from(number).ok().map(Key::Signed),
            (&Self::Signed(number), KeyKind::Number) => u64::try_from(number).ok().map(Key::Number),
            (&Self::Signed(number), KeyKind::Signed) => Some(Key::Signed(number)),
            (&Self::Uuid(bytes), KeyKind::Uuid) => Some(Key::Uuid(bytes)),
            (Self::Text(text), KeyKind::Uuid) => uuid(text.as_bytes()).map(Key::Uuid),
            (Self::Text(text), KeyKind::Text) => Some(Key::Text(Cow::Borrowed(text))),
            _ => None,
        }
    }

    /// Returns the key as a key of a graph with the same meaning; `None` if there is none.
    pub(crate) fn to_form(&self, form: KeyForm) -> Option<Key<'_>> {
        match self {
            Self::Left(key) if form.has_sides => key.to_kind(form.kind).map(|key| Key::Left(Box::new(key))),
            Self::Right(key) if form.has_sides => key.to_kind(form.kind).map(|key| Key::Right(Box::new(key))),
            key if !form.has_sides => key.to_kind(form.kind),
            _ => None,
        }
    }

    /// Returns the bytes of a name or a UUID, after those of its side.
    pub(crate) fn to_bytes(&self) -> Cow<'_, [u8]> {
        let sided = |side: u8, key: &Self| Cow::Owned([&[side], &*key.to_bytes()].concat());
        match self {
            Self::Text(text) => Cow::Borrowed(text.as_bytes()),
            Self::Uuid(bytes) => Cow::Borrowed(bytes),
            Self::Left(key) => sided(0, key),
            Self::Right(key) => sided(1, key),
            Self::Number(_) | Self::Signed(_) => Cow::default(),
        }
    }
}

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Signed(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
            Self::Left(key) => write!(f, "{LEFT}:{key}"),
            Self::Right(key) => write!(f, "{RIGHT}:{key}"),
            Self::Uuid(bytes) => {
                for (place, byte) in bytes.iter().enumerate() {
                    let hyphen = if matches!(place, 4 | 6 | 8 | 10) { "-" } else { "" };
                    write!(f, "{hyphen}{byte:02x}")?;
                }
                Ok(())
            }
        }
    }
}

macro_rules! from_integers {
    ($($unsigned:ty),+; $($signed:ty),+) => {
        $(impl From<$unsigned> for Key<'_> {
            fn from(number: $unsigned) -> Self {
                Self::Number(number as u64)
            }
        })+
        $(impl From<$signed> for Key<'_> {
            fn from(number: $signed) -> Self {
                match u64::try_from(number) {
                    Ok(number) => Self::Number(number),
                    Err(_) => Self::Signed(i64::from(number)),
                }
            }
        })+
    };
}

from_integers!(u64, u32, usize; i64, i32);

impl<'a> From<&'a str> for Key<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for Key<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Key<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<[u8; 16]> for Key<'_> {
    fn from(uuid: [u8; 16]) -> Self {
        Self::Uuid(uuid)
    }
}

/// Returns the number of a signed key, which has the order of the keys.
pub const fn number_of_signed(key: i64) -> u64 {
    key as u64 ^ (1 << 63)
}

/// Returns the signed key of a number.
pub(crate) const fn signed_of_number(number: u64) -> i64 {
    (number ^ (1 << 63)) as i64
}

/// Returns whether bytes are a text key.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    let length = (1..=LONGEST_KEY).contains(&bytes.len());
    length && memchr::memchr3(0, b'\n', b'\r', bytes).is_none() && std::str::from_utf8(bytes).is_ok()
}

/// Parses a UUID; `None` if the text is none.
pub fn uuid(text: &[u8]) -> Option<[u8; 16]> {
    let text: &[u8; 36] = text.try_into().ok()?;
    let mut bytes = [0; 16];
    let mut at = 0;
    for (place, byte) in bytes.iter_mut().enumerate() {
        if matches!(place, 4 | 6 | 8 | 10) {
            if text[at] != b'-' {
                return None;
            }
            at += 1;
        }
        let digit = |sign: u8| char::from(sign).to_digit(16).map(|digit| digit as u8);
        *byte = digit(text[at])? << 4 | digit(text[at + 1])?;
        at += 2;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_have_a_text_and_are_parsed_by_their_type() {
        let uuid = "123e4567-e89b-12d3-a456-426614174000";
        for (kind, text) in
            [(KeyKind::Number, "7"), (KeyKind::Signed, "-7"), (KeyKind::Uuid, uuid), (KeyKind::Text, "a b")]
        {
            assert_eq!(kind.parse(text).map(|key| (key.kind(), key.to_string())), Some((kind, text.to_owned())));
        }
        for (kind, text) in [
            (KeyKind::Number, "-7"),
            (KeyKind::Signed, "9223372036854775808"),
            (KeyKind::Uuid, "123e4567e89b12d3a456426614174000"),
            (KeyKind::Uuid, "123e4567-e89b-12d3-a456-42661417400g"),
            (KeyKind::Text, ""),
            (KeyKind::Text, "a\nb"),
            (KeyKind::Text, "a\0"),
        ] {
            assert_eq!(kind.parse(text), None, "{text}");
        }
    }

    #[test]
    fn names_are_escaped_and_shortened_for_a_terminal() {
        assert_eq!(Key::from("a\u{1b}[2Jb").shown(), "`a\\u{1b}[2Jb`");
        assert!(Key::from("x".repeat(1000)).shown().len() < 100);
        assert_eq!(Key::from(-3).shown(), "-3");
    }

    proptest! {
        #[test]
        fn numbers_of_signed_keys_ascend(one: i64, other: i64) {
            prop_assert_eq!(one.cmp(&other), number_of_signed(one).cmp(&number_of_signed(other)));
            prop_assert_eq!(signed_of_number(number_of_signed(one)), one);
        }
    }
}
