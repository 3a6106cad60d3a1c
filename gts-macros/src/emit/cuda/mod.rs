//! Emits a kernel as CUDA C.
//!
//! The text declares an argument struct and a body struct, which contains the code for a vertex or an edge. The runtime
//! inserts its prelude and the page encoding before the text, and appends the entry points. The text is independent of
//! the page layout and of the technique.

mod expr;
mod names;
mod pull;
mod scope;
mod stmt;
#[cfg(test)]
mod tests;
mod text;
mod types;

use crate::ir::{AttributeKind, CalledFunction, Direction, Expr, Kernel, KernelKind, Role, StepLoop, StmtKind, Type};
use scope::{KernelNames, Scope};
use text::CodeText;

/// Returns the CUDA C of the kernel, which the runtime combines with the prelude and the accessors of the page
/// encoding.
pub(crate) fn kernel(kernel: &Kernel) -> String {
    let names = KernelNames::of(kernel);
    let mut text = CodeText::default();
    arguments(&mut text, kernel, &names);
    text.line("");
    body(&mut text, kernel, &names);
    text.finish()
}

/// Writes the argument struct: the common part, followed by a slot of eight bytes per attribute in schema order.
fn arguments(text: &mut CodeText, kernel: &Kernel, names: &KernelNames) {
    let attributes = &kernel.attributes;
    let parameter = attributes.parameter.map_or_else(String::new, |scalar| format!("<{scalar}>"));
    text.line(&format!(
        "// What a launch hands to `{}`: the attributes of `{}{parameter}`.",
        kernel.name, attributes.name
    ));
    text.open("struct gts_arguments {");
    text.line("gts_common gts;");
    for (index, attribute) in attributes.attributes.iter().enumerate() {
        let (name, of) = (&names.fields[index], types::scalar(attribute.scalar));
        let constant = if names.written[index] { "" } else { "const " };
        let merge = attribute.kind.merge().map_or_else(String::new, |merge| format!(", merged by {}", merge.name()));
        let length = attribute.length.map_or_else(String::new, |length| format!(", {length} elements"));
        let of_edges = if matches!(attribute.kind, AttributeKind::EdgeWa { .. }) { " of each edge" } else { "" };
        let field = match attribute.kind {
            AttributeKind::Wa { .. } | AttributeKind::EdgeWa { .. } | AttributeKind::Ra { .. } => {
                format!("{constant}{of} *{name};")
            }
            AttributeKind::Param { .. } if attribute.length.is_some() => format!("const {of} *{name};"),
            AttributeKind::Param { .. } => format!("alignas(8) {of} {name};"),
            AttributeKind::Global { .. } => format!("void *{name};"),
            AttributeKind::Edge { .. } => format!("u64 {name};"),
        };
        text.line(&format!("{field} // {}{of_edges}{length}{merge}", attribute.kind.name()));
    }
    let before = names.before.iter().zip(&attributes.attributes);
    for (name, attribute) in before.filter_map(|(name, attribute)| Some((name.as_ref()?, attribute))) {
        let of = types::scalar(attribute.scalar);
        text.line(&format!("const {of} *{name}; // when the step began, of vertices that are elsewhere"));
    }
    text.close("};");
    let slots = attributes.attributes.len() + names.before.iter().flatten().count();
    text.line(&format!(
        "static_assert(sizeof(gts_arguments) == 8 * (GTS_COMMON_SLOTS + {slots}), \"the host fills slots of eight bytes\");"
    ));
}

/// Writes the body struct.
fn body(text: &mut CodeText, kernel: &Kernel, names: &KernelNames) {
    let receiver = &names.receiver;
    text.open("struct gts_body {");
    if kernel.kind.has_edges() {
        let traverse = kernel.kind == KernelKind::Traverse;
        text.line(&format!("static constexpr bool traverse = {traverse};"));
        text.line("");
        source(text, kernel, names);
        text.line("");
    }
    if kernel.kind == KernelKind::Intersect {
        let common = kernel.parameter(Role::Common).is_some();
        text.line(&format!("static constexpr bool common = {common};"));
        text.line(&format!("static constexpr bool ordered = {};", kernel.ordered));
        text.line(&format!("static constexpr bool updates_edge = {};", of_edges(kernel).next().is_some()));
        text.line("");
    }
    text.line(&format!("const gts_arguments &{receiver};"));
    text.line("const gts_common &gts;");
    if kernel.facts.reads_position {
        text.line("u64 gts_position; // of the edge in the list of its source");
    }
    if kernel.facts.step_loop != StepLoop::No {
        text.directive("#ifdef GTS_STEPS");
        text.line("bool gts_fresh = false; // whether the last edge has made its target active");
        text.directive("#endif");
    }
    if kernel.can_fault() {
        text.line("gts_place gts_at; // the vertex or edge, for error reports");
    }
    let scope = Scope::kernel(kernel, names);
    for attribute in totals(kernel) {
        text.line(&format!("gts_global<{}> {};", scope.merge(attribute), names.total(attribute)));
    }
    for attribute in of_edges(kernel) {
        text.line(&format!("gts_edge_share<{}> {};", scope.merge(attribute), names.share(attribute)));
    }
    text.line("");
    text.line("__device__ __forceinline__ gts_body(const gts_arguments &args)");
    text.line(&format!("    : {receiver}(args), gts(args.gts) {{}}"));

    constants(text, kernel, names, &scope);
    for (index, of) in kernel.functions.iter().enumerate() {
        text.line("");
        function(text, kernel, names, index, of);
    }
    text.line("");
    match kernel.kind {
        KernelKind::Scan | KernelKind::Traverse => {
            begin(text, kernel, names, &scope);
            text.line("");
            edge(text, kernel, &scope);
            pull::members(text, kernel, names);
        }
        KernelKind::Vertex => vertex(text, kernel, &scope),
        KernelKind::Intersect => {
            meet(text, kernel, &scope);
            leave_edge(text, kernel, names, &scope);
        }
    }
    finish(text, kernel, names);
    text.close("};");
}

/// Writes the assignment of the vertex or edge for which the body runs, if the body can report an error.
fn place(text: &mut CodeText, kernel: &Kernel, src: &str, dst: Option<&str>) {
    if kernel.can_fault() {
        text.line(&format!("gts_at = {{{src}, {}}};", dst.unwrap_or("(gts_vertex)~(gts_vertex)0")));
    }
}

/// Writes the struct of values that are computed once per visit to a source vertex.
fn source(text: &mut CodeText, kernel: &Kernel, names: &KernelNames) {
    if kernel.captures.is_empty() {
        text.line("struct source {};");
        return;
    }
    text.open("struct source {");
    for (capture, name) in kernel.captures.iter().zip(&names.captures) {
        text.line(&format!("{} {name};", types::name(capture.value.ty)));
    }
    text.close("};");
}

fn constants(text: &mut CodeText, kernel: &Kernel, names: &KernelNames, scope: &Scope<'_>) {
    for (constant, name) in kernel.constants.iter().zip(&names.constants) {
        text.line("");
        text.line(&format!("// const {}: {} = {};", constant.name, constant.ty, scope.printer.expr(&constant.value)));
        let value = scope.expr(&constant.value);
        text.line(&format!(
            "static __device__ __forceinline__ {} {name}() {{ return {value}; }}",
            types::name(constant.ty)
        ));
    }
}

fn function(text: &mut CodeText, kernel: &Kernel, names: &KernelNames, index: usize, function: &CalledFunction) {
    let scope = Scope::function(kernel, names, function);
    let arguments: Vec<String> = function.arguments.iter().map(|&local| scope.declaration(local)).collect();
    let signature: Vec<String> = function
        .arguments
        .iter()
        .map(|&local| format!("{}: {}", function.locals[local].name, scope.ty(local)))
        .collect();
    let result = if function.result == Type::Unit { String::new() } else { format!(" -> {}", function.result) };
    text.line(&format!("// fn {}({}){result}", function.name, signature.join(", ")));
    text.open(&format!(
        "__device__ __forceinline__ {} {}({}) {{",
        types::name(function.result),
        names.functions[index],
        arguments.join(", ")
    ));
    scope.block(text, &function.body);
    let returns = matches!(function.body.statements.last().map(|last| &last.kind), Some(StmtKind::Return(_)));
    if function.result != Type::Unit && !returns {
        // rustc proves that this line is unreachable unless the host stops a loop.
        text.line(&scope.nothing);
    }
    text.close("}");
}

fn begin(text: &mut CodeText, kernel: &Kernel, names: &KernelNames, scope: &Scope<'_>) {
    let src = scope.parameter(Role::Src, "src");
    text.line(&format!("// Once for each visit of `{src}`: whether its edges count, and what they need of it."));
    text.open(&format!("__device__ __forceinline__ bool begin(gts_vertex {src}, source &gts_source) {{"));
    if kernel.facts.tallied.is_some() {
        text.open(&format!("if (!gts_is_tallied(gts, {src})) {{"));
        text.line("return false;");
        text.close("}");
    }
    if let Some(filter) = &kernel.source_filter {
        text.line(&format!("// if {} {{", scope.printer.expr(filter)));
        text.open(&format!("if (!({})) {{", scope.expr(filter)));
        text.line("return false;");
        text.close("}");
    }
    if kernel.captures.iter().any(|capture| capture.value.any(&Expr::overflows)) {
        place(text, kernel, &src, None);
    }
    for (capture, name) in kernel.captures.iter().zip(&names.captures) {
        text.line(&format!("// {}", scope.printer.expr(&capture.value)));
        text.line(&format!("gts_source.{name} = {};", scope.expr(&capture.value)));
    }
    text.line("return true;");
    text.close("}");
}

fn edge(text: &mut CodeText, kernel: &Kernel, scope: &Scope<'_>) {
    let (src, dst) = (scope.parameter(Role::Src, "src"), scope.parameter(Role::Dst, "dst"));
    let walked = match kernel.direction {
        Direction::Out => format!("{src} to {dst}"),
        Direction::In => format!("{dst} to {src}"),
        Direction::Both => format!("{src} to {dst}, then back"),
    };
    text.line(&format!("// For each edge, {walked}."));
    text.open(&format!(
        "__device__ __forceinline__ void edge(const source &gts_source, gts_vertex {src}, gts_vertex {dst}, gts_edge_value {}) {{",
        scope.edge
    ));
    if kernel.facts.splittable.holds() {
        text.open(&format!("if (!gts_is_here(gts, {dst})) {{"));
        text.line("return;");
        text.close("}");
    }
    place(text, kernel, &src, Some(&dst));
    scope.block(text, &kernel.body);
    text.close("}");
}

fn vertex(text: &mut CodeText, kernel: &Kernel, scope: &Scope<'_>) {
    let v = scope.parameter(Role::V, "v");
    text.line(&format!("// For each vertex {v}."));
    text.open(&format!("__device__ __forceinline__ void vertex(gts_vertex {v}) {{"));
    place(text, kernel, &v, None);
    scope.block(text, &kernel.body);
    text.close("}");
}

fn meet(text: &mut CodeText, kernel: &Kernel, scope: &Scope<'_>) {
    let (u, v) = (scope.parameter(Role::Src, "u"), scope.parameter(Role::Dst, "v"));
    let common = kernel.parameter(Role::Common).map(|local| scope.locals[local].clone());
    text.line(&match &common {
        Some(w) => format!("// For neighbours {v} and {w} of {u}, with an edge between them."),
        None => format!("// For each neighbour {v} of {u}."),
    });
    let w = common.map_or_else(String::new, |name| format!(" {name}"));
    text.open(&format!("__device__ __forceinline__ void meet(gts_vertex {u}, gts_vertex {v}, gts_vertex{w}) {{"));
    place(text, kernel, &u, Some(&v));
    scope.block(text, &kernel.body);
    text.close("}");
}

/// Returns the attributes whose edge values the kernel updates.
fn of_edges(kernel: &Kernel) -> impl Iterator<Item = usize> {
    let used = |index: &usize| kernel.facts.uses.iter().any(|used| used.attribute == *index);
    let attributes = &kernel.attributes.attributes;
    let of_edges = |index: &usize| matches!(attributes[*index].kind, AttributeKind::EdgeWa { .. });
    (0..attributes.len()).filter(of_edges).filter(used)
}

/// Writes the code that every lane runs after its work on an edge, which merges the lane's share into the edge values.
fn leave_edge(text: &mut CodeText, kernel: &Kernel, names: &KernelNames, scope: &Scope<'_>) {
    if of_edges(kernel).next().is_none() {
        return;
    }
    text.line("");
    text.line("// Once for each edge and lane, after all that the lane has met of it. The edge has that number.");
    text.open("__device__ __forceinline__ void leave_edge(u64 gts_number) {");
    for attribute in of_edges(kernel) {
        let (share, field) = (names.share(attribute), names.field(attribute));
        text.line(&match scope.checked_sum(attribute) {
            Some((sum, direction)) => {
                let site = sum.error_site;
                format!("{share}.flush_checked<common, {direction}>(gts, gts_at, {site}u, {field} + gts_number);")
            }
            None => format!("{share}.flush<common>({field} + gts_number);"),
        });
    }
    text.close("}");
}

/// Returns the scalar globals that the kernel updates.
fn totals(kernel: &Kernel) -> impl Iterator<Item = usize> {
    let used = |index: &usize| kernel.facts.uses.iter().any(|used| used.attribute == *index);
    let attributes = &kernel.attributes.attributes;
    let global = |index: &usize| matches!(attributes[*index].kind, AttributeKind::Global { .. });
    (0..attributes.len()).filter(global).filter(|&index| attributes[index].length.is_none()).filter(used)
}

/// Writes the code that every thread runs after its work, which merges the thread's share into the globals.
fn finish(text: &mut CodeText, kernel: &Kernel, names: &KernelNames) {
    let totals: Vec<usize> = totals(kernel).collect();
    if totals.is_empty() {
        return;
    }
    text.line("");
    text.line("// Once for each thread, after its work.");
    text.open("__device__ __forceinline__ void finish() {");
    for attribute in totals {
        text.line(&format!("{}.flush({});", names.total(attribute), names.field(attribute)));
    }
    text.close("}");
}
