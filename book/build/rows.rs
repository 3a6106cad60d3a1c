//! The examples of the language's rows: one module per row, with a function that runs the example and one that returns
//! its kernels.

use gts_contract::language::{LanguageRow, RowExample, SHARED_STRUCT, indented, rows};

/// Returns the text of the module of all examples.
pub(crate) fn text() -> String {
    let rows: Vec<_> = rows().filter(|row| runs(row)).collect();
    let mut text = format!(
        "{SHARED_STRUCT}\n/// Returns the examples of all rows.\npub(crate) fn all() -> Vec<Example> {{\n    vec![\n"
    );
    for (place, row) in rows.iter().enumerate() {
        let module = module(row, place);
        let (kind, name) = (row.kind.name(), row.name);
        text.push_str(&format!(
            "        Example {{ row: ({kind:?}, {name:?}), run: {module}::run, kernels: {module}::kernels }},\n",
        ));
    }
    text.push_str("    ]\n}\n");
    for (place, row) in rows.iter().enumerate() {
        text.push_str(&format!("\nmod {} {{\n    use super::*;\n\n{}}}\n", module(row, place), indented(&body(row))));
    }
    text
}

/// Returns whether the example compiles and can be run.
fn runs(row: &LanguageRow) -> bool {
    !matches!(row.example, RowExample::None | RowExample::Refused(_))
}

/// Returns the name of a row's module. Several kinds may have rows of one name.
fn module(row: &LanguageRow, place: usize) -> String {
    let words = row.name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    format!("row_{place}_{}", words.collect::<Vec<_>>().join("_").to_lowercase())
}

/// A kernel of an example.
struct Kernel {
    kind: String,
    /// The name with its type argument.
    name: String,
}

impl Kernel {
    fn new(kind: &str, name: &str) -> Self {
        Self { kind: kind.to_owned(), name: name.to_owned() }
    }
}

/// Returns the items of a module.
fn body(row: &LanguageRow) -> String {
    let end = match row.example {
        RowExample::Host(code) => {
            return format!(
                "pub(super) fn run() -> Result<()> {{\n{}    Ok(())\n}}\n\npub(super) fn kernels() -> Kernels {{\n    \
                 vec![]\n}}\n",
                indented(code)
            );
        }
        RowExample::Items(items) => return with_items(items),
        RowExample::Value(..) => "holds(run)",
        RowExample::Fault(_) => "let ended = run.apply(example);\n    faults(ended)",
        _ => "Ok(())",
    };
    let Some((kind, item)) = row.example.kernel() else { return String::new() };
    with_run(&item, &[Kernel::new(kind, "example")], "shared()?", end)
}

/// Returns the module of complete items.
fn with_items(items: &str) -> String {
    let mut kernels = Vec::new();
    let mut argument = String::new();
    let mut start = "shared()?".to_owned();
    let lines: Vec<_> = items.lines().collect();
    for (line, next) in lines.iter().zip(lines.iter().skip(1).chain([&""])) {
        if let Some((_, types)) = line.strip_suffix(")]").and_then(|line| line.split_once("#[gts_attributes(T = ")) {
            argument = types.rsplit(" | ").next().unwrap_or(types).to_owned();
        }
        if let Some(name) = line.strip_prefix("pub struct ") {
            start = match name.trim_end_matches(" {").split_once('<') {
                Some((name, _)) => format!("started::<{name}<{argument}>>()?"),
                None => format!("started::<{}>()?", name.trim_end_matches(" {")),
            };
        }
        if let Some(settings) = line.strip_prefix("#[gts_kernel(") {
            let kind = settings.split([',', '(', ')']).next().unwrap_or(settings);
            let name = next.trim_start_matches("fn ").split('(').next().unwrap_or(next);
            let name = match name.strip_suffix("<T>") {
                Some(name) => format!("{name}::<{argument}>"),
                None => name.to_owned(),
            };
            kernels.push(Kernel::new(kind, &name));
        }
    }
    with_run(&format!("{items}\n"), &kernels, &start, "Ok(())")
}

/// Returns a module with the functions that run an example and that return its kernels.
fn with_run(items: &str, kernels: &[Kernel], start: &str, end: &str) -> String {
    let priority = kernels.iter().find(|kernel| kernel.kind == "priority");
    let mut calls = String::new();
    let mut found = Vec::new();
    for Kernel { kind, name } in kernels {
        let call = match (kind.as_str(), priority) {
            ("scan", _) => format!("run.scan({name})?;"),
            ("traverse", Some(priority)) => format!("run.traverse_near({name}, {}, 2)?;", priority.name),
            ("traverse", None) => format!("run.traverse({name})?;"),
            ("vertex", _) => format!("run.apply({name})?;"),
            ("gather", _) => format!("run.gather({name})?;"),
            ("intersect", _) => format!("run.intersect({name})?;"),
            _ => String::new(),
        };
        if !call.is_empty() && !end.contains("run.apply") {
            calls.push_str(&format!("    {call}\n"));
        }
        found.extend(match kind.as_str() {
            "vertex" => vec![format!("vertex_kernel({name})")],
            "gather" => vec![format!("gather_edges({name})"), format!("gather_block({name})")],
            "intersect" => vec![format!("intersect_kernel({name})")],
            "priority" => ["sift", "find", "bring"].map(|part| format!("priority_{part}({name})")).to_vec(),
            _ => vec![format!("edge_kernel({name})")],
        });
    }
    format!(
        "{items}
pub(super) fn run() -> Result<()> {{
    let mut run = {start};
{calls}    {end}
}}

pub(super) fn kernels() -> Kernels {{
    vec![{}]
}}
",
        found.join(", ")
    )
}
