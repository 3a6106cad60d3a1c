//! The questions to each algorithm on each graph: the one table of parameters.

use super::subject::{Subject, Values, View};
use gts_runtime::algorithm::{self, Algorithm, Arguments};
use gts_runtime::contract::ScalarType;

/// Vertices of the largest graph with a search from every vertex.
const EVERY_SOURCE_UP_TO: usize = 150;
/// Searches in a larger graph: the number that run at once.
const SAMPLES: &str = "64";
/// Iterations after which hubs and authorities of the graphs with references for them have converged.
const SETTLED: &str = "300";
/// The k of the k-truss: edges in at least two triangles.
const TRUSS: u32 = 4;
/// Walkers from one vertex, and their probability of a step back to it.
const WALKERS: u64 = 1_000;
const RESTART: f64 = 0.15;
/// Maximum number of listed matches, and vertices of the largest graph for which matches are listed.
const LISTED: u64 = 2_000_000;
const LISTED_UP_TO: usize = 100_000;
/// Vertices in the sets of subgraph questions.
const SET: usize = 40;

/// One algorithm with its parameters on one graph.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) algorithm: &'static Algorithm,
    /// The difference from other questions to the same algorithm.
    variant: &'static str,
    /// The form of the graph.
    pub(super) view: View,
    /// The parameters of each run: several runs have one answer each, and the reference is for their sum.
    pub(super) runs: Vec<Vec<(&'static str, String)>>,
    /// The reason why the question is not run.
    pub(super) left_out: Option<&'static str>,
}

impl Question {
    /// Returns the algorithm's name, with the variant.
    pub(super) fn label(&self) -> String {
        match self.variant {
            "" => self.algorithm.name.to_owned(),
            variant => format!("{}, {variant}", self.algorithm.name),
        }
    }

    /// Returns the arguments of each run.
    pub(super) fn arguments(&self) -> gts_runtime::Result<Vec<Arguments>> {
        let set = |run: &Vec<(&'static str, String)>| {
            run.iter().try_fold(Arguments::of(self.algorithm), |arguments, (name, text)| arguments.with(name, text))
        };
        self.runs.iter().map(set).collect()
    }

    /// Returns whether the answer depends on random numbers, which are the same on every device.
    pub(super) fn has_random_numbers(&self) -> bool {
        ["colouring", "mis", "random-walks"].contains(&self.algorithm.name)
    }

    fn variant(mut self, name: &'static str) -> Self {
        self.variant = name;
        self
    }

    fn with(mut self, name: &'static str, text: impl ToString) -> Self {
        self.runs.iter_mut().for_each(|run| run.push((name, text.to_string())));
        self
    }

    /// Sets one run for each of these values.
    fn with_each(mut self, name: &'static str, texts: &[u64]) -> Self {
        self.runs = texts.iter().map(|text| vec![(name, text.to_string())]).collect();
        self
    }

    fn values(mut self, values: Values) -> Self {
        self.view.values = Some(values);
        self
    }

    fn left_out(mut self, reason: Option<&'static str>) -> Self {
        self.left_out = reason;
        self
    }
}

/// Returns all questions about a graph.
pub(super) fn questions(subject: &Subject) -> Vec<Question> {
    algorithm::all().into_iter().flat_map(|algorithm| questions_to(algorithm, subject)).collect()
}

fn questions_to(algorithm: &'static Algorithm, subject: &Subject) -> Vec<Question> {
    let signed = algorithm.name == "spanning-forest";
    let preferred = algorithm.needs.weights.first();
    let values = preferred.map(|ty| Values { whole: *ty == ScalarType::U32, signed });
    let view = View { symmetric: algorithm.needs.symmetric, values };
    let ask = || Question { algorithm, variant: "", view, runs: vec![Vec::new()], left_out: None };
    let source = subject.source();
    let small = subject.plain().len() <= EVERY_SOURCE_UP_TO;
    match algorithm.name {
        "betweenness" => {
            let reason = "a search from every vertex of a large graph takes long; its sources are four";
            let exact = ask().variant("exact").left_out((!small).then_some(reason));
            vec![ask().with_each("source", subject.sources()), exact]
        }
        "bfs" => {
            vec![ask().with("source", source), ask().variant("parents").with("source", source).with("parents", true)]
        }
        "closeness" | "eccentricity" if small => vec![ask()],
        "closeness" | "eccentricity" => vec![ask().with("samples", SAMPLES)],
        "cross-edges" => {
            vec![ask().with("from", joined(&subject.spread(SET))).with("to", joined(&subject.around_source(SET)))]
        }
        "hits" if subject.reference().has("hits_hub") => vec![ask().with("iterations", SETTLED)],
        "induced-subgraph" => vec![ask().with("vertices", joined(&subject.around_source(SET)))],
        "k-truss" => vec![ask().with("k", TRUSS)],
        "match" => {
            let reason = "a listing of all triangles of a large graph takes long";
            let listed = ask().variant("listed").with("limit", LISTED);
            let large = subject.plain().len() > LISTED_UP_TO;
            vec![ask().with("count", true), listed.left_out(large.then_some(reason))]
        }
        "pagerank" => vec![ask(), ask().variant("f64").with("precision", "f64")],
        "random-walks" => {
            let restarting = ask().variant("restarting").with("source", source).with("walkers", WALKERS);
            vec![ask(), restarting.with("restart", RESTART)]
        }
        "spanning-forest" => {
            vec![ask(), ask().variant("u32").values(Values { whole: true, signed })]
        }
        "sssp" | "sssp-near-far" => vec![
            ask().with("source", source),
            ask().variant("u32").with("source", source).values(Values { whole: true, signed }),
        ],
        "st-connectivity" => {
            vec![
                ask().with("source", source).with("target", subject.farthest()),
                ask().variant("back").with("source", subject.farthest()).with("target", source),
            ]
        }
        _ if algorithm.parameter("source").is_some() => vec![ask().with("source", source)],
        _ => vec![ask()],
    }
}

fn joined(ids: &[u64]) -> String {
    ids.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}
