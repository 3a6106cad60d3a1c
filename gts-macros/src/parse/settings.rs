//! The settings of a field's kind, such as `#[wa(init = 0, merge = sum)]`.

use crate::errors::{Errors, nearest};
use crate::ir::{Merge, Span};
use crate::words;
use gts_contract::language::{Code, LanguageKind};
use proc_macro2::Ident;
use std::collections::HashMap;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Token};

/// A merge and its place.
#[derive(Clone, Copy)]
pub(crate) struct WrittenMerge {
    pub(super) merge: Merge,
    /// Whether sums wrap around: the merge is [`WRAPPING_SUM`].
    pub(super) wraps: bool,
    pub(super) span: Span,
}

/// The merge of sums that wrap around.
const WRAPPING_SUM: &str = {
    let [name] = words::described(LanguageKind::Merge, ["wrapping_sum"]);
    name
};

/// Parses the `key = value` settings of a field's kind.
pub(super) fn settings(
    attribute: &Attribute,
    word: &str,
    allowed: &[&str],
    errors: &Errors,
) -> Option<HashMap<String, Expr>> {
    let list = match &attribute.meta {
        syn::Meta::Path(_) => return Some(HashMap::new()),
        syn::Meta::List(list) => list.tokens.clone(),
        syn::Meta::NameValue(_) => {
            errors.at(
                Code::SettingForm,
                Span::of(&attribute.meta),
                "settings stand in parentheses",
                format!("write `#[{word}(..)]`"),
            );
            return None;
        }
    };
    struct Pair(Ident, Expr);
    impl Parse for Pair {
        fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
            let key = input.parse()?;
            input.parse::<Token![=]>()?;
            Ok(Self(key, input.parse()?))
        }
    }
    let pairs = match Punctuated::<Pair, Token![,]>::parse_terminated.parse2(list) {
        Ok(pairs) => pairs,
        Err(error) => {
            errors.at(Code::SettingForm, error.span(), format!("this is no setting: {error}"), "write `key = value`");
            return None;
        }
    };
    let mut found = HashMap::new();
    for Pair(key, value) in pairs {
        let name = key.to_string();
        if !allowed.contains(&name.as_str()) {
            let help = match (nearest(&name, allowed.iter().copied()), allowed) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, []) => format!("write `#[{word}]`"),
                (None, _) => format!("its settings are: {}", allowed.join(", ")),
            };
            errors.at(Code::UnknownSetting, &key, format!("`#[{word}]` has no setting `{name}`"), help);
            return None;
        }
        if found.insert(name, value).is_some() {
            errors.at(Code::SettingForm, &key, format!("`{key}` is set twice"), "keep one of them");
        }
    }
    Some(found)
}

fn name_of(value: &Expr) -> Option<&Ident> {
    match value {
        Expr::Path(path) if path.qself.is_none() => path.path.get_ident(),
        Expr::Group(group) => name_of(&group.expr),
        _ => None,
    }
}

pub(super) fn parse_merge(value: &Expr, errors: &Errors) -> Option<WrittenMerge> {
    let name = name_of(value).map(ToString::to_string).unwrap_or_default();
    let wraps = name == WRAPPING_SUM;
    let found = Merge::ALL.into_iter().find(|merge| merge.name() == name || wraps && *merge == Merge::Sum);
    if found.is_none() {
        let merges: Vec<&str> = words::names(LanguageKind::Merge).collect();
        errors.at(
            Code::UnknownMerge,
            Span::of(value),
            "this is no merge",
            format!("write one of: {}", merges.join(", ")),
        );
    }
    found.map(|merge| WrittenMerge { merge, wraps, span: Span::of(value) })
}

/// Checks the value of `per`, which must be `edge`.
pub(super) fn parse_per(value: &Expr, errors: &Errors) -> Option<()> {
    if name_of(value).is_some_and(|name| name == "edge") {
        return Some(());
    }
    errors.at(
        Code::UnknownSetting,
        Span::of(value),
        "a `#[wa]` has a value for each vertex, or for each edge",
        "write `per = edge`, or leave `per` out",
    );
    None
}

pub(super) fn parse_from(value: &Expr, names: &[(Ident, bool)], errors: &Errors) -> Option<usize> {
    let name = name_of(value);
    let found = name.and_then(|name| names.iter().position(|(field, wa)| *wa && field == name));
    if found.is_none() {
        let wa: Vec<String> = names.iter().filter(|(_, wa)| *wa).map(|(field, _)| format!("`{field}`")).collect();
        let help = if wa.is_empty() {
            "add the `#[wa]` attribute that becomes this one".to_owned()
        } else {
            format!("write one of: {}", wa.join(", "))
        };
        errors.at(Code::RaSource, Span::of(value), "an `#[ra]` comes from a `#[wa]` of the same struct", help);
    }
    found
}
