//! Counts matches of a pattern by a backtracker without orders and symmetries, and checks the rows of a listing.

use super::{absent, unsigned};
use crate::matching::pattern;
use gts_graph::algorithm::{Answer, Arguments, Cells, Table, TableKind, Values, Verdict};
use gts_graph::core::pattern::Pattern;
use gts_graph::prelude::*;
use std::collections::BTreeSet;

/// Neighbours and label of each vertex of a graph, which may be a pattern.
struct Labelled {
    neighbours: Vec<BTreeSet<usize>>,
    labels: Vec<Option<String>>,
}

impl Labelled {
    fn of_graph(graph: &Graph, arguments: &Arguments) -> Result<Self> {
        let mut neighbours = vec![BTreeSet::new(); graph.num_vertices() as usize];
        for (index, list) in neighbours.iter_mut().enumerate() {
            for neighbour in graph.neighbors(Vertex::from_dense(index as u64)) {
                list.insert(neighbour?.index());
            }
            list.remove(&index);
        }
        let original = |index: usize| graph.original(Vertex::from_dense(index as u64));
        let name = |index: usize| arguments.names().and_then(|names| names.get(&original(index)).cloned());
        let labels = (0..neighbours.len()).map(name).collect();
        Ok(Self { neighbours, labels })
    }

    fn of_pattern(pattern: &Pattern) -> Self {
        let vertices = 0..pattern.num_vertices();
        let neighbours =
            |v: usize| vertices.clone().filter(|w| pattern.neighbors(v) >> w & 1 == 1).collect::<BTreeSet<_>>();
        let label = |v: usize| pattern.label(v).map(|label| pattern.labels()[usize::from(label)].clone());
        Self { neighbours: vertices.clone().map(neighbours).collect(), labels: vertices.clone().map(label).collect() }
    }

    /// Returns the number of ways to map the vertices of a pattern from `order[images.len()]` on. With `exactly`, a
    /// vertex without a label can only be mapped to vertices without one.
    fn images(
        &self,
        pattern: &Self,
        (induced, exactly): (bool, bool),
        order: &[usize],
        images: &mut Vec<usize>,
    ) -> u128 {
        let Some(&v) = order.get(images.len()) else { return 1 };
        let fits = |w: usize, images: &[usize]| {
            let same = match &pattern.labels[v] {
                None if !exactly => true,
                label => *label == self.labels[w],
            };
            same && !images.contains(&w)
                && order.iter().zip(images).all(|(u, image)| {
                    let (wanted, found) = (pattern.neighbours[v].contains(u), self.neighbours[w].contains(image));
                    wanted == found || (found && !induced)
                })
        };
        let earlier = order.iter().zip(images.iter()).find(|(u, _)| pattern.neighbours[v].contains(u));
        let candidates: Vec<usize> = match earlier {
            Some((_, &image)) => self.neighbours[image].iter().copied().collect(),
            None => (0..self.neighbours.len()).collect(),
        };
        let mut count = 0;
        for w in candidates {
            if fits(w, images) {
                images.push(w);
                count += self.images(pattern, (induced, exactly), order, images);
                images.pop();
            }
        }
        count
    }
}

/// Returns what is wrong with a listing, which must have one ascending row per match.
fn fault(
    table: &Table<'_>,
    pattern: &Pattern,
    (small, large): (&Labelled, &Labelled),
    graph: &Graph,
    induced: bool,
) -> Option<String> {
    let mut vertices: Vec<usize> = (0..pattern.num_vertices()).collect();
    vertices.sort_unstable_by_key(|&v| pattern.number(v));
    let heads: Vec<_> = vertices.iter().map(|&v| pattern.number(v).to_string()).collect();
    if !heads.iter().eq(table.columns.iter().map(|column| column.name)) {
        return Some(format!("the columns of the listing are not {}", heads.join(", ")));
    }
    let mut last = None;
    for row in 0..table.rows {
        let ids: Vec<u64> = table
            .columns
            .iter()
            .filter_map(|column| match column.cells {
                Cells::Values(Values::Vertex(ids)) => Some(ids[row]),
                _ => None,
            })
            .collect();
        let images: Vec<usize> = ids.iter().filter_map(|&id| Some(graph.vertex(id).ok()?.index())).collect();
        let fits = |(place, &w): (usize, &usize)| {
            let label = &small.labels[vertices[place]];
            (label.is_none() || *label == large.labels[w])
                && images[..place].iter().zip(&vertices).all(|(image, u)| {
                    let wanted = small.neighbours[vertices[place]].contains(u);
                    let found = large.neighbours[w].contains(image);
                    *image != w && (wanted == found || (found && !induced))
                })
        };
        if images.len() < vertices.len() || !images.iter().enumerate().all(fits) {
            return Some(format!("row {row} of the listing, {ids:?}, is no match"));
        }
        if last.is_some_and(|last| last >= ids) {
            return Some(format!("row {row} of the listing, {ids:?}, does not come after the one before"));
        }
        last = Some(ids);
    }
    None
}

/// Counts all maps of the pattern into the graph, and into itself: the latter is the number of times that each match
/// was counted.
///
/// # Errors
///
/// Pages or the pattern cannot be read.
pub fn matching(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let Some(found) = unsigned(answer, "matches") else { return Ok(absent("matches")) };
    let induced = arguments.flag("induced")?;
    let given = pattern(arguments)?;
    let pattern = Labelled::of_pattern(&given);
    let mut order = vec![0];
    while let Some(next) = (0..pattern.neighbours.len())
        .find(|v| !order.contains(v) && order.iter().any(|u| pattern.neighbours[*v].contains(u)))
    {
        order.push(next);
    }
    let of_graph = Labelled::of_graph(graph, arguments)?;
    let all = of_graph.images(&pattern, (induced, false), &order, &mut Vec::new());
    let symmetries = pattern.images(&pattern, (true, true), &order, &mut Vec::new());
    let expected = all / symmetries;
    if let Some(table) = answer.tables().into_iter().find(|table| table.kind == TableKind::Rows) {
        if let Some(fault) = fault(&table, &given, (&pattern, &of_graph), graph, induced) {
            return Ok(Verdict::Differs(fault));
        }
        if table.rows as u64 != found {
            return Ok(Verdict::Differs(format!("{} rows for {found} matches", table.rows)));
        }
    }
    Ok(if u128::from(found) == expected {
        Verdict::Agrees(format!("a backtracker finds {expected} matches too"))
    } else {
        Verdict::Differs(format!("{found} matches, where a backtracker finds {expected}"))
    })
}
