//! What an algorithm does, as far as costs depend on it.

use super::holding::{AttributeLoad, ColumnKey, ColumnPlacement, ColumnRead, ReadColumn, columns_read};
use super::memory::Need;
use super::shape::GraphShape;
use crate::pattern;
use gts_contract::{
    Access, AttributeKind, AttributeSchema, KernelDescriptor, KernelKind, Limit, ScalarType, Schema, SharedWrites,
    Side, Site, StepLoop,
};

/// Which vertices are active when a traversal begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// One.
    One,
    /// All.
    All,
}

/// How often an algorithm's steps are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// So many times.
    Fixed(u64),
    /// At most so many times; when it ends depends on values that only a run knows.
    AtMost(u64),
    /// Until no vertex is active.
    WhileActive(Start),
}

/// What a kernel does at the far end of an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TargetWork {
    /// Bytes of the attributes that it touches there, of a vertex.
    pub bytes: u64,
    /// Attributes that it reads there.
    pub reads: u64,
    /// Attributes that it updates there.
    pub updates: u64,
}

/// A kernel, as far as costs depend on it. Bytes are a vertex's.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelShape {
    /// The kernel with its struct and type, as constants are kept under: `PageRank<f32>::push`.
    pub name: String,
    /// What its body runs for.
    pub kind: KernelKind,
    /// The topologies that it walks; none for a vertex kernel.
    pub sides: Vec<Side>,
    /// The columns that it reads.
    pub reads: Vec<ColumnRead>,
    /// Attributes that it touches, read or written.
    pub touched: u64,
    /// Attributes that it reads at the page's own vertex.
    pub at_source: u64,
    /// What it does at the far end of an edge.
    pub target: TargetWork,
    /// Attributes that it writes, which replicas merge after it.
    pub merged: u64,
    /// The number of those attributes.
    pub merged_columns: u64,
    /// The number of globals that it adds to.
    pub globals: u64,
    /// Whether a pass may pull, on which all that share it agree first.
    pub may_pull: bool,
    /// Whether an edge is of use at most once in a run: the guard at its target does not hold again.
    pub once: bool,
    /// Whether a second visit of an edge changes nothing.
    pub idempotent: bool,
    /// Whether it reads the value of an edge.
    pub reads_edge: bool,
    /// Whether a step of a traversal may be done by the vertices that it could reach, which look for an active one along
    /// the opposite topology, each until it has found one.
    pub leaves_early: bool,
    /// Bytes that each vertex hands out where a scan pulls, if it can.
    pub handed: Option<u64>,
    /// Whether it meets triangles in the order of the degrees, for which a CPU lays the edges out anew.
    pub ordered: bool,
    /// What decides how devices share its passes, and how replicas become the same after them.
    pub writes: SharedWrites,
    /// How many steps of a traversal a device may run by itself.
    pub step_loop: StepLoop,
    /// Why its WA cannot be split, if it cannot.
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

/// The name of a kernel with its struct and type: `PageRank<f32>::push`.
pub fn kernel_name(kernel: &KernelDescriptor) -> String {
    match kernel.schema.parameter {
        Some(parameter) => format!("{}<{parameter}>::{}", kernel.schema.name, kernel.name),
        None => format!("{}::{}", kernel.schema.name, kernel.name),
    }
}

fn value_bytes(schema: &Schema, attribute: usize, vertex_bytes: usize) -> u64 {
    bytes_of(&schema.attributes[attribute], vertex_bytes)
}

/// Returns the bytes of a value of an attribute, of all elements of an array.
pub(super) fn bytes_of(declared: &AttributeSchema, vertex_bytes: usize) -> u64 {
    declared.ty.scalar.bytes(vertex_bytes) as u64 * u64::from(declared.ty.length)
}

/// An attribute that holds the values of edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeValues {
    /// The attribute with its struct: `Sssp.weight`.
    pub attribute: String,
    /// The very type that the graph's values must have.
    pub ty: ScalarType,
    /// Whether a graph without values will do.
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

/// An algorithm, as far as costs depend on it.
#[derive(Clone, Debug, PartialEq)]
pub struct AlgorithmShape {
    /// Its name.
    pub name: String,
    /// What it writes, and what is small.
    pub attributes: AttributeLoad,
    /// Its read-only attributes.
    pub ra: Vec<ReadColumn>,
    /// Of those, the ones that `rotate` fills after each step.
    pub rotated: Vec<ReadColumn>,
    /// The edge values that its structs ask for.
    pub edge_values: Vec<EdgeValues>,
    /// Whether each edge must stand in both directions.
    pub symmetric: bool,
    /// Kernels that run once, before the steps.
    pub once: Vec<KernelShape>,
    /// Kernels of each step, in their order.
    pub each_step: Vec<KernelShape>,
    /// How often the steps are done.
    pub steps: Steps,
    /// Searches that it makes one after the other, each with all of the steps.
    pub searches: u64,
    /// The search for a pattern that it makes, if it does.
    pub pattern: Option<PatternShape>,
}

/// A search for a pattern, as costs see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternShape {
    /// Vertices of the pattern.
    pub vertices: u64,
    /// Whether some of them have labels.
    pub labelled: bool,
    /// The most matches that are listed; 0 where they are counted alone.
    pub most_listed: u64,
}

impl PatternShape {
    /// Returns the lists that the host makes of a graph, with the labels that the driver makes and what `threads` threads take
    /// that search there; then what a listing takes.
    pub(super) fn on_host(&self, graph: &GraphShape, threads: u64) -> impl Iterator<Item = Need> + use<> {
        let labels = if self.labelled { graph.vertices } else { 0 };
        let bytes = pattern::host_bytes(graph.vertices, graph.edges, threads) + labels;
        let listing = pattern::listing_host_bytes(self.vertices, self.most_listed);
        let listing = (self.most_listed > 0).then_some(Need { what: "matches, at most", bytes: listing });
        [Need { what: "lists by degree", bytes }].into_iter().chain(listing)
    }

    /// Returns what a GPU has of them, with room for work that warps leave to others; then what a listing takes.
    pub(super) fn on_device(&self, graph: &GraphShape) -> impl Iterator<Item = Need> + use<> {
        let warps = pattern::MOST_WARPS;
        let bytes = pattern::device_bytes(graph.vertices, graph.edges, self.vertices, warps);
        let listing = pattern::listing_device_bytes(self.vertices, self.most_listed, warps);
        let listing = (self.most_listed > 0).then_some(Need { what: "matches, at most", bytes: listing });
        [Need { what: "lists by degree", bytes }].into_iter().chain(listing)
    }
}

/// Returns whether two schemas are of one struct, with one type.
fn of_one(one: &Schema, other: &Schema) -> bool {
    (one.name, one.parameter, one.location) == (other.name, other.parameter, other.location)
}

impl AlgorithmShape {
    /// Returns the shape of an algorithm of these kernels that runs over a graph. Of kernels on several structs, whose runs follow
    /// each other, the struct of the most bytes counts. It makes one search.
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

    /// Returns the bytes of a vertex's read-only attributes.
    pub fn ra_bytes(&self) -> u64 {
        self.ra.iter().map(|column| column.bytes).sum()
    }

    /// Returns the bytes of a vertex's attributes that `rotate` hands over to columns that are away from the device.
    pub(super) fn rotated_away(&self, placement: &ColumnPlacement) -> u64 {
        let away = |column: &&ReadColumn| placement.away.iter().any(|other| other.key == column.key);
        self.rotated.iter().filter(away).map(|column| column.bytes).sum()
    }

    /// The topologies that its kernels walk.
    pub fn sides(&self) -> Vec<Side> {
        let walked = |side| self.kernels().any(|kernel| kernel.sides.contains(&side));
        [Side::Out, Side::In].into_iter().filter(|side| walked(*side)).collect()
    }

    /// Whether any list may be asked for at any time, so that all pages must be in memory.
    pub fn meets_lists(&self) -> bool {
        self.kernels().any(|kernel| kernel.kind == KernelKind::Intersect)
    }

    /// Every kernel.
    pub fn kernels(&self) -> impl Iterator<Item = &KernelShape> {
        self.once.iter().chain(&self.each_step)
    }
}
