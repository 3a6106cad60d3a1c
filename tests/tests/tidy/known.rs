//! Known violations of the rules. These lists may only shrink: a rule fails if one of its entries is no longer needed.

/// Functions longer than the limit, each with a reason.
pub(crate) const LONG_FUNCTIONS: [(&str, &str); 15] = [
    ("gts-cli/src/cmd/plan.rs: execute", "left for one plan"),
    ("gts-cli/src/cmd/run.rs: execute_on", "left for one plan"),
    ("gts-core/src/cost/hybrid/work.rs: steps_of", "left for one plan"),
    ("gts-core/src/cost/memory.rs: memory_plan", "left for one plan"),
    ("gts-core/src/cost/neighbors/equations.rs: equation", "one arm per equation of the paper"),
    ("gts-core/src/cost/neighbors/strategies.rs: of_class", "left for one plan"),
    ("gts-macros/src/emit/native/expr.rs: expr", "one arm per kind of expression"),
    ("gts-macros/src/emit/native/gather.rs: edges", "one template of tokens"),
    ("gts-macros/src/emit/native/kernel.rs: body_of", "one template of tokens"),
    ("gts-macros/src/emit/native/stmt.rs: statement", "one arm per kind of statement"),
    ("gts-macros/src/infer/stmt.rs: assign", "one arm per kind of place"),
    ("gts-macros/src/parse/kernel.rs: parse", "one check per part of a signature"),
    ("gts-cuda/src/session.rs: new", "one field per line"),
    ("gts-cuda/src/streaming/pass.rs: streamed_outcome", "left for one plan"),
    ("gts-runtime/src/engine/opening.rs: open", "one check per option"),
];

/// Names of types that product code defines more than once, in alphabetical order.
pub(crate) const REPEATED_TYPES: [&str; 40] = [
    "Arguments",
    "Block",
    "Column",
    "Columns",
    "Context",
    "Counts",
    "Degrees",
    "Direction",
    "Done",
    "Edges",
    "Ends",
    "Fault",
    "Frames",
    "Head",
    "Header",
    "Kept",
    "Kind",
    "Known",
    "Layout",
    "Lines",
    "Lists",
    "Meeting",
    "Merge",
    "Neighbors",
    "NoMemory",
    "Phase",
    "Piece",
    "Place",
    "Plan",
    "Ranks",
    "Reading",
    "Receiver",
    "Replica",
    "Seen",
    "Sizes",
    "Sorted",
    "State",
    "Table",
    "Vertices",
    "Visitor",
];

/// Sibling modules that import each other, as their parent, the modules and the reason.
pub(crate) const CIRCLES: [(&str, &str, &str); 4] = [
    (
        "gts-cli",
        "forecast, hybrid, nodes, options",
        "left for one plan: a forecast, a plan of nodes and the options of a run describe the same run",
    ),
    ("gts-core", "encoding, page", "a page is what its encoding reads, and encodings read pages"),
    (
        "gts-core::cost",
        "accesses, algorithm, edge_list, holding, host, hybrid, levels, loops, machine, memory, merging, neighbors, nodes, predict, pulling, requirements",
        "left for one plan",
    ),
    (
        "gts-cuda",
        "edge_list, entry, kernels, kit, launch, matching, merging, pages, part, pass, program, pull, ring, session, several, shared, steps, streaming, tally, techniques, travelling",
        "left for one plan",
    ),
];
