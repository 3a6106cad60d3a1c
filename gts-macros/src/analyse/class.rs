//! Ordered, monotone or racy; replicable; splittable; idempotent.

use super::guard::Fall;
use super::locals::LocalValues;
use super::monotone;
use super::uses::{self, Touch, Use, What};
use crate::ir::{
    Attribute, AttributeKind, Class, Expr, ExprKind, Kernel, KernelKind, Literal, Merge, Race, Site, SpannedLimit,
    StmtKind, UpdateOp,
};

/// The classification of a kernel by its accesses.
pub(crate) struct Classification {
    pub(crate) class: Class,
    /// The reason why a kernel without the `racy` setting is racy.
    pub(crate) race: Option<Race>,
    pub(crate) replicable: SpannedLimit,
    pub(crate) splittable: SpannedLimit,
    pub(crate) idempotent: bool,
}

/// Classifies a kernel by its original body. `falls` are the conditions of a guard that the body's store makes false.
pub(crate) fn classify(kernel: &Kernel, falls: &[Fall]) -> Classification {
    let values = LocalValues::of(&kernel.body, &kernel.locals);
    let touches = uses::touches(&kernel.body, &values);
    let attributes = &kernel.attributes.attributes;
    let judge = Judge { kernel, attributes, touches: &touches, values: &values, falls };
    let (class, race) = judge.class();
    Classification {
        class,
        race,
        replicable: judge.replicable(class),
        splittable: judge.splittable(),
        idempotent: judge.idempotent(),
    }
}

struct Judge<'a> {
    kernel: &'a Kernel,
    attributes: &'a [Attribute],
    touches: &'a [Touch<'a>],
    values: &'a LocalValues<'a>,
    falls: &'a [Fall],
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

    fn class(&self) -> (Class, Option<Race>) {
        if self.kernel.racy {
            return (Class::Racy, None);
        }
        let mut moving = Vec::new();
        for attribute in 0..self.attributes.len() {
            if self.merge(attribute).is_none() {
                continue;
            }
            let writes = || self.of(attribute).filter(|touch| !matches!(touch.what, What::Load));
            if writes().next().is_none() {
                continue;
            }
            // Each vertex of a vertex kernel belongs to one thread.
            if self.of(attribute).all(|touch| touch.site == Site::V) {
                continue;
            }
            let monotone = writes().all(|touch| self.is_monotone(touch));
            let Some(read) = self.of(attribute).find(|touch| self.reads(touch)) else { continue };
            if !monotone {
                return (Class::Racy, Some(Race::Read { read: attribute, span: read.span }));
            }
            moving.push(attribute);
        }
        match self.order(&moving) {
            Some(race) => (Class::Racy, Some(race)),
            None if moving.is_empty() => (Class::Ordered, None),
            None => (Class::Monotone, None),
        }
    }

    /// Returns the reason why results depend on the order of the threads. Attributes in `moving` are read while others
    /// improve them.
    fn order(&self, moving: &[usize]) -> Option<Race> {
        let Some(&read) = moving.first() else { return self.twice() };
        let shared = |attribute| !self.of(attribute).all(|touch| touch.site == Site::V);
        let other = |touch: &&Touch<'_>| self.merge(touch.attribute).is_some() && !self.is_monotone(touch);
        let counted = self.touches.iter().find(|touch| other(touch) && shared(touch.attribute));
        if let Some(touch) = counted {
            return Some(Race::Counts { read, written: touch.attribute, span: touch.span });
        }
        // A value read only at dst travels no further in the step.
        let leaves = |touch: &Touch<'_>| touch.site != Site::Dst && self.reads(touch);
        let travels = self.touches.iter().any(|touch| moving.contains(&touch.attribute) && leaves(touch));
        monotone::breach(self.kernel, self.values, moving, travels)
    }

    /// Returns a count under a guard that the body's store makes false: several edges may pass before the store.
    fn twice(&self) -> Option<Race> {
        let guard = self.falls.first()?.attribute;
        let counts = |op| matches!(op, UpdateOp::Add | UpdateOp::Sub | UpdateOp::Xor);
        let touch = self.touches.iter().find(|touch| match touch.what {
            What::Update { op, .. } => counts(op) && self.merge(touch.attribute).is_some(),
            _ => false,
        });
        if let Some(touch) = touch {
            return Some(Race::Twice { guard, written: touch.attribute, span: touch.span });
        }
        let mut found = None;
        self.kernel.body.walk(&mut |statement| {
            if let StmtKind::Accumulate { attribute, op: Some(op), .. } = &statement.kind
                && counts(*op)
            {
                found.get_or_insert(Race::Twice { guard, written: *attribute, span: statement.span });
            }
        });
        found
    }

    fn falls(&self, attribute: usize) -> impl Iterator<Item = &Fall> {
        self.falls.iter().filter(move |fall| fall.attribute == attribute)
    }

    /// Returns whether an access reads a value that other threads may be changing.
    fn reads(&self, touch: &Touch<'_>) -> bool {
        match touch.what {
            // All edges that find the guard true store the same value, or any of their values will do.
            What::Load => !(self.falls(touch.attribute).next().is_some() && touch.site == Site::Dst),
            What::Store(_) => false,
            What::Update { op: UpdateOp::CompareExchange, .. } => true,
            What::Update { result, .. } => result != Use::Unused,
        }
    }

    /// Returns whether a write can only move a value in one direction.
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

    fn replicable(&self, class: Class) -> SpannedLimit {
        if class == Class::Racy {
            return SpannedLimit::No { why: "it says `racy`".to_owned(), location: self.kernel.span };
        }
        for touch in self.touches {
            let Some(merge) = self.merge(touch.attribute) else { continue };
            let name = &self.attributes[touch.attribute].name;
            let why = match touch.what {
                What::Load => continue,
                What::Store(_) if merge == Merge::Any || self.is_monotone(touch) => continue,
                // The values in other replicas pass the guard, and the merge prefers the stored value to them.
                What::Store(_) if self.falls(touch.attribute).any(|fall| fall.keepers.contains(&merge)) => continue,
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
            return SpannedLimit::No { why, location: touch.span };
        }
        SpannedLimit::Yes
    }

    fn splittable(&self) -> SpannedLimit {
        if let KernelKind::Intersect = self.kernel.kind {
            return SpannedLimit::No { why: "it meets lists of any vertices".to_owned(), location: self.kernel.span };
        }
        for touch in self.touches {
            let name = &self.attributes[touch.attribute].name;
            let why = match (touch.site, touch.what) {
                (Site::Dst | Site::V, _) | (Site::Src, What::Load) => continue,
                (Site::Src, _) => format!("`{name}` is written at src"),
                _ => format!("`{name}` is touched at a computed vertex"),
            };
            return SpannedLimit::No { why, location: touch.span };
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
            Some(span) => SpannedLimit::No { why: "a vertex is computed".to_owned(), location: span },
            None => SpannedLimit::Yes,
        }
    }

    fn idempotent(&self) -> bool {
        let touches = self.touches.iter().all(|touch| match touch.what {
            What::Load => true,
            // A value computed from the kernel's own writes would change again.
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
