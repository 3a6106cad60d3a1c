use super::*;
use flate2::read::MultiGzDecoder;
use gts_graph::algorithm::{Arguments, Edges, Output, Rows, Scalar, Values};
use gts_graph::contract::ScalarType;
use gts_graph::core::advice::Explain;
use gts_graph::core::build::DeclaredVertices;
use gts_graph::prelude::*;
use serde_json::json;
use std::io::Read;

/// Returns a graph of these original IDs, ascending.
fn graph(list: Vec<u64>) -> Graph {
    Graph::builder().vertices(DeclaredVertices::List(list.into())).build().expect("a graph")
}

fn hops(_: &Engine, _: &Graph, _: &Arguments) -> Result<Answer> {
    Ok(Answer::new().scalar("depth", Scalar::Unsigned(1)).vertices("level", vec![0u32, u32::MAX]))
}

static HOPS: Algorithm = Algorithm::new("hops", "Hops", hops).outputs(&[
    Output::vertices("level", &[ScalarType::U32], "Hops").unreached("no path"),
    Output::scalar("depth", "Most hops"),
]);

fn run(algorithm: &'static Algorithm, graph: &Graph) -> Answer {
    algorithm.run(&Engine::cpu().expect("a CPU"), graph, &Arguments::of(algorithm)).expect("an answer")
}

/// Returns the bytes of an answer in a kind of file.
fn bytes(answer: &Answer, graph: &Graph, kind: &str) -> Vec<u8> {
    let PackedKind { kind, packing } = PackedKind::of_name(kind, Kind::OF_ANSWERS).expect("a kind");
    let mut bytes = Vec::new();
    let written = Written { algorithm: &HOPS, answer, ids: graph.ids(), labels: &Labels::default() };
    written.write(kind, &mut RowFile { writer: &mut bytes, packing }).expect("memory takes all");
    bytes
}

fn text(answer: &Answer, graph: &Graph, kind: &str) -> String {
    String::from_utf8(bytes(answer, graph, kind)).expect("text")
}

fn json(answer: &Answer, graph: &Graph) -> serde_json::Value {
    serde_json::from_slice(&bytes(answer, graph, "json")).expect("JSON")
}

/// Returns the header and the data of a NumPy file.
fn npy(bytes: &[u8]) -> (String, &[u8]) {
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!(end % 64, 0, "the data are aligned");
    (String::from_utf8_lossy(&bytes[10..end]).trim_end().to_owned(), &bytes[end..])
}

#[test]
fn cells_without_a_value_are_empty_or_null_or_marked() {
    let graph = graph(vec![3, 9]);
    let answer = run(&HOPS, &graph);
    assert_eq!(text(&answer, &graph, "csv"), "vertex,level\n3,0\n9,\n");
    assert_eq!(text(&answer, &graph, "tsv"), "vertex\tlevel\n3\t0\n9\t\n");
    assert_eq!(text(&answer, &graph, "jsonl"), "{\"vertex\":3,\"level\":0}\n{\"vertex\":9,\"level\":null}\n");
    assert_eq!(json(&answer, &graph), json!({"algorithm": "hops", "depth": 1, "vertex": [3, 9], "level": [0, null]}));
    let file = bytes(&answer, &graph, "npy");
    let (header, data) = npy(&file);
    let descr = header.split_once("'descr': ").expect("a type").1.split_once(']').expect("a list").0.replace(' ', "");
    assert_eq!(descr.trim_end_matches(','), "[('vertex','<u8'),('level','<u4'),('level_mask','|b1')");
    assert_eq!(data, [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 1]);
}

#[test]
fn a_table_is_written_by_its_columns() {
    let columns = vec![("3".to_owned(), Values::Vertex(vec![10, 11])), ("8".to_owned(), vec![1u8, 2].into())];
    let answer = Answer::new().scalar("matches", Scalar::Unsigned(2)).rows(Rows { name: "listing", columns });
    let graph = graph(vec![3, 9, 10]);
    assert_eq!(text(&answer, &graph, "csv"), "3,8\n10,1\n11,2\n");
    let expected = json!({"algorithm": "hops", "matches": 2, "listing": {"3": [10, 11], "8": [1, 2]}});
    assert_eq!(json(&answer, &graph), expected);
    let file = bytes(&answer, &graph, "npy");
    assert_eq!(npy(&file).1, [10, 0, 0, 0, 0, 0, 0, 0, 1, 11, 0, 0, 0, 0, 0, 0, 0, 2]);
}

#[test]
fn edges_and_single_values_are_tables_too() {
    let graph = graph(vec![3, 9]);
    let edges = Edges { name: "forest", ends: vec![(3, 9), (9, 9)], weights: Some(vec![0.5f32, 2.0].into()) };
    let answer = Answer::new().edges(edges);
    assert_eq!(text(&answer, &graph, "csv"), "source,target,weight\n3,9,0.5\n9,9,2\n");
    assert_eq!(text(&answer, &graph, "wel"), "3 9 0.5\n9 9 2\n");
    let expected = json!({"source": [3, 9], "target": [9, 9], "weight": [0.5, 2.0]});
    assert_eq!(json(&answer, &graph)["forest"], expected);
    let answer = Answer::new().scalar("triangles", Scalar::Unsigned(45)).scalar("ratio", Scalar::Real(0.5));
    assert_eq!(text(&answer, &graph, "csv"), "triangles,ratio\n45,0.5\n");
    assert_eq!(text(&answer, &graph, "jsonl"), "{\"triangles\":45,\"ratio\":0.5}\n");
}

#[test]
fn rows_beyond_a_block_are_complete_in_every_kind() {
    let rows = crate::blocks::ROWS + 3;
    let listed: Vec<u64> = (0..rows as u64).map(|id| 1000 + 3 * id).collect();
    let odd: Vec<bool> = listed.iter().map(|id| id % 2 == 1).collect();
    let half: Vec<f64> = listed.iter().map(|id| *id as f64 / 2.0).collect();
    let answer = Answer::new().vertices("odd", odd).vertices("half", half);
    let graph = graph(listed.clone());
    let file = bytes(&answer, &graph, "npy");
    let (header, data) = npy(&file);
    assert!(header.contains(&format!("({rows}, )")), "{header}");
    assert_eq!(data.len(), 17 * rows);
    for (row, id) in data.chunks(17).zip(listed) {
        let vertex = u64::from_le_bytes(row[..8].try_into().expect("8 bytes"));
        let half = f64::from_le_bytes(row[9..].try_into().expect("8 bytes"));
        assert_eq!((vertex, row[8], half), (id, (id % 2) as u8, id as f64 / 2.0));
    }
    let mut archive = zip::ZipArchive::new(io::Cursor::new(bytes(&answer, &graph, "npz"))).expect("an archive");
    let names: Vec<_> = archive.file_names().map(|name| name.expect("text").into_owned()).collect();
    assert_eq!(names, ["vertex.npy", "odd.npy", "half.npy"]);
    let mut column = Vec::new();
    archive.by_name("odd.npy").expect("a column").read_to_end(&mut column).expect("sound");
    assert!(npy(&column).1.iter().zip(data.chunks(17)).all(|(odd, row)| *odd == row[8]));
    let plain = text(&answer, &graph, "csv");
    assert_eq!(plain.lines().count(), rows + 1);
    let mut unpacked = String::new();
    MultiGzDecoder::new(&*bytes(&answer, &graph, "csv.gz")).read_to_string(&mut unpacked).expect("whole members");
    assert_eq!(unpacked, plain);
    assert_eq!(json(&answer, &graph)["half"].as_array().map(Vec::len), Some(rows));
}

#[test]
fn nothing_is_replaced_unasked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.csv");
    let new = |replace| AnswerFile::new(&path, None, replace, &HOPS);
    let target = new(false).expect("a new file");
    std::fs::write(&path, "precious").expect("a file");
    assert!(matches!(new(false), Err(Failure::Exists(_))));
    // Also if the file is created during the run.
    let (graph, labels) = (graph(vec![3, 9]), Labels::default());
    let answer = run(&HOPS, &graph);
    let whole = Written { algorithm: &HOPS, answer: &answer, ids: graph.ids(), labels: &labels };
    assert!(matches!(target.write(&whole), Err(Failure::Exists(_))));
    assert_eq!(std::fs::read_to_string(&path).expect("text"), "precious");
    new(true).expect("it may").write(&whole).expect("it can");
    assert_eq!(std::fs::read_to_string(&path).expect("text"), "vertex,level\n3,0\n9,\n");
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1, "a temporary file was left behind");
}

#[test]
fn edges_of_an_answer_without_any_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = AnswerFile::new(&folder.path().join("a.el"), None, false, &HOPS).expect_err("no edges");
    assert!(refused.to_string().ends_with("a.el: `hops` answers no edges"), "{refused}");
    assert!(refused.advice().is_some());
}

#[test]
fn names_with_commas_are_quoted() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("names"), "3\ta,\"b\"\n").expect("a file");
    let labels = Labels::read(&folder.path().join("names")).expect("names");
    let graph = graph(vec![3, 9]);
    let mut bytes = Vec::new();
    let written = Written { algorithm: &HOPS, answer: &run(&HOPS, &graph), ids: graph.ids(), labels: &labels };
    written.write(Kind::Csv, &mut RowFile { writer: &mut bytes, packing: None }).expect("memory takes all");
    assert_eq!(String::from_utf8(bytes).expect("text"), "vertex,name,level\n3,\"a,\"\"b\"\"\",0\n9,,\n");
}
