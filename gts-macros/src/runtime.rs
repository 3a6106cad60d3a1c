//! The path of the runtime in emitted code.

use crate::errors::Errors;
use crate::ir::Span;
use gts_contract::language::Code;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::Path;

/// The path of the crate `gts-graph`. Emitters write `::gts_graph::__private`; [`RuntimePath::named`] replaces the
/// crate in the finished code by the path that the user has given, if there is one.
#[derive(Clone, Default)]
pub(crate) struct RuntimePath {
    path: Option<TokenStream>,
}

impl RuntimePath {
    /// Takes the setting `crate = path` from the arguments of a macro. Returns the other arguments and the path, or the
    /// error of a malformed setting.
    pub(crate) fn taken(arguments: TokenStream) -> Result<(TokenStream, Self), TokenStream> {
        let mut settings: Vec<Vec<TokenTree>> = vec![Vec::new()];
        for tree in arguments {
            match &tree {
                TokenTree::Punct(comma) if comma.as_char() == ',' => settings.push(Vec::new()),
                _ => settings.last_mut().into_iter().for_each(|setting| setting.push(tree.clone())),
            }
        }
        let is_path =
            |setting: &Vec<TokenTree>| matches!(setting.first(), Some(TokenTree::Ident(word)) if word == "crate");
        let (paths, others): (Vec<_>, Vec<_>) = settings.into_iter().partition(is_path);
        let others = others.into_iter().filter(|setting| !setting.is_empty());
        let others = others.map(TokenStream::from_iter).reduce(|all, next| quote!(#all, #next)).unwrap_or_default();
        match paths.as_slice() {
            [] => Ok((others, Self::default())),
            [setting] => parsed(setting).map(|path| (others, Self { path: Some(path) })),
            [_, second, ..] => Err(error(second, "`crate` is set twice", "keep one of them")),
        }
    }

    /// Returns the path that [`RuntimePath::of`] accepts.
    pub(crate) fn tokens(&self) -> TokenStream {
        self.path.clone().unwrap_or_else(|| quote!(::gts_graph))
    }

    /// Returns the path that another macro has passed on.
    pub(crate) fn of(tokens: TokenStream) -> Self {
        let default = tokens.to_string() == quote!(::gts_graph).to_string();
        Self { path: (!default).then_some(tokens) }
    }

    /// Returns emitted code with the path of the runtime.
    pub(crate) fn named(&self, code: TokenStream) -> TokenStream {
        match &self.path {
            Some(path) => renamed(code, path),
            None => code,
        }
    }
}

fn parsed(setting: &[TokenTree]) -> Result<TokenStream, TokenStream> {
    const HELP: &str = "write `crate = path`, with the path of the crate `gts-graph`";
    let path = match setting {
        [_, TokenTree::Punct(equals), path @ ..] if equals.as_char() == '=' => path,
        _ => return Err(error(setting, "this names no crate", HELP)),
    };
    let tokens: TokenStream = path.iter().cloned().collect();
    match syn::parse::Parser::parse2(Path::parse_mod_style, tokens) {
        Ok(path) => Ok(path.into_token_stream()),
        Err(_) => Err(error(setting, "this names no crate", HELP)),
    }
}

fn error(setting: &[TokenTree], what: &str, help: &str) -> TokenStream {
    let errors = Errors::new();
    let setting: TokenStream = setting.iter().cloned().collect();
    errors.at(Code::MacroArgument, Span::of(&setting), what, help);
    errors.finish().err().unwrap_or_default()
}

fn renamed(code: TokenStream, path: &TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = code.into_iter().collect();
    let mut result = TokenStream::new();
    let mut next = 0;
    while let Some(tree) = trees.get(next) {
        if is_runtime(&trees[next..]) {
            result.extend(path.clone());
            next += 3;
            continue;
        }
        next += 1;
        match tree {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), renamed(group.stream(), path));
                inner.set_span(group.span());
                result.extend([TokenTree::Group(inner)]);
            }
            other => result.extend([other.clone()]),
        }
    }
    result
}

/// Returns whether the tokens begin with `::gts_graph::__private`, which only emitters write.
fn is_runtime(trees: &[TokenTree]) -> bool {
    let colon = |place: usize| matches!(trees.get(place), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    let name = |place: usize, text: &str| matches!(trees.get(place), Some(TokenTree::Ident(word)) if word == text);
    colon(0) && colon(1) && name(2, "gts_graph") && colon(3) && colon(4) && name(5, "__private")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> TokenStream {
        text.parse().expect("tokens")
    }

    #[test]
    fn the_setting_is_taken_from_among_others() {
        let check = |arguments: &str, rest: &str, path: &str| {
            let (others, runtime) = RuntimePath::taken(tokens(arguments)).expect("a path");
            assert_eq!(others.to_string(), tokens(rest).to_string());
            assert_eq!(runtime.tokens().to_string(), tokens(path).to_string());
        };
        check("", "", "::gts_graph");
        check("scan, racy", "scan, racy", "::gts_graph");
        check("crate = graphs", "", "graphs");
        check("T = f32 | f64, crate = ::a::gts", "T = f32 | f64", "::a::gts");
        check("crate = crate::gts, traverse(in), racy", "traverse(in), racy", "crate::gts");
        assert!(RuntimePath::taken(tokens("crate")).is_err());
        assert!(RuntimePath::taken(tokens("crate = 3")).is_err());
        assert!(RuntimePath::taken(tokens("crate = a, crate = b")).is_err());
    }

    #[test]
    fn only_emitted_paths_are_renamed() {
        let (_, runtime) = RuntimePath::taken(tokens("crate = graphs")).expect("a path");
        let code = tokens("fn f() -> ::gts_graph::__private::Vertex { ::gts_graph::prelude::g() }");
        let expected = tokens("fn f() -> graphs::__private::Vertex { ::gts_graph::prelude::g() }");
        assert_eq!(runtime.named(code).to_string(), expected.to_string());
    }
}
