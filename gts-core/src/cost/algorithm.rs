//! The properties of an algorithm that costs depend on.

use super::holding::{AttributeLoad, ColumnKey, ColumnPlacement, ColumnRead, ReadColumn, columns_read};
use super::memory::Need;
use crate::graph::GraphShape;
use crate::pattern;
use gts_contract::{
    Access, AttributeKind, AttributeSchema, KernelDescriptor, KernelKind, Limit, ScalarType, Schema, SharedWrites,
    Side, Site, StepLoop,
};

/// The vertices that are active when a traversal begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// One vertex.
    One,
    /// All vertices.
    All,
}

/// The number of steps of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// This number of steps.
    Fixed(u64),
    /// At most this number of steps. The end depends on values that only a run computes.
    AtMost(u64),
    /// Until no vertex is active.
    WhileActive(Start),
}

/// The work of a kernel at the far end of an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TargetWork {
    /// Bytes that one vertex has in the attributes that the kernel touches there.
    pub bytes: u64,
    /// Number of attributes that the kernel reads there.
    pub reads: u64,
    /// Number of attributes that the kernel updates there.
    pub updates: u64,
}

/// The properties of a kernel that costs depend on. Bytes are per vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelShape {
    /// The kernel with its struct and type, the key of its measured constants: `PageRank<f32>::push`.
    pub name: String,
    /// The elements that the kernel's body runs for.
    pub kind: KernelKind,
    /// The topologies that the kernel walks; empty for a vertex kernel.
    pub sides: Vec<Side>,
    /// The columns that the kernel reads.
    pub reads: Vec<ColumnRead>,
    /// Bytes of the attributes that the kernel reads or writes.
    pub touched: u64,
    /// Bytes of the attributes that the kernel reads at the page's own vertex.
    pub at_source: u64,
    /// The work at the far end of an edge.
    pub target: TargetWork,
    /// Bytes of the attributes that the kernel writes. Replicas merge them after the pass.
    pub merged: u64,
    /// Number of attributes among them.
    pub merged_columns: u64,
    /// Number of globals that the kernel adds to.
    pub globals: u64,
    /// Whether a pass may pull. All ranks that share the pass agree on it first.
    pub may_pull: bool,
    /// Whether an edge is useful at most once in a run, because the guard at its target never holds again.
    pub once: bool,
    /// Whether visiting an edge twice has the same effect as visiting it once.
    pub idempotent: bool,
    /// Whether the kernel reads edge values.
    pub reads_edge: bool,
    /// Whether a traversal step may be done by the unreached vertices: each searches the opposite topology for an
    /// active neighbour and stops at the first.
    pub leaves_early: bool,
    /// Bytes that each vertex hands out when a scan pulls, if the kernel can pull.
    pub handed: Option<u64>,
    /// Whether the kernel visits triangles in order of degree. A CPU rearranges the edges for that.
    pub ordered: bool,
    /// Decides how devices share the passes, and how replicas are merged after them.
    pub writes: SharedWrites,
    /// The steps of a traversal that a device may run without the host.
    pub step_loop: StepLoop,
    /// The reason why WA cannot be split, if it cannot.
    pub not_splittable: Option<&'static str>,
}

impl KernelShape {
    /// Returns the shape of a kernel that runs over a graph.
    pub fn of(kernel: &KernelDescriptor, graph: &GraphShape) -> Self {
        let (schema, vertex_bytes) = (kernel.schema, graph.vertex_bytes());
        let bytes = |attribute: usize| match schema.attributes[attribute].kind {
            AttributeKind::Wa { .. } | AttributeKind::Ra { .. } => value_bytes(schema, attribute, vertex_bytes),
            AttributeKind::EdgeWa { .. }
            | AttributeKind::Edge { .. }
            | AttributeKind::Param
            | AttributeKind::Global { .. } => 0,
        };
        let sum = |wanted: &dyn Fn(Site, Access) -> bool| {
            let mut used: Vec<_> = kernel.facts.uses.iter().filter(|used| wanted(used.site, used.access)).collect();
            used.sort_by_key(|used| used.attribute);
            used.dedup_by_key(|used| used.attribute);
            used.into_iter().map(|used| bytes(used.attribute)).sum()
        };
        let count = |wanted: &dyn Fn(AttributeKind) -> bool| {
            let written = kernel.facts.uses.iter().filter(|used| used.access != Access::Read);
            let mut found: Vec<_> = written.map(|used| used.attribute).collect();
            found.retain(|attribute| wanted(schema.attributes[*attribute].kind));
            found.sort_unstable();
            found.dedup();
            found.len() as u64
        };
        let of_target = |wanted: &dyn Fn(Access) -> bool| {
            let uses = kernel.facts.uses.iter().filter(|used| used.site == Site::Dst && wanted(used.access));
            let mut found: Vec<_> = uses.map(|used| used.attribute).collect();
            found.sort_unstable();
            found.dedup();
            found.len() as u64
        };
        let why = |limit: Limit| match limit {
            Limit::Yes => None,
            Limit::No { why, .. } => Some(why),
        };
        let sides = kernel.sides(graph.symmetric).to_vec();
        Self {
            name: kernel_name(kernel),
            kind: kernel.kind,
            reads: columns_read(kernel, &sides),
            sides,
            touched: sum(&|_, _| true),
            at_source: sum(&|site, access| site == Site::Src && access == Access::Read),
            target: TargetWork {
                bytes: sum(&|site, _| site == Site::Dst),
                reads: of_target(&|access| access == Access::Read),
                updates: of_target(&|access| access != Access::Read),
            },
            merged: sum(&|_, access| access != Access::Read),
            merged_columns: count(&|kind| matches!(kind, AttributeKind::Wa { .. })),
            globals: count(&|kind| matches!(kind, AttributeKind::Global { .. })),
            may_pull: kernel.facts.pulls,
            once: kernel.facts.target_guard_falls,
            idempotent: kernel.facts.idempotent,
            reads_edge: kernel.facts.reads_edge,
            leaves_early: kernel.leaves_lists_early(),
            handed: (kernel.kind == KernelKind::Scan && kernel.facts.pulls).then_some(kernel.facts.handed_bytes as u64),
            ordered: kernel.ordered,
            writes: SharedWrites::of(kernel),
            step_loop: kernel.facts.step_loop,
            not_splittable: why(kernel.facts.splittable),
        }
    }
}

/// Returns the name of a kernel with its struct and type: `PageRank<f32>::push`.
pub fn kernel_name(kernel: &KernelDescriptor) -> String {
    match kernel.schema.parameter {
        Some(parameter) => format!("{}<{parameter}>::{}", kernel.schema.name, kernel.name),
        None => format!("{}::{}", kernel.schema.name, kernel.name),
    }
}

fn value_bytes(schema: &Schema, attribute: usize, vertex_bytes: usize) -> u64 {
    bytes_of(&schema.attributes[attribute], vertex_bytes)
}

/// Returns the bytes of an attribute's value, with all elements of an array.
pub(super) fn bytes_of(declared: &AttributeSchema, vertex_bytes: usize) -> u64 {
    declared.ty.scalar.bytes(vertex_bytes) as u64 * u64::from(declared.ty.length)
}

/// An attribute that holds the values of edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeValues {
    /// The attribute with its struct: `Sssp.weight`.
    pub attribute: String,
    /// The exact type that the graph's values must have.
    pub ty: ScalarType,
    /// Whether a graph without values suffices.
    pub optional: bool,
}

impl EdgeValues {
    fn of(schema: &'static Schema) -> impl Iterator<Item = Self> {
        schema.attributes.iter().filter_map(|attribute| match attribute.kind {
            AttributeKind::Edge { default } => Some(Self {
                attribute: format!("{}.{}", schema.name, attribute.name),
                ty: attribute.ty.scalar,
                optional: default.is_some(),
            }),
            _ => None,
        })
    }
}

/// The properties of an algorithm that costs depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct AlgorithmShape {
    /// Its name.
    pub name: String,
    /// Load of the updatable attributes, params and globals.
    pub attributes: AttributeLoad,
    /// Its read-only attributes.
    pub ra: Vec<ReadColumn>,
    /// The read-only attributes that `rotate` fills after each step.
    pub rotated: Vec<ReadColumn>,
    /// The edge values that the algorithm's structs require.
    pub edge_values: Vec<EdgeValues>,
    /// Whether every edge must be stored in both directions.
    pub symmetric: bool,
    /// Kernels that run once, before the steps.
    pub once: Vec<KernelShape>,
    /// Kernels of each step, in order.
    pub each_step: Vec<KernelShape>,
    /// The number of steps.
    pub steps: Steps,
    /// Number of searches that follow one another. Each runs all steps.
    pub searches: u64,
    /// The pattern that the algorithm searches for, if any.
    pub pattern: Option<PatternShape>,
}

/// The properties of a pattern search that costs depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternShape {
    /// Number of vertices of the pattern.
    pub vertices: u64,
    /// Whether some vertices of the pattern have labels.
    pub labelled: bool,
    /// Maximum number of matches to list; 0 counts without listing.
    pub most_listed: u64,
}

impl PatternShape {
    /// Returns the memory that a search needs on the host: the lists with the driver's labels and the space of
    /// `threads` searching threads, then the listing.
    pub(super) fn on_host(&self, graph: &GraphShape, threads: u64) -> impl Iterator<Item = Need> + use<> {
        let labels = if self.labelled { graph.vertices } else { 0 };
        let bytes = pattern::host_bytes(graph.vertices, graph.edges, threads) + labels;
        let listing = pattern::listing_host_bytes(self.vertices, self.most_listed);
        let listing = (self.most_listed > 0).then_some(Need { what: "matches, at most", bytes: listing });
        [Need { what: "lists by degree", bytes }].into_iter().chain(listing)
    }

    /// Returns the memory of a search on a GPU: lists with room for work that warps leave to others, then the listing.
    pub(super) fn on_device(&self, graph: &GraphShape) -> impl Iterator<Item = Need> + use<> {
        let warps = pattern::MOST_WARPS;
        let bytes = pattern::device_bytes(graph.vertices, graph.edges, self.vertices, warps);
        let listing = pattern::listing_device_bytes(self.vertices, self.most_listed, warps);
        let listing = (self.most_listed > 0).then_some(Need { what: "matches, at most", bytes: listing });
        [Need { what: "lists by degree", bytes }].into_iter().chain(listing)
    }
}

/// Returns whether two schemas are of the same struct with the same type.
fn of_one(one: &Schema, other: &Schema) -> bool {
    (one.name, one.parameter, one.location) == (other.name, other.parameter, other.location)
}

impl AlgorithmShape {
    /// Returns the shape of an algorithm with these kernels, for a graph. If the kernels belong to several structs,
    /// whose runs follow one another, the struct with the most bytes counts. The algorithm makes one search.
    pub fn of(
        name: impl Into<String>,
        once: &[&'static KernelDescriptor],
        each_step: &[&'static KernelDescriptor],
        steps: Steps,
        graph: &GraphShape,
    ) -> Self {
        let vertex_bytes = graph.vertex_bytes();
        let schemas = each_step.iter().chain(once).map(|kernel| kernel.schema);
        let held = |schema: &&'static Schema| {
            let (load, ra) = (AttributeLoad::of(schema, vertex_bytes), ReadColumn::of(schema, vertex_bytes));
            load.wa + load.edge_wa + ra.iter().map(|column| column.bytes).sum::<u64>()
        };
        let largest = schemas.max_by_key(held);
        let shape = |kernel: &&'static KernelDescriptor| {
            let of_largest = largest.is_some_and(|schema| of_one(schema, kernel.schema));
            let mut shape = KernelShape::of(kernel, graph);
            shape.reads.retain(|read| of_largest || matches!(read.key, ColumnKey::Degrees(_)));
            shape
        };
        let shapes = |kernels: &[&'static KernelDescriptor]| kernels.iter().map(shape).collect();
        let attributes = largest.map(|schema| AttributeLoad::of(schema, vertex_bytes)).unwrap_or_default();
        let ra = largest.map(|schema| ReadColumn::of(schema, vertex_bytes)).unwrap_or_default();
        let from = |column: &&ReadColumn| match (column.key, largest) {
            (ColumnKey::Attribute(attribute), Some(schema)) => {
                matches!(schema.attributes[attribute].kind, AttributeKind::Ra { from: Some(_) })
            }
            _ => false,
        };
        let rotated = ra.iter().filter(from).copied().collect();
        let mut edge_values: Vec<_> =
            each_step.iter().chain(once).flat_map(|kernel| EdgeValues::of(kernel.schema)).collect();
        edge_values.dedup();
        Self {
            name: name.into(),
            attributes,
            ra,
            rotated,
            edge_values,
            symmetric: each_step.iter().chain(once).any(|kernel| kernel.ordered),
            once: shapes(once),
            each_step: shapes(each_step),
            steps,
            searches: 1,
            pattern: None,
        }
    }

    /// Returns the bytes per vertex of the read-only attributes.
    pub fn ra_bytes(&self) -> u64 {
        self.ra.iter().map(|column| column.bytes).sum()
    }

    /// Returns the bytes per vertex that `rotate` writes to columns that are not on the device.
    pub(super) fn rotated_away(&self, placement: &ColumnPlacement) -> u64 {
        let away = |column: &&ReadColumn| placement.away.iter().any(|other| other.key == column.key);
        self.rotated.iter().filter(away).map(|column| column.bytes).sum()
    }

    /// Returns the topologies that the kernels walk.
    pub fn sides(&self) -> Vec<Side> {
        let walked = |side| self.kernels().any(|kernel| kernel.sides.contains(&side));
        [Side::Out, Side::In].into_iter().filter(|side| walked(*side)).collect()
    }

    /// Returns whether any list may be needed at any time, so that all pages must be in memory.
    pub fn meets_lists(&self) -> bool {
        self.kernels().any(|kernel| kernel.kind == KernelKind::Intersect)
    }

    /// Iterates over all kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &KernelShape> {
        self.once.iter().chain(&self.each_step)
    }
}
