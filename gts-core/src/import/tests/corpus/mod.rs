//! Awkward files, each with its verdict: the arcs that it holds, or the place of its fault.

mod files;
mod headers;
mod keys;
mod kinds;
mod packed;
mod statements;
mod tables;
mod weights;

use crate::advice::{Reader, explain_within};
use crate::build::{Declared, DeclaredVertices, Direction, EdgeBatch};
use crate::import::{Format, ImportError, ImportOptions, open};
use files::{BAD, GOOD};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Arcs with the bits of their weights, and what the stream declares at its end.
pub(super) type Held = (Vec<(u64, u64, Option<u64>)>, Declared);

/// The text of an error with its advice, as the command line says it.
pub(super) fn told(error: &ImportError) -> String {
    explain_within(error, Reader::CommandLine)
}

fn write(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn read(path: &Path, options: ImportOptions) -> Result<Held, ImportError> {
    let mut stream = open(&[path.to_owned()], &options)?;
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

pub(super) fn import(name: &str, bytes: &[u8], options: ImportOptions) -> Result<Held, ImportError> {
    let folder = TempDir::new().unwrap();
    read(&write(&folder, name, bytes), options)
}

pub(super) fn pairs(held: &Held) -> Vec<(u64, u64)> {
    held.0.iter().map(|&(src, dst, _)| (src, dst)).collect()
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

const PATTERN: &str = "%%MatrixMarket matrix coordinate pattern general\n";

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
            let message = told(&error);
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
        let message = told(&import(name, text.as_bytes(), ImportOptions::default()).unwrap_err());
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

#[test]
fn headers_and_lines_longer_than_a_block_are_read() {
    let comments = "% a long story before the size\n".repeat(200_000);
    let text = format!("{PATTERN}{comments}2 2 1\n1 2\n");
    assert!(text.len() > 5 << 20);
    assert_eq!(pairs(&import("a.mtx", text.as_bytes(), ImportOptions::default()).unwrap()), [(1, 2)]);
    let leaves = 800_000u64;
    let mut star = format!("{} {leaves}\n", leaves + 1);
    (2..=leaves + 1).for_each(|leaf| star.push_str(&format!("{leaf} ")));
    star.push_str(&"\n1".repeat(leaves as usize));
    assert!(star.len() > 6 << 20);
    let (arcs, _) = import("a.graph", star.as_bytes(), ImportOptions::default()).unwrap();
    assert_eq!(arcs.len() as u64, 2 * leaves);
    assert_eq!((arcs[0], arcs.last().copied()), ((1, 2, None), Some((leaves + 1, 1, None))));
}

#[test]
fn graphalytics_needs_both_files() {
    let folder = TempDir::new().unwrap();
    let path = write(&folder, "g.e", b"10 20 0.5\n20 30 1\n");
    let message = told(&read(&path, ImportOptions::default()).unwrap_err());
    assert!(message.contains("g.v") && message.contains("two files"), "{message}");
    let as_edges = ImportOptions { format: Some(Format::Edges), ..ImportOptions::default() };
    assert_eq!(read(&path, as_edges).unwrap().0.len(), 2);
    let vertices = write(&folder, "g.v.gz", &gzip(b"# c\n30 # x\r\n20\n\n10 \n40"));
    for named in [&path, &vertices] {
        let (arcs, declared) = read(named, ImportOptions::default()).unwrap();
        assert_eq!(arcs.len(), 2);
        assert_eq!(declared.vertices, DeclaredVertices::List(vec![10, 20, 30, 40].into()));
    }
    write(&folder, "g.v", b"30 x 1\n20 y 2 # c\n10 z 3\n");
    assert_eq!(read(&path, ImportOptions::default()).unwrap().0.len(), 2, "properties of vertices are left out");
    let direction = |options| read(&path, options).unwrap().1.direction;
    assert_eq!(direction(ImportOptions::default()), Direction::Directed);
    write(&folder, "g.properties", b"# published\ngraph.g.directed = false\n");
    assert_eq!(direction(ImportOptions::default()), Direction::Undirected);
    assert_eq!(direction(ImportOptions { directed: Some(true), ..ImportOptions::default() }), Direction::Directed);
    write(&folder, "h.v", b"1\n2\n");
    let undeclared = write(&folder, "h.e", b"1 2\n2 3\n");
    let message = told(&read(&undeclared, ImportOptions::default()).unwrap_err());
    assert!(message.contains("h.e:2:1: expected a vertex that the .v file lists"), "{message}");
    let bad = write(&folder, "i.e", b"1 2\n");
    for (vertices, expected) in [
        (&b"1\n-2\n"[..], "i.v:2:1: expected a vertex ID"),
        (b"1 2 1\n2 3\n", "i.v:2:4: expected 3 fields, as in the first record, found 2"),
        (b"1\n2 3 # x\n", "i.v:2:5: expected 1 field, as in the first record, found 2"),
        (b"2\n# c\n1\n\n3\n1\n", "i.v:6:1: expected a vertex that no line before lists, found `1`"),
        (b"1\n1\n2\n", "i.v:2:1: expected a vertex that no line before lists, found `1`"),
    ] {
        write(&folder, "i.v", vertices);
        let message = told(&read(&bad, ImportOptions::default()).unwrap_err());
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn text_in_utf_16_is_refused_by_its_file() {
    let texts = [("a.txt", "1 2\n2 3\n"), ("a.csv", "1,2\n"), ("c.txt", "# c\n1 2\n"), ("a.mtx", PATTERN)];
    for (name, text) in texts {
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for plain in [[&b"\xff\xfe"[..], &little].concat(), little, [&b"\xfe\xff"[..], &big].concat(), big] {
            for (name, bytes) in [(name.to_owned(), plain.clone()), (format!("{name}.gz"), gzip(&plain))] {
                let message = told(&import(&name, &bytes, ImportOptions::default()).unwrap_err());
                assert!(message.contains(&format!("{name}: text in UTF-16")), "{message}");
            }
        }
    }
    let folder = TempDir::new().unwrap();
    write(&folder, "g.v", b"1\0\n\x002\0");
    let edges = write(&folder, "g.e", b"1 2\n");
    let message = told(&read(&edges, ImportOptions::default()).unwrap_err());
    assert!(message.contains("g.v: text in UTF-16"), "{message}");
}

#[test]
fn what_is_no_graph_file_is_refused() {
    let folder = TempDir::new().unwrap();
    let absent = read(&folder.path().join("absent.txt"), ImportOptions::default()).unwrap_err();
    assert!(matches!(absent, ImportError::Io { .. }) && absent.to_string().contains("absent.txt"), "{absent}");
    assert!(told(&absent).ends_with("; check the path"), "{absent}");
    let prose = told(&import("a.md", b"Some prose on graphs\n", ImportOptions::default()).unwrap_err());
    let names =
        "give --format, one of edges, csv, jsonl, adjacency, matrix-market, dimacs, metis, graphalytics, graph500, ";
    assert!(prose.contains("a.md") && prose.contains(names), "{prose}");
    let message = told(&read(folder.path(), ImportOptions::default()).unwrap_err());
    assert!(message.contains("a directory"), "{message}");
}
