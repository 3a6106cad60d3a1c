//! Tests that an edit which only moves a kernel changes no emitted code but the statics with its places.

use super::*;
use proc_macro2::TokenTree;

/// Appends the expansion's tokens outside of statics, and the texts inside of them, which include the CUDA C.
fn append_code(expansion: TokenStream, in_static: bool, code: &mut String) {
    let mut in_static = in_static;
    for tree in expansion {
        match &tree {
            TokenTree::Ident(name) if name == "static" => in_static = true,
            TokenTree::Punct(end) if end.as_char() == ';' => in_static = false,
            _ => {}
        }
        match tree {
            TokenTree::Group(group) => append_code(group.stream(), in_static, code),
            TokenTree::Literal(literal) if in_static => {
                // The name of a parsed string as a file contains a number.
                let text = literal.to_string();
                code.push_str(if text.starts_with('"') && !text.contains("parsed string") { &text } else { " " });
            }
            _ if in_static => {}
            other => code.push_str(&format!("{other} ")),
        }
    }
}

fn code(expansion: TokenStream) -> String {
    let mut code = String::new();
    append_code(expansion, false, &mut code);
    code
}

/// Kernels whose bodies can fault: the kind, the signature and the body.
const KERNELS: [(&str, &str, &str); 5] = [
    ("scan", EDGES, "a.counts[dst][src as u64] += a.long * 3; assert!(a.limit > 3, a.limit);"),
    ("scan", EDGES, "a.counts[dst][0] += a.long / src.out_degree();"),
    ("traverse", EDGES, "if a.level[dst] == UNREACHED { a.level[dst] = step() + 1; activate(dst); }"),
    ("vertex", VERTEX, "a.counts[v][a.limit] = a.counts[v][0] + a.long; a.total += 1;"),
    ("gather", VERTEX, "let least: u32 = v.neighbors().min(|u| a.level[u]); a.marks[v][a.limit] = least;"),
];
const EDGES: &str = "fn walk(a: &mut Levels, src: Vertex, dst: Vertex, e: Edge)";
const VERTEX: &str = "fn walk(a: &mut Levels, v: Vertex)";

/// Expands a kernel with some text above the struct and the kernel.
fn below(above: &str, (kind, signature, body): (&str, &str, &str)) -> TokenStream {
    let item = format!("{above}{signature} {{\n{body}\n}}");
    let expansion = kernel_item(&format!("{above}{LEVELS}"), kind, &item);
    assert!(errors(&expansion).is_empty(), "{body}\n{:#?}", errors(&expansion));
    expansion
}

#[test]
fn a_line_above_a_kernel_changes_only_statics() {
    for kernel in KERNELS {
        let [here, moved] = ["", "\n\n\n"].map(|above| below(above, kernel));
        assert_ne!(here.to_string(), moved.to_string(), "no place in the expansion of {kernel:?}");
        let [here, moved] = [here, moved].map(code);
        assert!(here.contains("gts_body"), "no CUDA C in the expansion of {kernel:?}");
        assert_eq!(here, moved, "{kernel:?}");
    }
}

/// Asserts that all tokens are within the lines of a kernel, which is below the struct and has three lines.
fn check_lines(expansion: TokenStream, first: usize) {
    for tree in expansion {
        let line = tree.span().start().line;
        assert!((first..first + 3).contains(&line), "line {line}: {tree}");
        if let TokenTree::Group(group) = tree {
            check_lines(group.stream(), first);
        }
    }
}

#[test]
fn every_token_of_a_kernel_is_within_its_text() {
    let above = "\n".repeat(40);
    for (kind, signature, body) in KERNELS {
        let item = format!("{above}{signature} {{\n{body}\n}}");
        check_lines(kernel_item(LEVELS, kind, &item), 41);
    }
}
