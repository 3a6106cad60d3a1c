//! Expands a kernel after everything that it requires was handed over.

use super::instance::{HandedItems, instance, instances};
use super::{gather, priority};
use crate::emit;
use crate::errors::Errors;
use crate::parse::handover::CollectionState;
use crate::parse::kernel::KernelItem;
use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemFn;

/// Returns the kernel's items, or its errors and a harmless replacement.
pub(super) fn finish(state: CollectionState) -> TokenStream {
    let Ok(parsed) = syn::parse2::<ItemFn>(state.item.clone()) else { return state.item };
    let (name, visibility) = (parsed.sig.ident.clone(), parsed.vis.clone());
    let errors = Errors::new();
    let item = KernelItem::parse(state.arguments.clone(), parsed, &errors);
    let items = item.as_ref().and_then(|item| {
        if item.gather {
            let gatherings = instances(item, &state, &errors, gather::gathering)?;
            return emit::native::gather(item, &gatherings);
        }
        if item.priority.is_some() {
            let rankings = instances(item, &state, &errors, priority::ranking)?;
            return emit::native::priority(item, &rankings);
        }
        let instance =
            |item: &KernelItem, handed: &HandedItems, errors: &Errors| instance(item, handed, &mut |_| {}, errors);
        let instances = instances(item, &state, &errors, instance)?;
        Some(match (item.generic(), instances.as_slice()) {
            (Some(parameter), instances) => emit::native::generic(item, parameter, instances),
            (None, [instance, ..]) => emit::native::plain(item, instance),
            (None, []) => return None,
        })
    });
    match (errors.finish(), items) {
        (Ok(()), Some(items)) => {
            let visibility = item.as_ref().map(emit::native::visibility);
            quote!(#visibility #items)
        }
        (errors, _) => {
            let errors = errors.err();
            let harmless = emit::native::failed(&name, &visibility, item.as_ref());
            quote!(#errors #harmless)
        }
    }
}
