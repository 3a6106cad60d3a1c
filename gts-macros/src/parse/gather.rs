//! The body of a gather kernel, split at its reduction.
//!
//! The part before the reduction is evaluated for the vertex. The reduction walks the vertex's neighbours. The part
//! after it is the block that runs with the result.

use super::kernel::KernelItem;
use crate::errors::{Errors, nearest};
use crate::ir::{Span, UpdateOp};
use crate::words;
use gts_contract::language::{self, Code, LanguageKind, LanguageRow, OperandTypes};
use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprCall, ExprClosure, ExprMethodCall, Local, Pat, Stmt, Type};

/// The operation that reduces the values of a vertex's neighbours to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reducer {
    Sum,
    Min,
    Max,
    Or,
    And,
    Any,
    All,
    Count,
    ArgMin,
    ArgMax,
    Mode,
}

impl Reducer {
    pub(crate) const ALL: [(Self, &'static str); 11] = [
        (Self::Sum, "sum"),
        (Self::Min, "min"),
        (Self::Max, "max"),
        (Self::Or, "or"),
        (Self::And, "and"),
        (Self::Any, "any"),
        (Self::All, "all"),
        (Self::Count, "count"),
        (Self::ArgMin, "argmin"),
        (Self::ArgMax, "argmax"),
        (Self::Mode, "mode"),
    ];

    /// Returns the name of the method in the user's source.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(other, _)| *other == self).map_or("", |(_, name)| name)
    }

    /// Returns whether the closure computes a condition.
    pub(crate) const fn asks(self) -> bool {
        matches!(self, Self::Any | Self::All | Self::Count)
    }
}

/// A gather kernel's body.
pub(crate) struct GatherBody {
    /// Guards and `let`s for the vertex.
    pub(crate) before: Vec<Stmt>,
    /// The name of the result.
    pub(crate) result: Ident,
    /// The type of the result, if the user wrote it.
    pub(crate) annotation: Option<Type>,
    pub(crate) reducer: Reducer,
    /// The place of the reducer.
    pub(crate) span: Span,
    /// The closures' name for the neighbour.
    pub(crate) neighbour: Ident,
    pub(crate) edge: Option<Ident>,
    pub(crate) filter: Option<Expr>,
    /// The expression that is reduced.
    pub(crate) value: Expr,
    /// The statements that run with the result.
    pub(crate) after: Vec<Stmt>,
}

/// Returns the help text that shows the form of a reduction.
fn form() -> String {
    format!(
        "write `let x = v.neighbors().sum(|dst| ..);`, with one of {}, and perhaps `.filter(|dst| ..)` before it",
        words::listed(reducers(), "and")
    )
}

/// Returns the names of the methods that reduce.
fn reducers() -> impl Iterator<Item = &'static str> {
    words::names(LanguageKind::Reduction).filter(|name| !PARTS.contains(name))
}

words::for_all!(Reducer::ALL, reducer => words::row(LanguageKind::Reduction, reducer.1));

/// The methods that precede the reduction in a chain.
const PARTS: [&str; 2] = words::described(LanguageKind::Reduction, ["neighbors", "filter"]);

impl GatherBody {
    /// Splits the body of a kernel. `None` if it has no valid reduction; `errors` then contains the reason.
    pub(crate) fn parse(item: &KernelItem, errors: &Errors) -> Option<Self> {
        let (vertex, _) = item.parameters.first()?;
        let statements = &item.body.stmts;
        let Some(place) = statements.iter().position(|statement| walks(statement).is_some()) else {
            errors.at(
                Code::ReductionCount,
                &item.name,
                "a gather kernel reduces the neighbours of its vertex once",
                form(),
            );
            return None;
        };
        let (before, after) = (&statements[..place], &statements[place + 1..]);
        before.iter().for_each(|statement| check_before(statement, errors));
        for second in after.iter().filter_map(walks) {
            errors.at(Code::ReductionCount, second, "a gather kernel has one reduction", "write a second kernel");
        }
        let Stmt::Local(local) = &statements[place] else {
            let walk = walks(&statements[place])?;
            errors.at(Code::ReductionForm, walk, "the reduction is the value of a `let` of the body itself", form());
            return None;
        };
        let (result, annotation) = bound(local, errors)?;
        let (reducer, filter, value) = chain(&local.init.as_ref()?.expr, vertex, errors)?;
        let closures = [filter.as_ref(), Some(&value.closure)];
        let mut neighbour = None;
        let mut edge = None;
        for closure in closures.into_iter().flatten() {
            let [first, second] = parameters(closure, errors)?;
            same(&mut neighbour, first, errors);
            same(&mut edge, second, errors);
            Effects { errors }.visit_expr(&closure.body);
        }
        Some(Self {
            before: before.to_vec(),
            result,
            annotation,
            reducer,
            span: value.span,
            neighbour: neighbour.unwrap_or_else(|| Ident::new("_neighbour", vertex.span())),
            edge,
            filter: filter.map(|closure| *closure.body),
            value: *value.closure.body,
            after: after.to_vec(),
        })
    }

    /// Returns a body without the reduction: guards and `let`s, then `rest`.
    pub(crate) fn block(&self, item: &KernelItem, rest: Vec<Stmt>) -> Block {
        let stmts = self.before.iter().cloned().chain(rest).collect();
        Block { brace_token: item.body.brace_token, stmts }
    }
}

/// A closure that reduces, and the place of its method.
struct ReductionClosure {
    closure: ExprClosure,
    span: Span,
}

/// Returns the name and the type that the reduction's `let` declares.
fn bound(local: &Local, errors: &Errors) -> Option<(Ident, Option<Type>)> {
    let (pattern, annotation) = match &local.pat {
        Pat::Type(typed) => (&*typed.pat, Some((*typed.ty).clone())),
        pattern => (pattern, None),
    };
    match pattern {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() && name.mutability.is_none() => {
            Some((name.ident.clone(), annotation))
        }
        other => {
            errors.at(
                Code::ReductionForm,
                Span::of(other),
                "the result of a reduction has a plain name",
                "write `let x = ..`",
            );
            None
        }
    }
}

/// Parses `v.neighbors().filter(..).sum(..)`, from its end.
fn chain(expr: &Expr, vertex: &Ident, errors: &Errors) -> Option<(Reducer, Option<ExprClosure>, ReductionClosure)> {
    let Some(last) = call(expr) else {
        errors.at(
            Code::ReductionForm,
            Span::of(expr),
            "nothing can be done with the reduction where it stands",
            form(),
        );
        return None;
    };
    let word = last.method.to_string();
    let Some((reducer, _)) = Reducer::ALL.into_iter().find(|(_, name)| *name == word) else {
        let help = match nearest(&word, reducers()) {
            _ if word == "neighbors" || word == "filter" => form(),
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write one of: {}", reducers().collect::<Vec<_>>().join(", ")),
        };
        errors.at(Code::UnknownReducer, &last.method, format!("`{word}` does not reduce neighbours"), help);
        return None;
    };
    let value = ReductionClosure { closure: closure(last, errors)?, span: Span::from(&last.method) };
    let mut inner = call(&last.receiver);
    let mut filter = None;
    if let Some(filtering) = inner.filter(|inner| inner.method == "filter") {
        filter = Some(closure(filtering, errors)?);
        inner = call(&filtering.receiver);
    }
    match inner {
        Some(walk) if walk.method == "neighbors" && walk.args.is_empty() => match &*walk.receiver {
            Expr::Path(path) if path.path.is_ident(vertex) => Some((reducer, filter, value)),
            other => {
                let help = format!("write `{vertex}.neighbors()`");
                errors.at(
                    Code::ReductionForm,
                    Span::of(other),
                    "a gather kernel walks the neighbours of its own vertex",
                    help,
                );
                None
            }
        },
        Some(other) if of_neighbours(&other.method.to_string()) => {
            errors.at(
                Code::ReductionForm,
                &other.method,
                format!("`{}` does not give neighbours", other.method),
                "did you mean `neighbors`?",
            );
            None
        }
        Some(other) => {
            errors.at(Code::ReductionForm, &other.method, "this cannot stand before a reduction", form());
            None
        }
        None => {
            errors.at(
                Code::ReductionForm,
                Span::of(&last.receiver),
                "a reduction begins with the neighbours of the vertex",
                form(),
            );
            None
        }
    }
}

fn call(expr: &Expr) -> Option<&ExprMethodCall> {
    match expr {
        Expr::MethodCall(call) => Some(call),
        Expr::Paren(paren) => call(&paren.expr),
        Expr::Group(group) => call(&group.expr),
        _ => None,
    }
}

/// Returns the only argument of a method, which must be a closure.
fn closure(call: &ExprMethodCall, errors: &Errors) -> Option<ExprClosure> {
    match call.args.first() {
        Some(Expr::Closure(closure)) if call.args.len() == 1 => Some(closure.clone()),
        _ => {
            let help = format!("write `{}(|dst| ..)`, or `|dst, e|` where edge values are read", call.method);
            errors.at(
                Code::ReductionClosure,
                &call.method,
                format!("`{}` takes a closure for a neighbour", call.method),
                help,
            );
            None
        }
    }
}

/// Returns the names of a closure's parameters; `None` for `_`.
fn parameters(closure: &ExprClosure, errors: &Errors) -> Option<[Option<Ident>; 2]> {
    const HELP: &str = "write `|dst| ..`, or `|dst, e| ..` where edge values are read";
    let mut names = [None, None];
    if closure.inputs.is_empty() || closure.inputs.len() > 2 {
        errors.at(
            Code::ReductionClosure,
            Span::of(closure),
            "the closure takes a neighbour, and perhaps the edge",
            HELP,
        );
        return None;
    }
    for (name, input) in names.iter_mut().zip(&closure.inputs) {
        match input {
            Pat::Ident(plain) if plain.by_ref.is_none() && plain.mutability.is_none() && plain.subpat.is_none() => {
                *name = Some(plain.ident.clone());
            }
            Pat::Wild(_) => {}
            other => {
                errors.at(Code::ReductionClosure, Span::of(other), "this parameter is a plain name", HELP);
                return None;
            }
        }
    }
    Some(names)
}

/// Checks that both closures of a chain give the neighbour the same name, which errors and generated code use.
fn same(known: &mut Option<Ident>, name: Option<Ident>, errors: &Errors) {
    match (&*known, name) {
        (Some(first), Some(second)) if *first != second => {
            errors.at(
                Code::ReductionClosure,
                &second,
                format!("the filter calls this `{first}`"),
                "give it the same name in both closures",
            );
        }
        (None, Some(name)) => *known = Some(name),
        _ => {}
    }
}

/// Checks that a statement before the reduction has no effect: it may be evaluated more than once.
fn check_before(statement: &Stmt, errors: &Errors) {
    let guard = match statement {
        Stmt::Local(_) => true,
        Stmt::Expr(Expr::If(choice), _) => {
            let leaves = |statement: &Stmt| matches!(statement, Stmt::Expr(Expr::Return(_), _));
            choice.else_branch.is_none() && matches!(choice.then_branch.stmts.as_slice(), [one] if leaves(one))
        }
        _ => false,
    };
    if !guard {
        errors.at(
            Code::BeforeReduction,
            Span::of(statement),
            "before the reduction of a gather kernel stand guards and `let`s",
            "write `if .. { return; }` or `let`, or move this behind the reduction",
        );
        return;
    }
    Effects { errors }.visit_stmt(statement);
}

/// Returns whether a method is `neighbors`, or surely meant as it.
pub(crate) fn of_neighbours(method: &str) -> bool {
    let meant = |row: &LanguageRow| row.code == Some(Code::NeighborsOutside);
    method == "neighbors" || language::lacking_method(method, OperandTypes::Vertex).is_some_and(meant)
}

/// Returns the first call of `neighbors` in a statement.
fn walks(statement: &Stmt) -> Option<&Ident> {
    struct NeighborsCall<'a>(Option<&'a Ident>);
    impl<'ast> Visit<'ast> for NeighborsCall<'ast> {
        fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
            if of_neighbours(&call.method.to_string()) {
                self.0.get_or_insert(&call.method);
            }
            visit::visit_expr_method_call(self, call);
        }
    }
    let mut found = NeighborsCall(None);
    found.visit_stmt(statement);
    found.0
}

/// Refuses effects in a part that may only compute values.
struct Effects<'a> {
    errors: &'a Errors,
}

impl Effects<'_> {
    fn refuse(&self, span: impl Into<Span>) {
        self.errors.at(
            Code::ReductionEffect,
            span,
            "what a reduction is made of changes nothing",
            "write it behind the reduction, where the block has the vertex for itself",
        );
    }
}

impl<'ast> Visit<'ast> for Effects<'_> {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if UpdateOp::ALL.iter().any(|op| call.method == op.method()) {
            self.refuse(&call.method);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if matches!(&*call.func, Expr::Path(path) if path.path.is_ident("activate")) {
            self.refuse(Span::of(&call.func));
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        self.refuse(Span::of(assign));
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        use syn::BinOp::*;
        let assigns = matches!(
            binary.op,
            AddAssign(_)
                | SubAssign(_)
                | MulAssign(_)
                | DivAssign(_)
                | RemAssign(_)
                | BitXorAssign(_)
                | BitAndAssign(_)
                | BitOrAssign(_)
                | ShlAssign(_)
                | ShrAssign(_)
        );
        if assigns {
            self.refuse(Span::of(binary));
        }
        visit::visit_expr_binary(self, binary);
    }
}
