//! Page encodings: the meaning of a page's bytes.
//!
//! An encoding is one module with a reader, a writer and a validator. Kernels never see records or slots: they request
//! *all edges* of a page or *the list of one vertex*, and receive (src, dst, value).

pub mod slotted;
