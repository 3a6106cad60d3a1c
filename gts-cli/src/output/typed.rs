//! Parquet and Arrow files.

use super::sheet::{Sheet, SheetField, cursor, side};
use crate::cell::Cell;
use gts_graph::algorithm::{Cells, Column, Values};
use gts_graph::core::graph::{IdMap, KeyKind};
use gts_graph::core::import::Format;
use gts_tables::{CellType, CellValues, ColumnData, TableWriter, key_cells, key_type};
use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

/// The number of rows that are encoded at once.
const ROWS: usize = 1 << 17;

/// Writes a table with the types of its columns. Cells without a value are null.
pub(super) fn write(writer: &mut dyn Write, sheet: &Sheet<'_>, format: Format) -> io::Result<()> {
    let columns = columns(sheet);
    let columns = columns.iter().map(|(name, kind, has_nulls)| (&**name, *kind, *has_nulls));
    let mut table = TableWriter::new(writer, format, columns)?;
    for start in (0..sheet.rows).step_by(ROWS) {
        let rows = start..sheet.rows.min(start + ROWS);
        let cells = sheet.fields.iter().map(|field| cells(sheet, field, rows.clone()));
        table.rows(cells.collect::<io::Result<_>>()?)?;
    }
    table.finish()
}

/// Returns the name of each column, the type of its cells, and whether cells may have no value.
pub(crate) fn columns<'a>(sheet: &Sheet<'a>) -> Vec<(Cow<'a, str>, CellType, bool)> {
    let column = |field: &SheetField<'a>| {
        let (kind, has_nulls) = match field {
            SheetField::Names(_) => (CellType::Text, true),
            SheetField::Sides(column) => (CellType::Text, column.has_nulls),
            SheetField::Column(column) => (cell_type(column, sheet.ids.kind()), column.has_nulls),
        };
        (field.name(), kind, has_nulls)
    };
    sheet.fields.iter().map(column).collect()
}

fn cell_type(column: &Column<'_>, keys: KeyKind) -> CellType {
    match column.cells {
        Cells::Values(Values::U8(_)) => CellType::U8,
        Cells::Values(Values::U32(_)) => CellType::U32,
        Cells::Values(Values::U64(_)) => CellType::U64,
        Cells::Values(Values::I32(_)) => CellType::I32,
        Cells::Values(Values::I64(_)) => CellType::I64,
        Cells::Values(Values::F32(_)) => CellType::F32,
        Cells::Values(Values::F64(_)) => CellType::F64,
        Cells::Values(Values::Bool(_)) => CellType::Bool,
        Cells::Values(Values::Vertex(_)) | Cells::Vertices | Cells::Sources(_) | Cells::Targets(_) => key_type(keys),
    }
}

/// Returns the cells of some rows.
pub(crate) fn cells<'a>(sheet: &Sheet<'a>, field: &SheetField<'a>, rows: Range<usize>) -> io::Result<ColumnData<'a>> {
    let column = match field {
        SheetField::Names(_) => return names(sheet, field, rows),
        SheetField::Sides(column) => {
            let nulls = column.has_nulls.then(|| rows.clone().map(|row| column.is_null(row)).collect());
            let sides = rows.map(|row| side(sheet.ids, column, row).unwrap_or_default().into()).collect();
            return Ok(ColumnData { values: CellValues::Text(sides), nulls });
        }
        SheetField::Column(column) => column,
    };
    let ids = sheet.ids;
    let nulls = column.has_nulls.then(|| rows.clone().map(|row| column.is_null(row)).collect::<Vec<_>>());
    let of = |original| ids.key_of(original);
    let values = match column.cells {
        Cells::Vertices => key_cells(ids.kind(), ids.keys(rows.start as u64..rows.end as u64))?,
        Cells::Sources(ends) => key_cells(ids.kind(), ends[rows].iter().map(|ends| of(ends.0)))?,
        Cells::Targets(ends) => key_cells(ids.kind(), ends[rows].iter().map(|ends| of(ends.1)))?,
        Cells::Values(Values::Vertex(vertices)) => optional_keys(ids, &vertices[rows], nulls.as_deref())?,
        Cells::Values(Values::U8(values)) => CellValues::U8((&values[rows]).into()),
        Cells::Values(Values::U32(values)) => CellValues::U32((&values[rows]).into()),
        Cells::Values(Values::U64(values)) => CellValues::U64((&values[rows]).into()),
        Cells::Values(Values::I32(values)) => CellValues::I32((&values[rows]).into()),
        Cells::Values(Values::I64(values)) => CellValues::I64((&values[rows]).into()),
        Cells::Values(Values::F32(values)) => CellValues::F32((&values[rows]).into()),
        Cells::Values(Values::F64(values)) => CellValues::F64((&values[rows]).into()),
        Cells::Values(Values::Bool(values)) => CellValues::Bool((&values[rows]).into()),
    };
    Ok(ColumnData { values, nulls })
}

/// Returns the keys of vertices. A null has the first key in its place, which is not written.
fn optional_keys<'a>(ids: &'a IdMap, vertices: &[u64], nulls: Option<&[bool]>) -> io::Result<CellValues<'a>> {
    let any = ids.original_of_rank(0).unwrap_or(0);
    let is_null = |row: usize| nulls.is_some_and(|nulls| nulls[row]);
    let originals = vertices.iter().enumerate().map(|(row, vertex)| if is_null(row) { any } else { *vertex });
    key_cells(ids.kind(), originals.map(|original| ids.key_of(original)))
}

/// Returns the names of vertices that have some.
fn names<'a>(sheet: &Sheet<'a>, field: &SheetField<'a>, rows: Range<usize>) -> io::Result<ColumnData<'a>> {
    let mut cursor = cursor(sheet.ids, rows.clone());
    let (mut names, mut nulls) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    for row in rows {
        let name = match cursor.cell(field, row).map_err(io::Error::other)? {
            Cell::Text(name) => Some(name),
            Cell::Null | Cell::Value(_) => None,
        };
        nulls.push(name.is_none());
        names.push(name.unwrap_or_default());
    }
    Ok(ColumnData { values: CellValues::Text(names), nulls: Some(nulls) })
}
