//! Program text: the fixed parts, the CUDA C of a kernel, and the entry points.

use super::entry::{Entry, EntryForm};
use super::launch::FEW;
use super::session::REPORT;
use gts_contract::{AttributeKind, KernelDescriptor, KernelKind, Merge, ScalarType};
use gts_core::page::PageFormat;
use gts_device::kernel::SumChecks;
use gts_device::replicated::Merged;
use std::fmt::Write;

const PRELUDE: &str = include_str!("cuda_src/prelude.cuh");
const ARITHMETIC: &str = include_str!("cuda_src/arithmetic.cuh");
const ATOMICS: &str = include_str!("cuda_src/atomics.cuh");
const WIDE: &str = include_str!("cuda_src/wide.cuh");
const GLOBALS: &str = include_str!("cuda_src/globals.cuh");
const RANDOM: &str = include_str!("cuda_src/random.cuh");
const SLOTTED: &str = include_str!("cuda_src/slotted.cuh");
const SLOTTED_LIST: &str = include_str!("cuda_src/slotted_list.cuh");
const WINDOW: &str = include_str!("cuda_src/window.cuh");
const INTERSECT: &str = include_str!("cuda_src/intersect.cuh");
const TALLY: &str = include_str!("cuda_src/tally.cuh");
const PICK: &str = include_str!("cuda_src/pick.cuh");
const PULL_SCAN: &str = include_str!("cuda_src/pull_scan.cuh");
const PULL_TRAVERSE: &str = include_str!("cuda_src/pull_traverse.cuh");
const LOOP: &str = include_str!("cuda_src/loop.cuh");
const STEPS: &str = include_str!("cuda_src/steps.cuh");
const CLAIMS: &str = include_str!("cuda_src/claims.cuh");
const SLOTTED_PLACES: &str = include_str!("cuda_src/slotted_places.cuh");
const EDGE_LIST: &str = include_str!("cuda_src/edge_list.cuh");
const SLOTTED_EDGES: &str = include_str!("cuda_src/slotted_edges.cuh");
const TECHNIQUES: &str = include_str!("cuda_src/techniques.cuh");
const VERTICES: &str = include_str!("cuda_src/vertices.cuh");
const MERGE: &str = include_str!("cuda_src/merge.cuh");
const UNITE: &str = include_str!("cuda_src/unite.cuh");
const SUPPORT: &str = include_str!("cuda_src/support.cuh");

/// The properties on which a program depends, in addition to its kernel, page format and entry points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The size of a stored vertex number in bytes: 4 or 8.
    pub vertex_bytes: usize,
    /// Whether the device holds the attributes of only some vertices.
    pub split: bool,
    /// Whether a pass walks only a part of each vertex's list.
    pub some_neighbours: bool,
    /// Whether a pulling scan evaluates the source's contribution at each edge.
    pub at_edge: bool,
    /// The checks of integer sums in memory.
    pub sums: SumChecks,
    /// Whether the program is for checked mode.
    pub checked: bool,
}

impl Variant {
    /// Returns the variant for a device that holds all attributes, and for passes that walk whole lists.
    pub const fn whole(vertex_bytes: usize) -> Self {
        Self {
            vertex_bytes,
            split: false,
            some_neighbours: false,
            at_edge: false,
            sums: SumChecks::None,
            checked: false,
        }
    }
}

/// Returns the program of a kernel with exactly these entry points. `format` is the page format, which vertex kernels
/// do not need.
pub fn program_text(
    kernel: &KernelDescriptor,
    format: Option<&PageFormat>,
    variant: Variant,
    entries: &[Entry],
) -> String {
    let forms: Vec<EntryForm> = entries.iter().map(|entry| entry.form()).collect();
    let mut text = definitions(kernel, format, variant, &forms);
    for part in parts(kernel, &forms) {
        text.push('\n');
        text.push_str(part);
    }
    text.push_str(&kernel_text(kernel, entries));
    text
}

/// Returns the last part of a program: the kernel text that the macro generated, and the entry points.
pub fn kernel_text(kernel: &KernelDescriptor, entries: &[Entry]) -> String {
    let mut text = format!("\n{}", kernel.cuda);
    for entry in entries {
        text.push('\n');
        text.push_str(&entry.text(kernel));
    }
    text
}

/// Returns the preprocessor definitions that select variants of the fixed parts and of the kernel's body.
fn definitions(
    kernel: &KernelDescriptor,
    format: Option<&PageFormat>,
    variant: Variant,
    forms: &[EntryForm],
) -> String {
    let mut text = format!("// Kernel `{}` of `{}`.\n\n", kernel.name, kernel.schema.name);
    let mut define = |name: &str, value: &dyn std::fmt::Display| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "#define {name} {value}");
    };
    define("GTS_VERTEX_BYTES", &variant.vertex_bytes);
    if variant.split {
        define("GTS_SPLIT", &1);
    }
    if variant.some_neighbours || kernel.facts.reads_position {
        define("GTS_POSITIONS", &1);
    }
    if kernel.facts.reads_position {
        define("GTS_READS_POSITION", &1);
    }
    if let Some(format) = format.filter(|_| kernel.kind != KernelKind::Vertex) {
        define("GTS_P", &format.width().page_bytes());
        define("GTS_Q", &format.width().slot_bytes());
        if let Some((scalar, default)) = edge_value(kernel) {
            define("GTS_VALUE", &scalar.name());
            if format.value() != Some(scalar) {
                define("GTS_VALUE_DEFAULT", &literal(scalar, default));
            }
        }
    }
    for form in [EntryForm::Pull, EntryForm::Steps, EntryForm::Claims].into_iter().filter(|form| forms.contains(form)) {
        if let Some(name) = form.define() {
            define(name, &1);
        }
    }
    if forms.contains(&EntryForm::Pull) && variant.at_edge {
        define("GTS_AT_EDGE", &1);
    }
    if variant.checked {
        define("GTS_CHECKED_MODE", &1);
    }
    match variant.sums {
        SumChecks::None => {}
        SumChecks::Whole => define("GTS_CHECKS_SUMS", &"GTS_WHOLE"),
        SumChecks::Part => define("GTS_CHECKS_SUMS", &"GTS_PART"),
    }
    text
}

/// Returns the fixed parts that a kernel with entry points of these forms requires, in program order.
fn parts(kernel: &KernelDescriptor, forms: &[EntryForm]) -> impl Iterator<Item = &'static str> {
    let has = |wanted: &[EntryForm]| forms.iter().any(|form| wanted.contains(form));
    // Include atomics only if the kernel uses them: atomics take a third of the fixed parts' compile time.
    let uses = |names: &[&str]| names.iter().any(|name| kernel.cuda.contains(name));
    let globals = uses(&["gts_global", "gts_edge_share"]);
    let pulls = has(&[EntryForm::Pull]);
    [
        (PRELUDE, true),
        (ARITHMETIC, true),
        (ATOMICS, globals || uses(&["gts_fetch_", "gts_checked_", "gts_swap", "gts_compare_exchange"])),
        (WIDE, globals || pulls && kernel.kind == KernelKind::Scan),
        (GLOBALS, globals),
        (RANDOM, uses(&["gts_random"])),
        (TALLY, kernel.facts.tallied.is_some()),
        (SLOTTED, forms.iter().any(|form| !matches!(form, EntryForm::Vertices | EntryForm::Search))),
        (TECHNIQUES, has(&[EntryForm::Push, EntryForm::EdgeList, EntryForm::Pull, EntryForm::Intersection])),
        (EDGE_LIST, has(&[EntryForm::EdgeList])),
        (LOOP, has(&[EntryForm::Steps, EntryForm::Claims])),
        (STEPS, has(&[EntryForm::Steps])),
        (CLAIMS, has(&[EntryForm::Claims])),
        (PULL_SCAN, pulls && kernel.kind == KernelKind::Scan),
        (PULL_TRAVERSE, pulls && kernel.kind == KernelKind::Traverse),
        (SLOTTED_LIST, has(&[EntryForm::Intersection])),
        (WINDOW, has(&[EntryForm::Intersection])),
        (INTERSECT, has(&[EntryForm::Intersection])),
        (VERTICES, has(&[EntryForm::Vertices])),
    ]
    .into_iter()
    .filter_map(|(part, used)| used.then_some(part))
}

/// Returns the program with the runtime's own kernels.
pub(super) fn support_text(vertex_bytes: usize) -> String {
    let defines =
        format!("#define GTS_VERTEX_BYTES {vertex_bytes}\n#define GTS_FEW {FEW}\n#define GTS_REPORT {REPORT}\n");
    format!("// Kernels of the runtime.\n\n{defines}\n{PRELUDE}\n{SUPPORT}")
}

/// Returns the program that selects the most frequent value per vertex, for keys of `key_bytes` bytes.
pub(super) fn pick_text(key_bytes: usize) -> String {
    let key = 8 * key_bytes;
    // The program does not depend on the width of vertex numbers.
    let defines = format!("#define GTS_VERTEX_BYTES 4\n#define GTS_TALLY_KEY u{key}\n");
    format!("// Finds the most frequent values.\n\n{defines}\n{PRELUDE}\n{TALLY}\n{PICK}")
}

/// Returns the program that computes the positions of lists. The program reads no neighbours, so it does not depend on
/// the width of record IDs.
pub(super) fn places_text(vertex_bytes: usize) -> String {
    let defines = format!("#define GTS_VERTEX_BYTES {vertex_bytes}\n#define GTS_P 2\n#define GTS_Q 2\n");
    format!("// Finds lists.\n\n{defines}\n{PRELUDE}\n{SLOTTED}\n{SLOTTED_PLACES}")
}

/// Returns the program that builds an edge list from pages, with edge values if `values` is set.
pub(super) fn listing_text(vertex_bytes: usize, format: &PageFormat, values: bool) -> String {
    let (page, slot) = (format.width().page_bytes(), format.width().slot_bytes());
    // Values are copied as bit patterns.
    let bits = 8 * format.value_bytes();
    let value = if values { format!("#define GTS_VALUE u{bits}\n") } else { String::new() };
    let defines =
        format!("#define GTS_VERTEX_BYTES {vertex_bytes}\n#define GTS_P {page}\n#define GTS_Q {slot}\n{value}");
    format!("// Lists edges.\n\n{defines}\n{PRELUDE}\n{SLOTTED}\n{TECHNIQUES}\n{SLOTTED_EDGES}")
}

/// The properties of an attribute that determine the program that merges its replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MergeProgram {
    pub(super) scalar: ScalarType,
    pub(super) merge: Merge,
    /// Whether the program merges only the values of vertices that a replica has activated.
    pub(super) activated: bool,
    /// Whether the checked sums rise, and whether the first replica holds parts; `None` if sums are not checked.
    pub(super) check: Option<(bool, bool)>,
}

impl MergeProgram {
    /// Returns the program for an attribute.
    pub(super) fn of(attribute: &Merged, activated: bool) -> Self {
        let check = attribute.check.filter(|_| !activated).map(|check| (check.rises, check.is_part));
        Self { scalar: attribute.scalar, merge: attribute.merge, activated, check }
    }
}

/// Returns the text of a program that merges replicas.
pub(super) fn merge_text(vertex_bytes: usize, program: MergeProgram) -> String {
    let MergeProgram { scalar, merge, activated, check } = program;
    let bits = [ScalarType::U8, ScalarType::U16, ScalarType::U32, ScalarType::U64];
    let of_size = bits.into_iter().find(|bits| bits.bytes(vertex_bytes) == scalar.bytes(vertex_bytes));
    let element = match (merge, scalar, of_size) {
        // Values are compared as bit patterns.
        (Merge::Any, _, Some(bits)) => bits.name(),
        (_, ScalarType::VertexId, _) => "gts_vertex",
        _ => scalar.name(),
    };
    let merged = match merge {
        Merge::Sum => "(a) + (b)",
        Merge::Min => "gts_min(a, b)",
        Merge::Max => "gts_max(a, b)",
        Merge::Or => "(a) | (b)",
        Merge::And => "(a) & (b)",
        // The first replica that has activated the vertex determines the value.
        Merge::Any => "((void)(b), (a))",
    };
    let keeps_first = if merge == Merge::Any && !activated { "#define GTS_KEEPS_FIRST 1\n" } else { "" };
    let checks = check.map_or_else(String::new, |(rises, is_part)| {
        let first = if is_part { "GTS_PART" } else { "GTS_WHOLE" };
        format!("#define GTS_CHECKS_SUMS {first}\n#define GTS_RISES {rises}\n")
    });
    let part = if activated { UNITE } else { MERGE };
    format!(
        "// Merges replicas.\n\n#define GTS_VERTEX_BYTES {vertex_bytes}\n#define GTS_ELEMENT {element}\n\
         #define GTS_MERGED(a, b) {merged}\n{keeps_first}{checks}\n{PRELUDE}\n{ARITHMETIC}\n{part}"
    )
}

/// Returns the type of the edge values that a kernel reads, and the bits of the default value for pages without edge
/// values.
fn edge_value(kernel: &KernelDescriptor) -> Option<(ScalarType, u64)> {
    if !kernel.facts.reads_edge {
        return None;
    }
    kernel.schema.attributes.iter().find_map(|attribute| match attribute.kind {
        AttributeKind::Edge { default } => Some((attribute.ty.scalar, default.map_or(0, |init| init.bits))),
        _ => None,
    })
}

/// Returns a CUDA C expression for the value with these bits.
fn literal(scalar: ScalarType, bits: u64) -> String {
    match scalar {
        ScalarType::F32 => format!("__uint_as_float({:#x}u)", bits as u32),
        ScalarType::F64 => format!("__longlong_as_double({bits:#x}ll)"),
        _ => format!("(({}){bits:#x}ull)", scalar.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_of_edge_values_keep_their_bits() {
        assert_eq!(literal(ScalarType::F32, 0x3f80_0000), "__uint_as_float(0x3f800000u)");
        assert_eq!(literal(ScalarType::F64, 1f64.to_bits()), "__longlong_as_double(0x3ff0000000000000ll)");
        assert_eq!(literal(ScalarType::I32, u64::from(-1i32 as u32)), "((i32)0xffffffffull)");
    }

    #[test]
    fn the_fixed_parts_compile_for_every_width() {
        if let Err(error) = crate::compiler() {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            // Write directly to standard error, because the test harness hides the output of tests that pass.
            let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("skipped: {error}\n"));
            return;
        }
        for vertex_bytes in [4, 8] {
            let checked = crate::check("support", &support_text(vertex_bytes), 90);
            assert!(checked.is_ok(), "{:?}", checked.err());
        }
        let checked = crate::check("places", &places_text(4), 90);
        assert!(checked.is_ok(), "{:?}", checked.err());
        let width = gts_core::page::IdWidth::new(3, 2).expect("a width");
        for (vertex_bytes, value) in [(4, None), (4, Some(ScalarType::F32)), (8, Some(ScalarType::F64))] {
            let format = PageFormat::new(4096, width, value).expect("a format");
            let text = listing_text(vertex_bytes, &format, value.is_some());
            let checked = crate::check("listing", &text, 90);
            assert!(checked.is_ok(), "{:?}", checked.err());
        }
        for key_bytes in [4, 8] {
            let checked = crate::check("pick", &pick_text(key_bytes), 90);
            assert!(checked.is_ok(), "{:?}", checked.err());
        }
        use ScalarType::*;
        for scalar in [U8, U16, U32, U64, I32, I64] {
            for check in [(false, false), (false, true), (true, false), (true, true)] {
                let program = MergeProgram { scalar, merge: Merge::Sum, activated: false, check: Some(check) };
                let checked = crate::check("merge", &merge_text(4, program), 90);
                assert!(checked.is_ok(), "{scalar:?} {check:?}: {:?}", checked.err());
            }
        }
        for scalar in [U8, U16, U32, U64, I32, I64, F32, F64, Bool, VertexId] {
            let whole = !matches!(scalar, F32 | F64);
            for merge in [Merge::Sum, Merge::Min, Merge::Max, Merge::Or, Merge::And, Merge::Any] {
                for activated in [false, true] {
                    if whole || !matches!(merge, Merge::Or | Merge::And) {
                        let program = MergeProgram { scalar, merge, activated, check: None };
                        let text = merge_text(4, program);
                        let checked = crate::check("merge", &text, 90);
                        assert!(checked.is_ok(), "{scalar:?} {merge:?} {activated}: {:?}", checked.err());
                    }
                }
            }
        }
    }
}
