//! Parquet files. Row groups and their columns are decoded in parallel, and only the chosen columns are read.

use crate::classes::{columns, is_text};
use crate::guard::{damaged, guarded};
use crate::pieces::{ColumnCells, ColumnRole, roles};
use arrow_schema::{DataType, FieldRef, Fields, Schema};
use bytes::{Buf, Bytes};
use gts_core::build::EdgeBatch;
use gts_core::import::ImportError;
use gts_core::import::columnar::{ChosenColumns, ColumnarFile, ColumnarRows, TypedColumn};
use gts_core::parallel::*;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Encoding;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FORMAT: &str = "Parquet";
/// The most rows that a column decodes at once: a row group of pyarrow.
const ROWS: usize = 1 << 20;
/// The fewest rows that a column decodes at once.
const LEAST_ROWS: usize = 1 << 13;
/// The most bytes of decoded columns at a time, by what the file declares.
const BYTES: u64 = 256 << 20;
/// The divisor of a memory limit that yields the bytes of decoded columns at a time.
const SHARE: u64 = 32;

/// Opens a Parquet file.
pub(crate) fn open(path: &Path, file: File) -> Result<Box<dyn ColumnarFile>, ImportError> {
    let bytes = file.metadata().map_err(|error| ImportError::io(path, error))?.len();
    let whole = FileRange { file: Arc::new(file), bytes, start: 0, part: Bytes::new() };
    // The types of Parquet suffice. The writer's own schema may name types that are unknown here.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let loaded = guarded(|| ArrowReaderMetadata::load(&whole, options));
    let loaded = loaded.map_err(|detail| damaged(path, FORMAT, detail))?;
    let metadata = loaded.metadata().clone();
    let hinted = |text: &DataType| {
        let options = ArrowReaderOptions::new().with_schema(Arc::new(hinted(loaded.schema(), text)));
        guarded(|| ArrowReaderMetadata::try_new(metadata.clone(), options))
            .map_err(|detail| damaged(path, FORMAT, detail))
    };
    let views = hinted(&DataType::Utf8View)?;
    let dictionaries = hinted(&DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)))?;
    Ok(Box::new(ParquetFile { path: path.into(), file: whole, metadata, views, dictionaries }))
}

/// Returns a schema with another type for columns of text.
fn hinted(schema: &Schema, text: &DataType) -> Schema {
    let field = |field: &FieldRef| match is_text(field.data_type()) {
        true => Arc::new(field.as_ref().clone().with_data_type(text.clone())),
        false => field.clone(),
    };
    Schema::new_with_metadata(schema.fields().iter().map(field).collect::<Fields>(), schema.metadata().clone())
}

struct ParquetFile {
    path: PathBuf,
    file: FileRange,
    metadata: Arc<ParquetMetaData>,
    /// The schema in which text is read as views.
    views: ArrowReaderMetadata,
    /// The schema in which text is read as a dictionary.
    dictionaries: ArrowReaderMetadata,
}

impl ColumnarFile for ParquetFile {
    fn columns(&self) -> Vec<TypedColumn> {
        columns(self.views.schema())
    }

    fn rows(self: Box<Self>, chosen: ChosenColumns) -> Result<Box<dyn ColumnarRows>, ImportError> {
        let bytes = chosen.memory.map_or(BYTES, |memory| (memory / SHARE).clamp(1 << 20, BYTES));
        Ok(Box::new(ParquetRows {
            file: Selected { file: *self, chosen },
            bytes,
            next: 0,
            rows: 0,
            open: None,
            cells: Vec::new(),
        }))
    }
}

/// A Parquet file with chosen columns.
struct Selected {
    file: ParquetFile,
    chosen: ChosenColumns,
}

/// The rows of a Parquet file.
struct ParquetRows {
    file: Selected,
    /// The most bytes of decoded columns at a time.
    bytes: u64,
    /// The next row group.
    next: usize,
    /// The number of rows before the next row group.
    rows: u64,
    /// The current row group, if it is read in parts.
    open: Option<RowGroup>,
    /// Buffers for the cells of each row group that is read at the same time.
    cells: Vec<Vec<ColumnCells>>,
}

impl ColumnarRows for ParquetRows {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        batch.clear();
        while batch.src.is_empty() {
            let mut groups = match self.open.take() {
                Some(group) => vec![group],
                None => self.next_groups()?,
            };
            if groups.is_empty() {
                self.cells = Vec::new();
                return Ok(false);
            }
            let Self { file, cells, .. } = self;
            let new = || roles(&file.chosen).map(|(role, _)| ColumnCells::new(role)).collect();
            cells.resize_with(cells.len().max(groups.len()), new);
            let cells = &mut cells[..groups.len()];
            let read = groups.par_iter_mut().zip(&mut *cells).with_max_len(1);
            read.try_for_each(|(group, cells)| group.next(file, cells))?;
            cells.iter_mut().flatten().for_each(|cells| cells.append_to(batch));
            self.open = groups.pop().filter(|group| group.left > 0);
        }
        Ok(true)
    }

    fn progress(&self) -> (u64, u64) {
        let ParquetFile { metadata, file, .. } = &self.file.file;
        let groups = metadata.row_groups();
        let size = |group: usize| groups[group].compressed_size().max(0) as u64;
        let read = (0..self.next).map(size).fold(0, u64::saturating_add);
        (read.min(file.bytes), file.bytes)
    }
}

impl ParquetRows {
    /// Opens the next row groups, one per thread, if several fit into memory. A larger row group is opened alone.
    fn next_groups(&mut self) -> Result<Vec<RowGroup>, ImportError> {
        let mut groups = Vec::new();
        let mut bytes = 0;
        while groups.len() < rayon::current_num_threads()
            && let Some(group) = self.file.file.metadata.row_groups().get(self.next)
        {
            let rows =
                u64::try_from(group.num_rows()).map_err(|_| self.file.damaged("a row group has fewer than 0 rows"))?;
            let per_row = self.file.chosen_chunks(self.next).map(|(_, chunk)| chunk.uncompressed_size().max(0) as u64);
            let size = per_row.fold(16 * rows.min(1 << 40), u64::saturating_add);
            if !groups.is_empty() && (bytes + size > self.bytes || rows > ROWS as u64) {
                break;
            }
            let part = (self.bytes / (size / rows.max(1)).max(1)).clamp(LEAST_ROWS as u64, ROWS as u64);
            groups.push(RowGroup::open(&self.file, (self.next, self.rows), rows, part.min(rows) as usize)?);
            bytes = bytes.saturating_add(size);
            self.next += 1;
            self.rows =
                self.rows.checked_add(rows).ok_or_else(|| self.file.damaged("the row groups have too many rows"))?;
            if rows > part {
                break;
            }
        }
        Ok(groups)
    }
}

impl Selected {
    /// Iterates over the chosen columns of a row group.
    fn chosen_chunks(&self, group: usize) -> impl Iterator<Item = (ColumnRole, &ColumnChunkMetaData)> {
        let group = &self.file.metadata.row_groups()[group];
        roles(&self.chosen).filter_map(|(role, column)| Some((role, group.columns().get(self.leaf(column)?)?)))
    }

    /// Returns the leaf of the Parquet schema that a column without parts consists of.
    fn leaf(&self, column: usize) -> Option<usize> {
        let schema = self.file.metadata.file_metadata().schema_descr();
        (0..schema.num_columns()).find(|leaf| schema.get_column_root_idx(*leaf) == column)
    }

    fn damaged(&self, detail: impl ToString) -> ImportError {
        damaged(&self.file.path, FORMAT, detail.to_string())
    }
}

/// A row group that is being read.
struct RowGroup {
    /// The decoders of the chosen columns.
    columns: Vec<ParquetRecordBatchReader>,
    /// The number of rows in the file before the next row.
    rows_before: u64,
    /// The number of rows that are left.
    left: u64,
    /// The number of rows that are read at once.
    part: usize,
}

impl RowGroup {
    fn open(rows: &Selected, (group, rows_before): (usize, u64), left: u64, part: usize) -> Result<Self, ImportError> {
        let file = &rows.file;
        let open = |(role, chunk): (ColumnRole, &ColumnChunkMetaData)| {
            let column = role.column(&rows.chosen);
            let schema = if is_dictionary(chunk) { &file.dictionaries } else { &file.views };
            let reader = guarded(|| {
                let chunk = file.file.read(chunk)?;
                let mask = ProjectionMask::roots(schema.parquet_schema(), [column]);
                let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(chunk, schema.clone());
                builder.with_projection(mask).with_row_groups(vec![group]).with_batch_size(part.max(1)).build()
            });
            reader.map_err(|detail| rows.damaged(detail))
        };
        let columns = rows.chosen_chunks(group).map(open).collect::<Result<Vec<_>, _>>()?;
        if columns.len() != roles(&rows.chosen).count() {
            return Err(rows.damaged("a row group lacks a column"));
        }
        Ok(Self { columns, rows_before, left, part })
    }

    /// Decodes the next rows of the chosen columns, in parallel, and appends them to `cells`.
    fn next(&mut self, rows: &Selected, cells: &mut [ColumnCells]) -> Result<(), ImportError> {
        let (expected, rows_before) = (self.left.min(self.part as u64), self.rows_before);
        let is_last = self.left == expected;
        let decode = |(reader, cells): (&mut ParquetRecordBatchReader, &mut ColumnCells)| {
            let mut next = || guarded(|| reader.next().transpose()).map_err(|detail| rows.damaged(detail));
            let mut found = 0;
            if expected > 0
                && let Some(read) = next()?
            {
                found = read.num_rows() as u64;
                cells.push(read.column(0), &rows.chosen, &rows.file.path, rows.file.views.schema(), rows_before)?;
            }
            if found != expected || is_last && next()?.is_some_and(|more| more.num_rows() > 0) {
                return Err(rows.damaged("a row group has fewer or more rows than it declares"));
            }
            Ok(())
        };
        self.columns.par_iter_mut().zip(cells).with_max_len(1).try_for_each(decode)?;
        self.left -= expected;
        self.rows_before += expected;
        Ok(())
    }
}

/// Returns whether all cells of a column refer to a dictionary.
fn is_dictionary(chunk: &ColumnChunkMetaData) -> bool {
    chunk.dictionary_page_offset().is_some()
        && chunk
            .page_encoding_stats_mask()
            .is_some_and(|mask| mask.is_only(Encoding::PLAIN_DICTIONARY) || mask.is_only(Encoding::RLE_DICTIONARY))
}

/// A file, and a part that has been read.
#[derive(Clone)]
struct FileRange {
    file: Arc<File>,
    bytes: u64,
    /// The place of the part in the file.
    start: u64,
    part: Bytes,
}

impl FileRange {
    /// Reads a column of a row group.
    fn read(&self, chunk: &ColumnChunkMetaData) -> Result<Self, ParquetError> {
        let (start, length) = chunk.byte_range();
        let part = self.get_bytes(start, usize::try_from(length)?)?;
        Ok(Self { file: self.file.clone(), bytes: self.bytes, start, part })
    }
}

impl Length for FileRange {
    fn len(&self) -> u64 {
        self.bytes
    }
}

impl ChunkReader for FileRange {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let end = if self.part.is_empty() { self.bytes } else { self.start + self.part.len() as u64 };
        let length = end.checked_sub(start).ok_or_else(|| ParquetError::EOF("a column begins after its end".into()))?;
        Ok(Box::new(self.get_bytes(start, length as usize)?.reader()))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let end = start.checked_add(length as u64).filter(|end| *end <= self.bytes);
        let end = end.ok_or_else(|| ParquetError::EOF(format!("{length} bytes at {start} end after the file")))?;
        if start >= self.start && end <= self.start + self.part.len() as u64 {
            let first = (start - self.start) as usize;
            return Ok(self.part.slice(first..first + length));
        }
        let mut bytes = vec![0; length];
        read_at(&self.file, &mut bytes, start)?;
        Ok(bytes.into())
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], start: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, start)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut start: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, start)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            read => (bytes, start) = (&mut bytes[read..], start + read as u64),
        }
    }
    Ok(())
}
