//! Vertices as values: as IDs, as numbers, and made from numbers.

use super::{Lower, Open};
use crate::check::names;
use crate::ir::{BinaryOp, Expr, ExprKind, ScalarType, Span, Type};
use gts_contract::language::Code;
use quote::ToTokens;
use syn::{Expr as Syntax, Member};

impl Lower<'_> {
    /// Replaces a vertex by its ID; leaves other expressions as they are.
    pub(super) fn vertex_as_id(&mut self, expr: &mut Expr) {
        if self.types.find(expr.ty) == Type::Vertex {
            let vertex = self.nothing(expr.span);
            let vertex = Box::new(std::mem::replace(expr, vertex));
            *expr = Expr { span: vertex.span, kind: ExprKind::VertexId(vertex), ty: Type::VERTEX_ID };
        }
    }

    pub(super) fn new_vertex(&mut self, number: Option<Expr>, span: Span) -> Expr {
        let Some(mut number) = number else { return self.nothing(span) };
        if self.types.state(number.ty) == Some(Open::Integer) {
            self.types.unify(number.ty, Type::U64);
        }
        number = match self.types.find(number.ty) {
            Type::Scalar(ScalarType::U64 | ScalarType::VertexId) => number,
            Type::Scalar(scalar) if scalar.is_integer() => {
                let span = number.span;
                Expr { kind: ExprKind::Cast(Box::new(number)), ty: Type::U64, span }
            }
            found => {
                let shown = self.types.show(found);
                self.errors.at(
                    Code::VertexFromNumber,
                    number.span,
                    format!("a vertex is made from its number, and this is {shown}"),
                    "write an integer or a VertexId",
                );
                number
            }
        };
        // The site's number is assigned after inference.
        Expr { kind: ExprKind::NewVertex(Box::new(number), 0), ty: Type::Vertex, span }
    }

    /// Reports a vertex beside a number, or in arithmetic. Returns whether it is reported.
    pub(super) fn vertex_as_number(
        &self,
        op: BinaryOp,
        left: (&Expr, &Syntax),
        right: (&Expr, &Syntax),
        span: Span,
    ) -> bool {
        let is_vertex = |expr: &Expr| matches!(self.types.find(expr.ty), Type::Vertex | Type::VERTEX_ID);
        let first = is_vertex(left.0);
        let ((vertex, syntax), (other, beside)) = if first { (left, right) } else { (right, left) };
        if !is_vertex(vertex) {
            return false;
        }
        let op = if first { op } else { op.mirrored() };
        let (shown, symbol) = (self.types.show(vertex.ty), op.symbol());
        let number = match op {
            // `v as u64 < 3` would be the start of a list of types.
            BinaryOp::Lt | BinaryOp::Shl => format!("({} as u64)", place_text(syntax)),
            _ => format!("{} as u64", place_text(syntax)),
        };
        let formula = format!("{number} {symbol} {}", operand_text(beside));
        let given = self.types.find(other.ty);
        let state = self.types.state(other.ty);
        match op {
            _ if op.compares() => {
                let is_number =
                    given.is_integer() || given.is_float() || matches!(state, Some(Open::Integer | Open::Float));
                if is_number {
                    let what = format!("{shown} is compared with {}", self.types.show(given));
                    self.errors.at(Code::VertexAsNumber, span, what, format!("compare its number: `{formula}`"));
                }
                is_number
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::And | BinaryOp::Or => false,
            _ => {
                let known = state != Some(Open::Anything);
                if known {
                    let help =
                        format!("compute with its number: `{formula}`; `Vertex::new(..)` is the vertex of a number");
                    self.errors.at(
                        Code::VertexAsNumber,
                        vertex.span,
                        format!("`{symbol}` works on a number, and this is {shown}"),
                        help,
                    );
                }
                known
            }
        }
    }
}

/// Returns the text of a vertex in a suggestion.
fn place_text(vertex: &Syntax) -> String {
    match vertex {
        Syntax::Path(path) => names::text(&path.path),
        Syntax::MethodCall(call) if call.method == "id" => place_text(&call.receiver),
        Syntax::Index(index) => format!("{}[{}]", place_text(&index.expr), place_text(&index.index)),
        Syntax::Field(field) => match &field.member {
            Member::Named(name) => format!("{}.{name}", place_text(&field.base)),
            Member::Unnamed(_) => "x".to_owned(),
        },
        Syntax::Paren(paren) => place_text(&paren.expr),
        Syntax::Group(group) => place_text(&group.expr),
        _ => "x".to_owned(),
    }
}

/// Returns the text of the other operand in a suggestion.
fn operand_text(operand: &Syntax) -> String {
    match operand {
        Syntax::Lit(literal) => literal.lit.to_token_stream().to_string(),
        Syntax::Path(path) => names::text(&path.path),
        _ => "..".to_owned(),
    }
}
