//! The registry of algorithms, which describes the requirements, parameters and outputs of each algorithm as data.
//!
//! An algorithm consists of an attribute struct, kernels and a driver. A registered algorithm also declares a name,
//! parameters and outputs. The command line derives its flags, tables and files from these declarations; no other code
//! lists the algorithms. [`register!`](crate::register) adds an algorithm from any crate:
//!
//! ```
//! use gts_graph::algorithm::{Algorithm, Answer, Arguments, Outline, Output, edge_kernel};
//! use gts_graph::contract::ScalarType;
//! use gts_graph::prelude::*;
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
//! gts_graph::register! {
//!     Algorithm::new("in-degree", "Edges that end at each vertex", run)
//!         .outputs(&[Output::vertices("count", &[ScalarType::U64], "Edges that end at the vertex")])
//!         .kernels(&[edge_kernel(tally)])
//!         .outline(|_, _| Ok(Outline::repeat(1, [edge_kernel(tally)])))
//! }
//!
//! let algorithm = gts_graph::algorithm::find("in-degree").expect("registered above");
//! let graph = Graph::from_edges([(7, 9), (8, 9)]).expect("a small graph");
//! let answer = algorithm.run(&Engine::cpu()?, &graph, &Arguments::of(algorithm))?;
//! assert_eq!(answer.values("count"), Some(&vec![0u64, 0, 2].into()));
//! # Ok::<(), Error>(())
//! ```

mod answer;
mod arguments;
mod definition;
mod outline;
mod output;
mod parameter;
mod registry;
#[cfg(test)]
mod tests;
mod values;

pub use answer::{Answer, Cells, Column, Edges, Rows, Table, TableKind};
pub use arguments::Arguments;
pub use definition::{Definition, Effect, NetworkxCall};
pub use gts_core::cost::{PatternShape, Start, Steps};
pub use outline::{GraphFacts, Outline, OutlineFn};
pub use output::{Output, OutputShape, Summary};
pub use parameter::{Fallback, Parameter, ParameterKind, Value};
pub use registry::{Registered, all, find};
pub use values::{Scalar, Values};

use crate::{Engine, Result};
use gts_contract::{KernelDescriptor, ScalarType};
use gts_core::graph::Graph;
pub use gts_core::read::Needs;
use gts_device::kernel::{EdgeKernel, Gather, IntersectKernel, Priority, SEARCH, VertexKernel};

/// The driver of an algorithm, which runs its kernels on a graph.
pub type RunFn = fn(&Engine, &Graph, &Arguments) -> Result<Answer>;

/// Compares an answer with a reference answer. The reference is computed by serial code that is independent of the
/// kernels.
pub type CheckFn = fn(&Graph, &Arguments, &Answer) -> Result<Verdict>;

/// The result of a [`CheckFn`].
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The answer is correct; the text describes the agreement.
    Agrees(String),
    /// The answer is wrong; the text contains the location of the difference and the expected value.
    Differs(String),
}

impl Verdict {
    /// Returns the first of two verdicts that differs. If both agree, returns a verdict with both texts.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Agrees(one), Self::Agrees(two)) => Self::Agrees(format!("{one}; {two}")),
            (Self::Agrees(_), differs) | (differs, _) => differs,
        }
    }
}

/// Returns the descriptor of an edge kernel, given by name: `edge_kernel(expand)`, `edge_kernel(push::<f32>)`.
pub const fn edge_kernel<K: EdgeKernel>(_: fn() -> K) -> &'static KernelDescriptor {
    K::DESCRIPTOR
}

/// Returns the descriptor of a vertex kernel, given by name.
pub const fn vertex_kernel<K: VertexKernel>(_: fn() -> K) -> &'static KernelDescriptor {
    K::DESCRIPTOR
}

/// Returns the descriptor of an intersection kernel, given by name.
pub const fn intersect_kernel<K: IntersectKernel>(_: fn() -> K) -> &'static KernelDescriptor {
    K::DESCRIPTOR
}

/// Returns the descriptor of the pattern search that [`Run::matches`](crate::Run::matches) runs.
pub const fn pattern_search() -> &'static KernelDescriptor {
    &SEARCH
}

/// Returns the descriptor of the edge pass of a gather kernel, given by name. `argmin` and `argmax` make two edge
/// passes; this function returns the descriptor of the first pass.
pub const fn gather_edges<K: Gather>(_: fn() -> K) -> &'static KernelDescriptor {
    match K::PARTS.reductions {
        [first, ..] => first.descriptor,
        [] => K::PARTS.block_descriptor,
    }
}

/// Returns the descriptor of the block of a gather kernel, given by name.
pub const fn gather_block<K: Gather>(_: fn() -> K) -> &'static KernelDescriptor {
    K::PARTS.block_descriptor
}

/// Returns the descriptor of the kernel that separates near from far vertices, for a priority given by name.
pub const fn priority_sift<K: Priority>(_: fn() -> K) -> &'static KernelDescriptor {
    K::PARTS.sift.descriptor
}

/// Returns the descriptor of the kernel that computes the least priority of all far vertices, for a priority given by
/// name.
pub const fn priority_find<K: Priority>(_: fn() -> K) -> &'static KernelDescriptor {
    K::PARTS.find.descriptor
}

/// Returns the descriptor of the kernel that activates far vertices within the threshold, for a priority given by name.
pub const fn priority_bring<K: Priority>(_: fn() -> K) -> &'static KernelDescriptor {
    K::PARTS.bring.descriptor
}

/// The kind of answer of an algorithm. Lists of algorithms are grouped by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AlgorithmKind {
    /// Paths, and vertices within reach.
    Paths,
    /// Components, and the edges that join them.
    Components,
    /// The importance of vertices, and their nearness to others.
    Centrality,
    /// Communities, dense parts and patterns.
    Structure,
    /// Parts of a graph.
    Subgraphs,
    /// Numbers that describe a whole graph.
    Measures,
    /// Any other answer.
    Other,
}

impl AlgorithmKind {
    /// Returns the heading of this kind in a list.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Paths => "Paths and reach",
            Self::Components => "Components",
            Self::Centrality => "Importance and nearness",
            Self::Structure => "Communities, dense parts and patterns",
            Self::Subgraphs => "Subgraphs",
            Self::Measures => "Measures of a whole graph",
            Self::Other => "Others",
        }
    }
}

/// Requirements that hold if a parameter has a certain value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeedsWith {
    /// The name of the parameter.
    pub parameter: &'static str,
    /// The value of the parameter.
    pub value: Value,
    /// The requirements, in addition to those of every run.
    pub needs: Needs,
}

/// A registered algorithm. All fields are constant data, so a crate can define its algorithm as a `static`.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// The name on the command line, in lower case and with `-` between words.
    pub name: &'static str,
    /// Other names on the command line.
    pub aliases: &'static [&'static str],
    /// The kind of answer.
    pub kind: AlgorithmKind,
    /// A description of the result in one line.
    pub summary: &'static str,
    /// Further notes for users.
    pub help: &'static str,
    /// The publication on which the algorithm is based.
    pub source: &'static str,
    /// The definition of the answer, if the algorithm has one.
    pub definition: Option<Definition>,
    /// The parameters, in the order in which they are listed to users.
    pub parameters: &'static [Parameter],
    /// The properties that the graph must have in every run. [`Arguments::needs`] returns those of one run.
    pub needs: Needs,
    /// The properties that the graph must have in some runs.
    pub needs_with: &'static [NeedsWith],
    /// The outputs. The main output is first.
    pub outputs: &'static [Output],
    /// The kernels, with one descriptor per type for which a generic struct is instantiated.
    pub kernels: &'static [&'static KernelDescriptor],
    /// The outline of a run, if the algorithm declares one.
    pub outline: Option<OutlineFn>,
    /// The driver, which runs the kernels. [`Algorithm::run`] also compares its answer with the outputs.
    pub driver: RunFn,
    /// The comparison with a serial version, if the algorithm has one.
    pub check: Option<CheckFn>,
}

impl Algorithm {
    /// Creates an algorithm without parameters, requirements or outputs.
    pub const fn new(name: &'static str, summary: &'static str, driver: RunFn) -> Self {
        Self {
            name,
            aliases: &[],
            kind: AlgorithmKind::Other,
            summary,
            help: "",
            source: "",
            definition: None,
            parameters: &[],
            needs: Needs::NONE,
            needs_with: &[],
            outputs: &[],
            kernels: &[],
            outline: None,
            driver,
            check: None,
        }
    }

    /// Sets other names on the command line.
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Sets the kind of answer.
    pub const fn kind(mut self, kind: AlgorithmKind) -> Self {
        self.kind = kind;
        self
    }

    /// Returns all names on the command line, the main one first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter().chain(self.aliases.iter().copied())
    }

    /// Sets the further notes for users.
    pub const fn help(mut self, help: &'static str) -> Self {
        self.help = help;
        self
    }

    /// Sets the publication: authors, title, venue, year.
    pub const fn source(mut self, source: &'static str) -> Self {
        self.source = source;
        self
    }

    /// Sets the definition of the answer.
    pub const fn definition(mut self, definition: Definition) -> Self {
        self.definition = Some(definition);
        self
    }

    /// Sets the parameters.
    pub const fn parameters(mut self, parameters: &'static [Parameter]) -> Self {
        self.parameters = parameters;
        self
    }

    /// Declares that the algorithm reads edge values of one of these types, in order of preference.
    pub const fn weights(mut self, types: &'static [ScalarType]) -> Self {
        self.needs.weights = types;
        self
    }

    /// Declares that the algorithm visits edges backwards.
    pub const fn in_edges(mut self) -> Self {
        self.needs.in_edges = true;
        self
    }

    /// Requires each edge to be stored in both directions.
    pub const fn symmetric(mut self) -> Self {
        self.needs.symmetric = true;
        self
    }

    /// Sets the requirements of runs in which a parameter has a certain value.
    pub const fn needs_with(mut self, needs: &'static [NeedsWith]) -> Self {
        self.needs_with = needs;
        self
    }

    /// Sets the outputs. The main output must be first.
    pub const fn outputs(mut self, outputs: &'static [Output]) -> Self {
        self.outputs = outputs;
        self
    }

    /// Sets the kernels. Each descriptor is the result of [`edge_kernel`], [`vertex_kernel`], [`intersect_kernel`] or
    /// [`pattern_search`]. A gather kernel is listed by [`gather_edges`] and [`gather_block`], and a priority by
    /// [`priority_sift`], [`priority_find`] and [`priority_bring`].
    pub const fn kernels(mut self, kernels: &'static [&'static KernelDescriptor]) -> Self {
        self.kernels = kernels;
        self
    }

    /// Sets the outline of a run. `gts plan` and progress bars use the outline.
    pub const fn outline(mut self, outline: OutlineFn) -> Self {
        self.outline = Some(outline);
        self
    }

    /// Sets a serial version to compare with.
    pub const fn check(mut self, check: CheckFn) -> Self {
        self.check = Some(check);
        self
    }

    /// Runs the algorithm on a graph.
    ///
    /// # Errors
    ///
    /// The driver fails, or its answer differs from the declared outputs.
    pub fn run(&self, engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
        (self.driver)(engine, graph, arguments)?.declared(self, graph)
    }

    /// Returns the outline of a run with these arguments on a graph with these properties. `None` if the algorithm has no
    /// outline, or if the arguments are invalid.
    pub fn outlined(&self, arguments: &Arguments, graph: &GraphFacts) -> Option<Outline> {
        self.outline.and_then(|outline| outline(arguments, graph).ok())
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
