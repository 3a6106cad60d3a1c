//! Tests of reads that do not depend on the order of the threads, and of near misses.

use super::*;

const ORDER: &str = "pub struct Levels {
    #[wa(init = 255, merge = min)] pub c: u8,
    #[wa(init = UNREACHED, merge = min)] pub level: u32,
    #[wa(init = 0, merge = max)] pub high: u32,
    #[wa(init = 0, merge = sum)] pub low: u32,
    #[wa(init = false, merge = or)] pub seen: bool,
    #[wa(init = UNREACHED, merge = any)] pub parent: VertexId,
    #[wa(init = UNREACHED, merge = min)] pub least: u32,
    #[wa(init = UNREACHED, merge = min)] pub marks: [u32; 8],
    #[ra] pub own: u32,
    #[edge] pub weight: u32,
    #[param] pub limit: u32,
    #[global(merge = sum)] pub total: u64,
    #[global(merge = max)] pub most: u32,
}";

/// Returns the class of a traversal, or its errors.
fn class(body: &str) -> String {
    let expansion = kernel_on(ORDER, "traverse", body);
    let found = errors(&expansion);
    if !found.is_empty() {
        return found.join("\n");
    }
    let text = expansion.to_string();
    let name = ["Ordered", "Monotone", "Racy"].into_iter().find(|name| text.contains(&format!("Class :: {name}")));
    name.expect("a class").to_owned()
}

/// Returns the names of the rules that make the reads of an ordered traversal independent of the order.
fn rules(body: &str) -> Vec<String> {
    assert_eq!(class(body), "Ordered", "{body}");
    let text = kernel_on(ORDER, "traverse", body).to_string();
    text.split("SteadyRule :: ")
        .skip(1)
        .map(|rest| rest.split_whitespace().next().expect("a rule").to_owned())
        .collect()
}

#[track_caller]
fn refused(bodies: &[&str], expected: &str) {
    for body in bodies {
        let found = class(body);
        assert!(found.contains(expected), "{body}\n{found}\nhas no\n{expected}");
    }
}

const READS: &str = "while other threads write it";
const RACED: &str = "depends on their order, and each then";

#[test]
fn a_test_that_the_only_write_makes_false_is_ordered() {
    for body in [
        "if a.c[dst] == 255 { a.c[dst] = ((step() + 1) % 2) as u8; activate(dst); }",
        "if 255 == a.c[dst] { a.c[dst] = 254; activate(dst); }",
        "if a.c[dst] != 3 { return; } a.c[dst] = (step() % 3) as u8; activate(dst);",
        "if a.high[dst] == 0 { a.high[dst] = 1 + dst.in_degree() as u32; activate(dst); }",
        "if a.c[dst] > 4 { a.c[dst] = (step() & 3) as u8; activate(dst); }",
        "if a.c[dst] >= 4 { a.c[dst] = (step() & 3) as u8; activate(dst); }",
        "if a.level[dst] > a.limit + 1 { a.level[dst] = a.limit; activate(dst); }",
        "if a.level[dst] == a.limit + 1 { a.level[dst] = a.limit; activate(dst); }",
        "let next = step() + 1; if a.level[dst] >= next { a.level[dst] = step(); activate(dst); }",
        "if a.level[dst] > 4 { a.level[dst].fetch_min(4); activate(dst); }",
        "if a.level[dst] == UNREACHED { a.level[dst].fetch_min(step()); activate(dst); }",
        "if !a.seen[dst] { a.seen[dst] = true; activate(dst); }",
        "if !a.seen[dst] { a.seen[dst] |= true; activate(dst); }",
        "if a.parent[dst] == UNREACHED { a.parent[dst] = src.id(); activate(dst); }",
        "if a.marks[dst][2] == UNREACHED { a.marks[dst][2] = step(); activate(dst); }",
        // The test is combined with conditions on the edge or the vertex.
        "if a.weight[e] > 3 && a.level[dst] == UNREACHED { a.level[dst] = 3; activate(dst); }",
        "if a.weight[e] > 3 { if a.level[dst] == UNREACHED { a.level[dst] = 3; activate(dst); } }",
        "if a.level[dst] == UNREACHED { if a.weight[e] > 3 { return; } a.level[dst] = 3; activate(dst); }",
        "if a.level[dst] == UNREACHED { a.level[dst] = 3; if a.limit > 3 { activate(dst); } }",
        // Other effects are the same for all edges to the vertex, or are merges of any value outside the test.
        "if a.level[dst] == UNREACHED { a.level[dst] = 3; a.parent[dst] = src.id(); a.most.fetch_max(step()); }",
        "if a.level[dst] == UNREACHED { a.level[dst] = 3; for i in 0..8u32 { a.marks[dst][i].fetch_min(i); } }",
        "a.total += 1; a.low[dst] += a.weight[e]; if a.level[dst] == UNREACHED { a.level[dst] = 3; activate(dst); }",
        "if a.level[dst] == UNREACHED { a.level[dst] = 3; activate(dst); } a.low[dst] += 1;",
    ] {
        assert_eq!(rules(body), ["Closes"], "{body}");
    }
}

#[test]
fn a_test_that_may_stay_true_is_refused() {
    refused(
        &[
            "if a.c[dst] == 255 { a.c[dst] = ((step() + 1) % 256) as u8; activate(dst); }",
            "if a.c[dst] == UNREACHED { a.c[dst] = (step() % 256) as u8; activate(dst); }",
            "if a.c[dst] == 255 { a.c[dst] = 255; activate(dst); }",
            "if a.c[dst] == 1 { a.c[dst] = ((step() + 1) % 2) as u8; activate(dst); }",
            "if a.c[dst] > 3 { a.c[dst] = (step() % 5) as u8; activate(dst); }",
            "if a.c[dst] <= 4 { a.c[dst] = (step() & 7) as u8; activate(dst); }",
            "if a.level[dst] == a.limit { a.level[dst] = a.limit.wrapping_add(step()); activate(dst); }",
            "if a.level[dst] == UNREACHED { a.level[dst] = 4294967295; activate(dst); }",
            // The write uses another local of the same name, or another element.
            "let x = 3; if a.level[dst] > x { let x = 5; a.level[dst] = x; activate(dst); }",
            "let mut i = 0; if a.marks[dst][i] > 3 { i += 1; a.marks[dst][i] = 3; activate(dst); }",
            // The attribute has a second write, or is read at another vertex.
            "if a.level[dst] == UNREACHED { a.level[dst] = 3; a.level[dst] = 4; activate(dst); }",
            "if a.level[dst] == UNREACHED { a.level[dst] = 3; activate(dst); } a.level[src] = 4;",
            "if a.level[dst] == UNREACHED && a.level[src] < 3 { a.level[dst] = 3; activate(dst); }",
            // The attribute is read again before the write.
            "if a.high[dst] == 0 { a.low[dst] += a.high[dst]; a.high[dst] = 3; }",
        ],
        READS,
    );
    // The update may leave the value unchanged, so that the test stays true.
    assert_ne!(class("if a.level[dst] != 5 { a.level[dst].fetch_min(5); a.low[dst] += 1; }"), "Ordered");
    assert_ne!(class("if a.level[dst] == 5 { a.level[dst].fetch_min(7); a.low[dst] += 1; }"), "Ordered");
    assert_ne!(class("if a.high[dst] > 5 { a.high[dst].fetch_max(5); a.low[dst] += 1; }"), "Ordered");
    // The test differs from edge to edge, and guards a minimum.
    assert_eq!(class("if a.least[dst] > a.own[src] { a.least[dst].fetch_min(a.own[src]); }"), "Monotone");
}

#[test]
fn effects_behind_a_test_that_closes_are_the_same_for_all_edges() {
    refused(
        &[
            "if a.level[dst] == UNREACHED { a.level[dst] = 3; a.low[dst] += 1; }",
            "if a.level[dst] == UNREACHED { a.level[dst] = 3; a.total += 1; }",
            "if a.level[dst] == UNREACHED { a.level[dst] = 3; a.least[dst].fetch_min(a.weight[e]); }",
            "if a.level[dst] == UNREACHED { a.level[dst] = 3; a.least[dst].fetch_min(a.own[src]); }",
            "if a.level[dst] == UNREACHED { a.level[dst] = 3; a.most.fetch_max(a.weight[e]); }",
            "if a.level[dst] == UNREACHED { a.level[dst] = 3; a.marks[dst][a.weight[e] % 8].fetch_min(3); }",
            "if a.level[dst] == UNREACHED { a.level[dst] = 3; a.seen[src] = true; }",
            "if a.level[dst] == UNREACHED { a.level[dst] = 3; activate(src); }",
            "if a.level[dst] == UNREACHED { a.level[dst].fetch_min(a.weight[e] % 8); }",
            // Only some of the edges that find the test true have the effect.
            "if a.level[dst] == UNREACHED { a.level[dst] = 3; if a.weight[e] > 3 { activate(dst); } }",
            "if a.level[dst] == UNREACHED { if a.weight[e] > 3 { activate(dst); } a.level[dst] = 3; }",
            "if a.level[dst] == UNREACHED { a.level[dst] = 3; if a.weight[e] > 3 { return; } activate(dst); }",
            "if a.level[dst] == UNREACHED { a.level[dst] = 3; for i in 0..a.weight[e] { a.seen[dst] = true; } }",
            "if a.level[dst] != UNREACHED { return; } a.level[dst] = 3; if a.weight[e] > 3 { activate(dst); }",
            // Edges that find the test false have an effect.
            "if a.level[dst] == UNREACHED { a.level[dst] = 3; } else { activate(dst); }",
            "if a.level[dst] == UNREACHED { a.level[dst] = 3; return; } activate(dst);",
            "for i in 0..3u32 { a.low[dst] += i; if a.level[dst] == UNREACHED { a.level[dst] = 3; break; } }",
            "let mut x = 1; if a.level[dst] == UNREACHED { a.level[dst] = 3; x = 2; } a.low[dst] += x;",
            "for i in 0..3u32 { a.low[dst] += i; if a.level[dst] != UNREACHED { return; } a.level[dst] = 3; }",
        ],
        RACED,
    );
}

#[test]
fn a_read_after_the_only_write_is_ordered() {
    for body in [
        "if a.level[dst] == UNREACHED { a.level[dst] = step() + 1; activate(dst); } \
         if a.level[dst] == step() + 1 { a.low[dst] += 1; }",
        "if a.level[dst] == UNREACHED && step() < a.limit { a.level[dst] = step() + 1; activate(dst); } \
         if a.level[dst] <= step() + 2 { a.low[dst] += a.weight[e]; }",
        "if a.weight[e] > 3 { if a.level[dst] == UNREACHED { a.level[dst] = 4; } a.low[dst] += a.level[dst]; }",
        "if a.level[dst] == UNREACHED { a.level[dst] = 4; a.least[dst].fetch_min(a.level[dst]); }",
    ] {
        assert_eq!(rules(body), ["Closes", "Settled"], "{body}");
    }
    for body in [
        "a.level[dst] = step() + 1; if a.level[dst] == step() + 1 { a.low[dst] += 1; }",
        "a.level[dst].fetch_min(step() + 1); if a.level[dst] == step() + 1 { a.low[dst] += 1; }",
        "a.level[dst].fetch_min(step() + 1); let x = a.level[dst]; a.low[dst] += x;",
    ] {
        assert_eq!(rules(body), ["Settled"], "{body}");
    }
}

#[test]
fn a_read_that_may_come_before_the_write_is_refused() {
    refused(
        &[
            // The read precedes the write, or some edges skip the write.
            "if a.level[dst] == step() + 1 { a.low[dst] += 1; } if a.level[dst] == UNREACHED { a.level[dst] = step() + 1; }",
            "let x = a.level[dst]; if a.level[dst] == UNREACHED { a.level[dst] = 3; } a.low[dst] += x;",
            "if a.weight[e] > 3 { a.level[dst] = 3; } if a.level[dst] == 3 { a.low[dst] += 1; }",
            "if a.level[dst] == UNREACHED && a.weight[e] > 3 { a.level[dst] = 3; } if a.level[dst] == 3 { a.low[dst] += 1; }",
            "if a.high[dst] == 0 { if a.weight[e] > 3 { return; } a.high[dst] = 3; } a.low[dst] += a.high[dst];",
            "for i in 0..a.weight[e] { a.high[dst] = 3; } a.low[dst] += a.high[dst];",
            // The read is at another vertex, or the value written differs between edges or between writes.
            "a.level[dst] = step() + 1; if a.level[src] == step() + 1 { a.low[dst] += 1; }",
            "a.parent[dst] = src.id(); if a.parent[dst] == src.id() { a.low[dst] += 1; }",
            "a.level[dst] = 3; a.level[dst] = 4; if a.level[dst] == 3 { a.low[dst] += 1; }",
            // Another thread may have made only one of the two tests false.
            "if a.level[dst] == UNREACHED && a.high[dst] == 0 { a.level[dst] = 3; a.high[dst] = 3; } \
             a.low[dst] += a.high[dst];",
        ],
        READS,
    );
    // One statement writes several values.
    assert_ne!(class("for i in 0..3u32 { a.high[dst].fetch_max(i); a.low[dst] += a.high[dst]; }"), "Ordered");
}

#[test]
fn an_old_value_compared_beyond_the_operand_is_ordered() {
    for body in [
        "let old = a.level[dst].fetch_min(step() + 1); if old > step() { a.low[dst] += 1; }",
        "let next = step() + 1; let old = a.level[dst].fetch_min(next); if old >= next { a.low[dst] += 1; }",
        "if a.level[dst].fetch_min(step() + 1) > step() { a.low[dst] += a.weight[e]; activate(dst); }",
        "if step() < a.level[dst].fetch_min(step() + 1) { a.low[dst] += 1; }",
        "let old = a.level[dst].fetch_min(step() + 1); if old <= step() { return; } a.low[dst] += 1;",
        "let old = a.level[dst].fetch_min(step() + 1); if old == step() { a.low[dst] += 1; }",
        "let old = a.level[dst].fetch_min(9); if old > 8 && old != a.limit % 8 { a.low[dst] += 1; }",
        "let old = a.high[dst].fetch_max(step()); if old < step() + 1 { a.low[dst] += 1; }",
        "let old = a.high[dst].fetch_max(a.limit); if old <= a.limit { a.low[dst] += 1; }",
    ] {
        assert_eq!(rules(body), ["Unmoved"], "{body}");
    }
    let both = "let old = a.level[dst].fetch_min(step() + 1); if old > step() && a.level[dst] < 9 { a.low[dst] += 1; }";
    assert_eq!(rules(both), ["Settled", "Unmoved"]);
}

#[test]
fn an_old_value_that_tells_the_first_edge_is_refused() {
    for body in [
        "let old = a.level[dst].fetch_min(step() + 1); if old > step() + 1 { a.low[dst] += 1; }",
        "let old = a.level[dst].fetch_min(step() + 1); if old == UNREACHED { a.low[dst] += 1; }",
        "let old = a.level[dst].fetch_min(step() + 1); if old == step() + 1 { a.low[dst] += 1; }",
        "let old = a.level[dst].fetch_min(step() + 1); if old <= step() + 1 { a.low[dst] += 1; }",
        "let old = a.level[dst].fetch_min(step() + 1); if old > a.weight[e] % 2 { a.low[dst] += 1; }",
        "let old = a.level[dst].fetch_min(step()); if old > step() { a.low[dst] += 1; }",
        "let old = a.level[dst].fetch_min(step() + 1); if old > step() { a.low[dst] += old; }",
        "let mut old = a.level[dst].fetch_min(step() + 1); if old > step() { a.low[dst] += 1; }",
        "let old = a.level[dst].fetch_min(a.weight[e]); if old > 3 { a.low[dst] += 1; }",
        "let old = a.level[dst].fetch_min(step() + 1); a.level[dst].fetch_min(step()); if old > step() { a.low[dst] += 1; }",
        "let old = a.high[dst].fetch_max(step()); if old < step() { a.low[dst] += 1; }",
        "let old = a.low[dst].fetch_sub(1); if old == 1 { a.total += 1; }",
        "a.low[dst] -= 1; if a.low[dst] == 0 { activate(dst); }",
    ] {
        let found = class(body);
        assert!(found.contains("\nhelp: "), "{body}\n{found}");
    }
}

#[test]
fn values_that_improve_in_any_order_leave_no_read_steady() {
    let body = "let d = a.least[src].saturating_add(a.weight[e]); if a.least[dst].fetch_min(d) > d { activate(dst); }";
    assert_eq!(class(body), "Monotone");
    refused(&[&format!("{body} if a.level[dst] == UNREACHED {{ a.level[dst] = 3; }}")], READS);
}

#[test]
fn a_guarded_store_is_replicable_where_the_merge_keeps_it() {
    let replicable = |body: &str| {
        assert_eq!(class(body), "Ordered", "{body}");
        kernel_on(ORDER, "traverse", body)
            .to_string()
            .contains("replicable : :: gts_graph :: __private :: Limit :: Yes")
    };
    for body in [
        "if a.c[dst] == 255 { a.c[dst] = ((step() + 1) % 2) as u8; activate(dst); }",
        "if a.level[dst] == UNREACHED { a.level[dst] = 4; } if a.level[dst] == 4 { a.low[dst] += 1; }",
        "if a.high[dst] == 3 { a.high[dst] = 4; }",
        "if a.high[dst] <= a.limit { a.high[dst] = a.limit + 1; }",
        "let old = a.level[dst].fetch_min(step() + 1); if old > step() { a.low[dst] += 1; }",
    ] {
        assert!(replicable(body), "{body}");
    }
    for body in [
        "if a.c[dst] == 3 { a.c[dst] = 4; }",
        "if a.level[dst] < 4 { a.level[dst] = 4; }",
        "if a.high[dst] == 3 { a.high[dst] = 2; }",
        "if a.high[dst] != 3 { a.high[dst] = 3; }",
        "a.level[dst] = 4; a.low[dst] += a.level[dst];",
    ] {
        assert!(!replicable(body), "{body}");
    }
}

/// Returns the kernels that a message suggests, each as its arguments and its function.
fn offered(message: &str) -> Vec<(String, String)> {
    let kernels = message.split("#[gts_kernel(").skip(1).filter(|part| part.contains("fn "));
    kernels
        .map(|part| {
            let (arguments, rest) = part.split_once(")]\n").expect("an attribute");
            let end = rest.find("\n    }\n").expect("the end of a function") + "\n    }".len();
            (arguments.to_owned(), rest[..end].to_owned())
        })
        .collect()
}

#[test]
fn the_settled_form_of_a_message_is_accepted() {
    for (body, looks) in [
        ("a.low[dst] -= 1; if a.low[dst] == 0 { activate(dst); }", "if a.low[v] == 0 {"),
        ("if a.low[dst].fetch_sub(1) == 1 { activate(dst); }", "if a.low[v] == 0 {"),
        ("if a.low[dst].fetch_add(2) >= 3 { activate(dst); } else { a.total += 1; }", "if a.low[v] >= 5 {"),
        (
            "let most = a.limit.max(1); a.low[dst] += a.weight[e]; if a.low[dst] > most { a.seen[dst] = true; }",
            "let most = a.limit.max(1);",
        ),
        ("if a.level[dst] == UNREACHED { a.level[dst] = step(); a.low[dst] += 1; activate(dst); }", "a.low[v] += 1;"),
        ("let v = a.limit; a.low[dst] -= v; if a.low[dst] == v { activate(dst); }", "if a.low[dst] == v {"),
        (
            "if a.level[dst] == UNREACHED { a.level[dst] = step(); a.total += 2; activate(dst); }",
            "total += run.global(Levels::TOTAL)?;",
        ),
    ] {
        let message = class(body);
        assert!(message.contains(looks), "{body}\n{message}\nhas no\n{looks}");
        let advice = message.split("\nhelp: `gts explain").next().expect("advice");
        assert!(advice.ends_with("or say that any order will do: `#[gts_kernel(traverse, racy)]`"), "{message}");
        let kernels = offered(&message);
        assert_eq!(kernels.len(), 2, "{message}");
        for (arguments, item) in kernels {
            let found = errors(&kernel_item(ORDER, &arguments, &item));
            assert!(found.is_empty(), "{item}\n{found:#?}");
        }
    }
}

#[test]
fn no_form_is_offered_that_would_be_wrong() {
    for body in [
        // The statement depends on the edge, the step, `src` or a value read during the pass, or leaves the body.
        "a.low[dst] -= 1; if a.low[dst] == a.weight[e] { activate(dst); }",
        "a.low[dst] -= 1; if a.low[dst] == step() { activate(dst); }",
        "a.low[dst] -= 1; let x = a.low[dst]; if x == 0 { activate(dst); }",
        "a.low[dst] -= 1; if a.low[dst] == 0 { activate(src); }",
        "a.low[dst] -= 1; if a.low[dst] == 0 { return; } a.total += 1;",
        // More vertices would be active in the next step.
        "a.low[dst] -= 1; if a.low[dst] == 0 { a.total += 1; } if a.weight[e] > 3 { activate(dst); }",
        "a.low[dst] -= 1; if a.low[dst] == 0 { activate(dst); } if a.weight[e] > 3 { activate(dst); }",
        // The vertex kernel would visit too many vertices, or change the frontier.
        "a.low[dst] -= 1; activate(dst); if a.low[dst] == 0 { activate(dst); }",
        "if a.weight[e] > 3 { activate(dst); } if a.level[dst] == UNREACHED { a.level[dst] = 3; a.total += 1; activate(dst); }",
        "if a.level[dst] == UNREACHED { a.level[dst] = 3; a.low[dst] += 1; activate(src); }",
        // The rest of the body would be refused, too.
        "a.low[dst] -= 1; if a.low[dst] == 0 { activate(dst); } if a.low[src] == 0 { activate(src); }",
        // The global merges by `max`, so the host cannot add up its values.
        "if a.level[dst] == UNREACHED { a.level[dst] = 3; a.most.fetch_max(a.weight[e]); activate(dst); }",
    ] {
        let message = class(body);
        assert!(message.contains("or say that any order will do") && offered(&message).is_empty(), "{body}\n{message}");
    }
}

#[test]
fn a_message_names_the_condition_that_failed() {
    for (body, expected) in [
        ("a.low[dst] -= 1; if a.low[dst] == 0 { activate(dst); }", "each edge to the vertex changes it again"),
        ("if a.c[dst] == 255 { a.c[dst] = (step() % 256) as u8; }", "the value written may leave this test true"),
        ("a.level[dst] = 3; a.level[dst] = 4; if a.level[dst] == 3 { a.seen[dst] = true; }", "in more than one way"),
        ("a.parent[dst] = src.id(); if a.parent[dst] == src { activate(dst); }", "differ from edge to edge"),
        ("if a.level[dst] == 3 { a.seen[dst] = true; } a.level[dst] = 3;", "an edge may get here before"),
        ("a.level[dst] = 3; if a.level[src] == 3 { a.low[dst] += 1; }", "another thread may write it at this vertex"),
    ] {
        let found = class(body);
        let first = found.lines().next().expect("a line");
        assert!(first.contains(expected), "{body}\n{first}\nhas no\n{expected}");
    }
}
