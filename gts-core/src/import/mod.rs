//! Importers: graph files of the usual formats, as streams of edges.

mod error;
mod format;

pub use error::ImportError;
pub use format::Format;
