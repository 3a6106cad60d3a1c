//! The typed form of a kernel. Checks and analyses work on it, and the emitters write from it.
//!
//! A [`Kernel`] is one kernel for *one* choice of its struct's type parameter: no type in it is generic or open. Every
//! local has its own number ([`LocalId`]), which distinguishes shadowed names; names are the user's. Expressions have
//! no effects except updates; statements contain all other effects. Values computed once per visit of a source vertex
//! are stored beside the body. [`Kernel::source_filter`] is evaluated first. If it is true, [`Kernel::captures`] are
//! evaluated in order; the body refers to them as [`ExprKind::Captured`]. Filter and captures depend only on `src`,
//! have no effects and refer to no other local. Neither can fault, except that a capture may be an
//! [`ExprKind::Present`]. Vertex kernels have no filter and no captures.

mod attributes;
mod expr;
mod facts;
mod faults;
pub(crate) mod print;
mod span;
mod stmt;
mod types;
pub(crate) mod visit;

pub(crate) use attributes::{Attribute, Attributes};
pub(crate) use expr::{
    BinaryOp, Element, Expr, ExprKind, Index, Literal, MathMethod, OperationFaults, RandomForm, SumCheck, UnaryOp,
    Update, UpdateOp,
};
pub(crate) use facts::{
    Race, RacedEffect, SpannedAttributeUse, SpannedDegreeUse, SpannedErrorSite, SpannedFacts, SpannedLimit,
    SpannedSteadyRead, Unsteady,
};
pub(crate) use gts_contract::{
    Access, AttributeKind, Class, Dependence, Direction, ErrorWhat, Init, IntegerSum, KernelKind, Merge, ScalarType,
    Side, Site, SteadyRule, StepLoop, SumDirection, Technique,
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
/// Index into [`Kernel::locals`], or [`CalledFunction::locals`] within a function.
pub(crate) type LocalId = usize;
/// Index into [`Kernel::error_sites`], which functions share.
pub(crate) type SiteId = usize;

/// The role of a local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The page's own vertex.
    Src,
    /// The neighbour.
    Dst,
    /// The common neighbour found by an intersecting kernel.
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
    /// The user's name; several locals may share a name.
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) mutable: bool,
    pub(crate) role: Role,
}

/// A `#[gts_fn]` that the kernel calls, directly or through another function.
#[derive(Clone, Debug)]
pub(crate) struct CalledFunction {
    pub(crate) name: Ident,
    /// The first locals of `locals`.
    pub(crate) arguments: Vec<LocalId>,
    pub(crate) result: Type,
    pub(crate) locals: Vec<Local>,
    /// Every value is returned by a `Return`, also at the end.
    pub(crate) body: Block,
}

/// A `#[gts_const]` that the kernel uses.
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    /// Consists of literals, operators and constants with a smaller number; cannot fault.
    pub(crate) value: Expr,
}

/// A value computed once per visit of a source vertex.
#[derive(Clone, Debug)]
pub(crate) struct Capture {
    /// A readable name: the name of the captured local or attribute, or `value`; not unique.
    pub(crate) name: String,
    pub(crate) value: Expr,
}

/// A kernel, for one choice of its struct's type parameter.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) name: Ident,
    /// The name of the function in the source. The parts of a gather kernel or a priority share it.
    pub(crate) function: Ident,
    pub(crate) kind: KernelKind,
    pub(crate) direction: Direction,
    pub(crate) technique: Option<Technique>,
    pub(crate) racy: bool,
    /// Whether an intersecting kernel visits each triangle once, by ascending degree.
    pub(crate) ordered: bool,
    pub(crate) attributes: Attributes,
    /// The name of the parameter that holds the attributes, as in `bfs.level[dst]`.
    pub(crate) receiver: Ident,
    /// The parameters come first: `src`, `dst` and optionally `e`, or `v`, or those of an intersecting kernel.
    pub(crate) locals: Vec<Local>,
    /// Each function follows the functions that it calls.
    pub(crate) functions: Vec<CalledFunction>,
    pub(crate) constants: Vec<Constant>,
    /// The condition on `src` that is hoisted out of the edge loop.
    pub(crate) source_filter: Option<Expr>,
    pub(crate) captures: Vec<Capture>,
    pub(crate) body: Block,
    pub(crate) error_sites: Vec<SpannedErrorSite>,
    pub(crate) facts: SpannedFacts,
    /// The place of the kernel's name.
    pub(crate) span: Span,
}

impl Kernel {
    /// Returns an upper bound on the bytes that a source passes to its edges if the kernel pulls: its captures, and
    /// whether it passes the filter, in C's layout. 0 if there are neither.
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
        // In CUDA C a struct without members occupies a byte.
        let source = end.max(1).next_multiple_of(alignment);
        (source + usize::from(self.source_filter.is_some())).next_multiple_of(alignment)
    }

    /// Returns the local of a role that occurs once: `src`, `dst`, `v` or `e`.
    pub(crate) fn parameter(&self, role: Role) -> Option<LocalId> {
        self.locals.iter().position(|local| local.role == role)
    }
}
