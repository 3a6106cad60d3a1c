//! The integer attributes that a body adds to or subtracts from: the direction, and the maximum change by one run of
//! the body.

use super::locals::LocalValues;
use super::uses::{What, touches};
use crate::ir::{
    Expr, ExprKind, IntegerSum, Kernel, ScalarType, Site, SiteId, StmtKind, SumCheck, SumDirection, Update, UpdateOp,
};
use std::collections::BTreeSet;

/// Returns the integer sums of a kernel, sorted by attribute. Requires the ranges of the terms, which
/// [`super::range::prune_in_place`] computes, and ordered error sites.
pub(crate) fn sums(kernel: &Kernel) -> Vec<IntegerSum> {
    let repeated = repeated(kernel);
    let mut found: Vec<IntegerSum> = Vec::new();
    let values = LocalValues::of(&kernel.body, &kernel.locals);
    for touch in touches(&kernel.body, &values) {
        let What::Update { update, .. } = touch.what else { continue };
        let Some(check) = update.sum else { continue };
        let scalar = kernel.attributes.attributes[touch.attribute].scalar;
        let (direction, most) = change(update, check, scalar);
        let most = if repeated.contains(&check.site) { u64::MAX } else { most };
        match found.iter_mut().find(|sum| sum.attribute == touch.attribute) {
            Some(sum) => {
                sum.direction = sum.direction.and(direction);
                sum.most = sum.most.saturating_add(most);
                sum.site = if sum.site == touch.site { sum.site } else { Site::Computed };
                sum.error_site = sum.error_site.min(check.site);
            }
            None => found.push(IntegerSum {
                attribute: touch.attribute,
                direction,
                most,
                site: touch.site,
                error_site: check.site,
            }),
        }
    }
    found.sort_by_key(|sum| sum.attribute);
    found
}

/// Returns the error sites of the updates in loops.
fn repeated(kernel: &Kernel) -> BTreeSet<SiteId> {
    let mut found = BTreeSet::new();
    kernel.body.walk(&mut |statement| {
        let (StmtKind::While { body, .. } | StmtKind::Loop { body } | StmtKind::For { body, .. }) = &statement.kind
        else {
            return;
        };
        let mut note = |expr: &Expr| {
            expr.walk(&mut |inner| {
                if let ExprKind::Update(update) = &inner.kind {
                    found.extend(update.sum.map(|check| check.site));
                }
            });
        };
        body.expressions(&mut note);
        if let StmtKind::While { condition, .. } = &statement.kind {
            note(condition);
        }
    });
    found
}

/// Returns the direction in which an update changes a value, and the maximum change.
fn change(update: &Update, check: SumCheck, scalar: ScalarType) -> (SumDirection, u64) {
    let (least, largest) = check.term.or(scalar.range()).unwrap_or_default();
    let most = u64::try_from(least.unsigned_abs().max(largest.unsigned_abs())).unwrap_or(u64::MAX);
    let adds = update.op == UpdateOp::Add;
    let direction = match (least >= 0, largest <= 0) {
        (true, _) if adds => SumDirection::Up,
        (true, _) => SumDirection::Down,
        (_, true) if adds => SumDirection::Down,
        (_, true) => SumDirection::Up,
        _ => SumDirection::Mixed,
    };
    (direction, most)
}

/// Returns the sum of an attribute; `None` if its updates are not checked.
pub(crate) fn checked(sums: &[IntegerSum], attribute: usize) -> Option<&IntegerSum> {
    sums.iter().find(|sum| sum.attribute == attribute)
}
