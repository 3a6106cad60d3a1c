//! The places of a body where a run-time error can occur.

use super::expr::OperationFaults;
use super::{BinaryOp, ErrorWhat, Expr, ExprKind, Kernel, SiteId, SpannedErrorSite, Stmt, StmtKind, Type};

impl Expr {
    /// Returns whether the expression itself can fault. Its operands, and the functions that it calls, do not count.
    pub(crate) fn can_fault(&self) -> bool {
        self.overflows()
            || matches!(self.kind, ExprKind::NewVertex(..))
            || self.index().is_some_and(|index| index.site.is_some())
    }

    /// Returns whether this bound of a `for` loop cannot have wrapped around.
    fn bounds_a_loop(&self) -> bool {
        !self.any(&|inner| matches!(inner.kind, ExprKind::Local(_) | ExprKind::Call(..)) || inner.overflows())
    }

    /// Returns whether the expression itself is an integer operation that can fault, or an [`ExprKind::Present`].
    pub(crate) fn overflows(&self) -> bool {
        match &self.kind {
            ExprKind::Present(..) => true,
            ExprKind::Unary(_, _, faults) | ExprKind::Binary { faults, .. } | ExprKind::Math(_, _, faults) => {
                faults.any()
            }
            _ => false,
        }
    }

    /// Returns a condition for each overflow, division by zero and missing value that can occur in the expression. The
    /// condition is true if the operation faults.
    pub(crate) fn overflow_conditions(&self) -> Vec<Self> {
        let mut found = Vec::new();
        self.walk(&mut |inner| {
            if !inner.overflows() {
                return;
            }
            let span = inner.span;
            let kind = match &inner.kind {
                ExprKind::Present(value, _) => {
                    let left = Box::new((**value).clone().without_faults());
                    let right = Box::new(Self { kind: ExprKind::Unreached, ty: value.ty, span });
                    ExprKind::Binary { op: BinaryOp::Eq, left, right, faults: OperationFaults::NONE }
                }
                _ => ExprKind::Faults(Box::new(inner.clone().without_faults())),
            };
            found.push(Self { kind, ty: Type::BOOL, span });
        });
        found
    }

    /// Returns a condition that holds if this one does or if one of `others` does, and that cannot fault.
    pub(crate) fn or_any(self, others: &[Self]) -> Self {
        others.iter().fold(self.without_faults(), |left, right| Self::join(BinaryOp::Or, left, right.clone()))
    }

    /// Returns the expression with operations that cannot fault.
    pub(crate) fn without_faults(mut self) -> Self {
        if let ExprKind::Present(value, _) = self.kind {
            return value.without_faults();
        }
        if let ExprKind::Unary(_, _, faults) | ExprKind::Binary { faults, .. } | ExprKind::Math(_, _, faults) =
            &mut self.kind
        {
            *faults = OperationFaults::NONE;
        }
        self.operands_mut(&mut |operand| *operand = operand.clone().without_faults());
        self
    }

    /// Calls `visit` for each error site of the expression and its operands.
    fn sites_mut(&mut self, visit: &mut dyn FnMut(&mut SiteId)) {
        match &mut self.kind {
            ExprKind::Unary(_, _, faults) | ExprKind::Binary { faults, .. } | ExprKind::Math(_, _, faults) => {
                faults.sites_mut().for_each(&mut *visit);
            }
            ExprKind::NewVertex(_, site) | ExprKind::Present(_, site) | ExprKind::Number(_, site) => visit(site),
            ExprKind::ParamElement(_, index) | ExprKind::ArrayElement(_, index) => {
                index.site.iter_mut().for_each(&mut *visit)
            }
            ExprKind::Load(element) => element.index.iter_mut().flat_map(|index| &mut index.site).for_each(&mut *visit),
            ExprKind::Update(update) => {
                update.element.index.iter_mut().flat_map(|index| &mut index.site).for_each(&mut *visit);
                update.sum.iter_mut().for_each(|check| visit(&mut check.site));
            }
            _ => {}
        }
        self.operands_mut(&mut |operand| operand.sites_mut(visit));
    }
}

impl Stmt {
    /// Returns whether the statement itself can fault. Its expressions and blocks do not count.
    pub(crate) fn can_fault(&self) -> bool {
        match &self.kind {
            StmtKind::Assign { index, faults, .. } => {
                faults.any() || index.as_ref().is_some_and(|index| index.site.is_some())
            }
            StmtKind::Accumulate { index, .. } => index.as_ref().is_some_and(|index| index.site.is_some()),
            StmtKind::Assert { .. } => true,
            StmtKind::Store { element, .. } => element.index.as_ref().is_some_and(|index| index.site.is_some()),
            _ => false,
        }
    }

    /// Returns whether the statement is a loop that may never end: a `while`, a `loop`, or a `for` with a bound that
    /// may have wrapped around.
    pub(crate) fn may_never_end(&self) -> bool {
        match &self.kind {
            StmtKind::While { .. } | StmtKind::Loop { .. } => true,
            StmtKind::For { start, end, .. } => !(start.bounds_a_loop() && end.bounds_a_loop()),
            _ => false,
        }
    }

    /// Calls `visit` for each error site of the statement and its expressions, but not of its blocks.
    fn sites_mut(&mut self, visit: &mut dyn FnMut(&mut SiteId)) {
        match &mut self.kind {
            StmtKind::Assign { index, faults, .. } => {
                faults.sites_mut().for_each(&mut *visit);
                index.iter_mut().flat_map(|index| &mut index.site).for_each(&mut *visit);
            }
            StmtKind::Accumulate { index, .. } => {
                index.iter_mut().flat_map(|index| &mut index.site).for_each(&mut *visit);
            }
            StmtKind::Assert { site, .. } => visit(site),
            StmtKind::Store { element, .. } => {
                element.index.iter_mut().flat_map(|index| &mut index.site).for_each(&mut *visit);
            }
            _ => {}
        }
        self.expressions_mut(&mut |expr| expr.sites_mut(visit));
    }
}

impl Kernel {
    /// Returns whether a body of the kernel can report an error.
    pub(crate) fn can_fault(&self) -> bool {
        !self.error_sites.is_empty()
    }

    /// Returns whether the kernel can fault and contains a loop that may never end.
    pub(crate) fn loops_after_faults(&self) -> bool {
        let mut loops = false;
        let bodies = std::iter::once(&self.body).chain(self.functions.iter().map(|function| &function.body));
        bodies.for_each(|body| body.walk(&mut |statement| loops |= statement.may_never_end()));
        loops && self.can_fault()
    }

    /// Removes unused error sites, and sorts the rest by line and column. At the same place, the site of a missing
    /// value precedes the site of the operation that uses the value.
    pub(crate) fn order_sites(&mut self) {
        let mut used = vec![false; self.error_sites.len()];
        self.sites_mut(&mut |site| used[*site] = true);
        let mut order: Vec<SiteId> = (0..used.len()).filter(|&site| used[site]).collect();
        let place = |&site: &SiteId| {
            let SpannedErrorSite { what, span, .. } = self.error_sites[site];
            let location = span.location();
            (location.line, location.column, what != ErrorWhat::MissingValue, site)
        };
        order.sort_by_key(place);
        let mut new = vec![0; used.len()];
        order.iter().enumerate().for_each(|(index, &site)| new[site] = index);
        self.error_sites = order.iter().map(|&site| self.error_sites[site]).collect();
        self.sites_mut(&mut |site| *site = new[*site]);
    }

    fn sites_mut(&mut self, visit: &mut dyn FnMut(&mut SiteId)) {
        let bodies =
            std::iter::once(&mut self.body).chain(self.functions.iter_mut().map(|function| &mut function.body));
        bodies.for_each(|body| body.statements_mut(&mut |statement| statement.sites_mut(visit)));
        let moved = self.source_filter.iter_mut().chain(self.captures.iter_mut().map(|capture| &mut capture.value));
        moved.for_each(|expr| expr.sites_mut(visit));
    }
}
