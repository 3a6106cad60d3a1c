//! Errors that several devices return for the same reason.

use crate::error::Error;
use gts_contract::KernelDescriptor;
use gts_core::advice::Advice;

/// Returns the error of a kernel that reads lists of arbitrary vertices, if pages are not in memory.
pub fn on_disk(kernel: &KernelDescriptor) -> Error {
    Error::needs(
        kernel.name,
        "all pages in memory, because it meets lists of any vertices, and this graph was opened to be read from storage",
        Advice::new("give more --host-memory, or leave it out", "open it into memory with `Graph::open`"),
    )
}

/// Returns the error of a pattern search in a graph with too many vertices to number.
pub fn too_many_vertices(kernel: &KernelDescriptor) -> Error {
    let advice = Advice::from("look for the pattern in a part of the graph");
    Error::needs(kernel.name, "a graph of fewer than 2^32 vertices", advice)
}

/// Returns the error of a search with more matches than 64 bits count.
pub fn too_many_matches() -> Error {
    Error::argument_with_advice(
        "the number of matches",
        "it is 2^64 or more",
        "look for a smaller pattern, or give its vertices labels",
    )
}

/// Returns the error of a pass that must pull over a graph without the topology for it.
pub fn cannot_pull(kernel: &KernelDescriptor) -> Error {
    Error::needs(
        kernel.name,
        "in-edges to pull along, which this graph was built without",
        Advice::new(
            "build the graph with --in-edges, or leave --propagation out",
            "build the graph with `in_edges`, or leave the choice to the device",
        ),
    )
}

/// Returns the error of a pass over in-edges of a graph that has none.
pub fn no_in_edges(kernel: &KernelDescriptor) -> Error {
    let advice = Advice::new("build the graph with --in-edges", "build the graph with `in_edges`");
    Error::needs(kernel.name, "in-edges, which this graph was built without", advice)
}
