//! Plans of runs, and the trace of one.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};

/// Options of a machine with a large GPU, whatever this one has.
const LARGE: [&str; 4] = ["--device-memory", "138GiB", "--host-memory", "400GiB"];

/// Returns the sum of a value over all steps of a plan.
fn sum(plan: &Value, of: impl Fn(&Value) -> &Value) -> f64 {
    let steps = plan["steps"].as_array().expect("steps");
    steps.iter().map(|step| step["repeats"].as_f64().expect("times") * of(step).as_f64().expect("a figure")).sum()
}

#[test]
fn a_graph_that_is_not_made_is_planned() {
    let sandbox = Sandbox::new();
    let plan = ["plan", "pagerank", "rmat:30", "--device", "cuda", "--iterations", "10"];
    let plan = sandbox.json(&[&plan[..], &LARGE].concat());
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
fn what_kernels_only_read_travels_where_it_does_not_fit() {
    let sandbox = Sandbox::new();
    let plan =
        ["plan", "pagerank", "rmat:30", "--device", "cuda", "--device-memory", "6GiB", "--host-memory", "400GiB"];
    let found = sandbox.json(&plan);
    assert_eq!((&found["strategy"], &found["parts"]), (&json!("Strategy-P"), &json!(1)));
    // Ranks and out-degrees travel; the new ranks and the sets stay.
    assert_eq!(found["memory"]["travelling"], json!(8u64 << 30));
    let held = |what: &str| found["memory"]["device"][what].clone();
    assert_eq!((held("WA"), held("RA"), held("degrees")), (json!(4u64 << 30), json!(0), json!(0)));
    assert!(sandbox.text(&plan).contains("8 bytes a vertex that kernels only read travel with the pages"));
}

#[test]
fn several_devices_split_what_one_cannot_hold() {
    let plan = ["plan", "bfs", "rmat:31", "--device", "cuda", "--devices", "8"];
    let memory = ["--device-memory", "1GiB", "--host-memory", "50GiB"];
    let plan = Sandbox::new().json(&[&plan[..], &memory].concat());
    assert_eq!(plan["strategy"], json!("Strategy-S"));
    assert!(plan["parts"].as_u64().unwrap() >= 8, "{plan}");
    assert!(plan["memory"]["storage"].as_u64().unwrap() > 0, "{plan}");
    assert_eq!(plan["bound"], json!("disk"));
}

#[test]
fn what_cannot_run_says_what_is_missing() {
    let sandbox = Sandbox::new();
    let small = ["plan", "bfs", "rmat:20", "--device", "cuda", "--strategy", "p", "--device-memory", "1MiB"];
    let error = sandbox.fails(71, &small);
    assert!(error.contains("each device needs") && error.contains("WA (4.00 MiB)"), "{error}");
    let many = ["plan", "pagerank", "rmat:30", "--page-size", "4KiB", "--record-ids", "1,2"];
    assert!(sandbox.fails(2, &many).contains("pages"));
}

#[test]
fn plans_of_two_devices_say_what_they_merge() {
    let sandbox = Sandbox::new();
    let plan = |algorithm: &'static str, devices: &'static str| {
        let plan = ["plan", algorithm, "rmat:24", "--symmetrise", "--device", "cuda", "--devices", devices];
        [&plan[..], &LARGE].concat()
    };
    let vertices = f64::from(1 << 24);
    let found = sandbox.json(&plan("bfs", "2"));
    let merged = sum(&found, |step| &step["bytes"]["merged"]);
    let steps: f64 = found["steps"].as_array().expect("steps").iter().filter_map(|step| step["repeats"].as_f64()).sum();
    // One bit per vertex in each step, and each reached vertex once.
    let sets = steps * vertices / 8.0;
    assert!(merged > sets && merged <= sets + 4.0 * vertices, "{merged} bytes in {steps} steps");
    // All ranks in every iteration. Each device gets them from the other if both pull.
    let found = sandbox.json(&plan("pagerank", "2"));
    for step in found["steps"].as_array().expect("steps") {
        assert_eq!(step["bytes"]["merged"], json!(4.0 * vertices), "{step}");
    }
    let text = sandbox.text(&plan("bfs", "2"));
    assert!(text.contains("all loaded onto the devices") && text.contains("merged"), "{text}");
    assert!(text.contains("look for active ones along the in-edges"), "{text}");
    let alone = sandbox.text(&plan("bfs", "1"));
    assert!(alone.contains("all loaded onto the device of") && !alone.contains("merged"), "{alone}");
}

#[test]
fn models_rank_the_ways_of_going_over_neighbours() {
    let sandbox = Sandbox::new();
    let plan = |algorithm: &'static str, more: &[&'static str]| {
        let plan = ["plan", algorithm, "rmat:20", "--symmetrise", "--device", "cuda", "--models"];
        [&plan[..], &LARGE, more].concat()
    };
    let found = sandbox.json(&plan("pagerank", &[]))["models"].clone();
    let kernels = found["kernels"].as_array().expect("kernels");
    let strategies = kernels[0]["strategies"].as_array().expect("strategies");
    for way in ["push", "pull"] {
        let of_way: Vec<_> = strategies.iter().filter(|strategy| strategy["propagation"] == json!(way)).collect();
        assert!(of_way.len() >= 7, "{of_way:?}");
        assert!(of_way.is_sorted_by_key(|strategy| strategy["seconds"].as_f64().expect("seconds")));
        let chosen = kernels[0]["chosen"].as_array().expect("choices");
        let chosen = chosen.iter().find(|choice| choice["propagation"] == json!(way)).expect("a choice");
        assert_eq!(chosen["technique"], of_way[0]["technique"]);
        assert!(chosen["why"].as_str().expect("a reason").contains(" for "), "{chosen}");
    }
    // 2^20 vertices, 2^25 edges: the push saves 3 (|E| - |V|) reads.
    let reads = |model: &str| {
        let models = found["printed"]["models"].as_array().expect("models");
        models.iter().find(|row| row["model"] == json!(model)).expect("a model")["reads"].as_f64().expect("reads")
    };
    assert_eq!(reads("T_edge") - reads("T_push"), 3.0 * f64::from((1 << 25) - (1 << 20)));
    assert_eq!(reads("T_edge"), reads("T_pull"));
    assert_eq!(found["equation"]["number"], json!(1));
    assert_eq!(sandbox.json(&plan("bfs", &[]))["models"]["equation"]["number"], json!(2));
    let text = sandbox.text(&plan("pagerank", &["--technique", "vertex"]));
    for line in ["push vertex", "pull balanced", "T_NoDiv", "equation 1 of GTS", "as asked for"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert_eq!(sandbox.json(&["plan", "bfs", "rmat:10", "--device", "cuda"])["models"], Value::Null);
}

#[test]
fn plans_take_the_technique_the_way_and_the_threads_of_a_run() {
    let sandbox = Sandbox::new();
    let passes = |more: &[&str]| {
        let plan = ["plan", "pagerank", "rmat:20", "--symmetrise"];
        sandbox.json(&[&plan[..], more].concat())["seconds"]["passes"].as_f64().expect("seconds")
    };
    let on_gpu = |more: &[&str]| passes(&[&["--device", "cuda"][..], &LARGE, more].concat());
    let slow = on_gpu(&["--technique", "vertex"]);
    assert!(slow > 2.0 * on_gpu(&[]), "{slow}");
    assert!(on_gpu(&["--propagation", "push"]) > 0.0);
    let [one, two] = ["1", "2"].map(|threads| ["--device", "cpu", "--threads", threads]);
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1) {
        assert!(passes(&one) > passes(&two));
    }
    let error = sandbox.fails(2, &["plan", "bfs", "rmat:4", "--technique", "edge3"]);
    assert!(error.contains("expected vertex, edge2"), "{error}");
}

/// Returns the line of standard error with the error. If a plan and a run agree, the line is the same.
fn reason(ended: &str) -> &str {
    ended.lines().find(|line| line.starts_with("error: ")).unwrap_or_default()
}

#[test]
fn a_plan_refuses_what_a_run_refuses() {
    let sandbox = Sandbox::new();
    sandbox.text(&["generate", "rmat:6,weights=u64", "d.gts", "--page-size", "4KiB"]);
    let listed = sandbox.json(&["list"]);
    for algorithm in listed.as_array().expect("a list") {
        let name = algorithm["name"].as_str().expect("a name");
        let mut flags = vec![name.to_owned(), "d.gts".to_owned(), "--device".to_owned(), "cpu".to_owned()];
        for parameter in algorithm["parameters"].as_array().expect("parameters") {
            if parameter["required"] == json!(true) {
                flags.extend([format!("--{}", parameter["name"].as_str().expect("a name")), "1".to_owned()]);
            }
        }
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let [plan, run] = ["plan", "run"].map(|command| sandbox.run(&[&[command][..], &flags].concat()));
        assert_eq!(plan.code, run.code, "{name}: {plan:?} {run:?}");
    }
}

#[test]
fn budgets_and_vertices_that_a_run_refuses_are_refused_in_the_same_words() {
    let sandbox = Sandbox::new();
    sandbox.text(&["generate", "rmat:10", "s.gts", "--page-size", "4KiB", "--symmetrise"]);
    for (code, flags) in [
        (71, &["bfs", "s.gts", "--host-memory", "0"][..]),
        (71, &["bfs", "s.gts", "--host-memory", "10KiB"]),
        (66, &["bfs", "s.gts", "--source", "999999"]),
        (66, &["bfs", "rmat:4", "--source", "16"]),
        (66, &["induced-subgraph", "s.gts", "--vertices", "1,4096"]),
        (1, &["sssp", "s.gts"]),
    ] {
        let [plan, run] =
            ["plan", "run"].map(|command| sandbox.fails(code, &[&[command][..], flags, &["--device", "cpu"]].concat()));
        assert_eq!(reason(&plan), reason(&run), "{flags:?}");
    }
    // A run reports it for the kernel, with a next step of its own.
    let limited = ["triangles", "s.gts", "--host-memory", "40KiB", "--device", "cpu"];
    for (code, command) in [(71, "plan"), (1, "run")] {
        let error = sandbox.fails(code, &[&[command][..], &limited].concat());
        assert!(error.contains("meets lists of any vertices") && error.contains("--host-memory"), "{error}");
    }
    // Too little memory for any store with this many vertices.
    let error = sandbox.fails(71, &["plan", "pagerank", "rmat:31", "--host-memory", "4GiB", "--device", "cpu"]);
    assert!(error.contains("tables of the graph and two pages") && error.contains("may use 4.00 GiB"), "{error}");
}

#[test]
fn edges_that_are_added_are_said_to_be_a_bound() {
    let sandbox = Sandbox::new();
    let assumed = |flags: &[&str]| sandbox.json(&[&["plan", "wcc", "rmat:10"], flags].concat())["assumed"].to_string();
    assert!(assumed(&["--symmetrise"]).contains("as many edges as there can be"));
    assert!(!assumed(&["--in-edges"]).contains("as many edges"));
}

#[test]
fn both_topologies_are_planned_for_and_pulled_along() {
    let sandbox = Sandbox::new();
    sandbox.text(&["generate", "rmat:12", "g.gts", "--page-size", "4KiB", "--in-edges", "--order", "original"]);
    let info = sandbox.json(&["info", "g.gts"]);
    let pages = info["out"]["bytes"].as_u64().expect("bytes") + info["in"]["bytes"].as_u64().expect("bytes");
    let both = |flags: &[&str]| {
        let flags = [&["bfs", "g.gts", "--device", "cpu"], flags].concat();
        ["plan", "run"].map(|command| sandbox.json(&[&[command][..], &flags].concat()))
    };
    let close = |planned: f64, found: &Value, share: f64| {
        let found = found.as_f64().expect("a figure");
        assert!((planned / found - 1.0).abs() < share, "{planned} planned, {found} found");
    };
    // In memory both directions are present, whichever is walked.
    let [plan, run] = both(&[]);
    assert_eq!((plan["memory"]["host_pages"].as_u64(), plan["memory"]["storage"].as_u64()), (Some(pages), Some(0)));
    close(sum(&plan, |step| &step["edges"]), &run["edges"], 0.05);
    assert_eq!(sum(&plan, |step| &step["bytes"]["read"]), 0.0);
    // A buffer for four fifths of the pages.
    let budget = (pages * 4 / 5).to_string();
    let [plan, run] = both(&["--host-memory", &budget]);
    assert!(plan["memory"]["storage"].as_u64() > Some(0), "{plan}");
    close(sum(&plan, |step| &step["edges"]), &run["edges"], 0.05);
    close(sum(&plan, |step| &step["bytes"]["read"]), &run["read"], 0.35);
}

#[test]
fn levels_of_a_traversal_can_be_given() {
    let sandbox = Sandbox::new();
    let plan = ["plan", "bfs", "uniform:16", "--device", "cpu"];
    let guessed = sandbox.json(&plan);
    let given = sandbox.json(&[&plan[..], &["--levels", "300"]].concat());
    let edges = |plan: &Value| sum(plan, |step| &step["edges"]);
    let levels: f64 = given["steps"].as_array().unwrap().iter().map(|step| step["repeats"].as_f64().unwrap()).sum();
    assert_eq!(levels, 300.0);
    assert!((edges(&given) / edges(&guessed) - 1.0).abs() < 1e-9, "{given}");
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
            let predicted = sandbox.json(&plan);
            assert!(!predicted["steps"].as_array().expect("steps").is_empty(), "{plan:?}: {predicted}");
            assert!(predicted["seconds"]["run"].as_f64().is_some_and(|seconds| seconds > 0.0), "{plan:?}: {predicted}");
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
    // 64 samples at once, of 1024.
    let ratio = passes("closeness", &[]) / passes("closeness", &["--samples", "64"]);
    assert!((ratio - 16.0).abs() < 1e-9, "{ratio}");
}

#[test]
fn levels_of_16_bits_take_half_the_memory() {
    let sandbox = Sandbox::new();
    let plan = ["plan", "bfs", "rmat:28", "--device", "cuda", "--level-type", "u16"];
    let plan = sandbox.json(&[&plan[..], &LARGE].concat());
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
    let complete = || events.iter().filter(|event| event["ph"] == "X");
    assert_eq!(json!(complete().count()), report["trace"]["events"]);
    let seen = |kind: &str, name: &str| complete().any(|event| event["cat"] == kind && event["name"] == name);
    assert!(seen("launch", "spread") && seen("phase", "phase passes"), "{events:?}");
    assert!(std::fs::read_to_string(sandbox.path("run.svg")).unwrap().starts_with("<svg"));
    assert!(sandbox.fails(73, &run).contains("exists already"));
}

#[test]
fn the_order_of_the_vertices_is_chosen_and_named() {
    let sandbox = Sandbox::new();
    for (spec, chosen) in [("rmat:10", "degree"), ("grid:30x40", "original")] {
        let made = sandbox.json(&["generate", spec, "g.gts", "--force"]);
        let info = sandbox.json(&["info", "g.gts"]);
        assert_eq!((&made["order"], &info["order"]), (&json!(chosen), &json!(chosen)), "{spec}");
        for (graph, order, expected) in
            [("g.gts", None, chosen), (spec, Some("auto"), chosen), (spec, None, "original")]
        {
            let flags: Vec<_> = order.into_iter().flat_map(|order| ["--order", order]).collect();
            let plan = sandbox.json(&[&["plan", "bfs", graph][..], &flags[..]].concat());
            assert_eq!(plan["graph"]["order"], json!(expected), "{graph} {order:?}");
        }
    }
    let error = sandbox.fails(2, &["generate", "rmat:8", "g.gts", "--force", "--order", "best"]);
    assert!(error.contains("write auto, original, random, random:SEED, degree or layers:ROOT"), "{error}");
}

#[test]
fn loops_over_steps_take_what_pages_leave_or_the_host_begins_each_step() {
    let sandbox = Sandbox::new();
    let plan = |memory: &str, steps: &str| {
        let grid = ["plan", "bfs", "grid:1024x1024", "--device", "cuda"];
        sandbox.json(&[&grid[..], &["--device-memory", memory, "--steps", steps]].concat())
    };
    let needs = |plan: &Value| plan["memory"]["device"].as_object().expect("needs").clone();
    let loops = |plan: &Value| needs(plan)["loops over steps"].as_u64();
    let on_device = plan("4GiB", "auto");
    // A place of 8 bytes per vertex, and the queues.
    assert!(loops(&on_device) > Some(8 << 20), "{on_device}");
    assert!(!needs(&plan("4GiB", "host")).contains_key("loops over steps"));
    // A step that a CPU shares begins on the host.
    let beside = ["plan", "bfs", "grid:1024x1024", "--device", "cpu+cuda", "--device-memory", "4GiB"];
    assert!(!needs(&sandbox.json(&beside)).contains_key("loops over steps"));
    let held: u64 = needs(&on_device).values().chain([&on_device["memory"]["cache"]]).filter_map(Value::as_u64).sum();
    assert_eq!(plan(&held.to_string(), "auto")["memory"]["loops_left_out"], Value::Null);
    let little = plan(&(held - 1).to_string(), "auto");
    assert!(!needs(&little).contains_key("loops over steps"), "{little}");
    assert_eq!(little["memory"]["loops_left_out"].as_u64(), loops(&on_device));
    assert!(little["assumed"].to_string().contains("the host begins each step"), "{little}");
}
