//! From syntax to the typed IR: every expression gets its type, or an error that proposes to write the type.
//!
//! A body is walked once. Types not yet known are open, and are unified with others as their uses are found.
//! Expressions outside the language were reported before. If one occurs here it is skipped silently.

mod expr;
mod literal;
mod method;
mod place;
mod program;
mod random;
mod resolve;
mod stmt;
mod types;
mod vertex;

pub(crate) use program::Program;

use crate::errors::Errors;
use crate::ir::{
    Attributes, Block, ConstantId, Element, ErrorWhat, Expr, ExprKind, FunctionId, KernelKind, Local, LocalId, Role,
    ScalarType, Span, SpannedErrorSite, Type,
};
use crate::parse::function::{ConstantItem, FunctionItem};
use crate::parse::kernel::KernelItem;
use gts_contract::language::Code;
use proc_macro2::Ident;
use std::collections::HashMap;
use types::{Open, Types};

/// The meaning of the names in a body, except its own locals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Helper functions, by the path in the call.
    pub(crate) functions: HashMap<String, FunctionId>,
    /// Constants, by their path.
    pub(crate) constants: HashMap<String, ConstantId>,
}

/// The context of a body.
struct Surroundings<'a> {
    /// The kernel's parameter with the attributes; `None` in functions and constants.
    attributes: Option<(&'a Ident, &'a Attributes)>,
    /// The kernel's name for the struct's type parameter, and the type chosen for it.
    generic: Option<(&'a Ident, ScalarType)>,
    names: &'a Names,
    program: &'a Program,
    /// The type of `return` values.
    result: Type,
    /// The vertex in examples of help texts.
    example: &'static str,
}

/// One body during inference.
struct Lower<'a> {
    surroundings: Surroundings<'a>,
    errors: &'a Errors,
    types: Types,
    locals: Vec<Local>,
    scopes: Vec<HashMap<String, LocalId>>,
    loops: usize,
    /// Whether open types need no report, because one was reported or another error exists.
    silent: bool,
}

/// A body and its locals.
pub(crate) struct Lowered {
    pub(crate) locals: Vec<Local>,
    pub(crate) body: Block,
}

/// Returns the IR of a kernel's body for one choice of its struct's type.
pub(crate) fn kernel(
    item: &KernelItem,
    attributes: &Attributes,
    generic: Option<(&Ident, ScalarType)>,
    names: &Names,
    program: &Program,
    sites: &mut Vec<SpannedErrorSite>,
    errors: &Errors,
) -> Lowered {
    let surroundings = Surroundings {
        attributes: Some((&item.receiver, attributes)),
        generic,
        names,
        program,
        result: Type::Unit,
        example: match item.kind {
            KernelKind::Vertex => "v",
            KernelKind::Intersect => "u",
            _ => "dst",
        },
    };
    let mut lower = Lower::new(surroundings, errors);
    for (name, role) in &item.parameters {
        let ty = if *role == Role::Edge { Type::Edge } else { Type::Vertex };
        lower.bind(name, ty, false, *role);
    }
    let body = lower.block(&item.body, &stmt::Sink::Nothing);
    lower.finish(body, sites)
}

/// Returns the IR of a helper function's body.
pub(crate) fn function(
    item: &FunctionItem,
    names: &Names,
    program: &Program,
    sites: &mut Vec<SpannedErrorSite>,
    errors: &Errors,
) -> Lowered {
    let surroundings =
        Surroundings { attributes: None, generic: None, names, program, result: item.result, example: "v" };
    let mut lower = Lower::new(surroundings, errors);
    for argument in &item.arguments {
        lower.bind(&argument.name, argument.ty, argument.mutable, Role::Argument);
    }
    let body = lower.block(&item.body, &stmt::Sink::Return);
    lower.finish(body, sites)
}

/// Returns the IR of a constant's value.
pub(crate) fn constant(item: &ConstantItem, names: &Names, program: &Program, errors: &Errors) -> Expr {
    let surroundings =
        Surroundings { attributes: None, generic: None, names, program, result: Type::Unit, example: "v" };
    let mut lower = Lower::new(surroundings, errors);
    let mut value = lower.expr(&item.value);
    lower.same(item.ty, &mut value);
    let mut sites = Vec::new();
    lower.types.settle(errors);
    lower.resolve_expr(&mut value, &mut sites);
    // The compiler evaluates the user's constant, and reports an overflow.
    let divides =
        |site: &&SpannedErrorSite| matches!(site.what, ErrorWhat::DivisionByZero | ErrorWhat::RemainderByZero);
    if let Some(site) = sites.iter().find(divides) {
        errors.at(
            Code::ConstantValue,
            site.span,
            "this can fail, and a constant cannot",
            "divide by a literal that is not 0",
        );
    }
    value.walk(&mut |expr| {
        if !constant_kind(&expr.kind) {
            errors.at(
                Code::ConstantValue,
                expr.span,
                "this is no constant",
                "write literals, operators and other constants",
            );
        }
    });
    value.without_faults()
}

fn constant_kind(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Literal(_)
            | ExprKind::Unreached
            | ExprKind::Constant(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary { .. }
            | ExprKind::Cast(_)
    )
}

impl<'a> Lower<'a> {
    fn new(surroundings: Surroundings<'a>, errors: &'a Errors) -> Self {
        Self {
            surroundings,
            errors,
            types: Types::default(),
            locals: Vec::new(),
            scopes: vec![HashMap::new()],
            loops: 0,
            silent: false,
        }
    }

    /// Adds a local to the innermost scope.
    fn bind(&mut self, name: &Ident, ty: Type, mutable: bool, role: Role) -> LocalId {
        self.locals.push(Local { name: name.clone(), ty, mutable, role });
        let local = self.locals.len() - 1;
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_string(), local);
        }
        local
    }

    fn find_local(&self, name: &str) -> Option<LocalId> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    /// Requires the expression to have a type; reports an error if it has another. A vertex becomes its ID where one is
    /// expected.
    fn same(&mut self, ty: Type, expr: &mut Expr) {
        if self.types.find(ty) == Type::VERTEX_ID {
            self.vertex_as_id(expr);
        }
        if !self.types.unify(ty, expr.ty) {
            self.mismatch(ty, expr.ty, expr.span);
        }
    }

    /// Requires both sides to have one type.
    fn agree(&mut self, left: &mut Expr, right: &mut Expr) {
        if self.types.find(right.ty) == Type::VERTEX_ID {
            self.vertex_as_id(left);
        }
        self.same(left.ty, right);
    }

    fn mismatch(&self, expected: Type, found: Type, span: Span) {
        let (wanted, given) = (self.types.find(expected), self.types.find(found));
        let number = |ty: Type| ty.is_integer() || ty.is_float();
        let help = match (wanted, given) {
            (Type::Vertex, Type::Scalar(_) | Type::Open(_)) => "write `Vertex::new(x)`".to_owned(),
            (Type::Scalar(scalar), other)
                if number(wanted) && (number(other) || matches!(other, Type::VERTEX_ID | Type::Vertex)) =>
            {
                format!("convert it: `x as {scalar}`")
            }
            (Type::Scalar(scalar), Type::Open(_)) if scalar.is_float() => {
                "write the literal with a point: `1.0`".to_owned()
            }
            (Type::Open(_), Type::Scalar(scalar)) if scalar.is_float() => {
                "write the literal on the other side with a point: `1.0`".to_owned()
            }
            (Type::Open(_), Type::Scalar(scalar)) if scalar.is_integer() => {
                "write the literal on the other side without a point, or convert this: `x as f32`".to_owned()
            }
            (Type::Scalar(ScalarType::Bool), other) if number(other) => "compare it: `x != 0`".to_owned(),
            _ => format!("give it the type {}", self.types.show(expected)),
        };
        let (expected, found) = (self.types.show(expected), self.types.show(found));
        self.errors.at(Code::Mismatch, span, format!("expected {expected}, found {found}"), help);
    }

    /// Returns a placeholder for an expression whose error was recorded.
    fn nothing(&mut self, span: Span) -> Expr {
        let ty = self.types.open(Open::Anything);
        Expr { kind: ExprKind::Unreached, ty, span }
    }

    fn finish(mut self, mut body: Block, sites: &mut Vec<SpannedErrorSite>) -> Lowered {
        self.types.settle(self.errors);
        self.resolve_locals();
        self.resolve_block(&mut body, sites);
        Lowered { locals: self.locals, body }
    }

    /// Returns the scalar type of an element of an attribute.
    fn element_type(&self, element: &Element) -> Type {
        match self.surroundings.attributes {
            Some((_, attributes)) => Type::Scalar(attributes.attributes[element.attribute].scalar),
            None => Type::Unit,
        }
    }
}
