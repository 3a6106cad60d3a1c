//! NumPy's files: a structured array, or a file per column.
//!
//! A column with nulls has a second one beside it, which is true if the cell has no value.

use super::sheet::{Sheet, SheetField, side};
use crate::blocks::RowFile;
use gts_graph::algorithm::{Cells, Column, Values};
use gts_graph::core::graph::{IdMap, Key, KeyKind};
use npyz::{DType, Field as NpyField, WriteOptions, WriterBuilder};
use std::io::{self, Write};
use std::ops::Range;
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime};

/// A column of an array.
struct ArrayColumn<'a> {
    name: String,
    ids: &'a IdMap,
    column: Column<'a>,
    content: ArrayContent,
}

/// The items of an array.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArrayContent {
    /// The cells of the column.
    Cells,
    /// The sides of the vertices in the column.
    Sides,
    /// For each cell, whether it has no value.
    Mask,
}

/// Bytes of a side: five characters of four bytes, as NumPy stores text.
const SIDE_BYTES: usize = 20;

/// Writes one structured array.
pub(super) fn structured(file: &mut RowFile<'_>, sheet: &Sheet<'_>) -> io::Result<()> {
    let columns = columns(sheet);
    let field = |column: &ArrayColumn<'_>| Ok(NpyField { name: column.name.clone(), dtype: plain(column.kind().0)? });
    let record = columns.iter().map(field).collect::<io::Result<_>>()?;
    file.text(&header(DType::Record(record), sheet.rows)?)?;
    array(file, sheet.rows, &columns)
}

/// Writes an archive with an array per column.
pub(super) fn archive(writer: &mut dyn Write, sheet: &Sheet<'_>) -> io::Result<()> {
    let mut archive = ZipWriter::new_stream(writer);
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let options = options.large_file(true).last_modified_time(DateTime::default());
    for column in columns(sheet) {
        archive.start_file(format!("{}.npy", column.name), options)?;
        archive.write_all(&header(plain(column.kind().0)?, sheet.rows)?)?;
        array(&mut RowFile { writer: &mut archive, packing: None }, sheet.rows, &[column])?;
    }
    archive.finish()?;
    Ok(())
}

fn plain(kind: &str) -> io::Result<DType> {
    kind.parse().map(DType::Plain).map_err(io::Error::other)
}

/// Returns the bytes before the data.
fn header(kind: DType, rows: usize) -> io::Result<Vec<u8>> {
    WriteOptions::new_header_only().dtype(kind).shape(&[rows as u64]).writer(Vec::new()).write_header_only()
}

/// Writes the rows of some columns.
fn array(file: &mut RowFile<'_>, rows: usize, columns: &[ArrayColumn<'_>]) -> io::Result<()> {
    let stride: usize = columns.iter().map(|column| column.kind().1).sum();
    file.rows(rows, |rows, block| {
        block.resize(stride * rows.len(), 0);
        let mut start = 0;
        for column in columns {
            column.put(rows.clone(), block, start, stride)?;
            start += column.kind().1;
        }
        Ok(())
    })
}

/// Returns the columns of a sheet, except the names of vertices.
fn columns<'a>(sheet: &Sheet<'a>) -> Vec<ArrayColumn<'a>> {
    let arrays = sheet.fields.iter().flat_map(|field| {
        let array = |column, name, content| ArrayColumn { name, ids: sheet.ids, column, content };
        let [array, mask] = match *field {
            SheetField::Column(column) => {
                let mask = || array(column, format!("{}_mask", column.name), ArrayContent::Mask);
                [Some(array(column, column.name.to_owned(), ArrayContent::Cells)), column.has_nulls.then(mask)]
            }
            SheetField::Sides(column) => [Some(array(column, field.name().into_owned(), ArrayContent::Sides)), None],
            SheetField::Names(_) => [None, None],
        };
        array.into_iter().chain(mask)
    });
    arrays.collect()
}

impl ArrayColumn<'_> {
    /// Returns NumPy's name of the type, and its bytes.
    fn kind(&self) -> (&'static str, usize) {
        match self.column.cells {
            _ if self.content == ArrayContent::Mask => ("|b1", 1),
            _ if self.content == ArrayContent::Sides => ("<U5", SIDE_BYTES),
            Cells::Vertices | Cells::Sources(_) | Cells::Targets(_) | Cells::Values(Values::Vertex(_)) => {
                match self.ids.kind() {
                    KeyKind::Signed => ("<i8", 8),
                    KeyKind::Uuid => ("|V16", 16),
                    KeyKind::Number | KeyKind::Text => ("<u8", 8),
                }
            }
            Cells::Values(Values::U64(_)) => ("<u8", 8),
            Cells::Values(Values::I64(_)) => ("<i8", 8),
            Cells::Values(Values::F64(_)) => ("<f8", 8),
            Cells::Values(Values::F32(_)) => ("<f4", 4),
            Cells::Values(Values::U32(_)) => ("<u4", 4),
            Cells::Values(Values::I32(_)) => ("<i4", 4),
            Cells::Values(Values::U8(_)) => ("|u1", 1),
            Cells::Values(Values::Bool(_)) => ("|b1", 1),
        }
    }

    /// Writes a range of the cells to a block of rows of `stride` bytes, each with the cell at `start`.
    fn put(&self, range: Range<usize>, block: &mut [u8], start: usize, stride: usize) -> io::Result<()> {
        let rows = block.chunks_exact_mut(stride).map(|row| &mut row[start..]);
        fn put<'a, const N: usize>(values: impl Iterator<Item = [u8; N]>, rows: impl Iterator<Item = &'a mut [u8]>) {
            rows.zip(values).for_each(|(row, value)| row[..N].copy_from_slice(&value));
        }
        macro_rules! number {
            ($values:expr) => {
                put($values[range].iter().map(|value| value.to_le_bytes()), rows)
            };
        }
        match self.column.cells {
            _ if self.content == ArrayContent::Mask => {
                put(range.map(|row| [u8::from(self.column.is_null(row))]), rows);
            }
            _ if self.content == ArrayContent::Sides => put(range.map(|row| self.side(row)), rows),
            Cells::Vertices => {
                let keys = self.ids.keys(range.start as u64..range.end as u64);
                return rows.zip(keys).try_for_each(|(row, key)| put_key(row, key.map_err(io::Error::other)?));
            }
            Cells::Sources(ends) => return self.put_keys(range, |row| ends[row].0, rows),
            Cells::Targets(ends) => return self.put_keys(range, |row| ends[row].1, rows),
            Cells::Values(Values::Vertex(originals)) => return self.put_keys(range, |row| originals[row], rows),
            Cells::Values(Values::U8(values)) => number!(values),
            Cells::Values(Values::U32(values)) => number!(values),
            Cells::Values(Values::U64(values)) => number!(values),
            Cells::Values(Values::I32(values)) => number!(values),
            Cells::Values(Values::I64(values)) => number!(values),
            Cells::Values(Values::F32(values)) => number!(values),
            Cells::Values(Values::F64(values)) => number!(values),
            Cells::Values(Values::Bool(values)) => put(values[range].iter().map(|value| [u8::from(*value)]), rows),
        }
        Ok(())
    }

    /// Returns the side of a row's vertex. A cell without a value contains zeros.
    fn side(&self, row: usize) -> [u8; SIDE_BYTES] {
        let mut item = [0; SIDE_BYTES];
        let side = side(self.ids, &self.column, row).unwrap_or_default();
        item.iter_mut().step_by(4).zip(side.bytes()).for_each(|(low, byte)| *low = byte);
        item
    }

    /// Writes the keys of vertices with some original IDs. A cell without a value contains zeros.
    fn put_keys<'r>(
        &self,
        range: Range<usize>,
        original: impl Fn(usize) -> u64,
        rows: impl Iterator<Item = &'r mut [u8]>,
    ) -> io::Result<()> {
        for (number, row) in range.zip(rows) {
            if !self.column.is_null(number) {
                put_key(row, self.ids.key_of(original(number)).map_err(io::Error::other)?)?;
            }
        }
        Ok(())
    }
}

/// Writes a key to the start of a row.
fn put_key(row: &mut [u8], key: Key<'_>) -> io::Result<()> {
    match key.without_side() {
        Key::Number(number) => row[..8].copy_from_slice(&number.to_le_bytes()),
        Key::Signed(number) => row[..8].copy_from_slice(&number.to_le_bytes()),
        Key::Uuid(bytes) => row[..16].copy_from_slice(&bytes),
        // `AnswerFile::check_keys` refuses names.
        Key::Text(_) | Key::Left(_) | Key::Right(_) => return Err(io::ErrorKind::Unsupported.into()),
    }
    Ok(())
}
