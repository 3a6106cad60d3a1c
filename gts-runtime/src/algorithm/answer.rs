//! What algorithms answer.

use gts_contract::ScalarType;
use std::fmt;

/// How the values of an output are best shown in a few lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summary {
    /// The vertices of the largest values.
    Largest,
    /// The vertices of the smallest values.
    Smallest,
    /// The values that most vertices share: components, communities.
    Groups,
    /// The number of vertices for each value, in the order of the values: levels.
    Histogram,
}

/// What an output has values for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputShape {
    /// A value for each vertex.
    Vertices {
        /// The types that the values may have.
        types: &'static [ScalarType],
        /// What it means where a vertex has no value; such values are the type's `UNREACHED`.
        unreached: Option<&'static str>,
        /// How to show it in a few lines.
        summary: Summary,
    },
    /// Edges, of which an answer has one list at most.
    Edges,
    /// A table whose rows are neither vertices nor edges. An answer has one at most.
    Table {
        /// The flag that leaves it out.
        unless: &'static str,
    },
    /// One value.
    Scalar,
}

/// One output of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// The name; a column's head, a key of the JSON.
    pub name: &'static str,
    /// What it means.
    pub help: &'static str,
    /// Its shape.
    pub shape: OutputShape,
}

impl Output {
    /// A value for each vertex, of one of these types.
    pub const fn vertices(name: &'static str, types: &'static [ScalarType], help: &'static str) -> Self {
        Self { name, help, shape: OutputShape::Vertices { types, unreached: None, summary: Summary::Largest } }
    }

    /// One value.
    pub const fn scalar(name: &'static str, help: &'static str) -> Self {
        Self { name, help, shape: OutputShape::Scalar }
    }

    /// A list of edges.
    pub const fn edges(name: &'static str, help: &'static str) -> Self {
        Self { name, help, shape: OutputShape::Edges }
    }

    /// Creates a table, which the flag `unless` leaves out.
    pub const fn table(name: &'static str, unless: &'static str, help: &'static str) -> Self {
        Self { name, help, shape: OutputShape::Table { unless } }
    }

    /// Says what a vertex without a value means.
    pub const fn unreached(mut self, meaning: &'static str) -> Self {
        if let OutputShape::Vertices { types, summary, .. } = self.shape {
            self.shape = OutputShape::Vertices { types, unreached: Some(meaning), summary };
        }
        self
    }

    /// Says how to show it in a few lines.
    pub const fn summary(mut self, how: Summary) -> Self {
        if let OutputShape::Vertices { types, unreached, .. } = self.shape {
            self.shape = OutputShape::Vertices { types, unreached, summary: how };
        }
        self
    }

    /// Whether vertices without a value can occur.
    pub const fn has_unreached(&self) -> bool {
        matches!(self.shape, OutputShape::Vertices { unreached: Some(_), .. })
    }
}

/// A value for each vertex, in the order of the original IDs.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Unsigned, 8 bits.
    U8(Vec<u8>),
    /// Unsigned, 32 bits.
    U32(Vec<u32>),
    /// Unsigned, 64 bits.
    U64(Vec<u64>),
    /// Signed, 32 bits.
    I32(Vec<i32>),
    /// Signed, 64 bits.
    I64(Vec<i64>),
    /// Single precision.
    F32(Vec<f32>),
    /// Double precision.
    F64(Vec<f64>),
    /// Yes or no.
    Bool(Vec<bool>),
    /// Original IDs of vertices; all ones where there is none.
    Vertex(Vec<u64>),
}

/// Applies one expression to whichever vector there is.
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
    /// Number of values.
    pub fn len(&self) -> usize {
        on_values!(self, vector => vector.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type of a value.
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

    /// The value of a vertex, by its place in the order of the original IDs.
    ///
    /// # Panics
    ///
    /// If there is no such place.
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

    /// Whether a value is its type's `UNREACHED`.
    pub fn is_unreached(&self, index: usize) -> bool {
        self.unreached() == Some(self.get(index))
    }

    /// Returns the `UNREACHED` of the values' type: the largest integer, infinity for floats, none for yes and no.
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

/// One value of an answer.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub enum Scalar {
    /// A count.
    Unsigned(u64),
    /// A signed number.
    Signed(i64),
    /// A number in single precision, which prints with fewer digits.
    Single(f32),
    /// A number in double precision.
    Real(f64),
    /// Yes or no.
    Flag(bool),
}

impl fmt::Display for Scalar {
    /// The shortest text that reads back as the same value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsigned(value) => write!(f, "{value}"),
            Self::Signed(value) => write!(f, "{value}"),
            // Exponents keep very small ranks readable, and files small.
            Self::Single(value) if *value != 0.0 && value.abs() < 1e-4 => write!(f, "{value:e}"),
            Self::Real(value) if *value != 0.0 && value.abs() < 1e-4 => write!(f, "{value:e}"),
            Self::Single(value) => write!(f, "{value}"),
            Self::Real(value) => write!(f, "{value}"),
            Self::Flag(value) => write!(f, "{value}"),
        }
    }
}

/// Edges of an answer: a graph that came of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Edges {
    /// Source and target of each, by original ID.
    pub ends: Vec<(u64, u64)>,
    /// A value for each, where they have some.
    pub weights: Option<Values>,
}

/// A table of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The name of the output.
    pub name: &'static str,
    /// The columns with their heads, all of one length.
    pub columns: Vec<(String, Values)>,
}

impl Table {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, values)| values.len())
    }
}

/// What a run of an algorithm answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    vertices: Vec<(&'static str, Values)>,
    scalars: Vec<(&'static str, Scalar)>,
    edges: Option<Edges>,
    table: Option<Table>,
}

impl Answer {
    /// An answer without outputs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value for each vertex, in the order of the original IDs.
    pub fn vertices(mut self, name: &'static str, values: impl Into<Values>) -> Self {
        self.vertices.push((name, values.into()));
        self
    }

    /// Adds one value.
    pub fn scalar(mut self, name: &'static str, value: Scalar) -> Self {
        self.scalars.push((name, value));
        self
    }

    /// Adds edges.
    pub fn edges(mut self, edges: Edges) -> Self {
        self.edges = Some(edges);
        self
    }

    /// Adds a table.
    pub fn table(mut self, table: Table) -> Self {
        self.table = Some(table);
        self
    }

    /// The values for each vertex under that name.
    pub fn values(&self, name: &str) -> Option<&Values> {
        self.vertices.iter().find(|(known, _)| *known == name).map(|(_, values)| values)
    }

    /// Every output with a value for each vertex, the main one first.
    pub fn all_vertices(&self) -> &[(&'static str, Values)] {
        &self.vertices
    }

    /// The edges, where the algorithm answers some.
    pub fn all_edges(&self) -> Option<&Edges> {
        self.edges.as_ref()
    }

    /// Returns the table, if the algorithm has one.
    pub fn the_table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// Every output of one value.
    pub fn all_scalars(&self) -> &[(&'static str, Scalar)] {
        &self.scalars
    }
}
