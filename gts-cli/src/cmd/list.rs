//! `gts list`: lists the algorithms of the registry.

use crate::report::Report;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};
use gts_graph::algorithm::{
    self, Algorithm, AlgorithmKind, Fallback, Needs, NeedsWith, NetworkxCall, OutputShape, Parameter,
};
use serde_json::{Value, json};

/// What `gts list` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {}

pub(crate) fn execute() -> Report {
    let all = algorithm::all();
    let json = all.iter().map(|algorithm| algorithm_json(algorithm)).collect();
    Report::new(grouped(&all, width()), json)
}

/// Columns of a text that is not printed on a terminal.
const DEFAULT_WIDTH: u16 = 80;
/// Spaces before the name of an algorithm.
const INDENT: usize = 2;

/// Returns the columns of the terminal, or `COLUMNS` if there is no terminal.
fn width() -> u16 {
    let terminal = terminal_size::terminal_size().map(|(width, _)| width.0);
    let set = || std::env::var("COLUMNS").ok()?.parse().ok();
    terminal.or_else(set).unwrap_or(DEFAULT_WIDTH)
}

/// Returns a table of the algorithms, grouped by kind and wrapped to a width.
fn grouped(all: &[&Algorithm], width: u16) -> String {
    let mut kinds: Vec<_> = all.iter().map(|algorithm| algorithm.kind).collect();
    kinds.sort();
    kinds.dedup();
    let longest = all.iter().map(|algorithm| names(algorithm).len() + INDENT + 1).max().unwrap_or(0);
    let first = ColumnConstraint::Absolute(Width::Fixed(longest as u16));
    let group = |kind: AlgorithmKind| {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        for algorithm in all.iter().filter(|algorithm| algorithm.kind == kind) {
            let needs = Some(needs(algorithm)).filter(|needs| !needs.is_empty());
            let needs = needs.map_or(String::new(), |needs| format!("; needs {needs}"));
            table.add_row([names(algorithm), format!("{}{needs}", algorithm.summary)]);
        }
        table.column_iter_mut().zip([INDENT as u16, 1]).for_each(|(column, left)| {
            column.set_padding((left, 0));
        });
        table.set_constraints([first]);
        format!("{}\n{}\n", kind.title(), table.trim_fmt())
    };
    kinds.into_iter().map(group).collect::<Vec<_>>().join("\n")
}

/// Returns the name of an algorithm, and its aliases in parentheses.
fn names(algorithm: &Algorithm) -> String {
    match algorithm.aliases {
        [] => algorithm.name.to_owned(),
        aliases => format!("{} ({})", algorithm.name, aliases.join(", ")),
    }
}

/// Describes what an algorithm requires of its graph, by its parameters.
pub(super) fn needs(algorithm: &Algorithm) -> String {
    let with = |with: &NeedsWith| match with.value {
        algorithm::Value::Flag(_) => format!("{} with --{}", words(&with.needs), with.parameter),
        value => format!("{} with --{} {value}", words(&with.needs), with.parameter),
    };
    let always = Some(words(&algorithm.needs)).filter(|words| !words.is_empty());
    always.into_iter().chain(algorithm.needs_with.iter().map(with)).collect::<Vec<_>>().join(", ")
}

/// Describes requirements.
fn words(needs: &Needs) -> String {
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

fn needs_json(needs: &Needs) -> Value {
    json!({
        "weights": needs.weights.iter().map(|scalar| scalar.name()).collect::<Vec<_>>(),
        "in_edges": needs.in_edges,
        "symmetric": needs.symmetric,
    })
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
        OutputShape::Scalar | OutputShape::Edges | OutputShape::Table => {
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
    let with = |with: &NeedsWith| {
        json!({
            "parameter": with.parameter,
            "value": with.value.to_string(),
            "needs": needs_json(&with.needs),
        })
    };
    let networkx = |call: &NetworkxCall| json!({ "graph": call.graph, "flags": call.flags, "call": call.call });
    let definition = algorithm.definition.map(|definition| {
        json!({
            "formula": definition.formula,
            "conventions": definition.conventions(),
            "networkx": definition.networkx.iter().map(networkx).collect::<Vec<_>>(),
        })
    });
    json!({
        "name": algorithm.name,
        "aliases": algorithm.aliases,
        "kind": algorithm.kind.title(),
        "summary": algorithm.summary,
        "help": algorithm.help,
        "source": algorithm.source,
        "definition": definition,
        "parameters": algorithm.parameters.iter().map(parameter).collect::<Vec<_>>(),
        "outputs": algorithm.outputs.iter().map(output).collect::<Vec<_>>(),
        "needs": needs_json(&algorithm.needs),
        "needs_with": algorithm.needs_with.iter().map(with).collect::<Vec<_>>(),
        "check": algorithm.check.is_some(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_at_most_as_wide_as_the_terminal() {
        gts_algorithms::link();
        let all = algorithm::all();
        for width in [60, 80, 200] {
            let text = grouped(&all, width);
            assert!(text.lines().all(|line| line.chars().count() <= usize::from(width)), "{text}");
            assert!(all.iter().flat_map(|algorithm| algorithm.names()).all(|name| text.contains(name)), "{text}");
        }
        let wide = grouped(&all, 200);
        assert!(wide.contains("\nComponents\n  afforest ") && wide.contains("  wcc (cc) "), "{wide}");
    }
}
