//! Moves emitted tokens into the user's item.
//!
//! An incremental build compiles a function again if the spans of its tokens have changed. rustc compares a span within
//! the text of its function by the distance from the beginning of the function, any other span by its line, and the
//! hygiene of a macro by the place of the macro's call. Emitted functions therefore begin and end where the user's item
//! does. Their tokens are within this text and have the hygiene of the user's tokens. An edit above the item then changes
//! no span. Emitted names cannot collide with the user's names, because names that begin with `gts_` are reserved.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use std::ops::RangeInclusive;

/// The source text of an item from its keyword to its closing brace.
pub(crate) struct Enclosure {
    /// The keyword `fn` or `struct`.
    keyword: Span,
    /// The text in braces.
    braces: Span,
    lines: RangeInclusive<usize>,
}

impl Enclosure {
    /// Returns the text of an item; `None` if the item is neither a function nor a struct with named fields.
    pub(crate) fn of(item: &TokenStream) -> Option<Self> {
        let (mut keyword, mut braces) = (None, None);
        for tree in item.clone() {
            match tree {
                TokenTree::Ident(name) if keyword.is_none() && (name == "fn" || name == "struct") => {
                    keyword = Some(name.span());
                }
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => braces = Some(group.span()),
                _ => {}
            }
        }
        let (keyword, braces) = (keyword?, braces?);
        Some(Self { keyword, braces, lines: keyword.start().line..=braces.end().line })
    }

    /// Moves the tokens into an item, if there is one.
    pub(crate) fn applied(enclosure: Option<&Self>, tokens: TokenStream) -> TokenStream {
        match enclosure {
            Some(enclosure) => enclosure.moved(tokens),
            None => tokens,
        }
    }

    /// Returns the tokens with places in the item, and with the item's hygiene. An emitted item that begins with a keyword
    /// and ends with punctuation or a group has the whole text as its place.
    fn moved(&self, tokens: TokenStream) -> TokenStream {
        let moved = |mut tree: TokenTree| {
            let span = tree.span();
            if let TokenTree::Group(group) = tree {
                let inner = Group::new(group.delimiter(), self.moved(group.stream()));
                tree = TokenTree::Group(inner);
            }
            let place = match &tree {
                _ if self.lines.contains(&span.start().line) => span,
                TokenTree::Ident(_) | TokenTree::Literal(_) => self.keyword,
                TokenTree::Punct(_) | TokenTree::Group(_) => self.braces,
            };
            // The hygiene of `$crate` determines the crate.
            if !matches!(&tree, TokenTree::Ident(name) if name == "$crate") {
                tree.set_span(self.keyword.located_at(place));
            }
            tree
        };
        tokens.into_iter().map(moved).collect()
    }
}
