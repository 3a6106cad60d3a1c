//! Tests the bytes of pages, lists that fill pages exactly, and shares of pages.

use super::{ENTRIES_OFFSET, Layout, PageView};
use crate::graph::{Graph, PageId, Vertex};
use crate::page::{EdgeValue, EdgeVisitor, IdWidth, PageFormat, Topology};
use gts_contract::ScalarType;
use std::cell::RefCell;

/// A visitor that records the visited edges and the sources for which it was begun.
struct Record<V> {
    edges: Vec<(u64, u64, V)>,
    begun: Vec<u64>,
    ended: Vec<u64>,
    /// The announced targets; `None` if the visitor does not look ahead.
    expected: Option<RefCell<Vec<u64>>>,
    /// The reported positions of edges.
    places: Vec<u64>,
    /// The source that the visitor skips, if any.
    skip: Option<u64>,
}

impl<V> Record<V> {
    fn new() -> Self {
        Self { edges: Vec::new(), begun: Vec::new(), ended: Vec::new(), expected: None, places: Vec::new(), skip: None }
    }
}

impl<V: EdgeValue> EdgeVisitor<V> for Record<V> {
    type Source = u64;
    const MAY_LOOK_AHEAD: bool = true;

    fn begin(&mut self, src: Vertex) -> Option<u64> {
        self.begun.push(src.dense());
        (self.skip != Some(src.dense())).then_some(src.dense())
    }

    fn at(&mut self, position: u64) {
        self.places.push(position);
    }

    fn edge(&mut self, source: u64, src: Vertex, dst: Vertex, value: V) {
        assert_eq!(source, src.dense());
        self.edges.push((source, dst.dense(), value));
    }

    fn looks_ahead(&self) -> bool {
        self.expected.is_some()
    }

    fn expect(&self, dst: Vertex) {
        self.expected.iter().for_each(|expected| expected.borrow_mut().push(dst.dense()));
    }

    fn end(&mut self, src: Vertex) {
        self.ended.push(src.dense());
    }
}

fn width(page_bytes: u8, slot_bytes: u8) -> IdWidth {
    IdWidth::new(page_bytes, slot_bytes).unwrap()
}

/// Creates a star whose hub 0 has `degree` edges. Edges have values unless `V` is `()`.
fn star<V: EdgeValue>(degree: u64, page_size: u32, width: IdWidth) -> Graph {
    let edges = (1..=degree).map(|dst| (0, dst, V::from_bits(dst)));
    Graph::builder().weighted_edges(edges).page_size(page_size).width(width).build().unwrap()
}

#[test]
fn a_page_has_the_documented_bytes() {
    let edges = [(0, 1, 0x1111_1111u32), (0, 2, 0x2222_2222), (2, 0, 0x3333_3333)];
    let graph = Graph::builder().weighted_edges(edges).page_size(256).width(width(2, 1)).build().unwrap();
    let mut expected = vec![0u8; 256];
    expected[..8].copy_from_slice(&0u64.to_le_bytes());
    expected[8..12].copy_from_slice(&3u32.to_le_bytes());
    expected[12..16].copy_from_slice(&3u32.to_le_bytes());
    expected[16..25].copy_from_slice(&[0, 0, 1, 0, 0, 2, 0, 0, 0]);
    for (at, (_, _, value)) in [28, 32, 36].into_iter().zip(edges) {
        expected[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    for (slot, first) in [0u32, 2, 2, 3].into_iter().enumerate() {
        let at = 256 - 4 * (slot + 1);
        expected[at..at + 4].copy_from_slice(&first.to_le_bytes());
    }
    assert_eq!(graph.out_topology().source().resident().unwrap(), expected);
}

#[test]
fn capacity_is_the_most_that_fits() {
    for width in IdWidth::all() {
        for value in [None, Some(ScalarType::F32), Some(ScalarType::U64)] {
            for page_size in [256, 4096, 1 << 20] {
                let layout = Layout::new(&PageFormat::new(page_size, width, value).unwrap());
                let most = layout.capacity(1);
                assert!(layout.fits(1, most) && !layout.fits(1, most + 1));
                assert!(layout.values_offset(most as usize) >= ENTRIES_OFFSET);
            }
        }
    }
}

/// Checks lists that fill exactly k pages, and lists with one edge less or more. Compares the number of pages and every
/// edge.
fn check_boundaries<V: EdgeValue + PartialEq + std::fmt::Debug>(width: IdWidth, page_size: u32) {
    let format = PageFormat::new(page_size, width, V::SCALAR).unwrap();
    let capacity = Layout::new(&format).capacity(1);
    for full in [1, 2, 5] {
        for degree in [full * capacity - 1, full * capacity, full * capacity + 1] {
            let graph = star::<V>(degree, page_size, width);
            let topology = graph.out_topology();
            topology.check(None).unwrap();
            let pages: Vec<_> = topology.pages_of(Vertex::from_dense(0)).collect();
            assert_eq!(pages.len() as u64, degree.div_ceil(capacity));
            let ranges: Vec<_> = pages.iter().map(|&page| topology.rvt().lp_range(page)).collect();
            let run = pages.len() as u32;
            let expected = if degree <= capacity { vec![0] } else { (1..=run).rev().collect() };
            assert_eq!(ranges, expected);
            let edges = graph.weighted_edges::<V>().unwrap().map(Result::unwrap);
            assert!(
                edges.eq((1..=degree).map(|dst| (Vertex::from_dense(0), Vertex::from_dense(dst), V::from_bits(dst)))),
                "degree {degree}"
            );
        }
    }
}

#[test]
fn lists_that_fill_pages_exactly_come_back() {
    for width in [width(2, 2), width(3, 3), width(2, 4), width(4, 2), width(3, 1), width(4, 4)] {
        check_boundaries::<()>(width, 256);
        check_boundaries::<u32>(width, 256);
        check_boundaries::<f64>(width, 256);
        check_boundaries::<u64>(width, 1024);
    }
}

#[test]
fn shares_of_a_page_cover_each_edge_once() {
    // The graph has lists of 0 to 6 edges, and a hub that spans several pages.
    let lists = (0..200u64).flat_map(|src| (0..src % 7).map(move |i| (src, (src * 5 + i) % 200)));
    let edges: Vec<_> = lists.chain((0..800).map(|dst| (77, dst % 200))).collect();
    // Use the common width of record IDs and a different width.
    for ids in [width(2, 2), width(2, 1)] {
        let builder = Graph::builder().edges(edges.iter().copied()).page_size(1024).width(ids);
        check_shares(builder.build().unwrap().out_topology());
    }
}

/// Walks the pages of a topology in shares of every kind.
fn check_shares(topology: &Topology) {
    assert!(!topology.large_pages().is_empty());
    for page in (0..topology.num_pages()).map(PageId) {
        let view = topology.page(page).unwrap();
        let mut whole = Record::new();
        view.scan(0..view.num_entries(), (), &mut whole);
        assert_eq!(whole.edges.len(), view.num_entries() as usize);
        assert!(whole.begun.windows(2).all(|pair| pair[0] < pair[1]), "each source begins once");
        assert_eq!(whole.ended, whole.begun);
        for size in [1, 2, 3, 7, 64, 1000] {
            let mut shares = Record::new();
            for start in (0..view.num_entries()).step_by(size) {
                view.scan(start..start + size as u32, (), &mut shares);
            }
            assert_eq!(shares.edges, whole.edges);
            let mut quick = Record::new();
            for start in (0..view.num_entries()).step_by(size) {
                view.scan_quickly(start..start + size as u32, (), &mut quick);
            }
            assert_eq!((&quick.edges, &quick.begun), (&shares.edges, &shares.begun));
            let mut ahead = Record { expected: Some(RefCell::default()), ..Record::new() };
            for start in (0..view.num_entries()).step_by(size) {
                view.scan_within(start..start + size as u32, None, (), &mut ahead);
            }
            assert_eq!((&ahead.edges, &ahead.begun, &ahead.ended), (&shares.edges, &shares.begun, &shares.ended));
            let targets: Vec<_> = whole.edges.iter().map(|edge| edge.1).collect();
            assert_eq!(ahead.expected.map(RefCell::into_inner), Some(targets), "each edge is told of once, in order");
        }
        for size in [1, 2, 3, 7, 64, 1000] {
            let (mut wholes, mut last) = (Record::new(), 0);
            for start in (0..view.num_entries()).step_by(size) {
                let lists = view.whole_lists(start..start + size as u32);
                assert_eq!(lists.start, last);
                view.scan(lists.clone(), (), &mut wholes);
                last = lists.end;
            }
            assert_eq!(wholes.edges, whole.edges);
            assert_eq!(wholes.begun, whole.begun, "no list lies in two shares");
        }
        let mut lists = Record::new();
        view.vertices().for_each(|vertex| view.visit(Vertex::from_dense(vertex), (), &mut lists));
        assert_eq!(lists.edges, whole.edges);
        assert_eq!(lists.begun, whole.begun);
        check_visits(&view);
    }
}

/// Visits some vertices of a page one after the other, at some positions of their lists.
fn check_visits(view: &PageView<'_>) {
    for places in [0..u64::MAX, 0..1, 1..3, 2..u64::MAX, 60..70, 9..9] {
        for (each, skip) in [(1, None), (3, Some(5)), (7, Some(77))] {
            let vertices = || (0..300).filter(|v| v % each == 0).map(Vertex::from_dense);
            let mut expected = Record { skip, ..Record::new() };
            for vertex in vertices() {
                let only = |edge: &(u64, u64, ())| edge.0 == vertex.dense();
                let mut within = Record { skip, ..Record::new() };
                view.scan_within(0..view.num_entries(), Some(&places), (), &mut within);
                let of = within.begun.iter().position(|&begun| begun == vertex.dense());
                expected.begun.extend(of.map(|of| within.begun[of]));
                expected.places.extend(of.map(|of| within.places[of]));
                expected.edges.extend(within.edges.into_iter().filter(only));
                expected.ended.extend(of.filter(|_| skip != Some(vertex.dense())).map(|_| vertex.dense()));
            }
            let told = RefCell::default();
            let mut found = Record { skip, expected: Some(told), ..Record::new() };
            view.visit_each(vertices(), &places, (), &mut found);
            assert_eq!(found.edges, expected.edges);
            assert_eq!((&found.begun, &found.ended), (&expected.begun, &expected.ended));
            assert_eq!(found.places, expected.places);
            if skip.is_none() {
                let targets: Vec<_> = expected.edges.iter().map(|edge| edge.1).collect();
                assert_eq!(
                    found.expected.map(RefCell::into_inner),
                    Some(targets),
                    "each edge is told of once, in order"
                );
            }
        }
    }
}

#[test]
fn shares_and_vertices_beyond_the_page_are_empty() {
    let graph = star::<()>(3, 256, width(1, 1));
    let view = graph.out_topology().page(PageId(0)).unwrap();
    let mut none = Record::new();
    view.scan(3..9, (), &mut none);
    view.scan(u32::MAX - 1..u32::MAX, (), &mut none);
    #[expect(clippy::reversed_empty_ranges, reason = "a caller may err")]
    view.scan(2..1, (), &mut none);
    view.visit(Vertex::from_dense(4), (), &mut none);
    view.visit(Vertex::from_dense(u64::MAX), (), &mut none);
    assert!(none.edges.is_empty() && none.begun.is_empty());
}

#[test]
fn a_source_that_does_not_begin_is_passed_over() {
    let graph = Graph::builder().edges([(0, 1), (0, 2), (1, 0), (2, 1)]).page_size(256).build().unwrap();
    for expected in [None, Some(RefCell::default())] {
        let mut record = Record { skip: Some(0), expected, ..Record::new() };
        graph.out_topology().page(PageId(0)).unwrap().scan(0..4, (), &mut record);
        assert_eq!(record.edges, [(1, 0, ()), (2, 1, ())]);
        assert_eq!(record.ended, [1, 2]);
    }
}

#[test]
fn the_default_stands_in_for_values_of_another_type() {
    let graph = star::<u32>(2, 256, width(1, 1));
    let view: PageView<'_> = graph.out_topology().page(PageId(0)).unwrap();
    let mut record = Record::new();
    view.scan(0..2, 9.5f32, &mut record);
    assert_eq!(record.edges, [(0, 1, 9.5), (0, 2, 9.5)]);
}
