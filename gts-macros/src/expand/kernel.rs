//! Expands a kernel after everything that it requires was handed over.

use super::instance::{HandedItems, instance, instances};
use super::{gather, priority};
use crate::check::names;
use crate::emit;
use crate::emit::enclosure::Enclosure;
use crate::errors::Errors;
use crate::ir::Span;
use crate::parse::handover::{CollectionState, Purpose};
use crate::parse::kernel::KernelItem;
use gts_contract::language::Code;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{ItemFn, Path};

/// Returns the contents of the kernel's frame. If the kernel has errors, returns the errors and a placeholder.
pub(super) fn finish(state: CollectionState) -> TokenStream {
    let errors = Errors::new();
    let Some(item) = parsed(&state, &errors) else { return errors.finish().err().unwrap_or_default() };
    let contents = contents(&item, &state, &errors);
    match (errors.finish(), contents) {
        (Ok(()), Some(contents)) => {
            let visibility = emit::native::visibility(&item);
            Enclosure::applied(Enclosure::of(&state.item).as_ref(), quote!(#visibility #contents))
        }
        (errors, _) => {
            let errors = errors.err();
            let harmless = emit::native::refused(&item);
            quote!(#errors #harmless)
        }
    }
}

/// Returns placeholder contents for a kernel that requires an item without a text.
pub(super) fn refused(state: &CollectionState) -> TokenStream {
    let errors = Errors::new();
    let item = parsed(state, &errors);
    let errors = errors.finish().err();
    let harmless = item.as_ref().map(emit::native::refused);
    quote!(#errors #harmless)
}

/// Reports that an item required by a kernel is not handed on. Returns the error and the rest of the collection.
pub(super) fn missing(state: CollectionState, path: &Path) -> TokenStream {
    let errors = Errors::new();
    // The struct is collected before any helper.
    let is_struct = state.found.is_empty() && state.purpose == Purpose::Kernel;
    if is_struct {
        let what = format!("`{}` is no attribute struct", names::text(path));
        let help = "write `#[gts_attributes]` above the struct, and the kind of each attribute above its field";
        errors.at(Code::WrongItem, Span::of(path), what, help);
    } else {
        report_missing(path, &errors);
    }
    let is_generic = parsed(&state, &errors).is_none_or(|item| item.generic().is_some());
    let error = errors.finish().err();
    let rest = super::proceed(CollectionState { purpose: Purpose::RefusedKernel, ..state });
    if is_struct && !is_generic {
        // As the value of the block, `compile_error!` has any type, so that rustc does not also report the struct.
        quote!(let _ = { #rest }; (#error))
    } else {
        quote!(#error #rest)
    }
}

/// Reports that a function or constant is not handed on to kernels.
pub(super) fn report_missing(path: &Path, errors: &Errors) {
    let text = names::text(path);
    let help = if text.contains(char::is_lowercase) {
        "write `#[gts_fn]` above the function; a kernel calls no kernel: the host runs one after the other"
    } else {
        "write `#[gts_const]` above the constant"
    };
    errors.at(Code::UnknownName, Span::of(path), format!("`{text}` is not handed on to kernels"), help);
}

fn parsed(state: &CollectionState, errors: &Errors) -> Option<KernelItem> {
    let parsed: ItemFn = syn::parse2(state.item.clone()).ok()?;
    KernelItem::parse(state.arguments.clone(), parsed, errors)
}

fn contents(item: &KernelItem, state: &CollectionState, errors: &Errors) -> Option<TokenStream> {
    if item.gather {
        let gatherings = instances(item, state, errors, gather::gathering)?;
        return emit::native::gather(item, &gatherings);
    }
    if item.priority.is_some() {
        let rankings = instances(item, state, errors, priority::ranking)?;
        return emit::native::priority(item, &rankings);
    }
    let instance =
        |item: &KernelItem, handed: &HandedItems, errors: &Errors| instance(item, handed, &mut |_| {}, errors);
    let instances = instances(item, state, errors, instance)?;
    match (item.generic(), instances.as_slice()) {
        (Some(parameter), instances) => Some(emit::native::generic(item, parameter, instances)),
        (None, [instance, ..]) => Some(emit::native::plain(item, instance)),
        (None, []) => None,
    }
}
