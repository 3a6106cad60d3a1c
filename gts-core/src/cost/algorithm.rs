//! The properties of an algorithm that determine its cost.

use super::holding::{AttributeLoad, ColumnKey, ColumnPlacement, ColumnRead, ReadColumn, columns_read};
use super::memory::Need;
use crate::graph::GraphShape;
use crate::pattern;
use gts_contract::{
    Access, AttributeKind, AttributeSchema, KernelDescriptor, KernelKind, Limit, ScalarType, Schema, SharedWrites,
    Side, Site, StepLoop,
};

/// The set of vertices that are active when a traversal begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// One source vertex.
    One,
    /// All vertices.
    All,
}

/// The number of steps of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Exactly this number of steps.
    Fixed(u64),
    /// At most this number of steps. The actual number depends on values computed by the run.
    AtMost(u64),
    /// All steps until no vertex is active.
    WhileActive(Start),
}

/// A kernel's accesses to attributes of the neighbour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TargetWork {
    /// The size in bytes per vertex of the attributes that the kernel accesses at the neighbour.
    pub bytes: u64,
    /// The number of attributes that the kernel reads at the neighbour.
    pub reads: u64,
    /// The number of attributes that the kernel updates at the neighbour.
    pub updates: u64,
}

/// The properties of a kernel that determine its cost. Sizes are in bytes per vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelShape {
    /// The kernel's name with the struct and type, such as `PageRank<f32>::push`. Measured constants are found by this
    /// name.
    pub name: String,
    /// The kind of elements for which the kernel's body runs.
    pub kind: KernelKind,
    /// The topologies that the kernel walks; empty for a vertex kernel.
    pub sides: Vec<Side>,
    /// The columns that the kernel reads.
    pub reads: Vec<ColumnRead>,
    /// The size of the attributes that the kernel reads or writes.
    pub touched: u64,
    /// The size of the attributes that the kernel reads at the vertex that owns the list.
    pub at_source: u64,
    /// The accesses to attributes of the neighbour.
    pub target: TargetWork,
    /// The size of the attributes that the kernel writes. Replicas merge these attributes after the pass.
    pub merged: u64,
    /// The number of attributes that replicas merge.
    pub merged_columns: u64,
    /// The number of globals that the kernel adds to.
    pub globals: u64,
    /// Whether a pass may pull. If true, the ranks that share a pass first agree on whether the pass pulls.
    pub may_pull: bool,
    /// Whether each vertex is updated at most once in a run, because the update makes the vertex's guard permanently
    /// false.
    pub once: bool,
    /// Whether visiting an edge twice has the same effect as visiting it once.
    pub idempotent: bool,
    /// Whether the kernel reads edge values.
    pub reads_edge: bool,
    /// Whether a pulling step may stop reading a vertex's list as soon as the vertex's guard is false.
    pub leaves_early: bool,
    /// The size of a source value in bytes when a scan pulls; `None` unless the kernel is a scan that can pull.
    pub handed: Option<u64>,
    /// Whether the kernel visits triangles in order of degree. A CPU requires rearranged edges for this order.
    pub ordered: bool,
    /// The properties of the writes that determine how devices share passes and merge replicas.
    pub writes: SharedWrites,
    /// The traversal steps that a device may run without returning to the host.
    pub step_loop: StepLoop,
    /// The reason why the WA cannot be split; `None` if it can be.
    pub not_splittable: Option<&'static str>,
}

impl KernelShape {
    /// Returns the shape of a kernel on a given graph.
    pub fn of(kernel: &KernelDescriptor, graph: &GraphShape) -> Self {
        let (schema, vertex_bytes) = (kernel.schema, graph.vertex_bytes());
        let bytes = |attribute: usize| match schema.attributes[attribute].kind {
            AttributeKind::Wa { .. } | AttributeKind::Ra { .. } => value_bytes(schema, attribute, vertex_bytes),
            AttributeKind::EdgeWa { .. }
            | AttributeKind::Edge { .. }
            | AttributeKind::Param { .. }
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

/// Returns a kernel's name with the struct and type, such as `PageRank<f32>::push`.
pub fn kernel_name(kernel: &KernelDescriptor) -> String {
    match kernel.schema.parameter {
        Some(parameter) => format!("{}<{parameter}>::{}", kernel.schema.name, kernel.name),
        None => format!("{}::{}", kernel.schema.name, kernel.name),
    }
}

fn value_bytes(schema: &Schema, attribute: usize, vertex_bytes: usize) -> u64 {
    bytes_of(&schema.attributes[attribute], vertex_bytes)
}

/// Returns the size of an attribute's value in bytes, including all elements of an array.
pub(super) fn bytes_of(declared: &AttributeSchema, vertex_bytes: usize) -> u64 {
    declared.ty.scalar.bytes(vertex_bytes) as u64 * u64::from(declared.ty.length)
}

/// An attribute that receives the graph's edge values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeValues {
    /// The attribute's name with its struct, such as `Sssp.weight`.
    pub attribute: String,
    /// The exact type that the graph's edge values must have.
    pub ty: ScalarType,
    /// Whether a graph without edge values is accepted.
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

/// The properties of an algorithm that determine its cost.
#[derive(Clone, Debug, PartialEq)]
pub struct AlgorithmShape {
    /// The algorithm's name, as shown in predictions.
    pub name: String,
    /// The sizes of the WA, the params and the globals.
    pub attributes: AttributeLoad,
    /// The RA columns.
    pub ra: Vec<ReadColumn>,
    /// The RA columns that `rotate` fills after each step.
    pub rotated: Vec<ReadColumn>,
    /// The edge values that the algorithm's structs declare.
    pub edge_values: Vec<EdgeValues>,
    /// Whether the algorithm requires every edge in both directions.
    pub symmetric: bool,
    /// Kernels that run once before the first step.
    pub once: Vec<KernelShape>,
    /// Kernels that run in each step, in order.
    pub each_step: Vec<KernelShape>,
    /// The number of steps.
    pub steps: Steps,
    /// The number of consecutive searches. Each search runs all steps.
    pub searches: u64,
    /// The pattern that the algorithm searches for, if any.
    pub pattern: Option<PatternShape>,
}

/// The properties of a pattern search that determine its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternShape {
    /// The number of vertices in the pattern.
    pub vertices: u64,
    /// Whether any vertex of the pattern has a label.
    pub labelled: bool,
    /// Maximum number of matches to list; 0 counts without listing.
    pub most_listed: u64,
}

impl PatternShape {
    /// Returns the host memory that a search needs. The first need covers the lists, the driver's labels and the space
    /// for `threads` searching threads. The second need, if any, covers the listing.
    pub(super) fn on_host(&self, graph: &GraphShape, threads: u64) -> impl Iterator<Item = Need> + use<> {
        let labels = if self.labelled { graph.vertices } else { 0 };
        let bytes = pattern::host_bytes(graph.vertices, graph.edges, threads) + labels;
        let listing = pattern::listing_host_bytes(self.vertices, self.most_listed);
        let listing = (self.most_listed > 0).then_some(Need { what: "matches, at most", bytes: listing });
        [Need { what: "lists by degree", bytes }].into_iter().chain(listing)
    }

    /// Returns the device memory that a search needs on a GPU. The first need covers the lists and room for work that
    /// warps share. The second need, if any, covers the listing.
    pub(super) fn on_device(&self, graph: &GraphShape) -> impl Iterator<Item = Need> + use<> {
        let warps = pattern::MOST_WARPS;
        let bytes = pattern::device_bytes(graph.vertices, graph.edges, self.vertices, warps);
        let listing = pattern::listing_device_bytes(self.vertices, self.most_listed, warps);
        let listing = (self.most_listed > 0).then_some(Need { what: "matches, at most", bytes: listing });
        [Need { what: "lists by degree", bytes }].into_iter().chain(listing)
    }
}

/// Returns whether two schemas belong to the same struct with the same type argument.
fn of_one(one: &Schema, other: &Schema) -> bool {
    (one.name, one.parameter, one.location) == (other.name, other.parameter, other.location)
}

impl AlgorithmShape {
    /// Returns the shape of an algorithm that runs the given kernels on a graph, for a single search. Kernels of
    /// different structs run consecutively, so the struct with the largest attributes determines the memory use.
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

    /// Returns the total size of the RA in bytes per vertex.
    pub fn ra_bytes(&self) -> u64 {
        self.ra.iter().map(|column| column.bytes).sum()
    }

    /// Returns the number of bytes per vertex that `rotate` writes to columns in host memory.
    pub(super) fn rotated_away(&self, placement: &ColumnPlacement) -> u64 {
        let away = |column: &&ReadColumn| placement.away.iter().any(|other| other.key == column.key);
        self.rotated.iter().filter(away).map(|column| column.bytes).sum()
    }

    /// Returns the topologies that the kernels walk.
    pub fn sides(&self) -> Vec<Side> {
        let walked = |side| self.kernels().any(|kernel| kernel.sides.contains(&side));
        [Side::Out, Side::In].into_iter().filter(|side| walked(*side)).collect()
    }

    /// Returns whether a kernel intersects lists. Such a kernel may read any list at any time, so all pages must be in
    /// memory.
    pub fn meets_lists(&self) -> bool {
        self.kernels().any(|kernel| kernel.kind == KernelKind::Intersect)
    }

    /// Iterates over all kernels, beginning with the kernels that run once.
    pub fn kernels(&self) -> impl Iterator<Item = &KernelShape> {
        self.once.iter().chain(&self.each_step)
    }
}
