//! What breaks a rule today. The lists may only shrink: a rule fails if an entry is no longer needed.

/// Functions longer than the rule allows, each with its reason.
pub(crate) const LONG_FUNCTIONS: [(&str, &str); 16] = [
    ("gts-cli/src/cmd/outcome.rs: json", "one field per line"),
    ("gts-cli/src/cmd/plan.rs: execute", "left for one plan"),
    ("gts-cli/src/cmd/run.rs: execute_on", "left for one plan"),
    ("gts-core/src/cost/hybrid/work.rs: steps_of", "left for one plan"),
    ("gts-core/src/cost/memory.rs: memory_plan", "left for one plan"),
    ("gts-core/src/cost/neighbours/equations.rs: equation", "one arm per equation of the paper"),
    ("gts-core/src/cost/neighbours/strategies.rs: of_class", "left for one plan"),
    ("gts-macros/src/emit/native/expr.rs: expr", "one arm per kind of expression"),
    ("gts-macros/src/emit/native/gather.rs: edges", "one template of tokens"),
    ("gts-macros/src/emit/native/kernel.rs: body_of", "one template of tokens"),
    ("gts-macros/src/emit/native/stmt.rs: statement", "one arm per kind of statement"),
    ("gts-macros/src/infer/stmt.rs: assign", "one arm per kind of place"),
    ("gts-macros/src/parse/kernel.rs: parse", "one check per part of a signature"),
    ("gts-runtime/src/device/cuda/session.rs: new", "one field per line"),
    ("gts-runtime/src/device/cuda/streaming/pass.rs: streamed_outcome", "left for one plan"),
    ("gts-runtime/src/engine.rs: open", "one check per option"),
];

/// Number of names that product code gives to more than one type.
pub(crate) const REPEATED_TYPES: usize = 133;

/// Sibling modules that import each other: their parent, the modules and the reason.
pub(crate) const CIRCLES: [(&str, &str, &str); 15] = [
    (
        "gts-cli",
        "error, exit, group, interrupt, report",
        "errors name the exit code, which depends on the group and on interrupts",
    ),
    (
        "gts-cli",
        "forecast, hybrid, nodes, options",
        "left for one plan: a forecast, a plan of nodes and the options of a run describe the same run",
    ),
    (
        "gts-core",
        "build, encoding, graph, import, page, store",
        "to be opened: building, importing and storing know graphs, and graphs open and save themselves",
    ),
    (
        "gts-core::build",
        "census, collect, edges, need, plan, renumber",
        "to be opened: the ways to build share what they count",
    ),
    (
        "gts-core::cost",
        "accesses, algorithm, edge_list, holding, host, hybrid, levels, loops, machine, memory, merging, neighbours, nodes, predict, pulling, requirements",
        "left for one plan",
    ),
    (
        "gts-core::import",
        "blocks, csv, edges, error, foreign, format, matrix_market, opening, scan, source, table, text, value",
        "to be opened: every format is opened by the module that names them all",
    ),
    (
        "gts-core::page",
        "feed, memory, source",
        "sources hand out feeds, and feeds of pages in memory name their source",
    ),
    (
        "gts-core::store",
        "consistency, content, demand, direct, directory, error, files, io, leftovers, manifest, open, place, reader, reads, resident, stored, stripes",
        "to be opened: reading, checking and saving share the store's files",
    ),
    (
        "gts-runtime",
        "algorithm, choice, device, engine, error, group, kernel, measure, neighbours, report, run",
        "to be opened by crates as walls",
    ),
    (
        "gts-runtime::device",
        "cpu, cuda, hybrid, replicated",
        "to be opened by crates as walls: `Device::gpu()` names a CUDA device",
    ),
    (
        "gts-runtime::device::cuda",
        "collective, edge_list, entry, kernels, kit, launch, matching, merging, pages, part, pass, program, pull, ring, session, several, shared, steps, streaming, tally, techniques, travelling",
        "left for one plan",
    ),
    ("gts-runtime::device::cuda::driver", "memory, stream", "memory is lent to a stream, and streams copy memory"),
    ("gts-runtime::device::replicated", "adjusting, pass, session", "a session in three files"),
    ("gts-runtime::kernel", "context, tally", "the context of a body holds its tallies"),
    ("gts-runtime::kernel", "instance, intersect, pass, pull", "passes are instances of kernels"),
];
