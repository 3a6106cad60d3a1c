//! The examples of codes as Rust: the struct that they share, and one module per example.

use gts_contract::language::{Code, Example};

/// Returns the text of the modules of some codes.
pub(crate) fn modules(codes: impl Iterator<Item = Code>, example: fn(Code) -> Option<Example>) -> String {
    let mut text = format!("use gts_runtime::prelude::*;\n\n{}\n", Example::shared_struct());
    for (code, example) in codes.filter_map(|code| Some((code, example(code)?))) {
        let name = code.to_string().to_lowercase();
        let names = if example.uses_shared_struct() { "use super::*;" } else { "use gts_runtime::prelude::*;" };
        text.push_str(&format!("\n/// {}.\nmod {name} {{\n    {names}\n\n", code.title()));
        for line in example.items().lines() {
            text.push_str(format!("    {line}").trim_end());
            text.push('\n');
        }
        text.push_str("}\n");
    }
    text
}
