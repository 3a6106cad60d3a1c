//! The registry of algorithms: requirements, parameters and outputs of each algorithm, as data.
//!
//! An algorithm is an attribute struct, its kernels, and a driver. A registered algorithm also has a name, parameters
//! with help texts, and outputs with their meanings. The command line derives flags, tables and files from them; no
//! other code contains a list of algorithms. [`register!`](crate::register) adds an algorithm from any crate:
//!
//! ```
//! use gts_runtime::algorithm::{Algorithm, Answer, Arguments, Outline, Output, edge_kernel};
//! use gts_runtime::contract::ScalarType;
//! use gts_runtime::prelude::*;
//!
//! /// Edges that end at each vertex.
//! #[gts_attributes]
//! pub struct InDegree {
//!     #[wa(init = 0, merge = sum)]
//!     pub count: u64,
//! }
//!
//! #[gts_kernel(scan)]
//! fn tally(degrees: &mut InDegree, src: Vertex, dst: Vertex) {
//!     degrees.count[dst] += 1;
//! }
//!
//! fn run(engine: &Engine, graph: &Graph, _: &Arguments) -> Result<Answer> {
//!     let mut run = engine.start::<InDegree>(graph)?;
//!     run.scan(tally)?;
//!     Ok(Answer::new().vertices("count", run.take(InDegree::COUNT)?))
//! }
//!
//! gts_runtime::register! {
//!     Algorithm::new("in-degree", "Edges that end at each vertex", run)
//!         .outputs(&[Output::vertices("count", &[ScalarType::U64], "Edges that end at the vertex")])
//!         .kernels(&[edge_kernel(tally)])
//!         .outline(|_, _| Ok(Outline::repeat(1, [edge_kernel(tally)])))
//! }
//!
//! let algorithm = gts_runtime::algorithm::find("in-degree").expect("registered above");
//! let graph = Graph::from_edges([(7, 9), (8, 9)]).expect("a small graph");
//! let answer = (algorithm.run)(&Engine::cpu()?, &graph, &Arguments::of(algorithm))?;
//! assert_eq!(answer.values("count"), Some(&vec![0u64, 0, 2].into()));
//! # Ok::<(), Error>(())
//! ```

mod answer;
mod arguments;
mod outline;
mod parameter;
mod registry;
#[cfg(test)]
mod tests;

pub use answer::{Answer, Edges, Output, OutputShape, Scalar, Summary, Table, Values};
pub use arguments::Arguments;
pub use gts_core::cost::{PatternShape, Start, Steps};
pub use outline::{GraphFacts, Outline, OutlineFn};
pub use parameter::{Fallback, Parameter, ParameterKind, Value};
pub use registry::{Registered, all, find};

use crate::{Engine, Result};
use gts_contract::{KernelDescriptor, ScalarType};
use gts_core::graph::Graph;
use gts_device::kernel::{EdgeKernel, Gather, IntersectKernel, Priority, SEARCH, VertexKernel};

/// Runs an algorithm on a graph.
pub type RunFn = fn(&Engine, &Graph, &Arguments) -> Result<Answer>;

/// Compares an answer with one computed by code that shares nothing with the kernels.
pub type CheckFn = fn(&Graph, &Arguments, &Answer) -> Result<Verdict>;

/// Requirements of an algorithm on its graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Types of edge values that it accepts, the preferred one first; empty if it reads none.
    pub weights: &'static [ScalarType],
    /// Whether it visits edges backwards.
    pub in_edges: bool,
    /// Whether each edge must be stored in both directions.
    pub symmetric: bool,
}

/// Result of a comparison with a serial version.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The answer is right.
    Agrees(String),
    /// The answer is wrong: where, and the expected value.
    Differs(String),
}

/// Returns the descriptor of an edge kernel, by its name: `edge_kernel(expand)`, `edge_kernel(push::<f32>)`.
pub const fn edge_kernel<K: EdgeKernel>(_: fn() -> K) -> &'static KernelDescriptor {
    K::DESCRIPTOR
}

/// Returns the descriptor of a vertex kernel, by its name.
pub const fn vertex_kernel<K: VertexKernel>(_: fn() -> K) -> &'static KernelDescriptor {
    K::DESCRIPTOR
}

/// Returns the descriptor of a kernel that intersects lists, by its name.
pub const fn intersect_kernel<K: IntersectKernel>(_: fn() -> K) -> &'static KernelDescriptor {
    K::DESCRIPTOR
}

/// Returns the descriptor of the search for a pattern, which [`Run::matches`](crate::Run::matches) runs.
pub const fn pattern_search() -> &'static KernelDescriptor {
    &SEARCH
}

/// Returns the descriptor of a gather kernel's pass over the edges of a vertex, by the kernel's name. `argmin` and
/// `argmax` visit the edges twice; this is the first pass.
pub const fn gather_edges<K: Gather>(_: fn() -> K) -> &'static KernelDescriptor {
    match K::PARTS.reductions {
        [first, ..] => first.descriptor,
        [] => K::PARTS.block_descriptor,
    }
}

/// Returns the descriptor of a gather kernel's block, by the kernel's name.
pub const fn gather_block<K: Gather>(_: fn() -> K) -> &'static KernelDescriptor {
    K::PARTS.block_descriptor
}

/// Returns the descriptor that separates near from far vertices in a traversal by priority, by the priority's name.
pub const fn priority_sift<K: Priority>(_: fn() -> K) -> &'static KernelDescriptor {
    K::PARTS.sift.descriptor
}

/// Returns the descriptor that finds the least priority of a far vertex, by the priority's name.
pub const fn priority_find<K: Priority>(_: fn() -> K) -> &'static KernelDescriptor {
    K::PARTS.find.descriptor
}

/// Returns the descriptor that moves far vertices to the near ones, by the priority's name.
pub const fn priority_bring<K: Priority>(_: fn() -> K) -> &'static KernelDescriptor {
    K::PARTS.bring.descriptor
}

/// A registered algorithm. Everything is constant data, so that it can be a `static` of its crate.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// The name on the command line: lower case, words joined by `-`.
    pub name: &'static str,
    /// Its result, in a line.
    pub summary: &'static str,
    /// Notes for users.
    pub help: &'static str,
    /// The publication it is based on.
    pub source: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Its requirements on the graph.
    pub needs: Needs,
    /// Its outputs, the main one first.
    pub outputs: &'static [Output],
    /// Its kernels, for each type that its struct may have.
    pub kernels: &'static [&'static KernelDescriptor],
    /// The outline of a run, if it can be predicted.
    pub outline: Option<OutlineFn>,
    /// The driver.
    pub run: RunFn,
    /// A serial version to compare with.
    pub check: Option<CheckFn>,
}

impl Algorithm {
    /// Creates an algorithm without parameters, requirements and outputs.
    pub const fn new(name: &'static str, summary: &'static str, run: RunFn) -> Self {
        Self {
            name,
            summary,
            help: "",
            source: "",
            parameters: &[],
            needs: Needs { weights: &[], in_edges: false, symmetric: false },
            outputs: &[],
            kernels: &[],
            outline: None,
            run,
            check: None,
        }
    }

    /// Sets the notes for users.
    pub const fn help(mut self, help: &'static str) -> Self {
        self.help = help;
        self
    }

    /// Sets its source: authors, title, venue, year.
    pub const fn source(mut self, source: &'static str) -> Self {
        self.source = source;
        self
    }

    /// Sets its parameters.
    pub const fn parameters(mut self, parameters: &'static [Parameter]) -> Self {
        self.parameters = parameters;
        self
    }

    /// Declares that it reads edge values of one of these types.
    pub const fn weights(mut self, types: &'static [ScalarType]) -> Self {
        self.needs.weights = types;
        self
    }

    /// Declares that it visits edges backwards.
    pub const fn in_edges(mut self) -> Self {
        self.needs.in_edges = true;
        self
    }

    /// Requires each edge to be stored in both directions.
    pub const fn symmetric(mut self) -> Self {
        self.needs.symmetric = true;
        self
    }

    /// Sets its outputs, the main one first.
    pub const fn outputs(mut self, outputs: &'static [Output]) -> Self {
        self.outputs = outputs;
        self
    }

    /// Sets its kernels: each is an [`edge_kernel`], a [`vertex_kernel`], an [`intersect_kernel`], [`pattern_search`],
    /// the [`gather_edges`] or [`gather_block`] of a gather kernel, or the [`priority_sift`], [`priority_find`] or
    /// [`priority_bring`] of a priority.
    pub const fn kernels(mut self, kernels: &'static [&'static KernelDescriptor]) -> Self {
        self.kernels = kernels;
        self
    }

    /// Sets the outline: the kernels of a run and their repetitions. `gts plan` and progress bars are based on it.
    pub const fn outline(mut self, outline: OutlineFn) -> Self {
        self.outline = Some(outline);
        self
    }

    /// Sets a serial version to compare with.
    pub const fn check(mut self, check: CheckFn) -> Self {
        self.check = Some(check);
        self
    }

    /// Returns the number of passes over edges that a run makes with these arguments on such a graph, or their maximum,
    /// if it can be predicted.
    pub fn passes(&self, arguments: &Arguments, graph: &GraphFacts) -> Option<u64> {
        self.outline.and_then(|outline| outline(arguments, graph).ok()).and_then(|outline| outline.passes())
    }

    /// Returns the parameter with this name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// Returns the output with this name.
    pub fn output(&self, name: &str) -> Option<&'static Output> {
        self.outputs.iter().find(|output| output.name == name)
    }
}
