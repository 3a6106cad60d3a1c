//! Subgraph matching: how often a small graph, the pattern, occurs in a large one.
//!
//! The search looks for the vertices of the pattern one after the other, depth first. It begins with those that it expects to
//! find least often, and looks for each in the shortest list of the earlier ones. It finds what is symmetric in the pattern once,
//! because the order of the graph by degree decides which vertex takes which part. It counts the last vertex, and does not walk it.
//! (Y. Wang et al.: Gunrock; its subgraph matching. Symmetries as in J. Grochow, M. Kellis: Network motif discovery using
//! subgraph enumeration and symmetry-breaking, RECOMB 2007.)

use gts_runtime::algorithm::{Algorithm, Answer, Arguments, Outline, Output, Parameter, Scalar, pattern_search};
use gts_runtime::core::advice::{Advice, Explain};
use gts_runtime::core::pattern::{Pattern, PatternPlan};
use gts_runtime::core::summaries;
use gts_runtime::prelude::*;
use gts_runtime::register;
use std::collections::HashMap;

/// Matching keeps nothing for each vertex.
#[gts_attributes]
pub struct Matches {}

/// The most labels of a graph that an error names.
const NAMED: usize = 5;

/// Returns how often a pattern occurs. A match is a set of edges that has the pattern's shape and labels. With `induced` it is a
/// set of vertices whose edges are just those of the pattern. `names` holds the labels of vertices by original ID.
///
/// ```
/// use gts_algorithms::matching::matches;
/// use gts_runtime::core::pattern::Pattern;
/// use gts_runtime::prelude::*;
///
/// let clique = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)];
/// let graph = Graph::builder().edges(clique).symmetrise(true).build().expect("a small graph");
/// let square = Pattern::from_edges([(0, 1), (1, 2), (2, 3), (3, 0)]).expect("a small pattern");
/// assert_eq!(matches(&mut Engine::cpu()?.start(&graph)?, &square, false, None)?, 3);
/// assert_eq!(matches(&mut Engine::cpu()?.start(&graph)?, &square, true, None)?, 0);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As for [`Run::matches`]; labels that no vertex of the graph has.
pub fn matches(
    run: &mut Run<Matches>,
    pattern: &Pattern,
    induced: bool,
    names: Option<&HashMap<u64, String>>,
) -> Result<u64> {
    let graph = run.graph().clone();
    let labels = labels(&graph, pattern, names)?;
    let vertices = graph.num_vertices();
    let candidates = |v: usize| {
        let (label, degree) = (pattern.label(v).map_or(0, |label| label + 1), u64::from(pattern.degree(v)));
        summaries::count_below(vertices as usize, |dense| {
            (label == 0 || labels[dense] == label) && graph.out_degree(Vertex::from_dense(dense as u64)) >= degree
        })
    };
    let plan = PatternPlan::new(pattern, induced, (vertices, graph.num_edges()), candidates);
    run.matches(&plan, &labels)
}

/// Returns the label of each vertex as the pattern counts them, from 1; nothing where the pattern has none.
fn labels(graph: &Graph, pattern: &Pattern, names: Option<&HashMap<u64, String>>) -> Result<Vec<u8>> {
    let wanted = pattern.labels();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let Some(names) = names else {
        return Err(Error::argument_with_advice(
            "the pattern",
            format!("it has the label `{}`, and the vertices of the graph have none", wanted[0]),
            Advice::new(
                "give them with --labels FILE, whose lines are `ID<TAB>LABEL`, or leave the labels out of the pattern",
                "give the names of the vertices, or leave the labels out of the pattern",
            ),
        ));
    };
    let number = |vertex| {
        let name = names.get(&graph.original(vertex));
        name.and_then(|name| wanted.iter().position(|label| label == name)).map_or(0, |place| place as u8 + 1)
    };
    let labels = graph.by_vertex("labels of vertices", number)?;
    for (label, name) in (1u8..).zip(wanted) {
        if summaries::first(&labels, |&other| other == label).is_none() {
            let mut known: Vec<&str> = names.values().map(String::as_str).collect();
            known.sort_unstable();
            known.dedup();
            let more = if known.len() > NAMED { ", ..." } else { "" };
            let known = known[..known.len().min(NAMED)].join("`, `");
            return Err(Error::argument_with_advice(
                "the pattern",
                format!("no vertex of the graph has its label `{name}`"),
                format!("correct the pattern or the labels of the graph, which has `{known}`{more}"),
            ));
        }
    }
    Ok(labels)
}

/// Returns the pattern that a run asks for.
pub(crate) fn pattern(arguments: &Arguments) -> Result<Pattern> {
    let Some(path) = arguments.file("pattern")? else {
        return Pattern::from_edges([(0, 1), (1, 2), (2, 0)]).map_err(|error| Error::argument("a triangle", error));
    };
    let what = format!("--pattern {}", path.display());
    let text = std::fs::read_to_string(path)
        .map_err(|error| Error::argument_with_advice(&what, error, "give a text file with an edge `U V` a line"))?;
    Pattern::parse(&text).map_err(|error| match error.advice() {
        Some(advice) => Error::argument_with_advice(&what, &error, advice),
        None => Error::argument(&what, &error),
    })
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let pattern = pattern(arguments)?;
    let induced = arguments.flag("induced")?;
    let matches = matches(&mut engine.start(graph)?, &pattern, induced, arguments.names())?;
    Ok(Answer::new().scalar("matches", Scalar::Unsigned(matches)))
}

register! {
    Algorithm::new("match", "How often a pattern occurs", run)
        .help("A pattern is a small graph in a file: an edge `U V` a line, and where vertices shall have labels, `v U LABEL` \
               lines. The labels of the graph are those of --labels. Each place counts once, whatever the symmetries of the \
               pattern. Parallel edges count as one, edges from a vertex to itself not at all.")
        .source("J. Grochow, M. Kellis: Network motif discovery using subgraph enumeration and symmetry-breaking. RECOMB \
                 2007. The search is that of subgraph matching in Gunrock, without lists of candidates")
        .parameters(&[
            Parameter::file("pattern", "The pattern: a file of at most 32 vertices").otherwise("a triangle"),
            Parameter::flag("induced", "Count only where vertices without an edge in the pattern have none in the graph"),
        ])
        .symmetric()
        .kernels(&[pattern_search()])
        .outline(|arguments, _| {
            let pattern = pattern(arguments)?;
            let (vertices, labelled) = (pattern.num_vertices() as u64, !pattern.labels().is_empty());
            Ok(Outline::repeat(1, [pattern_search()]).pattern(vertices, labelled))
        })
        .outputs(&[Output::scalar("matches", "How often the pattern occurs")])
        .check(crate::check::matching)
}
