//! The rows and columns of an output file.

use crate::cell::Cell;
use crate::labels::Labels;
use crate::vertex_key;
use gts_graph::Result;
use gts_graph::algorithm::{Cells, Column, Table, TableKind, Values};
use gts_graph::core::graph::IdMap;
use std::borrow::Cow;
use std::ops::Range;

/// A table of an answer as files contain it: with the names of the vertices, if they have some.
pub(crate) struct Sheet<'a> {
    pub(crate) ids: &'a IdMap,
    pub(crate) rows: usize,
    pub(crate) fields: Vec<SheetField<'a>>,
}

/// A column of a sheet.
#[derive(Clone, Copy)]
pub(crate) enum SheetField<'a> {
    /// A column of the answer.
    Column(Column<'a>),
    /// The sides of the vertices in a column of keys.
    Sides(Column<'a>),
    /// The names of the vertices.
    Names(&'a Labels),
}

impl<'a> Sheet<'a> {
    pub(crate) fn new(table: &Table<'a>, ids: &'a IdMap, labels: &'a Labels) -> Self {
        let mut sheet = Self::without_names(table, ids);
        if table.kind == TableKind::Vertices && !labels.is_empty() {
            sheet.fields.insert(1, SheetField::Names(labels));
        }
        sheet
    }

    /// Creates a sheet without the names of the vertices.
    pub(crate) fn without_names(table: &Table<'a>, ids: &'a IdMap) -> Self {
        let mut fields = Vec::new();
        for &column in &table.columns {
            fields.push(SheetField::Column(column));
            if ids.has_sides() && has_keys(&column) {
                fields.push(SheetField::Sides(column));
            }
        }
        Self { ids, rows: table.rows, fields }
    }
}

impl<'a> SheetField<'a> {
    pub(crate) fn name(&self) -> Cow<'a, str> {
        match self {
            Self::Column(column) => column.name.into(),
            Self::Sides(column) if matches!(column.cells, Cells::Vertices) => "side".into(),
            Self::Sides(column) => format!("{}_side", column.name).into(),
            Self::Names(_) => "name".into(),
        }
    }
}

/// Returns whether a column contains keys of vertices.
fn has_keys(column: &Column<'_>) -> bool {
    matches!(column.cells, Cells::Vertices | Cells::Sources(_) | Cells::Targets(_) | Cells::Values(Values::Vertex(_)))
}

/// Returns the side of the vertex in a column of keys; `None` if the cell has no value.
pub(crate) fn side(ids: &IdMap, column: &Column<'_>, row: usize) -> Option<&'static str> {
    ids.side(match column.cells {
        Cells::Vertices => ids.original_of_rank(row as u64)?,
        Cells::Sources(ends) => ends[row].0,
        Cells::Targets(ends) => ends[row].1,
        Cells::Values(Values::Vertex(vertices)) if !column.is_null(row) => vertices[row],
        Cells::Values(_) => return None,
    })
}

/// Visits the cells of some rows of a sheet, row by row.
pub(crate) struct SheetCursor<'a, K> {
    ids: &'a IdMap,
    /// The keys of the rows from the current one on.
    keys: K,
}

/// Returns the cursor for a range of rows.
pub(crate) fn cursor<'a>(
    ids: &'a IdMap,
    rows: Range<usize>,
) -> SheetCursor<'a, impl Iterator<Item = Result<Cell<'a>>> + 'a> {
    SheetCursor { ids, keys: vertex_key::of_ranks(ids, rows) }
}

impl<'a, K: Iterator<Item = Result<Cell<'a>>>> SheetCursor<'a, K> {
    /// Returns the cell of a field in a row. The cells of keys must be visited once, row by row.
    pub(crate) fn cell(&mut self, field: &SheetField<'a>, row: usize) -> Result<Cell<'a>> {
        let column = match field {
            SheetField::Names(labels) => {
                let id = self.ids.original_of_rank(row as u64);
                return Ok(id.and_then(|id| labels.get(id)).map_or(Cell::Null, |name| Cell::Text(name.into())));
            }
            SheetField::Sides(column) => {
                return Ok(side(self.ids, column, row).map_or(Cell::Null, |side| Cell::Text(side.into())));
            }
            SheetField::Column(column) => column,
        };
        let original = match column.cells {
            Cells::Vertices => return self.keys.next().unwrap_or(Ok(Cell::Null)),
            Cells::Sources(ends) => ends[row].0,
            Cells::Targets(ends) => ends[row].1,
            Cells::Values(_) if column.is_null(row) => return Ok(Cell::Null),
            Cells::Values(Values::Vertex(vertices)) => vertices[row],
            Cells::Values(values) => return Ok(Cell::Value(values.get(row))),
        };
        vertex_key::of_original(self.ids, original)
    }
}
