//! Page encodings: what the bytes of a page mean.
//!
//! An encoding is one module with a reader, a writer and a validator. Kernels never see records or slots: they ask a
//! page for *all its edges* or for *the list of one vertex* and are handed (src, dst, value).

pub mod slotted;
