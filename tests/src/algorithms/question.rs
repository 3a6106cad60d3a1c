//! Questions for each algorithm on each graph. This file contains all parameters.

use super::subject::{Subject, Values, View};
use gts_graph::algorithm::{self, Algorithm, Arguments};
use gts_graph::contract::ScalarType;

/// Maximum number of vertices for which searches start from every vertex.
const EVERY_SOURCE_UP_TO: usize = 150;
/// Number of searches on larger graphs: those that run concurrently in one pass.
const SAMPLES: &str = "64";
/// Iterations after which hubs and authorities have converged on all graphs with references.
const SETTLED: &str = "300";
/// The k of k-trusses: each edge is in at least two triangles.
const TRUSS: u32 = 4;
/// Number of walkers per start vertex. The smallest graphs have fewer vertices, so the walkers form several batches.
const WALKERS: u64 = 100;
/// Probability that a walker returns to the start vertex in a step.
const RESTART: f64 = 0.15;
/// Maximum number of matches listed, and maximum number of vertices for which matches are listed.
const LISTED: u64 = 2_000_000;
const LISTED_UP_TO: usize = 100_000;
/// Number of vertices in the sets of subgraph questions.
const SET: usize = 40;

/// An algorithm with parameters on one graph.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) algorithm: &'static Algorithm,
    /// Description that distinguishes the question from others for the same algorithm.
    variant: &'static str,
    /// Form of the graph that the algorithm requires.
    pub(super) view: View,
    /// Parameters of each run. Each run has its own answer. If there are several runs, the reference is the sum of
    /// their answers.
    pub(super) runs: Vec<Vec<(&'static str, String)>>,
    /// Reason for skipping the question, if any.
    pub(super) left_out: Option<&'static str>,
}

impl Question {
    /// Returns the algorithm's name and the variant.
    pub(super) fn label(&self) -> String {
        match self.variant {
            "" => self.algorithm.name.to_owned(),
            variant => format!("{}, {variant}", self.algorithm.name),
        }
    }

    /// Returns the arguments of each run.
    pub(super) fn arguments(&self) -> gts_graph::Result<Vec<Arguments>> {
        let set = |run: &Vec<(&'static str, String)>| {
            run.iter().try_fold(Arguments::of(self.algorithm), |arguments, (name, text)| arguments.with(name, text))
        };
        self.runs.iter().map(set).collect()
    }

    /// Returns whether the answer depends on random numbers. They are the same on every device.
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

    /// Sets one run per value of the parameter `name`.
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

/// Returns all questions for a graph.
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
        "closeness" if small => vec![ask(), ask().variant("in").with("direction", "in")],
        "eccentricity" if small => vec![ask()],
        "closeness" | "eccentricity" => vec![ask().with("samples", SAMPLES)],
        "cross-edges" => {
            vec![ask().with("from", joined(&subject.spread(SET))).with("to", joined(&subject.around_source(SET)))]
        }
        "hits" => {
            let settled = ask().with("iterations", SETTLED);
            let plain = if subject.reference().has("hits_hub") { settled } else { ask() };
            vec![plain, by_weights(ask())]
        }
        "induced-subgraph" => vec![ask().with("vertices", joined(&subject.around_source(SET)))],
        "k-truss" => vec![ask().with("k", TRUSS)],
        "match" => {
            let reason = "a listing of all triangles of a large graph takes long";
            let listed = ask().variant("listed").with("limit", LISTED);
            let large = subject.plain().len() > LISTED_UP_TO;
            vec![ask().with("count", true), listed.left_out(large.then_some(reason))]
        }
        "pagerank" => {
            let in_f64 = ask().variant("f64").with("precision", "f64");
            vec![ask(), in_f64, by_weights(ask().with("precision", "f64"))]
        }
        "personalised-pagerank" => vec![ask().with("source", source), by_weights(ask().with("source", source))],
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
        "triangles" => vec![ask(), ask().variant("by vertex").with("per-vertex", true)],
        _ if algorithm.parameter("source").is_some() => vec![ask().with("source", source)],
        _ => vec![ask()],
    }
}

fn by_weights(question: Question) -> Question {
    question.variant("by weights").with("weighted", true).values(Values { whole: false, signed: false })
}

fn joined(ids: &[u64]) -> String {
    ids.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}
