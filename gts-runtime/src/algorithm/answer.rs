//! The answers of algorithms, and the declared shapes of their outputs.

use super::Verdict;
use gts_contract::ScalarType;
use gts_core::graph::{Graph, VertexId};
use std::fmt;

/// The summary that shows an output's values in a few lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summary {
    /// The vertices with the largest values.
    Largest,
    /// The vertices with the smallest values.
    Smallest,
    /// The most frequent values, such as the largest components or communities.
    Groups,
    /// The number of vertices per value in ascending order, such as the size of each level.
    Histogram,
}

/// The shape of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputShape {
    /// One value per vertex.
    Vertices {
        /// The allowed types of the values.
        types: &'static [ScalarType],
        /// The meaning of a missing value, stored as the type's `UNREACHED`. `None` if every vertex has a value.
        unreached: Option<&'static str>,
        /// The summary that shows the values in a few lines.
        summary: Summary,
    },
    /// A list of edges. An answer has at most one such list.
    Edges,
    /// A table whose rows are neither vertices nor edges. An answer has at most one table.
    Table {
        /// The name of the flag that omits the table.
        unless: &'static str,
    },
    /// One value.
    Scalar,
}

/// The declaration of one output of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// The name, used as the column heading and as the JSON key.
    pub name: &'static str,
    /// The description for users.
    pub help: &'static str,
    /// The shape of the output.
    pub shape: OutputShape,
}

impl Output {
    /// Declares one value per vertex. Answers may use any of these types.
    pub const fn vertices(name: &'static str, types: &'static [ScalarType], help: &'static str) -> Self {
        Self { name, help, shape: OutputShape::Vertices { types, unreached: None, summary: Summary::Largest } }
    }

    /// Declares a single value.
    pub const fn scalar(name: &'static str, help: &'static str) -> Self {
        Self { name, help, shape: OutputShape::Scalar }
    }

    /// Declares a list of edges.
    pub const fn edges(name: &'static str, help: &'static str) -> Self {
        Self { name, help, shape: OutputShape::Edges }
    }

    /// Declares a table. If the flag `unless` is set, answers omit the table.
    pub const fn table(name: &'static str, unless: &'static str, help: &'static str) -> Self {
        Self { name, help, shape: OutputShape::Table { unless } }
    }

    /// Sets the meaning of a missing value. Has no effect unless there is one value per vertex.
    pub const fn unreached(mut self, meaning: &'static str) -> Self {
        if let OutputShape::Vertices { types, summary, .. } = self.shape {
            self.shape = OutputShape::Vertices { types, unreached: Some(meaning), summary };
        }
        self
    }

    /// Sets the summary. Has no effect unless there is one value per vertex.
    pub const fn summary(mut self, how: Summary) -> Self {
        if let OutputShape::Vertices { types, unreached, .. } = self.shape {
            self.shape = OutputShape::Vertices { types, unreached, summary: how };
        }
        self
    }

    /// Returns whether the value of a vertex may be missing.
    pub const fn has_unreached(&self) -> bool {
        matches!(self.shape, OutputShape::Vertices { unreached: Some(_), .. })
    }
}

/// One value per vertex, in ascending order of the original IDs.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Unsigned integers of 8 bits.
    U8(Vec<u8>),
    /// Unsigned integers of 32 bits.
    U32(Vec<u32>),
    /// Unsigned integers of 64 bits.
    U64(Vec<u64>),
    /// Signed integers of 32 bits.
    I32(Vec<i32>),
    /// Signed integers of 64 bits.
    I64(Vec<i64>),
    /// Single-precision numbers.
    F32(Vec<f32>),
    /// Double-precision numbers.
    F64(Vec<f64>),
    /// True or false.
    Bool(Vec<bool>),
    /// Original IDs of vertices; `u64::MAX` represents no vertex.
    Vertex(Vec<u64>),
}

/// Evaluates an expression on the vector of any variant.
macro_rules! on_values {
    ($values:expr, $vector:ident => $body:expr) => {
        match $values {
            Values::U8($vector) => $body,
            Values::U32($vector) => $body,
            Values::U64($vector) | Values::Vertex($vector) => $body,
            Values::I32($vector) => $body,
            Values::I64($vector) => $body,
            Values::F32($vector) => $body,
            Values::F64($vector) => $body,
            Values::Bool($vector) => $body,
        }
    };
}

impl Values {
    /// Returns the number of values.
    pub fn len(&self) -> usize {
        on_values!(self, vector => vector.len())
    }

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the type of the values.
    pub fn scalar_type(&self) -> ScalarType {
        match self {
            Self::U8(_) => ScalarType::U8,
            Self::U32(_) => ScalarType::U32,
            Self::U64(_) => ScalarType::U64,
            Self::I32(_) => ScalarType::I32,
            Self::I64(_) => ScalarType::I64,
            Self::F32(_) => ScalarType::F32,
            Self::F64(_) => ScalarType::F64,
            Self::Bool(_) => ScalarType::Bool,
            Self::Vertex(_) => ScalarType::VertexId,
        }
    }

    /// Returns the value at an index, which is the position of the vertex in the order of the original IDs.
    ///
    /// # Panics
    ///
    /// Panics if `index` is out of bounds.
    pub fn get(&self, index: usize) -> Scalar {
        match self {
            Self::U8(vector) => Scalar::Unsigned(vector[index].into()),
            Self::U32(vector) => Scalar::Unsigned(vector[index].into()),
            Self::U64(vector) => Scalar::Unsigned(vector[index]),
            Self::I32(vector) => Scalar::Signed(vector[index].into()),
            Self::I64(vector) => Scalar::Signed(vector[index]),
            Self::F32(vector) => Scalar::Single(vector[index]),
            Self::F64(vector) => Scalar::Real(vector[index]),
            Self::Bool(vector) => Scalar::Flag(vector[index]),
            Self::Vertex(vector) => Scalar::Unsigned(vector[index]),
        }
    }

    /// Returns whether the value at an index is the type's `UNREACHED`.
    pub fn is_unreached(&self, index: usize) -> bool {
        self.unreached() == Some(self.get(index))
    }

    /// Returns the `UNREACHED` of the values' type: the largest integer, or infinity for floats; `None` for bools.
    pub fn unreached(&self) -> Option<Scalar> {
        Some(match self {
            Self::U8(_) => Scalar::Unsigned(u8::MAX.into()),
            Self::U32(_) => Scalar::Unsigned(u32::MAX.into()),
            Self::U64(_) | Self::Vertex(_) => Scalar::Unsigned(u64::MAX),
            Self::I32(_) => Scalar::Signed(i32::MAX.into()),
            Self::I64(_) => Scalar::Signed(i64::MAX),
            Self::F32(_) => Scalar::Single(f32::INFINITY),
            Self::F64(_) => Scalar::Real(f64::INFINITY),
            Self::Bool(_) => return None,
        })
    }
}

macro_rules! from_vector {
    ($($ty:ty => $variant:ident),*) => {$(
        impl From<Vec<$ty>> for Values {
            fn from(vector: Vec<$ty>) -> Self {
                Self::$variant(vector)
            }
        }
    )*};
}

from_vector!(u8 => U8, u32 => U32, u64 => U64, i32 => I32, i64 => I64, f32 => F32, f64 => F64, bool => Bool);

impl From<Vec<VertexId>> for Values {
    /// Takes vertices by their original IDs, as [`Run::take`](crate::Run::take) returns them.
    fn from(vertices: Vec<VertexId>) -> Self {
        Self::Vertex(bytemuck::cast_vec(vertices))
    }
}

/// One value of an answer.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub enum Scalar {
    /// A count, another unsigned integer, or the original ID of a vertex.
    Unsigned(u64),
    /// A signed integer.
    Signed(i64),
    /// A single-precision number. Its text has fewer digits than that of a [`Scalar::Real`].
    Single(f32),
    /// A double-precision number.
    Real(f64),
    /// True or false.
    Flag(bool),
}

impl fmt::Display for Scalar {
    /// Writes the shortest text that parses to the same value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsigned(value) => write!(f, "{value}"),
            Self::Signed(value) => write!(f, "{value}"),
            // Exponential notation keeps very small numbers readable and files small.
            Self::Single(value) if *value != 0.0 && value.abs() < 1e-4 => write!(f, "{value:e}"),
            Self::Real(value) if *value != 0.0 && value.abs() < 1e-4 => write!(f, "{value:e}"),
            Self::Single(value) => write!(f, "{value}"),
            Self::Real(value) => write!(f, "{value}"),
            Self::Flag(value) => write!(f, "{value}"),
        }
    }
}

/// The edges of an answer, which form a graph derived from the input graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Edges {
    /// The source and target of each edge, by original ID.
    pub ends: Vec<(u64, u64)>,
    /// One value per edge, if the edges have values.
    pub weights: Option<Values>,
}

/// The table of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The name of the output.
    pub name: &'static str,
    /// The heading and the values of each column. All columns have the same length.
    pub columns: Vec<(String, Values)>,
}

impl Table {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, values)| values.len())
    }
}

/// The answer of an algorithm's run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    vertices: Vec<(&'static str, Values)>,
    scalars: Vec<(&'static str, Scalar)>,
    edges: Option<Edges>,
    table: Option<Table>,
}

impl Answer {
    /// Creates an answer without outputs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an output with one value per vertex, in ascending order of the original IDs.
    pub fn vertices(mut self, name: &'static str, values: impl Into<Values>) -> Self {
        self.vertices.push((name, values.into()));
        self
    }

    /// Adds an output with a single value.
    pub fn scalar(mut self, name: &'static str, value: Scalar) -> Self {
        self.scalars.push((name, value));
        self
    }

    /// Sets the list of edges.
    pub fn edges(mut self, edges: Edges) -> Self {
        self.edges = Some(edges);
        self
    }

    /// Sets the table.
    pub fn table(mut self, table: Table) -> Self {
        self.table = Some(table);
        self
    }

    /// Returns the values of the per-vertex output with this name, if the answer has one.
    pub fn values(&self, name: &str) -> Option<&Values> {
        self.vertices.iter().find(|(known, _)| *known == name).map(|(_, values)| values)
    }

    /// Compares an output with the expected values: one per vertex, at the place
    /// [`Vertex::index`](gts_core::graph::Vertex::index). Real numbers must be equal, too. If the output consists of
    /// vertices, the expected values are their original IDs as `u64`, `u64::MAX` for none. If a value differs, the
    /// verdict names the first such vertex by its original ID.
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_graph::algorithm::{Answer, Verdict};
    /// use gts_graph::prelude::*;
    ///
    /// let graph = Graph::from_edges([(5, 7)]).expect("valid edges");
    /// let answer = Answer::new().vertices("degree", vec![1_u32, 0]);
    /// let degrees: Vec<u32> = graph.out_degrees().to_vec();
    /// assert!(matches!(answer.compared(&graph, "degree", &degrees), Verdict::Agrees(_)));
    /// ```
    pub fn compared<T: Copy>(&self, graph: &Graph, output: &str, expected: &[T]) -> Verdict
    where
        Values: From<Vec<T>>,
    {
        let Some(found) = self.values(output) else {
            return Verdict::Differs(format!("the answer has no output `{output}`"));
        };
        let in_order = graph.ids().in_original_order().filter_map(|vertex| expected.get(vertex.index()).copied());
        let expected = Values::from(in_order.collect::<Vec<T>>());
        let are_vertices = matches!((found, &expected), (Values::Vertex(_), Values::U64(_)));
        if found.len() != expected.len() || (found.scalar_type() != expected.scalar_type() && !are_vertices) {
            let shape = |values: &Values| format!("{} values of type {}", values.len(), values.scalar_type());
            return Verdict::Differs(format!("`{output}` has {}, and not {}", shape(found), shape(&expected)));
        }
        let differs = |&rank: &usize| found.get(rank) != expected.get(rank);
        let Some(rank) = (0..found.len()).find(differs) else {
            return Verdict::Agrees(format!("all {} values of `{output}` are those of a serial run", found.len()));
        };
        let id = graph.ids().original_of_rank(rank as u64).unwrap_or(u64::MAX);
        Verdict::Differs(format!("`{output}` of vertex {id} is {}, and not {}", found.get(rank), expected.get(rank)))
    }

    /// Returns all outputs with one value per vertex. The main output is first.
    pub fn all_vertices(&self) -> &[(&'static str, Values)] {
        &self.vertices
    }

    /// Returns the list of edges, if the answer has one.
    pub fn all_edges(&self) -> Option<&Edges> {
        self.edges.as_ref()
    }

    /// Returns the table, if the answer has one.
    pub fn the_table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// Returns all outputs with a single value.
    pub fn all_scalars(&self) -> &[(&'static str, Scalar)] {
        &self.scalars
    }
}
