//! The registry of algorithms: what one needs, takes and answers, as data.
//!
//! An algorithm is an attribute struct, its kernels, and a driver. Registered, it also has a name, parameters with
//! their help, and outputs with their meaning, from which the command line makes flags, tables and files; nothing else
//! knows which algorithms there are. [`register!`](crate::register) adds one from any crate:
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

use crate::kernel::{EdgeKernel, Gather, IntersectKernel, Priority, SEARCH, VertexKernel};
use crate::{Engine, Result};
use gts_contract::{KernelDescriptor, ScalarType};
use gts_core::graph::Graph;

/// Runs an algorithm on a graph.
pub type RunFn = fn(&Engine, &Graph, &Arguments) -> Result<Answer>;

/// Compares an answer with another way to compute it that shares no code with the kernels.
pub type CheckFn = fn(&Graph, &Arguments, &Answer) -> Result<Verdict>;

/// What an algorithm asks of its graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Types of edge values that it accepts, the preferred one first; empty where it reads none.
    pub weights: &'static [ScalarType],
    /// Whether it walks edges backwards.
    pub in_edges: bool,
    /// Whether each edge must stand in both directions.
    pub symmetric: bool,
}

/// What a comparison with a serial version found.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The answer is right.
    Agrees(String),
    /// The answer is wrong: where, and what was expected.
    Differs(String),
}

/// A kernel for edges as data, by its name: `edge_kernel(expand)`, `edge_kernel(push::<f32>)`.
pub const fn edge_kernel<K: EdgeKernel>(_: fn() -> K) -> &'static KernelDescriptor {
    K::DESCRIPTOR
}

/// A kernel for vertices as data, by its name.
pub const fn vertex_kernel<K: VertexKernel>(_: fn() -> K) -> &'static KernelDescriptor {
    K::DESCRIPTOR
}

/// A kernel that intersects lists as data, by its name.
pub const fn intersect_kernel<K: IntersectKernel>(_: fn() -> K) -> &'static KernelDescriptor {
    K::DESCRIPTOR
}

/// Returns the search for a pattern, which [`Run::matches`](crate::Run::matches) makes, as data.
pub const fn pattern_search() -> &'static KernelDescriptor {
    &SEARCH
}

/// What a gather kernel does for the edges of a vertex as data, by the kernel's name. Of `argmin` and `argmax`, which walk
/// the edges twice, the first walk.
pub const fn gather_edges<K: Gather>(_: fn() -> K) -> &'static KernelDescriptor {
    match K::PARTS.reductions {
        [first, ..] => first.descriptor,
        [] => K::PARTS.block_descriptor,
    }
}

/// What a gather kernel does for a vertex as data, by the kernel's name.
pub const fn gather_block<K: Gather>(_: fn() -> K) -> &'static KernelDescriptor {
    K::PARTS.block_descriptor
}

/// What tells near vertices from far ones in a traversal by priority as data, by the priority's name.
pub const fn priority_sift<K: Priority>(_: fn() -> K) -> &'static KernelDescriptor {
    K::PARTS.sift.descriptor
}

/// What finds the least priority of a far vertex as data, by the priority's name.
pub const fn priority_find<K: Priority>(_: fn() -> K) -> &'static KernelDescriptor {
    K::PARTS.find.descriptor
}

/// What brings far vertices near as data, by the priority's name.
pub const fn priority_bring<K: Priority>(_: fn() -> K) -> &'static KernelDescriptor {
    K::PARTS.bring.descriptor
}

/// An algorithm as the registry knows it. Everything is constant data, so that it is a `static` of its crate.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// The name on the command line: lower case, words joined by `-`.
    pub name: &'static str,
    /// What it computes, in a line.
    pub summary: &'static str,
    /// What a user should know before using it.
    pub help: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What can be set.
    pub parameters: &'static [Parameter],
    /// What it asks of its graph.
    pub needs: Needs,
    /// What it answers, the main output first.
    pub outputs: &'static [Output],
    /// Its kernels, for each type that its struct may have.
    pub kernels: &'static [&'static KernelDescriptor],
    /// What a run does, where the algorithm tells beforehand.
    pub outline: Option<OutlineFn>,
    /// The driver.
    pub run: RunFn,
    /// A serial version to compare with.
    pub check: Option<CheckFn>,
}

impl Algorithm {
    /// An algorithm without parameters, needs and outputs.
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

    /// Adds what a user should know before using it.
    pub const fn help(mut self, help: &'static str) -> Self {
        self.help = help;
        self
    }

    /// Adds where it comes from: authors, title, venue, year.
    pub const fn source(mut self, source: &'static str) -> Self {
        self.source = source;
        self
    }

    /// Adds its parameters.
    pub const fn parameters(mut self, parameters: &'static [Parameter]) -> Self {
        self.parameters = parameters;
        self
    }

    /// Says that it reads edge values of one of these types.
    pub const fn weights(mut self, types: &'static [ScalarType]) -> Self {
        self.needs.weights = types;
        self
    }

    /// Says that it walks edges backwards.
    pub const fn in_edges(mut self) -> Self {
        self.needs.in_edges = true;
        self
    }

    /// Says that each edge must stand in both directions.
    pub const fn symmetric(mut self) -> Self {
        self.needs.symmetric = true;
        self
    }

    /// Adds its outputs, the main one first.
    pub const fn outputs(mut self, outputs: &'static [Output]) -> Self {
        self.outputs = outputs;
        self
    }

    /// Adds its kernels: each is an [`edge_kernel`], a [`vertex_kernel`], an [`intersect_kernel`], [`pattern_search`], or [`gather_edges`] or
    /// [`gather_block`] of one that gathers, [`priority_sift`], [`priority_find`] or [`priority_bring`] of a priority.
    pub const fn kernels(mut self, kernels: &'static [&'static KernelDescriptor]) -> Self {
        self.kernels = kernels;
        self
    }

    /// Says which kernels a run takes, and how often: what `gts plan` rests on, and what a progress bar counts to.
    pub const fn outline(mut self, outline: OutlineFn) -> Self {
        self.outline = Some(outline);
        self
    }

    /// Adds a serial version to compare with.
    pub const fn check(mut self, check: CheckFn) -> Self {
        self.check = Some(check);
        self
    }

    /// The number of passes over edges that the arguments ask for on such a graph, or the most, where that is known
    /// beforehand.
    pub fn passes(&self, arguments: &Arguments, graph: &GraphFacts) -> Option<u64> {
        self.outline.and_then(|outline| outline(arguments, graph).ok()).and_then(|outline| outline.passes())
    }

    /// The parameter of that name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// The output of that name.
    pub fn output(&self, name: &str) -> Option<&'static Output> {
        self.outputs.iter().find(|output| output.name == name)
    }
}
