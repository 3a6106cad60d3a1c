//! Emits items without effect that fail to compile if a kernel names a private field. rustc reports the error at the
//! user's token.

use crate::emit::scalar;
use crate::parse::kernel::{KernelItem, TypeArgument};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::visit::{self, Visit};
use syn::{Expr, ExprField, Member};

/// Returns an assertion that all fields named by the kernel are visible. The hand-over cannot ensure this, because it
/// includes the text of all fields.
pub(crate) fn visibility(item: &KernelItem) -> TokenStream {
    let mut fields = Fields { receiver: &item.receiver, found: Vec::new() };
    fields.visit_block(&item.body);
    let (receiver, found) = (&item.receiver, fields.found);
    let (generics, structure) = structure(item);
    quote! {
        #[allow(warnings, clippy::all)]
        const _: () = {
            fn gts_visibility #generics (#receiver: &#structure) {
                #(let _ = &#receiver.#found;)*
            }
        };
    }
}

/// Returns the generic parameters for a function on the kernel's struct, and the struct with its type argument.
fn structure(item: &KernelItem) -> (TokenStream, TokenStream) {
    let path = &item.structure;
    match &item.argument {
        TypeArgument::None => (TokenStream::new(), quote!(#path)),
        TypeArgument::Parameter(name) => (quote!(<#name>), quote!(#path<#name>)),
        TypeArgument::Fixed(kind) => {
            let ty = scalar(*kind);
            (TokenStream::new(), quote!(#path<#ty>))
        }
    }
}

/// A visitor that collects the attribute fields that a body names, with their spans.
struct Fields<'a> {
    receiver: &'a Ident,
    found: Vec<Ident>,
}

impl<'ast> Visit<'ast> for Fields<'_> {
    fn visit_expr_field(&mut self, field: &'ast ExprField) {
        if let (Expr::Path(base), Member::Named(name)) = (&*field.base, &field.member)
            && base.path.is_ident(self.receiver)
            && !self.found.contains(name)
        {
            self.found.push(name.clone());
        }
        visit::visit_expr_field(self, field);
    }
}
