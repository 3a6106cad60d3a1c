//! Tests that compare the language tables with the kernels, files and messages that depend on them.

mod codes;
mod examples;
mod provoked;
mod rows;
mod variants;
