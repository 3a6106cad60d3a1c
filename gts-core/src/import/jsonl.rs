//! Imports JSON Lines: an object for each edge, on a line of its own, such as `{"source": 1, "target": 2, "weight": 0.5}`.
//!
//! The names of the first object identify the ends and the weight, as those of a CSV header do. A key is a number or a
//! string. The first object determines the type of keys: strings are names or UUIDs. Further values are not read, and may
//! be of any kind. Every object must have the ends, and the weight if the first one has it.

use super::blocks::{Block, Blocks};
use super::edges::reading;
use super::key_kind::kind_of;
use super::keys::{KeyReader, Numbers, Others};
use super::parts::FileStream;
use super::scan::{Cursor, Fault, Problem, Signs};
use super::table::{Head, Refusal};
use super::text::{Lines, Piece, TextStream};
use super::value::{Reading, Seen, weight_of};
use super::{ImportError, ImportOptions};
use crate::build::{Declared, Direction};
use crate::graph::{KeyKind, uuid};
use serde::Deserializer;
use serde::de::{Deserialize, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// Nothing begins a comment.
const NO_COMMENT: Signs = Signs::of(b"");

/// Opens objects as a stream of edges.
pub(super) fn open(
    mut blocks: Blocks,
    mut block: Block,
    options: &ImportOptions,
) -> Result<Box<dyn FileStream>, ImportError> {
    let at = blocks.seek(&mut block, |cursor| cursor.next_data_line(NO_COMMENT))?;
    let text = Cursor { text: block.rest(), at }.line();
    let ObjectMembers(pairs) = match text.is_empty() {
        true => ObjectMembers(Vec::new()),
        false => parse(text).map_err(|fault| block.error(blocks.path(), Fault { at: at + fault.at, ..fault }))?,
    };
    let head = Head {
        first: pairs.iter().map(|(name, _)| name.0.to_string()).collect(),
        second: pairs.iter().map(|(_, value)| content(value).into_owned()).collect(),
        may_be_header: true,
    };
    let with_header = ImportOptions { header: Some(true), ..options.clone() };
    let refuse = |refusal: Refusal| refusal.error(blocks.path(), block.line(at));
    let (columns, keys, shown) = if head.first.is_empty() {
        (None, KeyKind::Number, String::new())
    } else {
        let (layout, _) = head.layout(&with_header).map_err(refuse)?;
        let ends = [layout.source, layout.target];
        let [source, target] = ends.map(|column| head.second[column].as_str());
        let strings = ends.iter().any(|&column| pairs[column].1.get().starts_with('"'));
        let keys = options.keys.unwrap_or_else(|| match strings {
            true if [source, target].iter().all(|end| uuid(end.as_bytes()).is_some()) => KeyKind::Uuid,
            true => KeyKind::Text,
            false => kind_of([source, target]),
        });
        let name = |column: usize| head.first[column].clone();
        let columns =
            MemberNames { source: name(layout.source), target: name(layout.target), weight: layout.weight.map(name) };
        // Objects may have further names in any order.
        let weight = columns.weight.as_ref().map_or(String::new(), |weight| format!(",{weight}"));
        let shown = format!("the names `{},{}{weight}`", columns.source, columns.target);
        (Some(columns), keys, shown)
    };
    let weighted = columns.as_ref().is_some_and(|columns| columns.weight.is_some());
    let reading = reading(weighted, options);
    let declared = Declared {
        keys,
        direction: options.direction(Direction::Directed),
        unread_weights: weighted && reading == Reading::None,
        ..Declared::default()
    };
    let names = columns.unwrap_or_default();
    let objects = Objects { names, keys, is_chosen: options.keys.is_some(), reading };
    let stream = TextStream::new(blocks, block, objects, reading, declared, Seen::default());
    Ok(Box::new(stream.with_columns(shown)))
}

/// The names of the values that make an edge.
#[derive(Default)]
struct MemberNames {
    source: String,
    target: String,
    weight: Option<String>,
}

struct Objects {
    names: MemberNames,
    keys: KeyKind,
    /// Whether the user has chosen the type of keys, so that numbers may be names.
    is_chosen: bool,
    reading: Reading,
}

impl Lines for Objects {
    fn parse(&self, text: &[u8], _row: u64, piece: &mut Piece) -> Result<(), Fault> {
        match self.keys {
            KeyKind::Number => self.parse_by(Numbers { defined: false }, text, piece),
            kind => self.parse_by(Others(kind), text, piece),
        }
    }
}

impl Objects {
    fn parse_by(&self, keys: impl KeyReader, text: &[u8], piece: &mut Piece) -> Result<(), Fault> {
        let mut cursor = Cursor::new(text);
        while cursor.next_data_line(NO_COMMENT) {
            let line = cursor.line();
            let start = cursor.at;
            self.object(keys, line, piece).map_err(|fault| Fault { at: start + fault.at, ..fault })?;
            cursor.next_line();
        }
        Ok(())
    }

    /// Reads the edge of an object.
    fn object(&self, keys: impl KeyReader, line: &[u8], piece: &mut Piece) -> Result<(), Fault> {
        let ObjectMembers(pairs) = parse::<ObjectMembers<'_>>(line)?;
        let missing = Problem::Expected {
            what: "an object with the ends of an edge, and its weight if the first object has one",
            advice: "correct the line; `--columns` names other ends, and `--weights none` leaves weights out",
        };
        let find = |wanted: &str| pairs.iter().find(|(name, _)| name.0 == wanted).map(|(_, value)| *value);
        let at = |value: &RawValue| value.get().as_ptr().addr() - line.as_ptr().addr();
        let mut end = |wanted: &str| {
            let value = find(wanted).ok_or(Fault { at: 0, problem: missing })?;
            let is_string = value.get().starts_with('"');
            let fits = self.is_chosen || is_string == self.keys.is_bytes();
            let text = content(value);
            let is_key = is_string || value.get().starts_with(|c: char| c.is_ascii_digit() || c == '-');
            let fault = |problem| Fault { at: at(value), problem };
            if !fits || !is_key {
                return Err(fault(Problem::Key(self.keys)));
            }
            keys.field(text.as_bytes(), false, &mut piece.edges).map_err(fault)
        };
        let (src, dst) = (end(&self.names.source)?, end(&self.names.target)?);
        if let Some(weight) = self.names.weight.as_deref().filter(|_| self.reading != Reading::None) {
            let value = find(weight).ok_or(Fault { at: 0, problem: missing })?;
            let bits = weight_of(value.get().as_bytes(), self.reading, &mut piece.seen);
            piece.edges.value.push(bits.map_err(|problem| Fault { at: at(value), problem })?);
        }
        piece.push(src, dst);
        Ok(())
    }
}

/// Parses a line as JSON.
fn parse<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, Fault> {
    serde_json::from_slice(line).map_err(|error| {
        let problem = Problem::Expected {
            what: "a JSON object with each name once",
            advice: "write an object for each edge, on a line of its own",
        };
        Fault { at: error.column().saturating_sub(1).min(line.len()), problem }
    })
}

/// Returns the text of a string, or the text of any other value.
fn content(value: &RawValue) -> Cow<'_, str> {
    match value.get().starts_with('"') {
        true => serde_json::from_str::<JsonText<'_>>(value.get()).map_or(Cow::Borrowed(""), |text| text.0),
        false => Cow::Borrowed(value.get()),
    }
}

/// A string, without a copy if it has no escapes.
struct JsonText<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for JsonText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Strings;
        impl<'de> Visitor<'de> for Strings {
            type Value = JsonText<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<JsonText<'de>, E> {
                Ok(JsonText(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<JsonText<'de>, E> {
                Ok(JsonText(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Strings)
    }
}

/// The names and values of an object, in the order of the text.
struct ObjectMembers<'a>(Vec<(JsonText<'a>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for ObjectMembers<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Objects;
        impl<'de> Visitor<'de> for Objects {
            type Value = ObjectMembers<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ObjectMembers<'de>, A::Error> {
                let mut pairs: Vec<(JsonText<'de>, &'de RawValue)> = Vec::new();
                while let Some((name, value)) = map.next_entry::<JsonText<'de>, &'de RawValue>()? {
                    if pairs.iter().any(|(known, _)| known.0 == name.0) {
                        return Err(A::Error::custom("a name occurs twice"));
                    }
                    pairs.push((name, value));
                }
                Ok(ObjectMembers(pairs))
            }
        }
        deserializer.deserialize_map(Objects)
    }
}
