//! NumPy's files: a structured array, or a file per column.
//!
//! A column with nulls has a second one beside it, which is true if the cell has no value.

use super::sheet::{Sheet, SheetField};
use crate::blocks::RowFile;
use crate::cell::Cell;
use crate::vertex_key;
use gts_graph::algorithm::{Cells, Column, Scalar, Values};
use gts_graph::core::graph::IdMap;
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
    /// Whether the array tells which cells have no value.
    is_mask: bool,
}

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
    let of_column = |column: Column<'a>| {
        let array = |name, is_mask| ArrayColumn { name, ids: sheet.ids, column, is_mask };
        let mask = column.has_nulls.then(|| array(format!("{}_mask", column.name), true));
        [array(column.name.to_owned(), false)].into_iter().chain(mask)
    };
    let columns = sheet.fields.iter().filter_map(|field| match field {
        SheetField::Column(column) => Some(*column),
        SheetField::Names(_) => None,
    });
    columns.flat_map(of_column).collect()
}

impl ArrayColumn<'_> {
    /// Returns NumPy's name of the type, and its bytes.
    fn kind(&self) -> (&'static str, usize) {
        match self.column.cells {
            _ if self.is_mask => ("|b1", 1),
            Cells::Vertices | Cells::Sources(_) | Cells::Targets(_) => ("<u8", 8),
            Cells::Values(Values::U64(_) | Values::Vertex(_)) => ("<u8", 8),
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
        let mut rows = block.chunks_exact_mut(stride).map(|row| &mut row[start..]);
        fn put<'a, const N: usize>(values: impl Iterator<Item = [u8; N]>, rows: impl Iterator<Item = &'a mut [u8]>) {
            rows.zip(values).for_each(|(row, value)| row[..N].copy_from_slice(&value));
        }
        macro_rules! number {
            ($values:expr) => {
                put($values[range].iter().map(|value| value.to_le_bytes()), rows)
            };
        }
        match self.column.cells {
            _ if self.is_mask => put(range.map(|row| [u8::from(self.column.is_null(row))]), rows),
            Cells::Vertices => {
                let mut keys = vertex_key::of_ranks(self.ids, range);
                return rows.try_for_each(|row| {
                    if let Some(Cell::Value(Scalar::Unsigned(key))) =
                        keys.next().transpose().map_err(io::Error::other)?
                    {
                        row[..8].copy_from_slice(&key.to_le_bytes());
                    }
                    Ok(())
                });
            }
            Cells::Sources(ends) => put(ends[range].iter().map(|ends| ends.0.to_le_bytes()), rows),
            Cells::Targets(ends) => put(ends[range].iter().map(|ends| ends.1.to_le_bytes()), rows),
            Cells::Values(Values::U8(values)) => number!(values),
            Cells::Values(Values::U32(values)) => number!(values),
            Cells::Values(Values::U64(values) | Values::Vertex(values)) => number!(values),
            Cells::Values(Values::I32(values)) => number!(values),
            Cells::Values(Values::I64(values)) => number!(values),
            Cells::Values(Values::F32(values)) => number!(values),
            Cells::Values(Values::F64(values)) => number!(values),
            Cells::Values(Values::Bool(values)) => put(values[range].iter().map(|value| [u8::from(*value)]), rows),
        }
        Ok(())
    }
}
