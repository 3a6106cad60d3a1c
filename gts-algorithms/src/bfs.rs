//! Breadth-first search: the least number of edges on a path from a source to each vertex.
//!
//! Level by level from the source (E. F. Moore, "The shortest path through a maze", 1959). An active vertex gives its
//! unvisited out-neighbours the next level and makes them active; each edge is visited once. All writers of a step
//! store the same value, so their order does not matter. The time is proportional to the edges, with one step per
//! level. Levels take 4 bytes per vertex, or 2 if none is beyond 65,534. With parents, each vertex also keeps one of
//! the vertices of the level before that found it.

use crate::source::{SOURCE, source};
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, NetworkxCall, Outline, Output, Parameter, Scalar, Summary,
    Values, edge_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// Hops from a source.
#[gts_attributes]
pub struct Bfs {
    /// Level of the vertex, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(traverse)]
pub(crate) fn expand(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
    if bfs.level[dst] == UNREACHED {
        bfs.level[dst] = step() + 1;
        activate(dst);
    }
}

/// Hops from a source, in half the memory.
#[gts_attributes]
pub struct Bfs16 {
    /// Level of the vertex, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u16,
}

#[gts_kernel(traverse)]
fn expand16(bfs: &mut Bfs16, src: Vertex, dst: Vertex) {
    if bfs.level[dst] == UNREACHED {
        bfs.level[dst] = (step() + 1) as u16;
        activate(dst);
    }
}

/// Hops from a source, and the way back.
#[gts_attributes]
pub struct BfsTree {
    /// Level of the vertex, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    /// A neighbour one level before; the source is its own.
    #[wa(init = UNREACHED, merge = any)]
    pub parent: VertexId,
}

#[gts_kernel(traverse)]
fn grow(tree: &mut BfsTree, src: Vertex, dst: Vertex) {
    if tree.level[dst] == UNREACHED {
        tree.level[dst] = step() + 1;
        tree.parent[dst] = src;
        activate(dst);
    }
}

/// Returns the level of every vertex, in the order of the original IDs; `u32::MAX` if no path leads from the source.
///
/// # Errors
///
/// As for [`Run::traverse`].
///
/// # Examples
///
/// ```
/// use gts_algorithms::bfs::bfs;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::from_edges([(5, 6), (6, 7), (8, 5)]).expect("sound edges");
/// assert_eq!(bfs(&mut Engine::cpu()?.start(&graph)?, graph.vertex(5)?)?, [0, 1, 2, u32::MAX]);
/// # Ok::<(), Error>(())
/// ```
pub fn bfs(run: &mut Run<Bfs>, source: Vertex) -> Result<Vec<u32>> {
    run.set(Bfs::LEVEL, source, 0)?;
    run.activate(source)?;
    run.traverse(expand)?;
    run.take(Bfs::LEVEL)
}

/// As [`bfs`], with levels of 16 bits; `u16::MAX` if no path leads from the source.
///
/// # Errors
///
/// As for [`Run::advance`]; also if a vertex is more than 65,534 hops away.
///
/// # Examples
///
/// ```
/// use gts_algorithms::bfs::bfs_u16;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::from_edges([(5, 6), (6, 7), (8, 5)]).expect("sound edges");
/// assert_eq!(bfs_u16(&mut Engine::cpu()?.start(&graph)?, graph.vertex(5)?)?, [0, 1, 2, u16::MAX]);
/// # Ok::<(), Error>(())
/// ```
pub fn bfs_u16(run: &mut Run<Bfs16>, source: Vertex) -> Result<Vec<u16>> {
    run.set(Bfs16::LEVEL, source, 0)?;
    run.activate(source)?;
    let mut levels = 0;
    // A step that finds vertices beyond the largest level stores `UNREACHED` again.
    while run.advance(expand16)? > 0 {
        levels += 1;
        if levels == u16::MAX {
            let why = "a vertex is more than 65,534 hops from the source; use levels of 32 bits";
            return Err(Error::argument("levels of 16 bits", why));
        }
    }
    run.take(Bfs16::LEVEL)
}

/// Returns the level and the parent of every vertex, in the order of the original IDs; the largest number if no path
/// leads from the source. Parents are original IDs.
///
/// # Errors
///
/// As for [`Run::traverse`].
///
/// # Examples
///
/// ```
/// use gts_algorithms::bfs::bfs_tree;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::from_edges([(5, 6), (6, 7), (8, 5)]).expect("sound edges");
/// let (levels, parents) = bfs_tree(&mut Engine::cpu()?.start(&graph)?, graph.vertex(5)?)?;
/// assert_eq!((levels[2], &parents[..3]), (2, &[5, 5, 6][..]));
/// # Ok::<(), Error>(())
/// ```
pub fn bfs_tree(run: &mut Run<BfsTree>, source: Vertex) -> Result<(Vec<u32>, Vec<u64>)> {
    run.set(BfsTree::LEVEL, source, 0)?;
    run.set(BfsTree::PARENT, source, source.into())?;
    run.activate(source)?;
    run.traverse(grow)?;
    let parents = run.take(BfsTree::PARENT)?;
    let parents = summaries::mapped("parents", &parents, |parent| parent.to_bits())?;
    Ok((run.take(BfsTree::LEVEL)?, parents))
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let source = source(graph, arguments)?;
    if arguments.choice("level-type")? == "u16" {
        if arguments.flag("parents")? {
            return Err(Error::argument_with_advice("--parents", "needs levels of 32 bits", "leave --level-type out"));
        }
        let levels = bfs_u16(&mut engine.start(graph)?, source)?;
        let widened = |level: &u16| if *level == u16::MAX { u32::MAX } else { (*level).into() };
        return Ok(answer(summaries::mapped("levels", &levels, widened)?));
    }
    if arguments.flag("parents")? {
        let (levels, parents) = bfs_tree(&mut engine.start(graph)?, source)?;
        return Ok(answer(levels).vertices("parent", Values::Vertex(parents)));
    }
    Ok(answer(bfs(&mut engine.start(graph)?, source)?))
}

fn answer(levels: Vec<u32>) -> Answer {
    let add = |(reached, depth): (u64, u32), level: &u32| match *level {
        u32::MAX => (reached, depth),
        level => (reached + 1, depth.max(level)),
    };
    let (reached, depth) = summaries::fold(&levels, || (0, 0), add, |a, b| (a.0 + b.0, a.1.max(b.1)));
    Answer::new()
        .scalar("reached", Scalar::Unsigned(reached))
        .scalar("depth", Scalar::Unsigned(depth.into()))
        .vertices("level", levels)
}

register! {
    Algorithm::new("bfs", "Breadth-first search: hops from a source vertex", run)
        .kind(AlgorithmKind::Paths)
        .help("Follows edges forward, level by level. Vertices that no path reaches have no level.")
        .source("E. F. Moore: The shortest path through a maze. International Symposium on the Theory of Switching, 1959")
        .definition(
            Definition::forward(
                "`level(v)` is the least number of edges on a path from the source to `v`.",
            )
            .except(
                "A vertex that is not reached has no level.",
            )
            .networkx(&[
                NetworkxCall { graph: "MultiDiGraph", flags: "--source SOURCE", call: "nx.single_source_shortest_path_length(G, SOURCE)" },
            ]),
        )
        .parameters(&[
            SOURCE,
            Parameter::flag("parents", "Also answer a parent of each vertex, one level before it"),
            Parameter::choice("level-type", &["u32", "u16"], "Type of the levels on the device; u16 ends at 65,534 hops"),
        ])
        .outputs(&[
            Output::vertices("level", &[ScalarType::U32], "Hops from the source")
                .unreached("no path leads from the source to the vertex")
                .summary(Summary::Histogram),
            Output::vertices("parent", &[ScalarType::VertexId], "A vertex before it on a shortest path, with --parents")
                .unreached("no path leads from the source to the vertex")
                .summary(Summary::Groups),
            Output::scalar("reached", "Vertices that a path reaches, the source included"),
            Output::scalar("depth", "Largest level"),
        ])
        .kernels(&[edge_kernel(expand), edge_kernel(expand16), edge_kernel(grow)])
        .outline(|arguments, _| {
            let kernel = match (arguments.flag("parents")?, arguments.choice("level-type")?) {
                (true, _) => edge_kernel(grow),
                (false, "u16") => edge_kernel(expand16),
                (false, _) => edge_kernel(expand),
            };
            Ok(Outline::traverse_from_one(kernel))
        })
        .check(crate::check::bfs)
}
