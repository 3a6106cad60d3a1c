//! Errors of names and types.

macro_rules! names {
    ([$next:ident $($later:ident)*] $($rows:tt)*) => { $next! { [$($later)*] $($rows)*

    201 UnknownType "A type outside the language"
        "The types of a body are u8, u16, u32, u64, i32, i64, f32, f64, bool, VertexId, Vertex, arrays such as `[u32; \
         4]`, and the type parameter of the struct. These types are the same on every device, but `usize` is not. The \
         macro does not resolve type aliases."
        "let x: usize = 3;" => "let x: u64 = 3;\na.count[v] = x as u32;";

    202 OpenType "A type that cannot be inferred"
        "The macro infers types from attributes, params and written types. If none of these determines the type of a \
         literal or local, write the type: CUDA C needs it, and there is no default."
        "let x = 1;" => "let x = 1u32;\na.count[v] = x;";

    203 Mismatch "Two types that differ"
        "As in Rust, both sides of an operator, an assignment or a comparison have the same type, and numbers are not \
         converted implicitly. Write the conversion: `x as u64`. A float literal has a decimal point, and an integer \
         literal has none."
        "a.count[v] = v.out_degree();" => "a.count[v] = v.out_degree() as u32;";

    204 OperandType "An operand of the wrong type"
        "Each operator and method supports certain types. Shifts need integers, `sqrt` and `exp` need floats, negation \
         needs a signed number, and other arithmetic needs numbers. Convert the operand first."
        "let root = a.count[v].sqrt();" => "let root = (a.count[v] as f32).sqrt();\na.count[v] = root as u32;";

    205 VertexAsNumber "A vertex used as a number"
        "A `Vertex` or a `VertexId` identifies a vertex and is not a number. Graphs may store it in 4 or 8 bytes. `v \
         as u64` is the dense number of the vertex, which is less than the number of vertices. `Vertex::new(n)` is the \
         vertex with the number `n`."
        "if v == 0 {\n    activate(v);\n}" => "if v as u64 == 0 {\n    activate(v);\n}";

    206 VertexFromNumber "A vertex made from something other than its number"
        "The argument of `Vertex::new` is the dense number of a vertex, as an integer or a `VertexId`."
        "let half = Vertex::new(0.5);\nactivate(half);" => "let half = Vertex::new(v as u64 / 2);\nactivate(half);";

    207 LiteralRange "A literal out of range"
        "The type of a literal must be able to represent its value. The message names the smallest and the largest \
         value of the type."
        "let x: u8 = 256;" => "let x: u16 = 256;\na.count[v] = x as u32;";

    208 LiteralType "An unknown suffix or limit"
        "A literal may have the suffix u8, u16, u32, u64, i32, i64, f32 or f64. Integer types have the limits `MAX` \
         and `MIN`. Float types also have `INFINITY` and `NEG_INFINITY`."
        "let x = 3usize;" => "let x = 3u64;\na.count[v] = x as u32;";

    209 UnreachedType "`UNREACHED` of a type that has none"
        "`UNREACHED` is the largest value of an integer type, infinity for a float type, and the VertexId that \
         represents no vertex. A condition has no such value."
        "let there: bool = UNREACHED;" => "let there = a.level[v] != UNREACHED;\nif there {\n    activate(v);\n}";

    210 Cast "A cast between types that do not convert"
        "`as` converts between numbers, and from a condition or a vertex to an integer. To get a condition from a \
         number, compare the number: `x != 0`."
        "let some = a.count[v] as bool;" => "let some = a.count[v] != 0;\nif some {\n    activate(v);\n}";

    211 CertainFault "An operation that always fails"
        "The operation fails for every edge or vertex. It divides by zero, shifts by the width of the type or more, or \
         indexes an array beyond its end. At run time, it would end the run with a fault."
        "a.count[v] = a.count[v] / 0;" => "a.count[v] = a.count[v] / 2;";

    212 RandomKey "An invalid key or draw of a random number"
        "A random number is a function of the seed, the step, a key and a draw, so every device computes the same \
         number. The key is a vertex, an edge or an integer, and the draw is an integer."
        "let x = random_f32(0.5, 0);" => "let x = random_f32(v, 0);\na.count[v] = (x * 8.0) as u32;";

    213 UnknownName "An unknown name"
        "A body may name its parameters and locals, the attributes of its struct, built-ins, and items with \
         `#[gts_fn]` or `#[gts_const]`. Other functions and constants have no CUDA C. To use a value of the host, \
         declare a `#[param]`. In a `#[gts_fn]` or `#[gts_const]`, rustc also reports a missing macro of this name, \
         because macros hand on the items."
        "a.count[v] = bound;" => "a.count[v] = a.limit;";

    214 CallForm "A function used as a value, or a value used as a function"
        "A function is not a value, and can only be called by its name. Only built-ins and functions with `#[gts_fn]` \
         can be called."
        "let x = 3u32;\na.count[v] = x(1);" => "let x = 3u32;\na.count[v] = x + 1;";

    215 UnknownAttribute "An unknown attribute"
        "A body can use the attributes of the struct that is the kernel's first parameter. The field must be visible \
         in the module of the kernel."
        "a.counts[v] += 1;" => "a.count[v] += 1;";

    216 UnknownMethod "An unknown method"
        "Numbers, vertices, edges and attributes have only the methods of the kernel language, which exist on every \
         device. The message suggests another method or lists the methods of this type."
        "let degree = v.degree();" => "let degree = v.out_degree();\na.count[v] = degree as u32;";

    217 ArgumentCount "The wrong number of arguments"
        "Each function and method has a fixed number of arguments."
        "a.count[v].fetch_add(1, 2);" => "a.count[v].fetch_add(1);";

    218 OnlyInKernels "A helper that uses a built-in of kernels"
        "The host can call a helper, too, and has no step, degrees, random numbers or active vertices. Pass the value \
         to the helper as an argument."
        r"
#[gts_fn]
fn later() -> u32 {
    step() + 1
}" => r"
#[gts_fn]
fn later(step_number: u32) -> u32 {
    step_number + 1
}";
    } };
}
