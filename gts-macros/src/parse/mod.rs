//! From tokens to the user's items: the attribute struct, a kernel's arguments and signature, helper functions.

pub(crate) mod assertion;
pub(crate) mod attributes;
pub(crate) mod function;
pub(crate) mod gather;
pub(crate) mod handover;
pub(crate) mod init;
pub(crate) mod kernel;
pub(crate) mod settings;

use crate::errors::Errors;
use crate::ir::{ScalarType, Span};
use crate::words;
use gts_contract::language::{self, Code, LanguageKind};
use syn::{Attribute, Expr, Lit, Meta, Safety, Signature, Type};

/// Refuses `#[cfg]` and `#[cfg_attr]`, and returns whether the attribute is one of them. A macro cannot ask which
/// features are on, so the CUDA C would contain what the compiler leaves out of the native code. `item` is what can
/// stand under a `#[cfg]` instead.
pub(crate) fn refuse_cfg(attribute: &Attribute, item: &str, errors: &Errors) -> bool {
    let Some(name) = ["cfg", "cfg_attr"].into_iter().find(|name| attribute.path().is_ident(name)) else { return false };
    errors.at(
        Code::ConditionalCode,
        Span::of(attribute),
        format!("`#[{name}]` cannot stand here: a macro cannot ask which features are on"),
        format!("write two {item}s, each under its own `#[cfg]`"),
    );
    true
}

/// Returns the doc comment among the attributes as one text.
pub(crate) fn doc(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Returns the name of a type that consists of one name.
pub(crate) fn type_name(ty: &Type) -> Option<&syn::Ident> {
    match ty {
        Type::Path(path) if path.qself.is_none() => path.path.get_ident(),
        Type::Group(group) => type_name(&group.elem),
        _ => None,
    }
}

/// Returns the scalar type that a type names.
pub(crate) fn scalar(ty: &Type) -> Option<ScalarType> {
    match ty {
        Type::Path(path) if path.qself.is_none() => {
            ScalarType::from_name(&path.path.segments.last()?.ident.to_string())
        }
        Type::Group(group) => scalar(&group.elem),
        _ => None,
    }
}

/// Returns the place of `unsafe` in a signature, which neither kernels nor helper functions have.
pub(crate) fn unsafety(signature: &Signature) -> Option<Span> {
    match &signature.safety {
        Safety::Default => None,
        Safety::Safe(word) => Some(Span::of(word)),
        Safety::Unsafe(word) => Some(Span::of(word)),
    }
}

/// Returns the end of a suggestion about a type that may be an alias.
pub(crate) fn of_alias(ty: &Type) -> &'static str {
    let known = |name: &syn::Ident| {
        let name = name.to_string();
        let is_type = language::row(LanguageKind::Type, &name).is_some() || words::lacking_word(&name).is_some();
        is_type || ["Self", "str"].contains(&name.as_str())
    };
    match ty {
        _ if scalar(ty).is_some() || type_name(ty).is_some_and(known) => "",
        Type::Path(path) if path.qself.is_none() && path.path.segments.iter().all(|part| part.arguments.is_none()) => {
            "; types are written by their own names, because an alias is not seen through"
        }
        Type::Group(group) => of_alias(&group.elem),
        _ => "",
    }
}

/// Returns the array length if it is a literal.
pub(crate) fn length(expr: &Expr) -> Option<u32> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok().filter(|length| *length > 0),
            _ => None,
        },
        Expr::Group(group) => length(&group.expr),
        _ => None,
    }
}
