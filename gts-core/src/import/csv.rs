//! CSV: an edge a record, fields apart by commas, semicolons or tabs, quoted where need be.
//!
//! The delimiter is the first of the three on the first record. That record is a header if its first two fields begin
//! with no digit, sign or point. A header's names tell the columns: `source`, `src`, `from` and `target`, `dst`,
//! `dest`, `to`, with `weight`, `value`, `cost`, `distance`; where it names no ends, or there is no header, the first
//! two columns are the ends and the third, if there is one, the weight. Lines that begin with `#` are comments.

use super::blocks::{Block, Blocks};
use super::scan::{Cursor, Fault, Problem, leading_integer};
use super::text::{Lines, Piece, TextStream};
use super::value::{Reading, Seen, weight_of};
use super::{ImportError, ImportOptions, Weights};
use crate::build::{Declared, Direction, EdgeStream};
use memchr::{memchr, memchr2};

const COMMENT: &[u8] = b"#";
const SOURCE: [&str; 3] = ["source", "src", "from"];
const TARGET: [&str; 4] = ["target", "dst", "dest", "to"];
const WEIGHT: [&str; 4] = ["weight", "value", "cost", "distance"];

/// Begins the records of a file.
pub(super) fn open(
    mut blocks: Blocks,
    mut block: Block,
    options: &ImportOptions,
) -> Result<Box<dyn EdgeStream>, ImportError> {
    let path = blocks.path().to_owned();
    let start = blocks.seek(&mut block, |cursor| cursor.next_data_line(COMMENT))?;
    let head = Cursor { text: block.rest(), at: start }.line();
    let layout = Layout::read(head, options).map_err(|fault| {
        let fault = Fault { at: start + fault.at, ..fault };
        block.error(&path, fault)
    })?;
    if layout.header {
        block.start += start + head.len();
    }
    let reading = match options.weights {
        Weights::As(ty) => Reading::As(ty),
        Weights::Auto if layout.weight.is_some() => Reading::Auto,
        _ => Reading::None,
    };
    let declared = Declared { direction: options.direction(Direction::Directed), ..Declared::default() };
    let records = Records { layout, reading };
    Ok(Box::new(TextStream::new(blocks, block, records, reading, declared, Seen::default())))
}

/// The first delimiter of a record, outside of quotes.
pub(super) fn delimiter(record: &[u8]) -> Option<u8> {
    let mut quoted = false;
    record.iter().copied().find(|&byte| {
        quoted ^= byte == b'"';
        !quoted && matches!(byte, b',' | b';' | b'\t')
    })
}

/// Which column is what.
#[derive(Clone, Copy, Debug)]
struct Layout {
    delimiter: u8,
    header: bool,
    source: usize,
    target: usize,
    weight: Option<usize>,
    /// Number of columns that no record may exceed, so that no weight is left out unseen.
    limit: Option<usize>,
}

impl Layout {
    fn read(head: &[u8], options: &ImportOptions) -> Result<Self, Fault> {
        let delimiter = delimiter(head).unwrap_or(b',');
        let mut fields = Vec::new();
        let mut record = Record { cursor: Cursor::new(head), delimiter };
        while let Some(field) = record.field()? {
            fields.push(String::from_utf8_lossy(field).trim().to_ascii_lowercase());
        }
        let is_name = |field: &String| {
            !field.is_empty() && !field.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
        };
        let header = fields.len() >= 2 && fields[..2].iter().all(is_name);
        let find = |names: &[&str]| fields.iter().position(|field| names.contains(&field.as_str()));
        let named = if header { find(&SOURCE).zip(find(&TARGET)) } else { None };
        let third = (fields.len() > 2).then_some(2);
        let (source, target, weight) = match named {
            Some((source, target)) => (source, target, find(&WEIGHT)),
            None => (0, 1, if header { find(&WEIGHT).or(third) } else { third }),
        };
        let weight = match options.weights {
            Weights::Ignore => None,
            Weights::Auto => weight,
            // Where no column says that it is the weight, the third is, and its lack is a fault on the first record.
            Weights::As(_) => weight.or(Some(2)),
        };
        let limit = (!header && weight.is_none() && options.weights == Weights::Auto).then_some(2);
        Ok(Self { delimiter, header, source, target, weight, limit })
    }
}

struct Records {
    layout: Layout,
    reading: Reading,
}

impl Lines for Records {
    fn parse(&self, text: &[u8], _row: u64, piece: &mut Piece) -> Result<(), Fault> {
        let Layout { delimiter, source, target, weight, limit, .. } = self.layout;
        let last = source.max(target).max(weight.unwrap_or(0));
        let mut record = Record { cursor: Cursor::new(text), delimiter };
        while record.cursor.next_data_line(COMMENT) {
            let (mut src, mut dst) = (0, 0);
            for column in 0..=last {
                let at = record.cursor.at;
                let Some(field) = record.field()? else {
                    return Err(Fault { at, problem: missing(column, self.layout) });
                };
                if column == source {
                    src = id(field).ok_or(Fault { at, problem: Problem::Id })?;
                } else if column == target {
                    dst = id(field).ok_or(Fault { at, problem: Problem::Id })?;
                } else if Some(column) == weight {
                    let bits = weight_of(field, self.reading, &mut piece.seen);
                    piece.edges.value.push(bits.map_err(|problem| Fault { at, problem })?);
                }
            }
            piece.push(src, dst);
            let at = record.cursor.at;
            if limit.is_some() && record.field()?.is_some_and(|field| !field.is_empty()) {
                return Err(Fault { at, problem: Problem::SecondWeight });
            }
            record.end()?;
        }
        Ok(())
    }
}

fn missing(column: usize, layout: Layout) -> Problem {
    let what = match column {
        _ if column == layout.source => "a field with the source",
        _ if column == layout.target => "a field with the target",
        _ if Some(column) == layout.weight => "a field with the weight",
        _ => "another field, as the first line has",
    };
    Problem::Expected { what, advice: "complete the line, or check the delimiter" }
}

fn id(field: &[u8]) -> Option<u64> {
    let (id, length) = leading_integer(field);
    id.filter(|_| length == field.len())
}

/// Reads a record field by field.
struct Record<'a> {
    cursor: Cursor<'a>,
    delimiter: u8,
}

impl<'a> Record<'a> {
    /// The next field without its quotes and the blanks around it; none at the end of the line.
    ///
    /// A field at the line's very end leaves the place there, and a delimiter before it counts as passed.
    fn field(&mut self) -> Result<Option<&'a [u8]>, Fault> {
        let cursor = &mut self.cursor;
        while cursor.peek() == b' ' || (cursor.peek() == b'\t' && self.delimiter != b'\t') {
            cursor.at += 1;
        }
        if cursor.at_line_end() {
            return Ok(None);
        }
        let text = cursor.text;
        let start = cursor.at;
        if cursor.peek() == b'"' {
            let line = cursor.line().len();
            let quoted = &text[start + 1..start + line];
            let length = closing_quote(quoted).ok_or(Fault { at: start, problem: Problem::Quote })?;
            cursor.at = start + length + 2;
            cursor.at += text[cursor.at..].iter().take_while(|&&byte| byte == b' ').count();
            if cursor.peek() == self.delimiter {
                cursor.at += 1;
            } else if !cursor.at_line_end() {
                let what = "a delimiter after the closing quote";
                return Err(cursor.fault(Problem::Expected { what, advice: "correct the line" }));
            }
            return Ok(Some(&quoted[..length]));
        }
        let rest = &text[start..];
        let length = memchr2(self.delimiter, b'\n', rest).unwrap_or(rest.len());
        let passed = rest.get(length) == Some(&self.delimiter);
        cursor.at = start + length + usize::from(passed);
        let field = &rest[..length];
        let field = if passed { field } else { field.strip_suffix(b"\r").unwrap_or(field) };
        Ok(Some(field.trim_ascii_end()))
    }

    /// Moves past the rest of the line.
    fn end(&mut self) -> Result<(), Fault> {
        let rest = self.cursor.line();
        if memchr(b'"', rest).is_some() {
            while self.field()?.is_some() {}
        }
        self.cursor.next_line();
        Ok(())
    }
}

/// Where the quote ends; two quotes stand for one and end nothing.
fn closing_quote(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr(b'"', &text[at..])?;
        if text.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}
