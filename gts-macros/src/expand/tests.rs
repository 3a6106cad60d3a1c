//! Tests of whole expansions, called as functions.

mod lines;
mod order;
mod words;

use super::*;
use proc_macro2::TokenStream;

const LEVELS: &str = "pub struct Levels {
    #[wa(init = UNREACHED, merge = min)] pub level: u32,
    #[wa(init = 0, merge = sum)] pub counts: [u64; 4],
    #[ra(from = level)] pub last: u32,
    #[edge] pub weight: f32,
    #[wa(init = UNREACHED, merge = min)] pub marks: [u32; 8],
    #[wa(init = UNREACHED, merge = sum)] pub met: u32,
    #[param] pub limit: u32,
    #[param] pub long: u64,
    #[param(default = UNREACHED)] pub most: u32,
    #[param(default = UNREACHED)] pub several: [u32; 2],
    #[global(merge = sum)] pub total: u64,
    #[global(merge = max)] pub largest: u32,
}";

fn tokens(text: &str) -> TokenStream {
    text.parse().expect("tokens")
}

/// Returns the texts of the errors in an expansion, without their codes.
fn errors(expansion: &TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    let mut after_name = false;
    for tree in expansion.clone() {
        match tree {
            proc_macro2::TokenTree::Ident(name) => after_name = name == "compile_error",
            proc_macro2::TokenTree::Group(group) if after_name => {
                let text: syn::LitStr = syn::parse2(group.stream()).expect("a text");
                let text = text.value();
                let (_, text) = text.split_once("] ").expect("a code");
                found.push(text.to_owned());
                after_name = false;
            }
            _ => {}
        }
    }
    found
}

/// Expands a scan of `LEVELS` with the given body, as if its struct had been handed over.
fn scan(body: &str) -> TokenStream {
    kernel_of("scan", body)
}

/// Expands an edge kernel of the given kind.
fn kernel_of(kind: &str, body: &str) -> TokenStream {
    kernel_on(LEVELS, kind, body)
}

/// Expands an edge kernel on the given struct, which is named `Levels`.
fn kernel_on(structure: &str, kind: &str, body: &str) -> TokenStream {
    let item = format!("fn walk(a: &mut Levels, src: Vertex, dst: Vertex, e: Edge) {{ {body} }}");
    kernel_item(structure, kind, &item)
}

/// Expands a kernel as if its struct had been handed over.
fn kernel_item(structure: &str, arguments: &str, item: &str) -> TokenStream {
    let parsed: ItemStruct = syn::parse_str(structure).expect("a struct");
    let payload = Payload {
        kind: PayloadKind::Attributes,
        location: Span::from(&parsed.ident).location(),
        arguments: TokenStream::new(),
        item: tokens(structure),
        needs: Vec::new(),
    };
    let path = Path::from(parsed.ident.clone());
    super::kernel::finish(CollectionState {
        runtime: RuntimePath::default(),
        purpose: Purpose::Kernel,
        arguments: tokens(arguments),
        item: tokens(item),
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
    check("a.level[dst].fetch_min(a.last[src].saturating_add(a.limit));", &[]);
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
    check("let x = dst + 1;", &["`+` works on a number, and this is `Vertex`"]);
    check("a.level[src + 1].fetch_min(3);", &["`+` works on a number, and this is `Vertex`"]);
    check("if dst == 0 { activate(dst); }", &["`Vertex` is compared with an integer"]);
    check("let x: u8 = 256;", &["256 is no u8"]);
    check("let x = -a.limit;", &["`-` works on a signed number, and this is `u32`"]);
    check("let x = a.limit.sqrt();", &["`sqrt` works on a float, and this is `u32`"]);
    check("let x: bool = a.limit as bool;", &["`u32` does not convert to bool"]);
    check("if a.limit { activate(dst); }", &["expected `bool`, found `u32`"]);
}

#[test]
fn the_smallest_integers_are_literals_of_their_type_in_cuda() {
    for (body, literal) in [
        ("let x: i32 = -2147483648; if x == i32::MIN { activate(dst); }", "(i32)0x80000000u"),
        ("let x: i64 = -9223372036854775808; if x == i64::MIN { activate(dst); }", "(i64)0x8000000000000000ull"),
        ("let x: i32 = -7; if x == -6 { activate(dst); }", "i32 x_ = -7;"),
    ] {
        let text = scan(body).to_string();
        assert!(text.contains(literal) && !text.contains("gts_neg"), "{body}: {text}");
    }
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
    check("let x = a.level[dst].fetch_min(3) & a.level[src];", &["an update and another access"]);
    check("let x = a.limit / 0;", &["this divides by zero"]);
    check("a.level[dst];", &["the value of this expression is unused"]);
    check("let x = 3u32; x = 4;", &["`x` cannot be changed"]);
    check("break;", &["there is no loop here"]);
    check("return 3;", &["a kernel returns nothing"]);
    check("a.level[dst] = a.level[dst].min(a.limit);", &["between this read and this store"]);
}

#[test]
fn arithmetic_on_what_may_be_unreached_is_refused() {
    let refused = "` may be `UNREACHED`, which is no number for `";
    for (body, operand, symbol) in [
        ("let x = a.level[src] + 1;", "a.level[src]", "+"),
        ("let x = 1 + a.level[src];", "a.level[src]", "+"),
        ("let x = a.level[src] - 1;", "a.level[src]", "-"),
        ("let x = a.level[src] * 2;", "a.level[src]", "*"),
        ("let x = a.level[src] / 2;", "a.level[src]", "/"),
        ("let x = a.level[src] % 2;", "a.level[src]", "%"),
        ("let x = a.marks[src][3] + 1;", "a.marks[src][3]", "+"),
        // An `#[ra]` takes the values of its `#[wa]`.
        ("let x = a.last[src] + 1;", "a.last[src]", "+"),
        // A param whose default is no value.
        ("let x = a.most + 1;", "a.most", "+"),
        ("if a.several[0] != UNREACHED { let x = a.several[1] + 1; }", "a.several[1]", "+"),
        ("if a.level[src] <= a.most { let x = a.level[src] + 1; }", "a.level[src]", "+"),
        // Copies, casts and choices.
        ("let x = a.level[src]; let y = x; let z = y + 1;", "y", "+"),
        ("let x = a.level[src] as u64 + 1;", "a.level[src] as u64", "+"),
        ("let x = a.level[src] as u64; let y = x * 2;", "x", "*"),
        ("let x = a.level[src] as f32 * 0.5;", "a.level[src] as f32", "*"),
        ("let x = if a.limit > 3 { a.level[src] } else { 0 }; let y = x + 1;", "x", "+"),
        ("let mut x = 0; if a.limit > 3 { x = a.level[src]; } let y = x + 1;", "x", "+"),
        ("let xs = [a.level[src], 3]; let y = xs[1] + 1;", "xs[1]", "+"),
        ("let x = a.level[src].saturating_add(1); let y = x + 1;", "x", "+"),
        // Old values of updates.
        ("let old = a.level[dst].fetch_min(3); let x = old - 3;", "old", "-"),
        ("let x = a.level[dst].fetch_min(3) - 3;", "a.level[dst].fetch_min(3)", "-"),
        // Assignments with an operator.
        ("let mut x = a.level[src]; x += 1;", "x", "+="),
        ("let mut x = 1; x += a.level[src];", "a.level[src]", "+="),
        ("a.counts[dst][0] += a.level[src] as u64;", "a.level[src] as u64", "+="),
        ("a.total += a.level[src] as u64;", "a.level[src] as u64", "+="),
        ("a.met[dst] += 1;", "a.met[dst]", "+="),
        // Comparisons that exclude nothing.
        ("if a.level[dst] != UNREACHED { let x = a.level[src] + 1; }", "a.level[src]", "+"),
        ("if a.level[src] > 3 { let x = a.level[src] + 1; }", "a.level[src]", "+"),
        ("if a.level[src] <= a.level[dst] { let x = a.level[src] + 1; }", "a.level[src]", "+"),
        ("if a.level[src] == a.level[dst] { let x = a.level[src] + 1; }", "a.level[src]", "+"),
        ("if a.level[src] as u64 != UNREACHED { let x = a.level[src] + 1; }", "a.level[src]", "+"),
        ("if (a.level[src] as u64) < a.long { let x = a.level[src] + 1; }", "a.level[src]", "+"),
        ("if a.level[src] != UNREACHED || a.limit > 3 { let x = a.level[src] + 1; }", "a.level[src]", "+"),
        ("if a.level[src] == UNREACHED { let x = a.level[src] + 1; }", "a.level[src]", "+"),
        ("if a.level[src] != UNREACHED { activate(dst); } let x = a.level[src] + 1;", "a.level[src]", "+"),
        ("if a.marks[src][0] != UNREACHED { let x = a.marks[src][1] + 1; }", "a.marks[src][1]", "+"),
        (
            "let mut i = 0u32; if a.marks[src][i] != UNREACHED { i += 1; let x = a.marks[src][i] + 1; }",
            "a.marks[src][i]",
            "+",
        ),
        ("let mut x = 0; for i in 0..8u32 { let y = x + 1; x = a.marks[src][i]; }", "x", "+"),
    ] {
        let found = errors(&scan(body));
        let expected = format!("`{operand}{refused}{symbol}`\nhelp: ");
        assert!(found.len() == 1 && found[0].starts_with(&expected), "{body}\n{found:#?}\nis not\n{expected}");
    }
}

#[test]
fn a_comparison_excludes_unreached() {
    for body in [
        "if a.level[src] != UNREACHED { let x = a.level[src] + 1; }",
        "if a.level[src] != u32::MAX { let x = a.level[src] + 1; }",
        "if UNREACHED != a.level[src] { let x = a.level[src] + 1; }",
        "if a.level[src] == UNREACHED { return; } let x = a.level[src] + 1;",
        "if !(a.level[src] == UNREACHED) { let x = a.level[src] + 1; }",
        "if a.level[src] == UNREACHED { activate(dst); } else { let x = a.level[src] + 1; }",
        "if a.level[src] < UNREACHED { let x = a.level[src] + 1; }",
        "if a.most != UNREACHED { let x = a.most + 1; }",
        "let x = a.most; if x < UNREACHED { let y = a.most + 1; }",
        "if a.several[1] != UNREACHED { let x = a.several[1] + 1; }",
        "if a.most != UNREACHED && a.level[src] <= a.most { let x = a.level[src] + 1; }",
        // A value below another one is not the largest.
        "if a.level[src] < a.level[dst] { let x = a.level[src] + 1; }",
        "if a.level[dst] > a.level[src] { let x = a.level[src] + 1; }",
        "if a.level[src] >= a.limit { return; } let x = a.level[src] + 1;",
        // A value equal to a number is a number.
        "if a.level[src] == a.limit { let x = a.level[src] + 1; }",
        "if a.level[src] <= a.limit { let x = a.level[src] + 1; }",
        "if a.level[src] == 3 { let x = a.level[src] + 1; }",
        // The local and the place hold the same value.
        "let x = a.level[src]; if x != UNREACHED { let y = x + 1; }",
        "let x = a.level[src]; if x != UNREACHED { let y = a.level[src] + 1; }",
        "let x = a.level[src]; if a.level[src] != UNREACHED { let y = x + 1; }",
        "let v = src; if a.level[v] != UNREACHED { let y = a.level[src] + 1; }",
        "let x = a.level[src] as u64; if a.level[src] != UNREACHED { let y = x + 1; }",
        "let x = a.level[src]; let there = x != UNREACHED; if there { let y = x + 1; }",
        // Both or one of several conditions.
        "if a.level[src] != UNREACHED && a.level[dst] != UNREACHED { let x = a.level[src] + a.level[dst]; }",
        "if a.level[src] != UNREACHED && a.level[src] + 1 < a.limit { activate(dst); }",
        "if a.level[src] == UNREACHED || a.level[src] + 1 < a.limit { activate(dst); }",
        "if a.level[src] == UNREACHED || a.limit > 3 { return; } let x = a.level[src] + 1;",
        "let x = if a.level[src] != UNREACHED { a.level[src] + 1 } else { 0 };",
        "let x = if a.level[src] == UNREACHED { 0 } else { a.level[src] }; let y = x + 1;",
        "let mut x = a.level[src]; if x == UNREACHED { x = 0; } let y = x + 1;",
        // Loops.
        "let mut x = a.level[src]; while x != UNREACHED && x > 3 { x -= 1; }",
        "for i in 0..8u32 { if a.marks[src][i] == UNREACHED { continue; } let x = a.marks[src][i] + 1; }",
        "for i in 0..8u32 { let x = a.marks[src][i]; if x == UNREACHED { break; } a.counts[dst][0] += x as u64; }",
        // A value that is at most a number is a number.
        "let x = a.level[src].min(a.limit) + 1;",
        "a.level[dst].fetch_min(3); let x = a.level[dst] + 1;",
        // Operations that need no comparison.
        "let x = a.level[src].saturating_add(1).min(a.limit);",
        "let x = a.level[src].wrapping_mul(3);",
        "let x = a.level[src] >> 3;",
        "let x = a.limit + 1;",
        "let x = a.level[src] - 1;",
    ] {
        let kind = if body.ends_with("- 1;") { "traverse" } else { "scan" };
        let found = errors(&kernel_of(kind, body));
        assert!(found.is_empty(), "{body}\n{found:#?}");
    }
}

#[test]
fn a_refused_kernel_leaves_something_to_name() {
    let expansion = scan("let x = nothing;").to_string();
    assert!(expansion.ends_with(":: gts_graph :: __private :: Failed :: < Levels > :: new ()"), "{expansion}");
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

#[test]
fn changes_are_at_activated_vertices() {
    let fact = |body: &str| {
        let expansion = kernel_of("traverse", body);
        assert!(errors(&expansion).is_empty(), "{body}\n{:#?}", errors(&expansion));
        let text = expansion.to_string();
        let yes = text.contains("changes_activated : true");
        assert!(yes != text.contains("changes_activated : false"), "{body}");
        yes
    };
    let yes = [
        // Before or after the write, in the same block or an outer one.
        "a.counts[dst][0] += 1; activate(dst);",
        "activate(dst); a.counts[dst][0] += 1;",
        "activate(dst); if a.limit > 3 { a.counts[dst][0] += 1; return; } a.level[dst] = 4;",
        "if a.limit > 3 { a.counts[dst][0] += 1; } activate(dst);",
        "for i in 0..8u32 { a.marks[dst][i].fetch_min(3); } activate(dst);",
        "for i in 0..8u32 { if i == a.limit { break; } a.marks[dst][i].fetch_min(3); } activate(dst);",
        "for i in 0..8u32 { activate(dst); if i == a.limit { continue; } a.marks[dst][i].fetch_min(3); }",
        "let v = dst; a.counts[v][0] += 1; { activate(v); }",
        // On every path.
        "a.counts[dst][0] += 1; if a.limit > 3 { activate(dst); return; } activate(dst);",
        "if a.limit > 3 { return; } a.counts[dst][0] += 1; activate(dst);",
        // No write at a vertex.
        "a.total += 1;",
        "if a.limit > 3 { activate(dst); }",
        // A condition that a minimum changed something.
        "if a.level[dst].fetch_min(a.limit) > a.limit { activate(dst); }",
        "if a.limit < a.level[dst].fetch_min(a.limit) { activate(dst); }",
        "let x = a.level[src]; if x < 3 && a.level[dst].fetch_min(x) > x { activate(dst); }",
        "let mut x = a.limit; x += 1; if a.level[dst].fetch_min(x) > x { activate(dst); } else { a.total += 1; }",
        "let x = a.limit; let old = a.level[dst].fetch_min(x); a.total += 1; if old > x { activate(dst); }",
        "let x = a.limit; let less = a.level[dst].fetch_min(x) > x; if less { activate(dst); }",
        "for i in 0..8u32 { if a.marks[dst][i].fetch_min(3) > 3 { activate(dst); } }",
        "if a.level[dst].fetch_min(4) > 4 { a.marks[dst][0].fetch_min(4); activate(dst); }",
        "if a.level[dst].fetch_min(4) > 4 { if a.marks[dst][0].fetch_min(4) > 4 { a.total += 1; } activate(dst); }",
    ];
    let no = [
        // No activation, one on some paths only, or one of another vertex.
        "a.counts[dst][0] += 1;",
        "a.counts[dst][0] += 1; if a.limit > 3 { activate(dst); }",
        "if a.limit > 3 { activate(dst); } a.counts[dst][0] += 1;",
        "if a.limit > 3 { activate(dst); } else { a.counts[dst][0] += 1; }",
        "a.counts[dst][0] += 1; activate(src);",
        "a.counts[dst][0] += 1; activate(dst); activate(src);",
        "a.counts[src][0] += 1; activate(dst);",
        "a.counts[Vertex::new(a.long)][0] += 1; activate(dst);",
        // An exit between the write and the activation.
        "a.counts[dst][0] += 1; if a.limit > 3 { return; } activate(dst);",
        "if a.limit > 3 { a.counts[dst][0] += 1; return; } activate(dst);",
        "for i in 0..8u32 { a.marks[dst][i].fetch_min(3); if i == a.limit { break; } activate(dst); }",
        "for i in 0..8u32 { a.marks[dst][i].fetch_min(3); if i == a.limit { continue; } activate(dst); }",
        "for i in 0..8u32 { if i == a.limit { return; } a.marks[dst][i].fetch_min(3); } activate(dst);",
        // A loop may run no iteration.
        "a.counts[dst][0] += 1; for i in 0..a.limit { activate(dst); }",
        // Another comparison.
        "if a.level[dst].fetch_min(a.limit) < a.limit { activate(dst); }",
        "if a.level[dst].fetch_min(a.limit) > a.limit + 1 { activate(dst); }",
        "if a.level[dst].fetch_min(3) == UNREACHED { activate(dst); }",
        "if a.level[dst].fetch_min(3) > 3 { a.total += 1; } else { activate(dst); }",
        "while a.level[dst].fetch_min(3) > 3 { activate(dst); }",
        // Another part of the condition also decides.
        "if a.level[dst].fetch_min(3) > 3 && a.limit > 3 { activate(dst); }",
        "if a.level[dst].fetch_min(3) > 3 || a.limit > 3 { a.total += 1; }",
        "let old = a.level[dst].fetch_min(3); if a.limit > 3 && old > 3 { activate(dst); }",
        "if a.level[dst].fetch_min(3) > 3 && a.marks[dst][0].fetch_min(3) > 3 { activate(dst); }",
        // An exit from the block, or a change of the compared value, before the condition.
        "let old = a.level[dst].fetch_min(3); if a.limit > 3 { return; } if old > 3 { activate(dst); }",
        "let mut x = a.limit; let old = a.level[dst].fetch_min(x); x += 1; if old > x { activate(dst); }",
        "let x = a.limit; let old = a.level[dst].fetch_min(x); let x = x + 1; if old > x { activate(dst); }",
        "let old = a.level[dst].fetch_min(a.level[src]); if old > a.level[src] { activate(dst); }",
        "let old = a.level[dst].fetch_min(3); if a.limit > 3 { if old > 3 { activate(dst); } }",
        // Only one of two updates is compared.
        "let x = a.level[dst].fetch_min(3); let y = a.marks[dst][0].fetch_min(x); if y > x { activate(dst); }",
        "if a.level[dst].fetch_min(4) > 4 { if a.marks[dst][0].fetch_min(4) > 4 { activate(dst); } }",
    ];
    for (bodies, expected) in [(&yes[..], true), (&no[..], false)] {
        for body in bodies {
            assert_eq!(fact(body), expected, "{body}");
        }
    }
}

#[test]
fn devices_know_which_steps_they_may_run_by_themselves() {
    let fact = |body: &str| {
        let expansion = kernel_of("traverse, racy", body);
        assert!(errors(&expansion).is_empty(), "{body}\n{:#?}", errors(&expansion));
        let text = expansion.to_string();
        let of = |name: &str| text.contains(&format!("StepLoop :: {name}"));
        let found = ["Claiming", "InOrder", "No"].into_iter().find(|name| of(name));
        found.unwrap_or_else(|| panic!("{body}: {text}"))
    };
    let claiming = [
        "if a.level[dst] == UNREACHED { a.level[dst] = step() + 1; activate(dst); }",
        "if a.level[dst] != UNREACHED { return; } activate(dst); a.level[dst] = step() + 1;",
        // Other merges at dst apply to the value before the claim. The edge and the vertex's own values may be used.
        "if a.level[dst] == UNREACHED { a.level[dst] = step(); a.marks[dst][0].fetch_min(a.last[src]); activate(dst); }",
        "if a.level[dst] == UNREACHED { a.level[dst] = step(); a.total += 1; activate(dst); }",
        "let far = a.weight[e] > 0.5; if a.level[dst] == UNREACHED { a.level[dst] = 3; a.marks[dst][0] = far as u32; activate(dst); }",
        // A second condition on dst that nothing changes, and a filter on src.
        "if a.level[dst] == UNREACHED && a.counts[dst][0] > 3 { a.level[dst] = step(); activate(dst); }",
        "if a.last[src] > 3 { if a.level[dst] == UNREACHED { a.level[dst] = step(); activate(dst); } }",
    ];
    let in_order = [
        // No guard, a guard that stays true, or one that a step makes true.
        "activate(dst);",
        "let x = a.level[src]; if a.level[dst].fetch_min(x) > x { activate(dst); }",
        "if a.level[dst] == UNREACHED { a.marks[dst][0].fetch_min(3); activate(dst); }",
        "if a.level[dst] > step() { a.level[dst] = step(); activate(dst); }",
        "if a.level[dst] == UNREACHED && a.marks[dst][0] > step() { a.level[dst] = 3; activate(dst); }",
        // A second store, which may make the guard true again.
        "if a.level[dst] == UNREACHED { a.level[dst] = 3; a.level[dst] = a.limit; activate(dst); }",
        "if a.level[dst] == UNREACHED { a.level[dst] = 3; activate(dst); a.level[dst].fetch_min(2); }",
        // Another part of the condition that the body changes.
        "if a.level[dst] == UNREACHED && a.counts[dst][0] > 3 { a.level[dst] = 3; a.counts[dst][0] += 1; activate(dst); }",
        // A read at src, or at any vertex, of an attribute that the loop writes.
        "if a.level[dst] == UNREACHED { a.level[dst] = a.level[src] + 1; activate(dst); }",
        "if a.level[dst] == UNREACHED && a.level[src] < 3 { a.level[dst] = 3; activate(dst); }",
        "let d = a.level[src]; if a.level[dst] == UNREACHED { a.level[dst] = 3; a.marks[dst][0] = d; activate(dst); }",
        "let r = Vertex::new(a.long); let d = a.level[r]; if a.level[dst] == UNREACHED { a.level[dst] = 3; a.marks[dst][0] = d; activate(dst); }",
        // Another condition, which may prevent the store or the activation at a claimed vertex.
        "if a.level[dst] == UNREACHED && a.weight[e] > 0.5 { a.level[dst] = 3; activate(dst); }",
        "if a.level[dst] == UNREACHED { a.level[dst] = 3; if a.limit > 3 { activate(dst); } }",
        "if a.level[dst] == UNREACHED { if a.limit > 3 { return; } a.level[dst] = 3; activate(dst); }",
        "if a.level[dst] == UNREACHED { for i in 0..8u32 { a.marks[dst][i].fetch_min(3); } a.level[dst] = 3; activate(dst); }",
        "if a.level[dst] == UNREACHED { a.level[dst] = 3; activate(dst); } else { a.total += 1; }",
        "a.total += 1; if a.level[dst] == UNREACHED { a.level[dst] = 3; activate(dst); }",
        // A write elsewhere.
        "if a.level[dst] == UNREACHED { a.level[dst] = 3; a.counts[src][0] += 1; activate(dst); }",
    ];
    let no = [
        "if a.level[dst] == UNREACHED { a.level[dst] = 3; activate(src); }",
        "if a.level[dst] == UNREACHED { a.level[dst] = 3; activate(dst); activate(src); }",
        "if a.level[dst] == UNREACHED { a.level[dst] = 3; }",
        "if random(a.long, 0) > 3 { activate(dst); }",
        "if e.position() > 3 { activate(dst); }",
    ];
    for (bodies, expected) in [(&claiming[..], "Claiming"), (&in_order[..], "InOrder"), (&no[..], "No")] {
        for body in bodies {
            assert_eq!(fact(body), expected, "{body}");
        }
    }
    let scan = scan("a.counts[dst][0] += 1; activate(dst);").to_string();
    assert!(scan.contains("StepLoop :: No"), "a scan has no steps");
}
