//! Tables that the tests write.

use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::path::{Path, PathBuf};

/// Returns a table of named columns.
pub(crate) fn table(columns: &[(&str, ArrayRef)]) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.iter().map(|(name, cells)| (*name, cells.clone(), true)))
        .expect("columns of one length")
}

/// Returns the bytes of a Parquet file.
pub(crate) fn parquet(table: &RecordBatch, properties: WriterProperties) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, table.schema(), Some(properties)).expect("a schema");
    writer.write(table).expect("memory takes all");
    writer.close().expect("memory takes all");
    bytes
}

/// Returns the bytes of an Arrow file.
pub(crate) fn arrow_file(tables: &[RecordBatch]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new(&mut bytes, &tables[0].schema()).expect("a schema");
    tables.iter().for_each(|table| writer.write(table).expect("memory takes all"));
    writer.finish().expect("memory takes all");
    drop(writer);
    bytes
}

/// Returns the bytes of an Arrow stream.
pub(crate) fn arrow_stream(tables: &[RecordBatch]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &tables[0].schema()).expect("a schema");
    tables.iter().for_each(|table| writer.write(table).expect("memory takes all"));
    writer.finish().expect("memory takes all");
    drop(writer);
    bytes
}

/// Writes a file, and returns its path.
pub(crate) fn file(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path: &Path = folder.path();
    let path = path.join(name);
    std::fs::write(&path, bytes).expect("a file");
    path
}
