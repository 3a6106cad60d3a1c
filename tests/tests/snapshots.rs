//! The macro's output for every shipped kernel, two files each in `tests/snapshots`: its CUDA C, and the facts about
//! its body.
//!
//! A change of the macro or of an analysis shows up there as a diff. `INSTA_UPDATE=always cargo test -p gts-tests
//! --test snapshots` accepts the new text.

use gts_contract::{IntegerSum, KernelDescriptor, Limit};
use gts_graph::algorithm;
use gts_graph::kernel::SEARCH;
use std::fmt::Write;
use std::path::Path;

/// Returns `algorithm.kernel`, with the type of a generic struct.
fn name(algorithm: &str, kernel: &KernelDescriptor) -> String {
    let kernel_name = kernel.name.split(['<', ':']).next().unwrap_or(kernel.name);
    match kernel.schema.parameter {
        Some(parameter) => format!("{algorithm}.{kernel_name}.{parameter}"),
        None => format!("{algorithm}.{kernel_name}"),
    }
}

/// Returns every algorithm's kernels, each with its name.
fn kernels() -> impl Iterator<Item = (String, &'static KernelDescriptor)> {
    gts_graph::algorithms::link();
    let of = |algorithm: &'static algorithm::Algorithm| {
        algorithm.kernels.iter().map(|kernel| (name(algorithm.name, kernel), *kernel))
    };
    algorithm::all().into_iter().flat_map(of)
}

#[test]
fn cuda_of_shipped_kernels() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        // The search for patterns is CUDA C of the runtime, not of a macro.
        for (name, kernel) in kernels().filter(|(_, kernel)| !std::ptr::eq(*kernel, &SEARCH)) {
            insta::assert_snapshot!(name, kernel.cuda);
        }
    });
}

/// Returns the facts about a kernel, one per line.
fn facts(kernel: &KernelDescriptor) -> String {
    let facts = &kernel.facts;
    let limit = |limit: &Limit| match limit {
        Limit::Yes => "yes".to_owned(),
        // Counted from the kernel, so that a change above it changes no snapshot.
        Limit::No { why, location } => {
            let (below, column) = (i64::from(location.line) - i64::from(kernel.location.line), location.column);
            format!("no, {why} at line {below:+}, column {column}")
        }
    };
    let uses = facts
        .uses
        .iter()
        .map(|used| format!("{:?} {} at {:?}", used.access, kernel.schema.attributes[used.attribute].name, used.site));
    let steady =
        facts.steady.iter().map(|read| format!(", {:?} {}", read.rule, kernel.schema.attributes[read.attribute].name));
    let degrees = facts.degrees.iter().map(|used| format!("{:?} at {:?}", used.side, used.site));
    let mut text = String::new();
    for (name, fact) in [
        ("kind", format!("{:?} {:?}", kernel.kind, kernel.direction)),
        ("class", format!("{:?}{}", facts.class, steady.collect::<String>())),
        ("uses", uses.collect::<Vec<_>>().join(", ")),
        ("degrees", degrees.collect::<Vec<_>>().join(", ")),
        ("merged", format!("{:?}", facts.merged)),
        ("filter", facts.source_filter.unwrap_or_default().to_owned()),
        ("guard", facts.target_guard.unwrap_or_default().to_owned()),
        ("guard falls", facts.target_guard_falls.to_string()),
        ("activates", format!("{:?}", facts.activates)),
        ("changes activated", facts.changes_activated.to_string()),
        ("idempotent", facts.idempotent.to_string()),
        ("approximate", facts.approximate.to_string()),
        ("reads edge, position", format!("{}, {}", facts.reads_edge, facts.reads_position)),
        ("tallied", format!("{:?}", facts.tallied)),
        ("pulls", format!("{}, {} bytes handed out", facts.pulls, facts.handed_bytes)),
        ("sums", sums(kernel)),
        ("step loop", format!("{:?}", facts.step_loop)),
        ("replicable", limit(&facts.replicable)),
        ("splittable", limit(&facts.splittable)),
        ("error sites", format!("{:?}", kernel.error_sites.iter().map(|site| site.what).collect::<Vec<_>>())),
    ] {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", format!("{name}: {fact}").trim_end());
    }
    text
}

/// Returns the integer sums of a kernel: attribute, direction, vertex, and the largest change by one run of the body.
fn sums(kernel: &KernelDescriptor) -> String {
    let sum = |sum: &IntegerSum| {
        let name = kernel.schema.attributes[sum.attribute].name;
        let most = if sum.most == u64::MAX { "any number".to_owned() } else { sum.most.to_string() };
        format!("{name} {:?} at {:?} by {most}", sum.direction, sum.site)
    };
    kernel.facts.sums.iter().map(sum).collect::<Vec<_>>().join(", ")
}

#[test]
fn facts_of_shipped_kernels() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    let update = std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always");
    let mut names = Vec::new();
    for (name, kernel) in kernels() {
        let path = folder.join(format!("{name}.facts"));
        if update {
            std::fs::write(&path, facts(kernel)).expect("the folder of snapshots can be written to");
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(facts(kernel), kept, "{} is not up to date", path.display());
        names.push(name);
    }
    for entry in std::fs::read_dir(&folder).expect("there are snapshots") {
        let path = entry.expect("the folder can be read").path();
        if path.extension().is_some_and(|extension| extension == "new") {
            // The test above created it, and fails.
            continue;
        }
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("names are UTF-8");
        assert!(names.iter().any(|known| known == name), "{} is of no kernel", path.display());
    }
}
