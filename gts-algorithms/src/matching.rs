//! Subgraph matching: the occurrences of a small graph, the pattern, in a large one.
//!
//! The search tries the vertices of the pattern one after the other, depth first. It begins with those that it expects
//! to occur least often, and searches for each in the shortest list of the earlier ones. It finds symmetric occurrences
//! once, because the order of the graph by degree decides which vertex takes which role. It counts the last vertex
//! without visiting it. A listing follows the count, which determines its memory. (Y. Wang et al.: Gunrock; its
//! subgraph matching. Symmetries as in J. Grochow, M. Kellis: Network motif discovery using subgraph enumeration and
//! symmetry-breaking, RECOMB 2007.)

use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, Outline, Output, Parameter, PatternShape, Rows, Scalar,
    Value, Values, pattern_search,
};
use gts_graph::core::advice::{Advice, Explain};
use gts_graph::core::files::{self, Lines};
use gts_graph::core::pattern::{Columns, Pattern, PatternError, PatternPlan, PatternReader};
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Matching keeps nothing for each vertex.
#[gts_attributes]
pub struct Matches {}

/// Maximum number of labels of a graph in an error message.
const NAMED: usize = 5;
/// Default limit of the number of listed matches.
const MOST_LISTED: u64 = 1_000_000;
/// The name of the listing.
const LISTING: &str = "listing";
/// The flag that omits the listing.
const COUNT: &str = "count";

/// Returns the number of occurrences of a pattern. A match is a set of edges that has the pattern's shape and labels.
/// With `induced` it is a set of vertices whose edges are exactly those of the pattern. `names` contains the labels of
/// vertices by original ID.
///
/// ```
/// use gts_algorithms::matching::matches;
/// use gts_graph::core::pattern::Pattern;
/// use gts_graph::prelude::*;
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
/// As for [`Run::matches`]; also if a label of the pattern is not in the graph.
pub fn matches(
    run: &mut Run<Matches>,
    pattern: &Pattern,
    induced: bool,
    names: Option<&HashMap<u64, String>>,
) -> Result<u64> {
    let (plan, labels) = planned(run.graph(), pattern, induced, names)?;
    run.matches(&plan, &labels)
}

/// Occurrences of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The vertices of the pattern by their numbers in its text, ascending.
    pub pattern: Vec<u64>,
    /// For each vertex of the pattern, the original ID of its image in every match.
    pub columns: Vec<Vec<u64>>,
}

impl Listing {
    /// Returns the number of matches.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Returns whether the pattern does not occur.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Lists the occurrences of a pattern that [`matches()`] counts, one match per row. Rows ascend by the original IDs of
/// their columns. Of the rows that differ only by a symmetry of the pattern, the listing contains the first. So it is
/// the same on every device, and for every order of the graph.
///
/// ```
/// use gts_algorithms::matching::list;
/// use gts_graph::core::pattern::Pattern;
/// use gts_graph::prelude::*;
///
/// let edges = [(10, 20), (20, 30), (30, 10), (30, 40)];
/// let graph = Graph::builder().edges(edges).symmetrise(true).build().expect("a small graph");
/// let path = Pattern::from_edges([(0, 1), (1, 2)]).expect("a small pattern");
/// let found = list(&mut Engine::cpu()?.start(&graph)?, &path, true, None, 1000)?;
/// // The triangle is no induced path.
/// assert_eq!(found.columns, [[10, 20], [30, 30], [40, 40]]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As for [`Run::list_matches`], for example if there are more matches than `most`; also if a label of the pattern is
/// not in the graph.
pub fn list(
    run: &mut Run<Matches>,
    pattern: &Pattern,
    induced: bool,
    names: Option<&HashMap<u64, String>>,
    most: u64,
) -> Result<Listing> {
    let graph = run.graph().clone();
    let (plan, labels) = planned(&graph, pattern, induced, names)?;
    let mut rows = run.list_matches(&plan, &labels, most)?;
    drop(labels);
    let (ids, columns) = (graph.ids(), Columns::new(pattern, &plan));
    // Every vertex has a rank, and every rank an ID.
    let rank = |dense: u32| ids.rank(Vertex::from_dense(dense.into())).map_or(u32::MAX, |rank| rank as u32);
    summaries::change(&mut rows, |entry| *entry = rank(*entry));
    let order = columns.arrange_all(&mut rows)?;
    let width = plan.len();
    let of_column = |column: usize| {
        let original =
            |row: &u64| ids.original_of_rank(rows[*row as usize * width + column].into()).unwrap_or(u64::MAX);
        summaries::mapped("the listing of matches", &order, original)
    };
    let listed = (0..width).map(of_column).collect::<std::result::Result<_, _>>()?;
    Ok(Listing { pattern: columns.numbers().to_vec(), columns: listed })
}

/// Returns the plan of the search for a pattern, and the label of each vertex of the graph.
fn planned(
    graph: &Graph,
    pattern: &Pattern,
    induced: bool,
    names: Option<&HashMap<u64, String>>,
) -> Result<(PatternPlan, Vec<u8>)> {
    let labels = labels(graph, pattern, names)?;
    let degrees = graph.out_degrees();
    // Vertices of the pattern with the same requirements have the same sums.
    let known: RefCell<HashMap<(u8, u32, u32), f64>> = RefCell::default();
    let powers = |v: usize, power: u32| {
        let (label, least) = (pattern.label(v).map_or(0, |label| label + 1), pattern.degree(v));
        let term = |dense: usize| {
            let passes = (label == 0 || labels[dense] == label) && degrees[dense] >= least;
            if passes { f64::from(degrees[dense]).powi(power as i32) } else { 0.0 }
        };
        *known.borrow_mut().entry((label, least, power)).or_insert_with(|| summaries::sum_below(degrees.len(), term))
    };
    Ok((PatternPlan::new(pattern, induced, graph.num_edges(), powers), labels))
}

/// Returns the label of each vertex, numbered from 1 as in the pattern; empty if the pattern has no labels.
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

/// Returns the pattern of a run. Its file is read once.
pub(crate) fn pattern(arguments: &Arguments) -> Result<Arc<Pattern>> {
    let given = arguments.content("pattern", |path| {
        let what = format!("--pattern {}", path.display());
        read(path).map_err(|(why, advice)| {
            let advice = advice.unwrap_or_else(|| "give a text file with an edge `U V` a line".into());
            Error::argument_with_advice(&what, why, advice)
        })
    })?;
    let triangle =
        || Pattern::from_edges([(0, 1), (1, 2), (2, 0)]).map_err(|error| Error::argument("a triangle", error));
    given.map_or_else(|| triangle().map(Arc::new), Ok)
}

/// Reads a pattern from a file. An error is the problem, and advice.
fn read(path: &Path) -> std::result::Result<Pattern, (String, Option<Advice>)> {
    let mut lines = Lines::new(files::open(path).map_err(|error| (error.to_string(), None))?);
    let mut reader = PatternReader::default();
    let refused = |error: PatternError| (error.to_string(), error.advice());
    while let Some((line, text)) =
        lines.next_line().map_err(|error| (format!("line {}: {error}", error.line), error.advice()))?
    {
        reader.line(line, text).map_err(refused)?;
    }
    reader.finish().map_err(refused)
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let (pattern, induced) = (pattern(arguments)?, arguments.flag("induced")?);
    let (mut run, names) = (engine.start(graph)?, arguments.names());
    if arguments.flag(COUNT)? {
        let matches = matches(&mut run, &pattern, induced, names)?;
        return Ok(Answer::new().scalar("matches", Scalar::Unsigned(matches)));
    }
    let found = list(&mut run, &pattern, induced, names, arguments.integer("limit")?)?;
    let matches = Scalar::Unsigned(found.len() as u64);
    let heads = found.pattern.iter().map(u64::to_string);
    let columns = heads.zip(found.columns.into_iter().map(Values::Vertex)).collect();
    Ok(Answer::new().scalar("matches", matches).rows(Rows { name: LISTING, columns }))
}

register! {
    Algorithm::new("match", "How often a pattern occurs, and where", run)
        .kind(AlgorithmKind::Structure)
        .help("A pattern is a small graph in a file: an edge `U V` a line, and where vertices shall have labels, `v U LABEL` \
               lines. The labels of the graph are those of --labels. Each place counts once, whatever the symmetries of the \
               pattern, and is listed once: with the row that comes first. Parallel edges count as one, edges from a vertex \
               to itself not at all. `--output matches.csv` writes a row a match and a column a vertex of the pattern; \
               `--count` leaves the listing out.")
        .source("J. Grochow, M. Kellis: Network motif discovery using subgraph enumeration and symmetry-breaking. RECOMB \
                 2007. The search is that of subgraph matching in Gunrock, without lists of candidates")
        .definition(
            Definition::both(
                "The number of sets of edges that have the shape of the pattern. With `--induced`, vertices without \
                 an edge in the pattern have none in the graph.",
            ),
        )
        .parameters(&[
            Parameter::file("pattern", "The pattern: a file of at most 32 vertices").otherwise("a triangle"),
            Parameter::flag("induced", "Find only places where vertices without an edge in the pattern have none in the graph"),
            Parameter::flag(COUNT, "Count the matches, and do not list them"),
            Parameter::integer("limit", "The most matches to list; if there are more, the run fails and says how many")
                .default(Value::Integer(MOST_LISTED)),
        ])
        .symmetric()
        .kernels(&[pattern_search()])
        .outline(|arguments, _| {
            let pattern = pattern(arguments)?;
            Ok(Outline::repeat(1, [pattern_search()]).pattern(PatternShape {
                vertices: pattern.num_vertices() as u64,
                labelled: !pattern.labels().is_empty(),
                most_listed: if arguments.flag(COUNT)? { 0 } else { arguments.integer("limit")? },
            }))
        })
        .outputs(&[
            Output::scalar("matches", "How often the pattern occurs"),
            Output::table(LISTING, "The matches: a row each, and a column for each vertex of the pattern"),
        ])
        .check(crate::check::matching)
}
