//! Items that do nothing, and that rustc refuses where a kernel asks of its struct what it may not: the error is rustc's own,
//! at the user's token.

use crate::emit::scalar;
use crate::parse::kernel::{KernelItem, TypeArgument};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::visit::{self, Visit};
use syn::{Expr, ExprField, Member};

/// A demand that the kernel's struct is one with `#[gts_attributes]`. Where it is not, the error says what to write,
/// which that of the missing hand-over does not.
pub(crate) fn proof(item: &KernelItem) -> TokenStream {
    let (generics, structure) = structure(item);
    quote! {
        #[allow(warnings)]
        const _: () = {
            fn gts_proof #generics () {
                ::gts_runtime::__private::is_attribute_struct::<#structure>();
            }
        };
    }
}

/// A demand that the kernel may see each field that it names: the hand-over gives it the text of all of them.
pub(crate) fn visibility(item: &KernelItem) -> TokenStream {
    let mut fields = Fields { receiver: &item.receiver, found: Vec::new() };
    fields.visit_block(&item.body);
    let (receiver, found) = (&item.receiver, fields.found);
    let (generics, structure) = structure(item);
    quote! {
        #[allow(warnings)]
        const _: () = {
            fn gts_visibility #generics (#receiver: &#structure) {
                #(let _ = &#receiver.#found;)*
            }
        };
    }
}

/// The generic parameters of a function on the kernel's struct, and the struct with its type.
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

/// The fields of the attributes that a body names, each where it stands.
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
