//! A section per algorithm: the definition of its answer, and the functions of networkx with the same answer.

use super::{Align, markdown};
use gts_graph::algorithm::{self, Algorithm, Definition};

/// Returns a section for each algorithm that has a definition, sorted by name.
pub fn algorithms() -> String {
    defined().map(|(algorithm, definition)| section(algorithm, definition)).collect::<Vec<_>>().join("\n")
}

/// Returns the table of the functions of networkx, sorted by the algorithm's name.
pub fn networkx() -> String {
    let heads = [("`G`", Align::Left), ("networkx", Align::Left), ("`gts run`", Align::Left)];
    let rows_of = |(algorithm, definition): (&Algorithm, &Definition)| {
        let row = |call: &algorithm::NetworkxCall| {
            let command = format!("{} {}", algorithm.name, call.flags);
            vec![format!("`{}`", call.graph), format!("`{}`", call.call), format!("`{}`", command.trim_end())]
        };
        definition.networkx.iter().map(row).collect::<Vec<_>>()
    };
    markdown(&heads, &defined().flat_map(rows_of).collect::<Vec<_>>())
}

fn defined() -> impl Iterator<Item = (&'static Algorithm, &'static Definition)> {
    algorithm::all().into_iter().filter_map(|algorithm| Some((algorithm, algorithm.definition.as_ref()?)))
}

fn section(algorithm: &Algorithm, definition: &Definition) -> String {
    format!(
        "### {}\n\n{}.\n\n{}\n\n{}\n\nSource: {}.\n",
        algorithm.name,
        algorithm.summary,
        definition.formula,
        definition.conventions(),
        algorithm.source
    )
}
