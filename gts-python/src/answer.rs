//! Answers as tables of Arrow.

use crate::arrays;
use crate::error::{CallError, CallResult};
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type, UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, ArrowPrimitiveType, PrimitiveArray, RecordBatch};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::{Field, Schema};
use bytemuck::Pod;
use bytes::Bytes;
use gts_graph::algorithm::{Answer, Cells, Column, Scalar, Table, Values};
use gts_graph::core::graph::{Graph, IdMap};
use gts_tables::{CellType, CellValues, ColumnData, array, key_cells, key_type};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PySlice};
use pyo3_arrow::PyTable;
use std::sync::Arc;

/// The answer of a run, with the graph whose vertices it is about.
#[pyclass(frozen, module = "gts_graph._gts")]
pub(crate) struct RawAnswer {
    answer: Arc<Answer>,
    graph: Graph,
    #[pyo3(get)]
    algorithm: &'static str,
    /// The report of the run as JSON.
    #[pyo3(get)]
    report: String,
}

impl RawAnswer {
    pub(crate) fn new(answer: Answer, graph: Graph, algorithm: &'static str, report: String) -> Self {
        Self { answer: Arc::new(answer), graph, algorithm, report }
    }

    fn table(&self, number: usize) -> CallResult<RecordBatch> {
        let tables = self.answer.tables();
        let ids = self.graph.ids();
        let table =
            tables.get(number).ok_or_else(|| CallError::usage(format!("no table {number}"), "ask for another"))?;
        let mut columns: Vec<(Field, ArrayRef)> = Vec::new();
        for (place, column) in table.columns.iter().enumerate() {
            columns.push(self.column(table, (number, place), column)?);
            columns.extend(sides(table, column, ids)?);
        }
        let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(io)
    }

    fn column(&self, table: &Table<'_>, place: (usize, usize), column: &Column<'_>) -> CallResult<(Field, ArrayRef)> {
        let nulls = column.has_nulls.then(|| (0..table.rows).map(|row| column.is_null(row)).collect::<Vec<_>>());
        let ids = self.graph.ids();
        let of_keys = |values: std::io::Result<CellValues<'_>>| {
            let cells = ColumnData { values: values.map_err(io)?, nulls: nulls.clone() };
            let field = gts_tables::column(column.name, key_type(ids.kind()), column.has_nulls);
            Ok((field, array(cells).map_err(io)?))
        };
        let array: ArrayRef = match column.cells {
            Cells::Vertices => return of_keys(key_cells(ids.kind(), ids.keys(0..table.rows as u64))),
            Cells::Sources(ends) => return of_keys(keys(ids, ends.iter().map(|ends| ends.0))),
            Cells::Targets(ends) => return of_keys(keys(ids, ends.iter().map(|ends| ends.1))),
            Cells::Values(Values::Vertex(vertices)) => {
                // A null has the first key in its place.
                let any = ids.original_of_rank(0).unwrap_or(0);
                let originals = vertices.iter().map(|vertex| if *vertex == u64::MAX { any } else { *vertex });
                return of_keys(keys(ids, originals));
            }
            Cells::Values(Values::Bool(cells)) => {
                array(ColumnData { values: CellValues::Bool(cells.into()), nulls: nulls.clone() }).map_err(io)?
            }
            Cells::Values(Values::U8(cells)) => self.shared::<UInt8Type>(place, cells, nulls),
            Cells::Values(Values::U32(cells)) => self.shared::<UInt32Type>(place, cells, nulls),
            Cells::Values(Values::U64(cells)) => self.shared::<UInt64Type>(place, cells, nulls),
            Cells::Values(Values::I32(cells)) => self.shared::<Int32Type>(place, cells, nulls),
            Cells::Values(Values::I64(cells)) => self.shared::<Int64Type>(place, cells, nulls),
            Cells::Values(Values::F32(cells)) => self.shared::<Float32Type>(place, cells, nulls),
            Cells::Values(Values::F64(cells)) => self.shared::<Float64Type>(place, cells, nulls),
        };
        Ok((Field::new(column.name, array.data_type().clone(), column.has_nulls), array))
    }

    /// Returns an array that shares the memory of a column.
    fn shared<T: ArrowPrimitiveType<Native: Pod>>(
        &self,
        (table, column): (usize, usize),
        cells: &[T::Native],
        nulls: Option<Vec<bool>>,
    ) -> ArrayRef {
        let bytes = Bytes::from_owner(SharedColumn { answer: Arc::clone(&self.answer), table, column });
        let nulls: Option<NullBuffer> = nulls.map(|nulls| nulls.into_iter().map(|is_null| !is_null).collect());
        Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::new(Buffer::from(bytes), 0, cells.len()), nulls))
    }
}

/// The bytes of a column of numbers.
struct SharedColumn {
    answer: Arc<Answer>,
    table: usize,
    column: usize,
}

impl AsRef<[u8]> for SharedColumn {
    fn as_ref(&self) -> &[u8] {
        let tables = self.answer.tables();
        match tables[self.table].columns[self.column].cells {
            Cells::Values(Values::U8(cells)) => cells,
            Cells::Values(Values::U32(cells)) => bytemuck::cast_slice(cells),
            Cells::Values(Values::U64(cells) | Values::Vertex(cells)) => bytemuck::cast_slice(cells),
            Cells::Values(Values::I32(cells)) => bytemuck::cast_slice(cells),
            Cells::Values(Values::I64(cells)) => bytemuck::cast_slice(cells),
            Cells::Values(Values::F32(cells)) => bytemuck::cast_slice(cells),
            Cells::Values(Values::F64(cells)) => bytemuck::cast_slice(cells),
            Cells::Values(Values::Bool(_)) | Cells::Vertices | Cells::Sources(_) | Cells::Targets(_) => &[],
        }
    }
}

impl RawAnswer {
    /// Returns the cells of a column as an array of numpy, which shares their memory if they are numbers.
    fn cells<'py>(this: &Bound<'py, Self>, column: &Column<'_>, rows: usize) -> CallResult<Bound<'py, PyAny>> {
        let (py, raw) = (this.py(), this.get());
        let ids = raw.graph.ids();
        let owner = || this.clone().into_any();
        let cells = match column.cells {
            Cells::Values(Values::U8(cells)) => arrays::borrowed(cells, owner()),
            Cells::Values(Values::U32(cells)) => arrays::borrowed(cells, owner()),
            Cells::Values(Values::U64(cells)) => arrays::borrowed(cells, owner()),
            Cells::Values(Values::I32(cells)) => arrays::borrowed(cells, owner()),
            Cells::Values(Values::I64(cells)) => arrays::borrowed(cells, owner()),
            Cells::Values(Values::F32(cells)) => arrays::borrowed(cells, owner()),
            Cells::Values(Values::F64(cells)) => arrays::borrowed(cells, owner()),
            Cells::Values(Values::Bool(cells)) => arrays::borrowed(cells, owner()),
            Cells::Vertices => of_cells(py, key_cells(ids.kind(), ids.keys(0..rows as u64)).map_err(io)?),
            Cells::Sources(ends) => of_cells(py, keys(ids, ends.iter().map(|ends| ends.0)).map_err(io)?),
            Cells::Targets(ends) => of_cells(py, keys(ids, ends.iter().map(|ends| ends.1)).map_err(io)?),
            Cells::Values(Values::Vertex(vertices)) => {
                let any = ids.original_of_rank(0).unwrap_or(0);
                let originals = vertices.iter().map(|vertex| if *vertex == u64::MAX { any } else { *vertex });
                of_cells(py, keys(ids, originals).map_err(io)?)
            }
        };
        cells.map_err(CallError::of)
    }
}

/// Returns keys as an array: of numbers, or of objects.
fn of_cells<'py>(py: Python<'py>, cells: CellValues<'_>) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import("numpy")?;
    let objects = |list: Bound<'py, PyList>| {
        let array = numpy.call_method1("empty", (list.len(), "object"))?;
        array.set_item(PySlice::full(py), list)?;
        Ok(array)
    };
    match cells {
        CellValues::U64(cells) => Ok(PyArray1::from_vec(py, cells.into_owned()).into_any()),
        CellValues::I64(cells) => Ok(PyArray1::from_vec(py, cells.into_owned()).into_any()),
        CellValues::Text(cells) => objects(PyList::new(py, cells.iter().map(|cell| &**cell))?),
        CellValues::Uuid(cells) => {
            let uuid = py.import("uuid")?.getattr("UUID")?;
            let keys = cells.iter().map(|bytes| uuid.call1((py.None(), PyBytes::new(py, bytes))));
            objects(PyList::new(py, keys.collect::<PyResult<Vec<_>>>()?)?)
        }
        _ => Err(pyo3::exceptions::PyTypeError::new_err("keys are numbers, text or UUIDs")),
    }
}

#[pymethods]
impl RawAnswer {
    /// Returns the names of a table's columns.
    fn columns(&self, number: usize) -> Vec<String> {
        let tables = self.answer.tables();
        tables
            .get(number)
            .map(|table| table.columns.iter().map(|column| column.name.to_owned()).collect())
            .unwrap_or_default()
    }

    /// Returns a column of a table as an array, or as a masked array if cells may have no value.
    fn array<'py>(this: &Bound<'py, Self>, number: usize, place: usize) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        let tables = this.get().answer.tables();
        let found = tables.get(number).and_then(|table| Some((table.rows, table.columns.get(place)?)));
        let (rows, column) = found.ok_or_else(|| pyo3::exceptions::PyIndexError::new_err("no such column"))?;
        let cells = Self::cells(this, column, rows)?;
        if !column.has_nulls {
            return Ok(cells);
        }
        let mask = PyArray1::from_iter(py, (0..rows).map(|row| column.is_null(row)));
        py.import("numpy.ma")?.call_method1("MaskedArray", (cells, mask))
    }

    /// Returns the name of each table, and the number of its rows.
    fn tables(&self) -> Vec<(String, usize)> {
        let name = |table: &Table<'_>| match table.kind {
            gts_graph::algorithm::TableKind::Vertices => "vertices".to_owned(),
            gts_graph::algorithm::TableKind::Single => "scalars".to_owned(),
            _ => table.name.to_owned(),
        };
        self.answer.tables().iter().map(|table| (name(table), table.rows)).collect()
    }

    /// Returns the outputs with a single value.
    fn scalars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let scalars = PyDict::new(py);
        for (name, value) in self.answer.scalars() {
            match value {
                Scalar::Unsigned(value) => scalars.set_item(name, value)?,
                Scalar::Signed(value) => scalars.set_item(name, value)?,
                Scalar::Single(value) => scalars.set_item(name, value)?,
                Scalar::Real(value) => scalars.set_item(name, value)?,
                Scalar::Flag(value) => scalars.set_item(name, value)?,
            }
        }
        Ok(scalars)
    }

    /// Returns a table as a stream of Arrow.
    #[pyo3(signature = (number, requested_schema=None))]
    fn stream<'py>(
        &self,
        py: Python<'py>,
        number: usize,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let batch = self.table(number)?;
        let table = Bound::new(py, PyTable::try_new(vec![batch.clone()], batch.schema())?)?;
        table.call_method1("__arrow_c_stream__", (requested_schema,))
    }
}

/// Returns the column of the sides of vertices, after a column of keys with sides.
fn sides(table: &Table<'_>, column: &Column<'_>, ids: &IdMap) -> CallResult<Option<(Field, ArrayRef)>> {
    let original = |row: usize| match column.cells {
        Cells::Vertices => ids.original_of_rank(row as u64),
        Cells::Sources(ends) => Some(ends[row].0),
        Cells::Targets(ends) => Some(ends[row].1),
        Cells::Values(Values::Vertex(vertices)) => Some(vertices[row]).filter(|vertex| *vertex != u64::MAX),
        Cells::Values(_) => None,
    };
    let has_keys = !matches!(column.cells, Cells::Values(values) if !matches!(values, Values::Vertex(_)));
    if !ids.has_sides() || !has_keys {
        return Ok(None);
    }
    let side = |row: usize| original(row).and_then(|vertex| ids.side(vertex));
    let nulls = column.has_nulls.then(|| (0..table.rows).map(|row| side(row).is_none()).collect());
    let values = CellValues::Text((0..table.rows).map(|row| side(row).unwrap_or_default().into()).collect());
    let name = match column.cells {
        Cells::Vertices => "side".to_owned(),
        _ => format!("{}_side", column.name),
    };
    let field = gts_tables::column(&name, CellType::Text, column.has_nulls);
    Ok(Some((field, array(ColumnData { values, nulls }).map_err(io)?)))
}

fn keys<'a>(ids: &'a IdMap, originals: impl Iterator<Item = u64> + 'a) -> std::io::Result<CellValues<'a>> {
    key_cells(ids.kind(), originals.map(|original| ids.key_of(original)))
}

fn io(error: impl ToString) -> CallError {
    CallError::usage(error.to_string(), "report this as a defect of GTS")
}
