//! The macros of GTS: an attribute struct and its kernels, written once in Rust syntax, become a schema, native Rust
//! and CUDA C.
//!
//! Programs use the macros through [`gts-graph`](https://docs.rs/gts-graph), whose crate the emitted code names:
//!
//! ```ignore
//! use gts_graph::prelude::*;
//!
//! /// Edges that end at each vertex.
//! #[gts_attributes]
//! struct Degrees {
//!     #[wa(init = 0, merge = sum)]
//!     into: u64,
//! }
//!
//! #[gts_kernel(scan)]
//! fn count(degrees: &mut Degrees, src: Vertex, dst: Vertex) {
//!     degrees.into[dst] += 1;
//! }
//! ```
//!
//! # Where to go next
//!
//! - [`macro@gts_attributes`] lists the kinds of fields, their types and merges.
//! - [`macro@gts_kernel`] lists the kinds of kernels, and what a body may contain.
//! - [`macro@gts_fn`] and [`macro@gts_const`] share functions and constants between kernels.
//! - The language reference of the book explains every word with an example, and `gts explain` prints the entries.
//!
//! # The stages of a kernel
//!
//! `parse` reads the user's source. The texts of other items that the kernel requires are handed over (`expand`,
//! `parse::handover`). `infer` builds the typed form of `ir`, `check` reports errors, and `analyse` derives the facts
//! for the planner. `emit` writes the result. Checks, analyses and writers use only the IR.
//!
//! `gts-bench reference` generates the documentation of the macros from the tables in `gts_contract::language`. The
//! macros look up the names of the language in the same tables.

mod analyse;
mod check;
mod emit;
mod errors;
mod expand;
mod infer;
mod ir;
mod parse;
mod runtime;
mod words;

use proc_macro::TokenStream;

#[doc = include_str!("../doc/gts_attributes.md")]
#[proc_macro_attribute]
pub fn gts_attributes(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::attributes(arguments.into(), item.into()).into()
}

#[doc = include_str!("../doc/gts_kernel.md")]
#[proc_macro_attribute]
pub fn gts_kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::kernel(arguments.into(), item.into()).into()
}

#[doc = include_str!("../doc/gts_fn.md")]
#[proc_macro_attribute]
pub fn gts_fn(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::function(arguments.into(), item.into()).into()
}

#[doc = include_str!("../doc/gts_const.md")]
#[proc_macro_attribute]
pub fn gts_const(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::constant(arguments.into(), item.into()).into()
}

/// Reports that an item used by a kernel was not annotated. Internal.
#[doc(hidden)]
#[proc_macro]
pub fn not_handed_on(input: TokenStream) -> TokenStream {
    expand::not_handed_on(input.into()).into()
}

/// Passes the text of one item to another. Internal.
#[doc(hidden)]
#[proc_macro]
pub fn proceed(input: TokenStream) -> TokenStream {
    expand::proceed_with(input.into()).into()
}
