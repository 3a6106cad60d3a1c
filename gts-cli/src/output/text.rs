//! Text with a record per line: CSV, TSV, lists of edges.

use super::sheet::{Sheet, cursor};
use crate::blocks::RowFile;
use crate::cell::{Cell, put};
use csv_core::{QuoteStyle, Writer, WriterBuilder};
use std::io;

/// The look of records.
pub(crate) struct RecordFormat {
    delimiter: u8,
    /// Quotes a text only if its bytes require quotes.
    quoter: Writer,
    /// Quotes every text.
    always: Writer,
}

impl RecordFormat {
    pub(crate) fn new(delimiter: u8) -> Self {
        let mut builder = WriterBuilder::new();
        // The writer quotes a first cell that begins with this sign, because our reader takes such a line as a comment.
        builder.delimiter(delimiter).comment(Some(b'#'));
        let quoter = builder.build();
        Self { delimiter, quoter, always: builder.quote_style(QuoteStyle::Always).build() }
    }

    /// Appends the delimiter before a field, except before the first one.
    pub(crate) fn separate(&self, place: usize, block: &mut Vec<u8>) {
        if place > 0 {
            block.push(self.delimiter);
        }
    }

    /// Appends a cell; one without a value is empty.
    pub(crate) fn put(&self, cell: &Cell<'_>, block: &mut Vec<u8>) -> io::Result<()> {
        match cell {
            Cell::Null => {}
            Cell::Text(text) => self.text(text, block),
            Cell::Value(value) => put(*value, block)?,
        }
        Ok(())
    }

    /// Appends a text, quoted if necessary. Readers of tables remove blanks around a field without quotes.
    fn text(&self, text: &str, block: &mut Vec<u8>) {
        let has_blanks = text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace);
        let mut quoter = if has_blanks { self.always.clone() } else { self.quoter.clone() };
        let start = block.len();
        // Each character is a quote at worst, and there are two around the text.
        block.resize(start + 2 * text.len() + 2, 0);
        let (_, _, written) = quoter.field(text.as_bytes(), &mut block[start..]);
        let (_, closed) = quoter.finish(&mut block[start + written..]);
        block.truncate(start + written + closed);
    }
}

/// Writes a record per row, with empty fields for cells without a value. The first record contains the names of the
/// columns if `heads`.
pub(super) fn write(file: &mut RowFile<'_>, sheet: &Sheet<'_>, delimiter: u8, heads: bool) -> io::Result<()> {
    let records = RecordFormat::new(delimiter);
    let mut head = Vec::new();
    if heads {
        for (place, field) in sheet.fields.iter().enumerate() {
            records.separate(place, &mut head);
            records.text(&field.name(), &mut head);
        }
        head.push(b'\n');
    }
    file.text(&head)?;
    file.rows(sheet.rows, |rows, block| {
        let mut cursor = cursor(sheet.ids, rows.clone());
        for row in rows {
            for (place, field) in sheet.fields.iter().enumerate() {
                records.separate(place, block);
                records.put(&cursor.cell(field, row).map_err(io::Error::other)?, block)?;
            }
            block.push(b'\n');
        }
        Ok(())
    })
}
