//! Recognises unsupported file types by their first bytes, first line or name, so that the error can name the type.

use super::format::without_compression;
use super::{Format, ImportError};
use std::path::Path;

/// An unsupported file type, and the advice on how to proceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    what: &'static str,
    advice: &'static str,
}

impl Kind {
    /// Returns the type, and the format of a file whose columns have types.
    pub(super) fn columnar(self) -> Option<(Format, &'static str)> {
        match self.what {
            PARQUET => Some((Format::Parquet, self.what)),
            ARROW | ARROW_STREAM => Some((Format::Arrow, self.what)),
            _ => None,
        }
    }

    pub(super) fn error(self, path: &Path) -> ImportError {
        ImportError::Unsupported { path: path.into(), what: self.what.into(), advice: self.advice }
    }
}

/// Types of files that columnar readers import, unless they are compressed as a whole.
const PARQUET: &str = "a Parquet file";
const ARROW: &str = "an Arrow file";
const ARROW_STREAM: &str = "an Arrow stream";
const PLAIN: &str = "unpack it: its columns have their own compression";

const PACKED: &str = "unpack it, or compress it with gzip or zstd";
const ARCHIVE: &str = "unpack it, and name the graph file inside";
const TABLE: &str = "write its edges as CSV, with the columns `source` and `target`";
const GRAPH: &str = "convert it to an edge list, such as with Gephi, NetworkX or igraph";
const MATRIX: &str = "write the matrix as Matrix Market, or its edges as CSV";
const FOREIGN: &str = "name a graph file";
const WEB_PAGE: &str = "the server sent a web page: download the graph file itself";

/// File types recognised by bytes at an offset. Text may begin with the same printable bytes, so a control byte must
/// follow them.
const BYTES: &[(usize, &[u8], &str, &str)] = &[
    (0, b"BZh", "a bzip2 file", PACKED),
    (0, b"\xfd7zXZ", "an xz file", PACKED),
    (0, b"\x04\x22\x4d\x18", "an LZ4 file", PACKED),
    (0, b"\xff\x06\0\0sNaPpY", "a Snappy file", PACKED),
    (0, b"\x1f\x9d", "a file of compress (.Z)", PACKED),
    (0, b"PK\x03\x04", "a zip archive", ARCHIVE),
    (0, b"PK\x05\x06", "an empty zip archive", ARCHIVE),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", ARCHIVE),
    (0, b"Rar!\x1a\x07", "a RAR archive", ARCHIVE),
    (257, b"ustar", "a tar archive", ARCHIVE),
    (0, b"PAR1", PARQUET, PLAIN),
    (0, b"PARE", "an encrypted Parquet file", TABLE),
    (0, b"ARROW1", ARROW, PLAIN),
    (0, b"\xff\xff\xff\xff", ARROW_STREAM, PLAIN),
    (0, b"FEA1", "a Feather file", TABLE),
    (0, b"ORC", "an ORC file", TABLE),
    (0, b"Obj\x01", "an Avro file", TABLE),
    (0, b"SQLite format 3", "an SQLite database", TABLE),
    (8, b"DUCK", "a DuckDB database", TABLE),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel or Word file", TABLE),
    (0, b"X\n\0\0", "an RDS file of R", TABLE),
    (0, b"RDX2\n", "an RData file of R", TABLE),
    (0, b"RDX3\n", "an RData file of R", TABLE),
    (0, b"\x80\x02", "a Python pickle", TABLE),
    (0, b"\x80\x03", "a Python pickle", TABLE),
    (0, b"\x80\x04", "a Python pickle", TABLE),
    (0, b"\x80\x05", "a Python pickle", TABLE),
    (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file", MATRIX),
    (0, b"\x93NUMPY", "a NumPy file", MATRIX),
    (0, b"MATLAB 5.0 MAT-file", "a MATLAB file", MATRIX),
    (0, b"\x89PNG\r\n\x1a\n", "a PNG image", FOREIGN),
    (0, b"\xff\xd8\xff", "a JPEG image", FOREIGN),
    (0, b"GIF8", "a GIF image", FOREIGN),
    (0, b"%PDF-", "a PDF document", FOREIGN),
    (0, b"%!PS", "a PostScript document", FOREIGN),
    (0, b"\x7fELF", "an ELF program", FOREIGN),
    (0, b"MZ", "a Windows program", FOREIGN),
];

/// Printable bytes with which a textual graph file never begins.
const UNMISTAKABLE: [&[u8]; 3] = [b"BZh", b"%PDF-", b"%!PS"];

/// Types of zip archives, by file extension.
const ZIPPED: &[(&str, &str, &str)] = &[
    ("xlsx", "an Excel workbook", TABLE),
    ("ods", "an OpenDocument spreadsheet", TABLE),
    ("npz", "a NumPy archive", MATRIX),
    ("gephi", "a Gephi project", GRAPH),
];

/// File types recognised by the beginning of the first line, ignoring case.
const LINES: &[(&str, &str, &str)] = &[
    ("<gexf", "a GEXF file", GRAPH),
    ("<!doctype html", "a web page", WEB_PAGE),
    ("<html", "a web page", WEB_PAGE),
    ("<?xml", "an XML file", GRAPH),
    ("<http", "a file of RDF triples", "number its nodes, and write its edges as CSV"),
    ("{", "a JSON file", TABLE),
    ("[", "a JSON file", TABLE),
    ("dl ", "a UCINET file", GRAPH),
    ("nodedef>", "a GUESS file (GDF)", GRAPH),
    ("leda.graph", "a LEDA file", GRAPH),
    ("@nodes", "a LEMON file", GRAPH),
    (">>graph6<<", "a graph6 file", GRAPH),
    (">>sparse6<<", "a sparse6 file", GRAPH),
    ("version https://git-lfs", "a pointer of Git LFS", "fetch the file itself with `git lfs pull`"),
];

/// File types recognised by file extension.
const NAMES: &[(&str, &str, &str)] = &[
    ("parquet", PARQUET, PLAIN),
    ("feather", ARROW, PLAIN),
    ("arrow", ARROW, PLAIN),
    ("arrows", ARROW_STREAM, PLAIN),
    ("orc", "an ORC file", TABLE),
    ("avro", "an Avro file", TABLE),
    ("sqlite", "an SQLite database", TABLE),
    ("sqlite3", "an SQLite database", TABLE),
    ("duckdb", "a DuckDB database", TABLE),
    ("xls", "an Excel workbook", TABLE),
    ("xlsx", "an Excel workbook", TABLE),
    ("ods", "an OpenDocument spreadsheet", TABLE),
    ("rds", "an RDS file of R", TABLE),
    ("rdata", "an RData file of R", TABLE),
    ("pkl", "a Python pickle", TABLE),
    ("pickle", "a Python pickle", TABLE),
    ("json", "a JSON file", TABLE),
    ("h5", "an HDF5 file", MATRIX),
    ("hdf5", "an HDF5 file", MATRIX),
    ("npy", "a NumPy file", MATRIX),
    ("npz", "a NumPy archive", MATRIX),
    ("mat", "a MATLAB file", MATRIX),
    ("gml", "a GML file", GRAPH),
    ("gexf", "a GEXF file", GRAPH),
    ("gephi", "a Gephi project", GRAPH),
    ("dot", "a Graphviz file", GRAPH),
    ("gv", "a Graphviz file", GRAPH),
    ("gdf", "a GUESS file (GDF)", GRAPH),
    ("lgf", "a LEMON file", GRAPH),
    ("g6", "a graph6 file", GRAPH),
    ("s6", "a sparse6 file", GRAPH),
    ("tar", "a tar archive", ARCHIVE),
    ("tgz", "a tar archive", ARCHIVE),
    ("zip", "a zip archive", ARCHIVE),
    ("7z", "a 7z archive", ARCHIVE),
    ("rar", "a RAR archive", ARCHIVE),
    ("png", "a PNG image", FOREIGN),
    ("jpg", "a JPEG image", FOREIGN),
    ("jpeg", "a JPEG image", FOREIGN),
    ("pdf", "a PDF document", FOREIGN),
];

/// The number of bytes at the beginning of a file that identify its type.
pub(super) const HEAD: usize = 512;

/// Identifies a binary file by its first bytes; `None` if they match no type.
pub(super) fn by_bytes(path: &Path, head: &[u8]) -> Option<Kind> {
    let head = &head[..head.len().min(HEAD)];
    let found = BYTES.iter().find(|&&(offset, bytes, ..)| {
        let Some(rest) = head.get(offset..).and_then(|rest| rest.strip_prefix(bytes)) else { return false };
        let is_printable = bytes.iter().all(|&byte| byte.is_ascii() && !is_control(byte));
        !is_printable || UNMISTAKABLE.contains(&bytes) || rest.iter().any(|&byte| is_control(byte))
    });
    let &(_, bytes, what, advice) = found?;
    let zipped = ZIPPED.iter().find(|&&(ending, ..)| bytes.starts_with(b"PK") && has_ending(path, ending));
    let (what, advice) = zipped.map_or((what, advice), |&(_, what, advice)| (what, advice));
    Some(Kind { what, advice })
}

/// Identifies an unsupported text file by its first line that is neither blank nor a comment, and the following lines.
pub(super) fn by_lines(text: &[u8]) -> Option<Kind> {
    let text = String::from_utf8_lossy(&text[..text.len().min(8 * HEAD)]).to_ascii_lowercase();
    let (what, advice) = if let Some(&(_, what, advice)) = LINES.iter().find(|(line, ..)| text.starts_with(line)) {
        let root = LINES.iter().take(3).find(|(root, ..)| what == "an XML file" && text.contains(root));
        root.map_or((what, advice), |&(_, what, advice)| (what, advice))
    } else if is_dot(&text) {
        ("a Graphviz file", GRAPH)
    } else if text.starts_with(|c: char| c.is_ascii_alphabetic()) && is_gml(&text) {
        ("a GML file", GRAPH)
    } else {
        return None;
    };
    Some(Kind { what, advice })
}

/// Identifies a file by its extension.
pub(super) fn by_name(path: &Path) -> Option<Kind> {
    let found = NAMES.iter().find(|&&(ending, ..)| has_ending(path, ending));
    found.map(|&(_, what, advice)| Kind { what, advice })
}

/// Returns whether a byte never occurs in a textual graph file.
pub(super) fn is_control(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x08 | 0x0b | 0x0c | 0x1a | 0x1b)
}

fn has_ending(path: &Path, ending: &str) -> bool {
    without_compression(path).extension().is_some_and(|own| own.eq_ignore_ascii_case(ending))
}

/// Returns whether a text begins with a construct like `graph {`, `digraph NAME {` or `strict graph {`.
fn is_dot(text: &str) -> bool {
    let rest = text.strip_prefix("strict").map_or(text, str::trim_start);
    let rest = ["digraph", "graph"].iter().find_map(|word| rest.strip_prefix(word));
    rest.is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_whitespace() || c == '{')
            && rest.split_once('{').is_some_and(|(name, _)| name.trim().lines().count() <= 1)
    })
}

/// Returns whether a text contains the line `graph [`. The bracket may be on the next line.
fn is_gml(text: &str) -> bool {
    text.lines().zip(text.lines().skip(1).chain([""])).any(|(line, next)| {
        let rest = line.trim().strip_prefix("graph").map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with('[') || (rest.is_empty() && next.trim_start().starts_with('[')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_not_taken_for_a_binary_file() {
        for text in [
            "ORCID,PAR1\n",
            "PAR1,to\n1,2\n",
            "ORC,x\n1,Zürich\n",
            "MZ,x\n",
            "GIF8 1\n",
            "FEA1\tx\n",
            "0123456789DUCK\n",
            "1 2\n",
        ] {
            assert_eq!(by_bytes(Path::new("a.csv"), text.as_bytes()), None, "{text}");
        }
        for text in
            ["graph,node\n1,2\n", "graph\tnode\n1\t2\n", "1 2\n", "source,target\n1,2\n", "dl,x\n", "strict,x\n"]
        {
            assert_eq!(by_lines(text.as_bytes()), None, "{text}");
        }
    }
}
