//! Plans of runs that several nodes share.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};

const PLAN: [&str; 5] = ["plan", "pagerank", "rmat:22", "--device", "cpu"];
const NETWORK: [&str; 4] = ["--network", "25GB/s", "--latency", "20us"];

/// Returns a plan of PageRank.
fn plan(sandbox: &Sandbox, flags: &[&str]) -> Value {
    sandbox.json(&[&PLAN[..], flags].concat())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number: {value}"))
}

#[test]
fn one_node_is_planned_as_without_nodes() {
    let sandbox = Sandbox::new();
    let alone = plan(&sandbox, &[]);
    assert_eq!(alone["nodes"], Value::Null);
    assert_eq!(plan(&sandbox, &["--nodes", "1"]), alone);
    let mut known = plan(&sandbox, &NETWORK);
    assert_eq!((&known["nodes"]["count"], &known["nodes"]["exchanges"]), (&json!(1), &json!(0.0)));
    known["nodes"] = Value::Null;
    assert_eq!(known, alone);
}

#[test]
fn nodes_divide_the_edges_and_send_their_values() {
    let sandbox = Sandbox::new();
    let one = plan(&sandbox, &NETWORK);
    let two = plan(&sandbox, &[&NETWORK[..], &["--nodes", "2"]].concat());
    let [first, shared] = [&one, &two].map(|plan| &plan["steps"][0]);
    let ratio = number(&shared["seconds"]["kernel"]) / number(&first["seconds"]["kernel"]);
    assert!((0.49..0.52).contains(&ratio), "{ratio}");
    assert_eq!(shared["edges"], first["edges"]);
    // Each node sends half of its values, and half of the sums.
    assert_eq!(shared["bytes"]["sent"], json!(4.0 * 4_194_304.0));
    assert_eq!(shared["bytes"]["merged"], shared["bytes"]["sent"]);
    // Ranks agree on the way, exchange their reports, reduce in two exchanges, and sum the dangling values.
    assert_eq!(shared["exchanges"], json!(5.0));
    let nodes = &two["nodes"];
    assert_eq!((&nodes["exchanges"], &nodes["sent"]), (&json!(100.0), &json!(20.0 * 16_777_216.0)));
    let network: f64 = two["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|step| number(&step["repeats"]) * number(&step["seconds"]["network"]))
        .sum();
    assert!((network / number(&nodes["seconds"]) - 1.0).abs() < 1e-9);
    let half = number(&one["memory"]["graph_pages"]) / 2.0;
    assert!((number(&two["memory"]["graph_pages"]) / half - 1.0).abs() < 0.02);
}

#[test]
fn a_plan_says_when_more_nodes_no_longer_pay() {
    let sandbox = Sandbox::new();
    let found = plan(&sandbox, &[&NETWORK[..], &["--nodes", "3"]].concat());
    let scaling = found["nodes"]["scaling"].as_array().expect("a table");
    let counts: Vec<u64> = scaling.iter().filter_map(|point| point["nodes"].as_u64()).collect();
    let pays = found["nodes"]["pays"].as_u64().expect("a number");
    assert!(counts.starts_with(&[1, 2, 3, 4]) && counts.ends_with(&[pays, 2 * pays]), "{counts:?} {pays}");
    assert_eq!(scaling[0]["speedup"], json!(1.0));
    let at_three = scaling.iter().find(|point| point["nodes"] == 3).expect("what was asked for");
    assert_eq!(at_three["seconds"], found["seconds"]["run"]);

    let text = sandbox.text(&[&PLAN[..], &NETWORK, &["--nodes", "3"]].concat());
    for part in ["on each of 3 nodes", "speed-up", "sent", "25.0 GB/s, 20 us an exchange", "a node sends"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains(&format!("more than {pays} nodes no longer pay: {} would be", 2 * pays)), "{text}");
    assert!(text.contains("the share of a node") && text.contains("its share alone"), "{text}");

    let limit = |network: &str, latency: &str| {
        let found = plan(&sandbox, &["--network", network, "--latency", latency]);
        (found["nodes"]["pays"].as_u64().expect("a number"), found["nodes"]["limit"].to_string())
    };
    let (slow, why) = limit("10MB/s", "1us");
    assert!(slow < pays && why.contains("values that nodes send"), "{why}");
    let (far, why) = limit("1TB/s", "100ms");
    assert!(far < pays && why.contains("exchanges"), "{why}");
}

#[test]
fn gpus_of_several_nodes_are_planned() {
    let sandbox = Sandbox::new();
    let gpus = ["plan", "bfs", "rmat:26", "--symmetrise", "--device", "cuda", "--devices", "2"];
    let room = ["--device-memory", "100GiB", "--host-memory", "200GiB"];
    let found = sandbox.json(&[&gpus[..], &room, &NETWORK, &["--nodes", "4"]].concat());
    let step = &found["steps"][2];
    assert!(number(&step["seconds"]["merge"]) > 0.0 && number(&step["seconds"]["network"]) > 0.0, "{step}");
    assert!(found["assumed"].to_string().contains("GPUs of different nodes"), "{found}");
}

#[test]
fn values_go_between_nodes_as_was_asked() {
    let sandbox = Sandbox::new();
    let with = |way: &str| {
        let flags = ["plan", "bfs", "rmat:24", "--symmetrise", "--device", "cuda", "--nodes", "2"];
        let room = ["--device-memory", "70GiB", "--host-memory", "200GiB", "--propagation", "push"];
        sandbox.json(&[&flags[..], &room, &NETWORK, &["--collectives", way]].concat())
    };
    let hosts = with("host");
    assert_eq!(hosts["nodes"]["between"], json!({ "way": "host memory", "why": "as was asked" }));
    assert!(hosts["assumed"].to_string().contains("through the memory of the hosts"), "{hosts}");
    // A GPU that is not in this machine is assumed to have NCCL.
    let auto = with("auto");
    if auto["nodes"]["between"]["way"] == "nccl" {
        let vertices = f64::from(1 << 24);
        for step in auto["steps"].as_array().expect("steps") {
            assert_eq!(number(&step["bytes"]["sent"]), vertices * 4.0 + vertices / 8.0, "{step}");
        }
        assert!(number(&hosts["nodes"]["sent"]) < number(&auto["nodes"]["sent"]));
    }
    let text = sandbox.text(&[&PLAN[..], &NETWORK, &["--nodes", "2"]].concat());
    assert!(text.contains("between  host memory\n"), "{text}");
}

#[test]
fn what_nodes_cannot_do_is_refused_with_the_next_step() {
    let sandbox = Sandbox::new();
    let refused = |code, flags: &[&str], part: &str| {
        let error = sandbox.fails(code, &[&["plan"], flags].concat());
        assert!(error.contains(part), "{flags:?}: {error}");
    };
    let pagerank = ["pagerank", "rmat:10", "--page-size", "4KiB"];
    let with = |flags: &[&'static str]| [&pagerank[..], flags].concat();
    refused(2, &with(&["--nodes", "2"]), "--network 25GB/s");
    refused(2, &with(&["--nodes", "0", "--network", "1GB/s"]), "--nodes");
    refused(2, &with(&["--nodes", "257", "--network", "1GB/s"]), "256");
    refused(2, &with(&["--latency", "20us"]), "--network");
    refused(2, &with(&["--nodes", "2", "--network", "25GB"]), "expected a rate above 0 such as 25GB/s or 200Gb/s");
    refused(2, &with(&["--network", "1GB/s", "--latency", "20"]), "expected a time such as");
    refused(2, &with(&["--device", "cpu+cuda", "--network", "1GB/s"]), "--device cuda");
    let by_nccl = with(&["--device", "cpu", "--nodes", "2", "--network", "1GB/s", "--collectives", "nccl"]);
    refused(2, &by_nccl, "leave out --collectives");
    refused(1, &with(&["--device", "cpu", "--nodes", "256", "--network", "1GB/s"]), "smaller --page-size");
    let split = with(&["--device", "cuda", "--strategy", "s", "--nodes", "2", "--network", "1GB/s"]);
    refused(1, &split, "leave --strategy out");
}
