//! Methods: of vertices, of scalars, and the atomic updates of attributes.

use super::place::TypedPlace;
use super::types::Demand;
use super::{Lower, Open};
use crate::errors::nearest;
use crate::ir::{Expr, ExprKind, MathMethod, Span, StmtKind, Type, Update, UpdateOp};
use syn::{Expr as Syntax, ExprMethodCall};

const OF_VERTICES: [&str; 3] = ["id", "out_degree", "in_degree"];

impl Lower<'_> {
    pub(super) fn method(&mut self, call: &ExprMethodCall, span: Span) -> Expr {
        let name = call.method.to_string();
        if let Some(op) = UpdateOp::ALL.into_iter().find(|op| op.method() == name) {
            return self.update(op, call, span);
        }
        let receiver = self.expr(&call.receiver);
        let arguments: Vec<Expr> = call.args.iter().map(|argument| self.expr(argument)).collect();
        if self.types.find(receiver.ty) == Type::Vertex {
            return self.of_vertex(call, receiver, arguments.len(), span);
        }
        if self.types.find(receiver.ty) == Type::Edge {
            if name != "position" {
                let help = "write `e.position()`; the edge's value is read as `a.weight[e]`";
                self.errors.at(&call.method, format!("an edge has no method `{name}`"), help);
                return self.nothing(span);
            }
            if self.surroundings.example == "u" {
                self.errors.at(
                    span,
                    "an intersecting kernel takes lists as sets, in which edges have no place",
                    "ask for it in a `scan` or a `traverse`",
                );
            }
            self.count(&name, 0, arguments.len(), span);
            return Expr { kind: ExprKind::Position, ty: Type::U64, span };
        }
        let Some(method) = MathMethod::ALL.into_iter().find(|method| method.name() == name) else {
            let updates = UpdateOp::ALL.map(UpdateOp::method);
            let numbers = MathMethod::ALL.map(MathMethod::name);
            let place = matches!(receiver.kind, ExprKind::Load(_));
            let known = numbers.into_iter().chain(updates.into_iter().filter(|_| place)).chain(OF_VERTICES);
            let help = match nearest(&name, known) {
                Some(near) if OF_VERTICES.contains(&near) => format!("`{near}` is a method of vertices"),
                Some(near) => format!("did you mean `{near}`?"),
                None if place => {
                    format!("updates are {}; of numbers there are {}", updates.join(", "), numbers.join(", "))
                }
                None => format!("numbers have {}", numbers.join(", ")),
            };
            self.errors.at(&call.method, format!("there is no method `{name}`"), help);
            return self.nothing(span);
        };
        self.of_number(method, receiver, arguments, span)
    }

    fn of_vertex(&mut self, call: &ExprMethodCall, vertex: Expr, arguments: usize, span: Span) -> Expr {
        let name = call.method.to_string();
        let vertex = Box::new(vertex);
        let (kind, ty) = match name.as_str() {
            "id" => (ExprKind::VertexId(vertex), Type::VERTEX_ID),
            "out_degree" | "in_degree" if self.surroundings.attributes.is_none() => {
                self.only_in_kernels(&name, span);
                return self.nothing(span);
            }
            "out_degree" => (ExprKind::OutDegree(vertex), Type::U64),
            "in_degree" => (ExprKind::InDegree(vertex), Type::U64),
            _ => {
                let help = match nearest(&name, OF_VERTICES) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "vertices have id, out_degree and in_degree".to_owned(),
                };
                self.errors.at(&call.method, format!("a vertex has no method `{name}`"), help);
                return self.nothing(span);
            }
        };
        self.count(&name, 0, arguments, span);
        Expr { kind, ty, span }
    }

    fn of_number(&mut self, method: MathMethod, receiver: Expr, mut arguments: Vec<Expr>, span: Span) -> Expr {
        let (demand, operand) = match method {
            MathMethod::Powf => (Demand::Float, Some(receiver.ty)),
            MathMethod::Powi => (Demand::Float, Some(Type::Scalar(crate::ir::ScalarType::I32))),
            MathMethod::Sqrt
            | MathMethod::Exp
            | MathMethod::Ln
            | MathMethod::Sin
            | MathMethod::Cos
            | MathMethod::Floor
            | MathMethod::Ceil
            | MathMethod::IsNan => (Demand::Float, None),
            MathMethod::Abs => (Demand::Signed, None),
            MathMethod::Min | MathMethod::Max => (Demand::Ordered, Some(receiver.ty)),
            MathMethod::CountOnes | MathMethod::LeadingZeros | MathMethod::TrailingZeros | MathMethod::WrappingNeg => {
                (Demand::Integer, None)
            }
            MathMethod::WrappingAdd
            | MathMethod::WrappingSub
            | MathMethod::WrappingMul
            | MathMethod::SaturatingAdd
            | MathMethod::SaturatingSub
            | MathMethod::SaturatingMul => (Demand::Integer, Some(receiver.ty)),
            MathMethod::WrappingShl | MathMethod::WrappingShr => (Demand::Integer, Some(Type::U32)),
        };
        let name = format!("`{}`", method.name());
        self.types.demand(receiver.ty, demand, receiver.span, &name);
        if self.count(method.name(), usize::from(operand.is_some()), arguments.len(), span) {
            for (operand, argument) in operand.iter().zip(&mut arguments) {
                self.same(*operand, argument);
            }
        }
        let ty = match method {
            MathMethod::CountOnes | MathMethod::LeadingZeros | MathMethod::TrailingZeros => Type::U32,
            MathMethod::IsNan => Type::BOOL,
            _ => receiver.ty,
        };
        let operands = std::iter::once(receiver).chain(arguments).collect();
        Expr { kind: ExprKind::Math(method, operands), ty, span }
    }

    /// Lowers `a.level[dst].fetch_min(x)`.
    fn update(&mut self, op: UpdateOp, call: &ExprMethodCall, span: Span) -> Expr {
        let mut arguments: Vec<Expr> = call.args.iter().map(|argument| self.expr(argument)).collect();
        let place = match self.place(&call.receiver) {
            Ok(Some(place)) => place,
            Ok(None) => {
                self.errors.at(
                    &call.method,
                    format!("`{}` updates an attribute", op.method()),
                    "call it on `a.name[v]`; a local is changed with `=`",
                );
                return self.nothing(span);
            }
            Err(()) => return self.nothing(span),
        };
        let ty = self.place_type(&place);
        let operands = if op == UpdateOp::CompareExchange { 2 } else { 1 };
        if !self.count(op.method(), operands, arguments.len(), span) {
            return self.nothing(span);
        }
        for argument in &mut arguments {
            self.same(ty, argument);
        }
        self.suits(op, ty, span);
        match place {
            TypedPlace::Element(element) => {
                let update = Update { op, element, operands: arguments, assignment: false };
                Expr { kind: ExprKind::Update(Box::new(update)), ty, span }
            }
            TypedPlace::Global(..) => {
                self.errors.at(
                    span,
                    "an update of a `#[global]` has no value here: no thread knows the whole",
                    "write it on a line of its own",
                );
                self.nothing(span)
            }
            place => self.not_updatable(&place, span),
        }
    }

    fn not_updatable(&mut self, place: &TypedPlace, span: Span) -> Expr {
        let help = match place {
            TypedPlace::Param(..) => "a `#[param]` is set by the host; make it a `#[global]` to bring a value back",
            TypedPlace::EdgeValue(_) => "an `#[edge]` is the store's",
            _ => "a local is changed with `=`",
        };
        self.errors.at(span, "this cannot be updated", help);
        self.nothing(span)
    }

    /// Lowers `a.total.fetch_add(x);` of a global, as a statement; `None` if the call is something else.
    pub(super) fn accumulate_method(&mut self, call: &ExprMethodCall, span: Span) -> Option<StmtKind> {
        let name = call.method.to_string();
        let op = UpdateOp::ALL.into_iter().find(|op| op.method() == name)?;
        let Ok(Some(TypedPlace::Global(attribute, index))) = self.place(&call.receiver) else { return None };
        let ty = self.place_type(&TypedPlace::Global(attribute, None));
        let [value] = call.args.iter().collect::<Vec<_>>()[..] else {
            self.count(op.method(), 1, call.args.len(), span);
            return None;
        };
        let mut value = self.expr(value);
        self.same(ty, &mut value);
        self.suits(op, ty, span);
        Some(StmtKind::Accumulate { attribute, index, op: Some(op), value, assignment: false })
    }

    /// Returns whether the syntax names a global, without reporting errors.
    pub(super) fn names_global(&self, syntax: &Syntax) -> bool {
        match syntax {
            Syntax::Paren(paren) => self.names_global(&paren.expr),
            Syntax::Index(index) => self.names_global(&index.expr),
            Syntax::Field(field) => {
                let (syn::Member::Named(name), Some((_, attributes))) = (&field.member, self.surroundings.attributes)
                else {
                    return false;
                };
                attributes.attributes.iter().any(|attribute| {
                    attribute.name == *name && matches!(attribute.kind, crate::ir::AttributeKind::Global { .. })
                })
            }
            _ => false,
        }
    }

    /// Requires the type to support the update.
    pub(super) fn suits(&mut self, op: UpdateOp, ty: Type, span: Span) {
        let by = format!("`{}`", op.assignment().unwrap_or(op.method()));
        let demand = match op {
            UpdateOp::Add | UpdateOp::Sub => Demand::Number,
            UpdateOp::And | UpdateOp::Or | UpdateOp::Xor => Demand::Bits,
            UpdateOp::Min | UpdateOp::Max => Demand::Ordered,
            UpdateOp::Swap | UpdateOp::CompareExchange | UpdateOp::Tally => return,
        };
        debug_assert!(self.types.state(ty) != Some(Open::Anything), "attributes have types");
        self.types.demand(ty, demand, span, by);
    }
}
