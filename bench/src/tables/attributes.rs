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

/// Returns the table of algorithms, sorted by name: bytes per vertex and edge, the kernels' class, and the kernels that
/// prevent replicas or parts.
pub fn attributes() -> String {
    let heads = [
        ("algorithm", Align::Left),
        ("struct", Align::Left),
        ("WA", Align::Right),
        ("RA", Align::Right),
        ("edge", Align::Right),
        ("WA of an edge", Align::Right),
        ("WA in the paper", Align::Right),
        ("class", Align::Left),
        ("replicable", Align::Left),
        ("splittable", Align::Left),
    ];
    let rows: Vec<_> = algorithm::all().into_iter().flat_map(rows_of).collect();
    markdown(&heads, &rows)
}

/// An algorithm's attribute struct, with the type parameters for which its values have the same sizes. A gather appends
/// accumulators to the struct, and a priority appends a mark.
struct Group {
    name: &'static str,
    types: Vec<&'static str>,
    bytes: [u64; 4],
    kernels: Vec<&'static KernelDescriptor>,
}

impl Group {
    fn title(&self) -> String {
        match self.types.as_slice() {
            [] => self.name.to_owned(),
            types => format!("{}<{}>", self.name, types.join(" or ")),
        }
    }
}

fn rows_of(algorithm: &'static Algorithm) -> Vec<Vec<String>> {
    let mut groups: Vec<Group> = Vec::new();
    for kernel in algorithm.kernels {
        let (name, bytes) = (kernel.schema.name, bytes_of(kernel.schema));
        let types: Vec<_> = kernel.schema.parameter.map(|scalar| scalar.name()).into_iter().collect();
        match groups.iter_mut().find(|group| group.name == name && group.types == types) {
            Some(group) => {
                group.bytes = std::array::from_fn(|kind| group.bytes[kind].max(bytes[kind]));
                group.kernels.push(kernel);
            }
            None => groups.push(Group { name, types, bytes, kernels: vec![kernel] }),
        }
    }
    let mut joined: Vec<Group> = Vec::new();
    for group in groups {
        match joined.iter_mut().find(|other| other.name == group.name && other.bytes == group.bytes) {
            Some(other) => {
                other.types.extend(group.types);
                other.kernels.extend(group.kernels);
            }
            None => joined.push(group),
        }
    }
    joined.iter().map(|group| row(algorithm, group)).collect()
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

fn row(algorithm: &Algorithm, group: &Group) -> Vec<String> {
    let title = group.title();
    let paper = PAPER.iter().find(|(name, part, _)| *name == algorithm.name && title.starts_with(part));
    let of_paper = paper.map_or(String::new(), |(.., bytes)| bytes.to_string());
    let [wa, ra, edge, edge_wa] = group.bytes.map(|bytes| bytes.to_string());
    let classes: Vec<_> = [Class::Ordered, Class::Monotone, Class::Racy]
        .into_iter()
        .filter(|class| group.kernels.iter().any(|kernel| kernel.facts.class == *class))
        .map(Class::name)
        .collect();
    let allowed = |allows: fn(&KernelDescriptor) -> bool| {
        let mut not: Vec<&str> = Vec::new();
        for kernel in group.kernels.iter().filter(|kernel| !allows(kernel)) {
            if !not.contains(&kernel.name) {
                not.push(kernel.name);
            }
        }
        match not.as_slice() {
            [] => "yes".to_owned(),
            kernels => format!("not `{}`", kernels.join("`, `")),
        }
    };
    vec![
        format!("`{}`", algorithm.name),
        format!("`{title}`"),
        wa,
        ra,
        edge,
        edge_wa,
        of_paper,
        classes.join(", "),
        allowed(shared),
        allowed(|kernel| kernel.facts.splittable.holds()),
    ]
}
