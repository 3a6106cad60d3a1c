//! Four programs as a reader of the book would write them, each compared with a serial version that shares no code with
//! GTS. The kernels name vertices in the shortest way.

mod dominating;
mod h_index;
mod nearest;
mod roots;

use gts_graph::algorithm::{Answer, Values, Verdict};
use gts_graph::prelude::*;

/// Returns the out-neighbours of each vertex, by dense number.
fn lists(graph: &Graph) -> Result<Vec<Vec<usize>>> {
    let mut lists = vec![Vec::new(); graph.num_vertices() as usize];
    for edge in graph.edges() {
        let (src, dst) = edge?;
        lists[src.index()].push(dst.index());
    }
    Ok(lists)
}

/// Returns the original ID of each vertex, by dense number.
fn originals(graph: &Graph) -> Vec<u64> {
    let id = |number| graph.ids().original(Vertex::from_dense(number)).expect("a vertex of the graph");
    (0..graph.num_vertices()).map(id).collect()
}

/// Returns values in the order of the original IDs.
fn ordered<T: Copy>(graph: &Graph, dense: &[T]) -> Vec<T> {
    graph.ids().in_original_order().map(|vertex| dense[vertex.index()]).collect()
}

/// Compares an output with the values of each vertex by dense number.
fn compare<T: Copy>(graph: &Graph, answer: &Answer, output: &str, dense: &[T]) -> Option<Verdict>
where
    Values: From<Vec<T>>,
{
    differs(answer, output, &Values::from(ordered(graph, dense)))
}

/// Returns the difference between an output and the expected values, if there is one.
fn differs(answer: &Answer, output: &str, expected: &Values) -> Option<Verdict> {
    let found = answer.values(output);
    (found != Some(expected)).then(|| Verdict::Differs(format!("`{output}` is {found:?}, and not {expected:?}")))
}

fn agrees() -> Verdict {
    Verdict::Agrees("as the serial version".to_owned())
}
