//! The error collector: a compilation reports all errors, each at its own token.

use crate::ir::Span;
use gts_contract::language::Code;
use proc_macro2::TokenStream;
use quote::quote_spanned;
use std::cell::RefCell;
use std::fmt::Display;
use std::thread;

/// Errors found so far. `finish` must be called: dropping the collector without it is a bug of the macro.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    /// `None` after `finish`.
    found: RefCell<Option<Vec<Diagnostic>>>,
}

#[derive(Clone, Debug)]
struct Diagnostic {
    span: Span,
    text: String,
}

impl Diagnostic {
    /// Adds the code before the text, and the command that explains the code after the text.
    fn new(code: Code, span: Span, text: impl Display) -> Self {
        Self { span, text: format!("[{code}] {text}\nhelp: `gts explain {code}` says more") }
    }
}

impl Errors {
    pub(crate) fn new() -> Self {
        Self { found: RefCell::new(Some(Vec::new())) }
    }

    /// Records an error with its code and the fix to suggest.
    pub(crate) fn at(&self, code: Code, span: impl Into<Span>, what: impl AsRef<str>, help: impl AsRef<str>) {
        self.push(Diagnostic::new(code, span.into(), format!("{}\nhelp: {}", what.as_ref(), help.as_ref())));
    }

    /// Records an error of the Rust parser.
    pub(crate) fn syntax(&self, error: &syn::Error) {
        for error in error.clone() {
            self.push(Diagnostic::new(Code::Syntax, error.span().into(), error.to_string()));
        }
    }

    /// Returns the number of errors so far.
    pub(crate) fn count(&self) -> usize {
        self.found.borrow().as_ref().map_or(0, Vec::len)
    }

    /// Returns whether there are no errors so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Returns all errors as `compile_error!`s; `Ok` if there are none.
    pub(crate) fn finish(self) -> Result<(), TokenStream> {
        let found = self.found.borrow_mut().take().unwrap_or_default();
        if found.is_empty() {
            return Ok(());
        }
        let errors = found.iter().map(|Diagnostic { span, text }| {
            let (start, end) = (span.start, span.end);
            // The compiler underlines from the first token of the macro call to its last.
            let group = quote_spanned!(end=> { #text });
            quote_spanned!(start=> ::core::compile_error! #group)
        });
        Err(errors.collect())
    }

    fn push(&self, error: Diagnostic) {
        let mut found = self.found.borrow_mut();
        let Some(found) = found.as_mut() else { return };
        // A kernel is checked once per type of its struct's list. Report an error common to these types once.
        let place = error.span.location();
        if !found.iter().any(|other| other.text == error.text && other.span.location() == place) {
            found.push(error);
        }
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        if self.found.get_mut().is_some() && !thread::panicking() {
            panic!("errors were collected and never reported");
        }
    }
}

/// Returns the name among `names` that is nearest to `wrong`, if one is near enough to be a typo.
pub(crate) fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = |name: &&str| distance(wrong, name) <= (wrong.len().max(name.len()) / 3).max(1);
    names.into_iter().filter(near).min_by_key(|name| distance(wrong, name))
}

/// Returns the edit distance: letters to insert, remove, change or swap with the next one, ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let [a, b] = [a, b].map(|name| name.to_lowercase().chars().collect::<Vec<_>>());
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let changed = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let one = (table[i - 1][j] + 1).min(table[i][j - 1] + 1).min(changed);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                if swapped { one.min(table[i - 2][j - 2] + 1) } else { one }
            };
        }
    }
    table[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_proposed_if_it_is_near() {
        let names = ["fetch_min", "fetch_max", "swap"];
        assert_eq!(nearest("fetch_mn", names), Some("fetch_min"));
        assert_eq!(nearest("wsap", names), Some("swap"));
        assert_eq!(nearest("store", names), None);
        assert_eq!(nearest("Swap", names), Some("swap"));
    }

    #[test]
    #[should_panic(expected = "never reported")]
    fn forgotten_errors_are_a_bug() {
        drop(Errors::new());
    }
}
