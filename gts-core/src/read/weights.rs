//! The choice of a graph's weights, and the requirements of an algorithm.

use crate::advice::{Advice, Explain};
use crate::graph::{Graph, Properties};
use crate::import;
use crate::page::EDGE_VALUE_TYPES;
use gts_contract::ScalarType;
use gts_contract::language::Code;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The weights of a graph that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WeightChoice {
    /// No weights, even if the input contains some.
    None,
    /// Weight 1 for every edge, whatever the input contains. The type is u32, unless an algorithm
    /// [requires](super::GraphReader::needs) another type.
    One,
    /// Weights of this type: u32, i32, f32, u64 or f64. A file without weights is an error.
    Type(ScalarType),
}

impl From<ScalarType> for WeightChoice {
    fn from(scalar: ScalarType) -> Self {
        Self::Type(scalar)
    }
}

impl fmt::Display for WeightChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::One => f.write_str("1"),
            Self::Type(scalar) => scalar.fmt(f),
        }
    }
}

impl FromStr for WeightChoice {
    type Err = UnknownWeights;

    fn from_str(text: &str) -> Result<Self, UnknownWeights> {
        match text {
            "none" => return Ok(Self::None),
            "1" => return Ok(Self::One),
            _ => {}
        }
        let found = EDGE_VALUE_TYPES.into_iter().find(|scalar| scalar.name() == text);
        found.map(Self::Type).ok_or_else(|| UnknownWeights(text.to_owned()))
    }
}

/// The error for a word that does not name a type of weights.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no type of weights: write u32, i32, f32, u64, f64, none or 1")]
pub struct UnknownWeights(pub String);

impl Explain for UnknownWeights {
    fn code(&self) -> Code {
        Code::EdgeValueType
    }

    fn advice(&self) -> Option<Advice> {
        None
    }
}

/// The properties of a graph that an algorithm requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The accepted types of edge values, in order of preference; empty if the algorithm does not read edge values.
    pub weights: &'static [ScalarType],
    /// Whether the algorithm visits edges backwards.
    pub in_edges: bool,
    /// Whether each edge must be stored in both directions.
    pub symmetric: bool,
}

impl Graph {
    /// Returns whether the graph comes from a file with weights that were not read, because the reader's
    /// [needs](Needs) contain none.
    ///
    /// # Examples
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("gts-unread-{}.csv", std::process::id()));
    /// use gts_core::graph::Graph;
    /// use gts_core::read::Needs;
    ///
    /// std::fs::write(&path, "source,target,weight\n1,2,0.5\n")?;
    /// assert!(Graph::reader(&path).needs(Needs::NONE).read()?.has_unread_weights());
    /// assert!(!Graph::read(&path)?.has_unread_weights());
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn has_unread_weights(&self) -> bool {
        self.notes().iter().any(|note| note.contains(import::UNREAD_WEIGHTS))
    }
}

impl Needs {
    /// No requirements.
    pub const NONE: Self = Self { weights: &[], in_edges: false, symmetric: false };

    /// Returns the requirements of both. If both accept edge values, the types of `self` count.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            weights: if self.weights.is_empty() { other.weights } else { self.weights },
            in_edges: self.in_edges || other.in_edges,
            symmetric: self.symmetric || other.symmetric,
        }
    }

    /// Returns whether a graph with these properties meets the requirements.
    pub fn are_met_by(&self, properties: &Properties, has_in_edges: bool) -> bool {
        self.accept(properties.value_type)
            && (!self.symmetric || properties.symmetric)
            && (!self.in_edges || properties.symmetric || has_in_edges)
    }

    /// Returns whether the algorithm accepts a graph with these weights.
    pub fn accept(&self, found: Option<ScalarType>) -> bool {
        self.weights.is_empty() || found.is_some_and(|found| self.weights.contains(&found))
    }

    /// Returns the accepted type that preserves the most values; `None` if the algorithm does not read edge values.
    pub(super) fn widest(&self) -> Option<ScalarType> {
        self.weights.iter().copied().find(|ty| *ty == ScalarType::F64).or(self.weights.first().copied())
    }

    /// Returns the type of weights that are all 1: integers, unless the algorithm does not accept them.
    pub(super) fn type_of_ones(&self) -> ScalarType {
        let preferred = self.weights.first().copied().unwrap_or(ScalarType::U32);
        if self.weights.contains(&ScalarType::U32) { ScalarType::U32 } else { preferred }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_may_be_left_out() {
        for (text, choice) in
            [("none", WeightChoice::None), ("1", WeightChoice::One), ("f32", WeightChoice::Type(ScalarType::F32))]
        {
            assert_eq!(text.parse(), Ok(choice));
            assert_eq!(choice.to_string(), text);
        }
        let error = "u8".parse::<WeightChoice>().unwrap_err().to_string();
        assert!(error.contains("write u32, i32, f32, u64, f64, none or 1"), "{error}");
    }
}
