//! Errors that devices of several kinds return.

use crate::error::Error;
use gts_contract::KernelDescriptor;
use gts_core::advice::Advice;

/// Returns the error for a kernel that may read any list at any time, if pages are not in memory.
pub fn on_disk(kernel: &KernelDescriptor) -> Error {
    Error::needs(
        kernel.function,
        "all pages in memory, because it meets lists of any vertices, and this graph was opened to be read from storage",
        Advice::new("give more --host-memory, or leave it out", "leave `host_memory` out, or give more"),
    )
}

/// Returns the error for a pattern search in a graph of 2^32 or more vertices.
pub fn too_many_vertices(kernel: &KernelDescriptor) -> Error {
    let advice = Advice::from("look for the pattern in a part of the graph");
    Error::needs(kernel.function, "a graph of fewer than 2^32 vertices", advice)
}

/// Returns the error for a pattern search with 2^64 or more matches.
pub fn too_many_matches() -> Error {
    Error::argument_with_advice(
        "the number of matches",
        "it is 2^64 or more",
        "look for a smaller pattern, or give its vertices labels",
    )
}

/// Returns the error for a pass that must pull although the graph lacks the opposite topology.
pub fn cannot_pull(kernel: &KernelDescriptor) -> Error {
    Error::needs(
        kernel.function,
        "in-edges to pull along, which this graph was built without",
        Advice::new(
            "build the graph with --in-edges, or leave --propagation out",
            "build the graph with `in_edges`, or leave the choice to the device",
        ),
    )
}

/// Returns the error for a pass over in-edges if the graph was built without in-edges.
pub fn no_in_edges(kernel: &KernelDescriptor) -> Error {
    let advice = Advice::new("build the graph with --in-edges", "build the graph with `in_edges`");
    Error::needs(kernel.function, "in-edges, which this graph was built without", advice)
}
