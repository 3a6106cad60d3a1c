//! The CPU and GPUs on one graph: all tests that require no GPU.

use crate::sandbox::Sandbox;
use gts_graph::core::cost::{HostConstants, MachineConstants, ProcessorConstants, VERSION};
use serde_json::{Value, json};

/// Writes constants as if measured: an H200 on a slow bus, with a CPU of 64 threads. The bus is fast enough for the GPU
/// to be worth one of two cores, the least that a test machine may have.
fn measured(sandbox: &Sandbox) {
    let host = HostConstants { measured: true, memory_rate: 400e9, ..HostConstants::default_of_cuda(1) };
    let cpu = ProcessorConstants { measured: true, ..ProcessorConstants::default_cpu(&host, 64) };
    let mut gpu = ProcessorConstants { measured: true, ..ProcessorConstants::default_cuda() };
    for copy in gpu.link.iter_mut().flat_map(|link| &mut link.copies) {
        copy.rate = copy.rate.min(30e9);
    }
    let constants = MachineConstants { version: VERSION, host, processors: vec![cpu, gpu] };
    std::fs::create_dir_all(sandbox.path("cache")).expect("a folder");
    sandbox.write("cache/constants.json", json!(constants).to_string());
}

/// On a symmetric graph both sides pull.
const PLAN: [&str; 8] =
    ["plan", "pagerank", "rmat:24", "--symmetrise", "--device", "cpu+cuda", "--host-memory", "400GiB"];

fn plan(sandbox: &Sandbox, flags: &[&str]) -> Value {
    sandbox.json(&[&PLAN[..], flags].concat())
}

/// Returns the seconds of the share with that name.
fn seconds(plan: &Value, what: &str) -> f64 {
    let shares = plan["hybrid"]["shares"].as_array().expect("shares");
    let found = shares.iter().find(|share| share["what"] == json!(what)).unwrap_or_else(|| panic!("{what}: {plan}"));
    found["seconds"]["total"].as_f64().expect("seconds")
}

#[test]
fn without_a_gpu_a_hybrid_device_is_an_error_and_never_the_cpu() {
    let sandbox = Sandbox::new();
    for alpha in ["auto", "0", "0.5", "1"] {
        let mut command = sandbox.command(&["run", "bfs", "rmat:4", "--device", "cpu+cuda", "--alpha", alpha]);
        let ended = command.env("CUDA_VISIBLE_DEVICES", "").output().expect("the binary runs");
        let error = String::from_utf8(ended.stderr).expect("text");
        assert_eq!((ended.status.code(), ended.stdout.is_empty()), (Some(69), true), "alpha {alpha}: {error}");
        assert!(error.contains("cannot be used") && error.contains("next:"), "alpha {alpha}: {error}");
    }
}

#[test]
fn pages_that_stream_are_shared_with_a_cpu_as_measured() {
    let sandbox = Sandbox::new();
    measured(&sandbox);
    let streamed = plan(&sandbox, &["--device-memory", "640MiB"]);
    let hybrid = &streamed["hybrid"];
    let alpha = hybrid["alpha"].as_f64().expect("a fraction");
    assert!(alpha > 0.1 && alpha < 1.0 && hybrid["measured"] == json!(true), "{hybrid}");
    assert_eq!((&hybrid["placement"], &hybrid["asked"]), (&json!("random"), &json!(false)));
    let [gpu, chosen, cpu] = ["GPU alone", "chosen", "CPU alone"].map(|what| seconds(&streamed, what));
    assert!(chosen < 0.87 * gpu && chosen < cpu, "{hybrid}");
    // The steps are those of the GPU without the CPU.
    assert!((gpu / streamed["seconds"]["passes"].as_f64().unwrap() - 1.0).abs() < 1e-6, "{streamed}");
    // The CPU has a replica, which is in host memory.
    assert!(streamed["memory"]["host"]["WA"].as_u64() > Some(0), "{}", streamed["memory"]);
    assert_eq!(plan(&sandbox, &["--device-memory", "640MiB", "--alpha", "0"])["memory"]["host"]["WA"], json!(null));
}

#[test]
fn a_plan_is_for_the_threads_that_are_asked_for() {
    let sandbox = Sandbox::new();
    measured(&sandbox);
    let cpu = |threads| {
        let planned = plan(&sandbox, &["--device-memory", "640MiB", "--alpha", "0.5", "--threads", threads]);
        seconds(&planned, "asked")
    };
    let (one, all) = (cpu("1"), cpu("1024"));
    let cores = std::thread::available_parallelism().expect("a number").get();
    assert!(if cores > 1 { one > 1.2 * all } else { one == all }, "{one} {all}");
}

#[test]
fn pages_that_the_gpu_holds_stay_there() {
    let sandbox = Sandbox::new();
    measured(&sandbox);
    let resident = plan(&sandbox, &[]);
    assert_eq!(resident["hybrid"]["alpha"], json!(0.0));
    assert!(resident["hybrid"]["chosen"]["against"].is_string(), "{}", resident["hybrid"]);
    let asked = plan(&sandbox, &["--alpha", "0.3", "--place", "low"]);
    assert_eq!((&asked["hybrid"]["alpha"], &asked["hybrid"]["placement"]), (&json!(0.3), &json!("low")));
    assert!(seconds(&asked, "asked") > seconds(&asked, "GPU alone"), "{}", asked["hybrid"]);
    let text = sandbox.text(&PLAN);
    for part in ["over the GPU", "no share gains 15 %", "GPU alone", "CPU alone"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
fn a_plan_without_figures_of_the_machine_says_how_to_get_them() {
    let sandbox = Sandbox::new();
    let text = sandbox.text(&["plan", "pagerank", "rmat:20", "--device", "cpu+cuda"]);
    assert!(text.contains("a run takes alpha 0 until `gts devices --measure`"), "{text}");
}
