//! The settled form of an edge kernel that reads values that are still changing. It is the text of two kernels: an edge
//! kernel that writes and activates, and a vertex kernel that reads the values after the pass.

use crate::analyse::class::classify;
use crate::analyse::locals::LocalValues;
use crate::ir::print::Printer;
use crate::ir::{
    Attribute, Block, Expr, ExprKind, Kernel, KernelKind, Literal, LocalId, Merge, Race, Role, Site, Span, Stmt,
    StmtKind, Type, Update, UpdateOp,
};
use crate::parse::kernel::{KernelItem, TypeArgument};
use proc_macro2::Ident;
use quote::ToTokens;
use std::fmt::Write;
use syn::ext::IdentExt;

/// Returns the settled form, indented for an error message. `None` if no equivalent form is known: for example, if the
/// refused statement depends on more than the values of `dst`, or if the rest of the body would be refused, too.
/// `arguments` are the arguments of the user's `#[gts_kernel]`.
pub(super) fn form(item: &KernelItem, arguments: &str, kernel: &Kernel, race: Race) -> Option<String> {
    let dst = kernel.parameter(Role::Dst).filter(|_| kernel.kind.has_edges() && !item.gather)?;
    let span = match race {
        Race::Read { span, .. } | Race::Counts { span, .. } | Race::Raced { span, .. } => span,
        Race::Timed { .. } | Race::Against { .. } | Race::Shuts { .. } => return None,
    };
    let mut edges = kernel.clone();
    let body = std::mem::take(&mut edges.body);
    let mut cut = StatementCut { values: LocalValues::of(&kernel.body, &kernel.locals), dst, span, found: None };
    edges.body = cut.block(body);
    let (looks, widens) = cut.found?;
    let other = edges.body.statements.iter().any(computed_by_branches) || computed_by_branches(&looks);
    // The edge kernel's only activation must accompany the statement, so that the vertex kernel visits the right
    // vertices. If the user wrote this activation, the vertex kernel must not activate: it would change the frontier.
    let visits = activations(&edges.body) == 1 && (widens || !activates(&looks));
    if other || !visits || classify(&edges).race.is_some() {
        return None;
    }
    let looks = of_vertices(kernel, looks, dst)?;
    text(item, arguments, kernel, &edges, Block { statements: looks }, dst)
}

/// Removes the refused statement from a body.
struct StatementCut<'a> {
    values: LocalValues<'a>,
    dst: LocalId,
    span: Span,
    /// The removed statement, and whether an activation was inserted in its place.
    found: Option<(Stmt, bool)>,
}

impl StatementCut<'_> {
    fn block(&mut self, block: Block) -> Block {
        let activated = block.statements.iter().any(|statement| match &statement.kind {
            StmtKind::Activate(vertex) => self.values.site(vertex) == Site::Dst,
            _ => false,
        });
        let mut statements = Vec::new();
        for mut statement in block.statements {
            if self.found.is_none() && self.fails(&statement) {
                statements.extend(self.taken(statement, activated));
                continue;
            }
            statement.blocks_mut().for_each(|inner| *inner = self.block(std::mem::take(inner)));
            statements.push(statement);
        }
        Block { statements }
    }

    /// Returns whether to remove the statement: the refused effect, or an `if` whose condition uses the refused read.
    fn fails(&self, statement: &Stmt) -> bool {
        let reads = |expr: &Expr| expr.any(&|inner| inner.span.is_at(self.span));
        match &statement.kind {
            StmtKind::If { condition, .. } => {
                reads(condition)
                    || condition.any(&|inner| match inner.kind {
                        ExprKind::Local(local) => self.values.get(local).is_some_and(reads),
                        _ => false,
                    })
            }
            StmtKind::Expr(expr) => expr.span.is_at(self.span),
            StmtKind::Store { .. } | StmtKind::Accumulate { .. } => statement.span.is_at(self.span),
            _ => false,
        }
    }

    /// Moves a statement to the vertex kernel. Returns the statements that replace it in the edge kernel.
    fn taken(&mut self, mut statement: Stmt, activated: bool) -> Vec<Stmt> {
        let mut kept = Vec::new();
        if let StmtKind::If { condition, .. } = &mut statement.kind {
            kept.extend(self.counted(condition));
        }
        let span = statement.span;
        self.found = Some((statement, !activated));
        if !activated {
            let dst = Expr { kind: ExprKind::Local(self.dst), ty: Type::Vertex, span };
            kept.push(Stmt { kind: StmtKind::Activate(dst), span });
        }
        kept
    }

    /// Compares the sum after an update instead of the old value that the update returns. Returns the update as a
    /// statement of its own.
    fn counted(&self, condition: &mut Expr) -> Option<Stmt> {
        let ExprKind::Binary { op, left, right, .. } = &mut condition.kind else { return None };
        let ExprKind::Update(update) = &left.kind else { return None };
        let Update { op: added, element, operands, .. } = &**update;
        let (ExprKind::Literal(Literal::Int(term)), ExprKind::Literal(Literal::Int(bound))) =
            (&operands.first()?.kind, &right.kind)
        else {
            return None;
        };
        let bound = match added {
            UpdateOp::Add => bound.checked_add(*term)?,
            UpdateOp::Sub => bound.checked_sub(*term)?,
            _ => return None,
        };
        let (least, largest) = left.ty.scalar()?.range()?;
        if !op.compares() || bound < least || bound > largest {
            return None;
        }
        let update = Update { assignment: true, ..(**update).clone() };
        let load = Expr { kind: ExprKind::Load(element.clone()), ..(**left).clone() };
        let kept = Expr { kind: ExprKind::Update(Box::new(update)), ..(**left).clone() };
        **left = load;
        right.kind = ExprKind::Literal(Literal::Int(bound));
        Some(Stmt { kind: StmtKind::Expr(kept), span: self.span })
    }
}

/// Returns whether the statement contains a local that the branches of an `if` compute. The text of such a local
/// would be refused as a `let` without a value.
fn computed_by_branches(statement: &Stmt) -> bool {
    let mut found = matches!(statement.kind, StmtKind::Let { init: None, .. });
    statement
        .blocks()
        .for_each(|block| block.walk(&mut |inner| found |= matches!(inner.kind, StmtKind::Let { init: None, .. })));
    found
}

fn activates(statement: &Stmt) -> bool {
    matches!(statement.kind, StmtKind::Activate(_)) || statement.blocks().any(|block| activations(block) > 0)
}

fn activations(block: &Block) -> usize {
    let mut count = 0;
    block.walk(&mut |statement| count += usize::from(matches!(statement.kind, StmtKind::Activate(_))));
    count
}

/// Returns the statement for the vertex kernel, preceded by the `let`s of the locals that it uses. `None` if the
/// statement leaves the body, or depends on the edge, on `src`, on the step, or on a local read during the pass.
fn of_vertices(kernel: &Kernel, statement: Stmt, dst: LocalId) -> Option<Vec<Stmt>> {
    let values = LocalValues::of(&kernel.body, &kernel.locals);
    let block = Block { statements: vec![statement] };
    let mut own = Vec::new();
    let mut stays = true;
    block.walk(&mut |inner| match &inner.kind {
        StmtKind::Let { local, .. } | StmtKind::For { local, .. } => own.push(*local),
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => stays = false,
        _ => {}
    });
    let mut needed: Vec<LocalId> = Vec::new();
    let mut unseen = Vec::new();
    block.expressions(&mut |expr| unseen.push(expr.clone()));
    while let Some(expr) = unseen.pop() {
        expr.walk(&mut |inner| match &inner.kind {
            ExprKind::Local(local) | ExprKind::ArrayElement(local, _) if *local != dst && !own.contains(local) => {
                match values.get(*local) {
                    Some(value) if kernel.locals[*local].role == Role::Local => {
                        if !needed.contains(local) {
                            needed.push(*local);
                            unseen.push(value.clone());
                        }
                    }
                    _ => stays = false,
                }
            }
            ExprKind::Load(element) => stays &= values.site(&element.vertex) == Site::Dst,
            ExprKind::Update(update) => stays &= values.site(&update.element.vertex) == Site::Dst,
            ExprKind::EdgeValue(_) | ExprKind::Position | ExprKind::Captured(_) | ExprKind::NewVertex(..) => {
                stays = false
            }
            // After the pass, `step()` returns the number of the next step.
            ExprKind::Step | ExprKind::Random(..) => stays = false,
            ExprKind::Call(function, _) => stays &= !timed(&kernel.functions[*function].body),
            _ => {}
        });
    }
    // A value read during the pass may differ from the value after the pass.
    let reads = |local: &LocalId| {
        let reads = |inner: &Expr| matches!(inner.kind, ExprKind::Load(_) | ExprKind::Update(_));
        values.get(*local).is_some_and(|value| value.any(&reads))
    };
    if !stays || needed.iter().any(reads) {
        return None;
    }
    let mut lets = Vec::new();
    kernel.body.walk(&mut |statement| {
        if let StmtKind::Let { local, .. } = &statement.kind
            && needed.contains(local)
        {
            lets.push(statement.clone());
        }
    });
    lets.extend(block.statements);
    Some(lets)
}

/// Returns whether a function may depend on the step.
fn timed(body: &Block) -> bool {
    let mut found = false;
    body.expressions(&mut |expr| {
        found |= expr.any(&|inner| matches!(inner.kind, ExprKind::Step | ExprKind::Random(..) | ExprKind::Call(..)));
    });
    found
}

/// Prints both kernels, and the calls that run them.
fn text(
    item: &KernelItem,
    arguments: &str,
    kernel: &Kernel,
    edges: &Kernel,
    looks: Block,
    dst: LocalId,
) -> Option<String> {
    let name = &item.name;
    let (generics, argument) = match &item.argument {
        TypeArgument::None => (String::new(), String::new()),
        TypeArgument::Parameter(parameter) => (format!("<{parameter}>"), format!("<{parameter}>")),
        TypeArgument::Fixed(scalar) => (String::new(), format!("<{scalar}>")),
    };
    let visibility = item.visibility.to_token_stream().to_string();
    let visibility = if visibility.is_empty() { visibility } else { format!("{visibility} ") };
    let structure = item.structure.to_token_stream().to_string().replace(' ', "");
    let first = format!("{}: &mut {structure}{argument}", item.receiver);
    let of = |role: Role| if role == Role::Edge { "Edge" } else { "Vertex" };
    let parameters: Vec<String> = item.parameters.iter().map(|(name, role)| format!("{name}: {}", of(*role))).collect();
    let taken = |name: &str| item.receiver == name || kernel.locals.iter().any(|local| local.name == name);
    let mut renamed = kernel.clone();
    if !taken("v") {
        renamed.locals[dst].name = Ident::new("v", kernel.locals[dst].name.span());
    }
    let v = renamed.locals[dst].name.clone();
    let mut lines = Vec::new();
    lines.push(format!("#[gts_kernel({arguments})]"));
    lines.push(format!("{visibility}fn {name}{generics}({first}, {}) {{", parameters.join(", ")));
    block(&edges.body, &Printer::kernel(edges), 1, &mut lines);
    lines.push("}".to_owned());
    lines.push(String::new());
    lines.push("#[gts_kernel(vertex)]".to_owned());
    lines.push(format!("{visibility}fn {name}_settled{generics}({first}, {v}: Vertex) {{"));
    block(&looks, &Printer::kernel(&renamed), 1, &mut lines);
    lines.push("}".to_owned());
    lines.push(String::new());
    calls(item, kernel, &looks, &mut lines)?;
    let mut text = String::new();
    for line in lines {
        // Writing to a string does not fail.
        let _ = if line.is_empty() { writeln!(text) } else { writeln!(text, "    {line}") };
    }
    Some(text)
}

/// Prints the calls that run both kernels. For a traversal, the host adds up the values of the globals after each step.
/// `None` if such a global is an array, or does not merge by `sum`.
fn calls(item: &KernelItem, kernel: &Kernel, looks: &Block, lines: &mut Vec<String>) -> Option<()> {
    let name = &item.name;
    if kernel.kind != KernelKind::Traverse {
        lines.push(format!("run.scan({name})?;"));
        lines.push(format!("run.apply_active({name}_settled)?;"));
        return Some(());
    }
    let mut globals = Vec::new();
    looks.walk(&mut |statement| {
        if let StmtKind::Accumulate { attribute, .. } = &statement.kind
            && !globals.contains(attribute)
        {
            globals.push(*attribute);
        }
    });
    let globals: Vec<_> = globals.into_iter().map(|global| &kernel.attributes.attributes[global]).collect();
    if globals.iter().any(|global| global.kind.merge() != Some(Merge::Sum) || global.length.is_some()) {
        return None;
    }
    let zero = |global: &&Attribute| if global.scalar.is_float() { "0.0" } else { "0" };
    lines.extend(globals.iter().map(|global| format!("let mut {} = {};", global.name, zero(global))));
    lines.push("while run.frontier_size()? > 0 {".to_owned());
    lines.push(format!("    run.advance({name})?;"));
    lines.push(format!("    run.apply_active({name}_settled)?;"));
    let structure = &kernel.attributes.name;
    lines.extend(globals.iter().map(|global| {
        let constant = global.name.unraw().to_string().to_uppercase();
        format!("    {} += run.global({structure}::{constant})?;", global.name)
    }));
    lines.push("}".to_owned());
    Some(())
}

/// Prints the statements of a block, one per line.
fn block(of: &Block, printer: &Printer<'_>, depth: usize, lines: &mut Vec<String>) {
    let indent = "    ".repeat(depth);
    for statement in &of.statements {
        lines.push(format!("{indent}{}", printer.head(statement)));
        let mut inner = statement.blocks();
        if let Some(first) = inner.next() {
            block(first, printer, depth + 1, lines);
            if let Some(second) = inner.next() {
                lines.push(format!("{indent}}} else {{"));
                block(second, printer, depth + 1, lines);
            }
            lines.push(format!("{indent}}}"));
        }
    }
}
