//! Tests that complete streams have the expected contents and are the same on every machine.

use super::*;
use crate::advice::{Reader, explain_within};

fn all(spec: &str) -> (Declared, Vec<(u64, u64, Option<u64>)>) {
    let mut generator = parse(spec).unwrap();
    let (mut edges, mut batch) = (Vec::new(), EdgeBatch::default());
    while generator.next(&mut batch).unwrap() {
        assert_eq!(batch.src.len(), batch.dst.len());
        edges.extend((0..batch.src.len()).map(|i| (batch.src[i], batch.dst[i], batch.value.get(i).copied())));
    }
    assert_eq!(generator.progress(), (edges.len() as u64, Some(edges.len() as u64)));
    (generator.declared(), edges)
}

fn pairs_of(spec: &str) -> Vec<(u64, u64)> {
    all(spec).1.into_iter().map(|(u, v, _)| (u, v)).collect()
}

#[test]
fn shapes_are_what_their_names_say() {
    assert_eq!(pairs_of("star:4"), [(0, 1), (0, 2), (0, 3)]);
    assert_eq!(pairs_of("chain:4"), [(0, 1), (1, 2), (2, 3)]);
    assert_eq!(pairs_of("complete:4"), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
    assert_eq!(pairs_of("grid:2x3"), [(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)]);
    for one in ["star:1", "chain:1", "complete:1", "grid:1x1"] {
        assert_eq!(pairs_of(one), []);
        assert_eq!(all(one).0.vertices, DeclaredVertices::Range { first: 0, count: 1 });
    }
    assert_eq!(pairs_of("grid:3x1"), [(0, 1), (1, 2)]);
    assert_eq!(pairs_of("torus:3"), [(0, 1), (1, 2), (2, 0)]);
    assert_eq!(
        pairs_of("torus:2x3"),
        [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5), (3, 0), (4, 1), (5, 2)]
    );
}

#[test]
fn every_vertex_of_a_torus_has_two_edges_a_side() {
    for (spec, vertices, degree) in
        [("torus:5", 5, 2), ("torus:3x4x5", 60, 6), ("torus:4^5", 1024, 10), ("torus:2^7", 128, 14)]
    {
        let mut degrees = vec![0; vertices];
        for (u, v) in pairs_of(spec) {
            assert_ne!(u, v, "{spec}");
            degrees[u as usize] += 1;
            degrees[v as usize] += 1;
        }
        assert!(degrees.iter().all(|&found| found == degree), "{spec}: {degrees:?}");
    }
    // The graphs of a paper on neighbour iteration.
    for (spec, vertices, edges) in
        [("torus:1000^2", 1_000_000, 4_000_000), ("torus:4^10", 1 << 20, 20 << 20), ("torus:2^20", 1 << 20, 40 << 20)]
    {
        let generator = parse(spec).unwrap();
        assert_eq!((generator.num_vertices(), 2 * generator.num_edges()), (vertices, edges), "{spec}");
    }
}

#[test]
fn edges_depend_on_their_number_alone() {
    for spec in
        ["rmat:11,edge-factor=20", "uniform:11,edge-factor=20", "complete:300", "grid:100x211", "torus:30x31x32"]
    {
        let generator = parse(spec).unwrap();
        let whole = pairs_of(spec);
        for (first, count) in [(0, 1), (1, 7), (16383, 3), (20_000, 1000), (whole.len() - 5, 5)] {
            let (mut src, mut dst) = (vec![0; count], vec![0; count]);
            generator.ends(first as u64, &mut src, &mut dst);
            let piece: Vec<_> = src.into_iter().zip(dst).collect();
            assert_eq!(piece, whole[first..first + count], "{spec} from {first}");
        }
    }
}

/// Pins the stream: if these values change, users can no longer reproduce their generated graphs.
#[test]
fn the_first_edges_of_a_seed_never_change() {
    assert_eq!(pairs_of("rmat:20,edge-factor=1")[..4], RMAT_20);
    assert_eq!(pairs_of("rmat:3,edge-factor=1,seed=9")[..4], RMAT_3);
    assert_eq!(pairs_of("uniform:20,edge-factor=1")[..4], UNIFORM_20);
    let weights =
        |ty: &str| all(&format!("chain:4,weights={ty}")).1.into_iter().map(|e| e.2.unwrap()).collect::<Vec<_>>();
    assert_eq!(weights("u32"), WEIGHTS_U32);
    assert_eq!(weights("i32"), WEIGHTS_U32);
    assert_eq!(weights("f32"), WEIGHTS_F32);
}
const RMAT_20: [(u64, u64); 4] = [(180248, 262176), (417792, 832524), (25364, 532800), (70028, 10504)];
const RMAT_3: [(u64, u64); 4] = [(0, 7), (0, 0), (0, 2), (0, 0)];
const UNIFORM_20: [(u64, u64); 4] = [(271356, 54712), (109320, 614686), (879849, 848366), (390765, 953720)];
const WEIGHTS_U32: [u64; 3] = [6, 183, 147];
const WEIGHTS_F32: [u64; 3] = [1019075968, 1060580683, 1058206038];

#[test]
fn rmat_has_the_quadrants_of_graph500() {
    for (spec, scale) in [("rmat:16", 16), ("rmat:13,edge-factor=64", 13)] {
        let edges = pairs_of(spec);
        for level in 0..scale {
            let mut counts = [0u64; 4];
            edges.iter().for_each(|(u, v)| counts[((u >> level & 1) << 1 | (v >> level & 1)) as usize] += 1);
            for (count, share) in counts.into_iter().zip([0.57, 0.19, 0.19, 0.05]) {
                let found = count as f64 / edges.len() as f64;
                // Allow five standard deviations of a share among this number of edges.
                assert!((found - share).abs() < 5.0 * (0.25 / edges.len() as f64).sqrt(), "{spec} {level} {found}");
            }
        }
    }
}

#[test]
fn uniform_edges_reach_all_vertices_alike() {
    let mut degree = vec![0u32; 1 << 10];
    pairs_of("uniform:10,edge-factor=256").iter().for_each(|&(u, v)| {
        degree[u as usize] += 1;
        degree[v as usize] += 1;
    });
    // The mean is 512, and the standard deviation is 23.
    assert!(degree.iter().all(|&d| (380..650).contains(&d)));
    assert!(pairs_of("uniform:31,edge-factor=0").is_empty());
}

#[test]
fn weights_are_the_edges_own() {
    let weight = |src, dst, ty| {
        let mut value = [0];
        weights::of_edges(7, ty, &[src], &[dst], &mut value);
        value[0]
    };
    for ty in [ScalarType::U32, ScalarType::I32, ScalarType::U64, ScalarType::F32, ScalarType::F64] {
        for (u, v) in (0..50).flat_map(|u| (0..50).map(move |v| (u, v))) {
            let bits = weight(u, v, ty);
            assert_eq!(bits, weight(v, u, ty));
            assert!(match ty {
                ScalarType::F32 => (f32::MIN_POSITIVE..=1.0).contains(&f32::from_bits(bits as u32)),
                ScalarType::F64 => (f64::MIN_POSITIVE..=1.0).contains(&f64::from_bits(bits)),
                _ => (1..=255).contains(&bits),
            });
        }
    }
    let (declared, _) = all("rmat:4,weights=f64");
    assert_eq!((declared.value_type, declared.direction), (Some(ScalarType::F64), Direction::Directed));
    let (declared, _) = all("star:4");
    assert_eq!((declared.value_type, declared.direction), (None, Direction::Undirected));
}

#[test]
fn full_text_names_the_same_graph() {
    for spec in [
        "rmat:5,weights=u32",
        "uniform:5,seed=3",
        "grid:3x4",
        "star:5",
        "chain:6,weights=f64",
        "complete:7",
        "torus:3x3x2",
    ] {
        let text = parse(spec).unwrap().to_string();
        assert_eq!(all(&text), all(spec), "{text}");
    }
    assert_eq!(parse("rmat:5").unwrap().to_string(), "rmat:5,edge-factor=16,seed=1");
}

#[test]
fn a_bad_text_is_refused_with_the_bad_part() {
    let cases = [
        ("", "no generator is called ``; give one of rmat:SCALE, uniform:SCALE"),
        ("kron:20", "no generator is called `kron`; give one of rmat:SCALE"),
        ("rmat", "`rmat` needs a size; write `rmat:SCALE`"),
        ("grid:", "`grid` needs a size; write `grid:ROWSxCOLUMNS`"),
        ("rmat:64", "`64` in `rmat:64`: expected a scale of 0 to 31"),
        ("rmat:-1", "`-1` in `rmat:-1`"),
        ("rmat:1.5", "`1.5` in `rmat:1.5`"),
        ("grid:10", "`10` in `grid:10`: expected two sizes"),
        ("grid:0x5", "`0` in `grid:0x5`"),
        ("rmat:32", "`rmat:32` would have too many vertices or edges: a graph has at most 4,294,967,295 vertices"),
        ("uniform:63", "give a smaller size"),
        ("chain:4294967296", "at most 4,294,967,295 vertices"),
        ("grid:65536x65536", "at most 4,294,967,295 vertices"),
        ("grid:18446744073709551615x18446744073709551615", "too many vertices or edges"),
        ("torus:65536^2", "at most 4,294,967,295 vertices"),
        ("torus:5x1", "`1` in `torus:5x1`: expected a number of vertices, at least 2"),
        ("torus:2^41", "`2^41` in `torus:2^41`"),
        ("torus:9^40", "too many vertices or edges"),
        ("star:0", "expected a number of vertices, at least 1"),
        ("complete:1099511627776", "too many vertices or edges"),
        ("rmat:20,edge-factor=4294967296", "too many vertices or edges"),
        ("rmat:20,seeds=1", "`rmat` has no option `seeds`; it takes edge-factor, seed, weights"),
        ("star:20,edge-factor=1", "`star` has no option `edge-factor`; it takes seed, weights"),
        ("rmat:20,seed", "`seed` in `rmat:20,seed`: expected one of edge-factor=…, seed=…, weights=…"),
        ("rmat:20,seed=1,seed=2", "option `seed` stands twice"),
        ("rmat:20,weights=u8", "`weights=u8` in `rmat:20,weights=u8`: expected one of u32, i32, f32, u64, f64"),
        ("rmat:20,seed=18446744073709551616", "expected a 64-bit number"),
    ];
    for (spec, expected) in cases {
        let message = explain_within(&parse(spec).unwrap_err(), Reader::Program);
        assert!(message.contains(expected), "{spec}: {message}");
    }
    for spec in ["rmat:31", "star:4294967295", "grid:65535x65537"] {
        assert!(parse(spec).is_ok(), "{spec}");
    }
    assert!(parse(&"x".repeat(10_000)).unwrap_err().to_string().len() < 1024);
}
