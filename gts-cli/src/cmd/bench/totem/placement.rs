//! Boundary edges and messages by the CPU's share of the edges, and by what it is given: groups of pages at random, as
//! TOTEM places vertices, or those of most or fewest edges a vertex, which its authors left to later work.

use super::super::figure::{Cell, Chart, Column, Drawing, Figure, Finding, Line, Table, Unit};
use super::super::subject::Subject;
use super::super::{Bench, Counter};
use super::cut::{Cut, scattered};
use crate::error::Failure;
use crate::units;
use gts_runtime::core::cost::GraphShape;
use gts_runtime::core::cost::hybrid::expected_messages;
use gts_runtime::core::graph::PageId;
use gts_runtime::core::memory;
use gts_runtime::prelude::Graph;
use rayon::prelude::*;
use std::ops::Range;

/// The CPU's shares of the edges, in percent.
const SHARES: [u32; 5] = [10, 30, 50, 70, 90];
/// The kinds of graphs.
const KINDS: [&str; 2] = ["rmat", "uniform"];
/// Groups of pages that there are at least, where there are as many pages.
const GROUPS: u32 = 256;
/// Bytes of a group at most.
const GROUP: u32 = 16 << 20;
/// The number of the GPU's part, and of the CPU's.
const GPU: u8 = 0;
const CPU: u8 = 1;

/// Which groups of pages the CPU is given first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placement {
    /// Any.
    Random,
    /// Those of most edges a vertex.
    High,
    /// Those of fewest.
    Low,
}

impl Placement {
    const ALL: [Self; 3] = [Self::Random, Self::High, Self::Low];

    fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::High => "high",
            Self::Low => "low",
        }
    }
}

/// Pages that stay together: they hold whole lists.
#[derive(Clone, Debug, PartialEq)]
struct Group {
    vertices: Range<usize>,
    edges: u64,
}

struct Row {
    kind: &'static str,
    placement: Placement,
    share: u32,
    cut: Cut,
    /// Messages to the GPU that the model expects.
    expected: f64,
}

impl Row {
    /// Values that a scan brings to the GPU: one for each vertex that the CPU's edges end at.
    fn to_gpu(&self) -> u64 {
        self.cut.parts[usize::from(CPU)].targets
    }

    /// Values that come back: one for each vertex that the CPU's edges leave.
    fn to_cpu(&self) -> u64 {
        self.cut.parts[usize::from(CPU)].sources
    }

    fn messages(&self) -> u64 {
        self.to_gpu() + self.to_cpu()
    }

    fn edges_a_message(&self) -> f64 {
        self.cut.boundary_edges as f64 / self.messages().max(1) as f64
    }
}

pub(in super::super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    let (mut rows, mut notes) = (Vec::new(), Vec::new());
    let mut counter = Counter::new("placement", KINDS.len() * Placement::ALL.len() * SHARES.len());
    for kind in KINDS {
        counter.hide();
        let subject = Subject::generated(&format!("{kind}:{}", bench.scale), bench.making)?;
        let graph = &subject.graph;
        let (groups, classes) = (groups(graph), GraphShape::of(graph).classes);
        notes.push(format!("{}, in {} groups", subject.describe(), groups.len()));
        for placement in Placement::ALL {
            for share in SHARES {
                counter.next();
                let on_cpu = chosen(&groups, placement, f64::from(share) / 100.0);
                let cut = Cut::of(graph, &parts(graph, &groups, &on_cpu)?, 2)?;
                let found = cut.parts[usize::from(CPU)].edges as f64 / cut.edges.max(1) as f64;
                rows.push(Row { kind, placement, share, expected: expected_messages(&classes, found).to_gpu, cut });
            }
        }
    }
    notes.push("to the GPU: vertices that the CPU's edges end at; to the CPU: vertices that they leave".to_owned());
    Ok(Figure {
        name: "placement",
        title: "Boundary edges and messages, by the CPU's share of the edges",
        across: "edges of the CPU",
        series: "placement",
        notes,
        finding: finding(&rows),
        table: Table::of(&rows, &columns()),
        charts: KINDS.map(|kind| chart(&rows, kind)).into(),
    })
}

/// The pages in groups that cut no list.
fn groups(graph: &Graph) -> Vec<Group> {
    let topology = graph.out_topology();
    let (rvt, pages) = (topology.rvt(), topology.num_pages());
    let most = (GROUP / topology.format().page_size()).max(1);
    let step = (pages / GROUPS).clamp(1, most);
    let (mut ends, mut begin) = (Vec::new(), 0);
    for page in 0..pages {
        // A large vertex has as many pages left as that, this one included.
        if page + 1 == pages || (page + 1 - begin >= step && rvt.lp_range(PageId(page)) < 2) {
            ends.push((begin, page));
            begin = page + 1;
        }
    }
    let degrees = graph.out_degrees();
    let group = |(first, last): (u32, u32)| {
        let vertices = rvt.vertices(PageId(first)).start as usize..rvt.vertices(PageId(last)).end as usize;
        let edges = degrees[vertices.clone()].iter().map(|&degree| u64::from(degree)).sum();
        Group { vertices, edges }
    };
    ends.into_par_iter().map(group).collect()
}

/// Whether the CPU is given each group, so that it has a share of the edges as near as groups allow.
fn chosen(groups: &[Group], placement: Placement, share: f64) -> Vec<bool> {
    let density = |index: usize| groups[index].edges as f64 / groups[index].vertices.len().max(1) as f64;
    let mut order: Vec<usize> = (0..groups.len()).collect();
    match placement {
        Placement::Random => order.sort_by_key(|index| scattered(*index as u64)),
        Placement::High => order.sort_by(|a, b| density(*b).total_cmp(&density(*a))),
        Placement::Low => order.sort_by(|a, b| density(*a).total_cmp(&density(*b))),
    }
    let all: u64 = groups.iter().map(|group| group.edges).sum();
    let (wanted, mut given) = (share * all as f64, 0.0);
    let mut chosen = vec![false; groups.len()];
    for index in order {
        let edges = groups[index].edges as f64;
        // The group in which the share ends goes where more of it belongs.
        if given + edges / 2.0 > wanted {
            break;
        }
        given += edges;
        chosen[index] = true;
    }
    chosen
}

/// The part of each vertex.
fn parts(graph: &Graph, groups: &[Group], on_cpu: &[bool]) -> Result<Vec<u8>, Failure> {
    let mut parts =
        memory::zeroed("parts of vertices", graph.num_vertices() as usize).map_err(gts_runtime::Error::from)?;
    let mut pieces = Vec::with_capacity(groups.len());
    let mut rest = parts.as_mut_slice();
    for (group, on_cpu) in groups.iter().zip(on_cpu) {
        let (piece, after) = std::mem::take(&mut rest).split_at_mut(group.vertices.len());
        pieces.push((piece, if *on_cpu { CPU } else { GPU }));
        rest = after;
    }
    pieces.into_par_iter().for_each(|(piece, part)| piece.fill(part));
    Ok(parts)
}

fn columns() -> [Column<Row>; 10] {
    [
        Column::left("graph", "graph", |row| Cell::text(row.kind)),
        Column::left("placement", "placement", |row| Cell::text(row.placement.name())),
        Column::right("edges of the CPU", "cpu_edges", |row| {
            let edges = row.cut.parts[usize::from(CPU)].edges;
            Cell::of(format!("{:.1} %", 100.0 * edges as f64 / row.cut.edges.max(1) as f64), edges)
        }),
        Column::right("its vertices", "cpu_vertices", |row| count(row.cut.parts[usize::from(CPU)].vertices)),
        Column::right("boundary edges", "boundary_edges", |row| count(row.cut.boundary_edges)),
        Column::right("beta", "beta", |row| Cell::of(format!("{:.1} %", 100.0 * row.cut.beta()), row.cut.beta())),
        Column::right("to the GPU", "to_gpu", |row| count(row.to_gpu())),
        Column::right("expected", "expected_to_gpu", |row| Cell::of(units::count(row.expected as u64), row.expected)),
        Column::right("to the CPU", "to_cpu", |row| count(row.to_cpu())),
        Column::right("edges a message", "edges_a_message", |row| {
            Cell::of(format!("{:.1}", row.edges_a_message()), row.edges_a_message())
        }),
    ]
}

fn count(number: u64) -> Cell {
    Cell::of(units::count(number), number)
}

fn chart(rows: &[Row], kind: &str) -> Chart {
    let line = |name: &str, colour: usize, predicted: bool, placement: Placement, value: fn(&Row) -> f64| {
        let of_line = rows.iter().filter(|row| row.kind == kind && row.placement == placement);
        let share = |row: &Row| value(row) / row.cut.edges.max(1) as f64;
        let points = of_line.enumerate().map(|(place, row)| (place, share(row))).collect();
        Line { name: format!("{name}, {}", placement.name()), colour, predicted, points }
    };
    let boundary = |row: &Row| row.cut.boundary_edges as f64;
    let lines = Placement::ALL.into_iter().enumerate().flat_map(|(index, placement)| {
        [
            line("boundary edges", index, false, placement, boundary),
            line("messages", 3 + index, false, placement, |row| row.messages() as f64),
        ]
    });
    let expected = line("to the GPU, expected", 6, true, Placement::Random, |row| row.expected);
    Chart {
        title: kind.to_owned(),
        upward: "share of the edges".to_owned(),
        drawing: Drawing::Lines,
        unit: Unit::Percent,
        places: SHARES.iter().map(|share| format!("{share} %")).collect(),
        lines: lines.chain([expected]).collect(),
        reference: None,
    }
}

fn finding(rows: &[Row]) -> Finding {
    let half = |kind: &str, placement: Placement| {
        rows.iter().find(|row| row.kind == kind && row.placement == placement && row.share == 50)
    };
    let of = |kind: &str| {
        let told = |placement: Placement| {
            half(kind, placement).map(|row| format!("{:.1} {}", row.edges_a_message(), placement.name()))
        };
        format!("{kind} has {}", Placement::ALL.into_iter().filter_map(told).collect::<Vec<_>>().join(", "))
    };
    Finding {
        paper: "random placement suffices for RMAT graphs, as aggregation leaves one message of many boundary edges, and \
                that placement by degree might fit the processors better",
        here: format!(
            "with half of the edges on the CPU there are as many boundary edges for each message, by placement: {}",
            KINDS.map(of).join("; ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_runtime::core::build::{BuildOptions, build};
    use gts_runtime::core::generate;

    #[test]
    fn groups_hold_whole_lists_and_all_of_them() {
        for spec in ["rmat:10", "star:5000", "chain:100"] {
            let options = BuildOptions { page_size: Some(256), ..BuildOptions::default() };
            let (graph, _) = build(&mut generate::parse(spec).unwrap(), &options).unwrap();
            let groups = groups(&graph);
            let mut next = 0;
            for group in &groups {
                assert_eq!(group.vertices.start, next, "{spec}");
                next = group.vertices.end;
            }
            assert_eq!(next as u64, graph.num_vertices());
            assert_eq!(groups.iter().map(|group| group.edges).sum::<u64>(), graph.num_edges());
        }
    }

    #[test]
    fn the_cpu_is_given_its_share_by_the_edges_of_a_vertex() {
        let group = |start: usize, vertices: usize, edges| Group { vertices: start..start + vertices, edges };
        let groups = [group(0, 1, 40), group(1, 10, 20), group(11, 5, 30), group(16, 100, 10)];
        let of = |placement, share| chosen(&groups, placement, share);
        assert_eq!(of(Placement::High, 0.4), [true, false, false, false]);
        assert_eq!(of(Placement::High, 0.7), [true, false, true, false]);
        assert_eq!(of(Placement::Low, 0.3), [false, true, false, true]);
        for placement in Placement::ALL {
            assert_eq!((of(placement, 0.0), of(placement, 1.0)), (vec![false; 4], vec![true; 4]));
        }
    }
}
