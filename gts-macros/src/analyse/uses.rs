//! The attributes that a body accesses, with vertex and kind of access.

use super::locals::LocalValues;
use crate::ir::{
    Access, Attribute, AttributeId, BinaryOp, Block, Element, Expr, ExprKind, Merge, Side, Site, Span,
    SpannedAttributeUse, SpannedDegreeUse, Stmt, StmtKind, UnaryOp, Update, UpdateOp,
};

/// One access to a `wa` or `ra` in a body.
pub(crate) struct Touch<'a> {
    pub(crate) attribute: AttributeId,
    pub(crate) site: Site,
    pub(crate) what: What<'a>,
    /// The expression of a read or an update. `None` for a store, which is a statement.
    pub(crate) expr: Option<&'a Expr>,
    pub(crate) span: Span,
}

/// The kind of an access.
#[derive(Clone, Copy)]
pub(crate) enum What<'a> {
    Load,
    Store { element: &'a Element, value: &'a Expr },
    Update { update: &'a Update, result: Use },
}

/// The use of the old value of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// It is not used.
    Unused,
    /// It is compared to find out whether the update improved the value.
    Compared,
    /// It is used otherwise.
    Used,
}

/// Returns whether the operation is the attribute's merge.
pub(crate) fn is_merge(op: UpdateOp, merge: Merge) -> bool {
    matches!(
        (op, merge),
        (UpdateOp::Add | UpdateOp::Sub, Merge::Sum)
            | (UpdateOp::Min, Merge::Min)
            | (UpdateOp::Max, Merge::Max)
            | (UpdateOp::And, Merge::And)
            | (UpdateOp::Or, Merge::Or)
            | (UpdateOp::Swap | UpdateOp::CompareExchange, Merge::Any)
    )
}

/// Returns every access to a `wa` or `ra`, in source order.
pub(crate) fn touches<'a>(body: &'a Block, values: &LocalValues<'a>) -> Vec<Touch<'a>> {
    let mut found = Vec::new();
    body.walk(&mut |statement| touches_of(statement, values, &mut found));
    found
}

fn touches_of<'a>(statement: &'a Stmt, values: &LocalValues<'a>, found: &mut Vec<Touch<'a>>) {
    let top = match &statement.kind {
        StmtKind::Expr(_) => Use::Unused,
        StmtKind::If { .. } | StmtKind::While { .. } => Use::Compared,
        _ => Use::Used,
    };
    statement.expressions(&mut |expr| in_expr(expr, top, values, found));
    if let StmtKind::Store { element, value } = &statement.kind {
        found.push(touch(element, What::Store { element, value }, None, statement.span, values));
    }
}

fn in_expr<'a>(expr: &'a Expr, of_value: Use, values: &LocalValues<'a>, found: &mut Vec<Touch<'a>>) {
    let of_operands = match &expr.kind {
        ExprKind::Binary { op, .. } if op.compares() => Use::Compared,
        ExprKind::Unary(UnaryOp::Not, ..) | ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, .. } => Use::Compared,
        _ => Use::Used,
    };
    expr.operands(&mut |operand| in_expr(operand, of_operands, values, found));
    match &expr.kind {
        ExprKind::Load(element) => found.push(touch(element, What::Load, Some(expr), expr.span, values)),
        ExprKind::Update(update) => {
            let what = What::Update { update, result: of_value };
            found.push(touch(&update.element, what, Some(expr), expr.span, values));
        }
        _ => {}
    }
}

fn touch<'a>(
    element: &Element,
    what: What<'a>,
    expr: Option<&'a Expr>,
    span: Span,
    values: &LocalValues<'a>,
) -> Touch<'a> {
    Touch { attribute: element.attribute, site: values.site(&element.vertex), what, expr, span }
}

/// Returns the uses that the schema lists, without duplicates: vertices, params, globals and edge values.
pub(crate) fn uses(body: &Block, values: &LocalValues<'_>, attributes: &[Attribute]) -> Vec<SpannedAttributeUse> {
    let mut found: Vec<SpannedAttributeUse> = Vec::new();
    let mut note = |attribute, site, access, span| {
        let known =
            |use_: &SpannedAttributeUse| use_.attribute == attribute && use_.site == site && use_.access == access;
        if !found.iter().any(known) {
            found.push(SpannedAttributeUse { attribute, site, access, span });
        }
    };
    for Touch { attribute, site, what, span, .. } in touches(body, values) {
        match what {
            What::Load => note(attribute, site, Access::Read, span),
            What::Store { .. } => note(attribute, site, Access::Store, span),
            What::Update { update, .. } => {
                let merge = attributes[attribute].kind.merge();
                let merges = merge.is_some_and(|merge| merge != Merge::Any && is_merge(update.op, merge));
                note(attribute, site, if merges { Access::Merge } else { Access::Atomic }, span);
            }
        }
    }
    body.expressions(&mut |expr| {
        expr.walk(&mut |inner| match &inner.kind {
            ExprKind::Param(attribute) | ExprKind::ParamElement(attribute, _) | ExprKind::EdgeValue(attribute) => {
                note(*attribute, Site::None, Access::Read, inner.span);
            }
            _ => {}
        });
    });
    body.walk(&mut |statement| {
        if let StmtKind::Accumulate { attribute, op, .. } = &statement.kind {
            let access = if op.is_some() { Access::Merge } else { Access::Store };
            note(*attribute, Site::None, access, statement.span);
        }
    });
    found.sort_by_key(|use_| (use_.attribute, use_.site, use_.access));
    found
}

/// Returns the uses of degrees, without duplicates. Only the body has them, because functions cannot read a degree.
pub(crate) fn degrees(body: &Block, values: &LocalValues<'_>) -> Vec<SpannedDegreeUse> {
    let mut found: Vec<SpannedDegreeUse> = Vec::new();
    body.expressions(&mut |expr| {
        expr.walk(&mut |inner| {
            let mut note = |side, v| found.push(SpannedDegreeUse { side, site: values.site(v), span: inner.span });
            match &inner.kind {
                ExprKind::OutDegree(v) => note(Side::Out, v),
                ExprKind::InDegree(v) => note(Side::In, v),
                _ => {}
            }
        });
    });
    // The first of equal uses remains.
    found.sort_by_key(|use_| (use_.side, use_.site));
    found.dedup_by_key(|use_| (use_.side, use_.site));
    found
}
