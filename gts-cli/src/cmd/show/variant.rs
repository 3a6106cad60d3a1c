//! The CUDA C of a kernel.

use super::{Arguments, title};
use crate::error::Failure;
use crate::report::Report;
use gts_graph::algorithm::Algorithm;
use gts_graph::contract::KernelDescriptor;
use gts_graph::core::page::{DEFAULT_PAGE_SIZE, PageFormat};
use gts_graph::device::cuda::{Entry, Variant, kernel_text, program_text};
use serde_json::json;

/// Bytes of a vertex number in the shown programs: enough for all but the largest graphs.
const VERTEX_BYTES: usize = 4;

/// Returns the CUDA C of a variant of a kernel.
pub(super) fn show(algorithm: &Algorithm, arguments: &Arguments, variant: &str) -> Result<Report, Failure> {
    let chosen = |kernel: &&KernelDescriptor| {
        let of_type = |name: &String| kernel.schema.parameter.is_some_and(|scalar| scalar.name() == name);
        arguments.kernel.as_ref().is_none_or(|name| kernel.name == name)
            && arguments.scalar.as_ref().is_none_or(of_type)
    };
    let kernels: Vec<_> = algorithm.kernels.iter().copied().filter(chosen).collect();
    if kernels.is_empty() {
        let known: Vec<_> = algorithm.kernels.iter().copied().map(title).collect();
        return Err(Failure::usage(
            format!("`{}` has no such kernel", algorithm.name),
            format!("it has {}", known.join(", ")),
        ));
    }
    let entry = |kernel: &KernelDescriptor| Entry::of(kernel).into_iter().find(|entry| entry.name() == variant);
    let Some((kernel, entry)) = kernels.iter().find_map(|&kernel| Some((kernel, entry(kernel)?))) else {
        return Err(unknown_variant(algorithm.name, variant, &kernels));
    };
    let format = PageFormat::new(DEFAULT_PAGE_SIZE, arguments.record_ids, kernel.edge_value())
        .map_err(|error| Failure::usage(format!("--record-ids: {error}"), "leave it out, or give another width"))?;
    let text = if arguments.whole {
        program_text(kernel, Some(&format), Variant::whole(VERTEX_BYTES), &[entry])
    } else {
        kernel_text(kernel, &[entry])
    };
    let json = json!({ "kernel": title(kernel), "entry": entry.symbol(kernel), "cuda": text });
    Ok(Report::new(text, json))
}

/// Lists the variants of the kernels. Kernels with equal variants are listed together.
fn unknown_variant(algorithm: &str, variant: &str, kernels: &[&KernelDescriptor]) -> Failure {
    let mut lists: Vec<(Vec<String>, String)> = Vec::new();
    for kernel in kernels {
        let names = Entry::of(kernel).into_iter().map(Entry::name).collect::<Vec<_>>().join(", ");
        match lists.iter_mut().find(|(_, known)| *known == names) {
            Some((titles, _)) => titles.push(title(kernel)),
            None => lists.push((vec![title(kernel)], names)),
        }
    }
    let lists: Vec<_> = lists.into_iter().map(|(titles, names)| format!("{}: {names}", titles.join(", "))).collect();
    Failure::usage(format!("`{algorithm}` has no variant `{variant}`"), lists.join("; "))
}
