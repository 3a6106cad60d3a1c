//! A section per algorithm: the definition of its answer, and what it needs.

use super::conventions::{CONVENTIONS, Convention, Effect};
use gts_graph::algorithm::{self, Algorithm};

/// Returns a section for each algorithm that has a definition, sorted by name.
pub fn algorithms() -> String {
    let with_definition = |algorithm: &'static Algorithm| {
        let found = CONVENTIONS.iter().find(|convention| convention.name == algorithm.name);
        found.map(|convention| section(algorithm, convention))
    };
    algorithm::all().into_iter().filter_map(with_definition).collect::<Vec<_>>().join("\n")
}

fn section(algorithm: &Algorithm, convention: &Convention) -> String {
    let self_loops = match convention.self_loops {
        Effect::Ignored => "Self-loops change nothing",
        Effect::Counted => "Self-loops count",
    };
    let parallel = match convention.parallel {
        Effect::Ignored => "parallel edges count once",
        Effect::Counted => "parallel edges count each",
    };
    let exception = match convention.exception {
        "" => String::new(),
        sentence => format!(" {sentence}"),
    };
    format!(
        "### {}\n\n{}.\n\n{}\n\n{} {self_loops}, and {parallel}.{exception}\n\nSource: {}.\n",
        algorithm.name, algorithm.summary, convention.formula, convention.direction, algorithm.source
    )
}
