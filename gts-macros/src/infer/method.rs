//! Methods: of vertices, of scalars, and the atomic updates of attributes.

use super::place::TypedPlace;
use super::types::met;
use super::{Lower, Open};
use crate::errors::nearest;
use crate::ir::{Expr, ExprKind, MathMethod, OperationFaults, ScalarType, Span, StmtKind, Type, Update, UpdateOp};
use crate::words;
use gts_contract::language::{self, Code, LanguageKind, OperandTypes};
use syn::{Expr as Syntax, ExprMethodCall};

const OF_VERTICES: [&str; 3] = words::described(LanguageKind::VertexMethod, ["id", "out_degree", "in_degree"]);
const OF_EDGES: [&str; 1] = words::described(LanguageKind::EdgeMethod, ["position"]);

impl Lower<'_> {
    pub(super) fn method(&mut self, call: &ExprMethodCall, span: Span) -> Expr {
        let name = call.method.to_string();
        if let Some(op) = UpdateOp::ALL.into_iter().find(|op| op.method() == name) {
            return self.update(op, call, span);
        }
        let before = self.errors.count();
        let receiver = self.expr(&call.receiver);
        let arguments: Vec<Expr> = call.args.iter().map(|argument| self.expr(argument)).collect();
        if self.errors.count() > before && self.types.state(receiver.ty) == Some(Open::Anything) {
            return self.nothing(span);
        }
        if self.types.find(receiver.ty) == Type::Vertex {
            return self.of_vertex(call, receiver, arguments.len(), span);
        }
        if self.types.find(receiver.ty) == Type::Edge {
            if !OF_EDGES.contains(&name.as_str()) {
                let help = "write `e.position()`; the edge's value is read as `a.weight[e]`";
                self.errors.at(Code::UnknownMethod, &call.method, format!("an edge has no method `{name}`"), help);
                return self.nothing(span);
            }
            if self.surroundings.example == "u" {
                self.errors.at(
                    Code::EdgePosition,
                    span,
                    "an intersecting kernel takes lists as sets, in which edges have no place",
                    "ask for it in a `scan` or a `traverse`",
                );
            }
            self.count(&name, 0, arguments.len(), span);
            return Expr { kind: ExprKind::Position, ty: Type::U64, span };
        }
        // Integers lack some methods of floats. The error suggests another form.
        let integer = self.types.find(receiver.ty).is_integer();
        let lacks = |name| integer && language::lacking_method(name, OperandTypes::Integer).is_some();
        let known = MathMethod::ALL.into_iter().find(|method| method.name() == name && !lacks(&name));
        let Some(method) = known else {
            let help = self.other_method(&name, &receiver);
            self.errors.at(Code::UnknownMethod, &call.method, format!("there is no method `{name}`"), help);
            return self.nothing(span);
        };
        self.of_number(method, receiver, arguments, span)
    }

    /// Returns a suggestion for a method that does not exist, which the type of the receiver has.
    fn other_method(&self, name: &str, receiver: &Expr) -> String {
        let ty = self.types.find(receiver.ty);
        if let Some((_, length)) = self.types.element_of(ty) {
            return match language::lacking_method(name, OperandTypes::Array) {
                Some(row) => row.instead.replace(" N:", &format!(" {length}:")),
                None => "arrays have no methods: index their elements".to_owned(),
            };
        }
        let float = ty.is_float() || self.types.state(ty) == Some(Open::Float);
        let integer = ty.is_integer() || self.types.state(ty) == Some(Open::Integer);
        let receives = match (float, integer) {
            (true, _) => OperandTypes::Float,
            (_, true) => OperandTypes::Integer,
            _ => OperandTypes::Anything,
        };
        if let Some(row) = language::lacking_method(name, receives) {
            let float = ty.scalar().filter(|scalar| scalar.is_float());
            return row.instead.replace("f32", float.map_or("f32", ScalarType::name));
        }
        let place = matches!(receiver.kind, ExprKind::Load(_));
        let updates: Vec<&str> = words::names(LanguageKind::Update).filter(|_| place).collect();
        // Literals have no type yet.
        let sample = match ty {
            Type::Open(_) if float => Type::Scalar(ScalarType::F32),
            Type::Open(_) if integer => Type::U32,
            other => other,
        };
        let rows = language::rows_of(LanguageKind::Method);
        let of_type = rows.filter(|row| matches!(sample, Type::Open(_)) || met(row.operands, sample));
        let methods: Vec<&str> = of_type.map(|row| row.name).collect();
        match nearest(name, updates.iter().chain(&methods).copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if nearest(name, OF_VERTICES).is_some() => format!("vertices have {}", OF_VERTICES.join(", ")),
            None if place => {
                format!("updates are {}; {} has {}", updates.join(", "), self.types.show(ty), methods.join(", "))
            }
            None => format!("{} has {}", self.types.show(ty), methods.join(", ")),
        }
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
                let lacking = language::lacking_method(&name, OperandTypes::Vertex);
                let help = match (lacking, nearest(&name, OF_VERTICES)) {
                    (Some(row), _) => row.instead.to_owned(),
                    (None, Some(near)) => format!("did you mean `{near}`?"),
                    (None, None) => format!("vertices have {}", words::listed(OF_VERTICES, "and")),
                };
                self.errors.at(Code::UnknownMethod, &call.method, format!("a vertex has no method `{name}`"), help);
                return self.nothing(span);
            }
        };
        self.count(&name, 0, arguments, span);
        Expr { kind, ty, span }
    }

    fn of_number(&mut self, method: MathMethod, receiver: Expr, mut arguments: Vec<Expr>, span: Span) -> Expr {
        let operand = match method {
            MathMethod::Powi => Some(Type::Scalar(ScalarType::I32)),
            MathMethod::WrappingShl | MathMethod::WrappingShr => Some(Type::U32),
            MathMethod::Powf
            | MathMethod::Min
            | MathMethod::Max
            | MathMethod::WrappingAdd
            | MathMethod::WrappingSub
            | MathMethod::WrappingMul
            | MathMethod::SaturatingAdd
            | MathMethod::SaturatingSub
            | MathMethod::SaturatingMul => Some(receiver.ty),
            _ => None,
        };
        let name = format!("`{}`", method.name());
        let operands = words::row(LanguageKind::Method, method.name()).operands;
        self.types.demand(receiver.ty, operands, receiver.span, &name);
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
        Expr { kind: ExprKind::Math(method, operands, OperationFaults::NONE), ty, span }
    }

    /// Lowers `a.level[dst].fetch_min(x)`.
    fn update(&mut self, op: UpdateOp, call: &ExprMethodCall, span: Span) -> Expr {
        let mut arguments: Vec<Expr> = call.args.iter().map(|argument| self.expr(argument)).collect();
        let place = match self.place(&call.receiver) {
            Ok(Some(place)) => place,
            Ok(None) => {
                self.errors.at(
                    Code::StoreTarget,
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
                let update = Update { op, element, operands: arguments, assignment: false, sum: None };
                Expr { kind: ExprKind::Update(Box::new(update)), ty, span }
            }
            TypedPlace::Global(..) => {
                self.errors.at(
                    Code::GlobalRead,
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
        self.errors.at(Code::StoreTarget, span, "this cannot be updated", help);
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
        let Some(row) = language::row(LanguageKind::Update, op.method()) else { return };
        debug_assert!(self.types.state(ty) != Some(Open::Anything), "attributes have types");
        self.types.demand(ty, row.operands, span, by);
    }
}
