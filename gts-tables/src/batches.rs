//! Tables in memory.

use crate::classes::columns;
use crate::guard::damaged;
use crate::pieces::{gather, selected};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use gts_core::build::{DeclaredVertices, EdgeBatch};
use gts_core::import::ImportError;
use gts_core::import::columnar::{ChosenColumns, ColumnarFile, ColumnarRows, TypedColumn};
use std::path::{Path, PathBuf};

/// The rows that are gathered in a batch of edges.
const ROWS: usize = 1 << 20;

/// A table in memory, for [`GraphReader::read_table`](gts_core::read::GraphReader::read_table). It shares the memory of
/// its batches.
#[derive(Clone, Debug)]
pub struct MemoryTable {
    /// The name in errors.
    pub name: PathBuf,
    /// The columns.
    pub schema: SchemaRef,
    /// The rows. All batches have the schema.
    pub batches: Vec<RecordBatch>,
    /// The vertices, if the table declares them.
    pub vertices: DeclaredVertices,
}

impl ColumnarFile for MemoryTable {
    fn columns(&self) -> Vec<TypedColumn> {
        columns(&self.schema)
    }

    fn declared(&self) -> (DeclaredVertices, Option<u64>) {
        (self.vertices.clone(), Some(self.batches.iter().map(|batch| batch.num_rows() as u64).sum()))
    }

    fn rows(self: Box<Self>, chosen: ChosenColumns) -> Result<Box<dyn ColumnarRows>, ImportError> {
        let Self { name, schema, batches, .. } = *self;
        let selected = selected(&chosen);
        let project = |batch: RecordBatch| batch.project(&selected);
        let batches: Result<Vec<_>, _> = batches.into_iter().map(project).collect();
        let batches = batches.map_err(|error| damaged(&name, "Arrow", error.to_string()))?;
        Ok(Box::new(MemoryRows { name, schema, batches, selected, chosen, batch: 0, start: 0, rows: 0 }))
    }
}

/// The rows of a table in memory.
struct MemoryRows {
    name: PathBuf,
    schema: SchemaRef,
    /// The batches, with only the chosen columns.
    batches: Vec<RecordBatch>,
    /// The positions of the chosen columns, ascending.
    selected: Vec<usize>,
    chosen: ChosenColumns,
    /// The number of the current batch, and of its first row that was not read.
    batch: usize,
    start: usize,
    /// The number of rows that have been read.
    rows: u64,
}

impl ColumnarRows for MemoryRows {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        batch.clear();
        let mut tables = Vec::new();
        let mut rows = 0;
        while rows < ROWS
            && let Some(whole) = self.batches.get(self.batch)
        {
            let length = (whole.num_rows() - self.start).min(ROWS - rows);
            tables.push(whole.slice(self.start, length));
            rows += length;
            self.start += length;
            if self.start == whole.num_rows() {
                (self.batch, self.start) = (self.batch + 1, 0);
            }
        }
        let name: &Path = &self.name;
        gather(&tables, &self.selected, &self.chosen, name, &self.schema, self.rows, batch)?;
        self.rows += rows as u64;
        Ok(rows > 0)
    }

    fn progress(&self) -> (u64, u64) {
        (self.rows, self.batches.iter().map(|batch| batch.num_rows() as u64).sum())
    }
}
