//! The chosen columns of some rows.

use crate::keys::{CellPlace, ColumnEnds, push_weights};
use arrow_array::ArrayRef;
use arrow_schema::Schema;
use gts_core::build::EdgeBatch;
use gts_core::import::ImportError;
use gts_core::import::columnar::ChosenColumns;
use std::cell::Cell;
use std::fmt::Display;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Once;

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
}

/// Iterates over the chosen columns.
pub(crate) fn roles(chosen: &ChosenColumns) -> impl Iterator<Item = (ColumnRole, usize)> {
    let ends = [(ColumnRole::Source, chosen.source), (ColumnRole::Target, chosen.target)];
    ends.into_iter().chain(chosen.weight.map(|weight| (ColumnRole::Weight, weight)))
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
        match self.role {
            ColumnRole::Weight => push_weights(&mut self.weights, cells, place),
            _ => self.ends.push(cells, chosen.keys, place),
        }
    }

    /// Appends the cells to a batch.
    pub(crate) fn append_to(mut self, batch: &mut EdgeBatch) {
        match self.role {
            ColumnRole::Source => self.ends.append_to(batch, |batch| &mut batch.src),
            ColumnRole::Target => self.ends.append_to(batch, |batch| &mut batch.dst),
            ColumnRole::Weight => batch.value.append(&mut self.weights),
        }
    }
}

thread_local! {
    /// Whether this thread runs a decoder.
    static DECODES: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder, which may panic if the file is damaged. Returns the message of the failure. The panic is not printed.
pub(crate) fn guarded<T, E: Display>(decode: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !DECODES.get() {
                usual(panic);
            }
        }));
    });
    let outer = DECODES.replace(true);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    DECODES.set(outer);
    match decoded {
        Ok(decoded) => decoded.map_err(|error| error.to_string()),
        Err(_) => Err("its contents contradict each other".into()),
    }
}

/// Returns the error for a damaged file.
pub(crate) fn damaged(path: &Path, format: &'static str, detail: String) -> ImportError {
    ImportError::DamagedTable { path: path.into(), format, detail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn panics_are_printed_unless_a_decoder_runs() {
        static PRINTED: AtomicUsize = AtomicUsize::new(0);
        panic::set_hook(Box::new(|_| {
            PRINTED.fetch_add(1, Ordering::Relaxed);
        }));
        let refused = guarded(|| -> Result<(), String> { panic!("a decoder") });
        assert_eq!(refused, Err("its contents contradict each other".into()));
        assert_eq!(PRINTED.load(Ordering::Relaxed), 0);
        assert!(catch_unwind(|| panic!("another panic")).is_err());
        assert_eq!(PRINTED.load(Ordering::Relaxed), 1);
    }
}
