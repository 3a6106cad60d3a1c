#![doc = include_str!("../README.md")]
//!
//! In a program with this crate, [`Graph::read`](gts_core::graph::Graph::read) reads Parquet files, Arrow files and streams, and,
//! with the feature `bv`, BV graphs of WebGraph. `TableWriter` writes tables.
//!
//! Readers allocate no memory by the sizes that a file declares: sizes are first compared with the size of the file.

#[cfg(feature = "arrow")]
mod batches;
#[cfg(feature = "bv")]
mod bv;
#[cfg(feature = "arrow")]
mod classes;
mod guard;
#[cfg(feature = "arrow")]
mod ipc;
#[cfg(feature = "arrow")]
mod key_cells;
#[cfg(feature = "arrow")]
mod keys;
#[cfg(feature = "arrow")]
mod pieces;
#[cfg(feature = "arrow")]
mod row_groups;
#[cfg(feature = "arrow")]
mod writer;

use gts_core::import::Format;
use gts_core::import::columnar::ColumnarReader;

#[cfg(feature = "arrow")]
pub use batches::MemoryTable;
#[cfg(feature = "arrow")]
pub use key_cells::{key_cells, key_type};
#[cfg(feature = "arrow")]
pub use writer::{CellType, CellValues, ColumnData, TableWriter, array, column};

#[cfg(feature = "arrow")]
inventory::submit! {
    ColumnarReader {
        formats: &[Format::Parquet, Format::Arrow],
        open: |path, file, format| match format {
            Format::Parquet => row_groups::open(path, file),
            _ => ipc::open(path, file),
        },
    }
}

#[cfg(feature = "bv")]
inventory::submit! {
    ColumnarReader { formats: &[Format::Bv], open: |path, file, _| bv::open(path, file) }
}
