//! The typed form of a kernel, on which checks and analyses work and from which the emitters write.
//!
//! A [`Kernel`] is one kernel for *one* choice of its struct's type parameter: no type is generic or open in it. Every
//! local has a number of its own ([`LocalId`]), so that shadowed names are apart; names are the user's. Expressions have
//! no effects but updates; statements carry everything else. What is found out once for each visit of a source vertex
//! stands beside the body: first [`Kernel::source_filter`] is evaluated, and where it is true, [`Kernel::captures`] in
//! order; the body refers to them as [`ExprKind::Captured`]. Filter and captures refer to `src` alone, have no effects,
//! cannot fault and refer to no local but `src`. Vertex kernels have neither.

mod attributes;
mod expr;
mod facts;
pub(crate) mod print;
mod span;
mod stmt;
mod types;
pub(crate) mod visit;

pub(crate) use attributes::{Attribute, Attributes};
pub(crate) use expr::{
    BinaryOp, DivisionFault, Element, Expr, ExprKind, Index, Literal, MathMethod, RandomForm, UnaryOp, Update, UpdateOp,
};
pub(crate) use facts::{AttributeUse, DegreeUse, ErrorSite, Facts, Limit, Race};
pub(crate) use gts_contract::{
    Access, AttributeKind, Class, Dependence, Direction, ErrorWhat, Init, KernelKind, Merge, ScalarType, Side, Site,
    StepLoop, Technique,
};
pub(crate) use span::{Location, Span};
pub(crate) use stmt::{Block, Stmt, StmtKind};
pub(crate) use types::Type;

use proc_macro2::Ident;

/// Index into [`Attributes::attributes`] and the schema.
pub(crate) type AttributeId = usize;
/// Index into [`Kernel::functions`].
pub(crate) type FunctionId = usize;
/// Index into [`Kernel::constants`].
pub(crate) type ConstantId = usize;
/// Index into [`Kernel::locals`], or [`Function::locals`] within a function.
pub(crate) type LocalId = usize;
/// Index into [`Kernel::error_sites`], which functions share.
pub(crate) type SiteId = usize;

/// What a local is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The page's own vertex.
    Src,
    /// The neighbour.
    Dst,
    /// The common neighbour that an intersecting kernel meets.
    Common,
    /// The vertex of a vertex kernel.
    V,
    /// The edge.
    Edge,
    /// A parameter of a function.
    Argument,
    /// Bound by `let` or `for`.
    Local,
}

/// A local, or a parameter.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    /// As the user wrote it; several locals may have one name.
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) mutable: bool,
    pub(crate) role: Role,
}

/// A `#[gts_fn]` that the kernel calls, itself or through another one.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: Ident,
    /// The first locals of `locals`.
    pub(crate) arguments: Vec<LocalId>,
    pub(crate) result: Type,
    pub(crate) locals: Vec<Local>,
    /// A value is given by a `Return`, also at the end.
    pub(crate) body: Block,
}

/// A `#[gts_const]` that the kernel uses.
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    /// Made of literals, operators and constants with a smaller number; cannot fault.
    pub(crate) value: Expr,
}

/// A value found out once for each visit of a source vertex.
#[derive(Clone, Debug)]
pub(crate) struct Capture {
    /// A readable name: that of the local or attribute that it holds, or `value`; not unique.
    pub(crate) name: String,
    pub(crate) value: Expr,
}

/// A kernel, for one choice of its struct's type parameter.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) name: Ident,
    pub(crate) kind: KernelKind,
    pub(crate) direction: Direction,
    pub(crate) technique: Option<Technique>,
    pub(crate) racy: bool,
    /// Of an intersecting kernel, whether degrees ascend, so that each triangle comes once.
    pub(crate) ordered: bool,
    pub(crate) attributes: Attributes,
    /// The name of the parameter that holds the attributes, as in `bfs.level[dst]`.
    pub(crate) receiver: Ident,
    /// `src`, `dst` and perhaps `e`, or `v`, or those of an intersecting kernel, come first.
    pub(crate) locals: Vec<Local>,
    /// A function stands behind those that it calls.
    pub(crate) functions: Vec<Function>,
    pub(crate) constants: Vec<Constant>,
    /// The condition on `src` alone that is taken out of the edge loop.
    pub(crate) source_filter: Option<Expr>,
    pub(crate) captures: Vec<Capture>,
    pub(crate) body: Block,
    pub(crate) error_sites: Vec<ErrorSite>,
    pub(crate) facts: Facts,
    /// Where the kernel's name stands.
    pub(crate) span: Span,
}

impl Kernel {
    /// Bytes that a source hands out where the kernel pulls, at most: its captures, and whether it passes the filter, as
    /// C lays them out. 0 where that is nothing.
    pub(crate) fn handed_bytes(&self) -> usize {
        if self.facts.gathered.is_empty() || (self.captures.is_empty() && self.source_filter.is_none()) {
            return 0;
        }
        let (mut end, mut alignment) = (0usize, 1);
        for capture in &self.captures {
            let bytes = capture.value.ty.scalar().map_or(8, |scalar| scalar.bits() as usize / 8);
            alignment = alignment.max(bytes);
            end = end.next_multiple_of(bytes) + bytes;
        }
        // C gives a struct without members a byte.
        let source = end.max(1).next_multiple_of(alignment);
        (source + usize::from(self.source_filter.is_some())).next_multiple_of(alignment)
    }

    /// The local of a role that occurs once: `src`, `dst`, `v` or `e`.
    pub(crate) fn parameter(&self, role: Role) -> Option<LocalId> {
        self.locals.iter().position(|local| local.role == role)
    }
}
