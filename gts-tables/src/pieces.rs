//! The chosen columns of some rows.

use crate::keys::{CellPlace, ColumnEnds, push_weights};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::Schema;
use gts_core::build::EdgeBatch;
use gts_core::graph::KeyKind;
use gts_core::import::ImportError;
use gts_core::import::columnar::ChosenColumns;
use gts_core::parallel::*;
use std::path::Path;

/// The use of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnRole {
    Source,
    Target,
    Weight,
}

impl ColumnRole {
    /// Returns the position of the column.
    pub(crate) fn column(self, chosen: &ChosenColumns) -> usize {
        match self {
            Self::Source => chosen.source,
            Self::Target => chosen.target,
            Self::Weight => chosen.weight.unwrap_or(0),
        }
    }

    /// Returns the type of the keys of an end; `None` for weights.
    fn keys(self, chosen: &ChosenColumns) -> Option<KeyKind> {
        let [sources, targets] = chosen.keys;
        match self {
            Self::Source => Some(sources),
            Self::Target => Some(targets),
            Self::Weight => None,
        }
    }
}

/// Iterates over the chosen columns.
pub(crate) fn roles(chosen: &ChosenColumns) -> impl Iterator<Item = (ColumnRole, usize)> {
    let ends = [(ColumnRole::Source, chosen.source), (ColumnRole::Target, chosen.target)];
    ends.into_iter().chain(chosen.weight.map(|weight| (ColumnRole::Weight, weight)))
}

/// Returns the positions of the chosen columns, ascending.
pub(crate) fn selected(chosen: &ChosenColumns) -> Vec<usize> {
    let mut selected: Vec<usize> = roles(chosen).map(|(_, column)| column).collect();
    selected.sort_unstable();
    selected.dedup();
    selected
}

/// Appends the edges of batches of rows to a batch of edges, one column per task. The batches contain only the
/// `selected` columns of the schema, and follow `rows_before` others.
pub(crate) fn gather(
    tables: &[RecordBatch],
    selected: &[usize],
    chosen: &ChosenColumns,
    path: &Path,
    schema: &Schema,
    rows_before: u64,
    batch: &mut EdgeBatch,
) -> Result<(), ImportError> {
    let mut pieces: Vec<_> = roles(chosen).map(|(role, column)| (ColumnCells::new(role), column)).collect();
    pieces.par_iter_mut().with_max_len(1).try_for_each(|(piece, column)| {
        let place = selected.binary_search(column).unwrap_or(0);
        let mut rows_before = rows_before;
        for table in tables {
            piece.push(table.column(place), chosen, path, schema, rows_before)?;
            rows_before += table.num_rows() as u64;
        }
        Ok::<_, ImportError>(())
    })?;
    pieces.iter_mut().for_each(|(piece, _)| piece.append_to(batch));
    Ok(())
}

/// The cells of one of the chosen columns.
#[derive(Debug)]
pub(crate) struct ColumnCells {
    role: ColumnRole,
    ends: ColumnEnds,
    weights: Vec<u64>,
}

impl ColumnCells {
    pub(crate) fn new(role: ColumnRole) -> Self {
        Self { role, ends: ColumnEnds::default(), weights: Vec::new() }
    }

    /// Appends cells.
    pub(crate) fn push(
        &mut self,
        cells: &ArrayRef,
        chosen: &ChosenColumns,
        path: &Path,
        schema: &Schema,
        rows_before: u64,
    ) -> Result<(), ImportError> {
        let place = CellPlace { path, column: schema.field(self.role.column(chosen)).name(), rows_before };
        match self.role.keys(chosen) {
            None => push_weights(&mut self.weights, cells, place),
            Some(kind) => self.ends.push(cells, kind, place),
        }
    }

    /// Moves the cells to a batch.
    pub(crate) fn append_to(&mut self, batch: &mut EdgeBatch) {
        match self.role {
            ColumnRole::Source => self.ends.append_to(batch, |batch| &mut batch.src),
            ColumnRole::Target => self.ends.append_to(batch, |batch| &mut batch.dst),
            ColumnRole::Weight => batch.value.append(&mut self.weights),
        }
    }
}
