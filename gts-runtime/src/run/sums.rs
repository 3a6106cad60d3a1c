//! Bounds of the integers that kernels add to, from which a run derives which passes check their sums.

use gts_contract::{
    Access, AttributeKind, AttributeSchema, IntegerSum, KernelDescriptor, KernelKind, ScalarType, Schema, Site,
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
        self.0[attribute] = Some(match bits.get_mut(..value.len()) {
            Some(low) if !declared.ty.array => {
                low.copy_from_slice(value);
                point(declared.ty.scalar, u64::from_le_bytes(bits))
            }
            _ => range,
        });
    }

    /// Records that an attribute has its initial value again.
    pub(super) fn reset(&mut self, schema: &Schema, attribute: usize) {
        self.0[attribute] = initial(&schema.attributes[attribute]);
    }

    /// Returns the checks that a pass requires: all of them if a total may leave the range of its type, otherwise none.
    /// A traversal counts as `steps` passes.
    pub(super) fn checks(&self, kernel: &KernelDescriptor, graph: &Graph, steps: u32) -> SumChecks {
        let fits = |sum: &IntegerSum| {
            let declared = &kernel.schema.attributes[sum.attribute];
            // Only checked mode checks sums of terms of both signs.
            if sum.is_mixed(declared.kind) {
                return true;
            }
            let after = self.after(kernel, sum, graph, steps);
            after.zip(declared.ty.scalar.range()).is_some_and(|(after, range)| range.0 <= after.0 && after.1 <= range.1)
        };
        if kernel.facts.sums.iter().all(fits) { SumChecks::None } else { SumChecks::Whole }
    }

    /// Updates the bounds after a pass or a traversal. A traversal counts as `steps` passes. `None` means failure:
    /// integers may then have any value. Otherwise, no sum has left the range of its type.
    pub(super) fn ran(&mut self, kernel: &KernelDescriptor, graph: &Graph, steps: Option<u32>) {
        for used in kernel.facts.uses.iter().filter(|used| used.access != Access::Read) {
            let Some(range) = kernel.schema.attributes[used.attribute].ty.scalar.range() else { continue };
            let sum = kernel.facts.sums.iter().find(|sum| sum.attribute == used.attribute);
            let after = sum.zip(steps).and_then(|(sum, steps)| self.after(kernel, sum, graph, steps));
            let after = after.unwrap_or(range);
            if let Some(bounds) = self.0.get_mut(used.attribute) {
                *bounds = Some((after.0.max(range.0), after.1.min(range.1)));
            }
        }
    }

    /// Returns the bounds of an attribute after a pass, which may exceed the range of its type; `None` if they are
    /// unknown.
    fn after(&self, kernel: &KernelDescriptor, sum: &IntegerSum, graph: &Graph, steps: u32) -> Option<(i128, i128)> {
        let (least, largest) = (*self.0.get(sum.attribute)?)?;
        let mut uses = kernel.facts.uses.iter().filter(|used| used.attribute == sum.attribute);
        // A body may add to any value that it has stored.
        if sum.most == u64::MAX || !uses.all(|used| matches!(used.access, Access::Read | Access::Merge)) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use gts_contract::{AttributeType, AttributeUse, Direction, Init, KernelFacts, Merge, SourceLocation};

    const HERE: SourceLocation = SourceLocation { file: file!(), line: line!(), column: 1 };

    static SCHEMA: Schema = Schema {
        name: "Counters",
        parameter: None,
        attributes: &[AttributeSchema {
            name: "total",
            ty: AttributeType { scalar: ScalarType::U32, length: 1, array: false },
            kind: AttributeKind::Wa { init: Init { bits: 0 }, merge: Merge::Sum },
            doc: "",
        }],
        location: HERE,
    };

    const fn used(access: Access) -> AttributeUse {
        AttributeUse { attribute: 0, site: Site::V, access, location: HERE }
    }

    /// Returns a kernel that adds 1 to the counter of each vertex.
    const fn increment(uses: &'static [AttributeUse]) -> KernelDescriptor {
        let sums = &[IntegerSum { attribute: 0, direction: SumDirection::Up, most: 1, site: Site::V, error_site: 0 }];
        KernelDescriptor {
            name: "increment",
            function: "increment",
            schema: &SCHEMA,
            kind: KernelKind::Vertex,
            direction: Direction::Out,
            technique: None,
            ordered: false,
            facts: KernelFacts { uses, sums, ..KernelFacts::OF_NOTHING },
            error_sites: &[],
            cuda: "",
            location: HERE,
        }
    }

    static ADDS: KernelDescriptor = increment(&[used(Access::Merge)]);
    static STORES_AND_ADDS: KernelDescriptor = increment(&[used(Access::Store), used(Access::Merge)]);

    #[test]
    fn sums_of_stored_values_are_checked() {
        let (graph, bounds) = (Graph::from_edges([(0, 1)]).unwrap(), IntegerBounds::new(&SCHEMA));
        assert_eq!(bounds.checks(&ADDS, &graph, u32::MAX), SumChecks::None);
        assert_eq!(bounds.checks(&STORES_AND_ADDS, &graph, 1), SumChecks::Whole);
    }

    #[test]
    fn sums_after_a_failed_pass_are_checked() {
        let (graph, mut bounds) = (Graph::from_edges([(0, 1)]).unwrap(), IntegerBounds::new(&SCHEMA));
        bounds.ran(&ADDS, &graph, Some(1));
        assert_eq!(bounds.checks(&ADDS, &graph, 1), SumChecks::None);
        bounds.ran(&ADDS, &graph, None);
        assert_eq!(bounds.checks(&ADDS, &graph, 1), SumChecks::Whole);
    }
}
