//! Words and forms of Rust that users may try in a body, but that kernels lack. `meaning` is the text of the error, and
//! `instead` is the help of the error.

use super::OperandTypes::{Anything, Array, Float, Integer, Vertex};
use super::{Code, LanguageKind, LanguageRow, OperandTypes, RowExample};

const fn form(
    name: &'static str,
    code: Code,
    syntax: &'static str,
    meaning: &'static str,
    instead: &'static str,
    body: &'static str,
) -> LanguageRow {
    LanguageRow::new(LanguageKind::Lacking, name, syntax, meaning)
        .code(code)
        .instead(instead)
        .example(RowExample::Refused(body))
}

const fn method(
    name: &'static str,
    operands: OperandTypes,
    syntax: &'static str,
    instead: &'static str,
    body: &'static str,
) -> LanguageRow {
    LanguageRow::new(LanguageKind::LackingMethod, name, syntax, "there is no such method")
        .code(Code::UnknownMethod)
        .on(operands)
        .instead(instead)
        .example(RowExample::Refused(body))
}

const NO_MACROS: &str = "the only macro of a body is `assert!`";
const TO_THE_HOST: &str = "write the statement out; a `#[global]` carries a value to the host";
const ASSERT: &str = "write `assert!(condition)`, or `assert!(condition, value)` to see a value";
const FIXED_ARRAY: &str = "a body has arrays of fixed length: `let mut list = [0u32; 8];`";
const NO_ITERATORS: &str = "there are no iterators";
const NO_REFERENCES: &str = "there are no references";
const THE_VALUE: &str = "use the value itself";
const UNKNOWN: &str = "this is not known in a kernel";
const NO_TYPE: &str = "the language has no such type";
const WIDE: &str = "write u64; vertices and edges are counted in u64, vertices are stored as VertexId";
const SIGNED: &str = "write i32 or i64";

pub(super) const FORMS: &[LanguageRow] = &[
    form(
        "match",
        Code::Pattern,
        "match x { .. }",
        "there is no `match`",
        "write `if .. else if .. else ..`",
        "match a.level[v] { 0 => activate(v), _ => {} }",
    ),
    form(
        "if let",
        Code::Pattern,
        "if let Some(x) = y { .. }",
        "there are no patterns",
        "compare with `==`",
        "if let 3 = a.level[v] { activate(v); }",
    ),
    form(
        "let else",
        Code::Pattern,
        "let x = y else { .. };",
        "`let .. else` is not part of the language",
        "write an `if`",
        "let x = a.level[v] else { return; };",
    ),
    form(
        "pattern",
        Code::Pattern,
        "let (x, y) = ..;",
        "a local is a plain name",
        "write one `let name = ..;` for each value",
        "let (x, y) = a.level[v];",
    ),
    form(
        "let without a value",
        Code::LocalWithoutValue,
        "let x;",
        "a local starts with a value",
        "write `let name = ..;`",
        "let x; x = 3u32;",
    ),
    form(
        "?",
        Code::NotInLanguage,
        "x?",
        "there is no `?`: nothing in a body can fail",
        "leave it out; atomics return the old value itself",
        "let x = a.count[v].swap(1)?;",
    ),
    form(
        "closure",
        Code::Closure,
        "|x| x + 1",
        "there are no closures",
        "write a helper with `#[gts_fn]`, or the expression itself",
        "let f = |x| x + 1;",
    ),
    form(
        "tuple",
        Code::Aggregate,
        "(x, y)",
        "there are no tuples",
        "use one local for each value, or an array",
        "let x = (1u32, 2u32);",
    ),
    form(
        "struct",
        Code::Aggregate,
        "Point { x, y }",
        "there are no structs besides the attributes",
        "use one local for each value",
        "let x = Point { x: 1 };",
    ),
    form(
        "&",
        Code::Reference,
        "&x, &mut x",
        NO_REFERENCES,
        "copy the value, or index the attribute where it is used",
        "let x = &a.level[v];",
    ),
    form("dereference", Code::Reference, "*x", NO_REFERENCES, THE_VALUE, "let x = *a.level[v];"),
    form(
        "range as a value",
        Code::Iteration,
        "let r = 0..n;",
        "a range stands only in `for i in 0..n`",
        "compare with `<` and `>=`",
        "let r = 0..4u32;",
    ),
    form(
        "range without an end",
        Code::Iteration,
        "for i in 0.. { .. }",
        "this range has no end or no start",
        "write `for i in 0..n`",
        "for i in 0u32.. { break; }",
    ),
    form(
        "iterator",
        Code::Iteration,
        "for x in list { .. }",
        "a loop runs over a range of integers",
        "write `for i in 0..n` and index with `i`",
        "for x in [1u32, 2] { activate(v); }",
    ),
    form(
        "loop over neighbours",
        Code::NeighborsOutside,
        "for w in v.neighbors() { .. }",
        "neighbours are reduced, and not walked by a loop",
        "in a `#[gts_kernel(gather)]` write `let x = v.neighbors().sum(|dst| ..);`; a `scan` runs for every edge",
        "for w in v.neighbors() { a.count[v] += 1; }",
    ),
    form(
        "label",
        Code::LoopLabel,
        "'outer: loop { .. }",
        "loops have no labels here",
        "leave a loop with a `bool` that its condition asks",
        "'outer: loop { break; }",
    ),
    form(
        "value of a loop",
        Code::NoValue,
        "break x;",
        "`break` carries no value",
        "store it in a `let mut` before the loop",
        "loop { break 3; }",
    ),
    form(
        "unsafe",
        Code::NotInLanguage,
        "unsafe { .. }",
        "there is no `unsafe`",
        "leave it out",
        "unsafe { activate(v); }",
    ),
    form(
        "async",
        Code::NotInLanguage,
        "async { .. }, x.await",
        "nothing here can wait",
        "leave it out",
        "let x = a.level[v].await;",
    ),
    form(
        "const block",
        Code::NestedItem,
        "const { .. }",
        "a body has no constant blocks",
        "write a constant with `#[gts_const]`",
        "let x = const { 3u32 };",
    ),
    form(
        "item in a body",
        Code::NestedItem,
        "fn f() { .. }",
        "items cannot stand in a body",
        "move it out, with `#[gts_fn]` or `#[gts_const]` on it",
        "fn f() {}",
    ),
    form(
        "turbofish",
        Code::GenericPath,
        "x.into::<u64>()",
        "methods take no types",
        "leave it out; types are inferred",
        "let x = a.count[v].fetch_add::<u64>(1);",
    ),
    form(
        "trait path",
        Code::GenericPath,
        "<u32 as Trait>::CONST",
        "paths cannot name a trait's items",
        "call the method on the value",
        "let x = <u32 as Default>::DEFAULT;",
    ),
    form(
        "///",
        Code::AttributeInBody,
        "/// text",
        "a body has no doc comments",
        "write the comment with `//`",
        "/// Activates.\nactivate(v);",
    ),
    form(
        "cfg",
        Code::ConditionalCode,
        "#[cfg(feature = \"x\")]",
        "`#[cfg]` cannot stand here: a macro cannot ask which features are on",
        "write two functions, each under its own `#[cfg]`",
        "#[cfg(test)] activate(v);",
    ),
    form(
        "string",
        Code::TextLiteral,
        "\"text\"",
        "there are no strings",
        "use a number; the host can give it a name",
        "let x = \"text\";",
    ),
    form(
        "character",
        Code::TextLiteral,
        "'x'",
        "this literal is not part of the language",
        "write a number, `true` or `false`",
        "let x = 'x';",
    ),
    form("macro", Code::MacroCall, "name!(..)", NO_MACROS, TO_THE_HOST, "name!(3);"),
    form("println!", Code::MacroCall, "println!(..)", NO_MACROS, TO_THE_HOST, "println!(\"{}\", a.level[v]);"),
    form("dbg!", Code::MacroCall, "dbg!(x)", NO_MACROS, TO_THE_HOST, "dbg!(a.level[v]);"),
    form("assert_eq!", Code::MacroCall, "assert_eq!(x, y)", NO_MACROS, ASSERT, "assert_eq!(a.level[v], 0);"),
    form("debug_assert!", Code::MacroCall, "debug_assert!(c)", NO_MACROS, ASSERT, "debug_assert!(a.level[v] > 0);"),
    form("panic!", Code::MacroCall, "panic!(..)", NO_MACROS, ASSERT, "panic!();"),
    form("vec!", Code::MacroCall, "vec![0; n]", NO_MACROS, FIXED_ARRAY, "let x = vec![0u32; 3];"),
    form("Vec", Code::UnknownName, "Vec::new()", UNKNOWN, FIXED_ARRAY, "let x = Vec::new();"),
    form("Box", Code::UnknownName, "Box::new(x)", UNKNOWN, FIXED_ARRAY, "let x = Box::new(3u32);"),
    form(
        "HashMap",
        Code::UnknownName,
        "HashMap::new()",
        UNKNOWN,
        "count in an array attribute, or reduce neighbours by `mode`",
        "let x = HashMap::new();",
    ),
    form("Some", Code::UnknownName, "Some(x)", UNKNOWN, THE_VALUE, "let x = Some(3u32);"),
    form("Ok", Code::UnknownName, "Ok(x)", UNKNOWN, THE_VALUE, "let x = Ok(3u32);"),
    form("Err", Code::UnknownName, "Err(x)", UNKNOWN, THE_VALUE, "let x = Err(3u32);"),
    form("None", Code::UnknownName, "None", UNKNOWN, "write `UNREACHED` for a value that is missing", "let x = None;"),
    form("usize", Code::UnknownType, "usize", NO_TYPE, WIDE, "let x: usize = 3;"),
    form("u128", Code::UnknownType, "u128", NO_TYPE, WIDE, "let x: u128 = 3;"),
    form("isize", Code::UnknownType, "isize", NO_TYPE, SIGNED, "let x: isize = 3;"),
    form("i8", Code::UnknownType, "i8", NO_TYPE, SIGNED, "let x: i8 = 3;"),
    form("i16", Code::UnknownType, "i16", NO_TYPE, SIGNED, "let x: i16 = 3;"),
    form("i128", Code::UnknownType, "i128", NO_TYPE, SIGNED, "let x: i128 = 3;"),
    form("char", Code::UnknownType, "char", NO_TYPE, "write u32", "let x: char = 3;"),
    form(
        "String",
        Code::UnknownType,
        "String, str",
        NO_TYPE,
        "use a number; the host can give it a name",
        "let x: String = 3;",
    ),
];

const NEIGHBOURS: &str = "did you mean `neighbors`? It stands in a `#[gts_kernel(gather)]`";
const INDEXED: &str = "write `for i in 0..n`, and index the array with `i`";
const POWER: &str = "multiply in a loop, or write `1 << n` for a power of 2";
const UNCHECKED: &str = "write the operator: a result that does not fit ends the run with a fault; `wrapping_*` and \
     `saturating_*` never do";
const PLAIN: &str = "leave it out: values are plain, and copied";

/// Returns the row of a method of iterators. The error points to the first call of the chain.
const fn iterator(name: &'static str, syntax: &'static str, body: &'static str) -> LanguageRow {
    let row = method(name, Anything, syntax, INDEXED, body);
    LanguageRow { meaning: NO_ITERATORS, ..row }.code(Code::Iteration)
}

/// Returns the row of a method that users may write instead of `neighbors`.
const fn neighbours(name: &'static str, syntax: &'static str, body: &'static str) -> LanguageRow {
    let row = method(name, Vertex, syntax, NEIGHBOURS, body);
    LanguageRow { meaning: "only a gather kernel has the neighbours of a vertex", ..row }.code(Code::NeighborsOutside)
}

pub(super) const METHODS: &[LanguageRow] = &[
    neighbours("neighbours", "v.neighbours()", "let x = v.neighbours().count(|dst| true);"),
    neighbours("out_neighbors", "v.out_neighbors()", "let x = v.out_neighbors().count(|dst| true);"),
    neighbours("out_neighbours", "v.out_neighbours()", "let x = v.out_neighbours().count(|dst| true);"),
    neighbours("in_neighbors", "v.in_neighbors()", "let x = v.in_neighbors().count(|dst| true);"),
    neighbours("in_neighbours", "v.in_neighbours()", "let x = v.in_neighbours().count(|dst| true);"),
    neighbours("edges", "v.edges()", "let x = v.edges().count(|dst| true);"),
    iterator("iter", "list.iter()", "let x = a.classes[v].iter().sum();"),
    iterator("iter_mut", "list.iter_mut()", "a.classes[v].iter_mut();"),
    iterator("into_iter", "list.into_iter()", "let x = a.classes[v].into_iter().max();"),
    method(
        "len",
        Array,
        "list.len()",
        "write N: the length of an array is in its type",
        "let list = [0u32; 3]; let x = list.len();",
    ),
    method("degree", Vertex, "v.degree()", "write `out_degree` or `in_degree`", "let x = v.degree();"),
    method(
        "degree",
        Anything,
        "x.degree()",
        "write `out_degree` or `in_degree`, which are methods of vertices",
        "let x = a.level[v].degree();",
    ),
    method("exp2", Float, "x.exp2()", "write `2.0f32.powf(x)`", "let x = a.next[v].exp2();"),
    method("pow", Float, "x.pow(n)", "write `x.powi(n)`, or `x.powf(y)`", "let x = a.next[v].pow(2);"),
    method("pow", Integer, "x.pow(n)", POWER, "let x = a.bits[v].pow(2);"),
    method("powi", Integer, "x.powi(n)", POWER, "let x = a.bits[v].powi(2);"),
    method("powf", Integer, "x.powf(y)", POWER, "let x = a.bits[v].powf(2.0);"),
    method("log", Float, "x.log(base)", "write `x.ln() / base.ln()`", "let x = a.next[v].log(2.0);"),
    method("log2", Float, "x.log2()", "write `x.ln() / 2.0f32.ln()`", "let x = a.next[v].log2();"),
    method("log10", Float, "x.log10()", "write `x.ln() / 10.0f32.ln()`", "let x = a.next[v].log10();"),
    method(
        "ilog2",
        Integer,
        "x.ilog2()",
        "write `31 - x.leading_zeros()` for a u32 above 0, `63 - ..` for a u64",
        "let x = a.bits[v].ilog2();",
    ),
    method("tan", Float, "x.tan()", "write `x.sin() / x.cos()`", "let x = a.next[v].tan();"),
    method("hypot", Float, "x.hypot(y)", "write `(x * x + y * y).sqrt()`", "let x = a.next[v].hypot(2.0);"),
    method(
        "mul_add",
        Float,
        "x.mul_add(y, z)",
        "write `x * y + z`: it rounds twice, on every device alike",
        "let x = a.next[v].mul_add(2.0, 1.0);",
    ),
    method("recip", Float, "x.recip()", "write `1.0 / x`", "let x = a.next[v].recip();"),
    method("round", Float, "x.round()", "write `(x + 0.5).floor()` for a number above 0", "let x = a.next[v].round();"),
    method(
        "trunc",
        Float,
        "x.trunc()",
        "write `if x < 0.0 { x.ceil() } else { x.floor() }`",
        "let x = a.next[v].trunc();",
    ),
    method(
        "signum",
        Anything,
        "x.signum()",
        "compare with 0, as in `if x < 0.0 { -1.0 } else { 1.0 }`",
        "let x = a.next[v].signum();",
    ),
    method("is_finite", Float, "x.is_finite()", "write `x.abs() < f32::INFINITY`", "let x = a.next[v].is_finite();"),
    method(
        "is_infinite",
        Float,
        "x.is_infinite()",
        "write `x.abs() == f32::INFINITY`",
        "let x = a.next[v].is_infinite();",
    ),
    method(
        "clamp",
        Anything,
        "x.clamp(least, most)",
        "write `x.max(least).min(most)`",
        "let x = a.bits[v].clamp(1, 2);",
    ),
    method("abs_diff", Integer, "x.abs_diff(y)", "write `x.max(y) - x.min(y)`", "let x = a.bits[v].abs_diff(2);"),
    method("checked_add", Integer, "x.checked_add(y)", UNCHECKED, "let x = a.bits[v].checked_add(2);"),
    method("checked_sub", Integer, "x.checked_sub(y)", UNCHECKED, "let x = a.bits[v].checked_sub(2);"),
    method("checked_mul", Integer, "x.checked_mul(y)", UNCHECKED, "let x = a.bits[v].checked_mul(2);"),
    method("overflowing_add", Integer, "x.overflowing_add(y)", UNCHECKED, "let x = a.bits[v].overflowing_add(2);"),
    method(
        "rem_euclid",
        Integer,
        "x.rem_euclid(y)",
        "write `(x % y + y) % y` for a divisor above 0",
        "let x = a.signed[v].rem_euclid(2);",
    ),
    method(
        "is_power_of_two",
        Integer,
        "x.is_power_of_two()",
        "write `x.count_ones() == 1`",
        "let x = a.bits[v].is_power_of_two();",
    ),
    method(
        "rotate_left",
        Integer,
        "x.rotate_left(n)",
        "write `x << n | x >> (32 - n)`, for a u32 and `n` from 1 to 31",
        "let x = a.bits[v].rotate_left(3);",
    ),
    method("load", Anything, "x.load(order)", "read the attribute: `a.name[v]`", "let x = a.count[v].load();"),
    method("store", Anything, "x.store(y, order)", "write `a.name[v] = y`", "let x = a.count[v].store(3);"),
    method(
        "fetch_update",
        Anything,
        "x.fetch_update(..)",
        "write `fetch_add`, `fetch_min` or `fetch_max`, or a loop of `compare_exchange`",
        "let x = a.count[v].fetch_update(3);",
    ),
    method("unwrap", Anything, "x.unwrap()", PLAIN, "let x = a.count[v].swap(1).unwrap();"),
    method("clone", Anything, "x.clone()", PLAIN, "let x = a.count[v].clone();"),
    method("into", Anything, "x.into()", "convert it by `as`", "let x: u64 = a.level[v].into();"),
];
