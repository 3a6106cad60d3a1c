//! The registered algorithms and the options of runs, as data.

use gts_graph::algorithm::{self, Algorithm, Fallback, OutputShape, ParameterKind, Value};
use serde_json::{Value as Json, json};

/// Returns all algorithms as JSON.
pub(crate) fn algorithms() -> Json {
    algorithm::all().into_iter().map(describe).collect()
}

fn describe(algorithm: &Algorithm) -> Json {
    let parameter = |parameter: &algorithm::Parameter| {
        let (kind, words) = match parameter.kind {
            ParameterKind::Real { .. } => ("real", None),
            ParameterKind::Integer { .. } => ("integer", None),
            ParameterKind::Vertex => ("vertex", None),
            ParameterKind::Vertices => ("vertices", None),
            ParameterKind::Choice(words) => ("choice", Some(words)),
            ParameterKind::File => ("file", None),
            ParameterKind::Flag => ("flag", None),
        };
        let (is_required, default, rule) = match parameter.fallback {
            Fallback::Required => (true, Json::Null, None),
            Fallback::Value(value) => (false, plain(value), None),
            Fallback::Rule(rule) => (false, Json::Null, Some(rule)),
        };
        json!({
            "name": parameter.name,
            "help": parameter.help,
            "kind": kind,
            "words": words,
            "expected": parameter.expected(),
            "required": is_required,
            "default": default,
            "rule": rule,
        })
    };
    let output = |output: &algorithm::Output| {
        let (shape, unreached) = match output.shape {
            OutputShape::Vertices { unreached, .. } => ("vertices", unreached),
            OutputShape::Edges => ("edges", None),
            OutputShape::Table => ("table", None),
            OutputShape::Scalar => ("scalar", None),
        };
        json!({ "name": output.name, "help": output.help, "shape": shape, "unreached": unreached })
    };
    let definition = algorithm.definition.map(|definition| json!([definition.formula, definition.conventions()]));
    json!({
        "name": algorithm.name,
        "aliases": algorithm.aliases,
        "summary": algorithm.summary,
        "help": algorithm.help,
        "source": algorithm.source,
        "weights": !algorithm.needs.weights.is_empty(),
        "definition": definition,
        "parameters": algorithm.parameters.iter().map(parameter).collect::<Vec<_>>(),
        "outputs": algorithm.outputs.iter().map(output).collect::<Vec<_>>(),
    })
}

fn plain(value: Value) -> Json {
    match value {
        Value::Real(value) => json!(value),
        Value::Integer(value) => json!(value),
        Value::Choice(word) => json!(word),
        Value::Flag(value) => json!(value),
    }
}
