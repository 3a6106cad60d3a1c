//! Ranks started by MPI, on one machine or on several: `MpiGroup` is a
//! [`Group`](https://docs.rs/gts-runtime/latest/gts_graph/group/trait.Group.html) whose messages MPI transports.
//!
//! This crate is empty without its feature `mpi`, which needs an installed MPI with `mpicc`, and libclang.
//!
//! | module | content |
//! |---|---|
//! | `group` | `MpiGroup`: how ranks connect, exchange messages, leave, and end by an error |
//! | `peer` | the pending messages to and from one rank in an exchange |
//! | `wire` | the calls of MPI, which are unsafe |

#[cfg(feature = "mpi")]
mod group;
#[cfg(feature = "mpi")]
mod peer;
#[cfg(feature = "mpi")]
mod wire;

#[cfg(feature = "mpi")]
pub use group::{LastWords, MpiGroup};
