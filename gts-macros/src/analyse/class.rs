//! Ordered, monotone or racy; replicable; splittable; idempotent.

use super::locals::Values;
use super::uses::{self, Touch, Use, What};
use crate::ir::{
    Attribute, AttributeKind, Class, Expr, ExprKind, Kernel, KernelKind, Limit, Literal, Merge, Site, Span, StmtKind,
    UpdateOp,
};

/// What a kernel's accesses say about it. `falls` are the attributes of a guard that the body's own store makes false.
pub(crate) struct Outcome {
    pub(crate) class: Class,
    /// For a racy kernel: the read that makes it so, and the attribute.
    pub(crate) race: Option<(usize, Span)>,
    pub(crate) replicable: Limit,
    pub(crate) splittable: Limit,
    pub(crate) idempotent: bool,
}

/// Classifies a kernel by the body as the user wrote it.
pub(crate) fn classify(kernel: &Kernel, falls: &[usize]) -> Outcome {
    let values = Values::of(&kernel.body, &kernel.locals);
    let touches = uses::touches(&kernel.body, &values);
    let attributes = &kernel.attributes.attributes;
    let judge = Judge { kernel, attributes, touches: &touches, falls };
    let (class, race) = judge.class();
    Outcome {
        class,
        race,
        replicable: judge.replicable(class, race),
        splittable: judge.splittable(),
        idempotent: judge.idempotent(),
    }
}

struct Judge<'a> {
    kernel: &'a Kernel,
    attributes: &'a [Attribute],
    touches: &'a [Touch<'a>],
    falls: &'a [usize],
}

impl Judge<'_> {
    fn merge(&self, attribute: usize) -> Option<Merge> {
        match self.attributes[attribute].kind {
            AttributeKind::Wa { merge, .. } => Some(merge),
            _ => None,
        }
    }

    fn of(&self, attribute: usize) -> impl Iterator<Item = &Touch<'_>> {
        self.touches.iter().filter(move |touch| touch.attribute == attribute)
    }

    fn class(&self) -> (Class, Option<(usize, Span)>) {
        if self.kernel.racy {
            return (Class::Racy, None);
        }
        let mut class = Class::Ordered;
        for attribute in 0..self.attributes.len() {
            if self.merge(attribute).is_none() {
                continue;
            }
            let writes = || self.of(attribute).filter(|touch| !matches!(touch.what, What::Load));
            if writes().next().is_none() {
                continue;
            }
            // The thread of a vertex kernel has its vertex for itself.
            if self.of(attribute).all(|touch| touch.site == Site::V) {
                continue;
            }
            let monotone = writes().all(|touch| self.is_monotone(touch));
            let Some(read) = self.of(attribute).find(|touch| self.reads(touch)) else { continue };
            if !monotone {
                return (Class::Racy, Some((attribute, read.span)));
            }
            class = Class::Monotone;
        }
        (class, None)
    }

    /// Whether an access learns a value that other threads may be changing.
    fn reads(&self, touch: &Touch<'_>) -> bool {
        match touch.what {
            // The guard lets through all that find it true, and what they store is the same, or any of it will do.
            What::Load => !(self.falls.contains(&touch.attribute) && touch.site == Site::Dst),
            What::Store(_) => false,
            What::Update { op: UpdateOp::CompareExchange, .. } => true,
            What::Update { result, .. } => result != Use::Unused,
        }
    }

    /// Whether a write can only move a value in one direction.
    fn is_monotone(&self, touch: &Touch<'_>) -> bool {
        match (touch.what, self.merge(touch.attribute)) {
            (What::Load, _) => true,
            (What::Store(value), Some(Merge::Or)) => is_bool(value, true),
            (What::Store(value), Some(Merge::And)) => is_bool(value, false),
            (What::Store(_), _) => false,
            (What::Update { op, .. }, Some(merge @ (Merge::Min | Merge::Max | Merge::Or | Merge::And))) => {
                uses::is_merge(op, merge)
            }
            (What::Update { .. }, _) => false,
        }
    }

    fn replicable(&self, class: Class, race: Option<(usize, Span)>) -> Limit {
        if class == Class::Racy {
            let (why, span) = match race {
                Some((attribute, span)) => {
                    (format!("`{}` is read while others write it", self.attributes[attribute].name), span)
                }
                None => ("it says `racy`".to_owned(), self.kernel.span),
            };
            return Limit::No { why, span };
        }
        for touch in self.touches {
            let Some(merge) = self.merge(touch.attribute) else { continue };
            let name = &self.attributes[touch.attribute].name;
            let why = match touch.what {
                What::Load => continue,
                What::Store(_) if merge == Merge::Any || self.is_monotone(touch) => continue,
                // What the guard lets through finds the initial value on every replica; the merge keeps the stored one.
                What::Store(_) if self.falls.contains(&touch.attribute) && merge != Merge::Sum => continue,
                What::Store(_) => format!("`{name}` is stored, not merged"),
                What::Update { op, .. } if merge == Merge::Any || !uses::is_merge(op, merge) => {
                    format!("`{}` of `{name}` is not its merge", op.method())
                }
                What::Update { result: Use::Used, .. } => format!("the old value of `{name}` is used"),
                What::Update { result: Use::Compared, .. } if merge == Merge::Sum => {
                    format!("the old value of `{name}` is used")
                }
                What::Update { .. } => continue,
            };
            return Limit::No { why, span: touch.span };
        }
        Limit::Yes
    }

    fn splittable(&self) -> Limit {
        if let KernelKind::Intersect { .. } = self.kernel.kind {
            return Limit::No { why: "it meets lists of any vertices".to_owned(), span: self.kernel.span };
        }
        for touch in self.touches {
            let name = &self.attributes[touch.attribute].name;
            let why = match (touch.site, touch.what) {
                (Site::Dst | Site::V, _) | (Site::Src, What::Load) => continue,
                (Site::Src, _) => format!("`{name}` is written at src"),
                _ => format!("`{name}` is touched at a computed vertex"),
            };
            return Limit::No { why, span: touch.span };
        }
        let mut computed = None;
        self.kernel.body.expressions(&mut |expr| {
            expr.walk(&mut |inner| {
                if matches!(inner.kind, ExprKind::NewVertex(..)) {
                    computed.get_or_insert(inner.span);
                }
            });
        });
        match computed {
            Some(span) => Limit::No { why: "a vertex is computed".to_owned(), span },
            None => Limit::Yes,
        }
    }

    fn idempotent(&self) -> bool {
        let touches = self.touches.iter().all(|touch| match touch.what {
            What::Load => true,
            // A value made of what the kernel itself writes would change again.
            What::Store(value) => !value.any(&|inner| match &inner.kind {
                ExprKind::Load(element) => self.of(element.attribute).any(|other| !matches!(other.what, What::Load)),
                _ => false,
            }),
            What::Update { op, result, .. } => {
                matches!(op, UpdateOp::Min | UpdateOp::Max | UpdateOp::And | UpdateOp::Or) && result != Use::Used
            }
        });
        let mut globals = true;
        self.kernel.body.walk(&mut |statement| {
            if let StmtKind::Accumulate { op: Some(UpdateOp::Add | UpdateOp::Sub | UpdateOp::Xor), .. } = statement.kind
            {
                globals = false;
            }
        });
        touches && globals
    }
}

fn is_bool(expr: &Expr, truth: bool) -> bool {
    matches!(&expr.kind, ExprKind::Literal(Literal::Bool(value)) if *value == truth)
}
