//! The pulling form of a kernel. In a scan, edges update the receiver's values in registers. In a traversal, edges have
//! the same effect as in the pushing form, and are skipped once the receiver's condition is false.

use super::scope::{KernelNames, Scope};
use super::text::CodeText;
use super::types;
use crate::ir::{AttributeId, Kernel, Merge, Role, StepLoop};

/// Writes the members of the body struct that the pulling form needs.
pub(super) fn members(text: &mut CodeText, kernel: &Kernel, names: &KernelNames) {
    if !kernel.facts.pulls() {
        return;
    }
    text.line("");
    text.directive(match kernel.facts.step_loop {
        StepLoop::Claiming => "#if defined(GTS_PULLS) || defined(GTS_CLAIMS)",
        StepLoop::No | StepLoop::InOrder => "#ifdef GTS_PULLS",
    });
    if kernel.facts.receives {
        wants(text, kernel, &Scope::kernel(kernel, names));
        text.directive("#endif");
        return;
    }
    text.line(&format!("static constexpr bool filters = {};", kernel.source_filter.is_some()));
    text.line(&format!("static constexpr bool hands = {};", kernel.handed_bytes() > 0));
    text.line(&format!("static constexpr u32 handed_bytes = {};", kernel.handed_bytes().max(1)));
    text.line("");
    gathered(text, kernel, names);
    text.line("");
    gather(text, kernel, &Scope::pulling(kernel, names));
    text.directive("#endif");
}

/// Writes the condition that a receiver must satisfy.
fn wants(text: &mut CodeText, kernel: &Kernel, scope: &Scope<'_>) {
    let (dst, condition) = (scope.parameter(Role::Dst, "dst"), &kernel.facts.target_condition);
    text.line(&format!("static constexpr bool guarded = {};", condition.is_some()));
    text.line("");
    text.line(&format!("// Whether an edge to {dst} may still do anything."));
    text.open(&format!("__device__ __forceinline__ bool wants(gts_vertex {dst}) {{"));
    match condition {
        Some(condition) => {
            text.line(&format!("// {}", scope.printer.expr(condition)));
            text.line(&format!("return {};", scope.expr(condition)));
        }
        None => text.line("return true;"),
    }
    text.close("}");
}

/// Writes the struct of registers, with one runtime type per attribute.
fn gathered(text: &mut CodeText, kernel: &Kernel, names: &KernelNames) {
    text.line("// What a receiver gathers.");
    text.open("struct gathered {");
    for &attribute in &kernel.facts.gathered {
        text.line(&format!("{} {};", register(kernel, attribute), names.fields[attribute]));
    }
    let mut each = |signature: &str, call: &dyn Fn(AttributeId) -> String| {
        text.line("");
        text.open(&format!("__device__ __forceinline__ void {signature} {{"));
        for &attribute in &kernel.facts.gathered {
            text.line(&format!("{}.{};", names.fields[attribute], call(attribute)));
        }
        text.close("}");
    };
    let memory = |attribute| format!("gts_of.{}", names.field(attribute));
    each("gts_begin(const gts_body &gts_of, gts_vertex gts_at)", &|attribute| {
        format!("begin({}, gts_at)", memory(attribute))
    });
    each("gts_join(u32 gts_distance, bool gts_joins)", &|_| "join(gts_distance, gts_joins)".to_owned());
    let scope = Scope::kernel(kernel, names);
    each("gts_settle(const gts_body &gts_of, gts_vertex gts_at, bool gts_alone) const", &|attribute| {
        let memory = memory(attribute);
        match scope.checked_sum(attribute) {
            Some((sum, direction)) => {
                format!("settle_checked<{direction}>(gts_of.gts, {}u, {memory}, gts_at, gts_alone)", sum.error_site)
            }
            None => format!("settle({memory}, gts_at, gts_alone)"),
        }
    });
    text.close("};");
}

fn register(kernel: &Kernel, attribute: AttributeId) -> String {
    let declared = &kernel.attributes.attributes[attribute];
    let (of, length) = (types::scalar(declared.scalar), declared.length.unwrap_or(1));
    let keep = match declared.kind.merge() {
        Some(Merge::Min) => "min",
        Some(Merge::Max) => "max",
        Some(Merge::And) => "and",
        Some(Merge::Or) => "or",
        Some(Merge::Sum | Merge::Any) | None => return format!("gts_summed<{of}, {length}>"),
    };
    format!("gts_kept<gts_keep_{keep}, {of}, {length}>")
}

fn gather(text: &mut CodeText, kernel: &Kernel, scope: &Scope<'_>) {
    let (src, dst) = (scope.parameter(Role::Src, "src"), scope.parameter(Role::Dst, "dst"));
    text.line(&format!("// For each edge of a receiver {dst}."));
    text.open(&format!(
        "__device__ __forceinline__ void gather(const source &gts_source, gts_vertex {src}, gts_vertex {dst}, \
         gts_edge_value {}, gathered &gts_gathered) {{",
        scope.edge
    ));
    super::place(text, kernel, &src, Some(&dst));
    scope.block(text, &kernel.body);
    text.close("}");
}
