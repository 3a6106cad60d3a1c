//! Graphs whose vertices have names, UUIDs or signed numbers as keys.

use crate::sandbox::Sandbox;
use serde_json::json;

const FRIENDS: &str = "source,target\nalice,bob\nbob,\"carol, d.\"\ncarl,alice\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("friends.csv", FRIENDS);
    sandbox
}

/// The last column of an answer's file, in ascending order of keys.
fn values(sandbox: &Sandbox, file: &str) -> Vec<String> {
    let text = sandbox.read(file);
    text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_source_is_given_by_its_name() {
    let sandbox = sandbox();
    // The second run reads the kept import, and the last one a store.
    for graph in ["friends.csv", "friends.csv", "f.gts"] {
        if graph == "f.gts" {
            sandbox.text(&["import", "friends.csv", "f.gts"]);
        }
        sandbox.text(&["run", "bfs", graph, "--source", "alice", "--output", "levels.csv", "--force"]);
        assert_eq!(values(&sandbox, "levels.csv"), ["0", "1", "", "2"], "alice, bob, carl and carol, d.");
        let report = sandbox.json(&["run", "bfs", graph, "--source", "carol, d.", "--check"]);
        assert_eq!(report["check"]["agrees"], json!(true));
        let error = sandbox.fails(66, &["run", "bfs", graph, "--source", "carla"]);
        let next = "give one of its 4 names, `alice` to `carol, d.`; the nearest is `carl`";
        assert!(error.ends_with(&format!("error: vertex `carla` is not in the graph\n  next:  {next}\n")), "{error}");
    }
    let info = sandbox.text(&["info", "f.gts"]);
    assert!(info.contains("names, `alice` to `carol, d.`"), "{info}");
    assert_eq!(sandbox.json(&["info", "f.gts"])["keys"], json!("text"));
    assert!(sandbox.text(&["verify", "f.gts"]).contains("is sound"));
}

#[test]
fn lists_repeat_a_flag_or_name_a_file() {
    let sandbox = sandbox();
    sandbox.write("some.txt", "bob\ncarol, d.\n");
    let run = |vertices: &[&str], output: &str| {
        let arguments = ["run", "induced-subgraph", "friends.csv", "--output", output];
        sandbox.text(&[&arguments[..], vertices].concat());
        sandbox.read(output)
    };
    let repeated = run(&["--vertices", "bob", "--vertices", "carol, d."], "one.el");
    assert_eq!(repeated.lines().count(), 1, "{repeated}");
    assert_eq!(run(&["--vertices", "@some.txt"], "two.el"), repeated);
}

#[test]
fn a_graph_has_the_same_shape_with_any_keys() {
    let sandbox = Sandbox::new();
    let edges = [(1, 2), (2, 3), (3, 1), (3, 4), (5, 4)];
    let uuid = |number: i32| format!("00000000-0000-0000-0000-{number:012}");
    let text = |key: &dyn Fn(i32) -> String| -> String {
        edges.iter().map(|&(src, dst)| format!("{} {}\n", key(src), key(dst))).collect()
    };
    sandbox.write("number.txt", text(&|number| number.to_string()));
    sandbox.write("signed.txt", text(&|number| (number - 3).to_string()));
    sandbox.write("uuid.txt", text(&uuid));
    sandbox.write("text.txt", text(&|number| format!("v{number}")));
    let (first_uuid, runs) = (uuid(1), ["pagerank", "wcc", "bfs"]);
    for kind in ["number", "signed", "uuid", "text"] {
        let graph = format!("{kind}.txt");
        let source = match kind {
            "number" => "1",
            "signed" => "-2",
            "uuid" => &first_uuid,
            _ => "v1",
        };
        for algorithm in runs {
            let output = format!("{kind}-{algorithm}.csv");
            let mut arguments = vec!["run", algorithm, &graph, "--keys", kind, "--output", &output, "--threads", "1"];
            if kind == "text" {
                arguments.extend(["--header", "no"]);
            }
            if algorithm == "bfs" {
                arguments.extend(["--source", source]);
            }
            sandbox.text(&arguments);
            if algorithm != "wcc" {
                assert_eq!(values(&sandbox, &output), values(&sandbox, &format!("number-{algorithm}.csv")), "{output}");
            }
        }
    }
}

#[test]
fn keys_of_another_type_are_refused_with_the_flag_that_reads_them() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "1 2\n-3 1\n");
    let error = sandbox.fails(65, &["run", "wcc", "g.txt"]);
    assert!(error.contains("g.txt:2:1: ") && error.contains("`--keys signed`"), "{error}");
    sandbox.text(&["run", "wcc", "g.txt", "--keys", "signed"]);
    let error = sandbox.fails(2, &["run", "bfs", "g.txt", "--keys", "signed", "--source", "x"]);
    assert!(error.contains("--source x: expected the key of a vertex, a signed number"), "{error}");
    let error = sandbox.fails(2, &["run", "wcc", "g.txt", "--keys", "words"]);
    assert!(error.contains("expected number, signed, uuid or text, or auto"), "{error}");
    let error = sandbox.fails(2, &["run", "wcc", "rmat:4", "--keys", "text"]);
    assert!(error.contains("--keys is for files"), "{error}");
}

#[test]
fn names_that_do_not_fit_in_memory_are_sorted_on_disk() {
    let sandbox = Sandbox::new();
    let name = |number: u32| format!("https://example.org/packages/{:08x}", number.wrapping_mul(0x9e37_79b1));
    let edges = (0..300_000u32).map(|edge| format!("{},{}\n", name(edge), name(edge.wrapping_mul(7) % 300_000)));
    sandbox.write("big.csv", format!("from,to\n{}", edges.collect::<String>()));
    sandbox.text(&["import", "big.csv", "memory.gts", "--memory", "2GiB"]);
    sandbox.text(&["import", "big.csv", "disk.gts", "--memory", "64MiB"]);
    for file in ["manifest", "names", "names.index", "out.pages"] {
        let read = |store: &str| std::fs::read(sandbox.path(store).join(file)).expect("a file of the store");
        assert!(read("memory.gts") == read("disk.gts"), "{file}");
    }
}

#[test]
fn numpy_holds_keys_that_are_no_names() {
    let sandbox = Sandbox::new();
    sandbox.write("signed.txt", "-2 -1\n-1 3\n");
    sandbox.text(&["run", "wcc", "signed.txt", "--keys", "signed", "--output", "signed.npy"]);
    let records = |file: &str| {
        let bytes = std::fs::read(sandbox.path(file)).expect("an answer");
        let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        (String::from_utf8_lossy(&bytes[10..start]).into_owned(), bytes[start..].to_vec())
    };
    let (header, rows) = records("signed.npy");
    assert!(header.contains("('vertex', '<i8'), ('component', '<i8')"), "{header}");
    let numbers = rows.chunks(8).map(|number| i64::from_le_bytes(number.try_into().expect("eight bytes")));
    assert_eq!(numbers.collect::<Vec<_>>(), [-2, -2, -1, -2, 3, -2]);
    let uuid = "00112233-4455-6677-8899-aabbccddeeff";
    sandbox.write("uuid.txt", format!("{uuid} ffffffff-ffff-ffff-ffff-ffffffffffff\n"));
    sandbox.text(&["run", "wcc", "uuid.txt", "--keys", "uuid", "--output", "uuid.npy"]);
    let (header, rows) = records("uuid.npy");
    assert!(header.contains("('vertex', '|V16')"), "{header}");
    assert_eq!(
        rows[..16],
        [0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff]
    );
    sandbox.write("friends.csv", FRIENDS);
    let error = sandbox.fails(2, &["run", "wcc", "friends.csv", "--output", "names.npy"]);
    assert!(error.contains("npy cannot hold names of vertices"), "{error}");
}
