#![doc = include_str!("../README.md")]
//!
//! ## Where to go next
//!
//! To write a program:
//!
//! - [`prelude`] contains what programs import.
//! - [`gts_kernel`](prelude::gts_kernel) and [`gts_attributes`](prelude::gts_attributes) describe the kernel language.
//! - [`Graph`](prelude::Graph) reads, builds and saves graphs. [`core`](mod@crate::core) contains formats, generators and
//!   stores.
//! - [`Engine::builder`] chooses devices, limits memory and sets how GPUs walk the edges. [`Run`] lists what a program can
//!   do with a graph and its attributes.
//! - [`Error`] lists what a run can report, and [`RunReport`] what a run has cost. [`trace`] records when.
//!
//! To make it a command of `gts`:
//!
//! - [`algorithm`] registers an algorithm with its parameters and outputs.
//! - [`conformance`] tests the algorithm against a serial version, on graphs of many kinds and in every way to run it.
//!
//! To extend GTS:
//!
//! - [`device`] lists the devices and their traits, and [`kernel`] the native side of kernels.
//! - [`group`] describes processes that share a run.
//! - [`contract`] describes attribute structs and kernels as data.

#[doc(inline)]
pub use gts_runtime::*;

// A glob passes over hidden items.
#[doc(hidden)]
pub use gts_runtime::__private;

#[cfg(feature = "algorithms")]
#[doc(inline)]
pub use gts_algorithms as algorithms;

// Registers readers of typed tables and of BV graphs.
#[cfg(any(feature = "arrow", feature = "bv"))]
use gts_tables as _;

#[cfg(feature = "cli")]
#[doc(inline)]
pub use gts_cli as cli;
