//! Compares the outputs that LDBC Graphalytics publishes for its six algorithms with those of GTS, by the benchmark's
//! validation rules. Levels and labels must be equal. Components must be the same sets; their names may differ. Ranks,
//! distances and coefficients must agree within a relative 1e-4 (A. Iosup et al.: The LDBC Graphalytics benchmark,
//! arXiv:2011.15028).

use crate::compare;
use crate::data::{Data, DataError, PlainGraph, UNREACHED};
use gts_core::build::DeclaredVertices;
use gts_core::graph::Graph;
use gts_graph::Engine;
use gts_graph::algorithm::{self, Answer, Arguments, Values};

/// Maximum relative difference that Graphalytics allows.
const EPSILON: f64 = 1e-4;

/// Rule by which outputs must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Same,
    SameSets,
    Close,
}

/// An algorithm of Graphalytics: its name there, its name in GTS, the output, and the rule.
type Six = (&'static str, &'static str, &'static str, Rule);

const SIX: [Six; 6] = [
    ("bfs", "bfs", "level", Rule::Same),
    ("cdlp", "cdlp", "label", Rule::Same),
    ("lcc", "lcc", "coefficient", Rule::Close),
    ("pr", "pagerank", "rank", Rule::Close),
    ("sssp", "sssp", "distance", Rule::Close),
    ("wcc", "wcc", "component", Rule::SameSets),
];

/// Parameters with which the published outputs were computed.
#[derive(Clone, Copy, Debug)]
struct Run {
    source: &'static str,
    ranked: &'static str,
    labelled: &'static str,
}

/// Graphs with published outputs: name, suffix of the file names, parameters, and the algorithms in `SIX` with an
/// output.
const GRAPHS: [(&str, &str, Run, &[&str]); 4] = [
    (
        "example-directed",
        "",
        Run { source: "1", ranked: "2", labelled: "2" },
        &["bfs", "cdlp", "lcc", "pr", "sssp", "wcc"],
    ),
    (
        "example-undirected",
        "",
        Run { source: "2", ranked: "2", labelled: "2" },
        &["bfs", "cdlp", "lcc", "pr", "sssp", "wcc"],
    ),
    ("p2p-31", ".gz", Run { source: "6", ranked: "10", labelled: "10" }, &["bfs", "cdlp", "lcc", "pr", "sssp", "wcc"]),
    // Ranks are published too, but violate the rules: they sum to 0.46.
    ("p2p-31-directed", "-directed.gz", Run { source: "6", ranked: "", labelled: "" }, &["bfs", "sssp"]),
];

/// Kinds of small graphs, one graph per algorithm: name, whether edges are directed, and parameters.
const TESTS: [(&str, bool, Run); 2] = [
    ("dir", true, Run { source: "1", ranked: "14", labelled: "5" }),
    ("undir", false, Run { source: "1", ranked: "26", labelled: "5" }),
];

/// A published output, and whether the output of GTS matches.
#[derive(Clone, Debug)]
pub struct Match {
    /// Name of the published file.
    pub file: String,
    /// Number of vertices in the file.
    pub vertices: usize,
    /// The first difference from the output of GTS, if any.
    pub outcome: Result<(), String>,
}

/// Compares all published outputs whose name `ALGORITHM on FILE` contains the filter.
///
/// # Errors
///
/// The data cannot be read. Errors of a run are recorded in its match.
pub fn matches(data: &Data, engine: &Engine, filter: &str) -> Result<Vec<Match>, DataError> {
    gts_graph::algorithms::link();
    let mut matches = Vec::new();
    let wanted = |six: &Six, file: &str| format!("{} on {file}", six.1).contains(filter);
    let entries = data.entries()?;
    for (name, end, run, published) in GRAPHS {
        let entry = entries.iter().find(|entry| entry.name == name).ok_or("a graph is not in the manifest")?;
        let graph = data.graph(entry)?;
        let stem = name.trim_end_matches("-directed");
        for six in SIX.iter().filter(|six| published.contains(&six.0)) {
            let stem = if stem == "example" { name } else { stem };
            let file = format!("{stem}-{}{end}", six.0.to_uppercase());
            if wanted(six, &file) {
                matches.push(compared(data, engine, &graph, file, *six, run)?);
            }
        }
    }
    for (kind, directed, run) in TESTS {
        for six in SIX {
            let input = format!("graphalytics/{}-{kind}-input", six.0);
            let graph = match six.0 {
                "sssp" => data.weighted_edges(&input, directed)?,
                _ => data.adjacency(&input)?,
            };
            let file = format!("graphalytics/{}-{kind}-output", six.0);
            if wanted(&six, &file) {
                matches.push(compared(data, engine, &graph, file, six, run)?);
            }
        }
    }
    Ok(matches)
}

fn compared(
    data: &Data,
    engine: &Engine,
    plain: &PlainGraph,
    file: String,
    (short, name, output, rule): Six,
    run: Run,
) -> Result<Match, DataError> {
    let mut listed = data.published(&file)?;
    listed.sort_by_key(|(id, _)| *id);
    let all = listed.iter().map(|(id, _)| *id).eq(plain.ids.iter().copied());
    if !all {
        return Err(format!("{file} does not list every vertex once").into());
    }
    let expected: Vec<f64> = listed.iter().map(|(_, value)| *value).collect();
    let answer = answer(engine, plain, short, name, run);
    let outcome = answer.map_err(|error| error.to_string()).and_then(|answer| {
        let found = answer.values(output).map(numbers).ok_or("no such output")?;
        let names = |values: &[f64]| values.iter().map(|&value| value as u64).collect::<Vec<_>>();
        match rule {
            Rule::Same => compare::equal(&found, &expected),
            Rule::Close => compare::close(&found, &expected, EPSILON),
            Rule::SameSets => compare::same_partition(&names(&found), &names(&expected)),
        }
    });
    Ok(Match { file, vertices: expected.len(), outcome })
}

fn answer(engine: &Engine, plain: &PlainGraph, short: &str, name: &str, run: Run) -> Result<Answer, DataError> {
    let algorithm = algorithm::find(name).ok_or("not registered")?;
    let arguments = Arguments::of(algorithm);
    let arguments = match short {
        "bfs" | "sssp" => arguments.with("source", run.source)?,
        "pr" => arguments.with("iterations", run.ranked)?,
        "cdlp" => arguments.with("iterations", run.labelled)?,
        _ => arguments,
    };
    let builder = Graph::builder();
    let builder = match short {
        "sssp" => builder.weighted_edges(plain.named_arcs().map(|(src, dst, weight)| (src, dst, weight as f32))),
        _ => builder.edges(plain.named_arcs().map(|(src, dst, _)| (src, dst))),
    };
    let graph =
        builder.vertices(DeclaredVertices::List(plain.ids.clone().into())).in_edges(true).page_size(4 << 10).build()?;
    Ok(algorithm.run(engine, &graph, &arguments)?)
}

/// Returns values in the form of the published files.
fn numbers(values: &Values) -> Vec<f64> {
    match values {
        Values::U32(values) => {
            values.iter().map(|&value| if value == u32::MAX { UNREACHED as f64 } else { value.into() }).collect()
        }
        Values::Vertex(values) | Values::U64(values) => values.iter().map(|&value| value as f64).collect(),
        Values::F32(values) => values.iter().map(|&value| value.into()).collect(),
        Values::F64(values) => values.clone(),
        Values::U8(_) | Values::I32(_) | Values::I64(_) | Values::Bool(_) => Vec::new(),
    }
}
