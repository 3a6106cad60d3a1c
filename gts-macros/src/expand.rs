//! Whole expansions of the macros, on `proc_macro2` streams, so that tests can call them as functions.

mod gather;
mod instance;
mod kernel;
mod priority;
mod race;
mod settled;
#[cfg(test)]
mod tests;

use crate::check::{language, names};
use crate::emit;
use crate::emit::enclosure::Enclosure;
use crate::errors::Errors;
use crate::infer::Program;
use crate::ir::{Location, Span};
use crate::parse::attributes::AttributeStruct;
use crate::parse::function::{ConstantItem, FunctionItem};
use crate::parse::handover::{self, CollectionState, Payload, PayloadKind, Purpose, RefusedCall, WantedText};
use crate::parse::kernel::KernelItem;
use crate::runtime::RuntimePath;
use gts_contract::language::Code;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Block, ItemConst, ItemFn, ItemStruct, Path, Stmt, Visibility};

/// A macro's arguments without the path of the runtime, that path, and the item.
type Expansion = fn(TokenStream, &RuntimePath, TokenStream) -> TokenStream;

/// Expands an attribute macro: takes the path of the runtime from the arguments, and writes it into the result.
fn with_runtime(arguments: TokenStream, item: TokenStream, expand: Expansion) -> TokenStream {
    match RuntimePath::taken(arguments) {
        Ok((arguments, runtime)) => runtime.named(expand(arguments, &runtime, with_raw_names(item))),
        Err(error) => error,
    }
}

fn has_new_keyword(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(name) => name == "gen",
        TokenTree::Group(group) => has_new_keyword(group.stream()),
        _ => false,
    })
}

/// Writes names as raw identifiers if they are keywords in a later edition than the user's: emitted code has the edition
/// of this crate.
fn with_raw_names(tokens: TokenStream) -> TokenStream {
    let raw = |tree| match tree {
        TokenTree::Ident(name) if name == "gen" => TokenTree::Ident(Ident::new_raw("gen", name.span())),
        // Only groups that change are rebuilt, because new groups lack the places of their delimiters.
        TokenTree::Group(group) if has_new_keyword(group.stream()) => {
            let mut inner = Group::new(group.delimiter(), with_raw_names(group.stream()));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        other => other,
    };
    tokens.into_iter().map(raw).collect()
}

/// Expands `#[gts_attributes]`.
pub(crate) fn attributes(arguments: TokenStream, item: TokenStream) -> TokenStream {
    with_runtime(arguments, item, attributes_of)
}

/// Expands `#[gts_kernel]`.
pub(crate) fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    with_runtime(arguments, item, begin_kernel)
}

/// Expands `#[gts_fn]`.
pub(crate) fn function(arguments: TokenStream, item: TokenStream) -> TokenStream {
    with_runtime(arguments, item, begin_function)
}

/// Expands `#[gts_const]`.
pub(crate) fn constant(arguments: TokenStream, item: TokenStream) -> TokenStream {
    with_runtime(arguments, item, begin_constant)
}

fn attributes_of(arguments: TokenStream, _: &RuntimePath, item: TokenStream) -> TokenStream {
    let parsed: ItemStruct = match syn::parse2(item.clone()) {
        Ok(parsed) => parsed,
        Err(error) => return not_the_item(&error, "a struct with named fields", item),
    };
    let errors = Errors::new();
    let structure = AttributeStruct::parse(arguments.clone(), &parsed, &errors);
    let instances: Vec<_> =
        structure.instances().into_iter().map(|choice| structure.resolve(choice, &errors)).collect();
    let items = emit::attributes::attributes(&structure, &instances, Enclosure::of(&item).as_ref());
    let payload = Payload {
        kind: PayloadKind::Attributes,
        location: structure.location.clone(),
        arguments,
        item,
        needs: Vec::new(),
    };
    let handover = handover::emit(&structure.name, &structure.visibility, &payload);
    let errors = errors.finish().err();
    quote!(#errors #items #handover)
}

/// Checks the syntax of a kernel, then collects the items that the kernel requires.
fn begin_kernel(arguments: TokenStream, runtime: &RuntimePath, item: TokenStream) -> TokenStream {
    let parsed: ItemFn = match syn::parse2(item.clone()) {
        Ok(parsed) => parsed,
        Err(error) => return not_the_item(&error, "a function", item),
    };
    let (name, visibility) = (parsed.sig.ident.clone(), parsed.vis.clone());
    let errors = Errors::new();
    let mut helpers = Vec::new();
    language::check_attributes(&parsed, &errors);
    if !gather::is_meant(&arguments) {
        language::check(&parsed.block, &errors);
    }
    let kernel = KernelItem::parse(arguments.clone(), parsed, &errors);
    if let Some(kernel) = &kernel {
        let parameters: Vec<Ident> = kernel.parameters.iter().map(|(name, _)| name.clone()).collect();
        let bound: Vec<Ident> = std::iter::once(kernel.receiver.clone()).chain(parameters).collect();
        helpers = if kernel.gather {
            gather::first_look(kernel, &errors)
        } else {
            names::wanted(&kernel.body, &bound, kernel.generic(), &errors)
        };
    }
    let kernel = match (errors.finish(), kernel) {
        (Ok(()), Some(kernel)) => kernel,
        (errors, kernel) => {
            let errors = errors.err();
            let harmless = emit::native::failed(&name, &visibility, kernel.as_ref());
            return quote!(#errors #harmless);
        }
    };
    let body = handover::aliased(runtime, &kernel.structure, &helpers, |wanted| {
        let (purpose, runtime, found) = (Purpose::Kernel, runtime.clone(), Vec::new());
        proceed(CollectionState { runtime, purpose, arguments, item, wanted, found })
    });
    emit::native::framed(&kernel, &body)
}

/// Checks the syntax of a helper function, then collects the items that the function requires.
fn begin_function(arguments: TokenStream, runtime: &RuntimePath, item: TokenStream) -> TokenStream {
    let parsed: ItemFn = match syn::parse2(item.clone()) {
        Ok(parsed) => parsed,
        Err(error) => return not_the_item(&error, "a function", item),
    };
    let errors = Errors::new();
    no_arguments(&arguments, "gts_fn", &errors);
    names::check_new(&parsed.sig.ident, &errors);
    language::check_attributes(&parsed, &errors);
    language::check(&parsed.block, &errors);
    let function = FunctionItem::parse(&parsed, &errors);
    let parameters: Vec<Ident> = function.arguments.iter().map(|argument| argument.name.clone()).collect();
    let wanted = names::wanted(&function.body, &parameters, None, &errors);
    without_itself(&function.name, &wanted, &errors);
    collect(errors, runtime, Purpose::Function, item, wanted)
}

/// Checks the syntax of a constant, then collects the items that the constant requires.
fn begin_constant(arguments: TokenStream, runtime: &RuntimePath, item: TokenStream) -> TokenStream {
    let parsed: ItemConst = match syn::parse2(item.clone()) {
        Ok(parsed) => parsed,
        Err(error) => return not_the_item(&error, "a `const`", item),
    };
    let errors = Errors::new();
    no_arguments(&arguments, "gts_const", &errors);
    names::check_new(&parsed.ident, &errors);
    language::check_value(&parsed.expr, &errors);
    ConstantItem::parse(&parsed, &errors);
    let wanted = names::wanted_by_value(&parsed.expr, &errors);
    without_itself(&parsed.ident, &wanted, &errors);
    collect(errors, runtime, Purpose::Constant, item, wanted)
}

/// Expands the internal macro that passes texts from item to item.
pub(crate) fn proceed_with(input: TokenStream) -> TokenStream {
    match syn::parse2::<CollectionState>(input) {
        Ok(state) => {
            let runtime = state.runtime.clone();
            runtime.named(proceed(state))
        }
        Err(error) => error.to_compile_error(),
    }
}

/// Expands the internal macro that is called if an item has no macro because it was not annotated.
pub(crate) fn not_handed_on(input: TokenStream) -> TokenStream {
    match syn::parse2::<RefusedCall>(input) {
        Ok(RefusedCall::Collection(state, path)) => {
            let runtime = state.runtime.clone();
            runtime.named(kernel::missing(state, &path))
        }
        Ok(RefusedCall::Proof(runtime, name, reported)) => {
            let errors = Errors::new();
            if let Some(path) = reported {
                kernel::report_missing(&path, &errors);
            }
            let errors = errors.finish().err();
            quote!(#errors impl #runtime::__private::HandedOn for #name {})
        }
        Err(error) => error.to_compile_error(),
    }
}

fn proceed(state: CollectionState) -> TokenStream {
    let state = match state.next() {
        Ok(state) => state,
        Err(call) => return call,
    };
    match state.purpose {
        Purpose::Kernel => kernel::finish(state),
        Purpose::RefusedKernel => kernel::refused(&state),
        Purpose::Function => finish_function(state),
        Purpose::Constant => finish_constant(state),
    }
}

/// Collects, or reports errors. A helper with an error remains an ordinary item that no kernel can call.
fn collect(
    errors: Errors,
    runtime: &RuntimePath,
    purpose: Purpose,
    item: TokenStream,
    wanted: Vec<Path>,
) -> TokenStream {
    match errors.finish() {
        Ok(()) => {
            let proof = handover::helper_proof(runtime, &wanted);
            let wanted = WantedText::by_path(&wanted);
            let (runtime, arguments) = (runtime.clone(), TokenStream::new());
            let rest = proceed(CollectionState { runtime, purpose, arguments, item, wanted, found: Vec::new() });
            quote!(#proof #rest)
        }
        Err(errors) => {
            let handover = broken(&item);
            let item = emit::host::item(item);
            quote!(#errors #[allow(warnings, clippy::all)] #item #handover)
        }
    }
}

/// Returns the hand-over of a helper with errors, so that kernels that name the helper do not report it as missing.
fn broken(item: &TokenStream) -> TokenStream {
    let (name, visibility, kind) = match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Fn(function)) => (function.sig.ident, function.vis, PayloadKind::Function),
        Ok(syn::Item::Const(constant)) => (constant.ident, constant.vis, PayloadKind::Constant),
        _ => return TokenStream::new(),
    };
    hand_over(&name, &visibility, kind, item.clone(), Vec::new())
}

fn hand_over(
    name: &Ident,
    visibility: &Visibility,
    kind: PayloadKind,
    item: TokenStream,
    needs: Vec<(Path, Payload)>,
) -> TokenStream {
    let location: Location = Span::from(name).location();
    handover::emit(name, visibility, &Payload { kind, location, arguments: TokenStream::new(), item, needs })
}

fn finish_function(state: CollectionState) -> TokenStream {
    let Ok(parsed) = syn::parse2::<ItemFn>(state.item.clone()) else { return state.item };
    let errors = Errors::new();
    let mut sites = Vec::new();
    let mut program = Program::default();
    let others = Errors::new();
    let names = program.add(&state.found, &mut sites, &others);
    let typed = others.finish().is_ok().then(|| {
        let function = FunctionItem::parse(&parsed, &errors);
        let lowered = crate::infer::function(&function, &names, &program, &mut sites, &errors);
        crate::check::order::check(&lowered.body, &errors);
        lowered.body
    });
    let item = match typed.filter(|_| errors.is_empty()) {
        Some(body) => emit::host::converted(&parsed, &body),
        None => emit::host::without_body(&parsed),
    };
    let handover = hand_over(&parsed.sig.ident, &parsed.vis, PayloadKind::Function, state.item, state.found);
    let errors = errors.finish().err();
    quote!(#errors #[allow(dead_code, clippy::all)] #item #handover)
}

fn finish_constant(state: CollectionState) -> TokenStream {
    let Ok(parsed) = syn::parse2::<ItemConst>(state.item.clone()) else { return state.item };
    let errors = Errors::new();
    let mut program = Program::default();
    let others = Errors::new();
    let names = program.add(&state.found, &mut Vec::new(), &others);
    let typed = others.finish().is_ok().then(|| {
        let constant = ConstantItem::parse(&parsed, &errors);
        crate::infer::constant(&constant, &names, &program, &errors)
    });
    let item = match typed.filter(|_| errors.is_empty()) {
        Some(value) => emit::host::converted_constant(&parsed, &value),
        None => emit::host::item(state.item.clone()),
    };
    let handover = hand_over(&parsed.ident, &parsed.vis, PayloadKind::Constant, state.item, state.found);
    let errors = errors.finish().err();
    quote!(#errors #[allow(dead_code, clippy::all)] #item #handover)
}

fn no_arguments(arguments: &TokenStream, name: &str, errors: &Errors) {
    if !arguments.is_empty() {
        errors.at(
            Code::MacroArgument,
            Span::of(arguments),
            format!("`#[{name}]` has no argument but `crate = path`"),
            format!("write `#[{name}]`"),
        );
    }
}

fn without_itself(name: &Ident, wanted: &[Path], errors: &Errors) {
    for path in wanted.iter().filter(|path| path.is_ident(name)) {
        errors.at(
            Code::Recursion,
            Span::of(path),
            format!("`{name}` uses itself: there is no recursion"),
            "write a `while` loop",
        );
    }
}

/// Parses generated statements, which are valid by construction.
fn statements(tokens: TokenStream) -> Vec<Stmt> {
    let block = quote!({ #tokens });
    syn::parse2::<Block>(block).map(|block| block.stmts).unwrap_or_default()
}

/// Reports an attribute on the wrong kind of item.
fn not_the_item(error: &syn::Error, expected: &str, item: TokenStream) -> TokenStream {
    let errors = Errors::new();
    if syn::parse2::<syn::Item>(item.clone()).is_ok() {
        let first = item.clone().into_iter().next().map_or_else(TokenStream::new, ToTokens::into_token_stream);
        errors.at(
            Code::WrongItem,
            Span::of(&first),
            format!("this is not {expected}"),
            format!("write the attribute on {expected}"),
        );
    } else {
        errors.syntax(error);
    }
    let errors = errors.finish().err();
    quote!(#errors #item)
}
