//! The declared shapes of an algorithm's outputs.

use gts_contract::ScalarType;

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
    /// A list of edges.
    Edges,
    /// A table whose rows are neither vertices nor edges.
    Table,
    /// One value.
    Scalar,
}

/// The declaration of one output of an algorithm. An answer may lack a declared output.
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

    /// Declares a table whose rows are neither vertices nor edges.
    pub const fn table(name: &'static str, help: &'static str) -> Self {
        Self { name, help, shape: OutputShape::Table }
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
}
