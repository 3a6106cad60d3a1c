//! Rules of benchmark suites: their algorithms, sources and numbers of trials.

/// Selection of the sources for a trial's searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// The algorithm has no source parameter.
    Nowhere,
    /// A random vertex with out-edges, drawn for each trial.
    Drawn,
    /// The same vertex in all trials: the one given by `--source`, or the algorithm's default.
    Fixed,
    /// A number of sources. The algorithm draws the sources itself; its seed is the sum of `--seed` and the trial's
    /// number.
    Samples(u32),
}

/// An algorithm of a suite.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// Name of the algorithm in the suite.
    pub(super) name: &'static str,
    /// Name of the algorithm in GTS.
    pub(super) algorithm: &'static str,
    /// Parameters with the values that the suite requires.
    pub(super) arguments: &'static [(&'static str, &'static str)],
    pub(super) start: Start,
    /// Default number of counted trials.
    pub(super) trials: usize,
}

/// A benchmark suite.
#[derive(Debug)]
pub(super) struct Suite {
    /// Name of the subcommand.
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// Description of the suite's rules, for readers.
    pub(super) rules: &'static str,
    /// Whether rates count vertices in addition to edges.
    pub(super) counts_vertices: bool,
    pub(super) algorithms: &'static [Rule],
}

const fn rule(
    (name, algorithm): (&'static str, &'static str),
    arguments: &'static [(&'static str, &'static str)],
    start: Start,
    trials: usize,
) -> Rule {
    Rule { name, algorithm, arguments, start, trials }
}

/// S. Beamer, K. Asanovic, D. Patterson: The GAP benchmark suite. arXiv:1508.03619, 2017.
pub(super) const GAP: Suite = Suite {
    name: "gap",
    about: "Measure the six kernels of the GAP benchmark suite",
    rules: "Sources are drawn by --seed from the vertices with out-edges, a new one for each trial of BFS and SSSP, four \
            for each of BC. PR ends at a change of 1e-4 in all, or after 20 iterations; it spreads what vertices without \
            out-edges hold, which GAP's own does not. The time of a trial is that of the algorithm with its attributes; \
            the graph, kernels and pages are ready before.",
    counts_vertices: false,
    algorithms: &[
        rule(("BFS", "bfs"), &[], Start::Drawn, 64),
        rule(("SSSP", "sssp-near-far"), &[], Start::Drawn, 64),
        rule(("PR", "pagerank"), &[("tolerance", "1e-4"), ("iterations", "20")], Start::Nowhere, 16),
        rule(("CC", "afforest"), &[], Start::Nowhere, 16),
        rule(("BC", "betweenness"), &[], Start::Samples(4), 16),
        rule(("TC", "triangles"), &[], Start::Nowhere, 3),
    ],
};

/// A. Iosup et al.: The LDBC Graphalytics benchmark. arXiv:2011.15028, 2020.
pub(super) const GRAPHALYTICS: Suite = Suite {
    name: "graphalytics",
    about: "Measure the six algorithms of LDBC Graphalytics",
    rules: "The source of BFS and SSSP is --source, as a data set's properties name it. PR and CDLP make --iterations. \
            Rates are edges and vertices a second (EVPS). The time of a trial is the processing time: the graph, kernels \
            and pages are ready before.",
    counts_vertices: true,
    algorithms: &[
        rule(("BFS", "bfs"), &[], Start::Fixed, 3),
        rule(("PR", "pagerank"), &[("precision", "f64")], Start::Nowhere, 3),
        rule(("WCC", "wcc"), &[], Start::Nowhere, 3),
        rule(("CDLP", "cdlp"), &[], Start::Nowhere, 3),
        rule(("LCC", "lcc"), &[], Start::Nowhere, 3),
        rule(("SSSP", "sssp"), &[], Start::Fixed, 3),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;
    use gts_graph::algorithm::{self, Arguments};

    #[test]
    fn rules_fit_the_algorithms_that_they_name() {
        gts_graph::algorithms::link();
        for rule in GAP.algorithms.iter().chain(GRAPHALYTICS.algorithms) {
            let algorithm =
                algorithm::find(rule.algorithm).unwrap_or_else(|| panic!("no algorithm {}", rule.algorithm));
            let mut arguments = Arguments::of(algorithm);
            for (name, text) in rule.arguments {
                arguments.set(name, text).unwrap_or_else(|error| panic!("{}: {error}", rule.algorithm));
            }
            let takes = |name| algorithm.parameter(name).is_some();
            let fits = match rule.start {
                Start::Nowhere => !takes("source"),
                Start::Drawn | Start::Fixed => takes("source"),
                Start::Samples(_) => takes("samples") && takes("sample-seed"),
            };
            assert!(fits, "{} and {:?}", rule.algorithm, rule.start);
            assert!(algorithm.check.is_some(), "{} cannot be verified", rule.algorithm);
        }
    }
}
