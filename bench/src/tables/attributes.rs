//! Bytes that each algorithm stores per vertex and reads per edge, and the strategies that its kernels support.

use super::{Align, markdown};
use gts_contract::{AttributeKind, Class, KernelDescriptor, KernelKind, Schema};
use gts_graph::algorithm::{self, Algorithm};

/// Bytes per vertex number in graphs of fewer than 2^32 vertices.
const VERTEX_BYTES: usize = 4;

/// Bytes of WA per vertex in the GTS paper, computed from its table of sizes: 0.5, 1, 1 and 2 GB for the 2^28 vertices
/// of RMAT28.
const PAPER: [(&str, &str, u64); 5] = [
    ("bfs", "Bfs16", 2),
    ("pagerank", "PageRank<f32>", 4),
    ("sssp", "Sssp<f32", 4),
    ("wcc", "Wcc", 8),
    ("afforest", "Afforest", 8),
];

/// Returns the table of sizes, sorted by the algorithm's name: bytes per vertex and edge of each attribute struct.
pub fn attributes() -> String {
    let heads = [
        ("algorithm", Align::Left),
        ("struct", Align::Left),
        ("WA", Align::Right),
        ("RA", Align::Right),
        ("edge", Align::Right),
        ("edge WA", Align::Right),
        ("paper", Align::Right),
    ];
    let rows_of = |algorithm| groups_of(algorithm).into_iter().map(|group| sizes(algorithm, &group));
    let rows: Vec<_> = algorithm::all().into_iter().flat_map(rows_of).collect();
    markdown(&heads, &rows)
}

/// Returns the table of classes, sorted by the algorithm's name: the kernels' class, and the kernels that prevent
/// replicas or parts.
pub fn classes() -> String {
    let heads = [
        ("algorithm", Align::Left),
        ("class", Align::Left),
        ("not replicable", Align::Left),
        ("not splittable", Align::Left),
    ];
    let rows: Vec<_> = algorithm::all().into_iter().map(class).collect();
    markdown(&heads, &rows)
}

/// An algorithm's attribute struct, with the type parameters for which its values have the same sizes. A gather appends
/// accumulators to the struct, and a priority appends a mark.
struct Group {
    name: &'static str,
    types: Vec<&'static str>,
    bytes: [u64; 4],
}

impl Group {
    fn title(&self) -> String {
        match self.types.as_slice() {
            [] => self.name.to_owned(),
            types => format!("{}<{}>", self.name, types.join(" or ")),
        }
    }
}

fn groups_of(algorithm: &'static Algorithm) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for kernel in algorithm.kernels {
        let (name, bytes) = (kernel.schema.name, bytes_of(kernel.schema));
        let types: Vec<_> = kernel.schema.parameter.map(|scalar| scalar.name()).into_iter().collect();
        match groups.iter_mut().find(|group| group.name == name && group.types == types) {
            Some(group) => {
                group.bytes = std::array::from_fn(|kind| group.bytes[kind].max(bytes[kind]));
            }
            None => groups.push(Group { name, types, bytes }),
        }
    }
    let mut joined: Vec<Group> = Vec::new();
    for group in groups {
        match joined.iter_mut().find(|other| other.name == group.name && other.bytes == group.bytes) {
            Some(other) => other.types.extend(group.types),
            None => joined.push(group),
        }
    }
    joined
}

/// Returns whether devices with replicas share a kernel's work. Kernels that intersect lists run on a single device.
fn shared(kernel: &KernelDescriptor) -> bool {
    match kernel.kind {
        KernelKind::Vertex => true,
        KernelKind::Intersect => false,
        KernelKind::Scan | KernelKind::Traverse => kernel.facts.replicable.holds(),
    }
}

/// Returns the bytes of WA and RA per vertex, and those of edge values and edge WA per edge.
fn bytes_of(schema: &Schema) -> [u64; 4] {
    let mut bytes = [0; 4];
    for attribute in schema.attributes {
        let kind = match attribute.kind {
            AttributeKind::Wa { .. } => 0,
            AttributeKind::Ra { .. } => 1,
            AttributeKind::Edge { .. } => 2,
            AttributeKind::EdgeWa { .. } => 3,
            AttributeKind::Param { .. } | AttributeKind::Global { .. } => continue,
        };
        bytes[kind] += attribute.ty.scalar.bytes(VERTEX_BYTES) as u64 * u64::from(attribute.ty.length);
    }
    bytes
}

fn sizes(algorithm: &Algorithm, group: &Group) -> Vec<String> {
    let title = group.title();
    let paper = PAPER.iter().find(|(name, part, _)| *name == algorithm.name && title.starts_with(part));
    let of_paper = paper.map_or(String::new(), |(.., bytes)| bytes.to_string());
    let [wa, ra, edge, edge_wa] = group.bytes.map(|bytes| bytes.to_string());
    vec![format!("`{}`", algorithm.name), format!("`{title}`"), wa, ra, edge, edge_wa, of_paper]
}

fn class(algorithm: &'static Algorithm) -> Vec<String> {
    let classes: Vec<_> = [Class::Ordered, Class::Monotone, Class::Racy]
        .into_iter()
        .filter(|class| algorithm.kernels.iter().any(|kernel| kernel.facts.class == *class))
        .map(Class::name)
        .collect();
    let refused = |allows: fn(&KernelDescriptor) -> bool| {
        let mut not: Vec<String> = Vec::new();
        for kernel in algorithm.kernels.iter().filter(|kernel| !allows(kernel)) {
            let name = format!("`{}`", kernel.name);
            if !not.contains(&name) {
                not.push(name);
            }
        }
        not.join(", ")
    };
    vec![
        format!("`{}`", algorithm.name),
        classes.join(", "),
        refused(shared),
        refused(|kernel| kernel.facts.splittable.holds()),
    ]
}
