//! The macros of GTS: an attribute struct and its kernels, written once in Rust syntax, become a schema, native Rust
//! and CUDA C.
//!
//! The stages of a kernel: `parse` reads the user's source. The texts of other items that the kernel requires are
//! handed over (`expand`, `parse::handover`). `infer` builds the typed form of `ir`, `check` reports errors, and
//! `analyse` derives the facts for the planner. `emit` writes the result. Checks, analyses and writers use only the IR.
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
