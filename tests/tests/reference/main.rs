//! The tables of the language, compared with the kernels and messages that follow from them.

mod rows;
