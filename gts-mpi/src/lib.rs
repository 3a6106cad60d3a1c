//! Ranks started by MPI, on one machine or on several: `MpiGroup` is a
//! [`Group`](https://docs.rs/gts-runtime/latest/gts_graph/group/trait.Group.html) whose messages MPI transports.
//!
//! This crate is empty without its feature `mpi`, which needs an installed MPI with `mpicc`, and libclang.
//!
#![cfg_attr(feature = "mpi", doc = "```no_run")]
#![cfg_attr(not(feature = "mpi"), doc = "```ignore")]
//! use gts_graph::prelude::*;
//! use gts_mpi::MpiGroup;
//! use std::sync::Arc;
//!
//! // If the run cannot continue, this process prints the error and ends with code 1.
//! let last_words = Box::new(|error: &Error| {
//!     eprintln!("{error}");
//!     1
//! });
//! let group = Arc::new(MpiGroup::join(None, last_words)?);
//! let engine = Engine::builder().group(group).build()?;
//! # Ok::<(), Error>(())
//! ```
//!
//! | module | content |
//! |---|---|
//! | `group` | `MpiGroup`: how ranks connect, exchange messages, leave, and end by an error |
//! | `peer` | the pending messages to and from one rank in an exchange |
//! | `wire` | the calls of MPI, which are unsafe |
//!
//! # Where to go next
//!
//! - The command `gts`, built with its feature `mpi`, joins the group of the ranks that `mpirun` starts.
//! - [`gts-graph-group`](https://docs.rs/gts-graph-group) describes groups, and ranks that need no MPI.
//! - [`gts-graph`](https://docs.rs/gts-graph) is the crate that programs depend on.

#[cfg(feature = "mpi")]
mod group;
#[cfg(feature = "mpi")]
mod peer;
#[cfg(feature = "mpi")]
mod wire;

#[cfg(feature = "mpi")]
pub use group::{LastWords, MpiGroup};
