//! What the measuring programs share: generated graphs, peers and plain reads to stand beside, and medians.

pub mod code_size;
pub mod csr;
pub mod disk;
pub mod graphs;
pub mod measure;
pub mod peers;
pub mod tables;
pub mod text;
