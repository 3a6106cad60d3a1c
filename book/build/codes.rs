//! The examples of codes as Rust: the struct that they share, and one module per example.

use gts_contract::language::{Code, Example, indented};

/// Returns the text of the modules of some codes.
pub(crate) fn modules(codes: impl Iterator<Item = Code>, example: fn(Code) -> Option<Example>) -> String {
    let mut text = format!("use gts_graph::prelude::*;\n\n{}\n", Example::shared_struct());
    for (code, example) in codes.filter_map(|code| Some((code, example(code)?))) {
        let name = code.to_string().to_lowercase();
        let names = if example.uses_shared_struct() { "use super::*;" } else { "use gts_graph::prelude::*;" };
        let items = indented(&example.items());
        text.push_str(&format!("\n/// {}.\nmod {name} {{\n    {names}\n\n{items}}}\n", code.title()));
    }
    text
}
