//! `#[gts_kernel]`: its arguments and the signature of the function below it.

use super::{assertion, scalar, type_name};
use crate::errors::{Errors, nearest};
use crate::ir::{Direction, KernelKind, Role, ScalarType, Span, Technique};
use crate::words;
use gts_contract::language::{Code, LanguageKind};
use proc_macro2::{Ident, TokenStream};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Block, FnArg, GenericArgument, GenericParam, ItemFn, Pat, Path, PathArguments, ReturnType, Signature,
    Token, Type, Visibility,
};

/// A kernel as written: everything but its body is parsed.
#[derive(Clone)]
pub(crate) struct KernelItem {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    /// The name of the function in the source. The parts of a gather kernel or a priority share it.
    pub(crate) function: Ident,
    /// `Vertex` for a priority, and for a gather kernel because its block runs for vertices.
    pub(crate) kind: KernelKind,
    /// Whether this is a gather kernel, which walks the neighbours of its vertex.
    pub(crate) gather: bool,
    /// The type of the returned number, if this is a priority.
    pub(crate) priority: Option<Type>,
    pub(crate) direction: Direction,
    pub(crate) technique: Option<Technique>,
    pub(crate) racy: bool,
    pub(crate) ordered: bool,
    /// The attribute struct, without its type argument.
    pub(crate) structure: Path,
    pub(crate) argument: TypeArgument,
    /// The parameter that holds the attributes.
    pub(crate) receiver: Ident,
    pub(crate) parameters: Vec<(Ident, Role)>,
    pub(crate) body: Block,
}

/// The kernel's use of its struct's type parameter.
#[derive(Clone)]
pub(crate) enum TypeArgument {
    /// The struct has no parameter.
    None,
    /// The kernel is generic over the parameter.
    Parameter(Ident),
    /// The kernel is for one type.
    Fixed(ScalarType),
}

/// `scan`, `traverse(in)`, `technique = edge8`, `racy`.
struct Setting {
    name: Ident,
    direction: Option<Ident>,
    value: Option<Ident>,
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        use syn::ext::IdentExt;
        let name = input.call(Ident::parse_any)?;
        let direction = if input.peek(syn::token::Paren) {
            let inner;
            syn::parenthesized!(inner in input);
            Some(inner.call(Ident::parse_any)?)
        } else {
            None
        };
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Some(input.call(Ident::parse_any)?)
        } else {
            None
        };
        Ok(Self { name, direction, value })
    }
}

struct Arguments {
    kind: KernelKind,
    gather: bool,
    priority: bool,
    direction: Direction,
    technique: Option<Technique>,
    racy: bool,
    ordered: bool,
}

const KINDS: [&str; 6] =
    words::described(LanguageKind::Kernel, ["scan", "traverse", "gather", "vertex", "priority", "intersect"]);
const SETTINGS: [&str; 3] = words::described(LanguageKind::KernelSetting, ["technique", "racy", "ordered"]);
const DIRECTIONS: [&str; 3] = words::described(LanguageKind::KernelSetting, ["in", "out", "both"]);

/// Returns the help text that shows the form of the arguments.
fn arguments_form() -> String {
    let kinds = KINDS.map(|kind| format!("`{kind}`"));
    format!(
        "write {}, with `(in)` or `(both)` for edges; then `technique = ..` and `racy` if need be",
        words::listed(kinds.iter().map(String::as_str), "or")
    )
}

const THREE: &str = "three vertices are those of a `#[gts_kernel(intersect)]`";

impl KernelItem {
    /// Reads arguments and signature. `None` if they are too malformed to continue; `errors` then contains the reason.
    pub(crate) fn parse(arguments: TokenStream, item: ItemFn, errors: &Errors) -> Option<Self> {
        let arguments = parse_arguments(arguments, &item.sig.ident, errors);
        let signature = &item.sig;
        let modifiers = [
            signature.constness.as_ref().map(Span::of),
            signature.asyncness.as_ref().map(Span::of),
            signature.abi.as_ref().map(Span::of),
            super::unsafety(signature),
        ];
        for span in modifiers.into_iter().flatten() {
            errors.at(Code::PlainFunction, span, "a kernel is a plain function", "leave this out");
        }
        let ranks = arguments.as_ref().is_some_and(|arguments| arguments.priority);
        let result = arguments.as_ref().and_then(|_| result(signature, ranks, errors));
        let generics = &signature.generics;
        let parameter = match generics.params.first() {
            None => None,
            Some(GenericParam::Type(parameter)) => Some(parameter.ident.clone()),
            Some(other) => {
                errors.at(
                    Code::KernelGenerics,
                    Span::of(other),
                    "a kernel is generic over its struct's type alone",
                    "write `<T>`",
                );
                None
            }
        };
        for extra in generics.params.iter().skip(1) {
            errors.at(
                Code::KernelGenerics,
                Span::of(extra),
                "a kernel is generic over its struct's type alone",
                "leave this out",
            );
        }
        if let Some(clause) = &generics.where_clause {
            errors.at(
                Code::KernelGenerics,
                Span::of(clause),
                "the struct lists what the type may be",
                "leave the clause out",
            );
        }

        let kind = arguments.as_ref().map_or(KernelKind::Scan, |arguments| arguments.kind);
        let roles: &[Role] = match kind {
            KernelKind::Scan | KernelKind::Traverse => &[Role::Src, Role::Dst, Role::Edge],
            KernelKind::Vertex => &[Role::V],
            KernelKind::Intersect if signature.inputs.iter().nth(3).is_some_and(is_edge) => {
                &[Role::Src, Role::Dst, Role::Edge]
            }
            KernelKind::Intersect => &[Role::Src, Role::Dst, Role::Common, Role::Edge],
        };
        let form = if ranks { priority_form(&signature.ident) } else { form(kind, &signature.ident) };
        let mut inputs = signature.inputs.iter();
        let structure = inputs.next().and_then(|input| receiver(input, &form, errors));
        if signature.inputs.is_empty() {
            errors.at(
                Code::KernelParameters,
                &signature.ident,
                "a kernel takes its attributes and what it runs for",
                &form,
            );
        }
        let parameters = parameters(inputs, kind, roles, &form, errors);
        in_order(&parameters, kind, &form, errors);
        let needed = if kind == KernelKind::Vertex { 1 } else { 2 };
        if !signature.inputs.is_empty() && signature.inputs.len() < 1 + needed {
            errors.at(Code::KernelParameters, &signature.ident, "parameters are missing", &form);
        }
        if let (Some(Arguments { kind: KernelKind::Intersect, direction, .. }), Some((edge, _))) =
            (&arguments, parameters.iter().find(|(_, role)| *role == Role::Edge))
            && *direction != Direction::Out
        {
            errors.at(
                Code::IntersectEdges,
                edge,
                "values of edges are those of out-edges, and this kernel walks others",
                "write `intersect` without a direction, or leave the edge out",
            );
        }
        let (receiver, structure, given) = structure?;
        let argument = type_argument(given, parameter, errors);
        let Arguments { kind, gather, priority, direction, technique, racy, ordered } = arguments?;
        let mut body = *item.block;
        assertion::to_calls(&mut body);
        Some(Self {
            attributes: item.attrs,
            visibility: item.vis,
            function: item.sig.ident.clone(),
            name: item.sig.ident,
            kind,
            gather,
            priority: if priority { Some(result?) } else { None },
            direction,
            technique,
            racy,
            ordered,
            structure,
            argument,
            receiver,
            parameters,
            body,
        })
    }
}

/// Returns the names of a kernel's vertices and edge. `inputs` are the parameters after the attributes.
fn parameters<'a>(
    inputs: impl Iterator<Item = &'a FnArg>,
    kind: KernelKind,
    roles: &[Role],
    form: &str,
    errors: &Errors,
) -> Vec<(Ident, Role)> {
    let mut parameters = Vec::new();
    for (position, input) in inputs.enumerate() {
        match roles.get(position) {
            Some(role) => {
                let three = kind.has_edges() && *role == Role::Edge && is_of(input, "Vertex");
                let help = if three { &format!("{form}; {THREE}") } else { form };
                parameters.extend(vertex_or_edge(input, *role, help, errors).map(|name| (name, *role)));
            }
            None => errors.at(Code::KernelParameters, Span::of(input), "a kernel has no such parameter", form),
        }
    }
    parameters
}

/// Refuses exchanged vertex names: a kernel with `dst` before `src` would walk every edge backwards.
fn in_order(parameters: &[(Ident, Role)], kind: KernelKind, form: &str, errors: &Errors) {
    let words: &[(Role, &str)] = match kind {
        KernelKind::Scan | KernelKind::Traverse => &[(Role::Src, "src"), (Role::Dst, "dst")],
        KernelKind::Intersect => &[(Role::Src, "u"), (Role::Dst, "v"), (Role::Common, "w")],
        KernelKind::Vertex => &[],
    };
    for (name, role) in parameters {
        let text = name.to_string();
        let meant = words.iter().find(|(other, word)| other != role && *word == text.trim_start_matches('_'));
        if let (Some((_, word)), Some((_, own))) = (meant, words.iter().find(|(other, _)| other == role)) {
            errors.at(Code::KernelParameters, name, format!("the vertex at this place is `{own}`, not `{word}`"), form);
        }
    }
}

/// Returns the type of a kernel's value: a number if the kernel `ranks` vertices, else none.
fn result(signature: &Signature, ranks: bool, errors: &Errors) -> Option<Type> {
    match &signature.output {
        ReturnType::Type(_, ty) if ranks => return Some((**ty).clone()),
        ReturnType::Type(_, ty) => errors.at(
            Code::ReturnValue,
            Span::of(ty),
            "a kernel returns nothing",
            "write results into attributes; a `#[global]` carries one value to the host",
        ),
        ReturnType::Default if ranks => errors.at(
            Code::PriorityType,
            &signature.ident,
            "a priority is a number, and this gives none",
            priority_form(&signature.ident),
        ),
        ReturnType::Default => {}
    }
    None
}

fn priority_form(name: &Ident) -> String {
    format!("write `fn {name}(a: &mut Struct, v: Vertex) -> u32`, or another type of numbers")
}

fn form(kind: KernelKind, name: &Ident) -> String {
    match kind {
        KernelKind::Scan | KernelKind::Traverse => {
            format!(
                "write `fn {name}(a: &mut Struct, src: Vertex, dst: Vertex)`, and `e: Edge` after it for edge values"
            )
        }
        KernelKind::Vertex => format!("write `fn {name}(a: &mut Struct, v: Vertex)`"),
        KernelKind::Intersect => format!(
            "write `fn {name}(a: &mut Struct, u: Vertex, v: Vertex)`, and `w: Vertex` after it for neighbours `v` and `w` \
             of `u` with an edge between them; `e: Edge` at the end is the edge from `u` to `v`"
        ),
    }
}

fn parse_arguments(tokens: TokenStream, name: &Ident, errors: &Errors) -> Option<Arguments> {
    let settings = match Punctuated::<Setting, Token![,]>::parse_terminated.parse2(tokens.clone()) {
        Ok(settings) => settings,
        Err(error) => {
            errors.at(Code::KernelKindWord, error.span(), "this does not say what a kernel is", arguments_form());
            return None;
        }
    };
    let mut kind = None;
    let mut technique = None;
    let mut racy = None;
    let mut gather = false;
    let mut priority = false;
    let mut ordered = None;
    for Setting { name, direction, value } in &settings {
        let word = name.to_string();
        match word.as_str() {
            _ if KINDS.contains(&word.as_str()) && value.is_none() => {
                if kind.is_some() {
                    errors.at(Code::KernelKindWord, name, "a kernel is of one kind", arguments_form());
                }
                let of = match word.as_str() {
                    "scan" => KernelKind::Scan,
                    "traverse" => KernelKind::Traverse,
                    "vertex" | "gather" | "priority" => KernelKind::Vertex,
                    _ => KernelKind::Intersect,
                };
                gather = word == "gather";
                priority = word == "priority";
                let walks = gather || of != KernelKind::Vertex;
                kind = Some((of, parse_direction(&word, walks, direction.as_ref(), errors)));
            }
            "racy" if value.is_none() && direction.is_none() => racy = Some(name),
            "ordered" if value.is_none() && direction.is_none() => ordered = Some(name),
            "technique" if direction.is_none() => technique = parse_technique(name, value.as_ref(), errors),
            _ => {
                let help = match nearest(&word, KINDS.into_iter().chain(SETTINGS)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => arguments_form(),
                };
                errors.at(Code::KernelKindWord, name, "this does not say what a kernel is", help);
                return None;
            }
        }
    }
    let Some((kind, direction)) = kind else {
        let span = if tokens.is_empty() { Span::from(name) } else { Span::of(&tokens) };
        errors.at(Code::KernelKindWord, span, "the kind of the kernel is missing", missing_kind());
        return None;
    };
    if let Some((_, span)) = &technique
        && (kind == KernelKind::Intersect || (kind == KernelKind::Vertex && !gather))
    {
        no_technique(kind, *span, errors);
    }
    if let Some(word) = racy.filter(|_| priority) {
        errors.at(
            Code::PriorityEffect,
            word,
            "a priority changes nothing, so that no thread is ahead of another",
            "leave this out",
        );
    }
    if let Some(word) = ordered {
        check_order(word, kind, direction, errors);
    }
    let technique = technique.map(|(technique, _)| technique);
    Some(Arguments { kind, gather, priority, direction, technique, racy: racy.is_some(), ordered: ordered.is_some() })
}

/// Reports `technique` on a kernel that does not support it.
fn no_technique(kind: KernelKind, span: Span, errors: &Errors) {
    let (what, help) = match kind {
        KernelKind::Intersect => (
            "an intersecting kernel has no technique",
            "leave it out: a warp takes two lists, and their lengths choose how",
        ),
        _ => ("a vertex kernel has no technique", "leave it out: a thread takes a vertex"),
    };
    errors.at(Code::SettingOfKind, span, what, help);
}

/// Reports `ordered` on a kernel that does not support it.
fn check_order(word: &Ident, kind: KernelKind, direction: Direction, errors: &Errors) {
    match (kind, direction) {
        (KernelKind::Intersect, Direction::Both) => errors.at(
            Code::SettingOfKind,
            word,
            "edges either way have no order in which each triangle comes once",
            "write `intersect, ordered` and run it on a symmetric graph, or leave `ordered` out",
        ),
        (KernelKind::Intersect, _) => {}
        _ => errors.at(
            Code::SettingOfKind,
            word,
            "only an intersecting kernel takes its vertices in order",
            "leave this out",
        ),
    }
}

/// Returns the help text for a kernel without a kind.
fn missing_kind() -> String {
    let [first, others @ ..] = KINDS;
    let others = others.map(|kind| format!("`({kind})`"));
    format!("write `#[gts_kernel({first})]`, {}", words::listed(others.iter().map(String::as_str), "or"))
}

fn parse_direction(word: &str, walks: bool, direction: Option<&Ident>, errors: &Errors) -> Direction {
    let Some(direction) = direction else { return Direction::Out };
    match direction.to_string().as_str() {
        _ if !walks => {
            errors.at(
                Code::SettingOfKind,
                direction,
                format!("a {word} kernel has no direction"),
                format!("write `{word}`"),
            );
            Direction::Out
        }
        "out" => Direction::Out,
        "in" => Direction::In,
        "both" => Direction::Both,
        _ => {
            let directions = DIRECTIONS.map(|direction| format!("`{direction}`"));
            let help = format!("write {}", words::listed(directions.iter().map(String::as_str), "or"));
            errors.at(Code::KernelDirection, direction, "this is no direction", help);
            Direction::Out
        }
    }
}

fn parse_technique(name: &Ident, value: Option<&Ident>, errors: &Errors) -> Option<(Technique, Span)> {
    let words = Technique::ALL.map(|technique| technique.name().replace('-', "_"));
    let given = value.map(ToString::to_string).unwrap_or_default();
    let found = words.iter().position(|word| *word == given).map(|place| Technique::ALL[place]);
    if found.is_none() {
        let lanes = given.strip_prefix("edge").and_then(|lanes| lanes.parse::<u32>().ok());
        let (text, help) = match (lanes, nearest(&given, words.iter().map(String::as_str))) {
            (Some(lanes), _) => (
                format!("a virtual warp has 2, 4, 8, 16, 32 or 64 lanes, and not {lanes}"),
                format!("write one of: {}", words.join(", ")),
            ),
            (None, Some(near)) => ("this is no technique".to_owned(), format!("did you mean `{near}`?")),
            (None, None) => ("this is no technique".to_owned(), format!("write one of: {}", words.join(", "))),
        };
        errors.at(Code::UnknownTechnique, value.unwrap_or(name), text, help);
    }
    Some((found?, Span::from(value.unwrap_or(name))))
}

/// Returns the name and the struct of `a: &mut Struct<T>`, with the type arguments.
fn receiver(input: &FnArg, form: &str, errors: &Errors) -> Option<(Ident, Path, Vec<GenericArgument>)> {
    let found = (|| {
        let FnArg::Typed(typed) = input else { return None };
        let Type::Reference(reference) = without_groups(&typed.ty) else { return None };
        reference.mutability?;
        let Type::Path(path) = without_groups(&reference.elem) else { return None };
        let (Pat::Ident(pattern), None) = (&*typed.pat, &path.qself) else { return None };
        let mut structure = path.path.clone();
        let last = structure.segments.last_mut()?;
        let arguments = match std::mem::replace(&mut last.arguments, PathArguments::None) {
            PathArguments::AngleBracketed(arguments) => arguments.args.into_iter().collect(),
            _ => Vec::new(),
        };
        Some((pattern.ident.clone(), structure, arguments))
    })();
    if found.is_none() {
        errors.at(
            Code::AttributesParameter,
            Span::of(input),
            "the first parameter of a kernel is its attribute struct, by `&mut`",
            form,
        );
    }
    found
}

fn without_groups(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => without_groups(&group.elem),
        Type::Paren(paren) => without_groups(&paren.elem),
        _ => ty,
    }
}

fn is_edge(input: &FnArg) -> bool {
    is_of(input, "Edge")
}

/// Returns whether a parameter has the type of this name.
fn is_of(input: &FnArg, name: &str) -> bool {
    let FnArg::Typed(typed) = input else { return false };
    let Type::Path(path) = without_groups(&typed.ty) else { return false };
    path.path.segments.last().is_some_and(|segment| segment.ident == name)
}

fn vertex_or_edge(input: &FnArg, role: Role, form: &str, errors: &Errors) -> Option<Ident> {
    let expected = if role == Role::Edge { "Edge" } else { "Vertex" };
    let mut given = None;
    if let FnArg::Typed(typed) = input {
        if let Type::Path(path) = without_groups(&typed.ty) {
            let named = path.path.segments.last().is_some_and(|segment| segment.ident == expected);
            if let Pat::Ident(pattern) = &*typed.pat {
                if named {
                    return Some(pattern.ident.clone());
                }
                given = Some((pattern.ident.clone(), super::of_alias(&typed.ty)));
            }
        }
        if let (Pat::Wild(wild), Some(name)) = (&*typed.pat, type_name(&typed.ty))
            && name == expected
        {
            return Some(Ident::new("_unnamed", wild.underscore_token.span));
        }
    }
    let alias = given.as_ref().map_or("", |(_, alias)| alias);
    errors.at(
        Code::KernelParameters,
        Span::of(input),
        format!("this parameter is a plain `{expected}`"),
        format!("{form}{alias}"),
    );
    // The body may use the name.
    given.map(|(name, _)| name)
}

fn type_argument(given: Vec<GenericArgument>, parameter: Option<Ident>, errors: &Errors) -> TypeArgument {
    let given = match given.as_slice() {
        [] => None,
        [GenericArgument::Type(ty)] => Some(ty.clone()),
        // The struct's macro refuses such parameters.
        [GenericArgument::Lifetime(_) | GenericArgument::Const(_), ..] => return TypeArgument::None,
        [first, ..] => {
            errors.at(
                Code::StructGenerics,
                Span::of(first),
                "an attribute struct has one type parameter at most",
                "write `<T>`",
            );
            return TypeArgument::None;
        }
    };
    match (given, parameter) {
        (None, None) => TypeArgument::None,
        (None, Some(parameter)) => {
            errors.at(
                Code::TypeOfStruct,
                &parameter,
                format!("the struct is not used with `{parameter}`"),
                format!("write `&mut Struct<{parameter}>`, or leave `<{parameter}>` out"),
            );
            TypeArgument::None
        }
        (Some(ty), Some(parameter)) if type_name(&ty).is_some_and(|name| *name == parameter) => {
            TypeArgument::Parameter(parameter)
        }
        (Some(ty), None) if scalar(&ty).is_some() => scalar(&ty).map_or(TypeArgument::None, TypeArgument::Fixed),
        (Some(ty), parameter) => {
            let help = match parameter {
                Some(parameter) => format!("write `<{parameter}>`"),
                None => "write `fn name<T>(a: &mut Struct<T>, ..)`".to_owned(),
            };
            errors.at(
                Code::TypeOfStruct,
                Span::of(&ty),
                "this is neither the kernel's type parameter nor one of the listed types",
                help,
            );
            TypeArgument::None
        }
    }
}
