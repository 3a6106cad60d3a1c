//! Writes tables as Parquet files or Arrow files.

use arrow_array::{
    ArrayRef, BooleanArray, FixedSizeBinaryArray, Float32Array, Float64Array, Int32Array, Int64Array, RecordBatch,
    StringArray, UInt8Array, UInt32Array, UInt64Array,
};
use arrow_buffer::NullBuffer;
use arrow_ipc::writer::FileWriter;
use arrow_schema::extension::Uuid;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use gts_core::import::Format;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::Arc;

/// The number of rows in a row group of Parquet.
const GROUP: usize = 1 << 20;

/// The type of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellType {
    /// Bytes.
    U8,
    /// Integers without a sign, of 32 bits.
    U32,
    /// Integers without a sign, of 64 bits.
    U64,
    /// Integers of 32 bits.
    I32,
    /// Integers of 64 bits.
    I64,
    /// Floats of 32 bits.
    F32,
    /// Floats of 64 bits.
    F64,
    /// Booleans.
    Bool,
    /// Text.
    Text,
    /// UUIDs.
    Uuid,
}

/// ColumnData of a column. Those without a value are `nulls`; their contents are not written.
#[derive(Clone, Debug)]
pub struct ColumnData<'a> {
    /// The contents of all cells.
    pub values: CellValues<'a>,
    /// Whether each cell has no value; `None` if all have one.
    pub nulls: Option<Vec<bool>>,
}

/// The contents of cells.
#[derive(Clone, Debug)]
pub enum CellValues<'a> {
    /// Bytes.
    U8(Cow<'a, [u8]>),
    /// Integers without a sign, of 32 bits.
    U32(Cow<'a, [u32]>),
    /// Integers without a sign, of 64 bits.
    U64(Cow<'a, [u64]>),
    /// Integers of 32 bits.
    I32(Cow<'a, [i32]>),
    /// Integers of 64 bits.
    I64(Cow<'a, [i64]>),
    /// Floats of 32 bits.
    F32(Cow<'a, [f32]>),
    /// Floats of 64 bits.
    F64(Cow<'a, [f64]>),
    /// Booleans.
    Bool(Cow<'a, [bool]>),
    /// Text.
    Text(Vec<Cow<'a, str>>),
    /// UUIDs.
    Uuid(Vec<[u8; 16]>),
}

impl CellValues<'_> {
    fn len(&self) -> usize {
        match self {
            Self::U8(cells) => cells.len(),
            Self::U32(cells) => cells.len(),
            Self::U64(cells) => cells.len(),
            Self::I32(cells) => cells.len(),
            Self::I64(cells) => cells.len(),
            Self::F32(cells) => cells.len(),
            Self::F64(cells) => cells.len(),
            Self::Bool(cells) => cells.len(),
            Self::Text(cells) => cells.len(),
            Self::Uuid(cells) => cells.len(),
        }
    }
}

/// A writer of one table.
pub struct TableWriter<'a> {
    schema: SchemaRef,
    to: Destination<'a>,
}

enum Destination<'a> {
    Arrow(Box<FileWriter<&'a mut dyn Write>>),
    /// Row groups are written to memory first, because the encoder moves its destination between threads.
    Parquet(Box<ArrowWriter<Vec<u8>>>, &'a mut dyn Write),
}

impl<'a> TableWriter<'a> {
    /// Begins a table. A column has a name, a type, and may have cells without a value.
    ///
    /// # Errors
    ///
    /// The writer fails, or the format is not one of this crate.
    pub fn new<'b>(
        writer: &'a mut dyn Write,
        format: Format,
        columns: impl IntoIterator<Item = (&'b str, CellType, bool)>,
    ) -> io::Result<Self> {
        let columns = columns.into_iter().map(|(name, kind, has_nulls)| column(name, kind, has_nulls));
        let schema = Arc::new(Schema::new(columns.collect::<Vec<_>>()));
        let to = match format {
            Format::Arrow => {
                Destination::Arrow(Box::new(FileWriter::try_new(writer, &schema).map_err(io::Error::other)?))
            }
            Format::Parquet => {
                let properties = WriterProperties::builder()
                    .set_compression(Compression::ZSTD(ZstdLevel::default()))
                    .set_max_row_group_row_count(Some(GROUP))
                    .build();
                let encoder = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(properties));
                Destination::Parquet(Box::new(encoder.map_err(io::Error::other)?), writer)
            }
            _ => return Err(io::ErrorKind::Unsupported.into()),
        };
        Ok(Self { schema, to })
    }

    /// Writes rows: the cells of each column.
    ///
    /// # Errors
    ///
    /// The writer fails, or the cells do not have the number, the types or the lengths of the columns.
    pub fn rows(&mut self, cells: Vec<ColumnData<'_>>) -> io::Result<()> {
        let columns = cells.into_iter().map(array).collect::<io::Result<_>>()?;
        let rows = RecordBatch::try_new(self.schema.clone(), columns).map_err(io::Error::other)?;
        match &mut self.to {
            Destination::Arrow(file) => file.write(&rows).map_err(io::Error::other),
            Destination::Parquet(encoder, writer) => {
                encoder.write(&rows).map_err(io::Error::other)?;
                encoder.sync()?;
                writer.write_all(&std::mem::take(encoder.inner_mut()))
            }
        }
    }

    /// Ends the table.
    ///
    /// # Errors
    ///
    /// The writer fails.
    pub fn finish(self) -> io::Result<()> {
        match self.to {
            Destination::Arrow(mut file) => file.finish().map_err(io::Error::other),
            Destination::Parquet(encoder, writer) => writer.write_all(&encoder.into_inner().map_err(io::Error::other)?),
        }
    }
}

/// Returns a column as Arrow describes it.
pub fn column(name: &str, kind: CellType, has_nulls: bool) -> Field {
    let field = Field::new(name, data_type(kind), has_nulls);
    if kind == CellType::Uuid { field.with_extension_type(Uuid) } else { field }
}

fn data_type(kind: CellType) -> DataType {
    match kind {
        CellType::U8 => DataType::UInt8,
        CellType::U32 => DataType::UInt32,
        CellType::U64 => DataType::UInt64,
        CellType::I32 => DataType::Int32,
        CellType::I64 => DataType::Int64,
        CellType::F32 => DataType::Float32,
        CellType::F64 => DataType::Float64,
        CellType::Bool => DataType::Boolean,
        CellType::Text => DataType::Utf8,
        CellType::Uuid => DataType::FixedSizeBinary(16),
    }
}

/// Returns cells as an array of Arrow. Vectors that are owned are not copied.
///
/// # Errors
///
/// There are more or fewer nulls than cells.
pub fn array(ColumnData { values, nulls }: ColumnData<'_>) -> io::Result<ArrayRef> {
    if nulls.as_ref().is_some_and(|nulls| nulls.len() != values.len()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a column has more or fewer nulls than cells"));
    }
    let nulls: Option<NullBuffer> = nulls.map(|nulls| nulls.into_iter().map(|is_null| !is_null).collect());
    Ok(match values {
        CellValues::U8(cells) => Arc::new(UInt8Array::new(cells.into_owned().into(), nulls)),
        CellValues::U32(cells) => Arc::new(UInt32Array::new(cells.into_owned().into(), nulls)),
        CellValues::U64(cells) => Arc::new(UInt64Array::new(cells.into_owned().into(), nulls)),
        CellValues::I32(cells) => Arc::new(Int32Array::new(cells.into_owned().into(), nulls)),
        CellValues::I64(cells) => Arc::new(Int64Array::new(cells.into_owned().into(), nulls)),
        CellValues::F32(cells) => Arc::new(Float32Array::new(cells.into_owned().into(), nulls)),
        CellValues::F64(cells) => Arc::new(Float64Array::new(cells.into_owned().into(), nulls)),
        CellValues::Bool(cells) => Arc::new(BooleanArray::new(cells.into_owned().into(), nulls)),
        CellValues::Text(cells) => {
            let is_null = |row: usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
            let cells = cells.iter().enumerate();
            Arc::new(StringArray::from_iter(cells.map(|(row, cell)| (!is_null(row)).then_some(cell))))
        }
        CellValues::Uuid(cells) => Arc::new(FixedSizeBinaryArray::new(16, cells.into_flattened().into(), nulls)),
    })
}
