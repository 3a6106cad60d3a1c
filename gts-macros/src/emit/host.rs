//! Emits `#[gts_fn]` and `#[gts_const]` items as ordinary Rust for the host.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote_spanned;

/// Returns the item with each `UNREACHED` replaced by the runtime's constant, whose value depends on the inferred type.
pub(crate) fn item(tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|tree| match tree {
            TokenTree::Ident(name) if name == "UNREACHED" => {
                quote_spanned!(name.span()=> ::gts_runtime::__private::Unreached::UNREACHED)
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), item(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner).into()
            }
            other => other.into(),
        })
        .collect()
}
