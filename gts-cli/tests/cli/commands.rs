//! Each command of the real binary, with its output for readers and for programs.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};

#[test]
fn the_list_is_complete_and_says_what_each_needs() {
    let listed = Sandbox::new().json(&["list"]);
    let named =
        |name: &str| listed.as_array().unwrap().iter().find(|algorithm| algorithm["name"] == json!(name)).unwrap();
    let names: Vec<_> =
        listed.as_array().unwrap().iter().map(|algorithm| algorithm["name"].as_str().unwrap()).collect();
    assert!(names.is_sorted() && names.contains(&"bfs") && names.contains(&"pagerank"), "{names:?}");
    assert_eq!(named("sssp")["needs"]["weights"], json!(["f32", "f64", "u32"]));
    assert_eq!(named("wcc")["needs"]["in_edges"], json!(true));
    assert_eq!(named("k-core")["needs"]["symmetric"], json!(true));
    for algorithm in listed.as_array().unwrap() {
        for field in ["summary", "help", "source"] {
            assert_ne!(algorithm[field], json!(""), "{algorithm}");
        }
        assert_eq!(algorithm["check"], json!(true), "{algorithm}");
    }
    let text = Sandbox::new().text(&["list"]);
    assert!(text.contains("PageRank"), "{text}");
}

#[test]
fn measurements_are_in_another_program() {
    let sandbox = Sandbox::new();
    for arguments in [&["bench"][..], &["bench", "paper", "--device", "cpu"], &["bench", "--help"]] {
        let error = sandbox.fails(2, arguments);
        assert!(error.contains("`gts-bench`") && error.contains("cargo run --release -p gts-bench"), "{error}");
    }
    let help = sandbox.text(&["--help"]);
    assert!(!help.contains("bench") && !help.contains("figures"), "{help}");
}

#[test]
fn help_of_an_algorithm_names_its_parameters() {
    let text = Sandbox::new().text(&["run", "pagerank", "--help"]);
    for part in
        ["--damping", "[default: 0.85]", "--tolerance", "--precision", "one of f32, f64", "--technique", "Graphalytics"]
    {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
fn show_tells_the_facts_of_the_schema() {
    let sandbox = Sandbox::new();
    let text = sandbox.text(&["show", "bfs"]);
    for part in
        ["level", "min", "Kernel expand", "traverse", "ordered", "replicable", "only vertices that it activates"]
    {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(text.contains("the only write of level makes this test of it false (line "), "{text}");
    let shown = sandbox.json(&["show", "pagerank"]);
    assert_eq!(shown["kernels"][0]["name"], json!("push"));
    assert_eq!(shown["kernels"][0]["facts"]["order"], json!("no thread reads what another one writes"));
    assert_eq!(shown["kernels"][0]["type"], json!("f32"));
}

#[cfg(feature = "cuda")]
#[test]
fn show_prints_the_program_of_a_variant() {
    let sandbox = Sandbox::new();
    let variant = ["show", "bfs", "--variant", "small-page/balanced", "--record-ids", "3,3"];
    let text = sandbox.text(&variant);
    let whole = sandbox.text(&[&variant[..], &["--whole"]].concat());
    for part in ["bfs.level[dst] == UNREACHED", "expand__small_balanced("] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(text.lines().count() <= 150, "{text}");
    assert!(whole.ends_with(&text) && whole.contains("#define GTS_P 3"), "{whole}");
    let shown = sandbox.json(&["show", "pagerank", "--variant", "large-page", "--type", "f64"]);
    assert_eq!((&shown["kernel"], &shown["entry"]), (&json!("push<f64>"), &json!("push__large")));
    let shown = sandbox.json(&["show", "wcc", "--variant", "all-vertices"]);
    assert_eq!(shown["entry"], json!("begin__all"));
    let text = sandbox.text(&["show", "k-truss", "--variant", "intersect"]);
    assert!(text.contains("support__intersect(") && text.contains("u32 *support_; // wa of each edge"), "{text}");
    assert!(sandbox.text(&["show", "k-truss"]).contains("wa, per edge"));
    let error = sandbox.fails(2, &["show", "bfs", "--variant", "all-vertices"]);
    assert!(error.contains("expand") && error.contains("small-page/edge8") && !error.contains("hand-out"), "{error}");
    let error = sandbox.fails(2, &["show", "bfs", "--kernel", "expnad", "--variant", "steps"]);
    assert!(error.contains("no such kernel") && error.contains("expand"), "{error}");
}

#[test]
fn devices_has_the_cpu_and_says_why_there_is_no_gpu() {
    let devices = Sandbox::new().json(&["devices"]);
    assert_eq!(devices["devices"][0]["device"], json!("cpu"));
    let gpus = devices["devices"].as_array().unwrap().len() > 1;
    assert!(gpus || devices["problems"][0].is_string(), "{devices}");
    let nccl = &devices["nccl"];
    let found = nccl["version"].is_string() && nccl["path"].is_string();
    assert!(found || nccl["problem"].as_str().is_some_and(|why| why.contains("GTS_NCCL_DIR")), "{devices}");
}

#[test]
fn a_generated_store_is_described_and_sound() {
    let sandbox = Sandbox::new();
    let made = sandbox.json(&["generate", "grid:10x20,weights=u32", "grid.gts", "--page-size", "4KiB", "--in-edges"]);
    assert_eq!((&made["vertices"], &made["edges_stored"]), (&json!(200), &json!(2 * (10 * 19 + 9 * 20))));
    let info = sandbox.json(&["info", "grid.gts"]);
    assert_eq!(info["weights"], json!("u32"));
    assert_eq!(info["out"]["page_size"], json!(4096));
    assert_eq!(info["vertices"], json!(200));
    assert!(info["in"].is_object());
    assert_eq!(sandbox.json(&["verify", "grid.gts"])["sound"], json!(true));
    assert!(sandbox.text(&["verify", "grid.gts"]).contains("is sound"));
    assert_eq!(sandbox.names(), ["grid.gts"]);
}

#[test]
fn an_import_says_what_it_dropped() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", "# a comment\n7 8\r\n7 8\n8 8\n\n9 7");
    let kept = sandbox.text(&["import", "a.txt", "kept.gts"]);
    assert!(kept.contains("3 vertices, 4 directed edges\n"), "{kept}");
    let cleaned = sandbox.text(&["import", "a.txt", "cleaned.gts", "--drop-self-loops", "--drop-duplicates"]);
    assert!(
        cleaned.contains("3 vertices, 2 directed edges, 1 self-loop dropped, 1 duplicate edge dropped"),
        "{cleaned}"
    );
}

#[test]
fn reports_say_whether_a_graph_is_directed() {
    let sandbox = Sandbox::new();
    let banner = "%%MatrixMarket matrix coordinate pattern";
    sandbox.write("loops.mtx", format!("{banner} symmetric\n3 3 3\n2 1\n3 2\n3 3\n"));
    sandbox.write("one.mtx", format!("{banner} general\n1 1 0\n"));
    sandbox.write("arcs.txt", "1 2\n2 3\n");
    sandbox.text(&["import", "loops.mtx", "loops.gts"]);
    for graph in ["loops.mtx", "loops.gts"] {
        let undirected = "3 vertices, 3 undirected edges, 5 arcs";
        for command in [&["info", graph][..], &["run", "wcc", graph], &["plan", "wcc", graph, "--device", "cpu"]] {
            let text = sandbox.both(command);
            assert!(text.contains(undirected), "{command:?}: {text}");
        }
        let told = sandbox.json(&["info", graph]);
        assert_eq!((&told["edges"], &told["undirected_edges"]), (&json!(5), &json!(3)));
    }
    let text = sandbox.text(&["verify", "loops.gts"]);
    assert!(text.contains("3 vertices, 3 undirected edges, 5 arcs") && text.contains(" files, 1 page, "), "{text}");
    assert_eq!(sandbox.json(&["verify", "loops.gts"])["undirected_edges"], json!(3));
    let directed = sandbox.json(&["run", "bfs", "arcs.txt", "--source", "1"]);
    assert_eq!((&directed["graph"]["edges"], &directed["graph"]["undirected_edges"]), (&json!(2), &json!(null)));
    let text = sandbox.text(&["info", "arcs.txt"]);
    assert!(text.contains("3 vertices, 2 directed edges"), "{text}");
    let text = sandbox.text(&["info", "one.mtx"]);
    assert!(text.contains("1 vertex, 0 undirected edges, 0 arcs") && text.contains("1 small page"), "{text}");
}

#[test]
fn a_kept_import_has_the_content_and_the_notes_of_the_first() {
    let sandbox = Sandbox::new();
    sandbox.write("t.csv", "source,target,score\n1,2,5\n2,3,7\n");
    let run = ["--json", "run", "bfs", "t.csv", "--source", "1"];
    let [first, second] = [0, 1].map(|_| sandbox.run(&run));
    assert!(first.stderr.contains("imported") && second.stderr.contains("using the import"), "{first:?} {second:?}");
    for ended in [&first, &second] {
        assert!(ended.stderr.contains("`score` is not read"), "{ended:?}");
    }
    sandbox.write("w.csv", "source,target,weight\n1,2,5\n2,3,7\n");
    for run in [["run", "pagerank", "w.csv"]; 2] {
        let ended = sandbox.run(&run);
        assert_eq!(ended.stderr.matches("its weights are not read").count(), 1, "{ended:?}");
    }
    assert!(!sandbox.run(&["run", "pagerank", "w.csv", "--weights", "none"]).stderr.contains("weights"));
    let content = |text: &str| serde_json::from_str::<Value>(text).expect("JSON")["graph"]["content"].clone();
    assert!(content(&first.stdout).as_str().is_some_and(|text| text.len() == 16), "{}", first.stdout);
    assert_eq!(content(&first.stdout), content(&second.stdout));
}

#[test]
fn a_file_is_imported_once_and_said_so_in_a_line() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", "1 2\n2 3\n");
    let first = sandbox.run(&["info", "a.txt"]);
    assert!(first.stderr.starts_with("imported a.txt in ") && first.stderr.lines().count() == 1, "{first:?}");
    let second = sandbox.run(&["info", "a.txt"]);
    assert!(second.stderr.starts_with("using the import in "), "{second:?}");
    let other = sandbox.run(&["info", "a.txt", "--undirected"]);
    assert!(other.stderr.starts_with("imported a.txt"), "other options make another import: {other:?}");
    sandbox.write("a.txt", "1 2\n2 3\n3 4\n");
    assert_eq!(sandbox.json(&["info", "a.txt"])["edges"], json!(3), "a changed file is imported again");
}

#[test]
fn every_file_of_a_graph_decides_whether_its_import_is_used() {
    let sandbox = Sandbox::new();
    sandbox.write("k.v", "1\n2\n3\n4\n");
    sandbox.write("k.e", "1 2\n3 4\n");
    let facts = || {
        let info = sandbox.json(&["info", "k.e"]);
        (info["vertices"].as_u64(), info["edges"].as_u64())
    };
    assert_eq!(facts(), (Some(4), Some(2)));
    sandbox.write("k.v", "1\n2\n3\n4\n5\n6\n");
    assert_eq!(facts(), (Some(6), Some(2)));
    sandbox.write("k.properties", "graph.k.directed = false\n");
    assert_eq!(facts(), (Some(6), Some(4)));
    sandbox.write("k.properties", "graph.k.directed = true\n");
    assert_eq!(facts(), (Some(6), Some(2)));
    assert!(sandbox.run(&["info", "k.e"]).stderr.starts_with("using the import in "));
}

#[test]
fn a_damaged_cache_is_made_again() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", "1 2\n");
    sandbox.text(&["info", "a.txt"]);
    let graphs = sandbox.path("cache").join("graphs");
    let store = std::fs::read_dir(graphs).unwrap().next().unwrap().unwrap().path();
    for entry in std::fs::read_dir(&store).unwrap() {
        std::fs::write(entry.unwrap().path(), "damaged").unwrap();
    }
    let again = sandbox.run(&["info", "a.txt"]);
    assert_eq!(again.code, 0, "{again:?}");
    assert!(again.stderr.contains("does not open and is made again"), "{again:?}");
    assert!(sandbox.run(&["info", "a.txt"]).stderr.starts_with("using the import"));
}
