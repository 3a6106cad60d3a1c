//! Tests that the example of every row of the language compiles and runs, and that its kernels compile with NVRTC. The
//! examples run on the CPU, or on the device that `GTS_TEST_DEVICE` names. Tests in `gts-macros` cover the words that
//! kernels lack.

#[allow(clippy::all, unused, reason = "examples are short, and generated")]
mod examples {
    use super::*;

    include!(concat!(env!("OUT_DIR"), "/rows.rs"));
}

pub(crate) use gts_graph::algorithm::{
    edge_kernel, gather_block, gather_edges, intersect_kernel, priority_bring, priority_find, priority_sift,
    vertex_kernel,
};
pub(crate) use gts_graph::prelude::*;

use examples::Shared;
use gts_contract::KernelDescriptor;
use gts_contract::language::{self, LanguageKind, RowExample};
use gts_core::page::{IdWidth, PageFormat};
use gts_graph::device::cuda::{Entry, Variant, check, compiler, program_text};
use std::collections::BTreeSet;

/// The kernels of an example.
pub(crate) type Kernels = Vec<&'static KernelDescriptor>;

/// A generated example.
#[derive(Clone, Copy)]
pub(crate) struct Example {
    /// The kind and the name of the row.
    pub(crate) row: (&'static str, &'static str),
    pub(crate) run: fn() -> Result<()>,
    pub(crate) kernels: fn() -> Kernels,
}

/// Returns a run in which all vertices are active. The graph is symmetric, and has 50 vertices, triangles, and a value
/// per edge.
pub(crate) fn started<A: Attributes>() -> Result<Run<A>> {
    let device = std::env::var("GTS_TEST_DEVICE").map_or(DeviceChoice::Cpu, |name| name.parse().expect("a device"));
    let near = |v: u64| [1, 2].map(|distance| (v, (v + distance) % 50, distance as u32));
    let edges = (0..50).flat_map(near).flat_map(|(v, w, weight)| [(v, w, weight), (w, v, weight)]);
    let graph = Graph::builder().weighted_edges(edges).build().expect("sound edges");
    let mut run = Engine::builder().device(device).build()?.start::<A>(&graph)?;
    run.activate_all()?;
    Ok(run)
}

/// Returns a run of the examples' struct in which only the root is active and has a level.
pub(crate) fn shared() -> Result<Run<Shared>> {
    let mut run = started()?;
    let root = run.graph().vertex(0)?;
    run.clear_frontier()?;
    run.set(Shared::LEVEL, root, 0)?;
    run.activate(root)?;
    Ok(run)
}

/// Checks that the condition of an example held at every vertex.
pub(crate) fn holds(mut run: Run<Shared>) -> Result<()> {
    let holds = run.take(Shared::HOLDS)?;
    assert!(holds.iter().all(|holds| *holds), "{holds:?}");
    Ok(())
}

/// Checks that a pass ended with a fault.
pub(crate) fn faults(ended: Result<()>) -> Result<()> {
    assert!(matches!(ended, Err(Error::Fault { .. })), "{ended:?}");
    Ok(())
}

#[test]
fn every_example_runs() {
    let all = examples::all();
    for Example { row, run, .. } in &all {
        println!("{row:?}");
        if let Err(error) = run() {
            panic!("{row:?}: {error}");
        }
    }
    println!("{} examples ran", all.len());
}

#[test]
fn every_row_has_an_example_that_is_tested() {
    // The examples of other rows also show these rows.
    let shown = [
        "gts_kernel",
        "merge",
        "from",
        "meaning",
        "checked mode",
        "order of faults",
        "sums",
        "floats",
        "memory",
        "random key",
        "racy",
        "replicable",
        "splittable",
        "update of an edge",
    ];
    let tested: BTreeSet<_> = examples::all().iter().map(|example| example.row).collect();
    let mut without = BTreeSet::new();
    for row in language::rows() {
        match row.example {
            RowExample::None => assert!(without.insert(row.name), "{} is there twice", row.name),
            RowExample::Refused(_) => assert!(row.kind.lacks(), "{}", row.name),
            _ => assert!(tested.contains(&(row.kind.name(), row.name)), "{}", row.name),
        }
    }
    assert_eq!(without, shown.into());
    let lacking = [LanguageKind::Lacking, LanguageKind::LackingMethod].map(|kind| language::rows_of(kind).count());
    let rows = language::rows().count();
    println!("{rows} rows: {} examples run, {} words are refused", tested.len(), lacking.iter().sum::<usize>());
}

/// Returns whether NVRTC is installed. If NVRTC is missing, prints a line, or panics if `CI` is set.
fn has_compiler() -> bool {
    match compiler() {
        Ok(_) => true,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "CI needs NVRTC: {error}");
            let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("skipped: {error}\n"));
            false
        }
    }
}

#[test]
fn every_kernel_of_an_example_compiles_for_a_gpu() {
    if !has_compiler() {
        return;
    }
    let width = IdWidth::new(3, 2).expect("widths are 1 to 4");
    let mut count = 0;
    for Example { row, kernels, .. } in examples::all() {
        for kernel in kernels() {
            let format = PageFormat::new(64 << 10, width, kernel.edge_value()).expect("64 KiB is a page size");
            // One entry point is enough, because it contains the body.
            let entries = &Entry::of(kernel)[..1];
            let text = program_text(kernel, Some(&format), Variant::whole(4), entries);
            if let Err(error) = check(kernel.name, &text, 90) {
                panic!("{row:?} {}: {error}\n{text}", kernel.name);
            }
            count += 1;
        }
    }
    println!("{count} kernels compiled");
}
