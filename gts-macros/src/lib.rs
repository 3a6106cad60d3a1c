//! The macros of GTS: an attribute struct and its kernels, written once in Rust syntax, become a schema, native Rust and
//! CUDA C.

mod emit;
mod ir;
