//! Ranks that MPI starts, on one machine or on several: `MpiGroup` is a
//! [`Group`](https://docs.rs/gts-runtime/latest/gts_runtime/group/trait.Group.html) whose messages MPI carries.
//!
//! This crate is empty without its feature `mpi`, which needs an installed MPI with `mpicc`, and libclang.
//!
//! | module | what it has |
//! |---|---|
//! | `group` | `MpiGroup`: how ranks meet, exchange messages, leave, and end by an error |
//! | `peer` | what one rank still has to send and to receive in an exchange |
//! | `wire` | the calls of MPI, which are unsafe |

#[cfg(feature = "mpi")]
mod group;
#[cfg(feature = "mpi")]
mod peer;
#[cfg(feature = "mpi")]
mod wire;

#[cfg(feature = "mpi")]
pub use group::{LastWords, MpiGroup};
