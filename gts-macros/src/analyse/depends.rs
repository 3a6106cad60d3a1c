//! What a value is made of, through locals and through the conditions under which they are assigned.

use super::uses::vertex_site;
use crate::ir::{Block, Expr, ExprKind, Kernel, Role, Site, StmtKind};

/// A set of things that a value can be made of. Constants, params and the step are in none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Depends(u8);

impl Depends {
    pub(crate) const NOTHING: Self = Self(0);
    /// Attributes at the page's own vertex.
    pub(crate) const SRC: Self = Self(1);
    /// Which vertex the page's own one is, and its degrees.
    pub(crate) const SRC_ID: Self = Self(2);
    /// Attributes at the neighbour.
    pub(crate) const DST: Self = Self(4);
    /// Which vertex the neighbour is, and its degrees.
    pub(crate) const DST_ID: Self = Self(8);
    /// The edge's value.
    pub(crate) const EDGE: Self = Self(16);
    /// Attributes at a computed vertex.
    pub(crate) const COMPUTED: Self = Self(32);
    /// What an update found.
    pub(crate) const OLD: Self = Self(64);

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether they have something in common.
    pub(crate) const fn any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether all of this is in `other`.
    pub(crate) const fn within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }
}

/// What each local of a kernel is made of.
#[derive(Debug)]
pub(crate) struct Dependences {
    locals: Vec<Depends>,
}

impl Dependences {
    pub(crate) fn of(kernel: &Kernel) -> Self {
        let of_role = |role| match role {
            Role::Src => Depends::SRC_ID,
            Role::Dst | Role::V => Depends::DST_ID,
            Role::Edge | Role::Argument | Role::Local => Depends::NOTHING,
        };
        let mut found = Self { locals: kernel.locals.iter().map(|local| of_role(local.role)).collect() };
        // Loops carry values backwards, so that one walk may not be enough.
        loop {
            let before = found.locals.clone();
            found.block(kernel, &kernel.body, Depends::NOTHING);
            if found.locals == before {
                return found;
            }
        }
    }

    /// What a value is made of.
    pub(crate) fn of_expr(&self, kernel: &Kernel, expr: &Expr) -> Depends {
        let own = match &expr.kind {
            ExprKind::Local(id) | ExprKind::ArrayElement(id, _) => self.locals[*id],
            ExprKind::Load(element) => {
                return match vertex_site(kernel, &element.vertex) {
                    Site::Src => Depends::SRC,
                    Site::Dst | Site::V => Depends::DST,
                    Site::Computed | Site::None => Depends::COMPUTED.or(self.of_expr(kernel, &element.vertex)),
                }
                .or(element.index.as_ref().map_or(Depends::NOTHING, |index| self.of_expr(kernel, &index.value)));
            }
            ExprKind::EdgeValue(_) => Depends::EDGE,
            ExprKind::Update(_) => Depends::OLD,
            _ => Depends::NOTHING,
        };
        let mut all = own;
        expr.operands(&mut |operand| all = all.or(self.of_expr(kernel, operand)));
        all
    }

    fn add(&mut self, local: usize, more: Depends) {
        self.locals[local] = self.locals[local].or(more);
    }

    /// `under` is what the conditions around the block are made of.
    fn block(&mut self, kernel: &Kernel, block: &Block, under: Depends) {
        for statement in &block.statements {
            let mut inner = under;
            match &statement.kind {
                StmtKind::Let { local, init: Some(init) } => {
                    let value = self.of_expr(kernel, init);
                    self.add(*local, value.or(under));
                }
                StmtKind::Assign { local, index, value, .. } => {
                    let mut value = self.of_expr(kernel, value);
                    for index in index {
                        value = value.or(self.of_expr(kernel, &index.value));
                    }
                    self.add(*local, value.or(under));
                }
                StmtKind::For { local, start, end, .. } => {
                    let range = self.of_expr(kernel, start).or(self.of_expr(kernel, end));
                    self.add(*local, range.or(under));
                    inner = inner.or(range);
                }
                StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => {
                    inner = inner.or(self.of_expr(kernel, condition));
                }
                _ => {}
            }
            statement.blocks().for_each(|block| self.block(kernel, block, inner));
        }
    }
}
