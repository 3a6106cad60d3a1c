//! Tables whose vertices have names, signed numbers or UUIDs.

use super::write;
use crate::advice::{Reader, explain_within};
use crate::graph::{Graph, KeyKind};
use crate::read::ReadError;
use tempfile::TempDir;

/// The edges of a file, by key.
fn edges(name: &str, text: &str, keys: Option<KeyKind>) -> Result<(KeyKind, Vec<[String; 2]>), ReadError> {
    let folder = TempDir::new().unwrap();
    let reader = Graph::reader(write(&folder, name, text.as_bytes()));
    let graph = keys.into_iter().fold(reader, |reader, kind| reader.keys(kind)).read()?;
    let key = |vertex| graph.key(vertex).unwrap().to_string();
    let edges = graph.edges().map(|edge| edge.map(|(src, dst)| [key(src), key(dst)])).collect::<Result<_, _>>();
    Ok((graph.ids().kind(), edges.unwrap()))
}

const UUIDS: [&str; 2] = ["123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000001"];

#[test]
fn keys_are_those_of_the_file_in_ascending_order() {
    use KeyKind::{Signed, Text, Uuid};
    let uuids = format!("{}\t{}\n", UUIDS[0], UUIDS[1]);
    type Case<'a> = (&'a str, &'a str, Option<KeyKind>, KeyKind, &'a [[&'a str; 2]]);
    let cases: [Case<'_>; 10] = [
        ("a.csv", "source,target\nbob,alice\nalice,bob\n", None, Text, &[["alice", "bob"], ["bob", "alice"]]),
        ("a.csv", "from,to\n\"a \"\"b\"\", c\",é\n", None, Text, &[["a \"b\", c", "é"]]),
        ("a.csv", "from,to\n \" x\" , y y \n", None, Text, &[[" x", "y y"]]),
        ("a.csv", "to,km,from\nb,2,a\n", None, Text, &[["a", "b"]]),
        ("a.tsv", "from\tto\na b\tc\n", None, Text, &[["a b", "c"]]),
        ("a.txt", "007 7 # no key\n# c\nb a\n", Some(Text), Text, &[["007", "7"], ["b", "a"]]),
        ("a.csv", &uuids, None, Uuid, &[UUIDS]),
        (
            "a.txt",
            "-5 3\n3 -9223372036854775808\n",
            Some(Signed),
            Signed,
            &[["-5", "3"], ["3", "-9223372036854775808"]],
        ),
        ("a.txt", "1 2\n", Some(Text), Text, &[["1", "2"]]),
        ("a.csv", "from,to\n7,😀\n7,x\n", Some(Text), Text, &[["7", "x"], ["7", "😀"]]),
    ];
    for (name, text, given, kind, expected) in cases {
        let expected = expected.iter().map(|edge| edge.map(str::to_owned)).collect();
        assert_eq!(edges(name, text, given).map_err(|error| error.to_string()), Ok((kind, expected)), "{text}");
    }
}

#[test]
fn keys_of_another_type_are_refused_with_line_and_flag() {
    let long = format!("1 b\n{} b\n", "x".repeat((64 << 10) + 1));
    let cases: [(&str, &str, Option<KeyKind>, &str); 12] = [
        ("a.txt", "1 2\nalice bob\n", None, "a.txt:2:1: expected a vertex ID"),
        ("a.txt", "1 2\nalice bob\n", None, "`--keys text`"),
        (
            "a.txt",
            "1 -2\n",
            None,
            "a.txt:1:3: expected a vertex ID, an integer of 0 to 18446744073709551615, found `-2`; read the keys as signed numbers: `--keys signed`",
        ),
        (
            "a.csv",
            "1,2\n007,2\n",
            None,
            "a.csv:2:1: expected a vertex ID, an integer of 0 to 18446744073709551615, found `007`; write the ID without leading zeros, or read all keys as names: `--keys text`",
        ),
        ("a.txt", "1 2\n1 02\n", None, "found `02`"),
        ("a.csv", "1,2\n1.0,2\n", None, "`--keys text`"),
        ("a.txt", "1 2\n1e+05 2\n", None, "`--keys text`"),
        (
            "a.txt",
            "-1 2\nx 1\n",
            Some(KeyKind::Signed),
            "a.txt:2:1: expected a signed number, an integer of -2^63 to 2^63 - 1, found `x`; correct the line, or read all keys as names: `--keys text`",
        ),
        ("a.txt", "1 2\n", Some(KeyKind::Uuid), "a.txt:1:1: expected a UUID"),
        ("a.csv", "from,to\n,b\n", None, "a.csv:2:1: expected a name, UTF-8 text of 1 byte to 64 KiB, found"),
        ("a.csv", "from,to\na,\"\"\n", Some(KeyKind::Text), "expected a name, UTF-8 text of 1 byte to 64 KiB"),
        ("a.txt", &long, Some(KeyKind::Text), "a.txt:2:1: expected a name, UTF-8 text of 1 byte to 64 KiB"),
    ];
    for (name, text, keys, expected) in cases {
        let error = edges(name, text, keys).unwrap_err();
        let message = explain_within(&error, Reader::CommandLine);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn text_that_is_not_utf_8_is_no_key() {
    let folder = TempDir::new().unwrap();
    let path = write(&folder, "a.csv", b"from,to\nb,a\ncaf\xe9,b\n");
    let message = explain_within(&Graph::read(&path).unwrap_err(), Reader::CommandLine);
    assert!(message.contains("a.csv:3:1: expected a name") && message.contains("iconv"), "{message}");
}

#[test]
fn a_record_of_names_that_may_be_a_header_is_refused_until_it_is_said() {
    let folder = TempDir::new().unwrap();
    let path = write(&folder, "a.csv", b"alice,bob\nbob,carol\n");
    let message = explain_within(&Graph::read(&path).unwrap_err(), Reader::CommandLine);
    assert!(message.contains("a.csv:1: the first record, `alice,bob`, may be a header or an edge"), "{message}");
    assert!(message.contains("`--header yes`") && message.contains("`--header no`"), "{message}");
    let edges = |header| Graph::reader(&path).header(header).read().unwrap().num_edges();
    assert_eq!([edges(true), edges(false)], [1, 2]);
    // If any text is a key, numbers below the first record do not make it a header.
    let path = write(&folder, "a.txt", b"bob carol\n1 2\n");
    let read = |keys| Graph::reader(&path).keys(keys).read();
    assert_eq!(read(KeyKind::Number).unwrap().num_edges(), 1);
    let message = explain_within(&read(KeyKind::Text).unwrap_err(), Reader::CommandLine);
    assert!(message.contains("may be a header or an edge"), "{message}");
}

#[test]
fn formats_that_number_vertices_have_no_other_keys() {
    let folder = TempDir::new().unwrap();
    for name in ["a.mtx", "a.gr", "a.graph", "a.e"] {
        let path = write(&folder, name, b"1 2\n");
        let error = Graph::reader(&path).keys(KeyKind::Text).read().unwrap_err();
        let message = explain_within(&error, Reader::CommandLine);
        assert!(message.contains("--keys text is given") && message.contains("numbers its vertices"), "{message}");
    }
}
