//! The place of a node in the user's source.

use quote::ToTokens;

/// The first and the last token of a node, so that an error can underline all of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// The first token, which is also the span of emitted tokens.
    pub(crate) start: proc_macro2::Span,
    /// The last token.
    pub(crate) end: proc_macro2::Span,
}

impl Span {
    /// Returns the span of a piece of syntax.
    pub(crate) fn of(tokens: &impl ToTokens) -> Self {
        let mut trees = tokens.to_token_stream().into_iter();
        let Some(first) = trees.next() else { return Self::from(proc_macro2::Span::call_site()) };
        let last = trees.last().unwrap_or_else(|| first.clone());
        Self { start: first.span(), end: last.span() }
    }

    /// Returns whether both nodes are the same text.
    pub(crate) fn is_at(self, other: Self) -> bool {
        let end = |span: Self| Self::from(span.end).location();
        self.location() == other.location() && end(self) == end(other)
    }

    /// Returns the place as a line and a column, both from 1.
    pub(crate) fn location(self) -> Location {
        let start = self.start.start();
        Location { file: self.start.file(), line: start.line as u32, column: start.column as u32 + 1 }
    }
}

impl From<proc_macro2::Span> for Span {
    fn from(span: proc_macro2::Span) -> Self {
        Self { start: span, end: span }
    }
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Location {
    /// The file, as the compiler names it.
    pub(crate) file: String,
    /// The line, from 1.
    pub(crate) line: u32,
    /// The column, from 1.
    pub(crate) column: u32,
}
