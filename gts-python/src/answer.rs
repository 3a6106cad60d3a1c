//! Answers as tables of Arrow and arrays of numpy.

use crate::arrays;
use crate::error::{CallError, CallResult};
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type, UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, ArrowPrimitiveType, RecordBatch};
use arrow_schema::Schema;
use bytemuck::Pod;
use gts_graph::algorithm::{Answer, Scalar, Table, TableKind};
use gts_graph::cli::embedded::AnswerSheet;
use gts_graph::core::graph::Graph;
use gts_tables::{CellValues, ColumnData, array};
use numpy::{Element, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PySlice};
use pyo3_arrow::PyTable;
use std::borrow::Cow;
use std::sync::Arc;

/// The answer of a run, and the graph of its vertices.
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

    /// Returns a table with its output columns.
    fn sheet(&self, number: usize) -> CallResult<AnswerSheet<'_>> {
        let table = self.answer.tables().into_iter().nth(number);
        let table = table.ok_or_else(|| CallError::defect(format!("the answer has no table {number}")))?;
        Ok(AnswerSheet::new(&table, self.graph.ids()))
    }

    fn batch(&self, number: usize) -> CallResult<RecordBatch> {
        let sheet = self.sheet(number)?;
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for (place, (name, kind, has_nulls)) in sheet.columns().into_iter().enumerate() {
            fields.push(gts_tables::column(&name, kind, has_nulls));
            arrays.push(self.column(sheet.cells(place, 0..sheet.rows()).map_err(CallError::of_cells)?)?);
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
            .map_err(|error| CallError::defect(error.to_string()))
    }

    /// Returns a column. It shares the memory of numbers.
    fn column(&self, ColumnData { values, nulls }: ColumnData<'_>) -> CallResult<ArrayRef> {
        Ok(match values {
            CellValues::U8(Cow::Borrowed(cells)) => self.shared::<UInt8Type>(cells, nulls),
            CellValues::U32(Cow::Borrowed(cells)) => self.shared::<UInt32Type>(cells, nulls),
            CellValues::U64(Cow::Borrowed(cells)) => self.shared::<UInt64Type>(cells, nulls),
            CellValues::I32(Cow::Borrowed(cells)) => self.shared::<Int32Type>(cells, nulls),
            CellValues::I64(Cow::Borrowed(cells)) => self.shared::<Int64Type>(cells, nulls),
            CellValues::F32(Cow::Borrowed(cells)) => self.shared::<Float32Type>(cells, nulls),
            CellValues::F64(Cow::Borrowed(cells)) => self.shared::<Float64Type>(cells, nulls),
            values => array(ColumnData { values, nulls }).map_err(CallError::of_cells)?,
        })
    }

    fn shared<T: ArrowPrimitiveType<Native: Pod>>(&self, cells: &[T::Native], nulls: Option<Vec<bool>>) -> ArrayRef {
        let nulls = nulls.map(|nulls| nulls.into_iter().map(|is_null| !is_null).collect());
        arrays::shared::<T>(Arc::clone(&self.answer), (cells.as_ptr(), cells.len()), nulls)
    }

    /// Returns cells as an array of numpy. It shares the memory of numbers.
    fn numpy<'py>(this: &Bound<'py, Self>, cells: CellValues<'_>) -> PyResult<Bound<'py, PyAny>> {
        fn numbers<'py, T: Element>(this: &Bound<'py, RawAnswer>, cells: Cow<'_, [T]>) -> PyResult<Bound<'py, PyAny>>
        where
            [T]: ToOwned<Owned = Vec<T>>,
        {
            match cells {
                Cow::Borrowed(cells) => arrays::borrowed(cells, this.clone().into_any()),
                Cow::Owned(cells) => Ok(PyArray1::from_vec(this.py(), cells).into_any()),
            }
        }
        let py = this.py();
        let objects = |list: Bound<'py, PyList>| {
            let array = py.import("numpy")?.call_method1("empty", (list.len(), "object"))?;
            array.set_item(PySlice::full(py), list)?;
            Ok(array)
        };
        match cells {
            CellValues::U8(cells) => numbers(this, cells),
            CellValues::U32(cells) => numbers(this, cells),
            CellValues::U64(cells) => numbers(this, cells),
            CellValues::I32(cells) => numbers(this, cells),
            CellValues::I64(cells) => numbers(this, cells),
            CellValues::F32(cells) => numbers(this, cells),
            CellValues::F64(cells) => numbers(this, cells),
            CellValues::Bool(cells) => numbers(this, cells),
            CellValues::Text(cells) => objects(PyList::new(py, cells.iter().map(|cell| &**cell))?),
            CellValues::Uuid(cells) => {
                let uuid = py.import("uuid")?.getattr("UUID")?;
                let keys = cells.iter().map(|bytes| uuid.call1((py.None(), PyBytes::new(py, bytes))));
                objects(PyList::new(py, keys.collect::<PyResult<Vec<_>>>()?)?)
            }
        }
    }
}

#[pymethods]
impl RawAnswer {
    /// Returns the names of a table's columns.
    fn columns(&self, number: usize) -> CallResult<Vec<String>> {
        Ok(self.sheet(number)?.columns().into_iter().map(|(name, ..)| name.into_owned()).collect())
    }

    /// Returns the first rows of a column, or all, as an array; as a masked array if cells may have no value.
    #[pyo3(signature = (number, place, rows=None))]
    fn array<'py>(
        this: &Bound<'py, Self>,
        number: usize,
        place: usize,
        rows: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, raw) = (this.py(), this.get());
        let read = || {
            let sheet = raw.sheet(number)?;
            let rows = rows.map_or(sheet.rows(), |rows| rows.min(sheet.rows()));
            sheet.cells(place, 0..rows).map_err(CallError::of_cells)
        };
        let ColumnData { values, nulls } = py.detach(read)?;
        let cells = Self::numpy(this, values)?;
        match nulls {
            None => Ok(cells),
            Some(nulls) => py.import("numpy.ma")?.call_method1("MaskedArray", (cells, PyArray1::from_vec(py, nulls))),
        }
    }

    /// Returns the name of each table, and the number of its rows.
    fn tables(&self) -> Vec<(String, usize)> {
        let name = |table: &Table<'_>| match table.kind {
            TableKind::Vertices => "vertices".to_owned(),
            TableKind::Single => "scalars".to_owned(),
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
        let batch = py.detach(|| self.batch(number))?;
        let schema = batch.schema();
        let table = Bound::new(py, PyTable::try_new(vec![batch], schema)?)?;
        table.call_method1("__arrow_c_stream__", (requested_schema,))
    }
}
