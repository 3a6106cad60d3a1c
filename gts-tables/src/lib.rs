#![doc = include_str!("../README.md")]
//!
//! In a program with this crate, [`Graph::read`](gts_core::graph::Graph::read) reads Parquet files, and Arrow files and
//! streams. [`TableWriter`] writes such files.
//!
//! Readers allocate no memory by the sizes that a file declares: sizes are first compared with the size of the file.

mod classes;
mod ipc;
mod keys;
mod pieces;
mod row_groups;
mod writer;

use gts_core::import::Format;
use gts_core::import::ImportError;
use gts_core::import::columnar::{ColumnarFile, ColumnarReader};
use std::fs::File;
use std::path::Path;

pub use writer::{CellType, CellValues, ColumnData, TableWriter};

inventory::submit! {
    ColumnarReader { formats: &[Format::Parquet, Format::Arrow], open }
}

/// Opens a file as one of the formats of this crate.
fn open(path: &Path, file: File, format: Format) -> Result<Box<dyn ColumnarFile>, ImportError> {
    match format {
        Format::Parquet => row_groups::open(path, file),
        _ => ipc::open(path, file),
    }
}
