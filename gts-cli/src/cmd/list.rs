//! `gts list`: lists the algorithms of the registry.

use crate::report::{Align, Report, table};
use gts_graph::algorithm::{self, Algorithm, Fallback, Needs, OutputShape, Parameter};
use serde_json::{Value, json};

/// What `gts list` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {}

pub(crate) fn execute() -> Report {
    let all = algorithm::all();
    let row =
        |algorithm: &&Algorithm| vec![algorithm.name.to_owned(), algorithm.summary.to_owned(), needs(&algorithm.needs)];
    let heads = [("name", Align::Left), ("what it computes", Align::Left), ("needs", Align::Left)];
    let text = table(&heads, &all.iter().map(row).collect::<Vec<_>>());
    Report::new(text, all.into_iter().map(algorithm_json).collect())
}

/// Describes what an algorithm requires of its graph.
pub(super) fn needs(needs: &Needs) -> String {
    let mut words = Vec::new();
    if !needs.weights.is_empty() {
        let types: Vec<_> = needs.weights.iter().map(|scalar| scalar.name()).collect();
        words.push(format!("weights ({})", types.join(" or ")));
    }
    if needs.in_edges {
        words.push("in-edges".to_owned());
    }
    if needs.symmetric {
        words.push("each edge in both directions".to_owned());
    }
    words.join(", ")
}

/// Returns all properties of an algorithm in the registry.
pub(super) fn algorithm_json(algorithm: &Algorithm) -> Value {
    let parameter = |parameter: &Parameter| {
        let default = match parameter.fallback {
            Fallback::Value(value) => json!(value.to_string()),
            Fallback::Rule(rule) => json!(rule),
            Fallback::Required => Value::Null,
        };
        json!({
            "name": parameter.name,
            "help": parameter.help,
            "expected": parameter.expected(),
            "required": parameter.fallback == Fallback::Required,
            "default": default,
        })
    };
    let output = |output: &gts_graph::algorithm::Output| match output.shape {
        OutputShape::Scalar | OutputShape::Edges | OutputShape::Table { .. } => {
            json!({ "name": output.name, "help": output.help, "per_vertex": false })
        }
        OutputShape::Vertices { types, unreached, .. } => json!({
            "name": output.name,
            "help": output.help,
            "per_vertex": true,
            "types": types.iter().map(|scalar| scalar.name()).collect::<Vec<_>>(),
            "unreached": unreached,
        }),
    };
    json!({
        "name": algorithm.name,
        "summary": algorithm.summary,
        "help": algorithm.help,
        "source": algorithm.source,
        "parameters": algorithm.parameters.iter().map(parameter).collect::<Vec<_>>(),
        "outputs": algorithm.outputs.iter().map(output).collect::<Vec<_>>(),
        "needs": {
            "weights": algorithm.needs.weights.iter().map(|scalar| scalar.name()).collect::<Vec<_>>(),
            "in_edges": algorithm.needs.in_edges,
            "symmetric": algorithm.needs.symmetric,
        },
        "check": algorithm.check.is_some(),
    })
}
