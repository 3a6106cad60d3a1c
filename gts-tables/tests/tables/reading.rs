//! Files that are read.

use crate::written::{arrow_file, arrow_stream, file, parquet, table};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, DictionaryArray, FixedSizeBinaryArray, Float32Array, Float64Array, Int64Array, LargeStringArray,
    StringArray, StringViewArray, UInt16Array, UInt64Array,
};
use gts_contract::ScalarType;
use gts_core::build::EdgeBatch;
use gts_core::graph::{Graph, Key, KeyKind};
use gts_core::import::labels;
use gts_core::read::GraphReader;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Returns the ends of all edges in the order of the file, and the bits of their values.
fn edges(reader: &GraphReader) -> Vec<(String, String, Option<u64>)> {
    let mut stream = reader.stream().expect("a stream");
    let mut batch = EdgeBatch::default();
    let mut edges = Vec::new();
    while stream.next(&mut batch).expect("edges") {
        let kind = stream.declared().keys;
        for (place, (src, dst)) in batch.src.iter().zip(&batch.dst).enumerate() {
            let key = |end: u64| batch.key(kind, end).to_string();
            edges.push((key(*src), key(*dst), batch.value.get(place).copied()));
        }
    }
    edges
}

fn texts(keys: &[String]) -> [ArrayRef; 4] {
    let dictionary: DictionaryArray<Int8Type> = keys.iter().map(String::as_str).collect();
    [
        Arc::new(StringArray::from_iter_values(keys)),
        Arc::new(LargeStringArray::from_iter_values(keys)),
        Arc::new(StringViewArray::from_iter_values(keys)),
        Arc::new(dictionary),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn tables_of_names_are_read_in_every_type_and_layout(
        rows in prop::collection::vec(("[a-c\t\"é😀]{1,3}", "[a-d]{1,20}"), 1..60),
        group in 1usize..70,
        dictionary: bool,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let (sources, targets): (Vec<_>, Vec<_>) = rows.iter().cloned().unzip();
        let expected: Vec<_> = rows.into_iter().map(|(src, dst)| (src, dst, None)).collect();
        for (source, target) in texts(&sources).into_iter().zip(texts(&targets)) {
            let table = table(&[("source", source), ("target", target)]);
            let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group));
            let properties = properties.set_dictionary_enabled(dictionary).set_dictionary_page_size_limit(16).build();
            let parts: Vec<_> = (0..table.num_rows()).step_by(group).map(|at| table.slice(at, group.min(table.num_rows() - at))).collect();
            for bytes in [parquet(&table, properties), arrow_file(&parts), arrow_stream(&parts)] {
                let path = file(&folder, "a", &bytes);
                let reader = Graph::reader(&path);
                prop_assert_eq!(&edges(&reader), &expected);
                let mut keys: Vec<&String> = sources.iter().chain(&targets).collect();
                keys.sort_unstable();
                keys.dedup();
                let graph = reader.read().expect("a graph");
                let found: Vec<String> = graph.ids().keys(0..graph.num_vertices()).map(|key| key.expect("a key").to_string()).collect();
                prop_assert_eq!(found.iter().collect::<Vec<_>>(), keys);
            }
        }
    }

    #[test]
    fn tables_of_numbers_and_weights_are_read(rows in prop::collection::vec((0..u64::MAX, any::<i64>(), -1e9..1e9), 0..60)) {
        let folder = tempfile::tempdir().expect("a folder");
        let column = |row: fn(&(u64, i64, f64)) -> u64| rows.iter().map(row).collect::<Vec<_>>();
        let target: Vec<i64> = rows.iter().map(|row| row.1 >> 1).collect();
        let source: Vec<i64> = column(|row| row.0 >> 1).into_iter().map(u64::cast_signed).collect();
        let weight: Vec<f64> = rows.iter().map(|row| row.2).collect();
        let table = table(&[
            ("weight", Arc::new(Float64Array::from(weight))),
            ("source", Arc::new(UInt64Array::from(column(|row| row.0 >> 1)))),
            ("target", Arc::new(Int64Array::from(target.clone()))),
        ]);
        let expected: Vec<_> = (0..rows.len()).map(|row| (source[row].to_string(), target[row].to_string(), Some(rows[row].2.to_bits()))).collect();
        for bytes in [parquet(&table, WriterProperties::default()), arrow_file(std::slice::from_ref(&table)), arrow_stream(&[table])] {
            let path = file(&folder, "a", &bytes);
            prop_assert_eq!(&edges(&Graph::reader(&path)), &expected);
        }
    }
}

#[test]
fn every_codec_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let names: Vec<String> = (0..5000).map(|row| format!("https://example.org/{}", row % 77)).collect();
    let table = table(&[
        ("source", Arc::new(StringArray::from_iter_values(&names)) as ArrayRef),
        ("target", Arc::new(StringArray::from_iter_values(names.iter().rev()))),
    ]);
    let mut graphs = Vec::new();
    for codec in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::ZSTD(ZstdLevel::default()),
    ] {
        let bytes = parquet(&table, WriterProperties::builder().set_compression(codec).build());
        let graph = Graph::read(file(&folder, "a.parquet", &bytes)).expect("a graph");
        assert_eq!((graph.num_vertices(), graph.num_edges()), (77, 5000), "{codec:?}");
        graphs.push(graph.edges().map(|edge| edge.expect("an edge")).collect::<Vec<_>>());
    }
    assert!(graphs.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn labels_are_columns_of_numbers_and_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![7, 9, 1 << 40]));
    let names = ["seven, the first".to_owned(), "é".to_owned(), "a\tb".to_owned()];
    let expected: HashMap<u64, String> = [7, 9, 1 << 40].into_iter().zip(names.clone()).collect();
    for names in texts(&names) {
        for columns in [
            [("id", numbers.clone()), ("label", names.clone())],
            [("name", names.clone()), ("Vertex", numbers.clone())],
            [("number", numbers.clone()), ("text", names.clone())],
        ] {
            let table = table(&columns);
            let parts: Vec<_> = (0..3).map(|row| table.slice(row, 1)).collect();
            let rows = WriterProperties::builder().set_max_row_group_row_count(Some(1)).build();
            for bytes in [parquet(&table, WriterProperties::default()), parquet(&table, rows), arrow_file(&parts)] {
                assert_eq!(labels(&file(&folder, "labels", &bytes)).expect("labels"), expected);
            }
        }
    }
}

#[test]
fn floats_are_not_rounded() {
    let folder = tempfile::tempdir().expect("a folder");
    let ends: ArrayRef = Arc::new(UInt16Array::from(vec![1, 2]));
    for (weight, expected) in [
        (Arc::new(Float64Array::from(vec![0.1, 2.0])) as ArrayRef, ScalarType::F64),
        (Arc::new(Float64Array::from(vec![0.5, 2.0])), ScalarType::F32),
        (Arc::new(Float32Array::from(vec![0.1, 2.0])), ScalarType::F32),
    ] {
        let table = table(&[("source", ends.clone()), ("target", ends.clone()), ("weight", weight)]);
        let graph =
            Graph::read(file(&folder, "a.parquet", &parquet(&table, WriterProperties::default()))).expect("a graph");
        assert_eq!(graph.value_type(), Some(expected), "{:?}", table.column(2).data_type());
    }
}

#[test]
fn the_types_of_columns_are_those_of_keys_and_weights() {
    let folder = tempfile::tempdir().expect("a folder");
    let uuids = [[7u8; 16], [0; 16], [9; 16]];
    let uuid: ArrayRef = Arc::new(FixedSizeBinaryArray::try_from_iter(uuids.iter()).expect("16 bytes"));
    let text: ArrayRef = Arc::new(StringArray::from_iter_values(uuids.iter().map(|uuid| Key::from(*uuid).to_string())));
    let small: ArrayRef = Arc::new(UInt16Array::from(vec![1, 2, 3]));
    let signed: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let path = |ends: &ArrayRef| {
        let table = table(&[("a", ends.clone()), ("b", ends.clone())]);
        file(&folder, "a.parquet", &parquet(&table, WriterProperties::default()))
    };
    for (ends, given, kind) in [
        (&uuid, None, KeyKind::Uuid),
        (&text, None, KeyKind::Text),
        (&text, Some(KeyKind::Uuid), KeyKind::Uuid),
        (&small, None, KeyKind::Number),
        (&signed, None, KeyKind::Signed),
        (&signed, Some(KeyKind::Number), KeyKind::Number),
        (&small, Some(KeyKind::Signed), KeyKind::Signed),
    ] {
        let mut reader = Graph::reader(path(ends));
        if let Some(given) = given {
            reader = reader.keys(given);
        }
        let graph = reader.read().expect("a graph");
        assert_eq!((graph.ids().kind(), graph.num_vertices()), (kind, 3), "{given:?}");
    }
}
