//! What the measuring programs share: generated graphs, peers to stand beside, and medians.

pub mod csr;
pub mod graphs;
pub mod measure;
pub mod peers;
pub mod text;
