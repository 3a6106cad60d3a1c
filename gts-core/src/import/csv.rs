//! Imports CSV files with one edge per record. Fields are separated by commas, semicolons or tabs, and quoted if
//! necessary.
//!
//! The delimiter is the first of these three that occurs in the first record, unless an option or a first line such as
//! `sep=;`, as written for Excel, names another one. The first record is a header if its first
//! two fields do not begin with a digit, a sign or a point. Names in the header identify the columns. The ends are
//! named `source`, `src`, `from`, `source_id`, `from_id`, `FromNodeId` and `target`, `dst`, `dest`, `to`, `target_id`,
//! `to_id`, `ToNodeId`, or `u` and `v`. The weight is named `weight`, `value`, `cost` or `distance`. A header that
//! names one end must name both, each once. In a header of two unknown names, the first column is the source. Without a
//! header, the first two columns are the ends, and the third column, if there is one, is the weight. Lines that begin
//! with `#` are comments, unless an option names other signs. A `#` after the fields also begins a comment. Blanks around a
//! field are ignored, so `a, b` and `b,a` contain the same two vertices. A name that begins or ends with a blank needs
//! quotes.
//!
//! If the column `Type` contains `Undirected` in all records, as written by Gephi, each record represents both
//! directions. A record whose type differs from that of the first record is an error. Without such a column, comments
//! determine the direction, as in edge lists.

use super::blocks::{Block, Blocks};
use super::edges::{UNDIRECTED_COMMENT, guessed_weight, has_zeros, reading};
use super::keys::{KeyReader, LabelledNumbers, Numbers, Others};
use super::opening::says_undirected;
use super::parts::FileStream;
use super::scan::{CORRECT_FIELDS, Cursor, Fault, Problem, Signs, leading_integer};
use super::table::{Head, Layout, Refusal};
use super::text::{Lines, Piece, TextStream};
use super::value::{Reading, Seen, weight_of, weight_with_comma};
use super::{Delimiter, Format, ImportError, ImportOptions};
use crate::build::{Declared, Direction};
use crate::graph::KeyKind;
use memchr::{memchr, memchr_iter};

/// The sign that begins a comment.
const COMMENT: Signs = Signs::of(b"#");
/// The note for a table whose records are declared as undirected.
const UNDIRECTED_RECORDS: &str = "the column of types says that the edges are undirected: they are read both ways, as with \
                                  `--undirected`; `--directed` reads each as one arc";
/// The advice for records with one field more than the header.
const ROW_NAMES: &str = "name that column in the header, or leave row names out, in R with `row.names = FALSE`";
/// The field delimiters and their names in messages.
const DELIMITERS: [(u8, &str); 3] = [(b',', "commas"), (b';', "semicolons"), (b'\t', "tabs")];

/// Opens a CSV file as a stream of edges.
pub(super) fn open(
    mut blocks: Blocks,
    mut block: Block,
    options: &ImportOptions,
) -> Result<Box<dyn FileStream>, ImportError> {
    let comments = options.comments(COMMENT);
    let at = blocks.seek(&mut block, |cursor| cursor.next_data_line(comments))?;
    let delimiter = match options.delimiter {
        Some(Delimiter::Sign(sign)) => sign,
        _ => delimiter(Cursor { text: block.rest(), at }.line(), options.decimal_comma).unwrap_or(b','),
    };
    let form = CsvForm { delimiter, comments, decimal_comma: options.decimal_comma };
    let (first, end) = first_record(&block, at, form).map_err(|fault| block.error(blocks.path(), fault))?;
    let line = block.line(at);
    let mut head = Head { first, second: Vec::new(), may_be_header: true };
    let header = head.is_header(options);
    let second = match header {
        true => {
            block.start += end;
            blocks.seek(&mut block, |cursor| cursor.next_data_line(comments))?
        }
        false => {
            let mut cursor = Cursor { text: block.rest(), at: end };
            cursor.next_data_line(comments);
            cursor.at
        }
    };
    // A fault in the second record is reported when the record is read as an edge.
    head.second = first_record(&block, second, form).map_or_else(|_| Vec::new(), |(fields, _)| fields);
    let refuse = |refusal: Refusal| refusal.error(blocks.path(), line);
    let text = block.rest().get(at..).unwrap_or_default();
    head.check_header(options).map_err(refuse)?;
    let guess =
        head.guess(options, (line, text), comments, |byte| byte == b' ' || byte == delimiter).map_err(refuse)?;
    let (layout, note) = head.layout(options).map_err(refuse)?;
    let mut notes = Vec::from_iter(note);
    if options.format.is_none() && guess.lists {
        notes.push(guessed_weight(Format::Csv));
    }
    let kind = head.type_column(layout, options);
    let undirected = kind.and_then(|column| head.undirected(column));
    let (direction, said) = direction(undirected, &blocks, comments);
    notes.extend(said.filter(|_| options.directed.is_none()).map(str::to_owned));
    let reading = reading(layout.weight.is_some(), options);
    let keys = head.keys(options, layout, header);
    let declared = Declared {
        keys,
        direction: options.direction(direction),
        unread_weights: layout.weight.is_some() && reading == Reading::None,
        ..Declared::default()
    };
    let kind = kind.map(|column| (column, undirected == Some(true)));
    let shown = head.shown_columns(header);
    let has_row_names = header && head.second.len() == head.first.len() + 1;
    let records = Records { form, layout, keys, labels: options.labels, reading, kind, has_row_names };
    let stream = TextStream::new(blocks, block, records, reading, declared, Seen::default());
    Ok(Box::new(stream.with_notes(notes).with_sizes(guess.sizes).with_columns(shown)))
}

/// The signs between and after fields.
#[derive(Clone, Copy)]
struct CsvForm {
    delimiter: u8,
    /// The signs that begin a comment.
    comments: Signs,
    decimal_comma: bool,
}

/// Returns the fields of the record at a position, and the start of the next line.
fn first_record(block: &Block, at: usize, form: CsvForm) -> Result<(Vec<String>, usize), Fault> {
    let text = block.rest();
    let mut cursor = Cursor { text, at: line_start(text, at.min(text.len()), form.delimiter) };
    let fields = names(cursor.line(), form).map_err(|fault| Fault { at: cursor.at + fault.at, ..fault })?;
    cursor.next_line();
    Ok((fields, cursor.at.min(text.len())))
}

/// Returns the direction of the edges and a note about it. The first record determines both if it declares a type;
/// otherwise the comments do.
fn direction(undirected: Option<bool>, blocks: &Blocks, comments: Signs) -> (Direction, Option<&'static str>) {
    match undirected {
        Some(true) => (Direction::Undirected, Some(UNDIRECTED_RECORDS)),
        Some(false) => (Direction::Directed, None),
        None if says_undirected(blocks.opening().rest(), blocks.skipped(), comments) => {
            (Direction::Symmetrised, Some(UNDIRECTED_COMMENT))
        }
        None => (Direction::Directed, None),
    }
}

/// Returns the first delimiter outside quotes in a record. If numbers have a decimal comma, a comma is a delimiter only in
/// a record without other delimiters, whose numbers are quoted.
pub(super) fn delimiter(record: &[u8], decimal_comma: bool) -> Option<u8> {
    let mut quoted = false;
    let mut signs = record.iter().copied().filter(|&byte| {
        quoted ^= byte == b'"';
        !quoted && DELIMITERS.iter().any(|&(delimiter, _)| byte == delimiter)
    });
    let first = signs.next()?;
    if !decimal_comma || first != b',' {
        return Some(first);
    }
    let has_blanks = memchr(b' ', record.trim_ascii()).is_some() && memchr(b'"', record).is_none();
    signs.find(|&byte| byte != b',').or((!has_blanks).then_some(b','))
}

/// Returns the start of the record whose first non-blank byte is at `at`. If tabs are delimiters, blanks and tabs
/// before that byte belong to the record.
fn line_start(text: &[u8], at: usize, delimiter: u8) -> usize {
    if delimiter != b'\t' {
        return at;
    }
    at - text[..at].iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Returns the fields of a record up to a comment. The name of a column may begin with `#`.
fn names(line: &[u8], form: CsvForm) -> Result<Vec<String>, Fault> {
    let is_data = line.first().is_some_and(u8::is_ascii_digit);
    let end = if is_data { form.comment(line) } else { comment(line, form.comments, |before| before == b' ') };
    let line = &line[..end.unwrap_or(line.len())];
    let mut record = Record { cursor: Cursor::new(line), delimiter: form.delimiter, quoted: false };
    let mut fields = Vec::new();
    while let Some(field) = record.field()? {
        fields.push(String::from_utf8_lossy(field).trim().to_owned());
    }
    Ok(fields)
}

impl CsvForm {
    /// Returns the start of a comment after the fields of a record.
    fn comment(self, line: &[u8]) -> Option<usize> {
        comment(line, self.comments, |before| matches!(before, b' ' | b'\t' | b',' | b';') || before == self.delimiter)
    }
}

/// Returns the start of a comment after the fields. A comment begins with a sign outside quotes, if `may_follow` accepts
/// the byte before the sign.
fn comment(line: &[u8], comments: Signs, may_follow: impl Fn(u8) -> bool) -> Option<usize> {
    let (mut quoted, mut last) = (false, 0);
    line.iter().position(|&byte| {
        quoted ^= byte == b'"';
        let begins = !quoted && comments.contains(byte) && may_follow(last);
        last = byte;
        begins
    })
}

/// Returns a record without trailing blanks.
fn trimmed(line: &[u8], delimiter: u8) -> &[u8] {
    let blanks = line.iter().rev().take_while(|&&byte| byte == b' ' || (byte == b'\t' && delimiter != b'\t'));
    &line[..line.len() - blanks.count()]
}

struct Records {
    form: CsvForm,
    layout: Layout,
    keys: KeyKind,
    /// Whether targets are the labels of vertices.
    labels: bool,
    reading: Reading,
    /// The index of the `Type` column, and whether all records are undirected; `None` without such a column.
    kind: Option<(usize, bool)>,
    /// Whether the first record has one field more than the header, which suggests row names.
    has_row_names: bool,
}

impl Lines for Records {
    fn parse(&self, text: &[u8], _row: u64, piece: &mut Piece) -> Result<(), Fault> {
        match self.keys {
            _ if self.labels => self.parse_by(LabelledNumbers, text, piece),
            KeyKind::Number => self.parse_by(Numbers { defined: false }, text, piece),
            kind => self.parse_by(Others(kind), text, piece),
        }
    }
}

impl Records {
    #[inline]
    fn parse_by<K: KeyReader>(&self, keys: K, text: &[u8], piece: &mut Piece) -> Result<(), Fault> {
        let Layout { source, target, fields, .. } = self.layout;
        let pairs = K::PLAIN && fields == 2 && source == 0 && target == 1;
        let mut cursor = Cursor::new(text);
        loop {
            // Most files without weights consist almost entirely of plain records.
            if pairs {
                while let Some((src, dst, length)) = self.plain_record(&text[cursor.at.min(text.len())..]) {
                    piece.push(src, dst);
                    cursor.at += length;
                }
            }
            if !cursor.next_data_line(self.form.comments) {
                return Ok(());
            }
            cursor.at = line_start(text, cursor.at, self.form.delimiter);
            let line = cursor.line();
            let (src, dst) = match self.record(keys, line, piece) {
                Ok(ends) => ends,
                Err(fault) => self.again(keys, line, fault, piece).map_err(|f| Fault { at: cursor.at + f.at, ..f })?,
            };
            piece.push(src, dst);
            cursor.at += line.len();
            cursor.next_line();
        }
    }

    /// Reads a record that consists of only two numbers and a delimiter. Returns the numbers and the length of the
    /// line.
    #[inline(always)]
    fn plain_record(&self, text: &[u8]) -> Option<(u64, u64, usize)> {
        let (src, first) = leading_integer(text);
        let rest = text.get(first + 1..).filter(|_| text[first] == self.form.delimiter)?;
        let (dst, second) = leading_integer(rest);
        match (src, dst, rest.get(second)) {
            (Some(src), Some(dst), Some(b'\n')) if !has_zeros(text, first) && !has_zeros(rest, second) => {
                Some((src, dst, first + second + 2))
            }
            _ => None,
        }
    }

    /// Reads a record, adds its weight to `piece`, and returns its ends.
    fn record(&self, keys: impl KeyReader, line: &[u8], piece: &mut Piece) -> Result<(u64, u64), Fault> {
        let Layout { source, target, weight, fields } = self.layout;
        let weight = weight.filter(|_| self.reading != Reading::None);
        let (mut src, mut dst, mut bits) = (0, 0, None);
        let kind = self.kind.map(|(column, _)| column);
        let last = source.max(target).max(weight.unwrap_or(0)).max(kind.unwrap_or(0));
        let mut record = Record { cursor: Cursor::new(line), delimiter: self.form.delimiter, quoted: false };
        let edges = &mut piece.edges;
        for column in 0..=last {
            let at = record.cursor.at;
            let Some(field) = record.field()? else {
                return Err(self.miscounted(line, at));
            };
            if column == source {
                src = keys.field(field, record.quoted, edges).map_err(|problem| Fault { at, problem })?;
            } else if column == target {
                dst = keys.target(field, record.quoted, edges).map_err(|problem| Fault { at, problem })?;
            } else if Some(column) == weight {
                let read = match self.form.decimal_comma {
                    false => weight_of(field, self.reading, &mut piece.seen),
                    true => weight_with_comma(field, self.reading, &mut piece.seen),
                };
                bits = Some(read.map_err(|problem| Fault { at, problem })?);
            } else if Some(column) == kind {
                self.check_kind(field).map_err(|problem| Fault { at, problem })?;
            }
        }
        let at = record.cursor.at;
        let found = last + 1 + record.rest()?;
        // If the last field is empty, the line ends with the preceding delimiter.
        if found != fields
            && !(found + 1 == fields && trimmed(line, self.form.delimiter).last() == Some(&self.form.delimiter))
        {
            return Err(self.miscounted(line, at));
        }
        piece.edges.value.extend(bits);
        Ok((src, dst))
    }

    /// Reads a record again without the comment after its fields. If there is no comment, returns the original fault.
    #[cold]
    fn again(&self, keys: impl KeyReader, line: &[u8], fault: Fault, piece: &mut Piece) -> Result<(u64, u64), Fault> {
        if let Some(length) = self.form.comment(line) {
            return self.record(keys, line[..length].trim_ascii_end(), piece);
        }
        let own = self.form.delimiter;
        let name = |sign: u8| DELIMITERS.iter().find(|&&(delimiter, _)| delimiter == sign).map(|found| found.1);
        let other = delimiter(line, false).or_else(|| memchr(b' ', line.trim_ascii()).map(|_| b' '));
        match (name(own), other) {
            (Some(expected), Some(other)) if other != own && !line.contains(&own) => {
                let found = name(other).unwrap_or("blanks");
                Err(Fault { at: 0, problem: Problem::Delimiter { expected, found } })
            }
            _ => Err(fault),
        }
    }

    /// Fails if an undirected record occurs among directed ones, or vice versa.
    fn check_kind(&self, field: &[u8]) -> Result<(), Problem> {
        let undirected = self.kind.is_some_and(|(_, undirected)| undirected);
        if field.eq_ignore_ascii_case(b"undirected") == undirected {
            return Ok(());
        }
        let what = match undirected {
            true => "`Undirected`, as in the first record",
            false => "a type other than `Undirected`, as in the first record",
        };
        let advice = "say what all edges are, with `--directed` or `--undirected`";
        Err(Problem::Expected { what, advice })
    }

    /// Returns the fault for a record, detected at `at`, whose number of fields differs from that of the first record.
    #[cold]
    fn miscounted(&self, line: &[u8], at: usize) -> Fault {
        let found = names(line, self.form).map_or(0, |fields| fields.len());
        let advice = if self.has_row_names { ROW_NAMES } else { CORRECT_FIELDS };
        Fault { at, problem: Problem::Fields { expected: self.layout.fields, found, advice } }
    }
}

/// A record that is read field by field.
struct Record<'a> {
    /// The position in the record. The text ends with the record's line.
    cursor: Cursor<'a>,
    delimiter: u8,
    /// Whether the last field was quoted.
    quoted: bool,
}

impl<'a> Record<'a> {
    /// Returns the next field without quotes and surrounding blanks; `None` at the end of the line.
    ///
    /// Moves past the delimiter that follows the field. An empty field at the end of the line is not returned.
    fn field(&mut self) -> Result<Option<&'a [u8]>, Fault> {
        let cursor = &mut self.cursor;
        while cursor.peek() == b' ' || (cursor.peek() == b'\t' && self.delimiter != b'\t') {
            cursor.at += 1;
        }
        if cursor.ended() {
            return Ok(None);
        }
        let text = cursor.text;
        let start = cursor.at;
        self.quoted = cursor.peek() == b'"';
        if self.quoted {
            let quoted = &text[start + 1..];
            let length = closing_quote(quoted).ok_or(Fault { at: start, problem: Problem::Quote })?;
            cursor.at = start + length + 2;
            cursor.at += text[cursor.at..].iter().take_while(|&&byte| byte == b' ').count();
            if cursor.peek() == self.delimiter {
                cursor.at += 1;
            } else if !cursor.ended() {
                let what = "a delimiter after the closing quote";
                return Err(cursor.fault(Problem::Expected { what, advice: "correct the line" }));
            }
            return Ok(Some(&quoted[..length]));
        }
        let rest = &text[start..];
        let length = memchr(self.delimiter, rest);
        cursor.at = length.map_or(text.len(), |length| start + length + 1);
        Ok(Some(rest[..length.unwrap_or(rest.len())].trim_ascii_end()))
    }

    /// Returns the number of remaining fields on the line.
    fn rest(&mut self) -> Result<usize, Fault> {
        let rest = &self.cursor.text[self.cursor.at..];
        if rest.is_empty() {
            return Ok(0);
        }
        let mut fields = 0;
        if memchr(b'"', rest).is_some() {
            while self.field()?.is_some() {
                fields += 1;
            }
            return Ok(fields);
        }
        let rest = trimmed(rest, self.delimiter);
        let delimiters = memchr_iter(self.delimiter, rest).count();
        Ok(delimiters + usize::from(rest.last().is_some_and(|last| *last != self.delimiter)))
    }
}

/// Returns the position of the closing quote. Two consecutive quotes represent a single quote, and do not close the
/// field.
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
