//! The facts about values that may be `UNREACHED` at one point of a body.

use super::compare::Image;
use crate::ir::{AttributeId, Element, Expr, ExprKind, LocalId, ScalarType};

/// The place or local that holds a value. A comparison of the holder applies to all locals with the same holder.
#[derive(Clone, Debug)]
pub(super) enum Holder {
    Place(Element),
    Local(LocalId),
    /// A param, or an element of one.
    Param(Expr),
}

impl Holder {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Local(one), Self::Local(other)) => one == other,
            (Self::Place(one), Self::Place(other)) => same_place(one, other),
            (Self::Param(one), Self::Param(other)) => same(one, other),
            _ => false,
        }
    }

    /// Returns whether the holder is the local, or a place whose vertex or index uses the local.
    fn mentions(&self, local: LocalId) -> bool {
        let uses = |expr: &Expr| expr.any(&|inner| matches!(inner.kind, ExprKind::Local(other) if other == local));
        match self {
            Self::Local(other) => *other == local,
            Self::Param(param) => uses(param),
            Self::Place(place) => uses(&place.vertex) || place.index.as_ref().is_some_and(|index| uses(&index.value)),
        }
    }
}

/// The parameters of a function from which a value may come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ArgumentSet(u64);

impl ArgumentSet {
    /// Creates the set of one parameter, by its index. All parameters from index 63 on share one element.
    pub(super) fn of(number: usize) -> Self {
        Self(1 << number.min(63))
    }

    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether the set contains a parameter, by its index.
    pub(super) fn contains(self, number: usize) -> bool {
        self.0 & Self::of(number).0 != 0
    }
}

/// The origin of a value that may be `UNREACHED`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum HazardOrigin {
    /// An attribute of a vertex that may be inactive.
    Anywhere,
    /// An attribute of the source of a traversal. It has a value unless the host activated the source without setting
    /// one. `exact` is whether `UNREACHED` is still the largest value of the type. If `cast` is set, this is the type
    /// before the casts of the expression.
    Source { attribute: AttributeId, exact: bool, cast: bool },
    /// A parameter of a function: one of this set.
    Argument(ArgumentSet),
}

impl HazardOrigin {
    /// Returns the origin of a value that has either of two origins.
    pub(super) fn or(self, other: Self) -> Self {
        match (self.computed(), other.computed()) {
            (Self::Source { attribute, exact, cast }, Self::Source { exact: other, .. }) => {
                Self::Source { attribute, exact: exact && other, cast }
            }
            (Self::Source { .. }, other) => other,
            (Self::Argument(one), Self::Argument(other)) => Self::Argument(one.or(other)),
            (own, _) => own,
        }
    }

    /// Returns the origin of a value that was stored in a local or computed from a value with this origin.
    fn computed(self) -> Self {
        match self {
            Self::Source { attribute, exact, cast } => Self::Source { attribute, exact: exact && !cast, cast: false },
            origin => origin,
        }
    }
}

/// A value that may be `UNREACHED`.
#[derive(Clone, Debug)]
pub(super) struct Hazard {
    /// The holder that a comparison must name to exclude `UNREACHED`; `None` if nothing holds exactly this value.
    pub(super) holder: Option<Holder>,
    /// The value of `UNREACHED` after casts.
    pub(super) image: Image,
    pub(super) origin: HazardOrigin,
}

impl Hazard {
    /// Returns whether the value may be `UNREACHED` even if the host activates only vertices with a value.
    pub(super) fn is_expected(&self) -> bool {
        !matches!(self.origin, HazardOrigin::Source { .. })
    }

    /// Returns the hazard of a value that is one of two values.
    pub(super) fn either(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) => {
                let image = if one.image == other.image { one.image } else { Image::Unknown };
                Some(Self { holder: None, image, origin: one.origin.or(other.origin) })
            }
            (one, other) => one.or(other).map(Self::loose),
        }
    }

    /// Returns the hazard after a cast.
    pub(super) fn cast(self, to: ScalarType) -> Self {
        let origin = match self.origin {
            HazardOrigin::Source { attribute, exact, .. } => HazardOrigin::Source { attribute, exact, cast: true },
            origin => origin,
        };
        Self { image: self.image.cast(to), origin, ..self }
    }

    /// Returns the hazard without its holder.
    pub(super) fn loose(self) -> Self {
        Self { holder: None, origin: self.origin.computed(), ..self }
    }
}

/// The facts at one point.
#[derive(Clone, Debug, Default)]
pub(super) struct UnreachedState {
    /// The locals that may hold `UNREACHED`.
    locals: Vec<(LocalId, Hazard)>,
    /// The holders that were compared, and so do not hold `UNREACHED`.
    excluded: Vec<Holder>,
}

impl UnreachedState {
    pub(super) fn is_excluded(&self, holder: &Holder) -> bool {
        self.excluded.iter().any(|other| other.is(holder))
    }

    /// Returns the hazard of the local.
    pub(super) fn local(&self, local: LocalId) -> Option<&Hazard> {
        let (_, hazard) = self.locals.iter().find(|(other, _)| *other == local)?;
        let excluded = hazard.holder.as_ref().is_some_and(|holder| self.is_excluded(holder));
        (!excluded).then_some(hazard)
    }

    /// Assigns a value to a local.
    pub(super) fn assign(&mut self, local: LocalId, value: Option<Hazard>) {
        self.forget(&|holder| holder.mentions(local));
        self.locals.retain(|(other, _)| *other != local);
        if let Some(Hazard { holder, image, origin }) = value {
            let holder = holder.filter(|holder| !holder.mentions(local)).unwrap_or(Holder::Local(local));
            self.locals.push((local, Hazard { holder: Some(holder), image, origin: origin.computed() }));
        }
    }

    /// Assigns a value to an element of an array; the other elements keep theirs.
    pub(super) fn assign_element(&mut self, local: LocalId, value: Option<Hazard>) {
        let Some(value) = value else { return };
        if self.local(local).is_none_or(|known| value.is_expected() && !known.is_expected()) {
            self.locals.retain(|(other, _)| *other != local);
            self.locals.push((local, Hazard { holder: Some(Holder::Local(local)), ..value.loose() }));
        }
    }

    /// Records that the holder does not hold `UNREACHED`.
    pub(super) fn exclude(&mut self, holder: Holder) {
        if !self.is_excluded(&holder) {
            self.excluded.push(holder);
        }
    }

    /// Forgets the attribute's places after a store of a value that may be `UNREACHED`.
    pub(super) fn forget_attribute(&mut self, attribute: AttributeId) {
        self.forget(&|holder| matches!(holder, Holder::Place(place) if place.attribute == attribute));
    }

    /// Forgets the facts about some holders. Locals that share a value with them keep their facts.
    fn forget(&mut self, gone: &dyn Fn(&Holder) -> bool) {
        self.settle();
        for (local, hazard) in &mut self.locals {
            if hazard.holder.as_ref().is_some_and(gone) {
                hazard.holder = Some(Holder::Local(*local));
            }
        }
        self.excluded.retain(|holder| !gone(holder));
    }

    /// Drops the locals whose value was excluded.
    fn settle(&mut self) {
        let Self { locals, excluded } = self;
        locals.retain(|(_, hazard)| {
            !hazard.holder.as_ref().is_some_and(|holder| excluded.iter().any(|other| other.is(holder)))
        });
    }

    /// Returns the facts that hold after either of two paths.
    pub(super) fn join(mut self, mut other: Self) -> Self {
        self.settle();
        other.settle();
        self.excluded.retain(|holder| other.is_excluded(holder));
        for (local, hazard) in other.locals {
            match self.locals.iter_mut().find(|(known, _)| *known == local) {
                None => self.locals.push((local, hazard)),
                Some((_, known)) => {
                    let same = matches!((&known.holder, &hazard.holder), (Some(one), Some(two)) if one.is(two));
                    if !same || known.image != hazard.image {
                        known.holder = Some(Holder::Local(local));
                    }
                    if known.image != hazard.image {
                        known.image = Image::Unknown;
                    }
                    known.origin = known.origin.or(hazard.origin);
                }
            }
        }
        self
    }

    /// Returns whether both states contain the same facts.
    pub(super) fn is(&self, other: &Self) -> bool {
        let known = |(local, hazard): &(LocalId, Hazard)| {
            other.locals.iter().any(|(id, twin)| {
                let held = match (&hazard.holder, &twin.holder) {
                    (Some(one), Some(two)) => one.is(two),
                    (None, None) => true,
                    _ => false,
                };
                id == local && held && hazard.image == twin.image && hazard.origin == twin.origin
            })
        };
        self.locals.len() == other.locals.len()
            && self.excluded.len() == other.excluded.len()
            && self.locals.iter().all(known)
            && self.excluded.iter().all(|holder| other.is_excluded(holder))
    }
}

fn same_place(a: &Element, b: &Element) -> bool {
    let index = match (&a.index, &b.index) {
        (None, None) => true,
        (Some(a), Some(b)) => same(&a.value, &b.value),
        _ => false,
    };
    a.attribute == b.attribute && index && same(&a.vertex, &b.vertex)
}

/// Returns whether two expressions without effects have the same value, as long as no local in them changes.
fn same(a: &Expr, b: &Expr) -> bool {
    let itself = match (&a.kind, &b.kind) {
        (ExprKind::Literal(a), ExprKind::Literal(b)) => a == b,
        (ExprKind::Local(a), ExprKind::Local(b)) => a == b,
        (ExprKind::Constant(a), ExprKind::Constant(b)) => a == b,
        (ExprKind::Param(a), ExprKind::Param(b)) | (ExprKind::EdgeValue(a), ExprKind::EdgeValue(b)) => a == b,
        (ExprKind::ParamElement(a, _), ExprKind::ParamElement(b, _)) => a == b,
        (ExprKind::Binary { op: a, .. }, ExprKind::Binary { op: b, .. }) => a == b,
        (ExprKind::Unary(a, ..), ExprKind::Unary(b, ..)) => a == b,
        (ExprKind::Math(a, ..), ExprKind::Math(b, ..)) => a == b,
        (ExprKind::NewVertex(..), ExprKind::NewVertex(..))
        | (ExprKind::VertexId(_), ExprKind::VertexId(_))
        | (ExprKind::Cast(_), ExprKind::Cast(_)) => true,
        // Another read of an attribute may return another value; other expressions are not worth the effort.
        _ => false,
    };
    if !itself || a.ty != b.ty {
        return false;
    }
    let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
    a.operands(&mut |operand| of_a.push(operand));
    b.operands(&mut |operand| of_b.push(operand));
    of_a.len() == of_b.len() && of_a.into_iter().zip(of_b).all(|(a, b)| same(a, b))
}
