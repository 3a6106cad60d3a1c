//! `gts show`: shows an algorithm's properties, and the CUDA C of its kernels.

#[cfg(feature = "cuda")]
mod variant;

use super::by_algorithm::{self, unknown_algorithm};
use super::list::{algorithm_json, needs};
use crate::error::Failure;
use crate::options::record_ids;
use crate::report::{Align, Report, facts, table};
use gts_graph::algorithm::{self, Algorithm, Fallback, OutputShape};
use gts_graph::contract::{
    AttributeKind, Class, KernelDescriptor, Limit, ScalarType, Schema, Site, SteadyRule, StepLoop, SumDirection,
};
use gts_graph::core::page::IdWidth;
use serde_json::{Value, json};

/// What `gts show` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// An algorithm; `gts list` names them
    #[arg(value_name = "ALGORITHM")]
    algorithm: String,
    /// Print the CUDA C of a variant, such as small-page/balanced; an unknown one lists those that the kernel has
    #[arg(long)]
    variant: Option<String>,
    /// Print all that the CUDA compiler gets, with the runtime's own parts
    #[arg(long, requires = "variant")]
    whole: bool,
    /// The kernel, where the algorithm has several; the first that has the variant if not given
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// The type of a generic kernel, such as f32; the first that it has if not given
    #[arg(long = "type", value_name = "TYPE")]
    scalar: Option<String>,
    /// Bytes of page and slot number in a record ID
    #[arg(long, value_name = "P,Q", value_parser = record_ids, default_value = "2,2")]
    record_ids: IdWidth,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<Report, Failure> {
    let name = &arguments.algorithm;
    let Some(algorithm) = algorithm::find(name) else {
        return Err(unknown_algorithm(name));
    };
    match &arguments.variant {
        #[cfg(feature = "cuda")]
        Some(variant) => variant::show(algorithm, arguments, variant),
        #[cfg(not(feature = "cuda"))]
        Some(variant) => Err(Failure::usage(
            format!("--variant {variant}: this program was built without the feature `cuda`, and has no CUDA C"),
            "build gts with its default features",
        )),
        None => Ok(describe(algorithm)),
    }
}

/// Returns a kernel's title, such as `push<f32>`.
fn title(kernel: &KernelDescriptor) -> String {
    match kernel.schema.parameter {
        Some(scalar) => format!("{}<{scalar}>", kernel.name),
        None => kernel.name.to_owned(),
    }
}

fn describe(algorithm: &Algorithm) -> Report {
    let mut text = format!("{}: {}\n", algorithm.name, algorithm.summary);
    let [help, source] = [algorithm.help, algorithm.source].map(str::to_owned);
    let paragraphs = [help].into_iter().chain(by_algorithm::definition(algorithm)).chain([source]);
    for paragraph in paragraphs.filter(|text| !text.is_empty()) {
        text.push_str(&format!("{paragraph}\n"));
    }
    let needs = needs(algorithm);
    if !needs.is_empty() {
        text.push_str(&format!("Needs {needs}.\n"));
    }
    text.push_str(&parameters(algorithm));
    text.push_str(&outputs(algorithm));
    let kernels = algorithm.kernels;
    let mut described: Vec<&Schema> = Vec::new();
    for kernel in kernels {
        if !described.iter().any(|known| known.name == kernel.schema.name && known.parameter == kernel.schema.parameter)
        {
            text.push_str(&attributes(kernel.schema));
            described.push(kernel.schema);
        }
    }
    for kernel in kernels {
        text.push_str(&format!("\nKernel {} ({})\n{}", title(kernel), kernel.location, facts(&kernel_facts(kernel))));
    }
    let mut json = algorithm_json(algorithm);
    json["kernels"] = kernels.iter().map(|kernel| kernel_json(kernel)).collect();
    Report::new(text, json)
}

fn parameters(algorithm: &Algorithm) -> String {
    let rows: Vec<_> = algorithm
        .parameters
        .iter()
        .map(|parameter| {
            let default = match parameter.fallback {
                Fallback::Value(value) => value.to_string(),
                Fallback::Rule(rule) => rule.to_owned(),
                Fallback::Required => "must be given".to_owned(),
            };
            vec![format!("--{}", parameter.name), parameter.expected(), default, parameter.help.to_owned()]
        })
        .collect();
    section(&["parameter", "value", "default", "meaning"], &rows)
}

fn outputs(algorithm: &Algorithm) -> String {
    let rows: Vec<_> = algorithm
        .outputs
        .iter()
        .map(|output| {
            let (shape, unreached) = match output.shape {
                OutputShape::Scalar => ("one value".to_owned(), None),
                OutputShape::Edges => ("edges".to_owned(), None),
                OutputShape::Table => ("a table".to_owned(), None),
                OutputShape::Vertices { types, unreached, .. } => (names(types), unreached),
            };
            let unreached = unreached.map_or(String::new(), |meaning| format!("; without a value where {meaning}"));
            vec![output.name.to_owned(), shape, format!("{}{unreached}", output.help)]
        })
        .collect();
    section(&["output", "type", "meaning"], &rows)
}

fn names(types: &[ScalarType]) -> String {
    types.iter().map(|scalar| scalar.name()).collect::<Vec<_>>().join(" or ")
}

fn attributes(schema: &Schema) -> String {
    let rows: Vec<_> = schema
        .attributes
        .iter()
        .map(|attribute| {
            let merge = match attribute.kind {
                AttributeKind::Wa { merge, .. }
                | AttributeKind::EdgeWa { merge, .. }
                | AttributeKind::Global { merge } => merge.name(),
                _ => "",
            };
            let of_edges = if matches!(attribute.kind, AttributeKind::EdgeWa { .. }) { ", per edge" } else { "" };
            let kind = format!("{}{of_edges}", attribute.kind.name());
            let doc = attribute.doc.trim().lines().map(str::trim).collect::<Vec<_>>().join(" ");
            vec![attribute.name.to_owned(), kind, attribute.ty.to_string(), merge.to_owned(), doc]
        })
        .collect();
    let parameter = schema.parameter.map_or(String::new(), |scalar| format!("<{scalar}>"));
    section(&[&format!("{}{parameter}", schema.name), "kind", "type", "merge", "meaning"], &rows)
}

fn section(heads: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let heads: Vec<_> = heads.iter().map(|head| (*head, Align::Left)).collect();
    format!("\n{}", table(&heads, rows))
}

/// Describes the facts that the macro has derived, one each.
fn kernel_facts(kernel: &KernelDescriptor) -> Vec<(&'static str, String)> {
    let known = &kernel.facts;
    let uses = known.uses.iter().map(|entry| {
        let attribute = kernel.schema.attributes[entry.attribute].name;
        format!("{:?} {attribute}{}", entry.access, site(entry.site)).to_lowercase()
    });
    let mut lines = vec![
        ("kind", format!("{}, {:?}", kernel.kind.name(), kernel.direction).to_lowercase()),
        ("class", known.class.name().to_owned()),
        ("order", order(kernel)),
        ("uses", uses.collect::<Vec<_>>().join(", ")),
        ("merges", format!("{:?}", known.merged).to_lowercase()),
        ("replicable", limit(&known.replicable)),
        ("splittable", limit(&known.splittable)),
        ("idempotent", if known.idempotent { "yes" } else { "no" }.to_owned()),
    ];
    let activates: Vec<_> = known.activates.iter().map(|place| site(*place).trim_start().to_owned()).collect();
    for (name, fact) in [
        ("technique", kernel.technique.map(|technique| technique.name().to_owned())),
        ("source filter", known.source_filter.map(str::to_owned)),
        (
            "target guard",
            known.target_guard.map(|guard| {
                format!("{guard}{}", if known.target_guard_falls { ", which the body makes false" } else { "" })
            }),
        ),
        ("pulls", known.pulls.then(|| "along the opposite edges, where they are stored".to_owned())),
        (
            "steps",
            (known.step_loop != StepLoop::No)
                .then(|| format!("a device may begin them by itself, {}", known.step_loop.name())),
        ),
        ("sums", mixed_sums(kernel)),
        ("changes", known.changes_activated.then(|| "only vertices that it activates".to_owned())),
        ("activates", (!activates.is_empty()).then(|| activates.join(", "))),
        ("rounding", known.approximate.then(|| "may differ in the last bits between devices".to_owned())),
    ] {
        lines.extend(fact.map(|fact| (name, fact)));
    }
    lines
}

/// Returns the text about integer sums that are checked only in checked mode; `None` if there are none.
fn mixed_sums(kernel: &KernelDescriptor) -> Option<String> {
    let mixed = kernel.facts.sums.iter().filter(|sum| sum.direction == SumDirection::Mixed);
    let names: Vec<&str> = mixed.map(|sum| kernel.schema.attributes[sum.attribute].name).collect();
    let text = "terms of both signs; only checked mode checks that the integer can hold";
    (!names.is_empty()).then(|| format!("{text} {}", names.join(", ")))
}

/// Returns the reason for the class of a kernel.
fn order(kernel: &KernelDescriptor) -> String {
    let facts = &kernel.facts;
    let reads = facts.steady.iter().map(|read| {
        let name = kernel.schema.attributes[read.attribute].name;
        let (line, column) = (read.location.line, read.location.column);
        let reason = match read.rule {
            SteadyRule::Closes => format!("the only write of {name} makes this test of it false"),
            SteadyRule::Settled => format!("{name} is read after its only write"),
            SteadyRule::Unmoved => format!("the old value of {name} compares alike in every order"),
        };
        format!("{reason} (line {line}, column {column})")
    });
    match facts.class {
        Class::Ordered if facts.steady.is_empty() => "no thread reads what another one writes".to_owned(),
        Class::Ordered => reads.collect::<Vec<_>>().join("; "),
        Class::Monotone => "values that threads read move one way, and what depends on them moves along".to_owned(),
        Class::Racy => "results may depend on the order of the threads".to_owned(),
    }
}

fn site(site: Site) -> &'static str {
    match site {
        Site::Src => " at src",
        Site::Dst => " at dst",
        Site::V => " at v",
        Site::Common => " at the common neighbour",
        Site::Computed => " at a computed vertex",
        Site::None => "",
    }
}

fn limit(limit: &Limit) -> String {
    match limit {
        Limit::Yes => "yes".to_owned(),
        Limit::No { why, location } => format!("no: {why} ({location})"),
    }
}

fn kernel_json(kernel: &KernelDescriptor) -> Value {
    let facts: serde_json::Map<_, _> =
        kernel_facts(kernel).into_iter().map(|(name, fact)| (name.replace(' ', "_"), json!(fact))).collect();
    json!({
        "name": kernel.name,
        "type": kernel.schema.parameter.map(|scalar| scalar.name()),
        "struct": kernel.schema.name,
        "location": kernel.location.to_string(),
        "facts": facts,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_graph::algorithm::edge_kernel;
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Reached {
        #[wa(init = UNREACHED, merge = min)]
        level: u32,
        #[wa(init = 0, merge = sum)]
        low: u32,
    }

    #[gts_kernel(traverse)]
    fn after_the_store(r: &mut Reached, src: Vertex, dst: Vertex) {
        if r.level[dst] == UNREACHED {
            r.level[dst] = step() + 1;
        }
        r.low[dst] += r.level[dst];
    }

    #[gts_kernel(traverse)]
    fn by_the_old_value(r: &mut Reached, src: Vertex, dst: Vertex) {
        if r.level[dst].fetch_min(step() + 1) > step() {
            r.low[dst] += 1;
        }
    }

    #[gts_kernel(traverse)]
    fn lower(r: &mut Reached, src: Vertex, dst: Vertex) {
        r.level[dst].fetch_min(r.level[src]);
    }

    #[test]
    fn the_reason_for_a_class_is_shown() {
        let first = |kernel: &KernelDescriptor, below: u32| kernel.location.line + below;
        let stored = edge_kernel(after_the_store);
        let (closes, settled) = (first(stored, 1), first(stored, 4));
        let expected = format!(
            "the only write of level makes this test of it false (line {closes}, column 12); level is read after its \
             only write (line {settled}, column 23)"
        );
        assert_eq!(order(stored), expected);
        let old = edge_kernel(by_the_old_value);
        let expected =
            format!("the old value of level compares alike in every order (line {}, column 12)", first(old, 1));
        assert_eq!(order(old), expected);
        assert!(order(edge_kernel(lower)).starts_with("values that threads read move one way"));
    }
}
