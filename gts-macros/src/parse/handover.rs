//! The passing of text between macros.
//!
//! A macro receives only the item below it, but a kernel requires its struct and the helpers that it names. So each of
//! these items defines a `macro_rules!` under its own name, which contains its text. A kernel calls these macros one
//! after the other, as in `Bfs! { state }`: each puts its text before the state and calls `proceed!`, which moves the
//! text into the state and calls the next macro, until none is left. Because `Bfs!` is resolved like any other name,
//! this works across modules, globs and crates, and before the struct in the file. A helper function collects the
//! helpers that it calls in the same way, where it is defined, and passes them on with its own text. So every name
//! keeps the meaning that it has at the definition.
//!
//! A kernel calls the macros by aliases. An outer block contains `use not_handed_on as gts_0;`, and an inner block
//! `use Bfs as gts_0;`. If `Bfs` is no macro, the inner import covers only the type. Then `gts_0!` is the outer macro,
//! `not_handed_on`, which reports the error. Helpers call the macros by path, because an import in a module cannot be a
//! fallback. Before these calls, assertions in a block call the same macros by aliases and report missing ones. rustc
//! then reports the missing macros a second time.

use crate::ir::Location;
use crate::runtime::RuntimePath;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{LitInt, LitStr, Path, Visibility};

/// The kind of item for which texts are collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Kernel,
    /// A kernel that requires an item without a text.
    RefusedKernel,
    Function,
    Constant,
}

impl Purpose {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Kernel, "kernel"),
        (Self::RefusedKernel, "refused"),
        (Self::Function, "function"),
        (Self::Constant, "constant"),
    ];

    fn word(self) -> Ident {
        let (_, word) = Self::ALL.into_iter().find(|(purpose, _)| *purpose == self).unwrap_or(Self::ALL[0]);
        Ident::new(word, Span::call_site())
    }
}

/// The state of a collection.
pub(crate) struct CollectionState {
    /// The path of the runtime for the item.
    pub(crate) runtime: RuntimePath,
    pub(crate) purpose: Purpose,
    /// The arguments of the attribute macro.
    pub(crate) arguments: TokenStream,
    /// The item below the attribute macro.
    pub(crate) item: TokenStream,
    /// The texts still to be collected.
    pub(crate) wanted: Vec<WantedText>,
    /// The texts collected, with the path of each macro call.
    pub(crate) found: Vec<(Path, Payload)>,
}

/// A text to be collected.
#[derive(Clone)]
pub(crate) struct WantedText {
    /// The path of the macro to call.
    call: Path,
    /// The path of the item.
    path: Path,
}

impl WantedText {
    /// Returns entries for items whose macros are called by the items' own paths.
    pub(crate) fn by_path(paths: &[Path]) -> Vec<Self> {
        paths.iter().map(|path| Self { call: path.clone(), path: path.clone() }).collect()
    }

    /// Returns entries for items whose macros are called by the aliases `gts_0`, `gts_1` and so on.
    fn by_alias(paths: &[Path]) -> Vec<Self> {
        let named = |(number, path): (usize, &Path)| {
            let alias = format_ident!("gts_{number}", span = Span::call_site().located_at(path.span()));
            Self { call: alias.into(), path: path.clone() }
        };
        paths.iter().enumerate().map(named).collect()
    }
}

/// Returns the contents of a kernel that calls the macros of its struct and its helpers by aliases. `within` emits the
/// calls.
pub(crate) fn aliased(
    runtime: &RuntimePath,
    structure: &Path,
    helpers: &[Path],
    within: impl FnOnce(Vec<WantedText>) -> TokenStream,
) -> TokenStream {
    let paths: Vec<Path> = std::iter::once(structure).chain(helpers).cloned().collect();
    let wanted = WantedText::by_alias(&paths);
    let proof = proof(runtime, &wanted[1..], false);
    let calls = within(wanted.clone());
    scope(&wanted, quote!(#proof #calls))
}

/// Returns a constant which asserts that the items a helper uses are handed on. Reports those that are not.
pub(crate) fn helper_proof(runtime: &RuntimePath, paths: &[Path]) -> TokenStream {
    if paths.is_empty() {
        return TokenStream::new();
    }
    let wanted = WantedText::by_alias(paths);
    let block = scope(&wanted, proof(runtime, &wanted, true));
    quote!(const _: () = { #block };)
}

/// Returns a block around `contents`, which can call the macros by their aliases.
fn scope(wanted: &[WantedText], contents: TokenStream) -> TokenStream {
    let imports = |path: &dyn Fn(&WantedText) -> TokenStream| -> TokenStream {
        let import = |text: &WantedText| {
            let (path, alias) = (path(text), &text.call);
            quote!(#[allow(unused_imports)] use #path as #alias;)
        };
        wanted.iter().map(import).collect()
    };
    let otherwise = imports(&|_| quote!(::gts_graph::__private::not_handed_on));
    let own = imports(&|text| text.path.to_token_stream());
    quote!(#otherwise { #own { #contents } })
}

/// The text of one item.
#[derive(Clone)]
pub(crate) struct Payload {
    pub(crate) kind: PayloadKind,
    pub(crate) location: Location,
    /// The arguments of the attribute macro.
    pub(crate) arguments: TokenStream,
    pub(crate) item: TokenStream,
    /// The texts that the item itself requires, under the paths that the item uses.
    pub(crate) needs: Vec<(Path, Payload)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PayloadKind {
    Attributes,
    Function,
    Constant,
}

impl PayloadKind {
    const ALL: [(Self, &'static str); 3] =
        [(Self::Attributes, "attributes"), (Self::Function, "function"), (Self::Constant, "constant")];
}

impl CollectionState {
    /// Returns the call of the next macro, or the state itself if nothing is left to collect.
    pub(crate) fn next(mut self) -> Result<Self, TokenStream> {
        if self.wanted.is_empty() {
            return Ok(self);
        }
        let WantedText { call, path } = self.wanted.remove(0);
        let Self { runtime, purpose, arguments, item, wanted, found } = &self;
        let (runtime, purpose) = (runtime.tokens(), purpose.word());
        let wanted = wanted.iter().map(|WantedText { call, path }| quote!((#call) (#path)));
        let found = entries(found);
        Err(quote! { #call! { (#runtime) (#path) #purpose (#arguments) { #item } [#(#wanted)*] [#found] } })
    }

    /// Parses the path of the runtime, the path of an item, and the state. Returns the state and the item's path.
    fn parse_call(input: ParseStream<'_>) -> syn::Result<(Self, Path)> {
        let runtime = RuntimePath::of(parenthesized(input)?);
        let path = syn::parse2(parenthesized(input)?)?;
        let word: Ident = input.parse()?;
        let (purpose, _) = Purpose::ALL
            .into_iter()
            .find(|(_, name)| word == *name)
            .ok_or_else(|| syn::Error::new(word.span(), "no state of the macros of GTS"))?;
        let arguments = parenthesized(input)?;
        let item = group(input, Delimiter::Brace)?;
        let list;
        syn::bracketed!(list in input);
        let mut wanted = Vec::new();
        while !list.is_empty() {
            let [call, path] = [parenthesized(&list)?, parenthesized(&list)?];
            wanted.push(WantedText { call: syn::parse2(call)?, path: syn::parse2(path)? });
        }
        let found = parse_entries(input)?;
        Ok((Self { runtime, purpose, arguments, item, wanted, found }, path))
    }
}

/// Parses the arguments of `proceed!`: a payload, and the arguments of the item's macro that called `proceed!`.
impl Parse for CollectionState {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let payload: Payload = input.parse()?;
        let (mut state, path) = Self::parse_call(input)?;
        state.found.push((path, payload));
        Ok(state)
    }
}

/// The arguments of `not_handed_on!`.
pub(crate) enum RefusedCall {
    /// The state of a kernel's collection, and the path of the item without a text.
    Collection(CollectionState, Path),
    /// The path of the runtime, the name in an assertion of [`proof`], and the item's path if the assertion reports the
    /// error. The expansion always satisfies the assertion, so that the error is reported only once.
    Proof(TokenStream, Ident, Option<Path>),
}

impl Parse for RefusedCall {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.parse::<Option<syn::Token![@]>>()?.is_some() {
            input.parse::<Ident>()?;
            let (runtime, name) = (parenthesized(input)?, input.parse()?);
            let path = if input.is_empty() { None } else { Some(input.parse()?) };
            return Ok(Self::Proof(runtime, name, path));
        }
        let (state, path) = CollectionState::parse_call(input)?;
        Ok(Self::Collection(state, path))
    }
}

impl ToTokens for Payload {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { kind, location, arguments, item, needs } = self;
        let (_, word) = PayloadKind::ALL.into_iter().find(|(other, _)| other == kind).unwrap_or(PayloadKind::ALL[0]);
        let word = Ident::new(word, Span::call_site());
        let Location { file, line, column } = location;
        let needs = entries(needs);
        quote!({ #word #file #line #column (#arguments) { #item } [#needs] }).to_tokens(tokens);
    }
}

impl Parse for Payload {
    fn parse(outer: ParseStream<'_>) -> syn::Result<Self> {
        let input;
        syn::braced!(input in outer);
        let word: Ident = input.parse()?;
        let (kind, _) = PayloadKind::ALL
            .into_iter()
            .find(|(_, name)| word == *name)
            .ok_or_else(|| syn::Error::new(word.span(), "no text of the macros of GTS"))?;
        let file = input.parse::<LitStr>()?.value();
        let line = input.parse::<LitInt>()?.base10_parse()?;
        let column = input.parse::<LitInt>()?.base10_parse()?;
        let arguments = parenthesized(&input)?;
        let item = group(&input, Delimiter::Brace)?;
        let needs = parse_entries(&input)?;
        Ok(Self { kind, location: Location { file, line, column }, arguments, item, needs })
    }
}

fn entries(list: &[(Path, Payload)]) -> TokenStream {
    list.iter().map(|(path, payload)| quote!((#path) #payload)).collect()
}

fn parse_entries(input: ParseStream<'_>) -> syn::Result<Vec<(Path, Payload)>> {
    let list;
    syn::bracketed!(list in input);
    let mut entries = Vec::new();
    while !list.is_empty() {
        let path = syn::parse2(parenthesized(&list)?)?;
        entries.push((path, list.parse()?));
    }
    Ok(entries)
}

fn parenthesized(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    group(input, Delimiter::Parenthesis)
}

fn group(input: ParseStream<'_>, delimiter: Delimiter) -> syn::Result<TokenStream> {
    let group: Group = input.parse()?;
    if group.delimiter() == delimiter {
        Ok(group.stream())
    } else {
        Err(syn::Error::new(group.span(), "no state of the macros of GTS"))
    }
}

/// Returns the `macro_rules!` that passes on the payload under the item's own name. It names the runtime by the path
/// that its caller passes, because the caller's crate may have another name for the runtime.
pub(crate) fn emit(name: &Ident, visibility: &Visibility, payload: &Payload) -> TokenStream {
    let hidden = format_ident!("__gts_{}_{:016x}", name, unique(hash(&payload.location)), span = Span::call_site());
    quote! {
        #[doc(hidden)]
        #[allow(non_local_definitions)]
        #[macro_export]
        macro_rules! #hidden {
            (@handed_on ($($runtime:tt)*) $name:ident $($path:tt)*) => {
                impl $($runtime)*::__private::HandedOn for $name {}
            };
            (($($runtime:tt)*) $($state:tt)*) => {
                $($runtime)*::__private::proceed! { #payload ($($runtime)*) $($state)* }
            };
        }
        #[doc(hidden)]
        #[allow(unused_imports)]
        #visibility use #hidden as #name;
    }
}

/// Returns an assertion that each helper was handed over. Without the assertion, rustc reports only a missing name or
/// macro. The error of a failed assertion contains the fix. Two macros satisfy the assertion: the helper's own, and
/// `not_handed_on`. The latter reports the error if `reports` is set, and otherwise in its call for the collection.
fn proof(runtime: &RuntimePath, helpers: &[WantedText], reports: bool) -> TokenStream {
    let runtime = runtime.tokens();
    let demand = |WantedText { call, path }: &WantedText| {
        // A name with the span of the helper's path.
        let name = Ident::new("ThisName", path.span());
        let reported = reports.then_some(path);
        quote! {
            #[allow(warnings, clippy::all)]
            const _: () = {
                struct #name;
                #call! { @handed_on (#runtime) #name #reported }
                const _: () = ::gts_graph::__private::is_handed_on::<#name>();
            };
        }
    };
    helpers.iter().map(demand).collect()
}

/// Returns the number, or another one if it was returned before: items that a `macro_rules!` has written in several
/// modules have one place in the source, and their hidden macros are all at the root of the crate.
fn unique(hash: u64) -> u64 {
    static USED: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());
    let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut number = hash;
    while !used.insert(number) {
        number = number.wrapping_add(1);
    }
    number
}

/// Returns the FNV-1a hash of the place: the same number in every compilation.
fn hash(location: &Location) -> u64 {
    let text = format!("{}:{}:{}", location.file, location.line, location.column);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
