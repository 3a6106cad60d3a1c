//! A second reader of stores, written from the description of their format, and changes of words to test it with.
//!
//! It shares no code with the first reader: it reads whole files, keeps every list separately, and compares everything
//! in the simplest way.

mod change;
mod files;
mod pages;
mod reader;

pub use change::{Change, Draws};
pub use files::Files;
pub use reader::check;
