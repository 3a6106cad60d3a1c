//! The kernel language, as tables that the macros, the command line and the book read.

mod codes;

pub use codes::Code;
