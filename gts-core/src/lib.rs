//! The graph model, the page format, stores, imports, generators and the cost model.
//!
//! Nothing in this crate depends on a device or on the syntax of kernels.

pub mod advice;
pub mod build;
pub mod cost;
pub mod encoding;
pub mod files;
pub mod generate;
pub mod graph;
pub mod hash;
pub mod import;
pub mod memory;
pub mod page;
pub mod pattern;
pub mod phase;
pub mod read;
pub mod store;
mod stream;
pub mod summaries;
pub mod threads;
pub mod units;
mod vertex;
