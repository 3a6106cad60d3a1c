//! Compiles every shipped kernel, and a few kernels that are difficult to compile, with NVRTC. Requires no GPU.
//!
//! Entry points for different virtual warps differ only in the number of lanes, so each kernel is compiled with one
//! virtual warp. Most tests use [`check`], which generates no machine code. Ignored tests compile all entry points as a run
//! does, and all forms for all types.

use gts_contract::{EdgeLayout, KernelDescriptor, KernelKind, Technique, VirtualWarp};
use gts_core::page::{IdWidth, PageFormat};
use gts_graph::algorithm::{self, edge_kernel, vertex_kernel};
use gts_graph::device::cuda::{Entry, Variant, check, compile, compiler, program_text};
use gts_graph::kernel::SumChecks;
use gts_graph::prelude::*;
use gts_tests::product::WIDTHS;

/// The architecture for which everything is compiled.
const MAIN: u32 = 90;
/// The oldest and the newest architecture. Kernels take turns: each is compiled for one of them, for whole attributes
/// and with the default widths of large graphs.
const COVER: [u32; 2] = [75, 100];
const COVER_WIDTH: (u8, u8) = (3, 2);

/// All virtual warps.
const WARPS: [VirtualWarp; 6] = {
    use VirtualWarp::{W2, W4, W8, W16, W32, W64};
    [W2, W4, W8, W16, W32, W64]
};

/// Returns whether there is a compiler. If not, prints a line; with `CI` set that is a failure.
fn has_compiler() -> bool {
    match compiler() {
        Ok(_) => true,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "CI needs NVRTC: {error}");
            // Written directly: the test harness would swallow the output of a test that passes.
            let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("skipped: {error}\n"));
            false
        }
    }
}

fn kernels() -> Vec<&'static KernelDescriptor> {
    gts_graph::algorithms::link();
    let kernels: Vec<_> = algorithm::all().iter().flat_map(|algorithm| algorithm.kernels).copied().collect();
    assert!(kernels.len() >= 4, "only {} kernels are registered", kernels.len());
    kernels
}

/// Returns one kernel for each function and attribute struct. The types of generic kernels take turns.
fn one_instance_each() -> Vec<&'static KernelDescriptor> {
    let mut functions: Vec<Vec<_>> = Vec::new();
    for kernel in kernels() {
        let is_instance =
            |of: &&mut Vec<&KernelDescriptor>| of[0].name == kernel.name && of[0].location == kernel.location;
        match functions.iter_mut().find(is_instance) {
            Some(instances) => instances.push(kernel),
            None => functions.push(vec![kernel]),
        }
    }
    functions.iter().enumerate().map(|(turn, instances)| instances[turn % instances.len()]).collect()
}

/// Returns the virtual warp of an entry point, if it has one.
fn virtual_warp(entry: &Entry) -> Option<VirtualWarp> {
    match entry {
        Entry::SmallPages(Technique::Edge(warp)) | Entry::PullSmallPages(Technique::Edge(warp)) => Some(*warp),
        _ => None,
    }
}

/// Leaves out entry points that differ from others only in the lanes of a virtual warp, or in the form in which the
/// ends of listed edges are stored.
fn sample(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.retain(|entry| virtual_warp(entry).is_none_or(|warp| warp == VirtualWarp::W32));
    entries.retain(|entry| *entry != Entry::EdgeList(EdgeLayout::Pairs));
    entries
}

/// Checks that a sample of the entry points of a kernel compiles in some forms. Returns their number.
fn check_sample(kernel: &KernelDescriptor, width: (u8, u8), forms: &[Variant], architecture: u32) -> usize {
    let entries = sample(Entry::programs(kernel).swap_remove(0));
    with_entries(kernel, &entries, width, forms, |text| check(kernel.name, text, architecture))
}

/// Compiles the entry points of a kernel with an action, except those whose virtual warp is not in `warps`. Returns the
/// number of compiled entry points.
fn compile_all(kernel: &KernelDescriptor, warps: &[VirtualWarp], action: fn(&str, &str) -> Result<()>) -> usize {
    compile_programs(kernel, Entry::programs(kernel), warps, action)
}

/// Compiles some programs of a kernel as [`compile_all`] does.
fn compile_programs(
    kernel: &KernelDescriptor,
    programs: Vec<Vec<Entry>>,
    warps: &[VirtualWarp],
    action: fn(&str, &str) -> Result<()>,
) -> usize {
    let compile = |mut entries: Vec<Entry>| {
        entries.retain(|entry| virtual_warp(entry).is_none_or(|warp| warps.contains(&warp)));
        with_entries(kernel, &entries, COVER_WIDTH, &[Variant::whole(4)], |text| action(kernel.name, text))
    };
    programs.into_iter().map(compile).sum()
}

/// Checks that the compiler accepts a program.
fn accept(name: &str, text: &str) -> Result<()> {
    check(name, text, MAIN)
}

/// Runs an action on the program of some entry points in each of some forms. Returns their number.
fn with_entries(
    kernel: &KernelDescriptor,
    entries: &[Entry],
    width: (u8, u8),
    forms: &[Variant],
    action: impl Fn(&str) -> Result<()>,
) -> usize {
    let width = IdWidth::new(width.0, width.1).expect("widths are 1 to 4");
    let format = PageFormat::new(64 << 10, width, kernel.edge_value()).expect("64 KiB is a page size");
    for &variant in forms {
        let text = program_text(kernel, Some(&format), variant, entries);
        if let Err(error) = action(&text) {
            panic!("{} ({width}), {variant:?}: {error}\n{text}", kernel.name);
        }
    }
    entries.len() * forms.len()
}

/// Returns the forms of a kernel: kernels that can run on a part of the attributes have a form for that.
fn forms(kernel: &KernelDescriptor, vertex_bytes: usize) -> Vec<Variant> {
    let whole = Variant::whole(vertex_bytes);
    let split = kernel.facts.splittable.holds().then_some(Variant { split: true, ..whole });
    [whole].into_iter().chain(split).collect()
}

#[test]
fn a_program_has_no_other_entry_points_than_it_was_asked_for() {
    for kernel in kernels() {
        for entry in Entry::of(kernel) {
            let text = program_text(kernel, None, Variant::whole(4), &[entry]);
            assert_eq!(text.matches("__global__").count(), 1, "{} {}", kernel.name, entry.name());
            assert!(text.contains(&format!("\n{}(", entry.symbol(kernel))), "{} {}", kernel.name, entry.name());
        }
    }
}

/// Compiles each kernel with one virtual warp. A kernel's body does not depend on the number of lanes, so the virtual
/// warps take turns. Types and entry points are independent, so a generic kernel compiles all its programs for one of its
/// types, and one program for each other type.
#[test]
fn every_kernel_compiles() {
    if !has_compiler() {
        return;
    }
    let whole = one_instance_each();
    let mut count = 0;
    for (number, (kernel, &warp)) in kernels().into_iter().zip(WARPS.iter().cycle()).enumerate() {
        let mut programs = Entry::programs(kernel);
        if !whole.iter().any(|instance| std::ptr::eq(*instance, kernel)) {
            programs = vec![programs.swap_remove(number % programs.len())];
        }
        count += compile_programs(kernel, programs, &[warp], accept);
    }
    println!("{count} entry points compiled for sm_{MAIN}");
}

#[test]
#[ignore = "takes two minutes"]
fn every_entry_point_compiles() {
    if !has_compiler() {
        return;
    }
    let optimise = |name: &str, text: &str| compile(name, text, MAIN).map(drop);
    let count: usize = kernels().into_iter().map(|kernel| compile_all(kernel, &WARPS, optimise)).sum();
    println!("{count} entry points compiled for sm_{MAIN}");
}

/// Compiles kernels in other forms than [`Variant::whole`]. Returns the number of compiled entry points.
fn compile_other_forms(kernels: &[&KernelDescriptor]) -> usize {
    let (mut count, whole) = (0, Variant::whole(4));
    for (number, &kernel) in kernels.iter().enumerate() {
        count += check_sample(kernel, COVER_WIDTH, &forms(kernel, 4)[1..], MAIN);
        // Vertex kernels do not depend on how pages store neighbours. Widths and bodies are independent, so kernels and
        // widths take turns, and so do wide values and ranges of lists, which all bodies read in the same way.
        if kernel.kind == KernelKind::Vertex || number % 2 == 0 {
            count += check_sample(kernel, (4, 4), &[Variant::whole(8)], MAIN);
        } else {
            let range = Variant { some_neighbours: true, ..whole };
            count += check_sample(kernel, WIDTHS[number % WIDTHS.len()], &[range], MAIN);
        }
        if kernel.facts.handed_bytes > 0 {
            let at_edge = Variant { at_edge: true, ..whole };
            let balanced = [Entry::PullSmallPages(Technique::Balanced), Entry::PullLargePages];
            count += with_entries(kernel, &balanced, COVER_WIDTH, &[at_edge], |text| accept(kernel.name, text));
        }
        // Checks of sums are the same in every entry point, and checks of floats are the same in every kernel.
        if !kernel.facts.sums.is_empty() || number % 8 == 0 {
            let sums = if number % 2 == 0 { SumChecks::Whole } else { SumChecks::Part };
            count += check_sample(kernel, COVER_WIDTH, &[Variant { sums, checked: true, ..whole }], MAIN);
        }
    }
    count
}

/// A separate test, so that it runs concurrently with `every_kernel_compiles`. Forms and types are independent, so each
/// generic kernel is compiled for one of its types.
#[test]
fn other_forms_compile() {
    if !has_compiler() {
        return;
    }
    let count = compile_other_forms(&one_instance_each());
    println!("{count} entry points of other forms compiled for sm_{MAIN}");
}

#[test]
#[ignore = "takes a minute"]
fn other_forms_compile_for_every_type() {
    if !has_compiler() {
        return;
    }
    let count = compile_other_forms(&kernels());
    println!("{count} entry points of other forms compiled for sm_{MAIN}");
}

#[test]
fn a_sample_of_kernels_compiles_for_another_architecture() {
    if !has_compiler() {
        return;
    }
    // Bodies do not depend on the architecture, so every other kernel is compiled.
    for (number, kernel) in one_instance_each().into_iter().step_by(2).enumerate() {
        // Two kernels per turn: with one, each architecture would compile generic kernels for one type only.
        let architecture = COVER[number / 2 % COVER.len()];
        check_sample(kernel, COVER_WIDTH, &[Variant::whole(4)], architecture);
    }
}

/// Names that C++, CUDA and the runtime's own text use: keywords, macros, variables, functions and types.
mod names {
    #![allow(non_camel_case_types, non_snake_case)]

    use gts_graph::prelude::*;

    #[gts_const]
    const NULL: u32 = 1;
    #[gts_const]
    const INFINITY: u32 = 2;
    #[gts_const]
    const NAN: f32 = 3.0;
    #[gts_const]
    const EOF: u32 = 4;
    #[gts_const]
    const CHAR_BIT: u32 = 5;
    #[gts_const]
    const M_PI: u32 = NULL + 6;
    #[gts_const]
    const GTS_P: u32 = 7;
    #[gts_const]
    const __CUDA_ARCH__: u32 = 8;

    #[gts_fn]
    fn erf(warpSize: u32, threadIdx: u32) -> u32 {
        warpSize ^ threadIdx
    }

    #[gts_fn]
    fn min(int: u32, unsigned: u32) -> u32 {
        erf(int, unsigned).min(NULL)
    }

    #[gts_fn]
    fn __ldg(edge: u32) -> u32 {
        edge
    }

    #[gts_attributes(register = f32 | u32)]
    pub struct gathered<register> {
        #[wa(init = 0, merge = sum)]
        pub gts: u32,
        #[wa(init = 0, merge = sum)]
        pub r#type: u32,
        #[wa(init = 0, merge = max)]
        pub r#struct: [u32; 3],
        #[wa(init = UNREACHED, merge = min)]
        pub float: register,
        #[ra]
        pub u32: u32,
        #[ra]
        pub linux: u32,
        #[param]
        pub class: u32,
        #[param]
        pub assert: u32,
        #[param]
        pub asm: [u32; 2],
        #[edge(default = UNREACHED)]
        pub namespace: register,
        #[global(merge = sum)]
        pub double: u64,
    }

    #[gts_kernel(scan)]
    pub fn main<register>(this: &mut gathered<register>, src: Vertex, dst: Vertex, delete: Edge) {
        if this.u32[src] > NULL {
            return;
        }
        let template = this.linux[src] + this.class + this.assert + this.asm[0];
        let template = template + INFINITY + EOF + CHAR_BIT + M_PI + GTS_P + __CUDA_ARCH__;
        for r#final in 0..3u32 {
            this.r#struct[dst][r#final].fetch_max(__ldg(min(template, r#final)));
        }
        this.gts[dst] += erf(template, NULL) + NAN as u32;
        this.r#type[dst] += 1;
        this.float[dst].fetch_min(this.namespace[delete]);
        this.double += 1;
    }

    #[gts_kernel(vertex)]
    pub fn gts<register>(gts: &mut gathered<register>, begin: Vertex) {
        let mut blockDim = gts.gts[begin];
        while blockDim > NULL {
            blockDim -= 1;
        }
        gts.r#type[begin] = blockDim;
    }

    #[gts_kernel(traverse)]
    pub fn r#while<register>(source: &mut gathered<register>, extern_: Vertex, wants: Vertex) {
        if source.r#type[wants] == source.gts[extern_] {
            activate(wants);
        }
    }
}

#[test]
fn names_of_cuda_and_of_the_runtime_compile() {
    if !has_compiler() {
        return;
    }
    let kernels = [
        edge_kernel(names::main::<f32>),
        edge_kernel(names::main::<u32>),
        vertex_kernel(names::gts::<f32>),
        edge_kernel(names::r#while::<f32>),
    ];
    for kernel in kernels {
        compile_all(kernel, &[VirtualWarp::W32], accept);
        check_sample(kernel, COVER_WIDTH, &forms(kernel, 4)[1..], MAIN);
    }
}

/// Attributes of kernels that convert vertices to IDs and use IDs as indices.
#[gts_attributes]
pub struct Forest {
    #[wa(init = UNREACHED, merge = min)]
    pub parent: VertexId,
    #[wa(init = UNREACHED, merge = any)]
    pub ends: [VertexId; 2],
    #[wa(init = 0, merge = sum)]
    pub children: u64,
}

#[gts_fn]
fn key(u: Vertex, other: VertexId) -> u64 {
    if u == other { u as u64 } else { other as u64 ^ u.id() as u64 }
}

#[gts_kernel(scan, racy)]
fn hook(f: &mut Forest, src: Vertex, dst: Vertex) {
    if src != f.parent[dst] && f.parent[f.parent[dst]] < src {
        f.parent[f.parent[dst]].fetch_min(src);
        f.ends[dst][0] = src;
        f.children[f.parent[src]] += key(src, dst) + key(dst, f.parent[src]);
    }
}

#[gts_kernel(vertex, racy)]
fn jump(f: &mut Forest, v: Vertex) {
    let mut root = f.parent[v];
    while f.parent[root] != root {
        root = f.parent[root];
    }
    f.parent[v] = if root == v { v } else { root };
}

#[test]
fn vertices_as_ids_and_ids_as_indices_compile() {
    if !has_compiler() {
        return;
    }
    for kernel in [edge_kernel(hook), vertex_kernel(jump)] {
        compile_all(kernel, &[VirtualWarp::W32], accept);
        check_sample(kernel, (4, 4), &[Variant::whole(8)], MAIN);
    }
}

/// Attributes of kernels that read what they write. The kernels cover every rule by which the result of such a read
/// does not depend on the order of the threads.
#[gts_attributes]
pub struct Reached {
    #[wa(init = 255, merge = min)]
    pub parity: u8,
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    #[wa(init = 0, merge = sum)]
    pub low: u64,
}

#[gts_kernel(traverse)]
fn alternate(r: &mut Reached, src: Vertex, dst: Vertex) {
    if r.parity[dst] == 255 {
        r.parity[dst] = ((step() + 1) % 2) as u8;
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn after_the_store(r: &mut Reached, src: Vertex, dst: Vertex) {
    if r.level[dst] == UNREACHED {
        r.level[dst] = step() + 1;
        activate(dst);
    }
    if r.level[dst] == step() + 1 {
        r.low[dst] += src.out_degree();
    }
}

#[gts_kernel(traverse)]
fn by_the_old_value(r: &mut Reached, src: Vertex, dst: Vertex) {
    let old = r.level[dst].fetch_min(step() + 1);
    if old > step() {
        r.low[dst] += src.out_degree();
        activate(dst);
    }
}

#[test]
fn reads_of_what_is_written_compile() {
    if !has_compiler() {
        return;
    }
    for kernel in [edge_kernel(alternate), edge_kernel(after_the_store), edge_kernel(by_the_old_value)] {
        compile_all(kernel, &[VirtualWarp::W32], accept);
        check_sample(kernel, COVER_WIDTH, &forms(kernel, 4)[1..], MAIN);
    }
}

/// Arrays that are too long for registers.
#[gts_attributes]
pub struct Features {
    #[ra]
    pub feature: [f32; 64],
    #[ra]
    pub wide: [f32; 300],
    #[wa(init = 0.0, merge = sum)]
    pub sum: [f32; 64],
    #[wa(init = 0.0, merge = sum)]
    pub wide_sum: [f32; 300],
    #[wa(init = 0.0, merge = max)]
    pub most: [f32; 64],
}

#[gts_kernel(scan)]
fn pool(f: &mut Features, src: Vertex, dst: Vertex) {
    for i in 0..64 {
        f.sum[dst][i] += f.feature[src][i];
    }
}

#[gts_kernel(scan)]
fn pool_wide(f: &mut Features, src: Vertex, dst: Vertex) {
    for i in 0..=299 {
        f.wide_sum[dst][i] += f.wide[src][i];
    }
}

#[gts_kernel(scan)]
fn pool_most(f: &mut Features, src: Vertex, dst: Vertex) {
    for i in 0..64 {
        f.most[dst][i].fetch_max(f.feature[src][i]);
    }
}

#[gts_kernel(scan)]
fn pool_one(f: &mut Features, src: Vertex, dst: Vertex) {
    f.sum[dst][src.id() as u64 % 64] += f.feature[src][0];
}

/// Maximum bytes of code of a program. The programs below have at most 211 KiB. With a copy of a loop's body for each
/// element of an array they had 1.7 to 2.8 MiB, and took 25 to 62 s to compile instead of one or two.
const MOST_CODE: usize = 512 << 10;

#[test]
fn loops_over_long_arrays_are_not_copied_for_each_element() {
    if !has_compiler() {
        return;
    }
    let width = IdWidth::new(COVER_WIDTH.0, COVER_WIDTH.1).expect("widths are 1 to 4");
    let format = PageFormat::new(64 << 10, width, None).expect("64 KiB is a page size");
    let kernels = [edge_kernel(pool), edge_kernel(pool_wide), edge_kernel(pool_most), edge_kernel(pool_one)];
    for kernel in kernels {
        let programs = Entry::programs(kernel);
        assert_eq!(programs.len(), 2, "{} pulls", kernel.name);
        for entries in programs {
            let text = program_text(kernel, Some(&format), Variant::whole(4), &entries);
            let code = compile(kernel.name, &text, MAIN).expect("a program");
            assert!(code.len() < MOST_CODE, "{} has {} KiB: {entries:?}", kernel.name, code.len() >> 10);
        }
    }
}
