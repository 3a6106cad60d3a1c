//! Bounds of the integers that kernels add to, from which a run derives which passes check their sums.

use gts_contract::{
    Access, AttributeKind, AttributeSchema, IntegerSum, KernelDescriptor, KernelKind, Merge, ScalarType, Schema, Site,
    SumDirection,
};
use gts_core::graph::Graph;
use gts_device::kernel::SumChecks;

/// The least and the largest value of each integer attribute, by schema index. `None` for other attributes.
#[derive(Debug)]
pub(super) struct IntegerBounds(Vec<Option<(i128, i128)>>);

impl IntegerBounds {
    /// Returns the bounds of the initial values.
    pub(super) fn new(schema: &Schema) -> Self {
        Self(schema.attributes.iter().map(initial).collect())
    }

    /// Forgets the bounds of an attribute that the host writes.
    pub(super) fn forget(&mut self, schema: &Schema, attribute: usize) {
        self.0[attribute] = schema.attributes[attribute].ty.scalar.range();
    }

    /// Records that the host has stored one value at all vertices. The bounds of arrays are forgotten.
    pub(super) fn fill(&mut self, schema: &Schema, attribute: usize, value: &[u8]) {
        let declared = &schema.attributes[attribute];
        let Some(range) = declared.ty.scalar.range() else { return };
        let mut bits = [0; size_of::<u64>()];
        let whole = !declared.ty.array && value.len() <= bits.len();
        bits[..value.len().min(8)].copy_from_slice(&value[..value.len().min(8)]);
        self.0[attribute] = Some(if whole { point(declared.ty.scalar, u64::from_le_bytes(bits)) } else { range });
    }

    /// Records that an attribute has its initial value again.
    pub(super) fn reset(&mut self, schema: &Schema, attribute: usize) {
        self.0[attribute] = initial(&schema.attributes[attribute]);
    }

    /// Returns the checks that a pass requires, because a total may leave the range of its type. A traversal counts as
    /// `steps` passes.
    pub(super) fn checks(&self, kernel: &KernelDescriptor, graph: &Graph, steps: u32) -> SumChecks {
        let fits = |sum: &IntegerSum| {
            let AttributeSchema { kind, .. } = kernel.schema.attributes[sum.attribute];
            // Checked mode alone checks sums of terms of both signs.
            if sum.direction == SumDirection::Mixed
                && matches!(
                    kind,
                    AttributeKind::Wa { merge: Merge::Sum, .. } | AttributeKind::EdgeWa { merge: Merge::Sum, .. }
                )
            {
                return true;
            }
            let range = kernel.schema.attributes[sum.attribute].ty.scalar.range();
            let after = self.after(kernel, sum, graph, steps);
            after.zip(range).is_some_and(|(after, range)| range.0 <= after.0 && after.1 <= range.1)
        };
        if kernel.facts.sums.iter().all(fits) { SumChecks::None } else { SumChecks::Whole }
    }

    /// Updates the bounds after a pass. A pass that returned no error left each integer in the range of its type.
    pub(super) fn ran(&mut self, kernel: &KernelDescriptor, graph: &Graph, steps: u32) {
        for used in kernel.facts.uses.iter().filter(|used| used.access != Access::Read) {
            let Some(range) = kernel.schema.attributes[used.attribute].ty.scalar.range() else { continue };
            let mut others = kernel.facts.uses.iter().filter(|other| other.attribute == used.attribute);
            let adds = others.all(|other| matches!(other.access, Access::Read | Access::Merge));
            let sum = kernel.facts.sums.iter().find(|sum| sum.attribute == used.attribute && adds);
            let after = sum.and_then(|sum| self.after(kernel, sum, graph, steps)).unwrap_or(range);
            if let Some(bounds) = self.0.get_mut(used.attribute) {
                *bounds = Some((after.0.max(range.0), after.1.min(range.1)));
            }
        }
    }

    /// Returns the bounds of an attribute after a pass, regardless of its type; `None` if they are unknown.
    fn after(&self, kernel: &KernelDescriptor, sum: &IntegerSum, graph: &Graph, steps: u32) -> Option<(i128, i128)> {
        let (least, largest) = (*self.0.get(sum.attribute)?)?;
        if sum.most == u64::MAX {
            return None;
        }
        let changes = i128::from(bodies(kernel, sum.site, graph)).checked_mul(steps.into())?;
        let change = changes.checked_mul(sum.most.into())?;
        match sum.direction {
            SumDirection::Up => Some((least, largest.checked_add(change)?)),
            SumDirection::Down => Some((least.checked_sub(change)?, largest)),
            SumDirection::Mixed => None,
        }
    }
}

/// Returns the bounds of an attribute before the first pass.
fn initial(declared: &AttributeSchema) -> Option<(i128, i128)> {
    let scalar = declared.ty.scalar;
    let range = scalar.range()?;
    let (AttributeKind::Wa { init, .. } | AttributeKind::EdgeWa { init, .. }) = declared.kind else {
        return Some(range);
    };
    Some(point(scalar, init.bits))
}

/// Returns the bounds of a single integer, given as bits.
fn point(scalar: ScalarType, bits: u64) -> (i128, i128) {
    let unused = 64 - scalar.bits();
    let value = match scalar.is_signed() {
        true => i128::from((bits << unused) as i64 >> unused),
        false => i128::from(bits),
    };
    (value, value)
}

/// Returns the largest number of bodies of a pass that may update the same value at a vertex of this kind.
fn bodies(kernel: &KernelDescriptor, site: Site, graph: &Graph) -> u64 {
    let (vertices, edges) = (graph.num_vertices(), graph.num_edges());
    let properties = graph.properties();
    // A kernel that walks both directions visits an edge from either end.
    let degree = u64::from(properties.largest_out_degree) + u64::from(properties.largest_in_degree);
    match (kernel.kind, site) {
        (KernelKind::Vertex, Site::V) => 1,
        (KernelKind::Vertex, _) => vertices,
        (KernelKind::Intersect, _) => edges.saturating_mul(degree),
        (_, Site::Src | Site::Dst) => degree,
        _ => edges.saturating_mul(2),
    }
}
