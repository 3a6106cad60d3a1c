//! Expressions. Only [`ExprKind::Update`] and [`ExprKind::Call`]s that can fault have effects.

use super::{AttributeId, ConstantId, FunctionId, LocalId, ScalarType, SiteId, Span, Type};

/// An expression with its type and place.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) ty: Type,
    pub(crate) span: Span,
}

impl Expr {
    /// Joins two conditions by `&&` or `||`. The result has the span of the first.
    pub(crate) fn join(op: BinaryOp, left: Self, right: Self) -> Self {
        let span = left.span;
        let (left, right) = (Box::new(left), Box::new(right));
        Self { kind: ExprKind::Binary { op, left, right, faults: OperationFaults::NONE }, ty: Type::BOOL, span }
    }
}

/// The kinds of expressions. Operands are evaluated from left to right. `check::order` refuses the expressions in which
/// the order could be observed, so that an emitter to a language with another order needs no temporaries.
#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    /// A literal, typed by the expression's type.
    Literal(Literal),
    /// `UNREACHED`: the largest integer, infinity, or all ones of a stored vertex number.
    Unreached,
    /// A local or parameter, including `src`, `dst`, `v` and `e`.
    Local(LocalId),
    /// A `#[gts_const]`.
    Constant(ConstantId),
    /// `a.damping`.
    Param(AttributeId),
    /// `a.weights[i]` of an array param.
    ParamElement(AttributeId, Box<Index>),
    /// `a.level[dst]`, `a.hist[v][i]`: a `wa` or `ra` at a vertex.
    Load(Element),
    /// `a.weight[e]`.
    EdgeValue(AttributeId),
    /// The value of `Kernel::captures[i]`, computed once per visit of a source vertex.
    Captured(usize),
    /// `-x`, `!x`.
    Unary(UnaryOp, Box<Expr>, OperationFaults),
    /// `x + y` and so on; both sides have one type except for shifts.
    Binary { op: BinaryOp, left: Box<Expr>, right: Box<Expr>, faults: OperationFaults },
    /// `x as T`, saturating, NaN becomes 0; the target is the expression's type. Also `VertexId as u64`.
    Cast(Box<Expr>),
    /// Whether an operation faults: bool. The operation is a `Unary`, `Binary` or `Math` without error sites. Has no
    /// form in the user's source.
    Faults(Box<Expr>),
    /// A value that arithmetic requires of the active vertex `src`. If the value is `UNREACHED`, reports an error at
    /// the site and yields 1. Has no form in the user's source.
    Present(Box<Expr>, SiteId),
    /// A float that is stored or merged. In checked mode, reports an error at the site if the float is NaN. Has no form
    /// in the user's source.
    Number(Box<Expr>, SiteId),
    /// A call of a `#[gts_fn]`.
    Call(FunctionId, Vec<Expr>),
    /// A method of a scalar, with the receiver first. Only `abs` of an integer can fault.
    Math(MathMethod, Vec<Expr>, OperationFaults),
    /// `step()`: u32.
    Step,
    /// `num_vertices()`: u64.
    NumVertices,
    /// `num_edges()`: u64.
    NumEdges,
    /// `random(key, draw)` and its other forms: two numbers for the key, the draw, and for `Below` a bound, all u64.
    Random(RandomForm, Vec<Expr>),
    /// `e.position()`: u64, the edge's position in the list of `src`.
    Position,
    /// `v.out_degree()`: u64.
    OutDegree(Box<Expr>),
    /// `v.in_degree()`: u64.
    InDegree(Box<Expr>),
    /// `v.id()`: VertexId.
    VertexId(Box<Expr>),
    /// `Vertex::new(x)`, `x` of type u64 or VertexId. A number outside the graph is reported at the site, and vertex 0
    /// is used instead.
    NewVertex(Box<Expr>, SiteId),
    /// An atomic update of a `wa`; the value is the one before it. `a.next[dst] += x` is an update used as a statement.
    Update(Box<Update>),
    /// `if c { x } else { y }` as a value; exactly one side is evaluated.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `[x, y, z]`.
    Array(Vec<Expr>),
    /// `[x; N]`; the length is the type's.
    Repeat(Box<Expr>),
    /// `local[i]` of an array.
    ArrayElement(LocalId, Box<Index>),
}

/// The value of a literal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    /// An integer. Negative ones result from constants such as `i32::MIN`; otherwise `-` is an operator.
    Int(i128),
    /// A float as text for Rust's `str::parse`, including `inf`; to be parsed as the expression's type.
    Float(String),
    Bool(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Neg,
    Not,
}

impl UnaryOp {
    pub(crate) const fn symbol(self) -> &'static str {
        match self {
            Self::Neg => "-",
            Self::Not => "!",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    /// `&&`, evaluates its right side only if the left side is true.
    And,
    /// `||`, evaluates its right side only if the left side is false.
    Or,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryOp {
    pub(crate) const ALL: [Self; 18] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Rem,
        Self::BitAnd,
        Self::BitOr,
        Self::BitXor,
        Self::Shl,
        Self::Shr,
        Self::And,
        Self::Or,
        Self::Eq,
        Self::Ne,
        Self::Lt,
        Self::Le,
        Self::Gt,
        Self::Ge,
    ];

    pub(crate) const fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::And => "&&",
            Self::Or => "||",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }

    /// Returns whether the result is a bool for all types of operands.
    pub(crate) const fn compares(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }

    /// Returns the comparison with its sides exchanged.
    pub(crate) const fn mirrored(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
            other => other,
        }
    }

    /// Returns the negated comparison, for values other than NaN.
    pub(crate) const fn contrary(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Lt => Self::Ge,
            Self::Le => Self::Gt,
            Self::Gt => Self::Le,
            Self::Ge => Self::Lt,
            other => other,
        }
    }

    /// Returns the operator's precedence in Rust; a larger number binds tighter.
    pub(crate) const fn precedence(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge => 3,
            Self::BitOr => 4,
            Self::BitXor => 5,
            Self::BitAnd => 6,
            Self::Shl | Self::Shr => 7,
            Self::Add | Self::Sub => 8,
            Self::Mul | Self::Div | Self::Rem => 9,
        }
    }
}

/// The error sites of an integer operation. After an error, the result wraps; an undefined quotient or remainder is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OperationFaults {
    /// The site for a divisor of 0.
    pub(crate) zero: Option<SiteId>,
    /// The site for a result that the type cannot hold, or for a shift by the width or more.
    pub(crate) overflow: Option<SiteId>,
}

impl OperationFaults {
    /// The faults of an operation that cannot fault.
    pub(crate) const NONE: Self = Self { zero: None, overflow: None };

    /// Returns whether the operation can fault.
    pub(crate) const fn any(self) -> bool {
        self.zero.is_some() || self.overflow.is_some()
    }

    /// Returns the site arguments of a checked operation. A division has two. If only one of its errors is possible,
    /// both arguments are that error's site.
    pub(crate) fn sites(self, divides: bool) -> impl Iterator<Item = SiteId> {
        let first = if divides { self.zero } else { None };
        let sites = divides.then(|| first.or(self.overflow)).into_iter().chain([self.overflow.or(first)]);
        sites.map(Option::unwrap_or_default)
    }

    pub(super) fn sites_mut(&mut self) -> impl Iterator<Item = &mut SiteId> {
        self.zero.iter_mut().chain(&mut self.overflow)
    }
}

/// An index into an array, with its error site. An index out of range selects element 0.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    /// The index, of any integer type; a negative index is out of range.
    pub(crate) value: Expr,
    /// The number of elements.
    pub(crate) length: u32,
    /// The error site; `None` if the index is known to be in range.
    pub(crate) site: Option<SiteId>,
}

/// One element of a `wa` or `ra`.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) attribute: AttributeId,
    /// Of type `Vertex`.
    pub(crate) vertex: Box<Expr>,
    /// The index into an array attribute.
    pub(crate) index: Option<Box<Index>>,
}

/// An atomic update.
#[derive(Clone, Debug)]
pub(crate) struct Update {
    pub(crate) op: UpdateOp,
    pub(crate) element: Element,
    /// The operand; `(current, new)` of a `compare_exchange`.
    pub(crate) operands: Vec<Expr>,
    /// Whether the user wrote an assignment such as `x += y`, not a method.
    pub(crate) assignment: bool,
    /// The check of an integer sum or difference. `None` for other updates, and for sums that wrap around.
    pub(crate) sum: Option<SumCheck>,
}

/// The check that an integer attribute can hold the result of an addition or subtraction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SumCheck {
    pub(crate) site: SiteId,
    /// The least and the largest term; `None` before the range analysis, or if it finds no bounds.
    pub(crate) term: Option<(i128, i128)>,
}

/// The operation of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum UpdateOp {
    Add,
    Sub,
    /// Floats compare as ordered integers; NaN loses, -0.0 < +0.0.
    Min,
    Max,
    And,
    Or,
    Xor,
    Swap,
    /// Compares bits.
    CompareExchange,
    /// Counts a value among those of its vertex, for `mode`; has no form in the user's source.
    Tally,
}

impl UpdateOp {
    pub(crate) const ALL: [Self; 9] =
        [Self::Add, Self::Sub, Self::Min, Self::Max, Self::And, Self::Or, Self::Xor, Self::Swap, Self::CompareExchange];

    /// Returns the name of the method in the user's source.
    pub(crate) const fn method(self) -> &'static str {
        match self {
            Self::Add => "fetch_add",
            Self::Sub => "fetch_sub",
            Self::Min => "fetch_min",
            Self::Max => "fetch_max",
            Self::And => "fetch_and",
            Self::Or => "fetch_or",
            Self::Xor => "fetch_xor",
            Self::Swap => "swap",
            Self::CompareExchange => "compare_exchange",
            Self::Tally => "tally",
        }
    }

    /// Returns the assignment operator of the same operation.
    pub(crate) const fn assignment(self) -> Option<&'static str> {
        match self {
            Self::Add => Some("+="),
            Self::Sub => Some("-="),
            Self::And => Some("&="),
            Self::Or => Some("|="),
            Self::Xor => Some("^="),
            _ => None,
        }
    }
}

/// The conversion of 64 random bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RandomForm {
    /// The bits: u64.
    Bits,
    /// A number from 0 to below 1: f32.
    F32,
    /// The same: f64.
    F64,
    /// An integer from 0 to below a bound: u64.
    Below,
}

impl RandomForm {
    pub(crate) const ALL: [Self; 4] = [Self::Bits, Self::F32, Self::F64, Self::Below];

    /// Returns the name of the function in the user's source, in the context and in the prelude.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Bits => "random",
            Self::F32 => "random_f32",
            Self::F64 => "random_f64",
            Self::Below => "random_below",
        }
    }

    /// Returns the type of the value.
    pub(crate) const fn ty(self) -> Type {
        match self {
            Self::Bits | Self::Below => Type::U64,
            Self::F32 => Type::Scalar(ScalarType::F32),
            Self::F64 => Type::Scalar(ScalarType::F64),
        }
    }
}

/// Methods of scalars, with the semantics of Rust's methods of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MathMethod {
    Sqrt,
    Exp,
    Ln,
    Powf,
    Powi,
    Sin,
    Cos,
    Abs,
    Floor,
    Ceil,
    /// For floats as `f32::min`: a NaN gives the other operand.
    Min,
    Max,
    CountOnes,
    LeadingZeros,
    TrailingZeros,
    WrappingAdd,
    WrappingSub,
    WrappingMul,
    WrappingNeg,
    WrappingShl,
    WrappingShr,
    SaturatingAdd,
    SaturatingSub,
    SaturatingMul,
    IsNan,
}

impl MathMethod {
    pub(crate) const ALL: [Self; 25] = [
        Self::Sqrt,
        Self::Exp,
        Self::Ln,
        Self::Powf,
        Self::Powi,
        Self::Sin,
        Self::Cos,
        Self::Abs,
        Self::Floor,
        Self::Ceil,
        Self::Min,
        Self::Max,
        Self::CountOnes,
        Self::LeadingZeros,
        Self::TrailingZeros,
        Self::WrappingAdd,
        Self::WrappingSub,
        Self::WrappingMul,
        Self::WrappingNeg,
        Self::WrappingShl,
        Self::WrappingShr,
        Self::SaturatingAdd,
        Self::SaturatingSub,
        Self::SaturatingMul,
        Self::IsNan,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sqrt => "sqrt",
            Self::Exp => "exp",
            Self::Ln => "ln",
            Self::Powf => "powf",
            Self::Powi => "powi",
            Self::Sin => "sin",
            Self::Cos => "cos",
            Self::Abs => "abs",
            Self::Floor => "floor",
            Self::Ceil => "ceil",
            Self::Min => "min",
            Self::Max => "max",
            Self::CountOnes => "count_ones",
            Self::LeadingZeros => "leading_zeros",
            Self::TrailingZeros => "trailing_zeros",
            Self::WrappingAdd => "wrapping_add",
            Self::WrappingSub => "wrapping_sub",
            Self::WrappingMul => "wrapping_mul",
            Self::WrappingNeg => "wrapping_neg",
            Self::WrappingShl => "wrapping_shl",
            Self::WrappingShr => "wrapping_shr",
            Self::SaturatingAdd => "saturating_add",
            Self::SaturatingSub => "saturating_sub",
            Self::SaturatingMul => "saturating_mul",
            Self::IsNan => "is_nan",
        }
    }

    /// Returns whether the last bits may differ between devices.
    pub(crate) const fn approximate(self) -> bool {
        matches!(self, Self::Exp | Self::Ln | Self::Powf | Self::Powi | Self::Sin | Self::Cos)
    }
}
