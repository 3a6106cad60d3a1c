//! Parses the text that specifies a generated graph.

use super::{Family, Generator, Spec, TorusSides};
use crate::advice::{Advice, Explain};
use crate::build::MAX_VERTICES;
use gts_contract::ScalarType;
use gts_contract::language::Code;

/// Each generator's name, which precedes the colon, and the syntax of its size.
pub const NAMES: [(&str, &str); 7] = [
    ("rmat", "SCALE"),
    ("uniform", "SCALE"),
    ("grid", "ROWSxCOLUMNS"),
    ("torus", "SIDExSIDE"),
    ("star", "VERTICES"),
    ("chain", "VERTICES"),
    ("complete", "VERTICES"),
];

/// The supported types of weights.
const WEIGHTS: [ScalarType; 5] = [ScalarType::U32, ScalarType::I32, ScalarType::F32, ScalarType::U64, ScalarType::F64];

/// Maximum number of edges in a generated graph.
const MAX_EDGES: u64 = 1 << 48;

/// The reason why a text does not specify a generated graph.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// The word before the colon is not the name of a generator.
    #[error("no generator is called `{name}`")]
    UnknownGenerator {
        /// The word before the colon.
        name: String,
    },
    /// The generator's name is not followed by a size.
    #[error("`{name}` needs a size")]
    MissingSize {
        /// The generator's name.
        name: &'static str,
        /// The expected syntax of the size.
        shape: &'static str,
    },
    /// A part of the text is malformed.
    #[error("`{part}` in `{spec}`: expected {expected}")]
    BadPart {
        /// The whole specification.
        spec: String,
        /// The malformed part.
        part: String,
        /// A description of the valid syntax.
        expected: String,
    },
    /// The generator does not have this option.
    #[error("`{name}` has no option `{option}`")]
    UnknownOption {
        /// The generator's name.
        name: &'static str,
        /// The option's name.
        option: String,
        /// The valid options of the generator.
        options: &'static [&'static str],
    },
    /// An option occurs twice.
    #[error("option `{option}` stands twice in `{spec}`")]
    RepeatedOption {
        /// The whole specification.
        spec: String,
        /// The option's name.
        option: String,
    },
    /// The graph would have more vertices than a graph can have, or more edges than a generator supports.
    #[error(
        "`{spec}` would have too many vertices or edges: a graph has at most 4,294,967,295 vertices, and at most 2^48 edges \
         are generated"
    )]
    TooLarge {
        /// The whole specification.
        spec: String,
    },
}

crate::debug_by_explaining!(GenerateError);

impl Explain for GenerateError {
    fn code(&self) -> Code {
        match self {
            Self::UnknownGenerator { .. } => Code::UnknownGenerator,
            Self::MissingSize { .. } => Code::GeneratorSize,
            Self::BadPart { .. } => Code::GeneratorText,
            Self::UnknownOption { .. } | Self::RepeatedOption { .. } => Code::GeneratorOption,
            Self::TooLarge { .. } => Code::GeneratedTooLarge,
        }
    }

    fn advice(&self) -> Option<Advice> {
        Some(match self {
            Self::UnknownGenerator { .. } => format!("give one of {}", known()).into(),
            Self::MissingSize { name, shape } => format!("write `{name}:{shape}`").into(),
            Self::UnknownOption { options, .. } => format!("it takes {}", options.join(", ")).into(),
            Self::RepeatedOption { .. } => "leave one out".into(),
            Self::TooLarge { .. } => "give a smaller size".into(),
            Self::BadPart { .. } => return None,
        })
    }
}

/// Returns the names of all generators with the syntax of their sizes, as one text.
pub(crate) fn known() -> String {
    NAMES.map(|(name, shape)| format!("{name}:{shape}")).join(", ")
}

/// Returns whether a text begins with the name of a generator.
pub(crate) fn is_generator(text: &str) -> bool {
    NAMES.iter().any(|(name, _)| text.split(':').next() == Some(name))
}

/// Parses a specification such as `rmat:20,edge-factor=16,seed=1,weights=u32`.
pub(crate) fn parse(spec: &str) -> Result<Generator, GenerateError> {
    let mut parts = spec.split(',').map(str::trim);
    let head = parts.next().unwrap_or_default();
    let (word, size) = head.split_once(':').map_or((head, ""), |(word, size)| (word.trim(), size.trim()));
    let &(name, shape) = NAMES
        .iter()
        .find(|(name, _)| *name == word)
        .ok_or_else(|| GenerateError::UnknownGenerator { name: excerpt(word) })?;
    if size.is_empty() {
        return Err(GenerateError::MissingSize { name, shape });
    }
    let options = SpecOptions::parse(spec, name, parts)?;
    let scale = |size: &str| number(spec, size, 0, 63, "a scale of 0 to 31, the binary logarithm of the vertices");
    let vertices = |size: &str| number(spec, size, 1, u64::MAX, "a number of vertices, at least 1");
    let edge_factor = options.edge_factor.unwrap_or(16);
    let family = match name {
        "rmat" => Family::Rmat { scale: scale(size)? as u32, edge_factor },
        "uniform" => Family::Uniform { scale: scale(size)? as u32, edge_factor },
        "grid" => {
            let (rows, columns) = size
                .split_once('x')
                .ok_or_else(|| bad(spec, size, "two sizes joined by an `x`, such as `100x200`".to_owned()))?;
            let side = |text: &str| number(spec, text, 1, u64::MAX, "a number of rows or columns, at least 1");
            Family::Grid { rows: side(rows)?, columns: side(columns)? }
        }
        "torus" => {
            let sides = TorusSides::parse(size).map_err(|part| {
                bad(
                    spec,
                    part,
                    "a number of vertices, at least 2; sides are joined by an `x`, or `16^5` has five".to_owned(),
                )
            })?;
            Family::Torus { sides }
        }
        "star" => Family::Star { vertices: vertices(size)? },
        "chain" => Family::Chain { vertices: vertices(size)? },
        _ => Family::Complete { vertices: vertices(size)? },
    };
    if too_large(&family) {
        return Err(GenerateError::TooLarge { spec: excerpt(spec) });
    }
    Ok(Generator::new(Spec { family, seed: options.seed.unwrap_or(1), weights: options.weights }))
}

fn too_large(family: &Family) -> bool {
    let (vertices, edges) = match *family {
        Family::Rmat { scale, edge_factor } | Family::Uniform { scale, edge_factor } => {
            (1 << scale, u128::from(edge_factor) << scale)
        }
        Family::Grid { rows, columns } => {
            let vertices = u128::from(rows) * u128::from(columns);
            (vertices, vertices.saturating_mul(2))
        }
        Family::Torus { ref sides } => {
            let vertices = u128::from(sides.vertices());
            (vertices, vertices * u128::from(sides.dimensions()))
        }
        Family::Star { vertices } | Family::Chain { vertices } => (vertices.into(), vertices.into()),
        Family::Complete { vertices } => (vertices.into(), u128::from(vertices) * u128::from(vertices) / 2),
    };
    vertices > MAX_VERTICES.into() || edges > MAX_EDGES.into()
}

/// The options that may follow the size.
#[derive(Default)]
struct SpecOptions {
    edge_factor: Option<u64>,
    seed: Option<u64>,
    weights: Option<ScalarType>,
}

impl SpecOptions {
    fn parse<'a>(spec: &str, name: &'static str, parts: impl Iterator<Item = &'a str>) -> Result<Self, GenerateError> {
        let random = matches!(name, "rmat" | "uniform");
        let allowed: &[&str] = if random { &["edge-factor", "seed", "weights"] } else { &["seed", "weights"] };
        let mut options = Self::default();
        for part in parts {
            let (option, value) =
                part.split_once('=').ok_or_else(|| bad(spec, part, format!("one of {}=…", allowed.join("=…, "))))?;
            let repeated = match option {
                _ if !allowed.contains(&option) => {
                    return Err(GenerateError::UnknownOption { name, option: excerpt(option), options: allowed });
                }
                "edge-factor" => {
                    let factor = number(spec, value, 0, 1 << 32, "a number of edges a vertex")?;
                    options.edge_factor.replace(factor).is_some()
                }
                "seed" => options.seed.replace(number(spec, value, 0, u64::MAX, "a 64-bit number")?).is_some(),
                _ => {
                    let ty = WEIGHTS.into_iter().find(|ty| ty.name() == value);
                    let ty =
                        ty.ok_or_else(|| bad(spec, part, format!("one of {}", WEIGHTS.map(|t| t.name()).join(", "))))?;
                    options.weights.replace(ty).is_some()
                }
            };
            if repeated {
                return Err(GenerateError::RepeatedOption { spec: excerpt(spec), option: option.to_owned() });
            }
        }
        Ok(options)
    }
}

fn number(spec: &str, text: &str, low: u64, high: u64, expected: &str) -> Result<u64, GenerateError> {
    text.parse().ok().filter(|n| (low..=high).contains(n)).ok_or_else(|| bad(spec, text, expected.to_owned()))
}

fn bad(spec: &str, part: &str, expected: String) -> GenerateError {
    GenerateError::BadPart { spec: excerpt(spec), part: excerpt(part), expected }
}

/// Returns the beginning of a text, short enough for a message.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 80;
    if text.chars().count() <= LONGEST { text.to_owned() } else { text.chars().take(LONGEST).chain(['…']).collect() }
}
