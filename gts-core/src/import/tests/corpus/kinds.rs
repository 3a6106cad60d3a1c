//! Files of other kinds, which are refused by their kind.

use super::{gzip, import, told};
use crate::import::{Format, ImportOptions};

/// A tar archive of a file of two edges.
fn tar() -> Vec<u8> {
    let mut bytes = vec![0; 512];
    bytes[..5].copy_from_slice(b"a.txt");
    bytes[257..265].copy_from_slice(b"ustar  \0");
    bytes.extend_from_slice(b"1 2\n2 3\n");
    bytes.resize(2048, 0);
    bytes
}

/// A database of SQLite: one table with one row.
fn sqlite() -> Vec<u8> {
    let mut bytes = b"SQLite format 3\0\x10\0\x01\x01\0@  \0\0\0\x02\0\0\0\x02".to_vec();
    bytes.resize(4000, 0);
    bytes.extend_from_slice(b"CREATE TABLE e (a INTEGER, b INTEGER);\t");
    bytes.resize(8192, 0);
    bytes
}

#[test]
fn other_kinds_are_refused_by_their_bytes() {
    let padded = |magic: &[u8]| [magic, &[0; 60], b",;\t\n1 2\n"].concat();
    let cases = [
        ("a.parquet", padded(b"PAR1\x15\x04"), "a Parquet file"),
        ("a.feather", padded(b"ARROW1\0\0"), "an Arrow file"),
        ("a.bin", padded(b"FEA1"), "a Feather file"),
        ("a.bin", padded(b"ORC\x08\x01"), "an ORC file"),
        ("a.bin", padded(b"Obj\x01\x04\x14avro.codec"), "an Avro file"),
        ("a.db", sqlite(), "an SQLite database"),
        ("a.bin", padded(b"\x12\x34\x56\x78\x12\x34\x56\x78DUCK"), "a DuckDB database"),
        ("a.xls", padded(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an Excel or Word file"),
        ("a.xlsx", padded(b"PK\x03\x04"), "an Excel workbook"),
        ("a.npz", padded(b"PK\x03\x04"), "a NumPy archive"),
        ("a.zip", b"PK\x03\x04....".to_vec(), "a zip archive"),
        ("a.rds", padded(b"X\n\0\0\0\x03"), "an RDS file of R"),
        ("a.pkl", padded(b"\x80\x04\x95"), "a Python pickle"),
        ("a.h5", padded(b"\x89HDF\r\n\x1a\n"), "an HDF5 file"),
        ("a.npy", padded(b"\x93NUMPY\x01\0"), "a NumPy file"),
        ("a.mat", padded(b"MATLAB 5.0 MAT-file, Platform: GLNXA64"), "a MATLAB file"),
        ("a.tar", tar(), "a tar archive"),
        ("a.tar.bz2", b"BZh91AY&SY".to_vec(), "a bzip2 file"),
        ("a.xz", b"\xfd7zXZ\0\0\0".to_vec(), "an xz file"),
        ("a.7z", padded(b"7z\xbc\xaf\x27\x1c"), "a 7z archive"),
        ("a.png", padded(b"\x89PNG\r\n\x1a\n"), "a PNG image"),
        ("a.pdf", b"%PDF-1.7\n%\n".to_vec(), "a PDF document"),
        ("a.bin", b"\x7fELF\0\0\0\0".to_vec(), "an ELF program"),
    ];
    for (name, bytes, kind) in cases {
        // The bytes count, whatever name and format say, in a compressed file, too.
        for (name, bytes) in [
            (name.to_owned(), bytes.clone()),
            (format!("{name}.csv"), bytes.clone()),
            (format!("{name}.gz"), gzip(&bytes)),
        ] {
            for format in [None, Some(Format::Edges)] {
                let options = ImportOptions { format, ..ImportOptions::default() };
                let message = told(&import(&name, &bytes, options).unwrap_err());
                // Only the name tells what a zip archive holds.
                let kind = if name.ends_with(".csv") && bytes.starts_with(b"PK") { "a zip archive" } else { kind };
                assert!(message.contains(&format!("{name}: {kind} cannot be imported; ")), "{message}");
            }
        }
    }
}

#[test]
fn other_texts_are_refused_by_their_first_line_or_by_their_name() {
    let cases = [
        ("a.gml", "graph [\n  node [\n id 1 ]\n]\n", "a GML file"),
        ("a.txt", "Creator \"Newman, Mark\"\ngraph\n[\n  directed 0\n", "a GML file"),
        ("a.gml", "Creator \"Newman, Mark\"\n", "a GML file"),
        ("a.gexf", "<gexf>\n", "a GEXF file"),
        ("a.txt", "<?xml version=\"1.0\"?>\n<gexf>\n", "a GEXF file"),
        ("a.xml", "<?xml version=\"1.0\"?>\n<x>\n", "an XML file"),
        ("a.csv", "<!DOCTYPE html>\n<html>\n", "a web page"),
        ("a.mtx.gz.html", "<!DOCTYPE html>\n<html>\n", "a web page"),
        ("a.json", "{\"nodes\": [1, 2]}\n", "a JSON file"),
        ("a.txt", "[[1, 2], [2, 3]]\n", "a JSON file"),
        ("a.dot", "digraph {\n 1 -> 2;\n}\n", "a Graphviz file"),
        ("a.txt", "strict graph G\n{\n 1 -- 2\n}\n", "a Graphviz file"),
        ("a.gdf", "nodedef>name VARCHAR,label VARCHAR\n", "a GUESS file (GDF)"),
        ("a.txt", "version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "a pointer of Git LFS"),
        ("a.parquet", "", "a Parquet file"),
        ("a.xyz.gml", "name,other\n", "a GML file"),
    ];
    for (name, text, kind) in cases {
        for (name, bytes) in
            [(name.to_owned(), text.as_bytes().to_vec()), (format!("{name}.gz"), gzip(text.as_bytes()))]
        {
            let message = told(&import(&name, &bytes, ImportOptions::default()).unwrap_err());
            assert!(message.contains(&format!("{name}: {kind} cannot be imported; ")), "{message}");
        }
    }
    // A list of numbers is one, whatever its name says.
    for name in ["a.gml", "a.parquet", "a.net", "a.json"] {
        assert_eq!(import(name, b"# c\n1 2\n", ImportOptions::default()).unwrap().0.len(), 1, "{name}");
    }
}

#[test]
fn a_binary_file_of_no_known_kind_is_no_empty_graph() {
    for bytes in [&b"\x01\x02\x03,;\t"[..], b"a,b\x02c,d", b"#\x05\x06", b"%\0\n", b"\0\0\0\0", b"from,to\0\0\0"] {
        for name in ["a.csv", "a.txt", "a.dat"] {
            let message = told(&import(name, bytes, ImportOptions::default()).unwrap_err());
            assert!(message.contains("the file is binary or damaged"), "{name}, {bytes:?}: {message}");
        }
    }
    let named = told(&import("a.orc", b"\x01\x02\x03", ImportOptions::default()).unwrap_err());
    assert!(named.contains("a.orc: an ORC file cannot be imported"), "{named}");
}
