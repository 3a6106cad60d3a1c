//! What a file says of itself besides its edges: its direction and its sizes; and lines that are passed over.

use super::{PATTERN, import, pairs, read, told, write};
use crate::build::{BuildOptions, Direction, EdgeBatch, build};
use crate::import::{Format, ImportError, ImportOptions, Weights, open};
use gts_contract::ScalarType;
use tempfile::TempDir;

/// The direction of a file's edges, and the notes at its end.
fn said(name: &str, text: &str, options: &ImportOptions) -> Result<(Direction, Vec<String>), ImportError> {
    let folder = TempDir::new().unwrap();
    let path = write(&folder, name, text.as_bytes());
    let mut stream = open(std::slice::from_ref(&path), options)?;
    let mut batch = EdgeBatch::default();
    while stream.next(&mut batch)? {}
    Ok((stream.declared().direction, stream.notes()))
}

fn directed(directed: bool) -> ImportOptions {
    ImportOptions { directed: Some(directed), ..ImportOptions::default() }
}

fn skip(skip: u64) -> ImportOptions {
    ImportOptions { skip, ..ImportOptions::default() }
}

#[test]
fn a_comment_says_that_an_edge_list_is_undirected() {
    for (name, text) in [
        ("a.txt", "# Undirected graph: ../../output/graph/com-dblp.ungraph.txt\n# Nodes: 3\n1\t2\n2\t3\n"),
        ("a.txt", "# Nodes: 3\r\n\r\n## undirected Graph\r\n1 2\r\n"),
        ("a.txt", "% Undirected graph (each pair once)\n1 2\n"),
        ("a.csv", "# Undirected graph\nfrom,to\n1,2\n"),
        ("a.txt", "#Undirected graph\n"),
    ] {
        let (direction, notes) = said(name, text, &ImportOptions::default()).unwrap();
        assert_eq!(direction, Direction::Symmetrised, "{text}");
        assert!(notes.len() == 1 && notes[0].contains("comments say that the graph is undirected"), "{notes:?}");
        assert!(notes[0].contains("`--directed`"), "{notes:?}");
        let silent = |direction| (direction, Vec::<String>::new());
        assert_eq!(said(name, text, &directed(true)).unwrap(), silent(Direction::Directed));
        assert_eq!(said(name, text, &directed(false)).unwrap(), silent(Direction::Undirected));
    }
    for text in [
        "# Directed graph (each unordered pair of nodes is saved once)\n1 2\n",
        "# Undirected graphs are elsewhere\n1 2\n",
        "# The graph is undirected: Undirected graph\n1 2\n",
        "1 2\n# Undirected graph\n2 3\n",
    ] {
        assert_eq!(
            said("a.txt", text, &ImportOptions::default()).unwrap(),
            (Direction::Directed, Vec::new()),
            "{text}"
        );
    }
}

#[test]
fn an_undirected_list_holds_each_edge_once_even_if_both_arcs_are_listed() {
    let folder = TempDir::new().unwrap();
    let path = write(&folder, "a.txt", b"# Undirected graph\n1 2 5\n2 1 4\n2 3 7\n3 3 1\n");
    let (graph, summary) =
        build(&mut *open(std::slice::from_ref(&path), &ImportOptions::default()).unwrap(), &BuildOptions::default())
            .unwrap();
    assert!(graph.properties().symmetric && summary.notes.len() == 1, "{summary}");
    let symmetrise = BuildOptions { symmetrise: true, ..BuildOptions::default() };
    let (same, _) = build(&mut *open(std::slice::from_ref(&path), &directed(false)).unwrap(), &symmetrise).unwrap();
    assert_eq!([graph.num_edges(), same.num_edges()], [5, 5]);
    assert_eq!(graph.properties(), same.properties());
}

#[test]
fn arcs_that_a_file_holds_both_ways_are_not_doubled() {
    let folder = TempDir::new().unwrap();
    let path = write(&folder, "a.graph", b"3 2\n2\n1 3\n2\n");
    for (undirected, symmetrise) in [(false, false), (true, false), (false, true)] {
        let options = BuildOptions { undirected, symmetrise, ..BuildOptions::default() };
        let (graph, _) = build(&mut *open(std::slice::from_ref(&path), &directed(false)).unwrap(), &options).unwrap();
        assert_eq!((graph.num_edges(), graph.num_undirected_edges()), (4, Some(2)));
    }
}

#[test]
fn a_column_of_types_says_that_a_table_is_undirected() {
    let undirected = "Source,Target,Type,Id,Weight\n1,2,Undirected,0,1.5\n# c\n2,3,\"undirected\",1,2\n";
    let (direction, notes) = said("a.csv", undirected, &ImportOptions::default()).unwrap();
    assert_eq!(direction, Direction::Undirected);
    assert!(notes.len() == 2 && notes[0].ends_with("`Id` is not read"), "{notes:?}");
    assert!(notes[1].contains("the column of types says that the edges are undirected"), "{notes:?}");
    let far = format!("Source\tTarget\tType\n{}1\t2\tUndirected\n", "# c\n".repeat(2 << 20));
    assert_eq!(said("a.tsv", &far, &ImportOptions::default()).unwrap().0, Direction::Undirected, "a block further on");
    let mixed = undirected.replace("\"undirected\"", "Directed");
    let message = told(&said("a.csv", &mixed, &ImportOptions::default()).unwrap_err());
    assert!(
        message.contains("a.csv:4:5: expected `Undirected`, as in the first record, found `Directed`"),
        "{message}"
    );
    for (given, expected) in [(true, Direction::Directed), (false, Direction::Undirected)] {
        for text in [undirected, &mixed] {
            let (direction, notes) = said("a.csv", text, &directed(given)).unwrap();
            assert_eq!(direction, expected);
            assert!(notes.len() == 1 && notes[0].ends_with("`Type` and `Id` are not read"), "{notes:?}");
        }
    }
    for text in [
        "Source,Target,Type\n1,2,Directed\n2,3,Directed\n",
        "Source,Target,Type\n1,2,road\n2,3,Directed\n",
        "Source,Target,Type\n1,2,Directed\n2,3,road\n",
        "Source,Target,Kind\n1,2,Undirected\n2,3,Directed\n",
        "Source,Target,Type\n",
        "1,2,Undirected\n2,3,Directed\n",
    ] {
        let ignore = ImportOptions { weights: Weights::Ignore, ..ImportOptions::default() };
        assert_eq!(said("a.csv", text, &ignore).unwrap().0, Direction::Directed, "{text}");
    }
}

#[test]
fn a_direction_that_a_header_fixes_cannot_be_overridden() {
    let matrix = |symmetry| format!("%%MatrixMarket matrix coordinate pattern {symmetry}\n2 2 1\n2 1\n");
    for (name, text, line) in [
        ("a.mtx", matrix("symmetric"), 1),
        ("a.mtx", matrix("skew-symmetric"), 1),
        ("a.mtx", matrix("hermitian"), 1),
        ("a.graph", "% c\n2 1\n2\n1\n".to_owned(), 2),
    ] {
        let message = told(&said(name, &text, &directed(true)).unwrap_err());
        assert!(message.contains(&format!("{name}:{line}: --directed is given, and ")), "{message}");
        assert!(message.ends_with("; leave --directed out"), "{message}");
        let both_ways = said(name, &text, &directed(false));
        if text.contains("skew") {
            let message = told(&both_ways.unwrap_err());
            assert!(message.contains("a.mtx:1: the edges are to be undirected"), "{message}");
        } else {
            both_ways.unwrap();
        }
    }
    said("a.mtx", &matrix("general"), &directed(true)).unwrap();
}

#[test]
fn a_first_line_of_sizes_is_said_or_refused_with_the_lines_to_skip() {
    for (name, text, line) in [
        ("a.txt", "4 3\n1 2\n2 3\n3 4\n", 1),
        ("a.txt", "# c\n\n5 5 6\n1 2 9\n2 3 9\n3 4 9\n4 5 9\n5 1 9\n1 3 9\n", 3),
        ("a.csv", "3,2\n0,1\n1,2\n", 1),
    ] {
        let (_, notes) = said(name, text, &ImportOptions::default()).unwrap();
        let expected = format!("`--skip {line}`");
        assert!(notes.len() == 1 && notes[0].contains(&expected) && notes[0].contains("sizes"), "{notes:?}");
        let (direction, notes) = said(name, text, &skip(line)).unwrap();
        assert_eq!((direction, notes), (Direction::Directed, Vec::new()));
    }
    for (name, text) in [
        ("a.txt", "# c\n5 5 6\n1 2\n2 3\n3 4\n4 5\n5 1\n1 3\n"),
        ("a.txt", "# c\n4 3\n1 2 0.5\n2 3 0.5\n3 4 1\n"),
        ("a.csv", "# c\n4;3\n1;2;0.5\n2;3;0.5\n3;4;1\n"),
    ] {
        let message = told(&said(name, text, &ImportOptions::default()).unwrap_err());
        assert!(message.contains(&format!("{name}:2: the first record has ")), "{message}");
        assert!(message.contains("`--skip 2`") && !message.contains("adjacency"), "{message}");
        said(name, text, &skip(2)).unwrap();
    }
    // Words above the edges, and the number of vertices alone.
    for (name, text) in [
        ("a.txt", "Some prose on graphs\n1\t2\n2\t3\n"),
        ("a.txt", "3\n1 2\n2 3\n"),
        ("a.csv", "exported by x\n1,2\n2,3\n"),
        ("a.csv", "3\n1,2\n2,3\n"),
    ] {
        let message = told(&said(name, text, &ImportOptions::default()).unwrap_err());
        assert!(
            message.contains(&format!("{name}:1: the first record")) && message.ends_with("`--skip 1`"),
            "{message}"
        );
        said(name, text, &skip(1)).unwrap();
    }
    let message = told(&said("a.txt", "-1 -2\n1 2\n", &ImportOptions::default()).unwrap_err());
    assert!(message.contains("a.txt:1:1: expected a vertex ID") && !message.contains("--skip"), "{message}");
    // One edge too many or too few, and an ID that is too large.
    for text in ["4 3\n1 2\n2 3\n", "4 3\n1 2\n2 3\n3 4\n4 1\n", "4 3\n1 2\n2 3\n3 5\n", "1 0\n"] {
        assert_eq!(said("a.txt", text, &ImportOptions::default()).unwrap().1, Vec::<String>::new(), "{text}");
    }
}

#[test]
fn lines_that_may_list_neighbours_are_noted_unless_the_format_is_named() {
    for (name, text) in [("a.txt", "1 2 3\n2 3 4\n3 1 5\n"), ("a.csv", "1, 2, 3\n4, 2, 3\n")] {
        for weights in [Weights::Auto, Weights::Ignore] {
            let options = ImportOptions { weights, ..ImportOptions::default() };
            let (_, notes) = said(name, text, &options).unwrap();
            let format = if name == "a.csv" { Format::Csv } else { Format::Edges };
            let named = format!("`--format {format}`");
            assert!(notes.len() == 1 && notes[0].contains(&named) && notes[0].contains("neighbours"), "{notes:?}");
            let options = ImportOptions { format: Some(format), ..options };
            assert_eq!(said(name, text, &options).unwrap().1, Vec::<String>::new());
        }
    }
    for text in
        ["1 2 3\n1 3 4\n", "1 2 0.5\n2 3 1\n", "1 2 2\n2 3 1\n", "2 1 3\n1 2 3\n", "1 2 3\n", "% sym\n1 2 3\n2 3 4\n"]
    {
        assert_eq!(said("a.txt", text, &ImportOptions::default()).unwrap().1, Vec::<String>::new(), "{text}");
    }
}

#[test]
fn lines_at_the_beginning_are_passed_over() {
    let star = "2 2\n1 2\n1\n";
    for (name, text, lines, expected) in [
        ("a.txt", "4 3\n1 2\n", 1, vec![(1, 2)]),
        ("a.txt", "some prose\n# c\n1 2\n2 3", 2, vec![(1, 2), (2, 3)]),
        ("a.csv", "exported by x\nto,from\n2,1\n", 1, vec![(1, 2)]),
        ("a.mtx", &format!("x\r\n{PATTERN}2 2 1\n1 2\n"), 1, vec![(1, 2)]),
        ("a.gr", "x\np sp 2 1\na 1 2 3\n", 1, vec![(1, 2)]),
        ("a.graph", &format!("x\n{star}"), 1, vec![(1, 1), (1, 2), (2, 1)]),
        ("a.txt", &format!("{}1 2\n", "\n".repeat(9 << 20)), 9 << 20, vec![(1, 2)]),
    ] {
        assert_eq!(pairs(&import(name, text.as_bytes(), skip(lines)).unwrap()), expected, "{name}");
    }
    let (direction, _) = said("a.txt", "# Undirected graph\n4 3\n1 2\n", &skip(2)).unwrap();
    assert_eq!(direction, Direction::Symmetrised, "comments among the lines count");
    // Faults keep their lines.
    let message = told(&import("a.txt", b"4 3\n1 2\nx 3\n", skip(1)).unwrap_err());
    assert!(message.contains("a.txt:3:1: expected a vertex ID"), "{message}");
    let message = told(&import("a.graph", b"x\n2 1\n2\n\n", skip(1)).unwrap_err());
    assert!(message.contains("a.graph:2: the header declares"), "{message}");
    let message = told(&import("a.graph", b"x\n3 2\n2 3\n1\n2\n", skip(1)).unwrap_err());
    assert!(message.contains("vertex 1 lists 3"), "{message}");
    for (text, lines) in [("4 3\n1 2\n", 2), ("4 3\n1 2", 2), ("4 3\n1 2\n", 9), ("", 1)] {
        let message = told(&import("a.txt", text.as_bytes(), skip(lines)).unwrap_err());
        let held = text.lines().count();
        let expected = format!("a.txt:{}: --skip {lines} leaves no line: the file has {held}", held.max(1));
        assert!(message.contains(&expected), "{message}");
    }
    let folder = TempDir::new().unwrap();
    write(&folder, "g.v", b"1\n2\n");
    let edges = write(&folder, "g.e", b"x\n1 2\n");
    let message = told(&read(&edges, skip(1)).unwrap_err());
    assert!(message.contains("--skip is given, and a Graphalytics graph is two files"), "{message}");
}

#[test]
fn matrices_are_read_as_archives_publish_them() {
    let one_sign = "%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1.5\n";
    let held = import("a.mtx", one_sign.as_bytes(), ImportOptions::default()).unwrap();
    assert_eq!((held.0, held.1.direction), (vec![(1, 2, Some(1.5f64.to_bits()))], Direction::Directed));
    let (_, notes) = said("a.txt", one_sign, &ImportOptions::default()).unwrap();
    assert!(notes.len() == 1 && notes[0].contains("`%MatrixMarket`"), "{notes:?}");
    let skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 3\n2 1 5\n3 1 -7\n3 2 0\n";
    let typed = |weights| ImportOptions { weights, ..ImportOptions::default() };
    let (arcs, declared) = import("a.mtx", skew.as_bytes(), typed(Weights::As(ScalarType::I32))).unwrap();
    let arcs: Vec<_> = arcs.iter().map(|&(src, dst, bits)| (src, dst, bits.unwrap() as u32 as i32)).collect();
    assert_eq!(arcs, [(2, 1, 5), (1, 2, -5), (3, 1, -7), (1, 3, 7), (3, 2, 0), (2, 3, 0)]);
    assert_eq!((declared.direction, declared.edges), (Direction::Directed, Some(6)));
    let (_, declared) = import("a.mtx", skew.as_bytes(), ImportOptions::default()).unwrap();
    assert_eq!(declared.store_as, Some(ScalarType::I32));
    let message = told(&import("a.mtx", skew.as_bytes(), typed(Weights::As(ScalarType::U32))).unwrap_err());
    assert!(message.contains("a.mtx:3:5: expected a weight whose opposite has the same type"), "{message}");
    let short = skew.replace("3 3 3", "3 3 4");
    let message = told(&import("a.mtx", short.as_bytes(), ImportOptions::default()).unwrap_err());
    assert!(message.contains("a.mtx:2: the header declares 4 entries, the file holds 3"), "{message}");
    for (symmetry, direction) in [("general", Direction::Directed), ("hermitian", Direction::Undirected)] {
        let complex = format!("%%MatrixMarket matrix coordinate complex {symmetry}\n2 2 1\n2 1 1.5 -2e3\n");
        for weights in [Weights::Ignore, Weights::One(ScalarType::U32)] {
            let (arcs, declared) = import("a.mtx", complex.as_bytes(), typed(weights)).unwrap();
            let one = (weights != Weights::Ignore).then_some(1);
            assert_eq!((arcs, declared.direction), (vec![(2, 1, one)], direction));
        }
        for weights in [Weights::Auto, Weights::As(ScalarType::F64)] {
            let message = told(&import("a.mtx", complex.as_bytes(), typed(weights)).unwrap_err());
            assert!(message.contains("a.mtx:1: the values of a matrix of the field `complex`"), "{message}");
            assert!(message.contains("`--weights none`") && message.contains("`--weights 1`"), "{message}");
        }
    }
    let ones = typed(Weights::One(ScalarType::U32));
    let (arcs, _) = import("a.mtx", skew.as_bytes(), ones).unwrap();
    assert_eq!((arcs.len(), arcs[1]), (6, (1, 2, Some(1))));
}

#[test]
fn no_advice_on_a_matrix_makes_an_edge_of_its_size_line() {
    for text in
        ["2 2 1\n1 2\n", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2 5\n", "%%MatrixMarket x\n"]
    {
        let message = told(&import("a.mtx", text.as_bytes(), ImportOptions::default()).unwrap_err());
        assert!(!message.contains("format"), "{message}");
    }
    let columns = ImportOptions { columns: Some("source=1,target=2".parse().unwrap()), ..ImportOptions::default() };
    let message = told(&import("a.mtx", format!("{PATTERN}1 1 0\n").as_bytes(), columns).unwrap_err());
    assert!(message.ends_with("; leave --columns out"), "{message}");
}
