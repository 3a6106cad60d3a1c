//! The kernel language, as tables that the macros, the command line and the book read.

mod codes;
mod example;

pub use codes::Code;
pub use example::Example;
