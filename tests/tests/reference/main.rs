//! The tables of the language, compared with the kernels, files and messages that follow from them.

mod codes;
mod examples;
mod provoked;
mod rows;
mod variants;
