//! What headers declare, and headers that lie.

use super::{PATTERN, import, zstd};
use crate::build::{DeclaredVertices, Direction};
use crate::import::{ImportError, ImportOptions};

/// Name, text, line, what is counted, number declared, number found.
const LIES: [(&str, &str, u64, &str, u64, u64); 9] = [
    ("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n", 2, "entries", 2, 1),
    ("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n%\n2 2 1\n1 2\n2 1\n", 3, "entries", 1, 2),
    ("a.gr", "c\nc\np sp 3 2\na 1 2 5\n", 3, "arcs", 2, 1),
    ("a.gr", "p sp 3 0\na 1 2 5\n", 1, "arcs", 0, 1),
    ("a.graph", "% c\n2 2\n2\n1\n", 2, "edge ends (two for each edge)", 4, 2),
    ("a.graph", "3 1\n2 3\n1 3\n1 2\n", 1, "edge ends (two for each edge)", 2, 6),
    ("a.graph", "5 1\n2\n1\n", 1, "vertices, each with a line", 5, 2),
    ("a.graph", "4 2\n2 3\n1\n1\n", 1, "vertices, each with a line", 4, 3),
    ("a.graph", "3 1\n", 1, "vertices, each with a line", 3, 0),
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
fn a_header_of_more_than_the_file_can_hold_is_refused_at_once() {
    let large = "18446744073709551615";
    let half = "9223372036854775807";
    for (name, text, line, what) in [
        ("a.mtx", format!("{PATTERN}%\n2 2 {large}\n1 2\n"), 3, "entries"),
        ("a.mtx", format!("{PATTERN}2 2 99999999999\n1 2\n"), 2, "entries"),
        ("a.gr", format!("c\np sp 2 {large}\na 1 2 5\n"), 2, "arcs"),
        ("a.graph", format!("2 {half}\n2\n1\n"), 1, "edges"),
        ("a.graph", "99999999999 1\n2\n1\n".to_owned(), 1, "vertices"),
    ] {
        for (name, bytes) in
            [(name.to_owned(), text.clone().into_bytes()), (format!("{name}.zst"), zstd(text.as_bytes()))]
        {
            let error = import(&name, &bytes, ImportOptions::default()).unwrap_err();
            assert!(matches!(&error, ImportError::ImpossibleCount { what: found, .. } if *found == what), "{error}");
            assert!(error.to_string().contains(&format!("{name}:{line}: the header declares")), "{error}");
        }
    }
    // The file can hold this number of the shortest records.
    let entries = "1 1\n".repeat(1000);
    let text = format!("{PATTERN}1 1 1000\n{}", entries.trim_end());
    assert_eq!(import("a.mtx", text.as_bytes(), ImportOptions::default()).unwrap().0.len(), 1000);
    let text = format!("p sp 1 1000\n{}", "a 1 1 1\n".repeat(1000).trim_end());
    assert_eq!(import("a.gr", text.as_bytes(), ImportOptions::default()).unwrap().0.len(), 1000);
    let text = format!("1 1000\n{}", "1 ".repeat(1000).trim_end());
    assert_eq!(import("a.graph", text.as_bytes(), ImportOptions::default()).unwrap().0.len(), 1000);
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
        let ImportError::OneSided { edge: Some([v, n]), .. } = error else { panic!("{text}: {error}") };
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
}
