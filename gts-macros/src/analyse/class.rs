//! Ordered, monotone or racy; replicable; splittable; idempotent.

use super::locals::LocalValues;
use super::monotone;
use super::steady::{self, Steady};
use super::uses::{self, Touch, Use, What};
use crate::ir::{
    Attribute, AttributeKind, Class, Expr, ExprKind, Kernel, KernelKind, Literal, Merge, Race, Site, SpannedLimit,
    SpannedSteadyRead, StmtKind, UpdateOp,
};

/// The classification of a kernel by its accesses.
pub(crate) struct Classification {
    pub(crate) class: Class,
    /// The reads of attributes that an ordered kernel writes. Each read has the same result in every order.
    pub(crate) steady: Vec<SpannedSteadyRead>,
    /// The reason why a kernel without the `racy` setting is racy.
    pub(crate) race: Option<Race>,
    pub(crate) replicable: SpannedLimit,
    pub(crate) splittable: SpannedLimit,
    pub(crate) idempotent: bool,
}

/// Classifies a kernel by its original body.
pub(crate) fn classify(kernel: &Kernel) -> Classification {
    let values = LocalValues::of(&kernel.body, &kernel.locals);
    let touches = uses::touches(&kernel.body, &values);
    let attributes = &kernel.attributes.attributes;
    let steady = Steady::of(kernel, &values, &touches);
    let mut judge = Judge { kernel, attributes, touches: &touches, values: &values, steady };
    let (class, race) = judge.class();
    if class != Class::Ordered {
        judge.steady = Steady::default();
    }
    Classification {
        class,
        steady: judge.steady.reads(),
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
    steady: Steady<'a>,
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
        let (race, moving) = self.moving(&self.steady);
        let ordered = moving.is_empty();
        let race = race.or(self.steady.race.filter(|_| ordered)).or_else(|| {
            // The rules for steady reads require that no other read depends on the order. Moving values do, so no read
            // is steady here.
            let (race, moving) = self.moving(&Steady::default());
            race.or_else(|| self.order(&moving)).filter(|_| !ordered)
        });
        match race {
            Some(race) => (Class::Racy, Some(race)),
            None if ordered => (Class::Ordered, None),
            None => (Class::Monotone, None),
        }
    }

    /// Returns the first read that depends on the order, if the writes of its attribute are not all monotone. Also
    /// returns the attributes before it that are read while other threads improve them.
    fn moving(&self, steady: &Steady<'_>) -> (Option<Race>, Vec<usize>) {
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
            let Some(read) = self.of(attribute).find(|touch| reads(touch, steady)) else { continue };
            if !monotone {
                let why = steady::failed(self.kernel, self.values, self.touches, read);
                return (Some(Race::Read { read: attribute, why, span: read.span }), moving);
            }
            moving.push(attribute);
        }
        (None, moving)
    }

    /// Returns the reason why results depend on the order of the threads. Attributes in `moving` are read while others
    /// improve them.
    fn order(&self, moving: &[usize]) -> Option<Race> {
        let &read = moving.first()?;
        let shared = |attribute| !self.of(attribute).all(|touch| touch.site == Site::V);
        let other = |touch: &&Touch<'_>| self.merge(touch.attribute).is_some() && !self.is_monotone(touch);
        let counted = self.touches.iter().find(|touch| other(touch) && shared(touch.attribute));
        if let Some(touch) = counted {
            return Some(Race::Counts { read, written: touch.attribute, span: touch.span });
        }
        // A value read only at dst travels no further in the step.
        let leaves = |touch: &Touch<'_>| touch.site != Site::Dst && reads(touch, &Steady::default());
        let travels = self.touches.iter().any(|touch| moving.contains(&touch.attribute) && leaves(touch));
        monotone::breach(self.kernel, self.values, moving, travels)
    }

    /// Returns whether a write can only move a value in one direction.
    fn is_monotone(&self, touch: &Touch<'_>) -> bool {
        match (touch.what, self.merge(touch.attribute)) {
            (What::Load, _) => true,
            (What::Store { value, .. }, Some(Merge::Or)) => is_bool(value, true),
            (What::Store { value, .. }, Some(Merge::And)) => is_bool(value, false),
            (What::Store { .. }, _) => false,
            (What::Update { update, .. }, Some(merge @ (Merge::Min | Merge::Max | Merge::Or | Merge::And))) => {
                uses::is_merge(update.op, merge)
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
                What::Store { .. } if merge == Merge::Any || self.is_monotone(touch) => continue,
                // The values in other replicas pass the guard, and the merge prefers the stored value to them.
                What::Store { .. } if self.steady.keeps(touch.attribute, merge) => continue,
                What::Store { .. } => format!("`{name}` is stored, not merged"),
                What::Update { update, .. } if merge == Merge::Any || !uses::is_merge(update.op, merge) => {
                    format!("`{}` of `{name}` is not its merge", update.op.method())
                }
                // Comparisons of the old value have the same outcome on all replicas.
                What::Update { .. } if self.steady.contains(touch) => continue,
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
            What::Store { value, .. } => !value.any(&|inner| match &inner.kind {
                ExprKind::Load(element) => self.of(element.attribute).any(|other| !matches!(other.what, What::Load)),
                _ => false,
            }),
            What::Update { update, result } => {
                matches!(update.op, UpdateOp::Min | UpdateOp::Max | UpdateOp::And | UpdateOp::Or) && result != Use::Used
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

/// Returns whether an access reads a value that other threads may be changing. Steady reads do not count.
fn reads(touch: &Touch<'_>, steady: &Steady<'_>) -> bool {
    match touch.what {
        What::Load => !steady.contains(touch),
        What::Store { .. } => false,
        What::Update { update, .. } if update.op == UpdateOp::CompareExchange => true,
        What::Update { result, .. } => result != Use::Unused && !steady.contains(touch),
    }
}

fn is_bool(expr: &Expr, truth: bool) -> bool {
    matches!(&expr.kind, ExprKind::Literal(Literal::Bool(value)) if *value == truth)
}
