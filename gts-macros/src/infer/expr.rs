//! Expressions.

use super::{Lower, Open};
use crate::check::names;
use crate::ir::{BinaryOp, Expr, ExprKind, Literal, OperationFaults, RandomForm, ScalarType, Span, Type, UnaryOp};
use crate::parse;
use crate::words;
use gts_contract::language::{Code, LanguageKind, OperandTypes};
use syn::{BinOp, Block, Expr as Syntax, ExprBinary, ExprCall, ExprCast, ExprIf, ExprPath, ExprUnary, Stmt, UnOp};

impl Lower<'_> {
    pub(super) fn expr(&mut self, syntax: &Syntax) -> Expr {
        let span = Span::of(syntax);
        match syntax {
            Syntax::Paren(paren) => Expr { span, ..self.expr(&paren.expr) },
            Syntax::Group(group) => self.expr(&group.expr),
            Syntax::Lit(literal) => self.literal(&literal.lit, span),
            Syntax::Path(path) => self.path(path, span),
            Syntax::Field(_) | Syntax::Index(_) => match self.place(syntax) {
                Ok(Some(place)) => self.read(place, span),
                _ => self.nothing(span),
            },
            Syntax::Unary(unary) => self.unary(unary, span),
            Syntax::Binary(binary) => self.binary(binary, span),
            Syntax::Cast(cast) => self.cast(cast, span),
            Syntax::Call(call) => self.call(call, span),
            Syntax::MethodCall(call) => self.method(call, span),
            Syntax::If(choice) => self.select(choice, span),
            Syntax::Block(block) => match single(&block.block) {
                Some(value) => self.expr(value),
                None => self.needs_let(span),
            },
            Syntax::Array(array) => {
                let element = self.types.open(Open::Anything);
                let mut values = Vec::new();
                for value in &array.elems {
                    let mut value = self.expr(value);
                    self.vertex_as_id(&mut value);
                    self.same(element, &mut value);
                    values.push(value);
                }
                self.array(ExprKind::Array(values), element, array.elems.len() as u32, span)
            }
            Syntax::Repeat(repeat) => {
                let mut value = self.expr(&repeat.expr);
                self.vertex_as_id(&mut value);
                let Some(length) = parse::length(&repeat.len) else {
                    self.errors.at(
                        Code::ArrayForm,
                        Span::of(&repeat.len),
                        "the length of an array is a literal above 0",
                        "write the number itself, as in `[0; 8]`: a macro does not see the value of a constant",
                    );
                    return self.nothing(span);
                };
                let element = value.ty;
                self.array(ExprKind::Repeat(Box::new(value)), element, length, span)
            }
            Syntax::Assign(_) | Syntax::Return(_) | Syntax::Break(_) | Syntax::Continue(_) => {
                self.errors.at(
                    Code::NoValue,
                    span,
                    "this is a statement and has no value",
                    "write it on a line of its own",
                );
                self.nothing(span)
            }
            Syntax::While(_) | Syntax::Loop(_) | Syntax::ForLoop(_) => {
                self.errors.at(
                    Code::NoValue,
                    span,
                    "a loop has no value",
                    "store the value in a `let mut` before the loop",
                );
                self.nothing(span)
            }
            _ => self.nothing(span),
        }
    }

    fn array(&mut self, kind: ExprKind, element: Type, length: u32, span: Span) -> Expr {
        match self.types.array_of(element, length) {
            Some(ty) if length > 0 => Expr { kind, ty, span },
            _ => {
                self.errors.at(Code::ArrayForm, span, "an array holds plain values, at least one", "write `[0; 4]`");
                self.nothing(span)
            }
        }
    }

    fn needs_let(&mut self, span: Span) -> Expr {
        self.errors.at(
            Code::StatementInExpression,
            span,
            "statements cannot stand within an expression",
            "bind the value with `let` first",
        );
        self.nothing(span)
    }

    fn path(&mut self, path: &ExprPath, span: Span) -> Expr {
        if let Some(name) = path.path.get_ident() {
            let text = name.to_string();
            if text == "UNREACHED" {
                return Expr { kind: ExprKind::Unreached, ty: self.types.open(Open::Anything), span };
            }
            if let Some(local) = self.find_local(&text) {
                return Expr { kind: ExprKind::Local(local), ty: self.locals[local].ty, span };
            }
            if self.surroundings.attributes.is_some_and(|(receiver, _)| receiver == name) {
                self.errors.at(
                    Code::FieldAccess,
                    span,
                    "the attributes are no value",
                    format!("name one of them: `{name}.attribute`"),
                );
                return self.nothing(span);
            }
        }
        let text = names::text(&path.path);
        if let Some(&constant) = self.surroundings.names.constants.get(&text) {
            let ty = self.surroundings.program.constants[constant].ty;
            return Expr { kind: ExprKind::Constant(constant), ty, span };
        }
        if let Some(limit) = self.limit(path, span) {
            return limit;
        }
        let (code, what, help) = if self.surroundings.names.functions.contains_key(&text) {
            (Code::CallForm, format!("`{text}` is a function"), format!("write `{text}(..)`"))
        } else {
            let name = format!("`{text}` is not known here");
            (Code::UnknownName, name, "it is bound in another scope; bind it before this one".to_owned())
        };
        self.errors.at(code, span, what, help);
        self.nothing(span)
    }

    fn unary(&mut self, unary: &ExprUnary, span: Span) -> Expr {
        let value = self.expr(&unary.expr);
        let (op, demand, by) = match unary.op {
            UnOp::Neg(_) => (UnaryOp::Neg, OperandTypes::Signed, "`-`"),
            UnOp::Not(_) => (UnaryOp::Not, OperandTypes::Bits, "`!`"),
            _ => return self.nothing(span),
        };
        self.types.demand(value.ty, demand, span, by);
        let ty = value.ty;
        Expr { kind: ExprKind::Unary(op, Box::new(value), OperationFaults::NONE), ty, span }
    }

    fn binary(&mut self, binary: &ExprBinary, span: Span) -> Expr {
        let Some((op, false)) = operator(&binary.op) else {
            self.errors.at(
                Code::NoValue,
                span,
                "this is a statement and has no value",
                "write it on a line of its own",
            );
            return self.nothing(span);
        };
        let left = self.expr(&binary.left);
        let right = self.expr(&binary.right);
        if self.vertex_as_number(op, (&left, &binary.left), (&right, &binary.right), span) {
            return self.nothing(span);
        }
        self.binary_of(op, left, right, span)
    }

    pub(super) fn binary_of(&mut self, op: BinaryOp, mut left: Expr, mut right: Expr, span: Span) -> Expr {
        let by = format!("`{}`", op.symbol());
        let ty = match op {
            BinaryOp::Shl | BinaryOp::Shr => {
                self.types.demand(left.ty, operands(op), left.span, &by);
                self.types.demand(right.ty, operands(op), right.span, &by);
                self.types.default_to_u32(right.ty);
                left.ty
            }
            BinaryOp::And | BinaryOp::Or => {
                self.same(Type::BOOL, &mut left);
                self.same(Type::BOOL, &mut right);
                Type::BOOL
            }
            _ => {
                self.agree(&mut left, &mut right);
                self.types.demand(left.ty, operands(op), left.span, by);
                if op.compares() { Type::BOOL } else { left.ty }
            }
        };
        Expr {
            kind: ExprKind::Binary { op, left: Box::new(left), right: Box::new(right), faults: OperationFaults::NONE },
            ty,
            span,
        }
    }

    fn cast(&mut self, cast: &ExprCast, span: Span) -> Expr {
        let mut value = self.expr(&cast.expr);
        self.vertex_as_id(&mut value);
        let Some(target) = self.named_type(&cast.ty) else { return self.nothing(span) };
        let Type::Scalar(scalar) = target else {
            self.errors.at(Code::Cast, Span::of(&cast.ty), "`as` converts numbers", "write a number type");
            return self.nothing(span);
        };
        // A literal before `as` has the target type: `1 as u64`, `-1 as i64`, `2 as T`.
        if let Some(literal) = self.literal_as(&value, scalar) {
            return Expr { span, ..literal };
        }
        let given = self.types.find(value.ty);
        let number = |ty: Type| ty.is_integer() || ty.is_float() || ty == Type::BOOL || ty == Type::VERTEX_ID;
        let refused = match given {
            Type::Open(_) => None,
            _ if given == target => None,
            _ if !number(given) => Some("`as` converts numbers, bools and vertex IDs"),
            _ if target == Type::BOOL => Some("compare it: `x != 0`"),
            _ if target == Type::VERTEX_ID => {
                Some("write `Vertex::new(x).id()`, which checks that there is such a vertex")
            }
            _ if scalar.is_float() && given == Type::BOOL => Some("write `if x { 1.0 } else { 0.0 }`"),
            _ if scalar.is_float() && given == Type::VERTEX_ID => Some("write `x as u64 as f32`"),
            _ => None,
        };
        if let Some(help) = refused {
            let shown = self.types.show(given);
            self.errors.at(Code::Cast, span, format!("{shown} does not convert to {scalar}"), help);
            return self.nothing(span);
        }
        Expr { kind: ExprKind::Cast(Box::new(value)), ty: target, span }
    }

    /// Returns a literal of open type, optionally with `-`, as a literal of the given type.
    fn literal_as(&mut self, value: &Expr, scalar: ScalarType) -> Option<Expr> {
        let open = self.types.state(value.ty)?;
        let ty = Type::Scalar(scalar);
        match &value.kind {
            ExprKind::Literal(Literal::Int(number)) if scalar.is_float() => {
                let kind = ExprKind::Literal(Literal::Float(format!("{number}.0")));
                Some(Expr { kind, ty, span: value.span })
            }
            ExprKind::Literal(Literal::Int(_)) if scalar.is_integer() => {
                self.types.unify(value.ty, ty);
                Some(Expr { ty, ..value.clone() })
            }
            ExprKind::Literal(Literal::Float(_)) if open == Open::Float && scalar.is_float() => {
                self.types.unify(value.ty, ty);
                Some(Expr { ty, ..value.clone() })
            }
            ExprKind::Unary(UnaryOp::Neg, inner, _) if scalar.is_signed() || scalar.is_float() => {
                let inner = self.literal_as(inner, scalar)?;
                self.types.unify(value.ty, ty);
                Some(Expr {
                    kind: ExprKind::Unary(UnaryOp::Neg, Box::new(inner), OperationFaults::NONE),
                    ty,
                    span: value.span,
                })
            }
            _ => None,
        }
    }

    /// Returns the type that the syntax names. Reports an error if the language does not have it.
    pub(super) fn named_type(&mut self, ty: &syn::Type) -> Option<Type> {
        let found = match ty {
            syn::Type::Group(group) => return self.named_type(&group.elem),
            syn::Type::Array(array) => match (self.named_type(&array.elem)?, parse::length(&array.len)) {
                (Type::Scalar(scalar), Some(length)) => Some(Type::Array(scalar, length)),
                _ => None,
            },
            _ => match parse::type_name(ty) {
                Some(name) if name == "Vertex" => Some(Type::Vertex),
                Some(name) => match self.surroundings.generic {
                    Some((generic, scalar)) if name == generic => Some(Type::Scalar(scalar)),
                    _ => ScalarType::from_name(&name.to_string()).map(Type::Scalar),
                },
                None => parse::scalar(ty).map(Type::Scalar),
            },
        };
        if found.is_none() {
            let name = parse::type_name(ty).map(ToString::to_string).unwrap_or_default();
            let help = match words::lacking_word(&name) {
                Some(row) => row.instead.to_owned(),
                None => {
                    let types = words::plain_types().chain(["Vertex", "an array `[u32; 4]`"]);
                    format!("write {}{}", words::listed(types, "or"), parse::of_alias(ty))
                }
            };
            self.errors.at(Code::UnknownType, Span::of(ty), "the language has no such type", help);
        }
        found
    }

    fn call(&mut self, call: &ExprCall, span: Span) -> Expr {
        let Syntax::Path(path) = &*call.func else { return self.nothing(span) };
        let name = names::text(&path.path);
        let mut arguments: Vec<Expr> = call.args.iter().map(|argument| self.expr(argument)).collect();
        let built_in = match name.as_str() {
            "step" => Some((ExprKind::Step, Type::U32)),
            "num_vertices" => Some((ExprKind::NumVertices, Type::U64)),
            "num_edges" => Some((ExprKind::NumEdges, Type::U64)),
            _ => None,
        };
        if let Some((kind, ty)) = built_in {
            self.count(&name, 0, arguments.len(), span);
            self.only_in_kernels(&name, span);
            return Expr { kind, ty, span };
        }
        if let Some(form) = RandomForm::ALL.into_iter().find(|form| form.name() == name) {
            self.only_in_kernels(&name, span);
            return self.random(form, arguments, span);
        }
        match name.as_str() {
            "activate" => {
                self.errors.at(Code::NoValue, span, "`activate` has no value", "write it on a line of its own");
                self.nothing(span)
            }
            "Vertex::new" => {
                self.only_in_kernels(&name, span);
                if !self.count(&name, 1, arguments.len(), span) {
                    return self.nothing(span);
                }
                self.new_vertex(arguments.into_iter().next(), span)
            }
            _ => {
                let Some(&id) = self.surroundings.names.functions.get(&name) else {
                    self.errors.at(
                        Code::CallForm,
                        Span::of(path),
                        format!("`{name}` is no function"),
                        "functions are those with `#[gts_fn]`",
                    );
                    return self.nothing(span);
                };
                let function = &self.surroundings.program.functions[id];
                if self.count(&name, function.arguments.len(), arguments.len(), span) {
                    for (argument, local) in arguments.iter_mut().zip(&function.arguments) {
                        self.same(function.locals[*local].ty, argument);
                    }
                }
                Expr { kind: ExprKind::Call(id, arguments), ty: function.result, span }
            }
        }
    }

    /// Returns whether the number of arguments is right; reports an error if not.
    pub(super) fn count(&self, name: &str, expected: usize, found: usize, span: Span) -> bool {
        if expected != found {
            let plural = if expected == 1 { "" } else { "s" };
            self.errors.at(
                Code::ArgumentCount,
                span,
                format!("`{name}` takes {expected} argument{plural}, and {found} stand here"),
                "give it each of its arguments",
            );
        }
        expected == found
    }

    /// Reports a built-in that depends on the pass outside kernels.
    pub(super) fn only_in_kernels(&self, name: &str, span: Span) {
        if self.surroundings.attributes.is_none() {
            self.errors.at(
                Code::OnlyInKernels,
                span,
                format!("`{name}` is known in kernels alone: a helper function can be called by the host too"),
                "hand its value over as an argument",
            );
        }
    }

    fn select(&mut self, choice: &ExprIf, span: Span) -> Expr {
        let condition = self.condition(&choice.cond);
        let Some((_, otherwise)) = &choice.else_branch else {
            self.errors.at(
                Code::NoValue,
                span,
                "an `if` without `else` has no value",
                "write the `else` with its value",
            );
            return self.nothing(span);
        };
        let Some(then) = single(&choice.then_branch) else { return self.needs_let(span) };
        let mut then = self.expr(then);
        let mut otherwise = self.expr(otherwise);
        self.agree(&mut then, &mut otherwise);
        let ty = then.ty;
        Expr { kind: ExprKind::Select(Box::new(condition), Box::new(then), Box::new(otherwise)), ty, span }
    }

    pub(super) fn condition(&mut self, syntax: &Syntax) -> Expr {
        let mut condition = self.expr(syntax);
        self.same(Type::BOOL, &mut condition);
        condition
    }
}

/// Returns the only expression of a block without statements.
pub(super) fn single(block: &Block) -> Option<&Syntax> {
    match block.stmts.as_slice() {
        [Stmt::Expr(value, None)] => Some(value),
        _ => None,
    }
}

/// Returns the operator, and whether it assigns.
pub(super) fn operator(op: &BinOp) -> Option<(BinaryOp, bool)> {
    Some(match op {
        BinOp::Add(_) => (BinaryOp::Add, false),
        BinOp::Sub(_) => (BinaryOp::Sub, false),
        BinOp::Mul(_) => (BinaryOp::Mul, false),
        BinOp::Div(_) => (BinaryOp::Div, false),
        BinOp::Rem(_) => (BinaryOp::Rem, false),
        BinOp::And(_) => (BinaryOp::And, false),
        BinOp::Or(_) => (BinaryOp::Or, false),
        BinOp::BitXor(_) => (BinaryOp::BitXor, false),
        BinOp::BitAnd(_) => (BinaryOp::BitAnd, false),
        BinOp::BitOr(_) => (BinaryOp::BitOr, false),
        BinOp::Shl(_) => (BinaryOp::Shl, false),
        BinOp::Shr(_) => (BinaryOp::Shr, false),
        BinOp::Eq(_) => (BinaryOp::Eq, false),
        BinOp::Lt(_) => (BinaryOp::Lt, false),
        BinOp::Le(_) => (BinaryOp::Le, false),
        BinOp::Ne(_) => (BinaryOp::Ne, false),
        BinOp::Ge(_) => (BinaryOp::Ge, false),
        BinOp::Gt(_) => (BinaryOp::Gt, false),
        BinOp::AddAssign(_) => (BinaryOp::Add, true),
        BinOp::SubAssign(_) => (BinaryOp::Sub, true),
        BinOp::MulAssign(_) => (BinaryOp::Mul, true),
        BinOp::DivAssign(_) => (BinaryOp::Div, true),
        BinOp::RemAssign(_) => (BinaryOp::Rem, true),
        BinOp::BitXorAssign(_) => (BinaryOp::BitXor, true),
        BinOp::BitAndAssign(_) => (BinaryOp::BitAnd, true),
        BinOp::BitOrAssign(_) => (BinaryOp::BitOr, true),
        BinOp::ShlAssign(_) => (BinaryOp::Shl, true),
        BinOp::ShrAssign(_) => (BinaryOp::Shr, true),
        _ => return None,
    })
}

/// Returns the types of an operator's operands.
pub(super) fn operands(op: BinaryOp) -> OperandTypes {
    words::row(LanguageKind::Operator, op.symbol()).operands
}
