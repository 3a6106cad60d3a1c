//! Statements in CUDA C. Each statement follows a comment with the user's statement.

use super::scope::Scope;
use super::text::CodeText;
use super::types;
use crate::analyse::range::bounds;
use crate::ir::{
    AttributeId, AttributeKind, BinaryOp, Block, Expr, ExprKind, Index, LocalId, Merge, OperationFaults, ScalarType,
    Stmt, StmtKind, Type, UpdateOp,
};

/// Maximum magnitude of a small term. A sum of fewer than 2^47 small terms fits into 64 bits.
const SMALL: i128 = 1 << 16;
/// Maximum length of arrays whose loops are unrolled completely, so that the array stays in registers.
const SHORT: u32 = 16;

impl Scope<'_> {
    /// Writes the statements of a block.
    pub(super) fn block(&self, text: &mut CodeText, block: &Block) {
        for statement in &block.statements {
            self.statement(text, statement);
        }
    }

    fn statement(&self, text: &mut CodeText, statement: &Stmt) {
        if !matches!(statement.kind, StmtKind::Block(_)) {
            text.line(&format!("// {}", self.printer.head(statement)));
        }
        match &statement.kind {
            StmtKind::Let { local, init: Some(init) } => {
                text.line(&format!("{} = {};", self.declaration(*local), self.expr(init)));
            }
            StmtKind::Let { local, init: None } => text.line(&format!("{};", self.declaration(*local))),
            StmtKind::Assign { local, index, op, value, faults } => {
                let line = self.assignment(*local, index.as_ref(), *op, value, *faults);
                text.line(&line);
            }
            StmtKind::Store { element, value } => {
                text.line(&format!("{} = {};", self.place(element), self.expr(value)));
            }
            StmtKind::Accumulate { attribute, index, op, value, .. } => {
                let line = self.accumulation(*attribute, index.as_ref(), *op, value);
                text.line(&line);
            }
            StmtKind::Activate(vertex) => text.line(&format!("gts_activate(gts, {});", self.expr(vertex))),
            StmtKind::Assert { condition, value, site } => {
                text.open(&format!("if (!({})) {{", self.expr(condition)));
                let value = value.as_ref().map_or_else(|| "0".to_owned(), |value| self.reported(value));
                text.line(&format!("gts_report(gts, gts_at, {site}u, {value});"));
                text.line(&self.nothing);
                text.close("}");
            }
            StmtKind::If { condition, then, otherwise } => {
                text.open(&format!("if ({}) {{", self.expr(condition)));
                self.block(text, then);
                self.otherwise(text, otherwise.as_ref());
            }
            StmtKind::While { condition, body } => {
                self.endless(text, &format!("({}) && ", self.expr(condition)), body);
            }
            StmtKind::Loop { body } => self.endless(text, "", body),
            StmtKind::For { local, start, end, inclusive, body } => {
                self.for_each(text, *local, (start, end, *inclusive), statement.may_never_end(), body);
            }
            StmtKind::Break => text.line("break;"),
            StmtKind::Continue => text.line("continue;"),
            StmtKind::Return(None) => text.line(&self.nothing),
            StmtKind::Return(Some(value)) => text.line(&format!("return {};", self.expr(value))),
            StmtKind::Expr(value) => text.line(&format!("{};", self.expr(value))),
            StmtKind::Block(block) => {
                text.open("{");
                self.block(text, block);
                text.close("}");
            }
        }
    }

    /// Writes the `else` branches of an `if` whose first block is still open, and closes the block.
    fn otherwise(&self, text: &mut CodeText, otherwise: Option<&Block>) {
        match otherwise.map(|block| block.statements.as_slice()) {
            None => text.close("}"),
            Some([Stmt { kind: StmtKind::If { condition, then, otherwise }, .. }]) => {
                text.reopen(&format!("}} else if ({}) {{", self.expr(condition)));
                self.block(text, then);
                self.otherwise(text, otherwise.as_ref());
            }
            Some(statements) => {
                text.reopen("} else {");
                statements.iter().for_each(|statement| self.statement(text, statement));
                text.close("}");
            }
        }
    }

    /// Returns the condition for another round of a loop that may never end. At intervals, the condition checks whether
    /// the host has stopped the pass and whether the body has faulted.
    fn goes_on(&self) -> &'static str {
        if self.kernel.can_fault() { "gts_left.body_goes_on(gts, gts_at)" } else { "gts_left.go_on(gts)" }
    }

    /// Writes a loop that may never end.
    fn endless(&self, text: &mut CodeText, condition_and: &str, body: &Block) {
        text.open(&format!("for (gts_rounds gts_left; {condition_and}{};) {{", self.goes_on()));
        self.block(text, body);
        text.close("}");
    }

    /// Writes a loop over a range. The bounds are evaluated once. The bound of an inclusive range may be the largest
    /// value of its type.
    fn for_each(
        &self,
        text: &mut CodeText,
        local: LocalId,
        range: (&Expr, &Expr, bool),
        may_never_end: bool,
        body: &Block,
    ) {
        let (start, end, inclusive) = range;
        let ty = self.type_of(local);
        // A separate counter protects the loop from assignments to the variable in the body.
        let counter = if self.is_mutable(local) { "gts_counter" } else { self.locals[local].as_str() };
        let (start, end) = (self.expr(start), self.expr(end));
        // A bound that has wrapped may keep the loop going.
        let goes_on = if may_never_end { format!(" && {}", self.goes_on()) } else { String::new() };
        if may_never_end {
            text.open("{");
            text.line("gts_rounds gts_left;");
        }
        if let Some(copies) = copies(body) {
            text.directive(&format!("#pragma unroll {copies}"));
        }
        if inclusive {
            text.open(&format!(
                "for (gts_range<{ty}> gts_all({start}, {end}); gts_all.left{goes_on}; gts_all.step()) {{"
            ));
            text.line(&format!("{ty} {} = gts_all.at;", self.locals[local]));
        } else {
            let condition = format!("{counter} < gts_end{goes_on}");
            text.open(&format!("for ({ty} {counter} = {start}, gts_end = {end}; {condition}; {counter}++) {{"));
            if self.is_mutable(local) {
                text.line(&format!("{ty} {} = {counter};", self.locals[local]));
            }
        }
        self.block(text, body);
        text.close("}");
        if may_never_end {
            text.close("}");
        }
    }

    fn assignment(
        &self,
        local: LocalId,
        index: Option<&Index>,
        op: Option<BinaryOp>,
        value: &Expr,
        faults: OperationFaults,
    ) -> String {
        let place = match index {
            Some(index) => format!("{}[{}]", self.locals[local], self.index(index)),
            None => self.locals[local].clone(),
        };
        let Some(op) = op else { return format!("{place} = {};", self.expr(value)) };
        let (kind, ty) = match (index, self.ty(local)) {
            (Some(index), Type::Array(of, _)) => {
                (ExprKind::ArrayElement(local, Box::new(index.clone())), Type::Scalar(of))
            }
            (_, ty) => (ExprKind::Local(local), ty),
        };
        let old = Expr { kind, ty, span: value.span };
        let kind = ExprKind::Binary { op, left: Box::new(old), right: Box::new(value.clone()), faults };
        format!("{place} = {};", self.expr(&Expr { kind, ty, span: value.span }))
    }

    fn accumulation(
        &self,
        attribute: AttributeId,
        index: Option<&Index>,
        op: Option<UpdateOp>,
        value: &Expr,
    ) -> String {
        let of = self.kernel.attributes.attributes[attribute].scalar;
        let mut value_text = self.expr(value);
        if of == ScalarType::VertexId {
            value_text = format!("gts_widen({value_text})");
        }
        if op == Some(UpdateOp::Sub) {
            value_text = format!("-({}::cell)({value_text})", self.merge(attribute));
        }
        match index {
            None => format!("{}.merge({value_text});", self.names.total(attribute)),
            Some(index) => format!(
                "gts_global_array<{}>::merge({}, {}, {value_text});",
                self.merge(attribute),
                self.names.field(attribute),
                self.index(index)
            ),
        }
    }

    /// Converts a value to the 64-bit integer that a fault contains.
    fn reported(&self, value: &Expr) -> String {
        let text = self.expr(value);
        match value.ty.scalar() {
            Some(ScalarType::F32) => format!("(i64)__float_as_uint({text})"),
            Some(ScalarType::F64) => format!("__double_as_longlong({text})"),
            Some(ScalarType::VertexId) => format!("(i64)gts_widen({text})"),
            _ => format!("(i64)({text})"),
        }
    }

    /// Returns the negated value, which is added to subtract `value` from an attribute.
    pub(super) fn negated(&self, value: &str, attribute: AttributeId) -> String {
        let float = self.kernel.attributes.attributes[attribute].scalar.is_float();
        if float { format!("-({value})") } else { format!("gts_neg({value})") }
    }

    /// Returns the prelude type that merges a global or an edge value.
    pub(super) fn merge(&self, attribute: AttributeId) -> String {
        let declared = &self.kernel.attributes.attributes[attribute];
        let merge = match declared.kind.merge() {
            Some(Merge::Sum) => "add",
            Some(Merge::Min) => "min",
            Some(Merge::Max) => "max",
            Some(Merge::Or) => "or",
            Some(Merge::And) => "and",
            Some(Merge::Any) | None => "any",
        };
        // Globals store vertex numbers in 64 bits, whatever the graph.
        let of = if declared.scalar == ScalarType::VertexId { "u64" } else { types::scalar(declared.scalar) };
        let short = if self.adds_small_terms(attribute) { "_short" } else { "" };
        format!("gts_merge_{merge}{short}<{of}>")
    }

    /// Returns whether the attribute is a global with a sum of 64-bit integers, and each term is small enough that the
    /// sum of a block fits into 64 bits.
    fn adds_small_terms(&self, attribute: AttributeId) -> bool {
        let declared = &self.kernel.attributes.attributes[attribute];
        let is_wide = matches!(declared.kind, AttributeKind::Global { merge } if merge.has_wide_total(declared.scalar));
        if !is_wide || declared.length.is_some() {
            return false;
        }
        let mut small = true;
        self.kernel.body.walk(&mut |statement| {
            if let StmtKind::Accumulate { attribute: of, value, .. } = &statement.kind
                && *of == attribute
            {
                let bounds = bounds(self.kernel, value);
                small &= bounds.is_some_and(|(least, largest)| -SMALL <= least && largest <= SMALL);
            }
        });
        small
    }
}

/// Returns the maximum number of unrolled copies of a loop's body, if the loop iterates over a long array. With a copy
/// per element, a program takes a minute to compile. A few copies let loads overlap.
fn copies(body: &Block) -> Option<u32> {
    let (mut long, mut inner) = (false, false);
    let known = |index: &Index| matches!(index.value.kind, ExprKind::Literal(_));
    body.indices(&mut |index| long |= index.length > SHORT && !known(index));
    body.walk(&mut |statement| inner |= matches!(statement.kind, StmtKind::For { .. }));
    long.then_some(if inner { 1 } else { 4 })
}
