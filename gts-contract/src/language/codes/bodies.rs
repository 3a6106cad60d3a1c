//! Errors in the syntax of items and bodies.

macro_rules! bodies {
    ([$next:ident $($later:ident)*] $($rows:tt)*) => { $next! { [$($later)*] $($rows)*

    1 Syntax "Syntax that the macro cannot parse"
        "rustc parses an item before it calls the macro, so this error means that the item uses syntax that is newer \
         than the macro. Rewrite the code at the reported location in older syntax.";

    2 WrongItem "A macro on the wrong kind of item"
        "`#[gts_attributes]` belongs on a struct, `#[gts_kernel]` and `#[gts_fn]` on a function, and `#[gts_const]` \
         on a constant."
        r"
#[gts_fn]
const NEXT: u32 = 1;" => r"
#[gts_const]
const NEXT: u32 = 1;";

    3 MacroArgument "An argument that the macro does not accept"
        "`#[gts_fn]` and `#[gts_const]` have no arguments except `crate = path`. This argument is for crates that \
         depend on `gts-graph` under another name. Its value is a path such as `other::gts`."
        r"
#[gts_fn(inline)]
fn next(x: u32) -> u32 {
    x + 1
}" => r"
#[gts_fn]
fn next(x: u32) -> u32 {
    x + 1
}";

    4 ConditionalCode "`#[cfg]` where a macro cannot evaluate it"
        "A macro cannot determine which features are enabled, so the CUDA C of every build would contain a field or \
         statement under `#[cfg]`. Write two items, each under its own `#[cfg]`: the compiler removes one of them \
         before the macro runs."
        r#"
#[gts_kernel(vertex)]
fn reset(a: &mut A, v: Vertex) {
    #[cfg(debug_assertions)]
    a.count[v] = 100;
}"# => r#"
#[cfg(debug_assertions)]
#[gts_kernel(vertex)]
fn reset(a: &mut A, v: Vertex) {
    a.count[v] = 100;
}

#[cfg(not(debug_assertions))]
#[gts_kernel(vertex)]
fn reset(a: &mut A, v: Vertex) {
    a.count[v] = 0;
}"#;

    5 AttributeInBody "An attribute or a doc comment in a body"
        "Statements, expressions and parameters have no attributes except `#[allow]` and `#[expect]`. A `///` comment \
         is a `#[doc]` attribute, so a comment in a body begins with `//`."
        "/// Begins again.\na.count[v] = 0;" => "// Begins again.\na.count[v] = 0;";

    6 NestedItem "An item in a body"
        "A body contains only statements. Declare functions and constants outside the body, with `#[gts_fn]` or \
         `#[gts_const]`, so that the macro can translate them to CUDA C."
        r"
#[gts_kernel(vertex)]
fn mark(a: &mut A, v: Vertex) {
    const MARK: u32 = 7;
    a.count[v] = MARK;
}" => r"
#[gts_const]
const MARK: u32 = 7;

#[gts_kernel(vertex)]
fn mark(a: &mut A, v: Vertex) {
    a.count[v] = MARK;
}";

    7 MacroCall "A macro call in a body"
        "The macro cannot see the code that another macro would produce, so it cannot translate that code to CUDA C. A \
         kernel cannot print: to pass a value to the host, write it to an attribute or a `#[global]`. The only macro \
         of the language is `assert!`."
        "println!(\"{}\", a.count[v]);" => "a.total += a.count[v] as u64;";

    8 Pattern "A pattern in a body"
        "A `let`, a loop counter and a parameter of a closure are plain names. `match`, `if let`, `let .. else` and \
         tuples need patterns, which CUDA C does not have. Compare with `==`, and write `if .. else if .. else`."
        "match a.count[v] {\n    0 => activate(v),\n    _ => {}\n}" => "if a.count[v] == 0 {\n    activate(v);\n}";

    9 LocalWithoutValue "A local without an initial value"
        "A local has an initial value, so that no device reads uninitialised memory."
        "let next;\nnext = a.count[v];\na.count[v] = next;" => "let next = a.count[v];\na.count[v] = next;";

    10 Reference "A reference or pointer in a body"
        "Bodies copy values. An attribute is in the memory of a device, and several threads update its elements at the \
         same time, so a body cannot borrow one. Index the attribute where the value is used."
        "let count = &mut a.count[v];\n*count = 0;" => "a.count[v] = 0;";

    11 Closure "A closure in a body"
        "Only the reduction of a `gather` kernel has closures. Elsewhere, write the expression itself, or a helper \
         with `#[gts_fn]`, which kernels can call."
        "let next = |x: u32| x + 1;" => r"
#[gts_fn]
fn next(x: u32) -> u32 {
    x + 1
}

#[gts_kernel(vertex)]
fn step_on(a: &mut A, v: Vertex) {
    a.count[v] = next(a.count[v]);
}";

    12 Aggregate "A tuple or struct in a body"
        "A local is a number, a condition, a vertex, or an array of such values. Use one local for each part of a \
         larger value."
        "let pair = (a.count[v], 1u32);" => "let count = a.count[v];\nlet more = 1u32;\na.count[v] = count + more;";

    13 TextLiteral "A string or character literal"
        "Literals are numbers, `true` and `false`. Kernels have no strings or characters: use a number, and let the \
         host map it to a name."
        "let name = \"root\";" => "let name = 1u32;\na.count[v] = name;";

    14 Iteration "A loop over something other than a range of integers"
        "A `for` loop runs over a range with a start and an end, such as `0..n`. There are no iterators: index an \
         array with the counter. A range is not a value, and appears only in a `for` loop."
        "let list = [1u32, 2, 3];\nfor x in list.iter() {\n    a.count[v] += x;\n}"
            => "let list = [1u32, 2, 3];\nfor i in 0..3 {\n    a.count[v] += list[i];\n}";

    15 NeighborsOutside "Neighbours outside a reduction"
        "Only a `gather` kernel can visit the neighbours of a vertex, and it reduces them to one value. A device may \
         divide the edges of a vertex among threads, so no thread visits the whole list. A `scan` or `traverse` kernel \
         runs once for each edge instead."
        "for u in v.neighbors() {\n    a.count[v] += a.count[u];\n}" => r"
#[gts_kernel(gather)]
fn around(a: &mut A, v: Vertex) {
    let sum = v.neighbors().sum(|u| a.count[u]);
    a.count[v] = sum;
}";

    16 LoopLabel "A labelled loop"
        "`break` and `continue` apply to the innermost loop. To leave an outer loop, let its condition test a `bool` \
         that the inner loop sets."
        "'outer: loop {\n    break 'outer;\n}" => "let mut more = true;\nwhile more {\n    more = false;\n}";

    17 GenericPath "Type arguments or a trait's path in a body"
        "The macro infers types, so a call has no type arguments. The methods are those of the kernel language, so a \
         path cannot name an item of a trait."
        "a.count[v].fetch_add::<u32>(1);" => "a.count[v].fetch_add(1);";

    18 NotInLanguage "An expression outside the kernel language"
        "The kernel language is the part of Rust that can be translated to CUDA C: numbers, conditions, arrays, `if`, \
         loops, attributes and helpers. It does not include `unsafe`, `async`, `?` and similar forms."
        "let x = a.count[v]?;\na.count[v] = x;" => "let x = a.count[v];\na.count[v] = x;";

    19 NoValue "An expression or block without a value"
        "Statements, loops, updates by `+=` and calls of `activate` have no value. An `if` without `else` has none \
         either. Write such a statement on its own line. If the value of a block is used, end the block with an \
         expression."
        "let x: u32 = if a.count[v] > 3 { 1 };" => "let x: u32 = if a.count[v] > 3 { 1 } else { 0 };\na.count[v] = x;";

    20 StatementInExpression "A statement within an expression"
        "A block within an expression can contain only its value. Bind the value with `let` first: the statements then \
         run before the expression on every device."
        "a.count[v] = 1 + { let x = 2; x };" => "let x = 2;\na.count[v] = 1 + x;";

    21 UnusedValue "An expression whose value is unused"
        "An expression without an effect is useful only for its value. Bind the value with `let`, store it, or remove \
         the expression."
        "a.count[v];" => "a.count[v] += 1;";

    22 OutsideLoop "`break` or `continue` outside a loop"
        "The body of a kernel runs once for each edge or vertex, and is not itself a loop. Write `return` to end the \
         body for this edge or vertex."
        "if a.count[v] == 0 {\n    break;\n}\nactivate(v);" => "if a.count[v] == 0 {\n    return;\n}\nactivate(v);";

    23 ReturnValue "A `return` that does not fit the signature"
        "A kernel returns nothing. It writes results to attributes, or to a `#[global]` that the host reads. A helper \
         with `#[gts_fn]` returns a value on every path."
        "if a.count[v] == 0 {\n    return 0;\n}\nactivate(v);" => "if a.count[v] == 0 {\n    return;\n}\nactivate(v);";

    24 StoreTarget "A store into something that cannot change"
        "A store changes an attribute, a `mut` local, or an element of a `mut` local array. Atomic updates such as \
         `fetch_add` change attributes only."
        "let mut x = a.count[v];\nx.fetch_add(1);" => "a.count[v].fetch_add(1);";

    25 Immutable "An assignment to an immutable local"
        "As in Rust, a local changes only if it is declared with `mut`. The vertex parameters of a kernel never change."
        "let x = a.count[v];\nx += 1;\na.count[v] = x;" => "let mut x = a.count[v];\nx += 1;\na.count[v] = x;";

    26 ArrayForm "An array with an invalid length or invalid elements"
        "The length of an array is a literal greater than 0, because a macro cannot see the value of a constant. The \
         elements are numbers, conditions or vertices, not arrays."
        "let list = [0u32; 4 + 4];" => "let list = [0u32; 8];\na.count[v] = list[3];";

    27 Recursion "A helper that calls itself"
        "On a GPU, each thread has a stack of fixed size, so a helper cannot call itself. Write a loop."
        r"
#[gts_fn]
fn half(x: u32) -> u32 {
    if x < 10 { x } else { half(x / 2) }
}" => r"
#[gts_fn]
fn half(x: u32) -> u32 {
    let mut x = x;
    while x >= 10 {
        x /= 2;
    }
    x
}";

    28 ConstantValue "A `#[gts_const]` whose value is not constant"
        "The value of a `#[gts_const]` consists of literals, limits, operators, casts and other such constants. Divide \
         only by a literal that is not 0, because the computation of a constant cannot fail."
        r"
#[gts_const]
const BITS: u32 = u32::MAX.count_ones();" => r"
#[gts_const]
const BITS: u32 = 32;";

    29 Assertion "An assertion of an unsupported form"
        "An assertion is `assert!(condition)` or `assert!(condition, value)`. If the condition is false, the run ends \
         with an error that contains the line, the value, and the vertex or edge. The value is evaluated only in this \
         case, so it must not update anything."
        "assert!(a.count[v] < 3, a.count[v].fetch_add(1));"
            => "let old = a.count[v].fetch_add(1);\nassert!(old < 3, old);";
    } };
}
