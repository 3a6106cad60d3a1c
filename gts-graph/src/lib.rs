#![doc = include_str!("../README.md")]
//!
//! ## Where to go next
//!
//! - [`prelude`] contains what programs import.
//! - [`gts_kernel`](prelude::gts_kernel) and [`gts_attributes`](prelude::gts_attributes) describe the kernel language.
//! - [`Engine::builder`] chooses devices, limits memory and sets how GPUs walk the edges. [`Run`] lists what a program can do
//!   with a graph and its attributes.
//! - [`algorithm`] registers an algorithm with its parameters and outputs. [`conformance`] then tests it against a serial
//!   version, on graphs of many kinds and in every way to run it.

#[doc(inline)]
pub use gts_runtime::*;

// A glob passes over hidden items.
#[doc(hidden)]
pub use gts_runtime::__private;

#[cfg(feature = "algorithms")]
#[doc(inline)]
pub use gts_algorithms as algorithms;

#[cfg(feature = "cli")]
#[doc(inline)]
pub use gts_cli as cli;
