//! Checks which attributes a kernel may read and write, and which values it may store.

use crate::analyse::locals::LocalValues;
use crate::analyse::uses::{self, Touch, Use, What};
use crate::errors::Errors;
use crate::ir::print::Printer;
use crate::ir::{
    Attribute, AttributeKind, BinaryOp, Block, Element, Expr, ExprKind, Kernel, KernelKind, Merge, Role, Site, Stmt,
    StmtKind, Type, Update, UpdateOp,
};

/// Checks every access of the body.
pub(crate) fn check(kernel: &Kernel, errors: &Errors) {
    let values = LocalValues::of(&kernel.body, &kernel.locals);
    let checker = AccessChecker { kernel, values: &values, printer: Printer::kernel(kernel), errors };
    for touch in uses::touches(&kernel.body, &values) {
        match kernel.attributes.attributes[touch.attribute].kind {
            AttributeKind::Ra { .. } => checker.ra(&touch),
            AttributeKind::Wa { merge, .. } => checker.update(&touch, merge),
            AttributeKind::EdgeWa { merge, .. } => checker.of_edge(&touch, merge),
            _ => {}
        }
    }
    checker.stores(&kernel.body, &mut Vec::new());
}

struct AccessChecker<'a> {
    kernel: &'a Kernel,
    values: &'a LocalValues<'a>,
    printer: Printer<'a>,
    errors: &'a Errors,
}

impl<'a> AccessChecker<'a> {
    fn attribute(&self, id: usize) -> &'a Attribute {
        &self.kernel.attributes.attributes[id]
    }

    /// Checks accesses to an `#[ra]`: it is read only with the page of its own vertex, and no kernel writes it.
    fn ra(&self, touch: &Touch<'_>) {
        let name = &self.attribute(touch.attribute).name;
        let own = if self.kernel.kind == KernelKind::Vertex { Site::V } else { Site::Src };
        match touch.what {
            What::Load if touch.site == own => {}
            What::Load => {
                let role = if own == Site::Src { Role::Src } else { Role::V };
                let local = self.kernel.parameter(role).map(|local| self.kernel.locals[local].name.to_string());
                let vertex = match self.kernel.kind {
                    KernelKind::Intersect => "u".to_owned(),
                    _ => local.unwrap_or_else(|| "v".to_owned()),
                };
                self.errors.at(
                    touch.span,
                    format!("`{name}` is an `#[ra]`: it is read at `{vertex}` only, beside whose page it lies"),
                    format!("make it a `#[wa]` to read it at any vertex, or read it at `{vertex}`"),
                );
            }
            _ => self.errors.at(
                touch.span,
                format!("`{name}` is an `#[ra]`: kernels only read it"),
                "write the `#[wa]` that it comes `from`, and call `run.rotate`, or make it a `#[wa]`",
            ),
        }
    }

    /// Checks that updates use the declared merge, except at the own vertex of a vertex kernel and in racy kernels.
    fn update(&self, touch: &Touch<'_>, merge: Merge) {
        let What::Update { update, .. } = touch.what else { return };
        let op = update.op;
        if touch.site == Site::V || self.kernel.racy || uses::is_merge(op, merge) {
            return;
        }
        let attribute = self.attribute(touch.attribute);
        let word = op.assignment().unwrap_or(op.method());
        let help = format!("{}; or declare another `merge`", operation(merge));
        self.errors.at(
            touch.span,
            format!("`{}` merges by `{}`, and `{word}` does not", attribute.name, merge.name()),
            help,
        );
    }

    /// Checks accesses to the value of an edge: only merges, only in kernels that visit each edge once, and no reads.
    fn of_edge(&self, touch: &Touch<'_>, merge: Merge) {
        let name = &self.attribute(touch.attribute).name;
        let by_merge = operation(merge);
        let (what, help) = match touch.what {
            _ if !matches!(self.kernel.kind, KernelKind::Intersect) => (
                format!("`{name}` is updated in `intersect` kernels, and read by the host"),
                "write an `intersect` kernel, or keep a value for each vertex".to_owned(),
            ),
            What::Load => (
                format!(
                    "`{name}` cannot be read in a kernel: no thread knows the value of an edge before the pass ends"
                ),
                "let the host take it with `run.take_edges`".to_owned(),
            ),
            What::Store { .. } => (format!("`{name}` is updated by its merge"), by_merge.to_owned()),
            What::Update { update: Update { op, .. }, .. } if !uses::is_merge(*op, merge) => (
                format!(
                    "`{name}` merges by `{}`, and `{}` does not",
                    merge.name(),
                    op.assignment().unwrap_or(op.method())
                ),
                format!("{by_merge}; or declare another `merge`"),
            ),
            What::Update { result: Use::Unused, .. } => return,
            What::Update { .. } => (
                format!("the value of `{name}` before an update is not known"),
                "leave the result unused; the host takes the values with `run.take_edges`".to_owned(),
            ),
        };
        self.errors.at(touch.span, what, help);
    }

    fn stores(&self, block: &'a Block, conditions: &mut Vec<&'a Expr>) {
        for statement in &block.statements {
            match &statement.kind {
                StmtKind::Store { element, value } => self.store(statement, element, value, conditions),
                StmtKind::Accumulate { attribute, op: Some(op), .. } => self.accumulate(statement, *attribute, *op),
                _ => {}
            }
            if let StmtKind::If { condition, .. } = &statement.kind {
                conditions.push(condition);
                statement.blocks().for_each(|block| self.stores(block, conditions));
                conditions.pop();
            } else {
                statement.blocks().for_each(|block| self.stores(block, conditions));
            }
        }
    }

    fn accumulate(&self, statement: &Stmt, attribute: usize, op: UpdateOp) {
        let attribute = self.attribute(attribute);
        let Some(merge) = attribute.kind.merge() else { return };
        if merge == Merge::Any || !uses::is_merge(op, merge) {
            let word = op.assignment().unwrap_or(op.method());
            self.errors.at(
                statement.span,
                format!("`{}` merges by `{}`, and `{word}` does not", attribute.name, merge.name()),
                format!("{}; or declare another `merge`", operation(merge)),
            );
        }
    }

    /// Checks a plain store: it is valid if every thread that could store there stores the same value.
    fn store(&self, statement: &Stmt, element: &Element, value: &Expr, conditions: &[&Expr]) {
        let attribute = self.attribute(element.attribute);
        let AttributeKind::Wa { merge, .. } = attribute.kind else { return };
        let own = self.values.site(&element.vertex) == Site::V;
        if own || self.kernel.racy || merge == Merge::Any || self.uniform(value, &element.vertex) {
            return;
        }
        let place = self.printer.place(element);
        let text = self.printer.expr(value);
        if let Some((what, help)) = self.by_hand(element, value, conditions, &place) {
            return self.errors.at(statement.span, what, help);
        }
        self.errors.at(
            statement.span,
            format!("`{text}` differs from edge to edge, and another thread may store at the same vertex"),
            format!("{}; or declare `merge = any` if any of the values will do", example(merge, &place, &text)),
        );
    }

    /// Detects a read, a decision and a store that another thread can interrupt.
    fn by_hand(&self, element: &Element, value: &Expr, conditions: &[&Expr], place: &str) -> Option<(String, String)> {
        let loads = |expr: &Expr| self.loads(expr, element);
        if loads(value) {
            let what = "between this read and this store another thread may store here".to_owned();
            let help = match &value.kind {
                ExprKind::Binary { op, left, right, .. } => {
                    let other = if loads(left) { right } else { left };
                    let assignment = match op {
                        BinaryOp::Add | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => true,
                        BinaryOp::Sub => loads(left),
                        _ => false,
                    };
                    assignment.then(|| format!("write `{place} {}= {}`", op.symbol(), self.printer.expr(other)))
                }
                ExprKind::Math(method @ (crate::ir::MathMethod::Min | crate::ir::MathMethod::Max), operands, _) => {
                    let other = if loads(&operands[0]) { &operands[1] } else { &operands[0] };
                    Some(format!("write `{place}.fetch_{}({})`", method.name(), self.printer.expr(other)))
                }
                _ => None,
            };
            return Some((what, help.unwrap_or_else(|| "write one update, such as `+=` or `fetch_min`".to_owned())));
        }
        let text = self.printer.expr(value);
        let asked = conditions.iter().find_map(|condition| self.comparison(condition, element, &text))?;
        let what = "between the comparison and this store another thread may store here".to_owned();
        Some((what, format!("write `{place}.{}({text})`, which gives the old value to compare with", asked.method())))
    }

    /// Returns the update that is equivalent to the store under this condition.
    fn comparison(&self, condition: &Expr, element: &Element, value: &str) -> Option<UpdateOp> {
        let ExprKind::Binary { op, left, right, .. } = &condition.kind else { return None };
        if *op == BinaryOp::And {
            return self.comparison(left, element, value).or_else(|| self.comparison(right, element, value));
        }
        let stored = |expr: &Expr| self.printer.expr(expr) == value;
        let value_first = stored(left) && self.loads(right, element);
        let value_last = stored(right) && self.loads(left, element);
        if !value_first && !value_last {
            return None;
        }
        match (op, value_first) {
            (BinaryOp::Lt | BinaryOp::Le, true) | (BinaryOp::Gt | BinaryOp::Ge, false) => Some(UpdateOp::Min),
            (BinaryOp::Gt | BinaryOp::Ge, true) | (BinaryOp::Lt | BinaryOp::Le, false) => Some(UpdateOp::Max),
            _ => None,
        }
    }

    fn loads(&self, expr: &Expr, element: &Element) -> bool {
        let found = expr.any(&|inner| match &inner.kind {
            ExprKind::Load(other) => {
                other.attribute == element.attribute && self.values.same_vertex(&other.vertex, &element.vertex)
            }
            _ => false,
        });
        found || self.through_local(expr).is_some_and(|value| self.loads(value, element))
    }

    /// Returns the value of an expression that is one immutable local.
    fn through_local(&self, expr: &Expr) -> Option<&'a Expr> {
        match expr.kind {
            ExprKind::Local(local) => self.values.get(local),
            _ => None,
        }
    }

    /// Returns whether the value depends only on the pass and the identity of the vertex where it is stored.
    fn uniform(&self, value: &Expr, vertex: &Expr) -> bool {
        match &value.kind {
            ExprKind::Local(_) if value.ty == Type::Vertex => self.values.same_vertex(value, vertex),
            ExprKind::Local(local) => match self.values.role(*local) {
                Role::Local => self.values.get(*local).is_some_and(|value| self.uniform(value, vertex)),
                _ => false,
            },
            ExprKind::VertexId(v) | ExprKind::OutDegree(v) | ExprKind::InDegree(v) => {
                self.values.same_vertex(v, vertex)
            }
            ExprKind::Load(_)
            | ExprKind::EdgeValue(_)
            | ExprKind::Position
            | ExprKind::Captured(_)
            | ExprKind::Update(_)
            | ExprKind::NewVertex(..)
            | ExprKind::ArrayElement(..) => false,
            _ => {
                let mut uniform = true;
                value.operands(&mut |operand| uniform &= self.uniform(operand, vertex));
                uniform
            }
        }
    }
}

/// Returns a hint how to update an attribute with this merge.
fn operation(merge: Merge) -> &'static str {
    match merge {
        Merge::Sum => "write `+=`, `-=`, `fetch_add` or `fetch_sub`",
        Merge::Min => "write `fetch_min`",
        Merge::Max => "write `fetch_max`",
        Merge::Or => "write `|=` or `fetch_or`",
        Merge::And => "write `&=` or `fetch_and`",
        Merge::Any => "write a plain store, `swap` or `compare_exchange`",
    }
}

/// Returns the update that replaces a store, as a hint.
fn example(merge: Merge, place: &str, value: &str) -> String {
    match merge {
        Merge::Sum => format!("write `{place} += {value}`"),
        Merge::Min => format!("write `{place}.fetch_min({value})`"),
        Merge::Max => format!("write `{place}.fetch_max({value})`"),
        Merge::Or => format!("write `{place} |= {value}`"),
        Merge::And => format!("write `{place} &= {value}`"),
        Merge::Any => format!("write `{place} = {value}`"),
    }
}
