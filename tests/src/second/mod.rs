//! A second reader of stores, written from the description of their format, and changes of their words to try it with.
//!
//! It shares no code with the first: it reads whole files, keeps every list apart, and holds everything against
//! everything in the plainest way.

mod change;
mod files;
mod pages;
mod reader;

pub use change::{Change, Draws};
pub use files::Files;
pub use reader::check;
