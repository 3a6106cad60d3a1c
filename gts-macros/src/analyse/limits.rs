//! Whether a kernel can run on replicas of its attributes, or on a split of them.

use super::class::Found;
use super::uses::{WriteKind, Writes, is_merge, vertex_site};
use crate::ir::{Class, ExprKind, Kernel, Limit, Merge, Site, StmtKind};

/// Replicas can be merged where WA is written by its declared merge alone.
pub(super) fn replicable(kernel: &Kernel, writes: &Writes<'_>, found: &Found) -> Limit {
    if found.class == Class::Racy {
        let (span, _) = found.racy.clone().unwrap_or((kernel.span, String::new()));
        return Limit::No { why: "its answer depends on the order of the edges".into(), span };
    }
    for write in &writes.list {
        // A vertex kernel runs once a vertex, on one device, which owns what it stores there.
        if !kernel.kind.has_edges() && vertex_site(kernel, &write.element.vertex) == Site::V {
            continue;
        }
        let attribute = &kernel.attributes.attributes[write.element.attribute];
        let Some(merge) = attribute.kind.merge() else { continue };
        let merges = match write.kind {
            WriteKind::Store => merge != Merge::Sum,
            WriteKind::Update { op, .. } => is_merge(op, merge),
        };
        if !merges {
            let why = format!("it writes `{}` by another way than its merge, {}", attribute.name, merge.name());
            return Limit::No { why, span: write.span };
        }
    }
    Limit::Yes
}

/// WA can be split by ranges of vertices where it is written at dst and read at dst or src.
pub(super) fn splittable(kernel: &Kernel) -> Limit {
    let mut limit = Limit::Yes;
    let mut no = |why: &str, span| {
        if matches!(limit, Limit::Yes) {
            limit = Limit::No { why: why.into(), span };
        }
    };
    kernel.body.walk(&mut |statement| {
        if let StmtKind::Store { element, .. } = &statement.kind {
            match vertex_site(kernel, &element.vertex) {
                Site::Src => no("it writes at src", statement.span),
                Site::Computed => no("it writes at a computed vertex", statement.span),
                Site::Dst | Site::V | Site::None => {}
            }
        }
        statement.expressions(&mut |expr| {
            expr.walk(&mut |expr| match &expr.kind {
                ExprKind::Update(update) if vertex_site(kernel, &update.element.vertex) == Site::Src => {
                    no("it updates at src", expr.span);
                }
                ExprKind::NewVertex(..) => no("it computes a vertex", expr.span),
                _ => {}
            });
        });
    });
    limit
}
