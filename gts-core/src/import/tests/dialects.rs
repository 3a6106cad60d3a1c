//! Tables in the dialects of programs, and the options that name a dialect.

use super::corpus::{Held, import, pairs, told};
use crate::build::Declared;
use crate::graph::KeyKind;
use crate::import::{Delimiter, Format, ImportOptions};
use gts_contract::ScalarType;

fn read(name: &str, text: &str, options: &ImportOptions) -> Held {
    import(name, text.as_bytes(), options.clone()).unwrap_or_else(|error| panic!("{}", told(&error)))
}

fn refused(name: &str, text: &str, options: &ImportOptions) -> String {
    told(&import(name, text.as_bytes(), options.clone()).unwrap_err())
}

fn delimited(name: &str) -> ImportOptions {
    ImportOptions { delimiter: Delimiter::from_name(name), ..ImportOptions::default() }
}

fn weights(held: &Held) -> Vec<f64> {
    held.0.iter().map(|&(.., bits)| f64::from_bits(bits.unwrap())).collect()
}

#[test]
fn a_delimiter_is_given_or_found() {
    let expected = [(1, 2), (3, 4)];
    for (name, text, options) in [
        ("a.txt", "1|2\n3|4\n", delimited("|")),
        ("a.csv", "1|2\n3|4\n", delimited("|")),
        ("a.txt", "source|target|name\n1|2|a;b\n3|4|c,d # x\n", delimited("|")),
        ("a.csv", "1:2\n3:4\n", delimited(":")),
        ("a.csv", "source target\n1   2\n3\t4\n", delimited("any")),
        ("a.txt", "1\t2\n3\t4\n", delimited("\\t")),
        ("a.csv", "sep=;\r\nsource;target;note\r\n1;2;a,b\r\n3;4;\r\n", ImportOptions::default()),
        ("a.txt", "SEP=|\n1|2\n3|4\n", ImportOptions::default()),
        ("a.csv", "sep=;\n1|2\n3|4\n", delimited("|")),
    ] {
        assert_eq!(pairs(&read(name, text, &options)), expected, "{text}");
    }
    for name in ["7", "a", "\"", "-", ".", "", ";;", "\n"] {
        assert_eq!(Delimiter::from_name(name), None, "{name}");
    }
    let error = refused("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", &delimited(";"));
    assert!(error.contains("--delimiter is given, and a file of format matrix-market is no table"), "{error}");
    let edges = ImportOptions { format: Some(Format::Edges), ..delimited(";") };
    let error = refused("a.txt", "1;2\n", &edges);
    assert!(error.contains("a file of format edges has another one; leave --delimiter out"), "{error}");
}

#[test]
fn a_table_of_blanks_may_be_called_csv() {
    let held = read("a.csv", "source target weight\n1 2 3\n2 3 4\n", &ImportOptions::default());
    assert_eq!((pairs(&held), weights(&held)), (vec![(1, 2), (2, 3)], vec![3.0, 4.0]));
    let csv = ImportOptions { format: Some(Format::Csv), ..ImportOptions::default() };
    assert!(refused("a.csv", "1 2\n", &csv).contains("the first record has 1 field"));
}

#[test]
fn decimal_commas_are_read_when_asked() {
    let options = ImportOptions { decimal_comma: true, ..ImportOptions::default() };
    for (name, text) in [
        ("a.csv", "source;target;weight\n1;2;0,5\n2;3;-1,25\n"),
        ("a.csv", "source,target,weight\n1,2,\"0,5\"\n2,3,\"-1,25\"\n"),
        ("a.csv", "1\t2\t0,5\n2\t3\t-1,25\n"),
        ("a.txt", "1 2 0,5\n2 3 -1,25\n"),
        ("a.txt", "source target weight\n1 2 0,5\n2 3 -1,25\n"),
    ] {
        let held = read(name, text, &options);
        assert_eq!((pairs(&held), weights(&held)), (vec![(1, 2), (2, 3)], vec![0.5, -1.25]), "{text}");
        assert_eq!(held.1.store_as, Some(ScalarType::F32));
    }
    for weight in ["1.234,5", "1,2,3", ",", "1.5"] {
        let error = refused("a.csv", &format!("1;2;{weight}\n"), &options);
        assert!(error.contains(":1:5: expected a weight, a number with a decimal comma"), "{error}");
    }
    let error = refused("a.csv", "1;2;0,5\n", &ImportOptions::default());
    assert!(error.contains("read commas as decimal points: `--decimal-comma`"), "{error}");
}

#[test]
fn the_signs_of_comments_can_be_chosen() {
    let comment = |signs: &str| ImportOptions { comment: Some(signs.into()), ..ImportOptions::default() };
    assert_eq!(pairs(&read("a.txt", "! x\n1 2 ! y\n/ z\n2 3\n", &comment("!/"))), [(1, 2), (2, 3)]);
    assert_eq!(pairs(&read("a.csv", "! x\n1,2 ! y\n2,3\n", &comment("!"))), [(1, 2), (2, 3)]);
    let names = ImportOptions { keys: Some(KeyKind::Text), header: Some(false), ..comment("") };
    assert_eq!(read("a.txt", "#a %b\n", &names).0.len(), 1, "no sign begins a comment");
    let error = refused("a.txt", "1 2\n", &comment("a"));
    assert!(error.contains("--comment is given, and a letter"), "{error}");
}

#[test]
fn a_header_of_an_edge_list_is_found_or_said() {
    let read_all = |text: &str, header| {
        let options = ImportOptions { header, ..ImportOptions::default() };
        import("a.txt", text.as_bytes(), options).map_err(|error| told(&error))
    };
    for (text, header) in [
        ("source target\n1 2\n2 3\n", None),
        ("x y\n1 2\n2 3\n", None),
        ("# c\ntarget weight source\n2 5 1\n3 6 2\n", None),
        ("1 2\n1 2\n2 3\n", Some(true)),
    ] {
        assert_eq!(pairs(&read_all(text, header).unwrap()), [(1, 2), (2, 3)], "{text}");
    }
    let names = |text, header| {
        let (arcs, Declared { keys, .. }) = read_all(text, header).unwrap();
        assert_eq!(keys, KeyKind::Text);
        arcs.len()
    };
    assert_eq!(names("from to\nann bob\nbob cy\n", None), 2);
    assert_eq!(names("ann bob\nbob cy\n", Some(false)), 2);
    assert_eq!(names("left right\nann bob\n", Some(true)), 1);
    let error = read_all("ann bob\nbob cy\n", None).unwrap_err();
    assert!(error.contains("may be a header or an edge; say which: `--header yes`"), "{error}");
}

#[test]
fn the_names_a_c_and_p_may_come_first() {
    let options = ImportOptions { header: Some(false), ..ImportOptions::default() };
    for text in ["a b\nb c\n", "c d\na e\n", "p sp\nsp a\n", "c comment\nd e\n", "p sp 7\na p 2\n"] {
        let held = read("g.txt", text, &options);
        assert_eq!(held.1.keys, KeyKind::Text, "{text}");
        assert_eq!(held.0.len(), 2, "{text}");
    }
    for text in ["c star\np sp 3 1\na 1 3 7\n", "a 1 3 7\n", "c\n\n  c of names\na 1 3 7.5\n"] {
        let held = read("g.txt", text, &ImportOptions::default());
        assert_eq!((held.1.keys, pairs(&held)), (KeyKind::Number, vec![(1, 3)]), "{text}");
    }
    // Other problems of DIMACS are refused by name.
    let error = refused("g.txt", "p max 4 5\nn 1 s\n", &ImportOptions::default());
    assert!(error.contains("`sp`, the shortest-path problem"), "{error}");
}
