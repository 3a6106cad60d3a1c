//! Building graphs.

mod stream;

pub use stream::{Declared, DeclaredVertices, Direction, EdgeBatch, EdgeStream};
