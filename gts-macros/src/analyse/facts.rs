//! All facts of a kernel together.

use super::class::classify;
use super::locals::LocalValues;
use super::{activated, dependence, guard, pull, step_loop, uses};
use crate::ir::{
    AttributeId, ExprKind, Kernel, Race, Site, SpannedAttributeUse, SpannedDegreeUse, SpannedFacts, StmtKind,
};

/// Facts about the body as the user wrote it, before hoisting.
pub(crate) struct BodyOutline {
    uses: Vec<SpannedAttributeUse>,
    degrees: Vec<SpannedDegreeUse>,
    activates: Vec<Site>,
    changes_activated: bool,
    approximate: bool,
    reads_edge: bool,
    reads_position: bool,
    gathered: Vec<AttributeId>,
    receives: bool,
}

impl BodyOutline {
    pub(crate) fn of(kernel: &Kernel) -> Self {
        let values = LocalValues::of(&kernel.body, &kernel.locals);
        let mut activates = Vec::new();
        kernel.body.walk(&mut |statement| {
            if let StmtKind::Activate(vertex) = &statement.kind {
                let site = values.site(vertex);
                if !activates.contains(&site) {
                    activates.push(site);
                }
            }
        });
        activates.sort();
        let mut approximate = false;
        let mut reads_edge = false;
        let mut reads_position = false;
        let bodies = std::iter::once(&kernel.body).chain(kernel.functions.iter().map(|function| &function.body));
        for body in bodies {
            body.expressions(&mut |expr| {
                expr.walk(&mut |inner| match &inner.kind {
                    ExprKind::Math(method, ..) => approximate |= method.approximate(),
                    ExprKind::EdgeValue(_) => reads_edge = true,
                    ExprKind::Position => reads_position = true,
                    _ => {}
                });
            });
        }
        let uses = uses::uses(&kernel.body, &values, &kernel.attributes.attributes);
        let degrees = uses::degrees(&kernel.body, &values);
        let changes_activated = activated::changes_activated(kernel, &uses, &activates);
        // Positions refer to the lists of the kernel's direction, not to the opposite lists.
        let gathered = if reads_position { Vec::new() } else { pull::gathered(kernel) };
        let receives = !reads_position && pull::receives(kernel, &uses, &activates);
        Self {
            uses,
            degrees,
            activates,
            changes_activated,
            approximate,
            reads_edge,
            reads_position,
            gathered,
            receives,
        }
    }
}

/// Returns the facts of a hoisted kernel, and the reason why it is racy without the `racy` setting. `written` is the
/// kernel before hoisting.
pub(crate) fn facts(written: &Kernel, hoisted: &Kernel, outline: BodyOutline) -> (SpannedFacts, Option<Race>) {
    let guard = if hoisted.kind.has_edges() { guard::guard(hoisted) } else { None };
    let falls = guard.as_ref().is_some_and(|guard| !guard.falls.is_empty());
    let outcome = classify(written);
    let BodyOutline {
        uses,
        degrees,
        activates,
        changes_activated,
        approximate,
        reads_edge,
        reads_position,
        gathered,
        receives,
    } = outline;
    let step_loop = step_loop::step_loop(written, &uses, &activates, guard.as_ref());
    let facts = SpannedFacts {
        uses,
        degrees,
        class: outcome.class,
        steady: outcome.steady,
        sums: Vec::new(),
        replicable: outcome.replicable,
        splittable: outcome.splittable,
        target_guard_falls: falls,
        target_guard: guard.as_ref().map(|guard| guard.text.clone()),
        merged: dependence::merged(hoisted),
        idempotent: outcome.idempotent,
        activates,
        changes_activated,
        approximate,
        reads_edge,
        reads_position,
        tallied: None,
        gathered,
        receives,
        target_condition: guard.and_then(|guard| guard.condition),
        step_loop,
    };
    (facts, outcome.race)
}
