//! Files that are refused.

use crate::written::{arrow_file, arrow_stream, file, parquet, table};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, Date32Array, Decimal128Array, Float64Array, Int64Array, ListArray, RecordBatch, StringArray, UInt32Array,
};
use bytes::Bytes;
use gts_contract::language::Code;
use gts_core::advice::{Explain, Reader};
use gts_core::build::EdgeBatch;
use gts_core::graph::{Graph, KeyKind};
use gts_core::import::labels;
use gts_core::read::{GraphReader, ReadError};
use parquet::file::metadata::{ParquetMetaDataReader, ParquetMetaDataWriter};
use parquet::file::properties::WriterProperties;
use std::path::Path;
use std::sync::Arc;

fn plain(table: &RecordBatch) -> Vec<u8> {
    parquet(table, WriterProperties::default())
}

fn refused(reader: GraphReader) -> ReadError {
    reader.read().expect_err("a refused file")
}

/// Returns the message of a refused file without its folder, and checks that there is advice.
fn message(folder: &tempfile::TempDir, error: &ReadError) -> String {
    let advice = error.advice().expect("advice");
    assert!(!advice.of(Reader::CommandLine).is_empty());
    error.to_string().replace(&format!("{}/", folder.path().display()), "")
}

fn small() -> RecordBatch {
    table(&[
        ("source", Arc::new(UInt32Array::from(vec![1, 2, 3])) as ArrayRef),
        ("target", Arc::new(UInt32Array::from(vec![2, 3, 1]))),
    ])
}

#[test]
fn ends_of_other_types_are_refused_by_type() {
    let folder = tempfile::tempdir().expect("a folder");
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)]), Some([Some(2)])]);
    let columns: [(ArrayRef, &str); 5] = [
        (Arc::new(Date32Array::from(vec![1, 2])), "dates"),
        (Arc::new(Decimal128Array::from(vec![1, 2])), "decimals"),
        (Arc::new(Float64Array::from(vec![1.0, 2.0])), "floats"),
        (Arc::new(list), "lists"),
        (Arc::new(StringArray::from(vec!["a", "b"])), "text"),
    ];
    for (column, name) in columns {
        let table = table(&[("source", numbers.clone()), ("target", column)]);
        for bytes in [plain(&table), arrow_file(std::slice::from_ref(&table))] {
            let error = refused(Graph::reader(file(&folder, "a", &bytes)));
            assert_eq!(error.code(), Code::UnfitColumns, "{error}");
            assert!(message(&folder, &error).contains(name), "{error}");
        }
    }
}

#[test]
fn cells_without_a_key_or_a_weight_are_refused_with_their_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]));
    let holes: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), Some("b"), None]));
    let empty: ArrayRef = Arc::new(StringArray::from(vec!["a", "", "b"]));
    let broken: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c\nd"]));
    let long: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", &*"x".repeat((64 << 10) + 1)]));
    let weights: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None, Some(2.0)]));
    let infinite: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0, f64::INFINITY]));
    for (target, weight, expected) in [
        (&holes, None, "a, row 3: expected a value in the column `target`, found null"),
        (&empty, None, "a, row 2: expected a name, UTF-8 text of 1 byte to 64 KiB, found "),
        (&broken, None, "a, row 3: expected a name, UTF-8 text of 1 byte to 64 KiB, found "),
        (&long, None, "a, row 3: expected a name, UTF-8 text of 1 byte to 64 KiB, found "),
        (&keys, Some(&weights), "a, row 2: expected a value in the column `weight`, found null"),
        (&keys, Some(&infinite), "a, row 3: expected a weight, a finite number, found inf"),
    ] {
        let mut columns = vec![("source", keys.clone()), ("target", target.clone())];
        columns.extend(weight.map(|weight| ("weight", weight.clone())));
        let table = table(&columns);
        let table = std::slice::from_ref(&table);
        let grouped = WriterProperties::builder().set_max_row_group_row_count(Some(2)).build();
        for bytes in [plain(&table[0]), parquet(&table[0], grouped), arrow_file(table), arrow_stream(table)] {
            let error = refused(Graph::reader(file(&folder, "a", &bytes)));
            assert_eq!(error.code(), Code::TableCell, "{error}");
            assert!(message(&folder, &error).starts_with(expected), "{error}");
        }
    }
    let signed: ArrayRef = Arc::new(Int64Array::from(vec![1, -2, 3]));
    let path = file(&folder, "a", &plain(&table(&[("source", signed.clone()), ("target", signed)])));
    let error = refused(Graph::reader(&path).keys(KeyKind::Number));
    assert!(message(&folder, &error).starts_with("a, row 2: expected a vertex ID"), "{error}");
    let error = refused(Graph::reader(&path).keys(KeyKind::Text));
    assert_eq!(error.code(), Code::UnfitColumns, "{error}");
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let cells: ArrayRef = Arc::new(UInt32Array::from(vec![1, 2]));
    let other: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let wide = table(&[("a", cells.clone()), ("b", cells.clone()), ("c", other), ("B", cells)]);
    let path = file(&folder, "a.parquet", &plain(&wide));
    let columns = |text: &str| Graph::reader(&path).columns(text.parse().expect("columns"));
    assert!(columns("source=a,target=4").read().is_ok());
    for (reader, expected) in [
        (Graph::reader(&path), "does not name both ends"),
        (columns("source=a,target=x"), "there is no column `x`"),
        (columns("source=a,target=7"), "there is no column 7"),
        (columns("source=a,target=a"), "names a column twice"),
        (columns("source=a,target=b,weight=c"), "the column of weights, `c`, contains text"),
        (columns("source=a,target=b").skip(1), "--skip is given"),
        (columns("source=a,target=b").header(true), "--header is given"),
    ] {
        let error = refused(reader);
        assert!(message(&folder, &error).contains(expected), "{error}");
        assert_eq!(error.code(), Code::UnfitColumns);
    }
}

#[test]
fn labels_that_are_no_numbers_and_names_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![7, -7]));
    let names: ArrayRef = Arc::new(StringArray::from(vec!["seven", "minus seven"]));
    let twice: ArrayRef = Arc::new(Int64Array::from(vec![7, 7]));
    for (columns, expected) in [
        (vec![("id", names.clone()), ("label", names.clone())], "`id` contains text, and no numbers of vertices"),
        (vec![("a", numbers.clone()), ("b", numbers.clone())], "`b` contains integers, and no labels"),
        (vec![("id", numbers.clone())], "the table has fewer than two columns"),
        (vec![("id", numbers), ("label", names.clone())], "row 2"),
        (vec![("id", twice), ("label", names)], "vertex 7 has two names, `seven` and `minus seven`"),
    ] {
        let path = file(&folder, "labels.parquet", &plain(&table(&columns)));
        let error = labels(&path).expect_err(expected).to_string();
        assert!(error.contains("labels.parquet") && error.contains(expected), "{error}");
    }
}

/// Returns the number of edges in a file.
fn read(path: &Path) -> Result<usize, ReadError> {
    let mut stream = Graph::reader(path).stream()?;
    let (mut batch, mut edges) = (EdgeBatch::default(), 0);
    while stream.next(&mut batch)? {
        edges += batch.src.len();
    }
    Ok(edges)
}

#[test]
fn damaged_files_are_refused_without_a_panic() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = small();
    let table = std::slice::from_ref(&table);
    for (name, whole) in
        [("a.parquet", plain(&table[0])), ("a.arrow", arrow_file(table)), ("a.arrows", arrow_stream(table))]
    {
        for length in 0..whole.len() {
            // A stream may end after any message.
            match read(&file(&folder, name, &whole[..length])) {
                Ok(edges) => {
                    assert!(name == "a.arrows" && [0, 3].contains(&edges), "{name} cut at {length}")
                }
                Err(error) => assert_eq!(error.code(), Code::DamagedColumns, "{name} cut at {length}: {error}"),
            }
        }
        for place in 0..whole.len() {
            for flip in [0x01, 0x80] {
                let mut bytes = whole.clone();
                bytes[place] ^= flip;
                // Neither format has checksums: some changes are unnoticed.
                drop(read(&file(&folder, name, &bytes)));
            }
        }
    }
}

#[test]
fn a_false_length_of_the_footer_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = small();
    for (name, mut bytes, tail) in
        [("a.parquet", plain(&table), 8), ("a.arrow", arrow_file(std::slice::from_ref(&table)), 10)]
    {
        let place = bytes.len() - tail;
        for length in [i32::MAX, -1, 0, 7] {
            bytes[place..place + 4].copy_from_slice(&length.to_le_bytes());
            let error = refused(Graph::reader(file(&folder, name, &bytes)));
            assert_eq!(error.code(), Code::DamagedColumns, "{name} {length}: {error}");
        }
    }
}

#[test]
fn a_row_group_that_claims_more_rows_than_it_has_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = plain(&small());
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&Bytes::from(whole.clone())).expect("metadata");
    let data = metadata.row_group(0).columns().iter().map(|column| {
        let (start, length) = column.byte_range();
        start + length
    });
    let data = data.max().expect("columns") as usize;
    for rows in [1 << 60, i64::MAX, 4, 2, -1] {
        let group = metadata.row_group(0).clone().into_builder().set_num_rows(rows).build().expect("a row group");
        let changed = metadata.clone().into_builder().set_row_groups(vec![group]).build();
        let mut bytes = whole[..data].to_vec();
        ParquetMetaDataWriter::new(&mut bytes, &changed).finish().expect("memory takes all");
        let error = refused(Graph::reader(file(&folder, "a.parquet", &bytes)));
        assert_eq!(error.code(), Code::DamagedColumns, "{rows}: {error}");
        assert!(error.to_string().contains("row"), "{rows}: {error}");
    }
}
