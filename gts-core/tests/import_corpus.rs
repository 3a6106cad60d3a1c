//! Awkward files, each with its verdict: the arcs that it holds, or the place of its fault.

use flate2::Compression;
use flate2::write::GzEncoder;
use gts_core::build::{Declared, DeclaredVertices, Direction, EdgeBatch};
use gts_core::contract::ScalarType;
use gts_core::import::{Format, ImportError, ImportOptions, Weights, open};
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Arcs with the bits of their weights, and what the stream declares at its end.
type Held = (Vec<(u64, u64, Option<u64>)>, Declared);

fn write(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn read(path: &Path, options: ImportOptions) -> Result<Held, ImportError> {
    let mut stream = open(path, &options)?;
    let (mut arcs, mut batch) = (Vec::new(), EdgeBatch::default());
    while stream.next(&mut batch)? {
        arcs.extend((0..batch.src.len()).map(|i| (batch.src[i], batch.dst[i], batch.value.get(i).copied())));
    }
    assert!(!stream.next(&mut batch)?, "the end stays the end");
    assert!(batch.src.is_empty() && batch.dst.is_empty() && batch.value.is_empty());
    let (done, total) = stream.progress();
    assert_eq!(Some(done), total, "all of the file was read");
    Ok((arcs, stream.declared()))
}

fn import(name: &str, bytes: &[u8], options: ImportOptions) -> Result<Held, ImportError> {
    let folder = TempDir::new().unwrap();
    read(&write(&folder, name, bytes), options)
}

fn pairs(held: &Held) -> Vec<(u64, u64)> {
    held.0.iter().map(|&(src, dst, _)| (src, dst)).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// Why it is awkward, the file's name, its text, its arcs.
const GOOD: &[(&str, &str, &[u8], &[(u64, u64)])] = &[
    ("plain", "a.txt", b"1 2\n2 3\n", &[(1, 2), (2, 3)]),
    ("no last newline", "a.txt", b"1 2\n2 3", &[(1, 2), (2, 3)]),
    ("Windows line ends", "a.txt", b"# c\r\n1 2\r\n2 3\r\n", &[(1, 2), (2, 3)]),
    ("a last carriage return", "a.txt", b"1 2\r\n2 3\r", &[(1, 2), (2, 3)]),
    ("byte order mark", "a.txt", b"\xef\xbb\xbf1 2\n", &[(1, 2)]),
    ("byte order mark before a comment", "a.txt", b"\xef\xbb\xbf# c\n1 2\n", &[(1, 2)]),
    ("tabs and blanks mixed", "a.txt", b"\t1 \t 2 \t\n  2\t3\n", &[(1, 2), (2, 3)]),
    ("blank lines", "a.txt", b"\n\n1 2\n \t\n\r\n2 3\n\n\n", &[(1, 2), (2, 3)]),
    ("comments anywhere", "a.txt", b"# a\n1 2\n% b\n  # c\n2 3 # d\n#", &[(1, 2), (2, 3)]),
    ("comment of other bytes", "a.txt", b"# caf\xe9 \xff\n1 2\n", &[(1, 2)]),
    ("comment counts bind nobody", "a.txt", b"# Nodes: 9 Edges: 9\n1 2\n", &[(1, 2)]),
    ("no edge", "a.txt", b"# nothing\n", &[]),
    ("nothing at all", "a.txt", b"", &[]),
    ("only blank lines", "a.txt", b"\n\n", &[]),
    ("largest ID", "a.txt", b"0 18446744073709551615\n", &[(0, u64::MAX)]),
    ("leading zeros", "a.txt", b"007 0000000000000000000000001\n", &[(7, 1)]),
    ("loops and duplicates", "a.txt", b"1 1\n1 2\n1 2\n2 1\n", &[(1, 1), (1, 2), (1, 2), (2, 1)]),
    ("an ending that nobody knows", "a.xyz", b"1 2\n", &[(1, 2)]),
    ("no ending", "out.moreno", b"% asym unweighted\n1 2\n", &[(1, 2)]),
    ("KONECT, both sides numbered apart", "out.b", b"% bip unweighted\n% 2 3 2\n1 1\n3 2\n", &[(1, 4), (3, 5)]),
    ("times after the weight", "a.txt", b"1 2 3 1082040961\n2 3 1 x\n", &[(1, 2), (2, 3)]),
    ("commas in a text file", "a.txt", b"1,2\n2,3\n", &[(1, 2), (2, 3)]),
    ("CSV with a header", "a.csv", b"source,target\n1,2\n", &[(1, 2)]),
    ("CSV with a header and nothing else", "a.csv", b"source,target", &[]),
    ("CSV, columns by name", "a.csv", b"id,To,label,From\n0,2,\"x,y\",1\n1,3,z,2\n", &[(1, 2), (2, 3)]),
    ("CSV, semicolons", "a.csv", b"1;2\n2;3\n", &[(1, 2), (2, 3)]),
    ("CSV, quoted IDs", "a.csv", b"\"a\",\"b\"\r\n\"1\",\"2\"\r\n\"2\" , \"3\"\r\n", &[(1, 2), (2, 3)]),
    ("CSV, doubled quotes", "a.csv", b"from,to,name\n1,2,\"a \"\"b\"\", c\"\n2,3,\"\"\n", &[(1, 2), (2, 3)]),
    ("CSV, tabs", "a.tsv", b"source\ttarget\n1\t2\n", &[(1, 2)]),
    ("CSV, blanks around fields", "a.csv", b" 1 , 2 \n 2, 3\n", &[(1, 2), (2, 3)]),
    ("CSV, a delimiter at the end", "a.csv", b"1,2,\n2,3\n", &[(1, 2), (2, 3)]),
    ("CSV, comments and blank lines", "a.csv", b"# c\n\nsource,target\n\n1,2\n# d\n2,3\n", &[(1, 2), (2, 3)]),
    ("matrix", "a.mtx", b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", &[(1, 2)]),
    ("matrix by its banner", "a.txt", b"%%matrixmarket MATRIX Coordinate Pattern General\n2 2 1\n1 2\n", &[(1, 2)]),
    (
        "matrix, comments and blanks anywhere",
        "a.mtx",
        b"%%MatrixMarket matrix coordinate pattern symmetric\n%\n\n 2 2 2 \n% c\n1 1\n\n2 1\r\n",
        &[(1, 1), (2, 1)],
    ),
    (
        "matrix, rectangular",
        "a.mtx",
        b"%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 1\n2 3",
        &[(1, 3), (2, 5)],
    ),
    ("matrix without entries", "a.mtx", b"%%MatrixMarket matrix coordinate real general\n4 4 0\n", &[]),
    ("DIMACS", "a.gr", b"c comment\np sp 3 2\na 1 2 7\nc\nc another\n\na 2 3 8\n", &[(1, 2), (2, 3)]),
    ("DIMACS by its content", "a.txt", b"c comment\np sp 3 1\r\na 1 2 7\r\n", &[(1, 2)]),
    ("METIS, blank lines are vertices", "a.graph", b"4 1\n\n3\n2\n\n", &[(2, 3), (3, 2)]),
    ("METIS, the last vertex blank without newline", "a.graph", b"3 1\n2\n1\n", &[(1, 2), (2, 1)]),
    ("METIS, blank lines after the last vertex", "a.graph", b"2 1\n2\n1\n\n \n", &[(1, 2), (2, 1)]),
    ("METIS, comments number no vertex", "a.graph", b"% c\n2 1\n% c\n2\n%\n1\n% c\n", &[(1, 2), (2, 1)]),
    ("METIS, Windows line ends", "a.graph", b"3 1 0\r\n2\r\n1\r\n\r\n", &[(1, 2), (2, 1)]),
    ("METIS, weights of vertices", "a.graph", b"2 1 010 2\n5 6 2\n7 8 1\n", &[(1, 2), (2, 1)]),
    ("METIS, sizes, weights of vertices and edges", "a.graph", b"2 1 111 1\n9 5 2 3\n9 7 1 3\n", &[(1, 2), (2, 1)]),
    ("METIS, a loop once", "a.graph", b"2 2\n1 2\n1\n", &[(1, 1), (1, 2), (2, 1)]),
    ("METIS, a loop twice", "a.graph", b"2 2\n1 1 2\n1\n", &[(1, 1), (1, 1), (1, 2), (2, 1)]),
];

#[test]
fn awkward_files_hold_what_they_say() {
    for &(why, name, text, expected) in GOOD {
        let held = import(name, text, ImportOptions::default());
        assert_eq!(held.as_ref().map(pairs).map_err(ToString::to_string), Ok(expected.to_vec()), "{why}");
        for (ending, packed) in [("gz", gzip(text)), ("zst", zstd(text))] {
            let unpacked = import(&format!("{name}.{ending}"), &packed, ImportOptions::default());
            assert_eq!(unpacked.unwrap(), *held.as_ref().unwrap(), "{why}, .{ending}");
        }
    }
}

const PATTERN: &str = "%%MatrixMarket matrix coordinate pattern general\n";

/// Why it is refused, the file's name, its text, line and column of the fault, a part of the message.
const BAD: &[(&str, &str, &str, u64, u64, &str)] = &[
    ("negative ID", "a.txt", "1 2\n-1 2\n", 2, 1, "found `-1`"),
    ("negative target", "a.txt", "1 2\n1 -2\n", 2, 3, "found `-2`"),
    ("fractional ID", "a.txt", "1 2\n1.5 2\n", 2, 1, "found `1.5`"),
    ("fraction of nothing", "a.txt", "1 2\n1.0 2\n", 2, 1, "a vertex ID"),
    ("exponent", "a.txt", "1 2\n1e3 2\n", 2, 1, "found `1e3`"),
    ("ID of 2^64", "a.txt", "1 18446744073709551616\n", 1, 3, "found `18446744073709551616`"),
    (
        "ID of 30 digits",
        "a.txt",
        "1 2\n100000000000000000000000000000 1\n",
        2,
        1,
        "integer of 0 to 18446744073709551615",
    ),
    ("plus sign", "a.txt", "1 2\n+1 2\n", 2, 1, "found `+1`"),
    ("word", "a.txt", "1 2\nalice bob\n", 2, 1, "found `alice`"),
    ("missing column", "a.txt", "1 2\n3\n4 5\n", 2, 2, "found the end of the line"),
    ("missing column at the end of the file", "a.txt", "1 2\n3", 2, 2, "found the end of the file"),
    ("missing column on the first line", "a.txt", "3\n4 5\n", 1, 2, "a vertex ID"),
    ("missing weight", "a.txt", "1 2 5\n1 3\n", 2, 4, "a weight"),
    ("missing weight before a comment", "a.txt", "1 2 5\n1 3 # c\n", 2, 5, "a weight"),
    ("surplus weight", "a.txt", "1 2\n1 3 5\n", 2, 5, "two columns"),
    ("NaN", "a.txt", "1 2 0.5\n1 3 NaN\n", 2, 5, "a finite number, found `NaN`"),
    ("negative NaN", "a.txt", "1 2 0.5\n1 3 -nan\n", 2, 5, "found `-nan`"),
    ("infinity", "a.txt", "1 2 0.5\n1 3 inf\n", 2, 5, "found `inf`"),
    ("infinite by its exponent", "a.txt", "1 2 0.5\n1 3 1e999\n", 2, 5, "found `1e999`"),
    ("two signs", "a.txt", "1 2 -+1\n", 1, 5, "found `-+1`"),
    ("weight with a decimal comma", "a.txt", "1 2 0.5\n1 2 0,5\n", 2, 5, "found `0`"),
    ("weight too large to be exact", "a.txt", "1 2 9007199254740993\n", 1, 5, "ask for weights of type u64"),
    ("NUL", "a.txt", "1 2\n2 3\n3\0 4\n", 3, 2, "a NUL byte"),
    ("NUL in a comment", "a.txt", "1 2\n# \0\n", 2, 3, "a NUL byte"),
    ("fault before a NUL", "a.txt", "1 2\n-2 3\n3\0 4\n", 2, 1, "found `-2`"),
    ("old Mac line ends", "a.txt", "1 2\r3 4\r", 1, 3, "found `2`"),
    ("commas on a later line", "a.txt", "1 2\n3,4\n", 2, 1, "found `3`"),
    ("control characters are shown", "a.txt", "1 2\n\x1b[31m 4\n", 2, 1, "`\\u{1b}[31m`"),
    ("KONECT, sides without sizes", "out.x", "% bip unweighted\n1 1\n", 2, 1, "`% EDGES LEFT RIGHT`"),
    ("KONECT, left side too large", "out.x", "% bip unweighted\n% 1 3 2\n4 1\n", 3, 1, "a left vertex of 1 to 3"),
    ("CSV, empty field", "a.csv", "1,2\n,3\n", 2, 1, "a vertex ID"),
    ("CSV, missing field", "a.csv", "1,2\n3\n", 2, 2, "a field with the target"),
    ("CSV, missing weight", "a.csv", "source,target,weight\n1,2,3\n1,2\n", 3, 4, "a field with the weight"),
    ("CSV, surplus weight", "a.csv", "1,2\n1,2,3\n", 2, 5, "two columns"),
    ("CSV, open quote", "a.csv", "1,2\n\"1,2\n", 2, 1, "quotes end on its line"),
    ("CSV, open quote in a column left out", "a.csv", "from,to,name\n1,2,\"a\nb\"\n", 2, 5, "quotes end"),
    ("CSV, text after a quote", "a.csv", "1,2\n\"1\"x,2\n", 2, 4, "a delimiter after the closing quote"),
    ("CSV, negative ID", "a.csv", "-1,2\n", 1, 1, "found `-1`"),
    ("CSV, decimal comma", "a.csv", "1;2;0.5\n1;2;0,5\n", 2, 5, "a weight"),
    ("matrix, array", "a.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n", 1, 23, "found `array`"),
    ("matrix, complex", "a.mtx", "%%MatrixMarket matrix coordinate complex general\n", 1, 34, "found `complex`"),
    (
        "matrix, skew",
        "a.mtx",
        "%%MatrixMarket matrix coordinate real skew-symmetric\n",
        1,
        39,
        "found `skew-symmetric`",
    ),
    ("matrix, hermitian", "a.mtx", "%%MatrixMarket matrix coordinate real Hermitian\n", 1, 39, "found `Hermitian`"),
    ("matrix without banner", "a.mtx", "2 2 1\n1 2\n", 1, 1, "`%%MatrixMarket`"),
    ("matrix without size", "a.mtx", "%%MatrixMarket matrix coordinate pattern general\n% c\n", 3, 1, "the size line"),
    (
        "matrix, size of two numbers",
        "a.mtx",
        "%%MatrixMarket matrix coordinate real general\n2 2\n",
        2,
        4,
        "the size line",
    ),
    (
        "matrix, symmetric but not square",
        "a.mtx",
        "%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n",
        2,
        1,
        "as many rows",
    ),
    (
        "matrix, row 0",
        "a.mtx",
        "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n0 1\n",
        3,
        1,
        "a row of 1 to 2",
    ),
    (
        "matrix, column too large",
        "a.mtx",
        "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 3\n",
        3,
        3,
        "a column of 1 to 2",
    ),
    (
        "matrix, pattern with a value",
        "a.mtx",
        "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2 5\n",
        3,
        5,
        "the end of the line",
    ),
    ("matrix, no value", "a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2\n", 3, 4, "a weight"),
    (
        "matrix, fraction among integers",
        "a.mtx",
        "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 5.5\n",
        3,
        5,
        "an integer",
    ),
    ("DIMACS, arc before the header", "a.gr", "a 1 2 3\n", 1, 1, "the problem line"),
    ("DIMACS, other problem", "a.gr", "p max 3 2\n", 1, 3, "found `max`"),
    ("DIMACS, vertex 0", "a.gr", "p sp 3 1\na 0 1 5\n", 2, 3, "a vertex of 1 to 3"),
    ("DIMACS, vertex too large", "a.gr", "p sp 3 1\na 1 4 5\n", 2, 5, "found `4`"),
    ("DIMACS, no weight", "a.gr", "p sp 3 1\na 1 2\n", 2, 6, "a weight"),
    ("DIMACS, other line", "a.gr", "p sp 3 1\ne 1 2\n", 2, 1, "an arc"),
    ("DIMACS, second header", "a.gr", "p sp 3 1\np sp 3 1\n", 2, 1, "found `p`"),
    ("METIS, neighbour too large", "a.graph", "2 1\n3\n1\n", 2, 1, "a neighbour of 1 to 2"),
    ("METIS, neighbour 0", "a.graph", "2 1\n2\n0\n", 3, 1, "found `0`"),
    ("METIS, weight missing", "a.graph", "2 1 1\n2 5\n1\n", 3, 2, "the weight of the edge"),
    ("METIS, vertex weight missing", "a.graph", "2 1 10\n3 2\n\n", 3, 1, "the size and the weights"),
    ("METIS, unknown format", "a.graph", "2 1 7\n2\n1\n", 1, 5, "three digits"),
    ("METIS, list beyond the last vertex", "a.graph", "2 1\n2\n1\n\n1\n", 5, 1, "the end of the file"),
    ("METIS without header", "a.graph", "% c\n", 2, 1, "the header"),
];

#[test]
fn faults_are_refused_with_their_place() {
    assert!(BAD.len() + GOOD.len() >= 60);
    for &(why, name, text, line, column, part) in BAD {
        for (ending, bytes) in [("", text.as_bytes().to_vec()), (".gz", gzip(text.as_bytes()))] {
            let name = format!("{name}{ending}");
            let error = match import(&name, &bytes, ImportOptions::default()) {
                Ok(held) => panic!("{why}: taken for {held:?}"),
                Err(error) => error,
            };
            let message = error.to_string();
            assert!(message.contains(&format!("{name}:{line}:{column}: expected ")), "{why}: {message}");
            assert!(message.contains(part) && message.contains("; ") && message.len() < 1024, "{why}: {message}");
        }
    }
}

#[test]
fn a_fault_far_down_is_found_with_its_line() {
    for (name, good, bad) in
        [("a.txt", "1\t2\n", "1\t-2\n"), ("a.csv", "1,2\n", "1,-2\n"), ("a.wel", "1 2 3\n", "1 2 x\n")]
    {
        let mut text = good.repeat(999_999);
        text.push_str(bad);
        text.push_str(&good.repeat(10));
        let message = import(name, text.as_bytes(), ImportOptions::default()).unwrap_err().to_string();
        assert!(message.contains(":1000000:"), "{message}");
    }
    // Lists of METIS know their vertex in every piece of the file.
    let vertices = 400_000u64;
    let mut text = format!("{vertices} {}\n", vertices - 1);
    for v in 1..=vertices {
        let ends = [v.checked_sub(1).filter(|&u| u > 0), (v < vertices).then_some(v + 1)];
        ends.into_iter().flatten().for_each(|u| text.push_str(&format!("{u} ")));
        text.push('\n');
        if v % 1000 == 0 {
            text.push_str("% a comment\n");
        }
    }
    let (arcs, _) = import("a.graph", text.as_bytes(), ImportOptions::default()).unwrap();
    assert_eq!(arcs.len() as u64, 2 * (vertices - 1));
    assert!(arcs.iter().all(|&(u, v, _)| u.abs_diff(v) == 1));
    assert!(arcs.is_sorted());
}

/// Name, text, line, what is counted, number declared, number found.
const LIES: [(&str, &str, u64, &str, u64, u64); 8] = [
    ("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n", 2, "entries", 2, 1),
    ("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n%\n2 2 1\n1 2\n2 1\n", 3, "entries", 1, 2),
    ("a.gr", "c\nc\np sp 3 2\na 1 2 5\n", 3, "arcs", 2, 1),
    ("a.gr", "p sp 3 0\na 1 2 5\n", 1, "arcs", 0, 1),
    ("a.graph", "% c\n2 2\n2\n1\n", 2, "edge ends (two for each edge)", 4, 2),
    ("a.graph", "3 1\n2 3\n1 3\n1 2\n", 1, "edge ends (two for each edge)", 2, 6),
    ("a.graph", "5 1\n2\n1\n", 1, "vertices", 5, 2),
    ("a.graph", "3 1\n", 1, "vertices", 3, 0),
];

#[test]
fn a_header_that_lies_is_refused() {
    for (name, text, line, what, declared, found) in LIES {
        let error = import(name, text.as_bytes(), ImportOptions::default()).unwrap_err();
        let ImportError::WrongCount { line: l, what: w, declared: d, found: f, .. } = &error else { panic!("{error}") };
        assert_eq!((*l, *w, *d, *f), (line, what, declared, found), "{text}");
    }
}

#[test]
fn an_edge_listed_at_one_end_is_refused() {
    let cases = [
        ("3 2\n2 3\n1\n2\n", (1, 3)),
        ("3 2\n2\n1\n2 1\n", (3, 1)),
        ("2 2\n2\n1 2 1\n", (2, 1)),
        ("2 1 1\n2 5\n1 6\n", (1, 2)),
        ("% c\n4 2\n2\n1\n4\n1\n", (4, 1)),
    ];
    for (text, (vertex, neighbour)) in cases {
        let error = import("a.graph", text.as_bytes(), ImportOptions::default()).unwrap_err();
        let ImportError::OneSided { vertex: v, neighbour: n, .. } = error else { panic!("{text}: {error}") };
        assert_eq!((v, n), (vertex, neighbour), "{text}");
    }
}

#[test]
fn headers_declare_vertices_and_directions() {
    let declared = |name: &str, text: &str| import(name, text.as_bytes(), ImportOptions::default()).unwrap().1;
    let numbered = |count| DeclaredVertices::Range { first: 1, count };
    let list = declared("a.txt", "1 2\n");
    assert_eq!((list.vertices, list.direction), (DeclaredVertices::FromEdges, Direction::Directed));
    assert_eq!(declared("out.x", "% sym unweighted\n1 2\n").direction, Direction::Undirected);
    let sides = declared("out.x", "% bip unweighted\n% 1 3 2\n1 2\n");
    assert_eq!((sides.vertices, sides.direction, sides.rows), (numbered(5), Direction::Undirected, Some(3)));
    let square = declared("a.mtx", &format!("{PATTERN}5 5 1\n1 2\n"));
    assert_eq!((square.vertices, square.direction, square.rows), (numbered(5), Direction::Directed, None));
    let tall = declared("a.mtx", &format!("{PATTERN}5 2 1\n1 2\n"));
    assert_eq!((tall.vertices, tall.direction, tall.rows), (numbered(7), Direction::Undirected, Some(5)));
    let symmetric = declared("a.mtx", &format!("{}2 2 1\n1 2\n", PATTERN.replace("general", "symmetric")));
    assert_eq!(symmetric.direction, Direction::Undirected);
    let metis = declared("a.graph", "4 1\n2\n1\n\n\n");
    assert_eq!((metis.vertices, metis.direction), (numbered(4), Direction::Symmetric));
    let dimacs = declared("a.gr", "p sp 9 0\n");
    assert_eq!((dimacs.vertices, dimacs.direction, dimacs.edges), (numbered(9), Direction::Directed, Some(0)));
    let told = ImportOptions { directed: Some(false), ..ImportOptions::default() };
    assert_eq!(import("a.txt", b"1 2\n", told).unwrap().1.direction, Direction::Undirected);
    let told = ImportOptions { directed: Some(true), ..ImportOptions::default() };
    assert_eq!(import("a.graph", b"2 1\n2\n1\n", told).unwrap().1.direction, Direction::Directed);
}

#[test]
fn weights_take_the_narrowest_type_that_keeps_them() {
    let cases: [(&str, &[&str], ScalarType); 10] = [
        ("small integers", &["0", "1", "4294967295"], ScalarType::U32),
        ("signed integers", &["-5", "2147483647"], ScalarType::I32),
        ("large integers", &["1", "4294967296", "9007199254740992"], ScalarType::U64),
        ("signed and large", &["-1", "4294967295"], ScalarType::F64),
        ("fractions", &["1", "0.5"], ScalarType::F32),
        ("whole numbers with a point", &["1.0", "2."], ScalarType::F32),
        ("exponents", &["1e3", "2E-4", ".5"], ScalarType::F32),
        ("beyond f32", &["0.5", "-1e39"], ScalarType::F64),
        ("a plus sign", &["+5", "+0"], ScalarType::U32),
        ("minus nothing", &["-0", "1"], ScalarType::U32),
    ];
    for (why, weights, ty) in cases {
        let text: String = weights.iter().map(|weight| format!("1 2 {weight}\r\n")).collect();
        let (arcs, declared) = import("a.txt", text.as_bytes(), ImportOptions::default()).unwrap();
        assert_eq!((declared.value_type, declared.store_as), (Some(ScalarType::F64), Some(ty)), "{why}");
        let read: Vec<f64> = arcs.iter().map(|arc| f64::from_bits(arc.2.unwrap())).collect();
        let expected: Vec<f64> = weights.iter().map(|weight| weight.parse().unwrap()).collect();
        assert_eq!(read, expected, "{why}");
    }
}

#[test]
fn weights_of_a_type_asked_for_fit_or_are_refused() {
    let weigh = |weight: &str, ty| {
        let options = ImportOptions { weights: Weights::As(ty), ..ImportOptions::default() };
        let (arcs, declared) = import("a.txt", format!("1 2 {weight}\n").as_bytes(), options)?;
        assert_eq!((declared.value_type, declared.store_as), (Some(ty), Some(ty)));
        Ok::<_, ImportError>(arcs[0].2.unwrap())
    };
    assert_eq!(weigh("4294967295", ScalarType::U32).unwrap(), 4_294_967_295);
    assert_eq!(weigh("5.0", ScalarType::U32).unwrap(), 5);
    assert_eq!(weigh("-1", ScalarType::I32).unwrap(), 0xffff_ffff);
    assert_eq!(weigh("18446744073709551615", ScalarType::U64).unwrap(), u64::MAX);
    assert_eq!(weigh("0.1", ScalarType::F32).unwrap(), u64::from(0.1f32.to_bits()));
    assert_eq!(weigh("1e300", ScalarType::F64).unwrap(), 1e300f64.to_bits());
    let misfits = [
        ("4294967296", ScalarType::U32),
        ("-1", ScalarType::U32),
        ("0.5", ScalarType::I32),
        ("2147483648", ScalarType::I32),
        ("-1", ScalarType::U64),
        ("18446744073709551616", ScalarType::U64),
        ("1e39", ScalarType::F32),
    ];
    for (weight, ty) in misfits {
        let message = weigh(weight, ty).unwrap_err().to_string();
        assert!(
            message.contains(&format!("a.txt:1:5: expected a weight that a {ty} holds, found `{weight}`")),
            "{message}"
        );
    }
    for (name, text) in [
        ("a.txt", "1 2\n"),
        ("a.csv", "1,2\n"),
        ("a.graph", "2 1\n2\n1\n"),
        ("a.mtx", &format!("{PATTERN}1 1 1\n1 1\n")),
    ] {
        let options = ImportOptions { weights: Weights::As(ScalarType::F32), ..ImportOptions::default() };
        assert!(import(name, text.as_bytes(), options).is_err(), "{name} has no weights");
    }
    let options = ImportOptions { weights: Weights::As(ScalarType::U8), ..ImportOptions::default() };
    assert!(import("a.txt", b"1 2 3\n", options).unwrap_err().to_string().contains("weights of type u8"));
}

#[test]
fn weights_are_left_out_on_request() {
    let options = ImportOptions { weights: Weights::Ignore, ..ImportOptions::default() };
    let files = [
        ("a.txt", "1 2 x\n2 3\n"),
        ("a.csv", "1,2,x\n2,3\n"),
        ("a.gr", "p sp 3 2\na 1 2 5\na 2 3 6\n"),
        ("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 NaN\n2 3 0.5\n"),
    ];
    for (name, text) in files {
        let held = import(name, text.as_bytes(), options).unwrap();
        assert_eq!((pairs(&held), held.1.value_type), (vec![(1, 2), (2, 3)], None), "{name}");
    }
    let held = import("a.graph", b"2 1 1\n2 5\n1 5\n", options).unwrap();
    assert_eq!((pairs(&held), held.1.value_type), (vec![(1, 2), (2, 1)], None));
}

#[test]
fn several_members_and_frames_are_one_file() {
    let parts: [&[u8]; 4] = [b"1 2\n3", b" 4\n", b"", b"5 6"];
    let expected = vec![(1, 2), (3, 4), (5, 6)];
    let members: Vec<u8> = parts.iter().flat_map(|part| gzip(part)).collect();
    assert_eq!(pairs(&import("a.txt.gz", &members, ImportOptions::default()).unwrap()), expected);
    // A skippable frame, as parallel compressors write them, stands between two others.
    let skippable = [0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9];
    let mut frames = skippable.to_vec();
    for part in parts {
        frames.extend(zstd(part));
        frames.extend(skippable);
    }
    assert_eq!(pairs(&import("a.txt.zst", &frames, ImportOptions::default()).unwrap()), expected);
    // The name does not matter, the first bytes do.
    assert_eq!(pairs(&import("a.txt", &members, ImportOptions::default()).unwrap()), expected);
}

#[test]
fn damaged_compressed_files_are_refused_by_name() {
    let text: String = (0..20_000).map(|i| format!("{} {}\n", i * 7919 % 10_007, i)).collect();
    for (name, whole) in [("a.txt.gz", gzip(text.as_bytes())), ("a.txt.zst", zstd(text.as_bytes()))] {
        assert_eq!(import(name, &whole, ImportOptions::default()).unwrap().0.len(), 20_000);
        for length in [0, 1, 3, 9, 15, whole.len() / 3, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
            let error = import(name, &whole[..length], ImportOptions::default()).unwrap_err();
            assert!(matches!(error, ImportError::Compressed { .. }), "{name} cut to {length}: {error}");
            assert!(error.to_string().contains(name), "{error}");
        }
    }
    let mut flipped = gzip(text.as_bytes());
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x10;
    assert!(import("a.txt.gz", &flipped, ImportOptions::default()).is_err());
    let mut trailing = gzip(text.as_bytes());
    trailing.extend(b"trailing garbage");
    assert!(import("a.txt.gz", &trailing, ImportOptions::default()).is_err());
    assert!(import("a.txt.gz", text.as_bytes(), ImportOptions::default()).is_err(), "not compressed at all");
}

#[test]
fn graphalytics_needs_both_files() {
    let folder = TempDir::new().unwrap();
    let path = write(&folder, "g.e", b"10 20 0.5\n20 30 1\n");
    let message = read(&path, ImportOptions::default()).unwrap_err().to_string();
    assert!(message.contains("g.v") && message.contains("two files"), "{message}");
    let as_edges = ImportOptions { format: Some(Format::Edges), ..ImportOptions::default() };
    assert_eq!(read(&path, as_edges).unwrap().0.len(), 2);
    let vertices = write(&folder, "g.v.gz", &gzip(b"# c\n30 x\r\n20\n\n10\n40"));
    for named in [&path, &vertices] {
        let (arcs, declared) = read(named, ImportOptions::default()).unwrap();
        assert_eq!(arcs.len(), 2);
        assert_eq!(declared.vertices, DeclaredVertices::List(vec![10, 20, 30, 40]));
    }
    write(&folder, "h.v", b"1\n2\n");
    let undeclared = write(&folder, "h.e", b"1 2\n2 3\n");
    let message = read(&undeclared, ImportOptions::default()).unwrap_err().to_string();
    assert!(message.contains("h.e:2:1: expected a vertex that the .v file lists"), "{message}");
    write(&folder, "i.v", b"1\n-2\n");
    let bad = write(&folder, "i.e", b"1 2\n");
    let message = read(&bad, ImportOptions::default()).unwrap_err().to_string();
    assert!(message.contains("i.v:2:1: expected a vertex ID"), "{message}");
}

#[test]
fn what_is_no_graph_file_is_refused() {
    let folder = TempDir::new().unwrap();
    let absent = read(&folder.path().join("absent.txt"), ImportOptions::default()).unwrap_err();
    assert!(matches!(absent, ImportError::Io { .. }) && absent.to_string().contains("absent.txt"), "{absent}");
    assert!(absent.to_string().ends_with("; check the path"), "{absent}");
    let cases: [(&str, &[u8], &str); 6] = [
        ("a.tar.bz2", b"BZh91AY&SY", "bzip2"),
        ("a.xz", b"\xfd7zXZ\0\0\0", "xz"),
        ("a.zip", b"PK\x03\x04....", "zip"),
        ("a.txt", b"\xff\xfe1\0 \x002\0", "UTF-16"),
        ("a.bin", b"\x7fELF\0\0\0\0", "name one of edges, csv, matrix-market, dimacs, metis, graphalytics"),
        ("a.md", b"Some prose on graphs\n", "name one of edges"),
    ];
    for (name, bytes, part) in cases {
        let message = import(name, bytes, ImportOptions::default()).unwrap_err().to_string();
        assert!(message.contains(name) && message.contains(part), "{message}");
    }
    let message = read(folder.path(), ImportOptions::default()).unwrap_err().to_string();
    assert!(message.contains("a directory"), "{message}");
}
