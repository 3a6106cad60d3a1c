//! `#[gts_attributes]`: the struct as written, and the schema for one choice of its type parameter.

use super::settings::{WrittenMerge, parse_from, parse_merge, parse_per, settings};
use super::{doc, init, length, refuse_cfg, scalar, type_name};
use crate::errors::{Errors, nearest};
use crate::ir::{self, AttributeKind, Init, Location, Merge, ScalarType, Span};
use crate::words;
use gts_contract::language::{Code, LanguageKind};
use proc_macro2::{Ident, TokenStream};
use std::collections::HashMap;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Fields, GenericParam, ItemStruct, Token, Type, Visibility};

/// Returns the help text that lists the types of attributes.
fn types_of_attributes() -> String {
    format!("an attribute is a {}, or a fixed array of them", words::listed(words::plain_types(), "or"))
}

/// An attribute struct as written, free of errors that the syntax alone reveals.
pub(crate) struct AttributeStruct {
    pub(crate) name: Ident,
    pub(crate) visibility: Visibility,
    /// Doc comments and other attributes of the struct.
    pub(crate) attributes: Vec<Attribute>,
    /// The type parameter.
    pub(crate) parameter: Option<Ident>,
    /// The types that the parameter may take.
    pub(crate) choices: Vec<ScalarType>,
    pub(crate) fields: Vec<AttributeField>,
    pub(crate) location: Location,
}

/// A field as written.
pub(crate) struct AttributeField {
    pub(crate) name: Ident,
    pub(crate) visibility: Visibility,
    /// Doc comments and other attributes, except the kind.
    pub(crate) attributes: Vec<Attribute>,
    /// `None` if the field has the struct's type parameter.
    pub(crate) scalar: Option<ScalarType>,
    pub(crate) length: Option<u32>,
    pub(crate) kind: FieldKind,
    ty: Span,
}

/// A field's kind as written. Initial values are evaluated once the type is chosen.
pub(crate) enum FieldKind {
    Wa { init: Box<Expr>, merge: WrittenMerge },
    EdgeWa { init: Box<Expr>, merge: WrittenMerge },
    Ra { from: Option<usize> },
    Edge { default: Option<Box<Expr>> },
    Param { default: Option<Box<Expr>> },
    Global { merge: WrittenMerge },
}

/// `T = f32 | f64`.
struct TypeChoice {
    name: Ident,
    types: Punctuated<Type, Token![|]>,
}

impl Parse for TypeChoice {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        let types = Punctuated::parse_separated_nonempty(input)?;
        Ok(Self { name, types })
    }
}

impl AttributeStruct {
    /// Reads the struct and reports errors to `errors`. After an error the result serves only to continue.
    pub(crate) fn parse(arguments: TokenStream, item: &ItemStruct, errors: &Errors) -> Self {
        let choice = if arguments.is_empty() {
            None
        } else {
            match syn::parse2::<TypeChoice>(arguments.clone()) {
                Ok(choice) => Some(choice),
                Err(_) => {
                    errors.at(
                        Code::TypeList,
                        Span::of(&arguments),
                        "this is no list of types",
                        "write `#[gts_attributes(T = f32 | f64)]`, or `#[gts_attributes]` for a struct without a type parameter",
                    );
                    None
                }
            }
        };
        let parameter = parameter(item, choice.as_ref(), errors);
        let choices = choice.as_ref().map(|choice| choices(choice, errors)).unwrap_or_default();
        let names: Vec<(Ident, bool)> = match &item.fields {
            Fields::Named(fields) => fields
                .named
                .iter()
                .filter_map(|field| {
                    Some((field.ident.clone()?, field.attrs.iter().any(|attribute| attribute.path().is_ident("wa"))))
                })
                .collect(),
            _ => {
                errors.at(
                    Code::NamedFields,
                    &item.ident,
                    "an attribute struct has named fields",
                    "write `pub struct Name { .. }`",
                );
                Vec::new()
            }
        };
        check_own(&item.ident, errors);
        let mut seen = HashMap::<String, Ident>::new();
        let mut edges = 0;
        let mut fields = Vec::new();
        for field in &item.fields {
            let Some(name) = field.ident.clone() else { continue };
            if let Some(first) = seen.get(&name.to_string()) {
                for (place, article) in [(first, "an"), (&name, "another")] {
                    let what = format!("this is {article} attribute `{name}`");
                    errors.at(Code::DuplicateAttribute, place, what, "give each attribute its own name");
                }
                continue;
            }
            seen.insert(name.to_string(), name.clone());
            check_own(&name, errors);
            let Some((kind, attributes)) = kind(field, &names, errors) else { continue };
            if matches!(kind, FieldKind::Edge { .. }) {
                edges += 1;
                if edges == 2 {
                    errors.at(Code::SecondEdgeValue, &name, "an edge has one value", "keep one `#[edge]` attribute");
                }
            }
            let Some((scalar, length)) = field_type(&field.ty, parameter.as_ref(), errors) else { continue };
            fields.push(AttributeField {
                name,
                visibility: field.vis.clone(),
                attributes,
                scalar,
                length,
                kind,
                ty: Span::of(&field.ty),
            });
        }
        Self {
            name: item.ident.clone(),
            visibility: item.vis.clone(),
            attributes: item.attrs.clone(),
            parameter,
            choices,
            fields,
            location: Span::of(&item.ident).location(),
        }
    }

    /// Returns every choice of the type parameter; a single `None` if there is no parameter.
    pub(crate) fn instances(&self) -> Vec<Option<ScalarType>> {
        if self.parameter.is_none() { vec![None] } else { self.choices.iter().copied().map(Some).collect() }
    }

    /// Returns the schema for one choice.
    pub(crate) fn resolve(&self, choice: Option<ScalarType>, errors: &Errors) -> ir::Attributes {
        let attributes = self.fields.iter().map(|field| self.resolve_field(field, choice, errors)).collect();
        ir::Attributes { name: self.name.clone(), parameter: choice, attributes, location: self.location.clone() }
    }

    /// Returns whether the attribute begins without a value: with `UNREACHED`, or with the largest integer if it merges
    /// by `min` or `any`. A param begins with its default.
    fn is_unreached(&self, field: &AttributeField, choice: Option<ScalarType>) -> bool {
        let (init, merge) = match &field.kind {
            FieldKind::Wa { init, merge } | FieldKind::EdgeWa { init, merge } => (init, *merge),
            FieldKind::Ra { from: Some(from) } => match self.fields.get(*from).map(|source| &source.kind) {
                Some(FieldKind::Wa { init, merge }) => (init, *merge),
                _ => return false,
            },
            FieldKind::Param { default: Some(default) } => return init::is_unreached(default),
            _ => return false,
        };
        let scalar = field.scalar.or(choice).filter(|scalar| !scalar.is_float());
        let largest = || scalar.is_some_and(|scalar| init::is_largest(init, scalar));
        init::is_unreached(init) || matches!(merge.merge, Merge::Min | Merge::Any) && largest()
    }

    fn resolve_field(&self, field: &AttributeField, choice: Option<ScalarType>, errors: &Errors) -> ir::Attribute {
        let scalar = field.scalar.or(choice).unwrap_or(ScalarType::U32);
        let suits = |merge: WrittenMerge| suited(merge, field, scalar, errors);
        let value = |init: &Expr| Init { bits: init::bits(init, scalar, errors) };
        let kind = match &field.kind {
            FieldKind::Wa { init, merge } => AttributeKind::Wa { init: value(init), merge: suits(*merge) },
            FieldKind::EdgeWa { init, merge } => {
                check_edge_wa(field, scalar, merge.merge, errors);
                AttributeKind::EdgeWa { init: value(init), merge: suits(*merge) }
            }
            FieldKind::Ra { from } => {
                let source = from.and_then(|from| self.fields.get(from));
                if let Some(AttributeField { kind: FieldKind::EdgeWa { .. }, name, .. }) = source {
                    errors.at(
                        Code::RaSource,
                        field.ty,
                        format!("`{}` is a value of each vertex, and `{name}` one of each edge", field.name),
                        "let it come from a `#[wa]` without `per = edge`",
                    );
                } else if let Some(source) = source
                    && (source.scalar.or(choice) != Some(scalar) || source.length != field.length)
                {
                    errors.at(
                        Code::RaSource,
                        field.ty,
                        format!("`{}` and `{}` take turns and have different types", field.name, source.name),
                        "give both the same type",
                    );
                }
                AttributeKind::Ra { from: *from }
            }
            FieldKind::Edge { default } => {
                let stored = [ScalarType::U32, ScalarType::I32, ScalarType::F32, ScalarType::U64, ScalarType::F64];
                if !stored.contains(&scalar) || field.length.is_some() {
                    errors.at(
                        Code::EdgeType,
                        field.ty,
                        "a store keeps no edge values of this type",
                        "an `#[edge]` attribute is a u32, i32, f32, u64 or f64",
                    );
                }
                let default = default.as_ref().map(|default| value(default));
                AttributeKind::Edge { default }
            }
            FieldKind::Param { default } => {
                let default = default.as_ref().map(|default| value(default));
                AttributeKind::Param { default }
            }
            FieldKind::Global { merge } => AttributeKind::Global { merge: suits(*merge) },
        };
        ir::Attribute {
            name: field.name.clone(),
            scalar,
            length: field.length,
            kind,
            unreached: self.is_unreached(field, choice),
            wraps: match &field.kind {
                FieldKind::Wa { merge, .. } | FieldKind::EdgeWa { merge, .. } => merge.wraps,
                _ => false,
            },
            doc: doc(&field.attributes),
        }
    }
}

/// Returns the merge of a field. Reports an error if it does not suit the field's type or kind.
fn suited(written: WrittenMerge, field: &AttributeField, scalar: ScalarType, errors: &Errors) -> Merge {
    let WrittenMerge { merge, span, wraps } = written;
    if !merge.suits(scalar) || wraps && !scalar.is_integer() {
        let words: Vec<&str> = Merge::ALL.into_iter().filter(|merge| merge.suits(scalar)).map(Merge::name).collect();
        let name = if wraps { "wrapping_sum" } else { merge.name() };
        errors.at(
            Code::MergeOfType,
            span,
            format!("values of type {scalar} do not merge by `{name}`"),
            format!("for {scalar} write one of: {}", words.join(", ")),
        );
    } else if wraps && matches!(field.kind, FieldKind::Global { .. }) {
        errors.at(
            Code::MergeOfType,
            span,
            "`wrapping_sum` merges the values of a `#[wa]`",
            "write `merge = sum`; the total of a global is exact",
        );
    }
    merge
}

/// Refuses names reserved for generated code.
fn check_own(name: &Ident, errors: &Errors) {
    if name.unraw().to_string().starts_with("gts_") {
        errors.at(Code::ReservedName, name, "names that start with `gts_` are the framework's", "choose another name");
    }
}

/// Refuses settings that values of edges do not support.
fn check_edge_wa(field: &AttributeField, scalar: ScalarType, merge: Merge, errors: &Errors) {
    if field.length.is_some() {
        errors.at(Code::EdgeWaType, field.ty, "an edge has no array", "declare an attribute for each element");
    }
    if scalar == ScalarType::VertexId {
        errors.at(Code::EdgeWaType, field.ty, "values of edges are numbers or conditions", "write a u32 or u64");
    }
    if merge == Merge::Any {
        errors.at(
            Code::EdgeWaType,
            &field.name,
            "values of edges are updated by a merge, and `any` is none",
            "write one of: sum, min, max, or, and",
        );
    }
}

fn parameter(item: &ItemStruct, choice: Option<&TypeChoice>, errors: &Errors) -> Option<Ident> {
    let (mut types, others): (Vec<&GenericParam>, Vec<&GenericParam>) =
        item.generics.params.iter().partition(|parameter| matches!(parameter, GenericParam::Type(_)));
    for other in &others {
        errors.at(
            Code::StructGenerics,
            Span::of(other),
            "an attribute struct has no lifetime and no constant as a parameter",
            "leave this out; the length of an array is a literal",
        );
    }
    let extra = types.split_off(types.len().min(1));
    for extra in extra {
        errors.at(
            Code::StructGenerics,
            Span::of(extra),
            "an attribute struct has one type parameter at most",
            "name the type instead",
        );
    }
    if let Some(clause) = &item.generics.where_clause {
        errors.at(
            Code::StructGenerics,
            Span::of(clause),
            "the list of types is all that is said of the parameter",
            "leave the clause out",
        );
    }
    let Some(GenericParam::Type(parameter)) = types.pop() else {
        if let Some(choice) = choice.filter(|_| others.is_empty()) {
            errors.at(
                Code::UnlistedParameter,
                &choice.name,
                format!("the struct has no type parameter `{}`", choice.name),
                format!("write `struct {}<{}>`, or leave the list out", item.ident, choice.name),
            );
        }
        return None;
    };
    match choice {
        // Keep the parameter after an error, so that rustc does not also report uses such as `Struct<f32>`.
        _ if !parameter.bounds.is_empty() => {
            errors.at(
                Code::StructGenerics,
                Span::of(parameter),
                "a plain type parameter is all that is possible here",
                "write `<T>`",
            );
        }
        Some(choice) if parameter.ident != choice.name => errors.at(
            Code::UnlistedParameter,
            &choice.name,
            format!("the struct's type parameter is `{}`", parameter.ident),
            format!("write `{} = ..`", parameter.ident),
        ),
        Some(_) => {}
        None => errors.at(
            Code::UnlistedParameter,
            parameter,
            format!("the types that `{}` may take are not listed", parameter.ident),
            format!("write `#[gts_attributes({} = f32 | f64)]`", parameter.ident),
        ),
    }
    Some(parameter.ident.clone())
}

fn choices(choice: &TypeChoice, errors: &Errors) -> Vec<ScalarType> {
    let mut types = Vec::new();
    for ty in &choice.types {
        match scalar(ty) {
            Some(scalar) if types.contains(&scalar) => {
                errors.at(Code::TypeList, Span::of(ty), format!("{scalar} is listed already"), "list each type once");
            }
            Some(scalar) => types.push(scalar),
            None => errors.at(Code::TypeList, Span::of(ty), "this type is no choice", types_of_attributes()),
        }
    }
    types
}

fn field_type(ty: &Type, parameter: Option<&Ident>, errors: &Errors) -> Option<(Option<ScalarType>, Option<u32>)> {
    let element = |ty: &Type| match (type_name(ty), parameter) {
        (Some(name), Some(parameter)) if name == parameter => Some(None),
        _ => scalar(ty).map(Some),
    };
    let found = match ty {
        Type::Group(group) => return field_type(&group.elem, parameter, errors),
        Type::Array(array) => match (element(&array.elem), length(&array.len)) {
            (Some(scalar), Some(length)) => Some((scalar, Some(length))),
            (Some(_), None) => {
                errors.at(
                    Code::ArrayForm,
                    Span::of(&array.len),
                    "the length of an array is a literal above 0",
                    "write the number itself, as in `[u32; 8]`: a macro does not see the value of a constant",
                );
                return None;
            }
            _ => None,
        },
        _ => element(ty).map(|scalar| (scalar, None)),
    };
    if found.is_none() {
        let name = type_name(ty).map(ToString::to_string).unwrap_or_default();
        let help = match words::lacking_word(&name) {
            Some(row) => row.instead,
            None if name == "Vertex" => "write VertexId, the type of a stored vertex",
            None => &format!("{}{}", types_of_attributes(), super::of_alias(ty)),
        };
        errors.at(Code::AttributeType, Span::of(ty), "attributes cannot have this type", help);
    }
    found
}

const KINDS: [&str; 5] = words::described(LanguageKind::Field, ["wa", "ra", "edge", "param", "global"]);
const SETTINGS: [&str; 5] = words::described(LanguageKind::FieldSetting, ["init", "merge", "per", "from", "default"]);

/// Returns the field's kind and its other attributes.
fn kind(field: &syn::Field, names: &[(Ident, bool)], errors: &Errors) -> Option<(FieldKind, Vec<Attribute>)> {
    let name = field.ident.as_ref()?;
    let word = |attribute: &Attribute| attribute.path().get_ident().map(ToString::to_string).unwrap_or_default();
    let (kinds, mut others): (Vec<_>, Vec<_>) =
        field.attrs.iter().cloned().partition(|attribute| KINDS.contains(&word(attribute).as_str()));
    if others.iter().any(|other| refuse_cfg(other, "struct", errors)) {
        return None;
    }
    let known = |attribute: &Attribute| ["doc", "allow", "expect", "deprecated"].contains(&word(attribute).as_str());
    for other in others.iter().filter(|other| !known(other)) {
        let help = match nearest(&word(other), KINDS) {
            Some(kind) => format!("did you mean `#[{kind}]`?"),
            None => "the kinds are `#[wa]`, `#[ra]`, `#[edge]`, `#[param]` and `#[global]`".to_owned(),
        };
        errors.at(Code::UnknownFieldKind, Span::of(other.path()), "this is no kind of attribute", help);
    }
    if !others.iter().all(known) {
        return None;
    }
    others.retain(known);
    match kinds.as_slice() {
        [kind] => Some((one_kind(kind, &word(kind), names, errors)?, others)),
        [] => {
            errors.at(
                Code::FieldKind,
                name,
                format!("the kind of `{name}` is missing"),
                "write `#[wa(init = .., merge = ..)]`, `#[ra(from = ..)]`, `#[edge]`, `#[param]` or `#[global(merge = ..)]` above it",
            );
            None
        }
        [_, second, ..] => {
            errors.at(Code::FieldKind, Span::of(second), "an attribute has one kind", "keep one of them");
            None
        }
    }
}

fn one_kind(attribute: &Attribute, word: &str, names: &[(Ident, bool)], errors: &Errors) -> Option<FieldKind> {
    let [init, merge, per, from, default] = SETTINGS;
    let allowed: &[&str] = match word {
        "wa" => &[init, merge, per],
        "ra" => &[from],
        "edge" | "param" => &[default],
        "global" => &[merge],
        _ => &[],
    };
    let mut settings = settings(attribute, word, allowed, errors)?;
    let mut missing = |key: &str, example: &str| {
        let value = settings.remove(key);
        if value.is_none() {
            errors.at(
                Code::MissingSetting,
                Span::of(attribute.path()),
                format!("`{key}` is missing"),
                format!("write `#[{word}({example})]`"),
            );
        }
        value
    };
    Some(match word {
        "wa" => {
            let init = missing("init", "init = 0, merge = min");
            let merge = missing("merge", "init = 0, merge = min").and_then(|merge| parse_merge(&merge, errors));
            let per = settings.remove("per").map(|per| parse_per(&per, errors));
            let (init, merge) = (Box::new(init?), merge?);
            match per {
                None => FieldKind::Wa { init, merge },
                Some(per) => {
                    per?;
                    FieldKind::EdgeWa { init, merge }
                }
            }
        }
        "global" => FieldKind::Global { merge: parse_merge(&missing("merge", "merge = sum")?, errors)? },
        "ra" => {
            let from = match settings.remove("from") {
                Some(from) => Some(parse_from(&from, names, errors)?),
                None => None,
            };
            FieldKind::Ra { from }
        }
        "edge" => FieldKind::Edge { default: settings.remove("default").map(Box::new) },
        _ => FieldKind::Param { default: settings.remove("default").map(Box::new) },
    })
}

impl From<&Ident> for Span {
    fn from(name: &Ident) -> Self {
        name.span().into()
    }
}

impl From<&syn::TypeParam> for Span {
    fn from(parameter: &syn::TypeParam) -> Self {
        parameter.ident.span().into()
    }
}
