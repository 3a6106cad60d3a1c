//! Which columns of a table are read, and tables that do not tell.

use super::{Held, gzip, pairs, read, told, write};
use crate::build::{BuildOptions, build};
use crate::import::{ImportError, ImportOptions, Weights, open};
use gts_contract::ScalarType;
use tempfile::TempDir;

fn options(columns: &str) -> ImportOptions {
    ImportOptions { columns: Some(columns.parse().unwrap()), ..ImportOptions::default() }
}

/// The edges of a file, and the notes on how it was read.
fn import(name: &str, text: &str, options: &ImportOptions) -> Result<(Held, Vec<String>), ImportError> {
    let folder = TempDir::new().unwrap();
    let path = write(&folder, name, text.as_bytes());
    let notes = open(std::slice::from_ref(&path), options)?.notes();
    Ok((read(&path, options.clone())?, notes))
}

fn weights(held: &Held) -> Vec<f64> {
    held.0.iter().filter_map(|arc| arc.2.map(f64::from_bits)).collect()
}

/// The option in an error's advice or in a note.
fn advised(text: &str) -> ImportOptions {
    let (_, rest) = text.split_once("`--columns ").unwrap_or_else(|| panic!("no option in: {text}"));
    options(rest.split_once('`').unwrap().0)
}

#[test]
fn a_header_that_does_not_name_both_ends_is_refused_with_the_option_to_give() {
    type Case<'a> = (&'a str, &'a str, &'a str, &'a [(u64, u64)]);
    let cases: [Case<'_>; 9] = [
        ("weight,a,b\n0.5,1,2\n", "does not name both ends", "source=a,target=b,weight=weight", &[(1, 2)]),
        ("a,b,source\n1,2,3\n", "does not name both ends", "source=source,target=a,weight=b", &[(3, 1)]),
        (
            "user_id,item_id,rating\n1,2,4.5\n",
            "does not name both",
            "source=user_id,target=item_id,weight=rating",
            &[(1, 2)],
        ),
        ("user_id,item_id,name\n1,2,x\n", "does not name both", "source=user_id,target=item_id", &[(1, 2)]),
        ("b,source\n2,1\n", "does not name both ends", "source=source,target=b", &[(1, 2)]),
        ("source,target,source\n1,2,3\n", "names an end twice", "source=1,target=target", &[(1, 2)]),
        ("weight,b\n1,2\n", "does not name both ends", "source=weight,target=b", &[(1, 2)]),
        ("name,first end,to\nx,1,2\n", "does not name both ends", "source=2,target=to", &[(1, 2)]),
        ("v,w,x\n2,1,3\n", "does not name both ends", "source=v,target=w,weight=x", &[(2, 1)]),
    ];
    for (text, problem, columns, ends) in cases {
        for text in [text.to_owned(), text.replace(',', "\t")] {
            let message = told(&import("a.csv", &format!("# c\n{text}"), &ImportOptions::default()).unwrap_err());
            assert!(message.contains("a.csv:2: the header `") && message.contains(problem), "{message}");
            assert!(message.contains(&format!("`--columns {columns}`")), "{message}");
            let (held, _) = import("a.csv", &text, &advised(&message)).unwrap();
            assert_eq!(pairs(&held), ends, "{text}");
        }
    }
    let (held, _) = import("a.csv", "a,b\n1,2\n", &ImportOptions::default()).unwrap();
    assert_eq!(pairs(&held), [(1, 2)], "two columns by any names");
}

#[test]
fn columns_that_are_not_read_are_named_with_the_option_that_reads_them() {
    let cases = [
        ("a.csv", "from,to,amount\n1,2,7.5\n", "a.csv: `amount` is not read", vec![7.5]),
        ("a.csv", "name,from,to,amount\nx,1,2,7.5\n", "`name` and `amount` are not read", vec![7.5]),
        (
            "a.csv",
            ",from,to,time,id,createdAt,edge_id,cost2\n0,1,2,3,4,5,6,7.5\n",
            "and `cost2` are not read",
            vec![7.5],
        ),
    ];
    for (name, text, said, expected) in cases {
        let (held, notes) = import(name, text, &ImportOptions::default()).unwrap();
        assert_eq!(pairs(&held), [(1, 2)]);
        let [note] = &notes[..] else { panic!("{notes:?}") };
        assert!(note.contains(said) && !note.contains('\n'), "{note}");
        let (held, _) = import(name, text, &advised(note)).unwrap();
        assert_eq!((pairs(&held), weights(&held)), (vec![(1, 2)], expected), "{note}");
    }
    for (text, weights) in [("1 2\n", Weights::Auto), ("1 2 3\n", Weights::Auto), ("1 2 3\n", Weights::Ignore)] {
        let options = ImportOptions { weights, ..ImportOptions::default() };
        assert_eq!(import("a.txt", text, &options).unwrap().1, Vec::<String>::new(), "{text}");
    }
    let folder = TempDir::new().unwrap();
    let path = write(&folder, "a.csv", b"from,to,amount\n1,2,7.5\n");
    let (_, summary) =
        build(&mut *open(&[path.to_owned()], &ImportOptions::default()).unwrap(), &BuildOptions::default()).unwrap();
    assert!(summary.to_string().contains("`amount` is not read"), "{summary}");
}

#[test]
fn a_column_is_proposed_as_the_weight_only_if_it_may_be_one() {
    let cases = [
        ("weights are read", "a.csv", "src,dst,weight,cost\n1,2,3,4\n", "`cost` is not read"),
        ("KONECT's times", "a.txt", "1 2 3 1082040961\n", "column 4 is not read"),
        ("no header", "a.csv", "1,2,3,4,5\n", "column 4 and column 5 are not read"),
        ("an index of pandas", "a.csv", ",from,to\n7,1,2\n", "column 1 is not read"),
        ("one that was written twice", "a.csv", "Unnamed: 0,from,to\n7,1,2\n", "`Unnamed: 0` is not read"),
        ("row names of R", "a.csv", "\"\",\"from\",\"to\"\n\"1\",1,2\n", "column 1 is not read"),
        ("an ID", "a.csv", "Id,Source,Target\n7,1,2\n", "`Id` is not read"),
        ("another ID", "a.csv", "edgeId,Source,Target\n7,1,2\n", "`edgeId` is not read"),
        ("a time", "a.csv", "from,to,unix_time\n1,2,7\n", "`unix_time` is not read"),
        ("a time in one word", "a.csv", "from,to,Timestamp\n1,2,7\n", "`Timestamp` is not read"),
        ("words", "a.csv", "from,to,name\n1,2,x\n", "`name` is not read"),
        ("Gephi", "a.csv", "Source,Target,Type,Id,Label\n1,2,Directed,0,\n", "`Id` and `Label` are not read"),
    ];
    for (why, name, text, said) in cases {
        let (_, notes) = import(name, text, &ImportOptions::default()).unwrap();
        assert!(notes[0].ends_with(said) && notes.len() == 1, "{why}: {notes:?}");
    }
    // An algorithm that takes no weights is told of no weights, and of all columns.
    let ignore = ImportOptions { weights: Weights::Ignore, ..ImportOptions::default() };
    for (name, text, said) in
        [("a.csv", "from,to,amount\n1,2,7.5\n", "`amount` is not read"), ("a.txt", "1 2 3 4\n", "column 4 is not read")]
    {
        let (_, notes) = import(name, text, &ignore).unwrap();
        assert!(notes[0].ends_with(said) && notes.len() == 1, "{notes:?}");
    }
}

#[test]
fn weights_that_are_not_read_are_declared() {
    let matrix = |field| format!("%%MatrixMarket matrix coordinate {field} general\n2 2 1\n1 2 5 0\n");
    for (name, text, expected) in [
        ("a.txt", "1 2 3\n".to_owned(), true),
        ("a.txt", "1 2\n".to_owned(), false),
        ("a.csv", "to,from,cost\n1,2,3\n".to_owned(), true),
        ("a.csv", "to,from,note\n1,2,3\n".to_owned(), false),
        ("a.gr", "p sp 2 1\na 1 2 3\n".to_owned(), true),
        ("a.gr", "a 1 2 3\n".to_owned(), true),
        ("a.graph", "2 1 1\n2 5\n1 5\n".to_owned(), true),
        ("a.graph", "2 1\n2\n1\n".to_owned(), false),
        ("a.mtx", matrix("complex"), true),
        ("a.mtx", matrix("pattern").replace(" 5 0", ""), false),
    ] {
        let declared =
            |weights| import(name, &text, &ImportOptions { weights, ..ImportOptions::default() }).unwrap().0.1;
        assert_eq!(declared(Weights::Ignore).unread_weights, expected, "{name}: {text}");
        assert!(!declared(Weights::One(ScalarType::U32)).unread_weights);
    }
}

#[test]
fn a_table_of_vertices_is_refused_as_such() {
    for (name, text) in [("a.csv", "Id,Label\n1,alice\n"), ("a.tsv", "node\tname\tage\n1\talice\t7\n")] {
        let message = told(&import(name, text, &ImportOptions::default()).unwrap_err());
        assert!(message.contains(&format!("{name}:1: the header `")), "{message}");
        assert!(message.contains("is that of a table of vertices; name the table of edges"), "{message}");
        assert!(!message.contains("--columns"), "{message}");
    }
    let message = told(&import("a.csv", "Id,Label\n1,2\n", &ImportOptions::default()).unwrap_err());
    assert_eq!(pairs(&import("a.csv", "Id,Label\n1,2\n", &advised(&message)).unwrap().0), [(1, 2)]);
    let (held, _) = import("a.csv", "node,neighbour\n1,2\n", &ImportOptions::default()).unwrap();
    assert_eq!(pairs(&held), [(1, 2)]);
}

#[test]
fn columns_are_chosen_by_name_or_by_number() {
    type Case<'a> = (&'a str, &'a str, &'a str, &'a [(u64, u64)], &'a [f64]);
    let cases: [Case<'_>; 9] = [
        ("a.csv", "a,b,c\n1,2,3\n", "source=c,target=a", &[(3, 1)], &[]),
        ("a.csv", "a,B,c\n1,2,3\n", "weight=A,source=c,target=b", &[(3, 2)], &[1.0]),
        ("a.csv", "a,A,c\n1,2,3\n", "source=a,target=A", &[(1, 2)], &[]),
        ("a.csv", "a,b,c\n1,2,3\n", "source=3,target=1", &[(3, 1)], &[]),
        ("a.csv", "a,b,c\n1,2,3\n", "source=c,target=1", &[(3, 1)], &[]),
        ("a.csv", "x,1,2\ny,2,3\n", "source=2,target=3", &[(1, 2), (2, 3)], &[]),
        ("a.csv", "1,x,0.5,2\n2,\"y,z\",1,3 # c\n", "source=4,target=1,weight=3", &[(2, 1), (3, 2)], &[0.5, 1.0]),
        ("a.txt", "1 x 0.5 2 # c\n2 y 1 3\n", "source=4,target=1,weight=3", &[(2, 1), (3, 2)], &[0.5, 1.0]),
        ("a.txt", "x 1 2\n", "source=2,target=3", &[(1, 2)], &[]),
    ];
    for (name, text, columns, ends, expected) in cases {
        let format = Some(if name == "a.csv" { crate::import::Format::Csv } else { crate::import::Format::Edges });
        let (held, _) = import(name, text, &ImportOptions { format, ..options(columns) }).unwrap();
        assert_eq!((pairs(&held), weights(&held)), (ends.to_vec(), expected.to_vec()), "{text:?} {columns}");
    }
    let folder = TempDir::new().unwrap();
    write(&folder, "g.v", b"1\n2\n");
    let edges = write(&folder, "g.e", b"9 1 2\n8 2 1\n");
    let held = read(&edges, options("source=2,target=3,weight=1")).unwrap();
    assert_eq!((pairs(&held), weights(&held)), (vec![(1, 2), (2, 1)], vec![9.0, 8.0]));
}

#[test]
fn columns_that_are_not_there_are_refused() {
    let cases = [
        ("a.csv", "a,b,c\n1,2,3\n", "source=a,target=x", "a.csv:1: there is no column `x`; the header is `a,b,c`"),
        ("a.csv", "a,b,c\n1,2,3\n", "source=a,target=4", "there is no column 4: the first record has 3 fields"),
        ("a.csv", "a,b,c\n1,2,3\n", "source=a,target=0", "there is no column 0"),
        ("a.csv", "a,b,b\n1,2,3\n", "source=a,target=b", "columns 2 and 3 both have the name `b`"),
        ("a.csv", "a,b,c\n1,2,3\n", "source=a,target=1", "names a column twice"),
        ("a.txt", "1 2 3\n", "source=a,target=b", "a.txt:1: there is no column `a`; the header is `1,2,3`"),
        ("a.gr", "p sp 2 1\na 1 2 3\n", "source=1,target=2", "a file of format dimacs has no columns to choose from"),
        ("a.csv", "1\n2\n", "source=1,target=2", "there is no column 2: the first record has 1 fields"),
    ];
    for (name, text, columns, expected) in cases {
        let message = told(&import(name, text, &options(columns)).unwrap_err());
        assert!(message.contains(expected), "{message}");
    }
    for (name, text) in [("a.csv", "1\n2\n"), ("a.txt", "3\n4 5\n")] {
        let message = told(&import(name, text, &ImportOptions::default()).unwrap_err());
        assert!(message.contains(&format!("{name}:1: the first record has 1 field")), "{message}");
    }
}

#[test]
fn weights_of_a_type_asked_for_need_a_column() {
    let options = ImportOptions { weights: Weights::As(ScalarType::U32), ..ImportOptions::default() };
    let message = told(&import("a.csv", "time,src,dst\n7,1,2\n", &options).unwrap_err());
    assert!(message.contains("a.csv:1: the header `time,src,dst` names no weight column"), "{message}");
    let columns = advised(&message).columns;
    assert_eq!(columns.as_ref().unwrap().to_string(), "source=src,target=dst,weight=time");
    let (held, _) = import("a.csv", "time,src,dst\n7,1,2\n", &ImportOptions { columns, ..options.clone() }).unwrap();
    assert_eq!(held.0, [(1, 2, Some(7))]);
    for (name, text) in [("a.csv", "src,dst\n1,2\n"), ("a.csv", "1,2\n"), ("a.txt", "1 2\n")] {
        let message = told(&import(name, text, &options).unwrap_err());
        assert!(message.contains("no weight column") && message.contains("`--weights 1`"), "{message}");
    }
}

#[test]
fn blank_and_comment_lines_beyond_many_blocks_are_passed_over() {
    let folder = TempDir::new().unwrap();
    let memory = Some(16 << 20);
    let newlines = vec![b'\n'; 24 << 20];
    let comments = "# a comment of some words\n".repeat(1 << 20);
    for (name, text, edges) in [
        ("a.txt", [&newlines[..], b"1 2\n"].concat(), 1),
        ("b.csv", [b"1,2\n", &newlines[..]].concat(), 1),
        ("c.txt", [&newlines[..], b"source,target\n", &newlines[..1 << 20], b"1,2\n"].concat(), 1),
        ("d.gr", [&newlines[..], b"p sp 2 1\n", &newlines[..1 << 20], b"a 1 2 3\n"].concat(), 1),
        ("e.txt", [comments.as_bytes(), b"1 2\n"].concat(), 1),
        ("f.txt", [b"% bip\n% 1 1 1\n", &comments.as_bytes()[..8 << 20], b"\n1 1\n"].concat(), 1),
        ("g.txt", newlines.clone(), 0),
    ] {
        let path = write(&folder, &format!("{name}.gz"), &gzip(&text));
        let held = read(&path, ImportOptions { memory, ..ImportOptions::default() }).unwrap();
        assert_eq!(held.0.len(), edges, "{name}");
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_comment_longer_than_any_line_may_be_is_skipped() {
    let folder = TempDir::new().unwrap();
    let long = "x".repeat(64 << 20);
    let memory = Some(16 << 20);
    for (name, text) in [
        ("a.txt", format!("# {long}\n1 2\n%{long}\n2 3\n# {long}")),
        ("a.csv", format!("1,2\n# {long}\n2,3\n")),
        ("a.gr", format!("c {long}\np sp 3 2\na 1 2 1\nc {long}\na 2 3 1\n")),
        ("a.mtx", format!("%%MatrixMarket matrix coordinate pattern general\n%{long}\n3 3 2\n1 2\n2 3\n")),
    ] {
        let path = write(&folder, name, text.as_bytes());
        let held = read(&path, ImportOptions { memory, ..ImportOptions::default() }).unwrap();
        assert_eq!(pairs(&held), [(1, 2), (2, 3)], "{name}");
    }
    // The lines after it keep their numbers.
    let path = write(&folder, "b.txt", format!("1 2\n# {long}\nx 3\n").as_bytes());
    let message = told(&read(&path, ImportOptions { memory, ..ImportOptions::default() }).unwrap_err());
    assert!(message.contains("b.txt:3:1: expected a vertex ID"), "{message}");
}

#[test]
fn a_file_of_arcs_without_a_header_says_so() {
    let (held, notes) = import("a.gr", "c c\na 0 1 5\na 1 9 3\n", &ImportOptions::default()).unwrap();
    assert_eq!((pairs(&held), weights(&held)), (vec![(0, 1), (1, 9)], vec![5.0, 3.0]));
    assert!(notes[0].contains("a.gr: it has no `p` line"), "{notes:?}");
}
