//! Random numbers: the composition of a key.

use super::{Lower, Open};
use crate::ir::{Expr, ExprKind, Literal, RandomForm, Role, ScalarType, Span, Type};
use gts_contract::language::Code;

/// The second number of a vertex's key, which no neighbour's number equals.
const OF_VERTEX: i128 = u64::MAX as i128;
/// The second number of the key of a plain number.
const OF_NUMBER: i128 = u64::MAX as i128 - 1;

impl Lower<'_> {
    /// Lowers a call of `random` or one of its other forms.
    pub(super) fn random(&mut self, form: RandomForm, arguments: Vec<Expr>, span: Span) -> Expr {
        let expected = if form == RandomForm::Below { 3 } else { 2 };
        if !self.count(form.name(), expected, arguments.len(), span) {
            return self.nothing(span);
        }
        let mut arguments = arguments.into_iter();
        let mut operands: Vec<Expr> = arguments.next().map_or_else(Vec::new, |key| self.random_key(key).into());
        operands.extend(arguments.map(|number| self.number(number, "a draw or a bound is an integer")));
        Expr { kind: ExprKind::Random(form, operands), ty: form.ty(), span }
    }

    /// Returns the two numbers of a key.
    fn random_key(&mut self, key: Expr) -> [Expr; 2] {
        let span = key.span;
        let literal = |number| Expr { kind: ExprKind::Literal(Literal::Int(number)), ty: Type::U64, span };
        let as_number = |id: Expr| Expr { kind: ExprKind::Cast(Box::new(id)), ty: Type::U64, span };
        let id_of = |vertex: Expr| Expr { kind: ExprKind::VertexId(Box::new(vertex)), ty: Type::VERTEX_ID, span };
        match self.types.find(key.ty) {
            Type::Vertex => [as_number(id_of(key)), literal(OF_VERTEX)],
            Type::Scalar(ScalarType::VertexId) => [as_number(key), literal(OF_VERTEX)],
            Type::Edge => [Role::Src, Role::Dst].map(|role| {
                let end = self.locals.iter().position(|local| local.role == role);
                let kind = ExprKind::Local(end.unwrap_or_default());
                as_number(id_of(Expr { kind, ty: Type::Vertex, span }))
            }),
            _ => [self.number(key, "a random number is drawn for a vertex, an edge or an integer"), literal(OF_NUMBER)],
        }
    }

    /// Converts an integer to u64.
    fn number(&mut self, number: Expr, what: &str) -> Expr {
        if self.types.state(number.ty) == Some(Open::Integer) {
            self.types.unify(number.ty, Type::U64);
        }
        match self.types.find(number.ty) {
            Type::U64 => number,
            Type::Scalar(scalar) if scalar.is_integer() => {
                let span = number.span;
                Expr { kind: ExprKind::Cast(Box::new(number)), ty: Type::U64, span }
            }
            found => {
                let shown = self.types.show(found);
                let help = "write an integer; `x as u64` makes one";
                self.errors.at(Code::RandomKey, number.span, format!("{what}, and this is {shown}"), help);
                number
            }
        }
    }
}
