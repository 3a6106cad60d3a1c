//! The integers that a body adds to or subtracts from: how far one run of the body moves them, and in which direction.

use super::locals::LocalValues;
use super::uses::{What, touches};
use crate::ir::{
    Attribute, Expr, ExprKind, IntegerSum, Kernel, Merge, ScalarType, Site, SiteId, StmtKind, SumCheck, SumDirection,
    Update, UpdateOp,
};
use std::collections::BTreeSet;

/// Returns the integer sums of a kernel, by attribute. [`super::range::prune_in_place`] must have found the terms, and the
/// error sites must be in order.
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

/// Returns the direction in which an update moves a value, and by how much at most.
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

/// Returns the sum of an attribute whose updates are checked.
pub(crate) fn checked(sums: &[IntegerSum], attribute: usize) -> Option<&IntegerSum> {
    sums.iter().find(|sum| sum.attribute == attribute)
}

/// Returns whether only checked mode checks a sum. The terms have both signs, so the sum may leave the range of its type
/// although the total fits. An attribute with another merge has no such sums: each update of it must fit.
pub(crate) fn is_mixed(sum: &IntegerSum, declared: &Attribute) -> bool {
    declared.kind.merge() == Some(Merge::Sum) && sum.direction == SumDirection::Mixed
}
