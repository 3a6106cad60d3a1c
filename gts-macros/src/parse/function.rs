//! `#[gts_fn]` and `#[gts_const]`: their signatures.

use super::{assertion, scalar, type_name};
use crate::errors::Errors;
use crate::ir::{Span, Type};
use crate::words;
use gts_contract::language::Code;
use proc_macro2::Ident;
use syn::{Block, Expr, FnArg, ItemConst, ItemFn, Pat, ReturnType};

/// A helper function as written: everything but its body is parsed.
pub(crate) struct FunctionItem {
    pub(crate) name: Ident,
    pub(crate) arguments: Vec<FunctionParameter>,
    pub(crate) result: Type,
    pub(crate) body: Block,
}

/// A parameter of a function.
pub(crate) struct FunctionParameter {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) mutable: bool,
}

/// A constant as written.
pub(crate) struct ConstantItem {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) value: Expr,
}

/// Returns the help text that lists the types of values.
fn values() -> String {
    format!("write {}", words::listed(words::plain_types(), "or"))
}

impl FunctionItem {
    /// Reads the signature and reports errors to `errors`. After an error the result serves only to continue.
    pub(crate) fn parse(item: &ItemFn, errors: &Errors) -> Self {
        let signature = &item.sig;
        if !signature.generics.params.is_empty() {
            errors.at(
                Code::HelperSignature,
                Span::of(&signature.generics),
                "a helper function is not generic",
                "write one function for each type",
            );
        }
        let modifiers = [
            signature.asyncness.as_ref().map(Span::of),
            signature.abi.as_ref().map(Span::of),
            super::unsafety(signature),
        ];
        for span in modifiers.into_iter().flatten() {
            errors.at(Code::PlainFunction, span, "a helper function is a plain function", "leave this out");
        }
        let arguments = signature.inputs.iter().filter_map(|input| argument(input, errors)).collect();
        let result = match &signature.output {
            ReturnType::Default => {
                errors.at(
                    Code::HelperSignature,
                    &signature.ident,
                    "a helper function returns a value",
                    "write `-> u32`, or what it computes",
                );
                Type::Unit
            }
            ReturnType::Type(_, ty) => value_type(ty, errors),
        };
        let mut body = (*item.block).clone();
        assertion::to_calls(&mut body);
        Self { name: signature.ident.clone(), arguments, result, body }
    }
}

fn argument(input: &FnArg, errors: &Errors) -> Option<FunctionParameter> {
    let FnArg::Typed(typed) = input else {
        errors.at(Code::HelperSignature, Span::of(input), "a helper function is no method", "write `name: type`");
        return None;
    };
    let vertex = type_name(&typed.ty).is_some_and(|name| name == "Vertex");
    let ty = if vertex { Type::Vertex } else { value_type(&typed.ty, errors) };
    let Pat::Ident(pattern) = &*typed.pat else {
        errors.at(Code::HelperSignature, Span::of(&typed.pat), "a parameter is a plain name", "write `name: type`");
        return None;
    };
    Some(FunctionParameter { name: pattern.ident.clone(), ty, mutable: pattern.mutability.is_some() })
}

fn value_type(ty: &syn::Type, errors: &Errors) -> Type {
    match scalar(ty) {
        Some(scalar) => Type::Scalar(scalar),
        None => {
            errors.at(
                Code::PlainValue,
                Span::of(ty),
                "helper functions take and return plain values",
                format!("{}; a parameter may also be a Vertex{}", values(), super::of_alias(ty)),
            );
            Type::U32
        }
    }
}

impl ConstantItem {
    /// Reads the type and reports errors to `errors`.
    pub(crate) fn parse(item: &ItemConst, errors: &Errors) -> Self {
        let ty = scalar(&item.ty).map(Type::Scalar);
        if ty.is_none() {
            errors.at(
                Code::PlainValue,
                Span::of(&item.ty),
                "a constant is a plain value",
                format!("{}{}", values(), super::of_alias(&item.ty)),
            );
        }
        Self { name: item.ident.clone(), ty: ty.unwrap_or(Type::U32), value: (*item.expr).clone() }
    }
}
