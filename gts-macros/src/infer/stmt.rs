//! Statements and blocks.

use super::expr::{operands, operator, single};
use super::place::TypedPlace;
use super::{Lower, Open};
use crate::ir::{
    AttributeKind, BinaryOp, Block, Expr, ExprKind, LocalId, Merge, OperationFaults, Role, Span, Stmt, StmtKind, Type,
    Update, UpdateOp,
};
use crate::parse::assertion::ASSERT;
use gts_contract::language::{Code, OperandTypes};
use proc_macro2::Ident;
use syn::{Block as SynBlock, Expr as Syntax, ExprCall, ExprForLoop, ExprIf, Local, Pat, RangeLimits, Stmt as SynStmt};

/// The destination of the value at the end of a block.
pub(super) enum Sink {
    /// The block has no value: it is the body of a kernel or a loop.
    Nothing,
    /// The function returns the value.
    Return,
    /// The value is assigned to a local.
    Local(LocalId),
}

impl Lower<'_> {
    pub(super) fn block(&mut self, block: &SynBlock, sink: &Sink) -> Block {
        self.scopes.push(Default::default());
        let mut statements = Vec::new();
        let last = block.stmts.len().wrapping_sub(1);
        for (position, statement) in block.stmts.iter().enumerate() {
            match statement {
                SynStmt::Local(local) => self.bind_local(local, &mut statements),
                SynStmt::Expr(value, None) if position == last && !matches!(sink, Sink::Nothing) => {
                    self.tail(value, sink, &mut statements);
                }
                SynStmt::Expr(expr, _) => self.statement(expr, &mut statements),
                SynStmt::Item(_) | SynStmt::Macro(_) => {}
            }
        }
        let ends = |statement: &SynStmt| matches!(statement, SynStmt::Expr(Syntax::Return(_) | Syntax::Loop(_), _));
        let valued = matches!(block.stmts.last(), Some(SynStmt::Expr(_, None)));
        if !matches!(sink, Sink::Nothing) && !valued && !block.stmts.last().is_some_and(ends) {
            self.errors.at(
                Code::NoValue,
                Span::of(block),
                "this block has no value",
                "end it with the value, without `;`",
            );
        }
        self.scopes.pop();
        Block { statements }
    }

    /// Lowers the value at the end of a block.
    fn tail(&mut self, value: &Syntax, sink: &Sink, out: &mut Vec<Stmt>) {
        let span = Span::of(value);
        match value {
            Syntax::Paren(paren) => return self.tail(&paren.expr, sink, out),
            Syntax::Group(group) => return self.tail(&group.expr, sink, out),
            Syntax::If(choice) if has_statements(value) => {
                let kind = self.choice(choice, sink);
                out.push(Stmt { kind, span });
                return;
            }
            Syntax::Block(block) if single(&block.block).is_none() => {
                let block = self.block(&block.block, sink);
                out.push(Stmt { kind: StmtKind::Block(block), span });
                return;
            }
            Syntax::Return(_) | Syntax::While(_) | Syntax::Loop(_) | Syntax::ForLoop(_) => {
                return self.statement(value, out);
            }
            _ => {}
        }
        let mut value = self.expr(value);
        let kind = match sink {
            Sink::Local(local) => {
                self.same(self.locals[*local].ty, &mut value);
                StmtKind::Assign { local: *local, index: None, op: None, value, faults: OperationFaults::NONE }
            }
            Sink::Return => {
                self.same(self.surroundings.result, &mut value);
                StmtKind::Return(Some(value))
            }
            Sink::Nothing => StmtKind::Expr(value),
        };
        out.push(Stmt { kind, span });
    }

    fn bind_local(&mut self, local: &Local, out: &mut Vec<Stmt>) {
        let span = Span::of(local);
        let (pattern, annotated) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, self.named_type(&typed.ty)),
            pattern => (pattern, None),
        };
        let Some(init) = &local.init else { return };
        let Pat::Ident(name) = pattern else {
            self.expr(&init.expr);
            return;
        };
        let mutable = name.mutability.is_some();
        if has_statements(&init.expr) {
            // `let x = if c { .. } else { .. };` with statements: declare, then assign in each branch.
            let ty = annotated.unwrap_or_else(|| self.types.open(Open::Anything));
            self.locals.push(crate::ir::Local { name: name.ident.clone(), ty, mutable, role: Role::Local });
            let local = self.locals.len() - 1;
            out.push(Stmt { kind: StmtKind::Let { local, init: None }, span });
            self.tail(&init.expr, &Sink::Local(local), out);
            // The name refers to the new local only after its value.
            if let Some(scope) = self.scopes.last_mut() {
                scope.insert(name.ident.to_string(), local);
            }
            return;
        }
        let mut value = self.expr(&init.expr);
        if let Some(ty) = annotated {
            self.same(ty, &mut value);
        }
        let ty = annotated.unwrap_or(value.ty);
        if self.types.find(ty) == Type::Unit {
            self.errors.at(Code::NoValue, value.span, "this has no value", "write it on a line of its own");
        }
        let local = self.bind(&name.ident, ty, mutable, Role::Local);
        out.push(Stmt { kind: StmtKind::Let { local, init: Some(value) }, span });
    }

    fn statement(&mut self, syntax: &Syntax, out: &mut Vec<Stmt>) {
        let span = Span::of(syntax);
        let kind = match syntax {
            Syntax::Paren(paren) => return self.statement(&paren.expr, out),
            Syntax::Group(group) => return self.statement(&group.expr, out),
            Syntax::Assign(assign) => self.assign(&assign.left, None, &assign.right, span),
            Syntax::Binary(binary) => match operator(&binary.op) {
                Some((op, true)) => self.assign(&binary.left, Some(op), &binary.right, span),
                _ => return self.value_statement(syntax, span, out),
            },
            Syntax::If(choice) => Some(self.choice(choice, &Sink::Nothing)),
            Syntax::Block(block) => Some(StmtKind::Block(self.block(&block.block, &Sink::Nothing))),
            Syntax::While(walk) => {
                let condition = self.condition(&walk.cond);
                let body = self.loop_body(&walk.body);
                Some(StmtKind::While { condition, body })
            }
            Syntax::Loop(endless) => Some(StmtKind::Loop { body: self.loop_body(&endless.body) }),
            Syntax::ForLoop(walk) => self.count_loop(walk, span),
            Syntax::Break(_) | Syntax::Continue(_) => {
                if self.loops == 0 {
                    self.errors.at(
                        Code::OutsideLoop,
                        span,
                        "there is no loop here",
                        "`return` ends the body for this edge or vertex",
                    );
                }
                Some(if matches!(syntax, Syntax::Break(_)) { StmtKind::Break } else { StmtKind::Continue })
            }
            Syntax::Return(end) => self.end(end.expr.as_deref(), span),
            Syntax::Call(call) if is_call_of(call, "activate") => {
                self.only_in_kernels("activate", span);
                let arguments: Vec<Expr> = call.args.iter().map(|argument| self.expr(argument)).collect();
                if !self.count("activate", 1, arguments.len(), span) {
                    return;
                }
                arguments.into_iter().next().map(|mut vertex| {
                    self.same(Type::Vertex, &mut vertex);
                    StmtKind::Activate(vertex)
                })
            }
            Syntax::Call(call) if is_call_of(call, ASSERT) => self.assertion(call, span),
            Syntax::MethodCall(call) if self.names_global(&call.receiver) => {
                let before = self.errors.count();
                let kind = self.accumulate_method(call, span);
                if kind.is_none() && self.errors.count() == before {
                    return self.value_statement(syntax, span, out);
                }
                kind
            }
            _ => return self.value_statement(syntax, span, out),
        };
        out.extend(kind.map(|kind| Stmt { kind, span }));
    }

    fn assertion(&mut self, call: &ExprCall, span: Span) -> Option<StmtKind> {
        let (Some(condition), value, None) = (call.args.get(0), call.args.get(1), call.args.get(2)) else {
            self.errors.at(
                Code::Assertion,
                span,
                "an assertion has a condition, and at most one value",
                "write `assert!(condition)` or `assert!(condition, value)`",
            );
            return None;
        };
        let condition = self.condition(condition);
        let value = value.map(|value| {
            let mut value = self.expr(value);
            self.vertex_as_id(&mut value);
            self.types.demand(value.ty, OperandTypes::Ordered, value.span, "the value of an assertion");
            value
        });
        if let Some(value) =
            value.as_ref().filter(|value| value.any(&|inner| matches!(inner.kind, ExprKind::Update(_))))
        {
            let help = "bind it with `let` before the assertion";
            self.errors.at(
                Code::Assertion,
                value.span,
                "the value of an assertion is evaluated only if it fails",
                help,
            );
        }
        // The site's number is assigned after inference.
        Some(StmtKind::Assert { condition, value, site: 0 })
    }

    /// Lowers an expression used as a statement: only its effect counts.
    fn value_statement(&mut self, syntax: &Syntax, span: Span, out: &mut Vec<Stmt>) {
        let before = self.errors.count();
        let value = self.expr(syntax);
        if self.errors.count() == before && !value.any(&|expr| matches!(expr.kind, ExprKind::Update(_))) {
            self.errors.at(
                Code::UnusedValue,
                span,
                "the value of this expression is unused",
                "bind it with `let`, or leave it out",
            );
        }
        out.push(Stmt { kind: StmtKind::Expr(value), span });
    }

    fn choice(&mut self, choice: &ExprIf, sink: &Sink) -> StmtKind {
        let condition = self.condition(&choice.cond);
        let then = self.block(&choice.then_branch, sink);
        let otherwise = choice.else_branch.as_ref().map(|(_, otherwise)| match &**otherwise {
            Syntax::If(next) => {
                let kind = self.choice(next, sink);
                Block { statements: vec![Stmt { kind, span: Span::of(next) }] }
            }
            Syntax::Block(block) => self.block(&block.block, sink),
            _ => Block::default(),
        });
        if otherwise.is_none() && !matches!(sink, Sink::Nothing) {
            self.errors.at(
                Code::NoValue,
                Span::of(choice),
                "an `if` without `else` has no value",
                "write the `else` with its value",
            );
        }
        StmtKind::If { condition, then, otherwise }
    }

    fn loop_body(&mut self, body: &SynBlock) -> Block {
        self.loops += 1;
        let body = self.block(body, &Sink::Nothing);
        self.loops -= 1;
        body
    }

    fn count_loop(&mut self, walk: &ExprForLoop, span: Span) -> Option<StmtKind> {
        let mut range = &*walk.expr;
        while let Syntax::Paren(paren) = range {
            range = &paren.expr;
        }
        let Syntax::Range(range) = range else { return None };
        let (Some(start), Some(end)) = (&range.start, &range.end) else { return None };
        let start = self.expr(start);
        let mut end = self.expr(end);
        self.same(start.ty, &mut end);
        self.types.demand(start.ty, OperandTypes::Integer, start.span, "a loop's range");
        self.types.default_to_u32(start.ty);
        let inclusive = matches!(range.limits, RangeLimits::Closed(_));
        self.scopes.push(Default::default());
        let name = match &*walk.pat {
            Pat::Ident(name) => name.ident.clone(),
            _ => Ident::new("_round", span.start),
        };
        let local = self.bind(&name, start.ty, false, Role::Local);
        let body = self.loop_body(&walk.body);
        self.scopes.pop();
        Some(StmtKind::For { local, start, end, inclusive, body })
    }

    fn end(&mut self, value: Option<&Syntax>, span: Span) -> Option<StmtKind> {
        match (value, self.surroundings.attributes) {
            (Some(value), Some(_)) => {
                self.errors.at(Code::ReturnValue, Span::of(value), "a kernel returns nothing", "write `return;`");
                None
            }
            (None, None) => {
                self.errors.at(Code::ReturnValue, span, "the function returns a value", "write `return value;`");
                None
            }
            (None, Some(_)) => Some(StmtKind::Return(None)),
            (Some(value), None) => {
                let mut value = self.expr(value);
                self.same(self.surroundings.result, &mut value);
                Some(StmtKind::Return(Some(value)))
            }
        }
    }

    fn assign(&mut self, left: &Syntax, op: Option<BinaryOp>, right: &Syntax, span: Span) -> Option<StmtKind> {
        let place = match self.place(left) {
            Ok(Some(place)) => place,
            Ok(None) => {
                self.errors.at(
                    Code::StoreTarget,
                    Span::of(left),
                    "nothing can be stored here",
                    "store into an attribute or a `let mut`",
                );
                self.expr(right);
                return None;
            }
            Err(()) => {
                self.expr(right);
                return None;
            }
        };
        let ty = self.place_type(&place);
        let mut value = self.expr(right);
        match op {
            Some(BinaryOp::Shl | BinaryOp::Shr) => {
                self.types.demand(value.ty, operands(BinaryOp::Shl), value.span, "a shift");
                self.types.default_to_u32(value.ty);
            }
            _ => self.same(ty, &mut value),
        }
        if let Some(op) = op {
            self.types.demand(ty, operands(op), Span::of(left), format!("`{}=`", op.symbol()));
        }
        match place {
            TypedPlace::Local(local) => {
                self.changeable(local, left);
                Some(StmtKind::Assign { local, index: None, op, value, faults: OperationFaults::NONE })
            }
            TypedPlace::LocalElement(local, index) => {
                self.changeable(local, left);
                Some(StmtKind::Assign { local, index: Some(index), op, value, faults: OperationFaults::NONE })
            }
            TypedPlace::Element(element) => {
                let Some(op) = op else { return Some(StmtKind::Store { element, value }) };
                if let Some(op) = atomic(op) {
                    let update = Update { op, element, operands: vec![value], assignment: true, sum: None };
                    return Some(StmtKind::Expr(Expr { kind: ExprKind::Update(Box::new(update)), ty, span }));
                }
                let old = Expr { kind: ExprKind::Load(element.clone()), ty, span: Span::of(left) };
                let value = self.binary_of(op, old, value, span);
                Some(StmtKind::Store { element, value })
            }
            TypedPlace::Global(attribute, index) => {
                let (_, attributes) = self.surroundings.attributes?;
                let any = attributes.attributes[attribute].kind == AttributeKind::Global { merge: Merge::Any };
                match op.map(atomic) {
                    None if any => Some(StmtKind::Accumulate { attribute, index, op: None, value, assignment: true }),
                    Some(Some(op)) => {
                        Some(StmtKind::Accumulate { attribute, index, op: Some(op), value, assignment: true })
                    }
                    _ => {
                        self.errors.at(
                            Code::OtherMerge,
                            span,
                            "a `#[global]` is updated by its merge",
                            "write `+=` for sum, `|=` or `&=` for or and and, `.fetch_min(x)` or `.fetch_max(x)`",
                        );
                        None
                    }
                }
            }
            TypedPlace::Param(id, _) => {
                let (_, attributes) = self.surroundings.attributes?;
                let name = &attributes.attributes[id].name;
                self.errors.at(
                    Code::ReadOnly,
                    span,
                    format!("`{name}` is a `#[param]`: kernels only read it"),
                    "set it from the host with `run.set_param`, or make it a `#[global]` to bring a value back",
                );
                None
            }
            TypedPlace::EdgeValue(_) => {
                self.errors.at(
                    Code::ReadOnly,
                    span,
                    "an `#[edge]` value is the store's: kernels only read it",
                    "keep results in a `#[wa]`",
                );
                None
            }
        }
    }

    fn changeable(&self, local: LocalId, left: &Syntax) {
        let found = &self.locals[local];
        if !found.mutable {
            let help = match found.role {
                Role::Local => format!("write `let mut {}`", found.name),
                Role::Argument => format!("write `mut {}` in the signature", found.name),
                _ => "bind another vertex with `let`".to_owned(),
            };
            self.errors.at(Code::Immutable, Span::of(left), format!("`{}` cannot be changed", found.name), help);
        }
    }
}

fn atomic(op: BinaryOp) -> Option<UpdateOp> {
    match op {
        BinaryOp::Add => Some(UpdateOp::Add),
        BinaryOp::Sub => Some(UpdateOp::Sub),
        BinaryOp::BitAnd => Some(UpdateOp::And),
        BinaryOp::BitOr => Some(UpdateOp::Or),
        BinaryOp::BitXor => Some(UpdateOp::Xor),
        _ => None,
    }
}

fn is_call_of(call: &ExprCall, function: &str) -> bool {
    matches!(&*call.func, Syntax::Path(path) if path.path.is_ident(function))
}

/// Returns whether an `if` or block contains anything besides values.
fn has_statements(syntax: &Syntax) -> bool {
    match syntax {
        Syntax::Paren(paren) => has_statements(&paren.expr),
        Syntax::Group(group) => has_statements(&group.expr),
        Syntax::Block(block) => single(&block.block).is_none_or(has_statements),
        Syntax::If(choice) => {
            single(&choice.then_branch).is_none_or(has_statements)
                || choice.else_branch.as_ref().is_some_and(|(_, otherwise)| has_statements(otherwise))
        }
        _ => false,
    }
}
