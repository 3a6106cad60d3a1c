//! Plans of runs, and the trace of one.

use crate::sandbox::Sandbox;
use serde_json::json;

#[test]
fn a_graph_that_is_not_made_is_planned() {
    let sandbox = Sandbox::new();
    let plan = sandbox.json(&["plan", "pagerank", "rmat:30", "--device", "cuda", "--iterations", "10"]);
    assert_eq!(plan["graph"]["vertices"], json!(1u64 << 30));
    assert_eq!(plan["graph"]["estimated"], json!(true));
    assert_eq!(plan["bytes"]["wa"], json!(4u64 << 30));
    assert_eq!(plan["strategy"], json!("Strategy-P"));
    let repeats: Vec<_> = plan["steps"].as_array().unwrap().iter().map(|step| step["repeats"].clone()).collect();
    assert_eq!(repeats, [json!(1.0), json!(9.0)]);
    let sum: f64 = plan["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["repeats"].as_f64().unwrap() * step["seconds"]["total"].as_f64().unwrap())
        .sum();
    assert!((sum - plan["seconds"]["passes"].as_f64().unwrap()).abs() < 1e-9 * sum);
    assert!(!sandbox.path("rmat:30").exists());
}

#[test]
fn several_devices_split_what_one_cannot_hold() {
    let plan = Sandbox::new().json(&["plan", "bfs", "rmat:34", "--device", "cuda", "--devices", "8"]);
    assert_eq!(plan["strategy"], json!("Strategy-S"));
    assert!(plan["parts"].as_u64().unwrap() >= 8, "{plan}");
    assert!(plan["memory"]["storage"].as_u64().unwrap() > 0, "{plan}");
    assert_eq!(plan["bound"], json!("disk"));
    assert!(plan["assumed"].to_string().contains("2^32"), "{plan}");
}

#[test]
fn what_cannot_run_says_what_is_missing() {
    let sandbox = Sandbox::new();
    let small = ["plan", "bfs", "rmat:20", "--device", "cuda", "--strategy", "p", "--device-memory", "1MiB"];
    let error = sandbox.fails(1, &small);
    assert!(error.contains("each device needs") && error.contains("WA (4.00 MiB)"), "{error}");
    let many = ["plan", "pagerank", "rmat:30", "--page-size", "4KiB", "--ids", "1,2"];
    assert!(sandbox.fails(1, &many).contains("pages"));
}

#[test]
fn levels_of_a_traversal_can_be_given() {
    let sandbox = Sandbox::new();
    let plan = ["plan", "bfs", "uniform:16", "--device", "cpu"];
    let guessed = sandbox.json(&plan);
    let given = sandbox.json(&[&plan[..], &["--levels", "300"]].concat());
    let sum = |plan: &serde_json::Value, of: &str| -> f64 {
        let steps = plan["steps"].as_array().unwrap();
        steps.iter().map(|step| step["repeats"].as_f64().unwrap() * step[of].as_f64().unwrap()).sum()
    };
    let levels: f64 = given["steps"].as_array().unwrap().iter().map(|step| step["repeats"].as_f64().unwrap()).sum();
    assert_eq!(levels, 300.0);
    assert!((sum(&given, "edges") / sum(&guessed, "edges") - 1.0).abs() < 1e-9, "{given}");
    assert!(given["seconds"]["run"].as_f64() > guessed["seconds"]["run"].as_f64());
    assert!(given["assumed"].to_string().contains("300 levels, as given"), "{given}");
    assert!(sandbox.fails(2, &["plan", "pagerank", "rmat:10", "--levels", "3"]).contains("no traversal"));
}

#[test]
fn every_algorithm_is_planned() {
    let sandbox = Sandbox::new();
    let listed = sandbox.json(&["list"]);
    for algorithm in listed.as_array().expect("a list") {
        let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
        let mut plan = vec!["plan".to_owned(), text(&algorithm["name"]), "uniform:6".to_owned()];
        for parameter in algorithm["parameters"].as_array().expect("parameters") {
            if parameter["required"] == json!(true) {
                plan.extend([format!("--{}", text(&parameter["name"])), "1".to_owned()]);
            }
        }
        for device in ["cpu", "cuda"] {
            let plan: Vec<&str> = plan.iter().map(String::as_str).chain(["--device", device]).collect();
            let foretold = sandbox.json(&plan);
            assert!(!foretold["steps"].as_array().expect("steps").is_empty(), "{plan:?}: {foretold}");
            assert!(foretold["seconds"]["run"].as_f64().is_some_and(|seconds| seconds > 0.0), "{plan:?}: {foretold}");
        }
    }
}

#[test]
fn searches_are_planned_as_often_as_they_are_made() {
    let sandbox = Sandbox::new();
    let passes = |algorithm: &str, flags: &[&str]| {
        let plan = sandbox.json(&[&["plan", algorithm, "uniform:10", "--device", "cpu"], flags].concat());
        plan["seconds"]["passes"].as_f64().expect("seconds")
    };
    let ratio = passes("betweenness", &["--samples", "8"]) / passes("betweenness", &["--source", "1"]);
    assert!((ratio - 8.0).abs() < 1e-9, "{ratio}");
    // 64 at once, of 1024.
    let ratio = passes("closeness", &[]) / passes("closeness", &["--samples", "64"]);
    assert!((ratio - 16.0).abs() < 1e-9, "{ratio}");
}

#[test]
fn levels_of_16_bits_take_half_the_memory() {
    let sandbox = Sandbox::new();
    let plan = sandbox.json(&["plan", "bfs", "rmat:28", "--device", "cuda", "--level-type", "u16"]);
    assert_eq!(plan["bytes"]["wa"], json!(2u64 << 28));
}

#[test]
fn a_store_is_planned_as_it_is() {
    let sandbox = Sandbox::new();
    sandbox.text(&["generate", "rmat:12", "a.gts", "--page-size", "4KiB"]);
    let info = sandbox.json(&["info", "a.gts"]);
    let plan = sandbox.json(&["plan", "bfs", "a.gts", "--device", "cpu"]);
    assert_eq!(plan["graph"]["estimated"], json!(false));
    for pages in ["small_pages", "large_pages", "bytes"] {
        assert_eq!(plan["graph"]["out"][pages], info["out"][pages], "{pages}");
    }
    let run = sandbox.json(&["run", "bfs", "a.gts", "--device", "cpu"]);
    let edges: f64 = plan["steps"].as_array().unwrap().iter().map(|step| step["edges"].as_f64().unwrap()).sum();
    let walked = run["edges"].as_f64().unwrap();
    assert!((edges / walked - 1.0).abs() < 0.05, "{edges} planned, {walked} walked");
}

#[test]
fn a_run_is_traced_into_files_that_are_not_replaced() {
    let sandbox = Sandbox::new();
    let run = ["run", "wcc", "rmat:8", "--device", "cpu", "--trace", "run.json", "--timeline", "run.svg"];
    let report = sandbox.json(&run);
    let trace: serde_json::Value = serde_json::from_slice(&std::fs::read(sandbox.path("run.json")).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let launches = events.iter().filter(|event| event["ph"] == "X" && event["cat"] == "launch").count();
    assert_eq!(json!(launches), report["trace"]["events"]);
    assert!(events.iter().any(|event| event["name"] == "spread"));
    assert!(std::fs::read_to_string(sandbox.path("run.svg")).unwrap().starts_with("<svg"));
    assert!(sandbox.fails(1, &run).contains("exists already"));
}
