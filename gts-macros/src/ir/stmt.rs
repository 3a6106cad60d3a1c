//! Statements.

use super::{AttributeId, BinaryOp, Element, Expr, Index, LocalId, OperationFaults, SiteId, Span, UpdateOp};

/// Statements in order. A block opens a scope, but every local has its own number, so that scopes matter to emitters
/// only for names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) statements: Vec<Stmt>,
}

/// A statement and its place.
#[derive(Clone, Debug)]
pub(crate) struct Stmt {
    pub(crate) kind: StmtKind,
    pub(crate) span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
    /// `let x = init;`. Without a value if an `if` with statements in its branches computes it: assignments follow.
    Let {
        local: LocalId,
        init: Option<Expr>,
    },
    /// `x = value;`, `x[i] = value;`, `x += value;`.
    Assign {
        local: LocalId,
        index: Option<Index>,
        op: Option<BinaryOp>,
        value: Expr,
        faults: OperationFaults,
    },
    /// `a.level[dst] = value;`: a plain store.
    Store {
        element: Element,
        value: Expr,
    },
    /// `a.total += x;`, `a.histogram[i] += 1;`, `a.largest.fetch_max(x);`: into a global. `op` is the operation of the
    /// global's merge; `None` is a plain store into a global with the merge `any`.
    Accumulate {
        attribute: AttributeId,
        index: Option<Index>,
        op: Option<UpdateOp>,
        value: Expr,
        assignment: bool,
    },
    /// `activate(v);`.
    Activate(Expr),
    /// `assert!(condition)`, `assert!(condition, value)`. If the condition is false, reports the value at the site and
    /// returns from the body or function. Without a value, reports `false`.
    Assert {
        condition: Expr,
        value: Option<Expr>,
        site: SiteId,
    },
    /// `if c { .. } else { .. }`; `else if` is an `otherwise` that contains one `If`.
    If {
        condition: Expr,
        then: Block,
        otherwise: Option<Block>,
    },
    While {
        condition: Expr,
        body: Block,
    },
    Loop {
        body: Block,
    },
    /// `for i in start..end`; both are evaluated once, before the first iteration.
    For {
        local: LocalId,
        start: Expr,
        end: Expr,
        inclusive: bool,
        body: Block,
    },
    Break,
    Continue,
    /// Ends the body for this edge or vertex, or returns a function's value.
    Return(Option<Expr>),
    /// An expression evaluated for its effect: an update, or a call of a function that can report an error.
    Expr(Expr),
    /// `{ .. }`.
    Block(Block),
}
