//! Several files as one graph, and pipes.

use crate::advice::{Explain, Reader, explain_within};
use crate::build::{EdgeBatch, EdgeStream};
use crate::import::{ImportError, ImportOptions, open};
use gts_contract::ScalarType;
use gts_contract::language::Code;
use std::path::PathBuf;
use tempfile::TempDir;

const UUID: &str = "123e4567-e89b-12d3-a456-426614174000";

fn write(folder: &TempDir, files: &[(&str, &str)]) -> Vec<PathBuf> {
    let write = |&(name, text): &(&str, &str)| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    files.iter().map(write).collect()
}

fn drain(stream: &mut dyn EdgeStream) -> Result<Vec<(u64, u64, Option<u64>)>, ImportError> {
    let (mut edges, mut batch) = (Vec::new(), EdgeBatch::default());
    while stream.next(&mut batch)? {
        edges.extend((0..batch.src.len()).map(|i| (batch.src[i], batch.dst[i], batch.value.get(i).copied())));
    }
    edges.sort_unstable();
    Ok(edges)
}

#[test]
fn the_order_of_files_does_not_matter() {
    let folder = TempDir::new().unwrap();
    let mut paths = write(
        &folder,
        &[
            ("c.csv", "source,target,weight\n5,6,-2\n"),
            ("empty.csv", "# nothing\n"),
            ("a.csv", "source,target,weight\n1,2,0.5\n3,4,7\n"),
        ],
    );
    let mut held = Vec::new();
    for _ in 0..3 {
        paths.rotate_left(1);
        let mut stream = open(&paths, &ImportOptions::default()).unwrap();
        let edges = drain(&mut *stream).unwrap();
        let (done, total) = stream.progress();
        assert_eq!(Some(done), total);
        held.push((edges, stream.declared()));
    }
    assert_eq!(held[0].1.store_as, Some(ScalarType::F32));
    assert_eq!(held[0].0.len(), 3);
    assert!(held.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn a_file_that_differs_is_named_with_both_properties() {
    let folder = TempDir::new().unwrap();
    let matrix =
        |vertices: u32| format!("%%MatrixMarket matrix coordinate pattern general\n{vertices} {vertices} 1\n1 2\n");
    let (two, three) = (matrix(2), matrix(3));
    for (first, second, found, expected) in [
        ("source,target\n1,2\n", "from,to\n1,2\n", "the columns `from,to`", "the columns `source,target`"),
        ("source,target\n1,2\n", "1,2\n", "2 columns without names", "the columns `source,target`"),
        ("1,2\n", "1,2,3\n", "3 columns without names", "2 columns without names"),
        ("1,2\n", &format!("{UUID},{UUID}\n"), "keys of type uuid", "keys of type number"),
        ("# Undirected graph\n1,2\n", "1,2\n", "directed edges", "symmetrised edges"),
        (&two, &three, "3 vertices from 1 on", "2 vertices from 1 on"),
    ] {
        let paths = write(&folder, &[("1.csv", first), ("2.csv", second)]);
        let refused = open(&paths, &ImportOptions::default()).and_then(|mut stream| drain(&mut *stream));
        let error = refused.unwrap_err();
        let text = explain_within(&error, Reader::CommandLine);
        let whole = format!("2.csv: {found}, but ");
        assert!(text.contains(&whole) && text.contains(&format!("1.csv has {expected}; ")), "{text}");
        assert_eq!(error.code(), Code::UnlikeFiles);
    }
}

#[test]
fn files_of_the_same_size_are_one_graph_in_formats_with_a_header() {
    let folder = TempDir::new().unwrap();
    let paths = write(&folder, &[("1.gr", "p sp 3 1\na 1 2 4\n"), ("2.gr", "c more\np sp 3 1\na 2 3 5\n")]);
    let mut stream = open(&paths, &ImportOptions::default()).unwrap();
    assert_eq!(drain(&mut *stream).unwrap().len(), 2);
    assert_eq!(stream.declared().edges, None);
}

#[cfg(target_os = "linux")]
#[allow(clippy::disallowed_methods)]
mod pipes {
    use super::*;
    use crate::import::tests::corpus::{gzip, zstd};

    /// Imports text that arrives through a named pipe.
    fn pipe(name: &str, text: Vec<u8>, options: &ImportOptions) -> Result<Vec<(u64, u64, Option<u64>)>, ImportError> {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join(name);
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        std::thread::scope(|scope| {
            // The reader may stop before the end.
            scope.spawn(|| std::fs::write(&path, &text));
            let mut stream = open(std::slice::from_ref(&path), options)?;
            assert_eq!(stream.progress().1, None);
            drain(&mut *stream)
        })
    }

    #[test]
    fn a_pipe_holds_what_a_file_holds() {
        let matrix = "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 7\n2 3 8\n";
        for (name, text) in [
            ("a.csv", "source,target,weight\n1,2,7\n2,3,8\n"),
            ("a.txt", "1 2 7\n2 3 8\n"),
            ("a", matrix),
            ("a.gr", "p sp 3 2\na 1 2 7\na 2 3 8\n"),
            ("a.graph", "3 2 1\n2 7\n1 7 3 8\n2 8\n"),
        ] {
            let folder = TempDir::new().unwrap();
            let paths = write(&folder, &[(name, text)]);
            let expected = drain(&mut *open(&paths, &ImportOptions::default()).unwrap()).unwrap();
            for text in [text.as_bytes().to_vec(), gzip(text.as_bytes()), zstd(text.as_bytes())] {
                assert_eq!(pipe(name, text, &ImportOptions::default()).unwrap(), expected, "{name}");
            }
        }
        let long: String = (0..1_000_000).map(|id| format!("{id} {}\n", id + 1)).collect();
        assert_eq!(pipe("long", long.into_bytes(), &ImportOptions::default()).unwrap().len(), 1_000_000);
    }

    #[test]
    fn a_pipe_that_ends_too_early_is_refused() {
        let text: String = (0..20_000).map(|id| format!("{id} {}\n", id * 7919 % 10_007)).collect();
        for whole in [gzip(text.as_bytes()), zstd(text.as_bytes())] {
            let error = pipe("a", whole[..whole.len() / 2].to_vec(), &ImportOptions::default()).unwrap_err();
            let text = explain_within(&error, Reader::CommandLine);
            assert!(text.contains("is not a whole") && text.contains("see why the program that writes"), "{text}");
            assert_eq!(error.code(), Code::CompressedFile);
        }
        let one_sided = b"2 1\n2\n\n".to_vec();
        let error = pipe("a.graph", one_sided, &ImportOptions::default()).unwrap_err();
        assert!(matches!(error, ImportError::WrongCount { .. }), "{error}");
        let one_sided = b"3 2\n2 3\n1\n2\n".to_vec();
        let error = pipe("a.graph", one_sided, &ImportOptions::default()).unwrap_err();
        assert!(matches!(error, ImportError::OneSided { edge: None, .. }), "{error}");
    }
}
