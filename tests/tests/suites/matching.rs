//! Compares matches of patterns with brute force, a serial backtracker, closed forms, and results of networkx (see
//! `tests/references/matches.py`). The device is the CPU, or the one in `GTS_TEST_DEVICE`.

use gts_core::advice::{Explain, Reader};
use gts_core::build::DeclaredVertices;
use gts_core::graph::{Graph, VertexOrder};
use gts_core::pattern::{Pattern, PatternPlan, host_bytes};
use gts_graph::EngineBuilder;
use gts_graph::algorithms::matching::{Listing, Matches, list, matches};
use gts_graph::kernel::{Matching, WholeLists};
use gts_graph::prelude::*;
use gts_tests::data::{Data, DataError, PlainGraph};
use gts_tests::oracle::matching::{Labelled, shapes};
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroUsize;
use std::time::Duration;

fn builder() -> EngineBuilder {
    let device = std::env::var("GTS_TEST_DEVICE").map_or(DeviceChoice::Cpu, |name| name.parse().expect("a device"));
    Engine::builder().device(device)
}

/// Returns a graph of `vertices` and these edges, each in both directions.
fn graph(vertices: u64, edges: impl IntoIterator<Item = (u64, u64)>, page_size: u32) -> Graph {
    let builder =
        Graph::builder().edges(edges).vertices(DeclaredVertices::Range { first: 0, count: vertices }).symmetrise(true);
    builder.page_size(page_size).build().expect("sound edges")
}

fn pattern(edges: &[(usize, usize)]) -> Pattern {
    match edges {
        [] => Pattern::parse("v 0 any").expect("a vertex"),
        edges => Pattern::from_edges(edges.iter().map(|&(u, v)| (u as u64, v as u64))).expect("a connected pattern"),
    }
}

/// Returns a plan that is independent of the graph.
fn blind(pattern: &Pattern, induced: bool) -> PatternPlan {
    PatternPlan::new(pattern, induced, 18, |_, power| 6.0 * 3f64.powi(power as i32))
}

#[test]
fn all_patterns_of_five_vertices_are_found_in_all_graphs_of_six() -> Result<()> {
    // Some ten thousand very short searches: threads would only wait for each other.
    let engine = builder().threads(NonZeroUsize::MIN).build()?;
    let patterns: Vec<_> = (2..=5).flat_map(shapes).filter(|shape| shape.is_connected()).collect();
    assert_eq!(patterns.len(), 1 + 2 + 6 + 21);
    let plans: Vec<_> = patterns
        .iter()
        .map(|shape| {
            let pattern = pattern(&shape.edges);
            let (plain, symmetries) = (shape.labelled(), shape.labelled().symmetries());
            [false, true].map(|induced| (induced, blind(&pattern, induced), plain.clone(), symmetries))
        })
        .collect();
    let graphs: Vec<_> = (1..=6).flat_map(shapes).collect();
    assert_eq!(graphs.len(), 1 + 2 + 4 + 11 + 34 + 156);
    for shape in graphs {
        let edges = shape.edges.iter().map(|&(u, v)| (u as u64, v as u64));
        let stored = graph(shape.vertices as u64, edges, 256);
        let (plain, mut run) = (shape.labelled(), engine.start::<Matches>(&stored)?);
        for (induced, plan, searched, symmetries) in plans.iter().flatten() {
            let expected = plain.matches(searched, *symmetries, *induced);
            let found = u128::from(run.matches(plan, &[])?);
            assert_eq!(found, expected, "{plan:?} in {shape:?}, induced: {induced}");
        }
    }
    Ok(())
}

/// Returns the rows of a listing, which must ascend.
fn rows(listing: &Listing) -> BTreeSet<Vec<usize>> {
    let row = |row: usize| listing.columns.iter().map(|column| column[row] as usize).collect::<Vec<_>>();
    let rows: Vec<_> = (0..listing.len()).map(row).collect();
    assert!(rows.is_sorted());
    rows.into_iter().collect()
}

#[test]
fn all_patterns_of_four_vertices_are_listed_in_all_graphs_of_six() -> Result<()> {
    let engine = builder().threads(NonZeroUsize::MIN).build()?;
    let patterns: Vec<_> = (2..=4).flat_map(shapes).filter(|shape| shape.is_connected()).collect();
    for shape in (1..=6).flat_map(shapes) {
        let edges = shape.edges.iter().map(|&(u, v)| (u as u64, v as u64));
        let stored = graph(shape.vertices as u64, edges, 256);
        let (plain, mut run) = (shape.labelled(), engine.start::<Matches>(&stored)?);
        for (searched, induced) in patterns.iter().flat_map(|pattern| [(pattern, false), (pattern, true)]) {
            let pattern = pattern(&searched.edges);
            let found = list(&mut run, &pattern, induced, None, u64::MAX)?;
            let expected = plain.rows(&searched.labelled(), induced);
            assert_eq!(found.pattern, (0..searched.vertices as u64).collect::<Vec<_>>());
            assert_eq!(rows(&found), expected, "{searched:?} in {shape:?}, induced: {induced}");
            assert_eq!(matches(&mut run, &pattern, induced, None)?, found.len() as u64);
        }
    }
    Ok(())
}

#[test]
fn a_listing_names_original_ids_and_is_cut_nowhere() -> Result<()> {
    let engine = builder().build()?;
    let edges = [(70, 30), (30, 50), (50, 70), (50, 9)];
    let stored = Graph::builder().edges(edges).symmetrise(true).build().expect("sound edges");
    let names = HashMap::from([(30, "a".to_owned()), (9, "b".to_owned())]);
    // The columns ascend by the numbers of the pattern's text: 1, 4 and 8.
    let path = Pattern::parse("8 4\n4 1\nv 8 a\nv 1 b").unwrap();
    let found = list(&mut engine.start(&stored)?, &path, false, Some(&names), 10)?;
    assert_eq!((found.pattern, found.columns), (vec![1, 4, 8], vec![vec![9], vec![50], vec![30]]));
    let vertex = Pattern::parse("v 7 a").unwrap();
    let found = list(&mut engine.start(&stored)?, &vertex, false, Some(&names), 10)?;
    assert_eq!(found.columns, [[30]]);
    let edge = Pattern::from_edges([(0, 1)]).unwrap();
    let found = list(&mut engine.start(&stored)?, &edge, false, None, 4)?;
    assert_eq!(found.columns, [[9, 30, 30, 50], [50, 50, 70, 70]]);
    let error = list(&mut engine.start(&stored)?, &edge, false, None, 3).unwrap_err();
    assert!(error.to_string().contains("there are 4 matches, and at most 3 are listed"), "{error}");
    let advice = error.advice().expect("advice");
    assert!(advice.of(Reader::CommandLine).contains("--count") && advice.of(Reader::CommandLine).contains("--limit 4"));
    let none = list(&mut engine.start(&stored)?, &pattern(&[(0, 1), (0, 2), (0, 3), (0, 4)]), false, None, 3)?;
    assert!(none.is_empty() && none.columns.len() == 5);
    Ok(())
}

type Edges = Vec<(u64, u64)>;

/// Returns random graphs with hubs, random connected patterns in random places, and labels for both.
fn samples() -> impl Strategy<Value = (Edges, Edges, u64)> {
    let edges = prop::collection::vec((0..14u64, 0..14u64).prop_map(|(u, v)| (u.min(v / 2), v)), 20..70);
    let joined = prop::collection::vec(0..100u64, 1..7);
    let more = prop::collection::vec((0..7u64, 0..7u64), 0..6);
    (edges, joined, more, 0..4u64).prop_map(|(edges, joined, more, labels)| {
        let tree: Vec<_> = (1..).zip(&joined).map(|(v, parent)| (parent % v, v)).collect();
        let vertices = tree.len() as u64 + 1;
        let more = more.into_iter().filter(|(u, v)| u < v && *v < vertices);
        (edges, tree.iter().copied().chain(more).collect(), labels)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_backtracker_finds_as_many((edges, searched, labels) in samples(), induced: bool) {
        let name = |v: u64| ["a", "b", "c"][(v % labels.max(1)) as usize].to_owned();
        // Some vertices have no label.
        let of_graph: HashMap<u64, String> = (0..14).filter(|v| v % 7 != 6).map(|v| (v, name(v))).collect();
        let of_pattern: HashMap<u64, String> =
            if labels == 0 { HashMap::new() } else { (0..7).step_by(2).map(|v| (v, name(v))).collect() };
        let mut text: String = searched.iter().map(|(u, v)| format!("{u} {v}\n")).collect();
        let vertices = searched.iter().map(|&(u, v)| u.max(v)).max().unwrap_or(0) + 1;
        for v in (0..vertices).filter(|v| of_pattern.contains_key(v)) {
            text += &format!("v {v} {}\n", of_pattern[&v]);
        }
        let pattern = Pattern::parse(&text).unwrap();
        let stored = graph(14, edges.iter().copied(), 256);
        let plain = Labelled::new(14, &edges, |v| of_graph.get(&v).cloned());
        let small = Labelled::new(vertices, &searched, |v| of_pattern.get(&v).cloned());
        let expected = plain.matches(&small, small.symmetries(), induced);
        let mut run = builder().build()?.start(&stored)?;
        let found = matches(&mut run, &pattern, induced, Some(&of_graph))?;
        prop_assert_eq!(u128::from(found), expected, "{}", text);
        let symmetries = small.symmetries();
        if expected * symmetries * symmetries < 1 << 20 {
            let listing = list(&mut run, &pattern, induced, Some(&of_graph), found)?;
            prop_assert_eq!(rows(&listing), plain.rows(&small, induced), "{}", text);
            let by_degree = Graph::builder().edges(edges.iter().copied()).symmetrise(true).order(VertexOrder::Degree);
            let all = DeclaredVertices::Range { first: 0, count: 14 };
            let other = by_degree.vertices(all).page_size(256).build().expect("sound edges");
            let again = list(&mut builder().build()?.start(&other)?, &pattern, induced, Some(&of_graph), found)?;
            prop_assert_eq!(listing, again, "{}", text);
        }
    }
}

/// Returns the binomial coefficient.
fn choose(all: u64, some: u64) -> u64 {
    (0..some).fold(1, |ways, index| ways * (all - index) / (index + 1))
}

#[test]
fn complete_graphs_and_stars_have_closed_forms() -> Result<()> {
    let clique = |n: u64| (0..n).flat_map(|u| (0..u).map(move |v| (u, v))).collect::<Vec<_>>();
    let path = |n: u64| (1..n).map(|v| (v - 1, v)).collect::<Vec<_>>();
    let square = vec![(0, 1), (1, 2), (2, 3), (3, 0)];
    let diagonal = [square.clone(), vec![(0, 2)]].concat();
    let n = 40;
    let cases = [
        (clique(2), choose(n, 2), choose(n, 2)),
        (clique(3), choose(n, 3), choose(n, 3)),
        (clique(4), choose(n, 4), choose(n, 4)),
        (clique(5), choose(n, 5), choose(n, 5)),
        (diagonal, 6 * choose(n, 4), 0),
        (square, 3 * choose(n, 4), 0),
        (path(3), 3 * choose(n, 3), 0),
        (path(5), 60 * choose(n, 5), 0),
    ];
    let engine = builder().build()?;
    let complete = graph(n, clique(n), 256);
    for (edges, all, induced) in cases {
        let pattern = Pattern::from_edges(edges.iter().copied()).unwrap();
        for (exactly, expected) in [(false, all), (true, induced)] {
            let found = matches(&mut engine.start(&complete)?, &pattern, exactly, None)?;
            assert_eq!(found, expected, "{edges:?}, induced: {exactly}");
        }
    }
    // A hub over many pages.
    let star = graph(3001, (1..=3000).map(|leaf| (0, leaf)), 256);
    for (leaves, induced) in [(1, true), (2, true), (2, false), (3, false)] {
        let pattern = Pattern::from_edges((1..=leaves).map(|leaf| (0, leaf))).unwrap();
        let found = matches(&mut engine.start(&star)?, &pattern, induced, None)?;
        assert_eq!(found, choose(3000, leaves), "{leaves} leaves, induced: {induced}");
    }
    Ok(())
}

#[test]
fn patterns_of_many_vertices_are_found() -> Result<()> {
    let engine = builder().build()?;
    let ring = graph(60, (0..60).map(|v| (v, (v + 1) % 60)), 256);
    for length in [9, 17, 32] {
        let path = Pattern::from_edges((1..length).map(|v| (v - 1, v))).unwrap();
        assert_eq!(matches(&mut engine.start(&ring)?, &path, true, None)?, 60, "a path of {length}");
    }
    let small = graph(32, (0..32).map(|v| (v, (v + 1) % 32)), 256);
    let cycle = Pattern::from_edges((0..32).map(|v| (v, (v + 1) % 32))).unwrap();
    assert_eq!(matches(&mut engine.start(&small)?, &cycle, true, None)?, 1);
    let clique = |n: u64| (0..n).flat_map(move |u| (0..u).map(move |v| (u, v)));
    let pattern = Pattern::from_edges(clique(12)).unwrap();
    assert_eq!(matches(&mut engine.start(&graph(15, clique(15), 256))?, &pattern, false, None)?, choose(15, 12));
    Ok(())
}

const SHAPES: [(&str, &str); 6] = [
    ("triangle", "0 1\n1 2\n2 0"),
    ("clique", "0 1\n0 2\n0 3\n1 2\n1 3\n2 3"),
    ("diagonal", "0 1\n1 2\n2 3\n3 0\n0 2"),
    ("square", "0 1\n1 2\n2 3\n3 0"),
    ("path", "0 1\n1 2\n2 3\n3 4"),
    ("labelled", "0 1\n1 2\n2 0\n2 3\n3 4\n4 5\nv 0 a\nv 2 b\nv 3 a\nv 5 c"),
];

#[test]
fn networkx_finds_as_many() -> Result<()> {
    let engine = builder().build()?;
    let graphs = [
        ("karate", include_str!("../../references/trussness-karate.wel")),
        ("caves", include_str!("../../references/trussness-caves.wel")),
    ];
    let lines = include_str!("../../references/matches.txt").lines().filter(|line| !line.starts_with('#'));
    let mut checked = 0;
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let text = graphs.iter().find(|graph| graph.0 == words[0]).expect("a graph").1;
        let numbers = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
            let ends: Vec<u64> = line.split(' ').map(|word| word.parse().expect("a number")).collect();
            (ends[0], ends[1])
        });
        let builder = Graph::builder().edges(numbers).symmetrise(true).order(VertexOrder::Degree).page_size(256);
        let stored = builder.build().expect("sound edges");
        let shape = SHAPES.iter().find(|shape| shape.0 == words[1]).expect("a shape").1;
        let names: HashMap<u64, String> =
            stored.ids().ascending().map(|v| (v, ["a", "b", "c"][(v % 3) as usize].to_owned())).collect();
        let mut run = engine.start(&stored)?;
        let found = matches(&mut run, &Pattern::parse(shape).unwrap(), words[2] == "induced", Some(&names))?;
        assert_eq!(found.to_string(), words[3], "{line}");
        checked += 1;
    }
    assert_eq!(checked, 24);
    Ok(())
}

/// Labels of the graphs of [`six_labels`].
const LABELS: u64 = 8;

/// Returns the number of triangles of vertices with the labels 0, 1 and 2 that have a tail of 3, 4 and 5 at the last
/// vertex. The label of a vertex is its ID modulo [`LABELS`]. All labels differ, so triangles and tails can be counted
/// separately.
fn six_labels(plain: &PlainGraph) -> u64 {
    let mut around = vec![vec![BTreeSet::new(); LABELS as usize]; plain.len()];
    for arc in plain.arcs.iter().filter(|arc| arc.src != arc.dst) {
        around[arc.src as usize][(plain.ids[arc.dst as usize] % LABELS) as usize].insert(arc.dst);
    }
    let of = |v: u32, label: usize| &around[v as usize][label];
    let corners = (0..plain.len() as u32).filter(|&v| plain.ids[v as usize] % LABELS == 2);
    let at_corner = |v: u32| {
        let triangles: usize = of(v, 0).iter().map(|&u| of(u, 1).intersection(of(v, 1)).count()).sum();
        let tails: usize = of(v, 3).iter().flat_map(|&w| of(w, 4)).map(|&x| of(x, 5).len()).sum();
        (triangles * tails) as u64
    };
    corners.map(at_corner).sum()
}

#[test]
fn a_labelled_pattern_of_six_vertices_is_found_in_real_graphs() -> std::result::Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    let text: String = (0..6).map(|v| format!("v {v} {v}\n")).collect();
    let pattern = Pattern::parse(&format!("0 1\n1 2\n2 0\n2 3\n3 4\n4 5\n{text}"))?;
    let engine = builder().build()?;
    let (wanted, mut found) = (["as20graph", "facebook_combined", "astro-ph", "Email-Enron"], 0);
    for entry in data.entries()?.iter().filter(|entry| wanted.contains(&entry.name.as_str())) {
        let plain = data.graph(entry)?.symmetrised();
        let edges = plain.named_arcs().map(|(src, dst, _)| (src, dst));
        let stored = Graph::builder().edges(edges).symmetrise(true).order(VertexOrder::Degree).build()?;
        let names = plain.ids.iter().map(|&id| (id, (id % LABELS).to_string())).collect();
        let matches = matches(&mut engine.start(&stored)?, &pattern, false, Some(&names))?;
        assert_eq!(matches, six_labels(&plain), "{}", entry.name);
        assert!(matches > 1000, "{}", entry.name);
        found += 1;
    }
    assert_eq!(found, wanted.len());
    Ok(())
}

#[test]
fn what_a_graph_lacks_is_refused_with_the_next_step() -> Result<()> {
    let engine = builder().build()?;
    let stored = graph(4, [(0, 1), (1, 2), (2, 0), (2, 3)], 256);
    let labelled = Pattern::parse("0 1\nv 0 red").unwrap();
    let refused = |result: Result<u64>| {
        let error = result.unwrap_err();
        (error.to_string(), error.advice().expect("advice").of(Reader::CommandLine).to_owned())
    };
    let names = HashMap::from([(0, "blue".to_owned()), (1, "green".to_owned())]);
    let (text, next) = refused(matches(&mut engine.start(&stored)?, &labelled, false, Some(&names)));
    assert!(text.contains("no vertex of the graph has its label `red`"), "{text}");
    assert!(next.contains("`blue`, `green`"), "{next}");
    let (text, next) = refused(matches(&mut engine.start(&stored)?, &labelled, false, None));
    assert!(text.contains("`red`") && next.contains("--labels"), "{text} {next}");
    let directed = Graph::from_edges([(0, 1), (1, 2)]).expect("sound edges");
    let triangle = Pattern::from_edges([(0, 1), (1, 2), (2, 0)]).unwrap();
    let (text, next) = refused(matches(&mut engine.start(&directed)?, &triangle, false, None));
    assert!(text.contains("symmetric") && next.contains("--symmetrise"), "{text} {next}");
    let plan = blind(&labelled, false);
    assert!(engine.start::<Matches>(&stored)?.matches(&plan, &[1]).is_err());
    Ok(())
}

#[test]
fn lists_take_the_memory_that_is_planned() {
    let edges = (0..500u64).flat_map(|v| [(v, (v + 1) % 500), (v, (v * 7 + 3) % 500), (0, v), (v, v)]);
    let stored = graph(500, edges, 256);
    let around = |v: u64| {
        let list = stored.neighbors(Vertex::from_dense(v)).map(|other| other.expect("pages in memory").dense());
        list.filter(|&other| other != v).collect::<BTreeSet<_>>().len() as u64
    };
    let neighbours: u64 = (0..500).map(around).sum();
    for (text, labels, kept) in [
        ("0 1\n1 2\n2 3\n3 0", vec![], neighbours),
        ("0 1\n1 2\nv 0 a", vec![1; 500], neighbours),
        // A clique only requires smaller neighbours.
        ("0 1\n1 2\n2 0", vec![], neighbours / 2),
    ] {
        let plan = blind(&Pattern::parse(text).expect("a pattern"), false);
        let matching = Matching { plan: &plan, labels: &labels, most_listed: None };
        let lists = WholeLists::new(stored.out_topology(), stored.out_degrees(), &matching, || false);
        let lists = lists.expect("memory").expect("fewer than 2^32 vertices");
        let arrays = 8 * lists.starts().len() + 4 * (lists.neighbors().len() + lists.before().len());
        // Places of vertices, and vertices of places.
        let all = arrays + 8 * 500;
        assert_eq!(all as u64, host_bytes(500, kept, 0), "{text}");
    }
}

#[test]
fn a_single_vertex_is_counted_by_its_label() -> Result<()> {
    let engine = builder().build()?;
    let stored = graph(5, [(0, 1)], 256);
    let names = HashMap::from([(0, "a".to_owned()), (4, "a".to_owned()), (1, "b".to_owned())]);
    let vertex = Pattern::parse("v 7 a").unwrap();
    assert_eq!(matches(&mut engine.start(&stored)?, &vertex, false, Some(&names))?, 2);
    let edge = Pattern::parse("7 8\nv 7 a\nv 8 b").unwrap();
    assert_eq!(matches(&mut engine.start(&stored)?, &edge, false, Some(&names))?, 1);
    let none = Graph::builder().edges([]).symmetrise(true).build().expect("no edges");
    assert_eq!(matches(&mut engine.start(&none)?, &Pattern::from_edges([(0, 1)]).unwrap(), false, None)?, 0);
    Ok(())
}

#[test]
fn a_long_search_ends_at_its_limit() -> Result<()> {
    let clique = (0..200u64).flat_map(|u| (0..u).map(move |v| (u, v)));
    let stored = graph(200, clique, 4096);
    let cycle = Pattern::from_edges((0..20).map(|v| (v, (v + 1) % 20))).unwrap();
    let engine = builder().time_limit(Duration::from_millis(50)).build()?;
    let error = matches(&mut engine.start(&stored)?, &cycle, false, None).unwrap_err();
    assert!(matches!(error, Error::TimeLimit { .. }), "{error}");
    Ok(())
}
