//! Whole expansions, called as functions.

use super::*;
use proc_macro2::TokenStream;

const LEVELS: &str = "pub struct Levels {
    #[wa(init = UNREACHED, merge = min)] pub level: u32,
    #[wa(init = 0, merge = sum)] pub counts: [u64; 4],
    #[ra(from = level)] pub last: u32,
    #[edge] pub weight: f32,
    #[param] pub limit: u32,
    #[global(merge = max)] pub largest: u32,
}";

fn tokens(text: &str) -> TokenStream {
    text.parse().expect("tokens")
}

/// The texts of the errors in an expansion.
fn errors(expansion: &TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    let mut after_name = false;
    for tree in expansion.clone() {
        match tree {
            proc_macro2::TokenTree::Ident(name) => after_name = name == "compile_error",
            proc_macro2::TokenTree::Group(group) if after_name => {
                let text: syn::LitStr = syn::parse2(group.stream()).expect("a text");
                found.push(text.value());
                after_name = false;
            }
            _ => {}
        }
    }
    found
}

/// Expands a kernel on `LEVELS`, with the given body, as if its struct had been handed over.
fn scan(body: &str) -> TokenStream {
    let item = tokens(&format!("fn walk(a: &mut Levels, src: Vertex, dst: Vertex, e: Edge) {{ {body} }}"));
    let structure: ItemStruct = syn::parse_str(LEVELS).expect("a struct");
    let payload = Payload {
        kind: PayloadKind::Attributes,
        location: Span::from(&structure.ident).location(),
        arguments: TokenStream::new(),
        item: tokens(LEVELS),
        needs: Vec::new(),
    };
    let path: Path = syn::parse_str("Levels").expect("a path");
    super::kernel::finish(State {
        purpose: Purpose::Kernel,
        arguments: tokens("scan"),
        item,
        wanted: Vec::new(),
        found: vec![(path, payload)],
    })
}

#[track_caller]
fn check(body: &str, expected: &[&str]) {
    let found = errors(&scan(body));
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}\nis not\n{expected}");
        assert!(found.contains("\nhelp: "), "{found}");
    }
}

#[test]
fn right_bodies_have_no_errors() {
    check("a.level[dst].fetch_min(a.last[src] + a.limit);", &[]);
    check("let x = 1; a.counts[dst][x] += 2; a.largest.fetch_max(step());", &[]);
    check("let mut i = 0u32; while i < 3 { i += 1; if i == 2 { continue; } } a.counts[dst][i] += 1;", &[]);
    check("let w = if a.weight[e] > 0.5 { let x = 2; x } else { 3 }; a.counts[dst][0] += w;", &[]);
    check("let v = dst; if v == src { return; } activate(v);", &[]);
    check("a.level[dst].fetch_min(u32::MAX - 1);", &[]);
}

#[test]
fn wrong_types_are_named() {
    check("let x: f32 = a.limit;", &["expected `f32`, found `u32`"]);
    check("let x = a.weight[e] + 1;", &["expected `f32`, found an integer"]);
    check("let x = a.limit << 1.0;", &["`<<` works on an integer, and this is a float"]);
    check("let x = dst + 1;", &["expected `Vertex`, found an integer", "`+` works on a number, and this is `Vertex`"]);
    check("let x: u8 = 256;", &["256 is no u8"]);
    check("let x = -a.limit;", &["`-` works on a signed number, and this is `u32`"]);
    check("let x = a.limit.sqrt();", &["`sqrt` works on a float, and this is `u32`"]);
    check("let x: bool = a.limit as bool;", &["`u32` does not convert to bool"]);
    check("if a.limit { activate(dst); }", &["expected `bool`, found `u32`"]);
}

#[test]
fn open_types_ask_to_be_written() {
    check("let x = 1;", &["the type of `x` is open"]);
    check("let x = [0.0; 4];", &["the type of `x` is open"]);
    check("if 1 < 2 { activate(dst); }", &["the type of this is open"]);
}

#[test]
fn attributes_are_used_as_what_they_are() {
    check("let x: u32 = a.level;", &["`level` is a value of each vertex"]);
    check("let x: u64 = a.counts[dst];", &["`counts` is an array at each vertex"]);
    check("a.counts[dst][4] += 1;", &["there is no element 4"]);
    check("let x: u32 = a.limit[dst];", &["`limit` is a `#[param]`: one value in all"]);
    check("let x: f32 = a.weight[dst];", &["an edge's value is read at the edge"]);
    check("a.largest += 1;", &["`largest` merges by `max`, and `+=` does not"]);
    check("a.weight[e] = 1.0;", &["an `#[edge]` value is the store's"]);
    check("a.level[1] = 3;", &["an attribute is indexed by a vertex"]);
}

#[test]
fn what_cannot_be_right_on_every_device_is_refused() {
    check("let x = a.level[dst].fetch_min(3) + a.level[src];", &["an update and another access"]);
    check("let x = a.limit / 0;", &["this divides by zero"]);
    check("a.level[dst];", &["this computes a value that nobody uses"]);
    check("let x = 3u32; x = 4;", &["`x` cannot be changed"]);
    check("break;", &["there is no loop here"]);
    check("return 3;", &["a kernel returns nothing"]);
    check("a.level[dst] = a.level[dst].min(a.limit);", &["between this read and this store"]);
}

#[test]
fn a_refused_kernel_leaves_something_to_name() {
    let expansion = scan("let x = nothing;").to_string();
    assert!(expansion.contains("fn walk () -> :: gts_runtime :: __private :: Failed < Levels >"), "{expansion}");
}

#[test]
fn the_syntax_is_checked_before_anything_is_handed_over() {
    let expand = |body: &str| {
        let item = format!("fn walk(a: &mut Levels, src: Vertex, dst: Vertex) {{ {body} }}");
        errors(&super::kernel(tokens("scan"), tokens(&item)))
    };
    assert!(expand("activate(dst);").is_empty());
    for (body, expected) in [
        ("let (x, y) = (1, 2);", "a local is a plain name"),
        ("'outer: loop { break 'outer; }", "loops have no labels here"),
        ("let x = &mut a.level;", "there are no references"),
        ("if let 3 = x { }", "there are no patterns"),
        ("let x = Some(3);", "`Some` is not known in a kernel"),
        ("let x = y;", "`y` is not known in a kernel"),
        ("fn inner() {}", "items cannot stand in a body"),
        ("unsafe { }", "there is no `unsafe`"),
    ] {
        let found = expand(body);
        assert!(found.first().is_some_and(|first| first.starts_with(expected)), "{found:#?}");
    }
}
