//! The parameters of algorithms, with their types, limits and defaults.

use crate::{Error, Result};
use std::fmt;

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// A finite number from `least` to `most`, inclusive.
    Real {
        /// The smallest allowed value.
        least: f64,
        /// The largest allowed value.
        most: f64,
    },
    /// An integer from `least` to `most`, inclusive.
    Integer {
        /// The smallest allowed value.
        least: u64,
        /// The largest allowed value.
        most: u64,
    },
    /// A vertex, by its key.
    Vertex,
    /// A list of vertices, by their keys.
    Vertices,
    /// One of several words.
    Choice(&'static [&'static str]),
    /// The path of a file.
    File,
    /// A switch: on or off.
    Flag,
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A finite number.
    Real(f64),
    /// An integer.
    Integer(u64),
    /// One of the allowed words.
    Choice(&'static str),
    /// A switch: on or off.
    Flag(bool),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Real(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Choice(word) => f.write_str(word),
            Self::Flag(value) => write!(f, "{value}"),
        }
    }
}

/// The effect of a missing value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fallback {
    /// The parameter is required: a missing value is an error.
    Required,
    /// The default value.
    Value(Value),
    /// The algorithm chooses the value. The text describes the rule.
    Rule(&'static str),
}

/// The declaration of one parameter of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The name, without the `--` of the command line.
    pub name: &'static str,
    /// The description for users, with a typical value.
    pub help: &'static str,
    /// The type of the value, with limits.
    pub kind: ParameterKind,
    /// The effect of a missing value.
    pub fallback: Fallback,
}

impl Parameter {
    const fn new(name: &'static str, kind: ParameterKind, fallback: Fallback, help: &'static str) -> Self {
        Self { name, help, kind, fallback }
    }

    /// Declares a required number.
    pub const fn real(name: &'static str, help: &'static str) -> Self {
        Self::new(name, ParameterKind::Real { least: f64::MIN, most: f64::MAX }, Fallback::Required, help)
    }

    /// Declares a required integer.
    pub const fn integer(name: &'static str, help: &'static str) -> Self {
        Self::new(name, ParameterKind::Integer { least: 0, most: u64::MAX }, Fallback::Required, help)
    }

    /// Declares a required vertex, given by its key.
    pub const fn vertex(name: &'static str, help: &'static str) -> Self {
        Self::new(name, ParameterKind::Vertex, Fallback::Required, help)
    }

    /// Declares a required list of vertices, given by their keys.
    pub const fn vertices(name: &'static str, help: &'static str) -> Self {
        Self::new(name, ParameterKind::Vertices, Fallback::Required, help)
    }

    /// Declares a required file, given by path.
    pub const fn file(name: &'static str, help: &'static str) -> Self {
        Self::new(name, ParameterKind::File, Fallback::Required, help)
    }

    /// Declares a choice of one word. The first word is the default.
    pub const fn choice(name: &'static str, words: &'static [&'static str], help: &'static str) -> Self {
        Self::new(name, ParameterKind::Choice(words), Fallback::Value(Value::Choice(words[0])), help)
    }

    /// Declares a switch that is off by default.
    pub const fn flag(name: &'static str, help: &'static str) -> Self {
        Self::new(name, ParameterKind::Flag, Fallback::Value(Value::Flag(false)), help)
    }

    /// Restricts a number to `low..=high`.
    pub const fn between(mut self, low: f64, high: f64) -> Self {
        assert!(matches!(self.kind, ParameterKind::Real { .. }), "`between` limits a real parameter");
        self.kind = ParameterKind::Real { least: low, most: high };
        self
    }

    /// Restricts an integer to `low..=high`.
    pub const fn within(mut self, low: u64, high: u64) -> Self {
        assert!(matches!(self.kind, ParameterKind::Integer { .. }), "`within` limits an integer parameter");
        self.kind = ParameterKind::Integer { least: low, most: high };
        self
    }

    /// Sets the default value, which must have the parameter's type.
    pub const fn default(mut self, value: Value) -> Self {
        assert!(
            matches!(
                (&self.kind, &value),
                (ParameterKind::Real { .. }, Value::Real(_))
                    | (ParameterKind::Integer { .. }, Value::Integer(_))
                    | (ParameterKind::Choice(_), Value::Choice(_))
                    | (ParameterKind::Flag, Value::Flag(_))
            ),
            "a default has the parameter's own type"
        );
        self.fallback = Fallback::Value(value);
        self
    }

    /// Lets the algorithm choose a missing value. `rule` describes the choice to users.
    pub const fn otherwise(mut self, rule: &'static str) -> Self {
        self.fallback = Fallback::Rule(rule);
        self
    }

    /// Parses the text of a value.
    ///
    /// # Errors
    ///
    /// The text does not have the parameter's type, exceeds a limit, or is not an allowed word. Parameters that are
    /// vertices, lists or files always fail.
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
            ParameterKind::Choice(words) => words
                .iter()
                .find(|word| **word == text)
                .map(|word| Value::Choice(word))
                .ok_or_else(|| refuse(format!("expected {}", self.expected()))),
            ParameterKind::Vertex | ParameterKind::Vertices | ParameterKind::File => {
                Err(refuse(format!("expected one value, and this is {}", self.expected())))
            }
            ParameterKind::Flag => {
                text.parse().map(Value::Flag).map_err(|_| refuse(format!("expected {}", self.expected())))
            }
        }
    }

    /// Returns a description of the allowed values.
    pub fn expected(&self) -> String {
        match self.kind {
            ParameterKind::Real { least: f64::MIN, most: f64::MAX } => "a finite number".to_owned(),
            ParameterKind::Real { least, most: f64::MAX } => format!("a number of at least {least}"),
            ParameterKind::Real { least, most } => format!("a number from {least} to {most}"),
            ParameterKind::Integer { least: 0, most: u64::MAX } => "a whole number".to_owned(),
            ParameterKind::Integer { least, most: u64::MAX } => format!("a whole number of at least {least}"),
            ParameterKind::Integer { least, most } => format!("a whole number from {least} to {most}"),
            ParameterKind::Vertex => "the key of a vertex".to_owned(),
            ParameterKind::Vertices => "keys of vertices, each by a flag of its own, or @FILE with a key per line; \
                                        numbers may be joined by commas"
                .to_owned(),
            ParameterKind::Choice(words) => format!("one of {}", words.join(", ")),
            ParameterKind::File => "the path of a file".to_owned(),
            ParameterKind::Flag => "true or false".to_owned(),
        }
    }
}
