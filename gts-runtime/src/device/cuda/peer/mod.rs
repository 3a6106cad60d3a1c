//! What measurements hold the device against, on the same machine in the same process: hand-written kernels, and plain
//! copies.

mod bfs;
mod copy;
mod push;
mod rounds;

pub use bfs::{PeerBfs, zero_copy_bfs};
pub use copy::copies;
pub use push::{PeerPush, push};
pub use rounds::{PeerRounds, Rounds, relax};
