//! Parameters of algorithms: their types, limits and defaults.

use crate::{Error, Result};
use std::fmt;

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// A finite number within limits, both included.
    Real {
        /// The smallest value allowed.
        least: f64,
        /// The largest value allowed.
        most: f64,
    },
    /// A whole number within limits, both included.
    Integer {
        /// The smallest value allowed.
        least: u64,
        /// The largest value allowed.
        most: u64,
    },
    /// A vertex, by its original ID.
    Vertex,
    /// Vertices, by their original IDs, joined by commas.
    Vertices,
    /// One of some words.
    Choice(&'static [&'static str]),
    /// A file, by its path.
    File,
    /// Yes or no.
    Flag,
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A finite number.
    Real(f64),
    /// A whole number.
    Integer(u64),
    /// The original ID of a vertex.
    Vertex(u64),
    /// One of the words allowed.
    Choice(&'static str),
    /// Yes or no.
    Flag(bool),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Real(value) => write!(f, "{value}"),
            Self::Integer(value) | Self::Vertex(value) => write!(f, "{value}"),
            Self::Choice(word) => f.write_str(word),
            Self::Flag(value) => write!(f, "{value}"),
        }
    }
}

/// What holds where a parameter is not given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fallback {
    /// It must be given.
    Required,
    /// This value.
    Value(Value),
    /// What the algorithm decides, said in words.
    Rule(&'static str),
}

/// One parameter of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The name; `--name` on the command line.
    pub name: &'static str,
    /// What it means, with a usual value.
    pub help: &'static str,
    /// What it may be.
    pub kind: ParameterKind,
    /// What holds where it is not given.
    pub fallback: Fallback,
}

impl Parameter {
    const fn new(name: &'static str, kind: ParameterKind, fallback: Fallback, help: &'static str) -> Self {
        Self { name, help, kind, fallback }
    }

    /// A number that must be given.
    pub const fn real(name: &'static str, help: &'static str) -> Self {
        Self::new(name, ParameterKind::Real { least: f64::MIN, most: f64::MAX }, Fallback::Required, help)
    }

    /// A whole number that must be given.
    pub const fn integer(name: &'static str, help: &'static str) -> Self {
        Self::new(name, ParameterKind::Integer { least: 0, most: u64::MAX }, Fallback::Required, help)
    }

    /// A vertex, by its original ID, that must be given.
    pub const fn vertex(name: &'static str, help: &'static str) -> Self {
        Self::new(name, ParameterKind::Vertex, Fallback::Required, help)
    }

    /// A list of vertices, by their original IDs, that must be given.
    pub const fn vertices(name: &'static str, help: &'static str) -> Self {
        Self::new(name, ParameterKind::Vertices, Fallback::Required, help)
    }

    /// Creates the parameter of a file, which must be given by its path.
    pub const fn file(name: &'static str, help: &'static str) -> Self {
        Self::new(name, ParameterKind::File, Fallback::Required, help)
    }

    /// One of some words; the first holds where none is given.
    pub const fn choice(name: &'static str, words: &'static [&'static str], help: &'static str) -> Self {
        Self::new(name, ParameterKind::Choice(words), Fallback::Value(Value::Choice(words[0])), help)
    }

    /// A switch, off where it is not given.
    pub const fn flag(name: &'static str, help: &'static str) -> Self {
        Self::new(name, ParameterKind::Flag, Fallback::Value(Value::Flag(false)), help)
    }

    /// Limits a number, both ends included.
    pub const fn between(mut self, low: f64, high: f64) -> Self {
        assert!(matches!(self.kind, ParameterKind::Real { .. }), "`between` limits a real parameter");
        self.kind = ParameterKind::Real { least: low, most: high };
        self
    }

    /// Limits a whole number, both ends included.
    pub const fn within(mut self, low: u64, high: u64) -> Self {
        assert!(matches!(self.kind, ParameterKind::Integer { .. }), "`within` limits an integer parameter");
        self.kind = ParameterKind::Integer { least: low, most: high };
        self
    }

    /// Gives the value that holds where none is given.
    pub const fn default(mut self, value: Value) -> Self {
        assert!(
            matches!(
                (&self.kind, &value),
                (ParameterKind::Real { .. }, Value::Real(_))
                    | (ParameterKind::Integer { .. }, Value::Integer(_))
                    | (ParameterKind::Vertex, Value::Vertex(_))
                    | (ParameterKind::Choice(_), Value::Choice(_))
                    | (ParameterKind::Flag, Value::Flag(_))
            ),
            "a default has the parameter's own type"
        );
        self.fallback = Fallback::Value(value);
        self
    }

    /// Leaves the choice to the algorithm where no value is given; `rule` says what it takes.
    pub const fn otherwise(mut self, rule: &'static str) -> Self {
        self.fallback = Fallback::Rule(rule);
        self
    }

    /// Reads a value that a user wrote.
    ///
    /// # Errors
    ///
    /// Text of another type, a value beyond the limits, or a word that is not allowed. A list of vertices or a file, which are none.
    pub fn parse(&self, text: &str) -> Result<Value> {
        let refuse = |expected: String| Error::argument(format!("--{} {text}", self.name), expected);
        match self.kind {
            ParameterKind::Real { least, most } => match text.parse::<f64>() {
                Ok(value) if value.is_finite() && (least..=most).contains(&value) => Ok(Value::Real(value)),
                _ => Err(refuse(format!("expected {}", self.expected()))),
            },
            ParameterKind::Integer { least, most } => match text.parse::<u64>() {
                Ok(value) if (least..=most).contains(&value) => Ok(Value::Integer(value)),
                _ => Err(refuse(format!("expected {}", self.expected()))),
            },
            ParameterKind::Vertex => {
                text.parse().map(Value::Vertex).map_err(|_| refuse(format!("expected {}", self.expected())))
            }
            ParameterKind::Choice(words) => words
                .iter()
                .find(|word| **word == text)
                .map(|word| Value::Choice(word))
                .ok_or_else(|| refuse(format!("expected {}", self.expected()))),
            ParameterKind::Vertices | ParameterKind::File => {
                Err(refuse(format!("expected one value, and this is {}", self.expected())))
            }
            ParameterKind::Flag => {
                text.parse().map(Value::Flag).map_err(|_| refuse(format!("expected {}", self.expected())))
            }
        }
    }

    /// Reads the original IDs of a list of vertices that a user wrote.
    ///
    /// # Errors
    ///
    /// Anything but numbers joined by commas.
    pub fn parse_vertices(&self, text: &str) -> Result<Vec<u64>> {
        let ids: Option<Vec<u64>> = text.split(',').map(|id| id.trim().parse().ok()).collect();
        ids.ok_or_else(|| {
            Error::argument(format!("--{} {text}", self.name), format_args!("expected {}", self.expected()))
        })
    }

    /// What a value must be, in words.
    pub fn expected(&self) -> String {
        match self.kind {
            ParameterKind::Real { least: f64::MIN, most: f64::MAX } => "a finite number".to_owned(),
            ParameterKind::Real { least, most: f64::MAX } => format!("a number of at least {least}"),
            ParameterKind::Real { least, most } => format!("a number from {least} to {most}"),
            ParameterKind::Integer { least: 0, most: u64::MAX } => "a whole number".to_owned(),
            ParameterKind::Integer { least, most: u64::MAX } => format!("a whole number of at least {least}"),
            ParameterKind::Integer { least, most } => format!("a whole number from {least} to {most}"),
            ParameterKind::Vertex => "the ID of a vertex".to_owned(),
            ParameterKind::Vertices => "IDs of vertices, joined by commas".to_owned(),
            ParameterKind::Choice(words) => format!("one of {}", words.join(", ")),
            ParameterKind::File => "the path of a file".to_owned(),
            ParameterKind::Flag => "true or false".to_owned(),
        }
    }
}
