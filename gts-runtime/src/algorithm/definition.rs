//! Definitions of answers, for help and the book.

/// The definition of an algorithm's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The answer as formulas and sentences in Markdown.
    pub formula: &'static str,
    /// A sentence about the direction in which edges are followed.
    pub direction: &'static str,
    /// The effect of edges from a vertex to itself.
    pub self_loops: Effect,
    /// The effect of several edges between the same vertices.
    pub parallel: Effect,
    /// Sentences about vertices that have no edges, or are not reached; empty if their answer follows from the formula.
    pub exception: &'static str,
    /// Functions of networkx with the same answer.
    pub networkx: &'static [NetworkxCall],
}

/// The effect of edges that a definition may ignore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The answer is the same without them.
    Ignored,
    /// The answer may differ without them.
    Counted,
}

/// A call of networkx 3.6 whose result is the answer of an algorithm with certain parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkxCall {
    /// The class of the graph `G` in networkx. Each edge of a `Graph` is stored in both directions.
    pub graph: &'static str,
    /// The flags of the algorithm on the command line; `SOURCE` is a vertex.
    pub flags: &'static str,
    /// The call, in Python.
    pub call: &'static str,
}

impl Definition {
    const fn new(direction: &'static str, formula: &'static str) -> Self {
        let (self_loops, parallel) = (Effect::Ignored, Effect::Ignored);
        Self { formula, direction, self_loops, parallel, exception: "", networkx: &[] }
    }

    /// Creates the definition of an answer along edges forward, in which self-loops and parallel edges change nothing.
    pub const fn forward(formula: &'static str) -> Self {
        Self::new("Edges are followed forward.", formula)
    }

    /// As [`Definition::forward`], for an answer that does not depend on the direction of edges.
    pub const fn either(formula: &'static str) -> Self {
        Self::new("The direction of edges does not matter.", formula)
    }

    /// As [`Definition::forward`], for an answer of symmetric graphs only.
    pub const fn both(formula: &'static str) -> Self {
        Self::new("The graph must be symmetric: each edge is stored in both directions.", formula)
    }

    /// Declares that self-loops and parallel edges count.
    pub const fn counting_both(mut self) -> Self {
        self.self_loops = Effect::Counted;
        self.counting_parallel()
    }

    /// Declares that parallel edges count.
    pub const fn counting_parallel(mut self) -> Self {
        self.parallel = Effect::Counted;
        self
    }

    /// Sets the sentences about vertices that have no edges, or are not reached.
    pub const fn except(mut self, exception: &'static str) -> Self {
        self.exception = exception;
        self
    }

    /// Sets the functions of networkx with the same answer.
    pub const fn networkx(mut self, calls: &'static [NetworkxCall]) -> Self {
        self.networkx = calls;
        self
    }

    /// Returns the sentences about edges and exceptions.
    pub fn conventions(&self) -> String {
        let self_loops = match self.self_loops {
            Effect::Ignored => "Self-loops change nothing",
            Effect::Counted => "Self-loops count",
        };
        let parallel = match self.parallel {
            Effect::Ignored => "parallel edges count once",
            Effect::Counted => "parallel edges count each",
        };
        let exception = Some(self.exception).filter(|sentences| !sentences.is_empty());
        let exception = exception.map_or(String::new(), |sentences| format!(" {sentences}"));
        format!("{} {self_loops}, and {parallel}.{exception}", self.direction)
    }
}
