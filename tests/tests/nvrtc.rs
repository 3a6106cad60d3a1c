//! NVRTC compiles every entry point of every shipped kernel. It needs no GPU.

use gts_core::contract::{AttributeKind, KernelDescriptor, KernelKind, ScalarType};
use gts_core::page::{IdWidth, PageFormat};
use gts_runtime::algorithm;
use gts_runtime::device::cuda::{Entry, Variant, compile, compiler, program_text};
use gts_tests::product::WIDTHS;

/// The architecture for which everything is compiled.
const MAIN: u32 = 90;
/// The oldest and the newest architecture, for which each kernel is compiled once, for whole attributes and with the widths
/// that the default picks on large graphs.
const COVER: [u32; 2] = [75, 100];
const COVER_WIDTH: (u8, u8) = (3, 2);

/// Whether there is a compiler; says so in one line where not, which with `CI` set is a failure.
fn has_compiler() -> bool {
    match compiler() {
        Ok(_) => true,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "CI needs NVRTC: {error}");
            // Straight to the stream: the test harness would keep a print of a test that passes to itself.
            let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("skipped: {error}\n"));
            false
        }
    }
}

fn kernels() -> Vec<&'static KernelDescriptor> {
    gts_algorithms::link();
    let kernels: Vec<_> = algorithm::all().iter().flat_map(|algorithm| algorithm.kernels).copied().collect();
    assert!(kernels.len() >= 4, "only {} kernels are registered", kernels.len());
    kernels
}

/// The type of the edge values that a kernel reads.
fn edge_value(kernel: &KernelDescriptor) -> Option<ScalarType> {
    let edge = |kind| matches!(kind, AttributeKind::Edge { .. });
    kernel.schema.attributes.iter().find(|attribute| edge(attribute.kind)).map(|attribute| attribute.ty.scalar)
}

/// Compiles all entry points of a kernel in some forms; answers their number.
fn compile_all(kernel: &KernelDescriptor, width: (u8, u8), forms: &[Variant], architecture: u32) -> usize {
    compile_entries(kernel, &Entry::of_kind(kernel.kind), width, forms, architecture)
}

/// The same for some entry points.
fn compile_entries(
    kernel: &KernelDescriptor,
    entries: &[Entry],
    width: (u8, u8),
    forms: &[Variant],
    architecture: u32,
) -> usize {
    let width = IdWidth::new(width.0, width.1).expect("widths are 1 to 4");
    let format = PageFormat::new(64 << 10, width, edge_value(kernel)).expect("64 KiB is a page size");
    for &variant in forms {
        let text = program_text(kernel, Some(&format), variant, entries);
        if let Err(error) = compile(kernel.name, &text, architecture) {
            panic!("{} ({width}), {variant:?}, sm_{architecture}: {error}\n{text}", kernel.name);
        }
    }
    entries.len() * forms.len()
}

/// The forms of a kernel: kernels that can run where a device holds a part of the attributes have one for that.
fn forms(kernel: &KernelDescriptor, vertex_bytes: usize) -> Vec<Variant> {
    let whole = Variant::whole(vertex_bytes);
    let split = kernel.facts.splittable.holds().then_some(Variant { split: true, ..whole });
    [whole].into_iter().chain(split).collect()
}

#[test]
fn every_entry_point_compiles() {
    if !has_compiler() {
        return;
    }
    let mut count = 0;
    for (number, kernel) in kernels().into_iter().enumerate() {
        count += compile_all(kernel, COVER_WIDTH, &forms(kernel, 4), MAIN);
        count += compile_all(kernel, (4, 4), &[Variant::whole(8)], MAIN);
        // Kernels of vertices do not know how pages name neighbours. Widths and bodies know nothing of each other: the
        // kernels take turns with the widths.
        if kernel.kind != KernelKind::Vertex {
            count += compile_all(kernel, WIDTHS[number % WIDTHS.len()], &[Variant::whole(4)], MAIN);
            // A range of each list is found in the same way with every width.
            let range = Variant { some_neighbours: true, ..Variant::whole(4) };
            count += compile_all(kernel, COVER_WIDTH, &[range], MAIN);
        }
        let pulling = Entry::of_pulling(kernel);
        if !pulling.is_empty() {
            // Vertices are found in pages as they are where it pushes.
            count += compile_entries(kernel, &pulling, COVER_WIDTH, &[Variant::whole(4)], MAIN);
        }
    }
    println!("{count} entry points compiled for sm_{MAIN}");
}

#[test]
fn each_kernel_compiles_for_other_architectures() {
    if !has_compiler() {
        return;
    }
    for kernel in kernels() {
        for architecture in COVER {
            compile_all(kernel, COVER_WIDTH, &[Variant::whole(4)], architecture);
        }
    }
}
