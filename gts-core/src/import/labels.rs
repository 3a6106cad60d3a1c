//! Tables of the labels of vertices: a number and a name per record.
//!
//! A table is a text file or a columnar file, such as Parquet. In a text file, tabs separate the fields if the first record
//! has one, otherwise commas or semicolons, otherwise blanks. The first record is a header if its first field is no number.
//! Names such as `id` and `label` identify the two columns. Without such names, the first two columns are read.

use super::blocks::Blocks;
use super::columnar;
use super::csv;
use super::edges::COMMENT;
use super::header::label_columns;
use super::parts::FileStream;
use super::{Column, Columns, Delimiter, ImportError, ImportOptions, Weights};
use crate::build::EdgeBatch;
use crate::graph::KeyKind;
use crate::{memory, threads};
use memchr::memchr;
use std::collections::HashMap;
use std::path::Path;

/// Maximum number of bytes in a line.
const LONGEST: usize = 1 << 20;

/// Reads a file with the labels of vertices, and returns them by the number of the vertex. A text file may be compressed.
///
/// # Errors
///
/// The file cannot be read, a record lacks a number or a label, or a number has two labels.
pub fn labels(path: &Path) -> Result<HashMap<u64, String>, ImportError> {
    threads::prepare()?;
    let (mut labels, mut batch) = (HashMap::new(), EdgeBatch::default());
    if let Some(mut rows) = columnar::open_labels(path)? {
        while rows.next(&mut batch)? {
            add(&mut labels, &batch, path)?;
        }
    } else if let Some(mut stream) = open_text(path)? {
        while stream.next(&mut batch)? {
            add(&mut labels, &batch, path)?;
        }
    }
    Ok(labels)
}

/// Opens a text file. Returns `None` if it is empty.
fn open_text(path: &Path) -> Result<Option<Box<dyn FileStream>>, ImportError> {
    let mut blocks = Blocks::open(path, None)?;
    blocks.limit_lines(LONGEST);
    let mut block = blocks.next()?;
    let at = blocks.seek(&mut block, |cursor| cursor.next_data_line(COMMENT))?;
    let line = super::Cursor { text: block.rest(), at }.line();
    if line.is_empty() {
        return Ok(None);
    }
    let delimiter = memchr(b'\t', line).map(|_| b'\t').or_else(|| csv::delimiter(line, false)).unwrap_or(b' ');
    let fields: Vec<&str> = line.split(|byte| *byte == delimiter).map(field).collect();
    let has_header = fields.first().is_some_and(|first| !first.starts_with(|c: char| c.is_ascii_digit()));
    let (source, target) = label_columns(fields.iter().copied().filter(|_| has_header));
    let options = ImportOptions {
        weights: Weights::Ignore,
        columns: Some(Columns { source: Column::Number(source + 1), target: Column::Number(target + 1), weight: None }),
        header: Some(has_header),
        delimiter: Some(Delimiter::Sign(delimiter)),
        directed: Some(true),
        labels: true,
        ..ImportOptions::default()
    };
    csv::open(blocks, block, &options).map(Some)
}

/// Adds the records of a batch, whose sources are vertices and whose targets are labels.
fn add(labels: &mut HashMap<u64, String>, batch: &EdgeBatch, path: &Path) -> Result<(), ImportError> {
    for (&vertex, &name) in batch.src.iter().zip(&batch.dst) {
        let lacks = |error: memory::NoMemory| ImportError::io(path, std::io::Error::other(error));
        memory::reserve_entry("names of vertices", labels).map_err(lacks)?;
        let name = batch.key(KeyKind::Text, name);
        if let Some(present) = labels.insert(vertex, name.to_string()) {
            let [name, present] = [name.shown(), crate::graph::Key::from(present).shown()];
            return Err(ImportError::UnfitTable {
                path: path.into(),
                problem: format!("vertex {vertex} has two names, {present} and {name}"),
                advice: "leave one of them out".into(),
            });
        }
    }
    Ok(())
}

/// Returns the text of a field of the first record.
fn field(field: &[u8]) -> &str {
    std::str::from_utf8(field).unwrap_or_default().trim().trim_matches('"')
}
