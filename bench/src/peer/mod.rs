//! Hand-written kernels and plain copies, used as baselines on the same device in the same process.

mod bfs;
mod copy;
mod gpu;
mod push;
mod rounds;

pub(crate) use bfs::zero_copy_bfs;
pub(crate) use copy::copies;
pub(crate) use push::push;
pub(crate) use rounds::{Rounds, relax};
