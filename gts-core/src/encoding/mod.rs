//! Page encodings: the meaning of a page's bytes.
//!
//! An encoding is a module with a reader, a writer and a validator. Kernels never access records or slots. They request
//! all edges of a page, or the list of one vertex, and receive (src, dst, value) tuples.

pub mod slotted;
