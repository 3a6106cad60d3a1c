//! A second reader of stores, written from the description of their format, and changes to stores that test it.
//!
//! The second reader shares no code with the first. It reads whole files, stores every adjacency list separately, and
//! compares all parts of a store in the simplest way.

mod change;
mod files;
mod pages;
mod reader;

pub use change::{Change, Draws};
pub use files::Files;
pub use reader::check;
