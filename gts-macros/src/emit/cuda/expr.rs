//! Expressions in CUDA C.

use super::scope::Scope;
use super::types;
use crate::ir::{
    AttributeKind, BinaryOp, Element, Expr, ExprKind, Index, Literal, MathMethod, OperationFaults, ScalarType, Type,
    UnaryOp, Update, UpdateOp,
};

/// The precedence of expressions in C++. A larger number binds more tightly.
mod binds {
    pub(super) const SELECT: u8 = 0;
    pub(super) const UNARY: u8 = 20;
    pub(super) const ATOM: u8 = 30;
}

/// Returns the precedence of an operator in C++. Unlike in Rust, comparisons bind more tightly than `&`, `^` and `|`.
const fn precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::BitOr => 3,
        BinaryOp::BitXor => 4,
        BinaryOp::BitAnd => 5,
        BinaryOp::Eq | BinaryOp::Ne => 6,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 7,
        BinaryOp::Shl | BinaryOp::Shr => 8,
        BinaryOp::Add | BinaryOp::Sub => 9,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 10,
    }
}

impl Scope<'_> {
    /// Returns the text of an expression.
    pub(super) fn expr(&self, expr: &Expr) -> String {
        self.put(expr, 0)
    }

    /// Returns the text of an expression, with parentheses if its precedence is lower than `outer`.
    fn put(&self, expr: &Expr, outer: u8) -> String {
        let (text, bound) = self.parts(expr);
        if bound < outer { format!("({text})") } else { text }
    }

    fn parts(&self, expr: &Expr) -> (String, u8) {
        let atom = |text: String| (text, binds::ATOM);
        match &expr.kind {
            ExprKind::Literal(literal) => {
                let text = types::literal(literal, expr.ty.scalar().unwrap_or(ScalarType::Bool));
                let signed = text.starts_with(['-', '(']);
                (text, if signed { binds::UNARY } else { binds::ATOM })
            }
            ExprKind::Unreached => atom(format!("gts_unreached<{}>()", types::name(expr.ty))),
            ExprKind::Local(local) => atom(self.locals[*local].clone()),
            ExprKind::Constant(constant) => atom(format!("{}()", self.names.constants[*constant])),
            ExprKind::Param(attribute) => atom(match expr.ty {
                Type::Array(of, length) => {
                    format!("gts_load_array<{}, {length}>({})", types::scalar(of), self.names.field(*attribute))
                }
                _ => self.names.field(*attribute),
            }),
            ExprKind::ParamElement(attribute, index) => {
                atom(format!("gts_load({} + {})", self.names.field(*attribute), self.index(index)))
            }
            ExprKind::Load(element) => atom(self.load(element)),
            ExprKind::EdgeValue(_) => atom(self.edge.clone()),
            ExprKind::Captured(index) => atom(format!("gts_source.{}", self.names.captures[*index])),
            ExprKind::Unary(op, x, faults) => self.unary(*op, x, *faults),
            ExprKind::Binary { op, left, right, faults } if faults.any() => {
                let amount = if matches!(op, BinaryOp::Shl | BinaryOp::Shr) { "(u64)" } else { "" };
                let bound = if amount.is_empty() { 0 } else { binds::UNARY };
                let operands = format!("{}, {amount}{}", self.expr(left), self.put(right, bound));
                atom(checked(operation(*op), left.ty, *faults, &operands))
            }
            ExprKind::Binary { op, left, right, .. } => self.binary(*op, left, right, expr.ty),
            ExprKind::Cast(x) => self.cast(x, expr.ty),
            ExprKind::Faults(operation) => atom(self.overflows(operation)),
            ExprKind::Present(value, site) => atom(format!("gts_present(gts, gts_at, {site}u, {})", self.expr(value))),
            ExprKind::Number(value, site) => atom(format!("gts_number(gts, gts_at, {site}u, {})", self.expr(value))),
            ExprKind::Call(function, arguments) => {
                atom(format!("{}({})", self.names.functions[*function], self.list(arguments)))
            }
            ExprKind::Math(_, operands, faults) if faults.any() => {
                atom(checked("gts_absolute", expr.ty, *faults, &self.list(operands)))
            }
            ExprKind::Math(method, operands, _) => self.math(*method, operands, expr.ty),
            ExprKind::Step => ("(u32)gts.step".to_owned(), binds::UNARY),
            ExprKind::NumVertices => atom("gts.num_vertices".to_owned()),
            ExprKind::NumEdges => atom("gts.num_edges".to_owned()),
            ExprKind::Position => atom("gts_position".to_owned()),
            ExprKind::Random(form, operands) => atom(format!("gts_{}(gts, {})", form.name(), self.list(operands))),
            ExprKind::OutDegree(v) => atom(format!("gts_out_degree(gts, {})", self.expr(v))),
            ExprKind::InDegree(v) => atom(format!("gts_in_degree(gts, {})", self.expr(v))),
            ExprKind::VertexId(v) => self.parts(v),
            ExprKind::NewVertex(x, site) => {
                let number =
                    if x.ty == Type::VERTEX_ID { format!("gts_widen({})", self.expr(x)) } else { self.expr(x) };
                atom(format!("gts_make_vertex(gts, gts_at, {site}u, {number})"))
            }
            ExprKind::Update(update) => atom(self.update(update)),
            ExprKind::Select(condition, x, y) => {
                let side = |x: &Expr| self.put(x, binds::SELECT + 1);
                (format!("{} ? {} : {}", side(condition), side(x), side(y)), binds::SELECT)
            }
            ExprKind::Array(list) => atom(format!("{}{{{{{}}}}}", types::name(expr.ty), self.list(list))),
            ExprKind::Repeat(x) => atom(format!("{}::filled({})", types::name(expr.ty), self.expr(x))),
            ExprKind::ArrayElement(local, index) => atom(format!("{}[{}]", self.locals[*local], self.index(index))),
        }
    }

    fn list(&self, list: &[Expr]) -> String {
        list.iter().map(|x| self.expr(x)).collect::<Vec<_>>().join(", ")
    }

    fn unary(&self, op: UnaryOp, x: &Expr, faults: OperationFaults) -> (String, u8) {
        let operand = self.put(x, binds::UNARY);
        match (op, x.ty.scalar()) {
            // The absolute value of the smallest integer does not fit into the type.
            (UnaryOp::Neg, Some(of)) if let ExprKind::Literal(Literal::Int(value)) = x.kind => {
                (types::literal(&Literal::Int(-value), of), binds::UNARY)
            }
            (UnaryOp::Neg, _) if faults.any() => (checked("gts_negated", x.ty, faults, &self.expr(x)), binds::ATOM),
            (UnaryOp::Neg, Some(of)) if of.is_integer() => (format!("gts_neg({})", self.expr(x)), binds::ATOM),
            (UnaryOp::Neg, _) => (format!("-{operand}"), binds::UNARY),
            (UnaryOp::Not, Some(ScalarType::Bool)) => (format!("!{operand}"), binds::UNARY),
            (UnaryOp::Not, _) => narrowed(format!("~{operand}"), binds::UNARY, x.ty),
        }
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr, ty: Type) -> (String, u8) {
        let call = |function: &str| (format!("{function}({}, {})", self.expr(left), self.expr(right)), binds::ATOM);
        let signed = left.ty.scalar().is_some_and(ScalarType::is_signed);
        match op {
            BinaryOp::Add if signed => call("gts_add"),
            BinaryOp::Sub if signed => call("gts_sub"),
            BinaryOp::Mul if signed => call("gts_mul"),
            // Copies of a condition divide without a check, and are ignored if the division faults.
            BinaryOp::Div if left.ty.is_integer() && !is_literal(right) => call("gts_total_div"),
            BinaryOp::Rem if left.ty.is_integer() && !is_literal(right) => call("gts_total_rem"),
            BinaryOp::Rem if left.ty == Type::Scalar(ScalarType::F32) => call("::fmodf"),
            BinaryOp::Rem if left.ty.is_float() => call("::fmod"),
            BinaryOp::Shl | BinaryOp::Shr if !self.plain_shift(op, left, right) => {
                let function = if op == BinaryOp::Shl { "gts_shl" } else { "gts_shr" };
                (format!("{function}({}, (u32){})", self.expr(left), self.put(right, binds::UNARY)), binds::ATOM)
            }
            _ => {
                let bound = precedence(op);
                // Parentheses avoid compiler warnings about `&&` in `||`, `&` in `|` and sums in shifts.
                let side = |x: &Expr, own: u8| match &x.kind {
                    ExprKind::Binary { op: inner, .. } if *inner != op && precedence(*inner) < 9 && bound < 9 => {
                        if inner.compares() && matches!(op, BinaryOp::And | BinaryOp::Or) {
                            self.put(x, own)
                        } else {
                            self.put(x, binds::UNARY)
                        }
                    }
                    _ => self.put(x, own),
                };
                let text = format!("{} {} {}", side(left, bound), op.symbol(), side(right, bound + 1));
                narrowed(text, bound, ty)
            }
        }
    }

    /// Returns the condition that an operation faults.
    fn overflows(&self, operation: &Expr) -> String {
        let (name, operands) = match &operation.kind {
            ExprKind::Binary { op, left, right, .. } => {
                let amount = if matches!(op, BinaryOp::Shl | BinaryOp::Shr) { "(u64)" } else { "" };
                (faulting(*op), format!("{}, {amount}({})", self.expr(left), self.expr(right)))
            }
            ExprKind::Math(_, operands, _) => ("gts_is_smallest", self.list(operands)),
            ExprKind::Unary(_, operand, _) => ("gts_is_smallest", self.expr(operand)),
            _ => return "false".to_owned(),
        };
        format!("{name}({operands})")
    }

    /// Returns whether the shift operator of C++ gives the same result. This is the case for unsigned words that are
    /// shifted by a literal less than the width.
    fn plain_shift(&self, op: BinaryOp, left: &Expr, right: &Expr) -> bool {
        let Some(of @ (ScalarType::U32 | ScalarType::U64)) = left.ty.scalar() else { return false };
        let literal = match &right.kind {
            ExprKind::Literal(Literal::Int(amount)) => *amount,
            _ => return false,
        };
        matches!(op, BinaryOp::Shl | BinaryOp::Shr) && (0..i128::from(of.bits())).contains(&literal)
    }

    fn cast(&self, x: &Expr, ty: Type) -> (String, u8) {
        let target = types::name(ty);
        match (x.ty.scalar(), ty.scalar()) {
            (Some(from), Some(to)) if from.is_float() && to.is_integer() => {
                (format!("gts_to_{target}({})", self.expr(x)), binds::ATOM)
            }
            (Some(ScalarType::VertexId), Some(ScalarType::U64)) => {
                (format!("gts_widen({})", self.expr(x)), binds::ATOM)
            }
            (Some(ScalarType::VertexId), Some(to)) if to != ScalarType::VertexId => {
                (format!("({target})gts_widen({})", self.expr(x)), binds::UNARY)
            }
            _ => (format!("({target}){}", self.put(x, binds::UNARY)), binds::UNARY),
        }
    }

    fn math(&self, method: MathMethod, operands: &[Expr], ty: Type) -> (String, u8) {
        let receiver = operands.first().map_or(Type::Unit, |x| x.ty);
        // C functions on f32 have the suffix `f`. The leading colons bypass a user's function with the same name.
        let of_floats = |name: &str| {
            let ending = if receiver == Type::Scalar(ScalarType::F32) { "f" } else { "" };
            format!("::{name}{ending}")
        };
        let function = match method {
            MathMethod::Sqrt => of_floats("sqrt"),
            MathMethod::Exp => of_floats("exp"),
            MathMethod::Ln => of_floats("log"),
            MathMethod::Powf => of_floats("pow"),
            MathMethod::Powi => {
                let (base, power) = (self.expr(&operands[0]), self.put(&operands[1], binds::UNARY));
                return (format!("{}({base}, ({}){power})", of_floats("pow"), types::name(ty)), binds::ATOM);
            }
            MathMethod::Sin => of_floats("sin"),
            MathMethod::Cos => of_floats("cos"),
            MathMethod::Floor => of_floats("floor"),
            MathMethod::Ceil => of_floats("ceil"),
            MathMethod::Abs if receiver.is_float() => of_floats("fabs"),
            MathMethod::Abs => "gts_abs".to_owned(),
            MathMethod::Min => "gts_min".to_owned(),
            MathMethod::Max => "gts_max".to_owned(),
            MathMethod::CountOnes => "gts_count_ones".to_owned(),
            MathMethod::LeadingZeros => "gts_leading_zeros".to_owned(),
            MathMethod::TrailingZeros => "gts_trailing_zeros".to_owned(),
            MathMethod::WrappingAdd => "gts_add".to_owned(),
            MathMethod::WrappingSub => "gts_sub".to_owned(),
            MathMethod::WrappingMul => "gts_mul".to_owned(),
            MathMethod::WrappingNeg => "gts_neg".to_owned(),
            MathMethod::WrappingShl => "gts_shl".to_owned(),
            MathMethod::WrappingShr => "gts_shr".to_owned(),
            MathMethod::SaturatingAdd => "gts_saturating_add".to_owned(),
            MathMethod::SaturatingSub => "gts_saturating_sub".to_owned(),
            MathMethod::SaturatingMul => "gts_saturating_mul".to_owned(),
            MathMethod::IsNan => "gts_is_nan".to_owned(),
        };
        (format!("{function}({})", self.list(operands)), binds::ATOM)
    }

    /// Returns the text of an index, with a check if the index may be out of range.
    pub(super) fn index(&self, index: &Index) -> String {
        match index.site {
            Some(site) => {
                let value = self.put(&index.value, binds::UNARY);
                format!("gts_index(gts, gts_at, {site}u, (u64){value}, {}u)", index.length)
            }
            None => self.expr(&index.value),
        }
    }

    /// Returns the offset of an element in the attribute's memory, and the precedence of the text.
    fn offset(&self, element: &Element) -> (String, u8) {
        match &element.index {
            None => self.parts(&element.vertex),
            Some(index) => {
                let vertex = self.put(&element.vertex, binds::UNARY);
                (format!("(u64){vertex} * {}u + {}", index.length, self.index(index)), precedence(BinaryOp::Add))
            }
        }
    }

    /// Returns the text of an element's address.
    fn address(&self, element: &Element) -> String {
        let (offset, bound) = self.offset(element);
        let field = self.names.field(element.attribute);
        if bound <= precedence(BinaryOp::Add) { format!("{field} + ({offset})") } else { format!("{field} + {offset}") }
    }

    /// Returns the element as an lvalue, for stores.
    pub(super) fn place(&self, element: &Element) -> String {
        format!("{}[{}]", self.names.field(element.attribute), self.offset(element).0)
    }

    /// Returns the text that loads an element. Uses the read-only cache if the kernel never writes the attribute.
    fn load(&self, element: &Element) -> String {
        let field = self.names.field(element.attribute);
        if let (Some(before), false) = (self.names.before(element.attribute), self.is_target(&element.vertex)) {
            let vertex = self.expr(&element.vertex);
            format!("gts_known(gts, {field}, {before}, {vertex})[{}]", self.offset(element).0)
        } else if self.names.written[element.attribute] {
            self.place(element)
        } else {
            format!("gts_load({})", self.address(element))
        }
    }

    fn update(&self, update: &Update) -> String {
        if let Some(register) = self.register(update.element.attribute) {
            let method = match update.op {
                UpdateOp::Add => "add",
                UpdateOp::Sub => "sub",
                _ => "merge",
            };
            let index = update.element.index.as_ref().map_or_else(|| "0u".to_owned(), |index| self.index(index));
            return format!("{register}.{method}({index}, {})", self.list(&update.operands));
        }
        let function = match update.op {
            UpdateOp::Add => "gts_fetch_add",
            UpdateOp::Sub => "gts_fetch_sub",
            UpdateOp::Min => "gts_fetch_min",
            UpdateOp::Max => "gts_fetch_max",
            UpdateOp::And => "gts_fetch_and",
            UpdateOp::Or => "gts_fetch_or",
            UpdateOp::Xor => "gts_fetch_xor",
            UpdateOp::Swap => "gts_swap",
            UpdateOp::CompareExchange => "gts_compare_exchange",
            UpdateOp::Tally => {
                let vertex = self.expr(&update.element.vertex);
                return format!("gts_tally(gts, {vertex}, {})", self.list(&update.operands));
            }
        };
        if matches!(self.kernel.attributes.attributes[update.element.attribute].kind, AttributeKind::EdgeWa { .. }) {
            let (share, value) = (self.names.share(update.element.attribute), self.list(&update.operands));
            let value = match update.op {
                UpdateOp::Sub => self.negated(&value, update.element.attribute),
                _ => value,
            };
            return format!("{share}.merge({value})");
        }
        let operands = format!("{}, {}", self.address(&update.element), self.list(&update.operands));
        match update.sum.zip(self.checked_sum(update.element.attribute)) {
            Some((check, (_, direction))) => {
                let adds = update.op == UpdateOp::Add;
                format!("gts_checked_sum<{adds}, {direction}>(gts, gts_at, {}u, {operands})", check.site)
            }
            None => format!("{function}({operands})"),
        }
    }
}

fn is_literal(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Literal(_))
}

/// Returns the function of the prelude for an operation that can fault.
fn operation(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Sub => "gts_minus",
        BinaryOp::Mul => "gts_times",
        BinaryOp::Div => "gts_div",
        BinaryOp::Rem => "gts_rem",
        BinaryOp::Shl => "gts_shifted_left",
        BinaryOp::Shr => "gts_shifted_right",
        _ => "gts_plus",
    }
}

/// Returns the function of the prelude that tests whether an operation faults.
fn faulting(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Sub => "gts_sub_overflows",
        BinaryOp::Mul => "gts_mul_overflows",
        BinaryOp::Div | BinaryOp::Rem => "gts_div_faults",
        BinaryOp::Shl | BinaryOp::Shr => "gts_shift_faults",
        _ => "gts_add_overflows",
    }
}

/// Returns the call of a function that reports an error if the operation faults. `ty` is the type of the first operand.
fn checked(function: &str, ty: Type, faults: OperationFaults, operands: &str) -> String {
    let sites = faults.sites(matches!(function, "gts_div" | "gts_rem"));
    let sites: Vec<String> = sites.map(|site| format!("{site}u")).collect();
    format!("{function}<{}>(gts, gts_at, {}, {operands})", types::name(ty), sites.join(", "))
}

/// Truncates a result to its type, because C++ computes with 8-bit and 16-bit operands as `int`.
fn narrowed(text: String, bound: u8, ty: Type) -> (String, u8) {
    match ty {
        Type::Scalar(of @ (ScalarType::U8 | ScalarType::U16)) => {
            (format!("({})({text})", types::scalar(of)), binds::UNARY)
        }
        _ => (text, bound),
    }
}
