//! Answers as files: CSV, NumPy, JSON, lists of edges. If the answer has a table, its rows are those of CSV and NumPy.

use crate::blocks;
use crate::error::Failure;
use crate::file::NewFile;
use crate::labels::Labels;
use crate::summary::scalar_json;
use gts_graph::algorithm::{Algorithm, Answer, Arguments, OutputShape, Table, Values};
use gts_graph::core::graph::IdMap;
use gts_graph::core::threads;
use serde_json::json;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Kinds of output files.
#[derive(Clone, Copy, Debug, PartialEq)]
enum OutputKind {
    Csv,
    Npy,
    Json,
    Edges,
}

/// Destination of an answer.
#[derive(Debug)]
pub(crate) struct AnswerFile {
    file: NewFile,
    kind: OutputKind,
}

/// Contents of an output file.
pub(crate) struct Written<'a> {
    /// The algorithm.
    pub(crate) algorithm: &'a Algorithm,
    /// Its answer.
    pub(crate) answer: &'a Answer,
    /// The original IDs of the vertices.
    pub(crate) ids: &'a IdMap,
    /// Their names.
    pub(crate) labels: &'a Labels,
}

impl Written<'_> {
    /// Returns the number of vertices.
    fn rows(&self) -> usize {
        self.ids.len() as usize
    }

    /// Returns the original ID of the vertex of a row.
    fn id(&self, row: usize) -> u64 {
        // Every row has an original ID.
        self.ids.original_of_rank(row as u64).unwrap_or(u64::MAX)
    }
}

impl AnswerFile {
    /// Checks before a run that its answer can be written: the kind is known, the algorithm has outputs for it, and no
    /// file would be lost.
    pub(crate) fn new(
        path: &Path,
        replace: bool,
        algorithm: &Algorithm,
        parameters: &Arguments,
    ) -> Result<Self, Failure> {
        let has = |is: &dyn Fn(OutputShape) -> bool| algorithm.outputs.iter().any(|output| is(output.shape));
        let has_edges = has(&|shape| shape == OutputShape::Edges);
        // An undeclared flag is off.
        let left_out = |flag| parameters.flag(flag).unwrap_or(false);
        let has_rows = has(&|shape| match shape {
            OutputShape::Vertices { .. } => true,
            OutputShape::Table { unless } => !left_out(unless),
            OutputShape::Edges | OutputShape::Scalar => false,
        });
        let kind = match path.extension().and_then(|extension| extension.to_str()) {
            Some("csv") if has_rows => OutputKind::Csv,
            Some("npy") if has_rows => OutputKind::Npy,
            Some("json") => OutputKind::Json,
            Some("el" | "wel") if has_edges => OutputKind::Edges,
            Some(asked @ ("csv" | "npy" | "el" | "wel")) => {
                let shapes = algorithm.outputs.iter().map(|output| output.shape);
                let mut flags = shapes.filter_map(|shape| match shape {
                    OutputShape::Table { unless } if left_out(unless) => Some(unless),
                    _ => None,
                });
                let (missing, leave) = match flags.next() {
                    _ if asked.ends_with("el") => ("edges".to_owned(), String::new()),
                    Some(flag) => (format!("table with --{flag}"), format!("leave --{flag} out, or ")),
                    None => ("value for each vertex".to_owned(), String::new()),
                };
                let kinds = if has_rows { ".csv, .npy or .json" } else { ".json" };
                return Err(Failure::usage(
                    format!("--output {}: `{}` answers no {missing}", path.display(), algorithm.name),
                    format!("{leave}let the name end in {kinds}"),
                ));
            }
            _ => {
                return Err(Failure::usage(
                    format!("--output {}: the name tells no kind of file", path.display()),
                    "let it end in .csv, .npy, .json, or .el for edges",
                ));
            }
        };
        Ok(Self { file: NewFile::new(path, replace)?, kind })
    }

    /// Returns the output file.
    pub(crate) fn file(&self) -> &NewFile {
        &self.file
    }

    /// Writes the file. Returns its path.
    pub(crate) fn write(self, written: &Written<'_>) -> Result<PathBuf, Failure> {
        threads::prepare().map_err(gts_graph::Error::from)?;
        self.file.write(|writer| match self.kind {
            OutputKind::Csv => csv(writer, written),
            OutputKind::Npy => npy(writer, written),
            OutputKind::Json => whole_json(writer, written),
            OutputKind::Edges => edges(writer, written),
        })
    }
}

/// Writes one line per row of a table.
fn csv_of_table(writer: &mut (impl Write + ?Sized), table: &Table) -> io::Result<()> {
    let heads: Vec<_> = table.columns.iter().map(|(head, _)| quoted(head)).collect();
    writeln!(writer, "{}", heads.join(","))?;
    blocks::write(writer, table.rows(), |rows, block| {
        for row in rows {
            for (place, (_, values)) in table.columns.iter().enumerate() {
                write!(block, "{}{}", if place == 0 { "" } else { "," }, values.get(row))?;
            }
            writeln!(block)?;
        }
        Ok(())
    })
}

/// Writes one line per vertex, with an empty field if it has no value.
fn csv(writer: &mut (impl Write + ?Sized), written: &Written<'_>) -> io::Result<()> {
    if let Some(table) = written.answer.the_table() {
        return csv_of_table(writer, table);
    }
    let outputs = written.answer.all_vertices();
    let labels = written.labels;
    write!(writer, "vertex")?;
    if !labels.is_empty() {
        write!(writer, ",name")?;
    }
    for (name, _) in outputs {
        write!(writer, ",{name}")?;
    }
    writeln!(writer)?;
    let optional: Vec<_> = outputs.iter().map(|(name, _)| has_unreached(written.algorithm, name)).collect();
    blocks::write(writer, written.rows(), |rows, block| {
        for row in rows {
            let id = written.id(row);
            write!(block, "{id}")?;
            if !labels.is_empty() {
                write!(block, ",{}", quoted(labels.get(id).unwrap_or("")))?;
            }
            for ((_, values), optional) in outputs.iter().zip(&optional) {
                if *optional && values.is_unreached(row) {
                    write!(block, ",")?;
                } else {
                    write!(block, ",{}", values.get(row))?;
                }
            }
            writeln!(block)?;
        }
        Ok(())
    })
}

/// Quotes a field for CSV (RFC 4180).
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// Writes NumPy's format, version 1.0, in the order of the original IDs. An answer with one value per vertex is a plain
/// array; one with several is a structured array of `vertex` and each value. A table is an array of its columns.
fn npy(writer: &mut (impl Write + ?Sized), written: &Written<'_>) -> io::Result<()> {
    let named = |(name, values): (&str, &Values)| format!("('{name}', '{}')", npy_type(values).0);
    let list = |names: Vec<String>| format!("[{}]", names.join(", "));
    let (rows, kind, fields) = match (written.answer.the_table(), written.answer.all_vertices()) {
        (Some(table), _) => {
            let names = table.columns.iter().map(|(head, values)| named((head, values)));
            let values = table.columns.iter().map(|(_, values)| RowField::Values(values));
            (table.rows(), list(names.collect()), values.collect())
        }
        (None, []) => return Err(io::Error::other("the answer has no value for each vertex")),
        (None, [(_, values)]) => (written.rows(), format!("'{}'", npy_type(values).0), vec![RowField::Values(values)]),
        (None, several) => {
            let ids = [("vertex", "<u8")].map(|(name, kind)| format!("('{name}', '{kind}')"));
            let names = ids.into_iter().chain(several.iter().map(|(name, values)| named((name, values))));
            let values = several.iter().map(|(_, values)| RowField::Values(values));
            (written.rows(), list(names.collect()), [RowField::Ids(written)].into_iter().chain(values).collect())
        }
    };
    let mut header = format!("{{'descr': {kind}, 'fortran_order': False, 'shape': ({rows},), }}");
    // Magic, version and length take 10 bytes; the data must start at a multiple of 64.
    let padding = 63 - (10 + header.len()) % 64;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    writer.write_all(b"\x93NUMPY\x01\x00")?;
    writer.write_all(&u16::try_from(header.len()).map_err(io::Error::other)?.to_le_bytes())?;
    writer.write_all(header.as_bytes())?;
    let stride: usize = fields.iter().map(RowField::bytes).sum();
    blocks::write(writer, rows, |rows, block| {
        block.resize(stride * rows.len(), 0);
        let mut start = 0;
        for field in &fields {
            field.put(rows.clone(), block, start, stride);
            start += field.bytes();
        }
        Ok(())
    })
}

/// Returns NumPy's name of a type, and its bytes.
fn npy_type(values: &Values) -> (&'static str, usize) {
    match values {
        Values::U8(_) => ("|u1", 1),
        Values::U32(_) => ("<u4", 4),
        Values::U64(_) | Values::Vertex(_) => ("<u8", 8),
        Values::I32(_) => ("<i4", 4),
        Values::I64(_) => ("<i8", 8),
        Values::F32(_) => ("<f4", 4),
        Values::F64(_) => ("<f8", 8),
        Values::Bool(_) => ("|b1", 1),
    }
}

/// A field of the rows of a NumPy file.
enum RowField<'a> {
    Ids(&'a Written<'a>),
    Values(&'a Values),
}

impl RowField<'_> {
    fn bytes(&self) -> usize {
        match self {
            Self::Ids(_) => 8,
            Self::Values(values) => npy_type(values).1,
        }
    }

    /// Writes a range of the values to a block of rows of `stride` bytes, each with the field at `start`.
    fn put(&self, range: Range<usize>, block: &mut [u8], start: usize, stride: usize) {
        let rows = block.chunks_exact_mut(stride).map(|row| &mut row[start..]);
        fn put<'a, const N: usize>(values: impl Iterator<Item = [u8; N]>, rows: impl Iterator<Item = &'a mut [u8]>) {
            rows.zip(values).for_each(|(row, value)| row[..N].copy_from_slice(&value));
        }
        macro_rules! number {
            ($values:expr) => {
                put($values[range].iter().map(|value| value.to_le_bytes()), rows)
            };
        }
        match self {
            Self::Ids(written) => put(range.map(|row| written.id(row).to_le_bytes()), rows),
            Self::Values(Values::U8(values)) => number!(values),
            Self::Values(Values::U32(values)) => number!(values),
            Self::Values(Values::U64(values) | Values::Vertex(values)) => number!(values),
            Self::Values(Values::I32(values)) => number!(values),
            Self::Values(Values::I64(values)) => number!(values),
            Self::Values(Values::F32(values)) => number!(values),
            Self::Values(Values::F64(values)) => number!(values),
            Self::Values(Values::Bool(values)) => put(values[range].iter().map(|value| [u8::from(*value)]), rows),
        }
    }
}

/// Writes one line per edge: source, target and value, in the format that `gts import` reads.
fn edges(writer: &mut (impl Write + ?Sized), written: &Written<'_>) -> io::Result<()> {
    let Some(edges) = written.answer.all_edges() else { return Ok(()) };
    blocks::write(writer, edges.ends.len(), |rows, block| {
        for row in rows {
            let (src, dst) = edges.ends[row];
            match &edges.weights {
                Some(weights) => writeln!(block, "{src} {dst} {}", weights.get(row))?,
                None => writeln!(block, "{src} {dst}")?,
            }
        }
        Ok(())
    })
}

/// Writes one object: the single values, then a list per output, with null for vertices without a value; or for a
/// table, a list per column.
fn whole_json(writer: &mut (impl Write + ?Sized), written: &Written<'_>) -> io::Result<()> {
    write!(writer, "{{\"algorithm\":{}", json!(written.algorithm.name))?;
    for (name, value) in written.answer.all_scalars() {
        write!(writer, ",{}:{}", json!(name), scalar_json(*value))?;
    }
    if let Some(table) = written.answer.the_table() {
        write!(writer, ",\n{}:{{", json!(table.name))?;
        for (place, (head, values)) in table.columns.iter().enumerate() {
            write!(writer, "{}", if place == 0 { "" } else { "," })?;
            list(writer, head, values.len(), |row| scalar_json(values.get(row)))?;
        }
        write!(writer, "}}")?;
        return writeln!(writer, "}}");
    }
    write!(writer, ",")?;
    list(writer, "vertex", written.rows(), |row| json!(written.id(row)))?;
    if !written.labels.is_empty() {
        write!(writer, ",")?;
        list(writer, "name", written.rows(), |row| json!(written.labels.get(written.id(row))))?;
    }
    for (name, values) in written.answer.all_vertices() {
        let optional = has_unreached(written.algorithm, name);
        write!(writer, ",")?;
        list(writer, name, values.len(), |place| {
            if optional && values.is_unreached(place) { json!(null) } else { scalar_json(values.get(place)) }
        })?;
    }
    writeln!(writer, "}}")
}

fn list(
    writer: &mut (impl Write + ?Sized),
    name: &str,
    length: usize,
    item: impl Fn(usize) -> serde_json::Value + Sync,
) -> io::Result<()> {
    write!(writer, "\n{}:[", json!(name))?;
    blocks::write(writer, length, |mut rows, block| {
        rows.try_for_each(|row| write!(block, "{}{}", if row == 0 { "" } else { "," }, item(row)))
    })?;
    write!(writer, "]")
}

fn has_unreached(algorithm: &Algorithm, output: &str) -> bool {
    algorithm.output(output).is_some_and(gts_graph::algorithm::Output::has_unreached)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_graph::algorithm::{Output, Parameter, Scalar};
    use gts_graph::contract::ScalarType;
    use gts_graph::core::advice::Explain;
    use gts_graph::core::build::DeclaredVertices;
    use gts_graph::prelude::Graph;

    /// Returns the map of these original IDs, ascending.
    fn ids(list: Vec<u64>) -> IdMap {
        Graph::builder().vertices(DeclaredVertices::List(list.into())).build().expect("a graph").ids().clone()
    }

    static HOPS: Algorithm = Algorithm::new("hops", "Hops", |_, _, _| Ok(Answer::new())).outputs(&[Output::vertices(
        "level",
        &[ScalarType::U32],
        "Hops",
    )
    .unreached("no path")]);

    static PAIRS: Algorithm =
        Algorithm::new("pairs", "Pairs", |_, _, _| Ok(Answer::new())).outputs(&[Output::scalar("pairs", "Pairs")]);

    static PLACES: Algorithm = Algorithm::new("places", "Places", |_, _, _| Ok(Answer::new()))
        .parameters(&[Parameter::flag("count", "Leave the table out")])
        .outputs(&[Output::table("listing", "count", "Places")]);

    #[test]
    fn a_table_is_written_by_its_columns() {
        let columns = vec![("3".to_owned(), Values::Vertex(vec![10, 11])), ("8".to_owned(), vec![1u8, 2].into())];
        let table = Table { name: "listing", columns };
        let answer = Answer::new().scalar("matches", Scalar::Unsigned(2)).table(table);
        let (ids, labels) = (ids(vec![3, 9, 10]), Labels::default());
        let whole = Written { algorithm: &PLACES, answer: &answer, ids: &ids, labels: &labels };
        let mut bytes = Vec::new();
        csv(&mut bytes, &whole).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), "3,8\n10,1\n11,2\n");
        let mut bytes = Vec::new();
        whole_json(&mut bytes, &whole).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(json, json!({"algorithm": "places", "matches": 2, "listing": {"3": [10, 11], "8": [1, 2]}}));
        let mut bytes = Vec::new();
        npy(&mut bytes, &whole).unwrap();
        let header = "{'descr': [('3', '<u8'), ('8', '|u1')], 'fortran_order': False, 'shape': (2,), }";
        assert!(String::from_utf8_lossy(&bytes[10..128]).starts_with(header));
        assert_eq!(&bytes[128..], [10, 0, 0, 0, 0, 0, 0, 0, 1, 11, 0, 0, 0, 0, 0, 0, 0, 2]);
    }

    fn written(name: &str) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let answer = Answer::new().scalar("depth", Scalar::Unsigned(1)).vertices("level", vec![0u32, u32::MAX]);
        let labels = Labels::default();
        let whole = Written { algorithm: &HOPS, answer: &answer, ids: &ids(vec![3, 9]), labels: &labels };
        AnswerFile::new(&path, false, &HOPS, &Arguments::of(&HOPS)).unwrap().write(&whole).unwrap();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "a temporary file was left behind");
        std::fs::read(path).unwrap()
    }

    #[test]
    fn unreached_is_empty_in_csv_and_null_in_json() {
        assert_eq!(String::from_utf8(written("a.csv")).unwrap(), "vertex,level\n3,0\n9,\n");
        let json: serde_json::Value = serde_json::from_slice(&written("a.json")).unwrap();
        assert_eq!(json, json!({"algorithm": "hops", "depth": 1, "vertex": [3, 9], "level": [0, null]}));
    }

    #[test]
    fn npy_holds_the_raw_values_after_an_aligned_header() {
        let bytes = written("a.npy");
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        assert_eq!(&bytes[128..], [0, 0, 0, 0, 255, 255, 255, 255]);
        assert!(
            String::from_utf8_lossy(&bytes[10..128])
                .starts_with("{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }")
        );
    }

    #[test]
    fn npy_of_several_outputs_holds_the_vertex_and_each_of_them_in_a_row() {
        let rows = blocks::ROWS + 3;
        let listed: Vec<u64> = (0..rows as u64).map(|id| 1000 + 3 * id).collect();
        let odd: Vec<bool> = listed.iter().map(|id| id % 2 == 1).collect();
        let half: Vec<f64> = listed.iter().map(|id| *id as f64 / 2.0).collect();
        let answer = Answer::new().vertices("odd", odd).vertices("half", half);
        let mut bytes = Vec::new();
        let (ids, labels) = (ids(listed.clone()), Labels::default());
        npy(&mut bytes, &Written { algorithm: &HOPS, answer: &answer, ids: &ids, labels: &labels }).unwrap();
        let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!(end % 64, 0);
        let header = String::from_utf8_lossy(&bytes[10..end]);
        let kind = "[('vertex', '<u8'), ('odd', '|b1'), ('half', '<f8')]";
        let expected = format!("{{'descr': {kind}, 'fortran_order': False, 'shape': ({rows},), }}");
        assert_eq!((header.trim_end(), header.ends_with('\n')), (expected.as_str(), true));
        assert_eq!(bytes.len(), end + 17 * rows);
        for (row, id) in bytes[end..].chunks(17).zip(listed) {
            let vertex = u64::from_le_bytes(row[..8].try_into().unwrap());
            let half = f64::from_le_bytes(row[9..].try_into().unwrap());
            assert_eq!((vertex, row[8], half), (id, (id % 2) as u8, id as f64 / 2.0));
        }
    }

    #[test]
    fn nothing_is_replaced_unasked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let target = AnswerFile::new(&path, false, &HOPS, &Arguments::of(&HOPS)).unwrap();
        std::fs::write(&path, "precious").unwrap();
        assert!(matches!(AnswerFile::new(&path, false, &HOPS, &Arguments::of(&HOPS)), Err(Failure::Exists(_))));
        // Also if the file is created during the run.
        let answer = Answer::new();
        let whole = Written { algorithm: &HOPS, answer: &answer, ids: &ids(Vec::new()), labels: &Labels::default() };
        assert!(matches!(target.write(&whole), Err(Failure::Exists(_))));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
        AnswerFile::new(&path, true, &HOPS, &Arguments::of(&HOPS)).unwrap().write(&whole).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "vertex\n");
    }

    #[test]
    fn kinds_that_an_answer_has_nothing_for_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |algorithm, parameters: &Arguments, kind| {
            AnswerFile::new(&folder.path().join(format!("a.{kind}")), false, algorithm, parameters).err().unwrap()
        };
        for kind in ["csv", "npy", "el"] {
            let refused = refused(&PAIRS, &Arguments::of(&PAIRS), kind);
            assert!(matches!(refused, Failure::Usage { .. }), "{refused:?}");
            assert_eq!(refused.advice(), Some("let the name end in .json".to_owned().into()), "{refused}");
        }
        assert!(AnswerFile::new(&folder.path().join("a.json"), false, &PAIRS, &Arguments::of(&PAIRS)).is_ok());
        // A flag can omit the table.
        let counted = Arguments::of(&PLACES).with("count", "true").unwrap();
        let failure = refused(&PLACES, &counted, "csv");
        assert_eq!(
            failure.to_string(),
            format!("--output {}: `places` answers no table with --count", folder.path().join("a.csv").display())
        );
        assert_eq!(failure.advice(), Some("leave --count out, or let the name end in .json".to_owned().into()));
        assert!(AnswerFile::new(&folder.path().join("a.csv"), false, &PLACES, &Arguments::of(&PLACES)).is_ok());
    }

    #[test]
    fn names_with_commas_are_quoted() {
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
