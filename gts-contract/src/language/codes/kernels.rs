//! Errors of the settings and signatures of kernels and helpers, and of the kinds of kernels.

macro_rules! kernels {
    ([$next:ident $($later:ident)*] $($rows:tt)*) => { $next! { [$($later)*] $($rows)*

    401 KernelKindWord "A kernel without exactly one kind"
        "The first word of `#[gts_kernel(..)]` states for what the body runs: `scan` (each edge), `traverse` (each \
         edge of an active vertex), `vertex`, `gather` (a vertex and its neighbours), `priority` or `intersect` \
         (pairs of lists). Settings such as `technique`, `racy` and `ordered` follow it."
        r"
#[gts_kernel]
fn count(a: &mut A, src: Vertex, dst: Vertex) {
    a.count[dst] += 1;
}" => r"
#[gts_kernel(scan)]
fn count(a: &mut A, src: Vertex, dst: Vertex) {
    a.count[dst] += 1;
}";

    402 KernelDirection "An unknown direction"
        "A kernel walks out-edges (`out`, the default), in-edges (`in`), or both (`both`)."
        r"
#[gts_kernel(scan(back))]
fn count(a: &mut A, src: Vertex, dst: Vertex) {
    a.count[dst] += 1;
}" => r"
#[gts_kernel(scan(in))]
fn count(a: &mut A, src: Vertex, dst: Vertex) {
    a.count[dst] += 1;
}";

    403 UnknownTechnique "An unknown technique"
        "A technique states how a GPU shares the edges of a page among threads. The message names all of them; a \
         virtual warp has 2, 4, 8, 16, 32 or 64 lanes. Without the setting the planner chooses."
        r"
#[gts_kernel(scan, technique = edge3)]
fn count(a: &mut A, src: Vertex, dst: Vertex) {
    a.count[dst] += 1;
}" => r"
#[gts_kernel(scan, technique = edge4)]
fn count(a: &mut A, src: Vertex, dst: Vertex) {
    a.count[dst] += 1;
}";

    404 SettingOfKind "A setting that this kind of kernel does not have"
        "A direction and a technique belong to kernels that walk the edges of a page. `ordered` belongs to \
         `intersect` kernels of one direction, in which it visits each triangle once."
        r"
#[gts_kernel(vertex(in))]
fn reset(a: &mut A, v: Vertex) {
    a.count[v] = 0;
}" => r"
#[gts_kernel(vertex)]
fn reset(a: &mut A, v: Vertex) {
    a.count[v] = 0;
}";

    405 PlainFunction "A function with qualifiers"
        "Kernels and helpers are plain functions. `const`, `async`, `unsafe`, `extern` and variadic arguments have no \
         meaning on a GPU."
        r"
#[gts_kernel(vertex)]
unsafe fn reset(a: &mut A, v: Vertex) {
    a.count[v] = 0;
}" => r"
#[gts_kernel(vertex)]
fn reset(a: &mut A, v: Vertex) {
    a.count[v] = 0;
}";

    406 KernelGenerics "Generics that a kernel cannot have"
        "A kernel has at most one type parameter, that of its struct, and the struct lists its types. Lifetimes, \
         constants, bounds and `where` clauses have no use."
        r"
#[gts_kernel(vertex)]
fn reset<const N: u32>(a: &mut A, v: Vertex) {
    a.count[v] = 0;
}" => r"
#[gts_kernel(vertex)]
fn reset(a: &mut A, v: Vertex) {
    a.count[v] = 0;
}";

    407 KernelParameters "Parameters that do not fit the kind of kernel"
        "The parameters are the attribute struct and what the kernel runs for, in this order: `src` and `dst` of an \
         edge kernel, perhaps with `e: Edge`; `v` of a vertex, gather or priority kernel; `u`, `v` and perhaps `w` of \
         an `intersect` kernel. Their types are the plain `Vertex` and `Edge`, by these names. Everything else is an \
         attribute: the host passes values in a `#[param]`."
        r"
#[gts_kernel(vertex)]
fn reset(a: &mut A, v: Vertex, to: u32) {
    a.count[v] = 0;
}" => r"
#[gts_kernel(vertex)]
fn reset(a: &mut A, v: Vertex) {
    a.count[v] = a.limit;
}";

    408 AttributesParameter "A first parameter that is no attribute struct by `&mut`"
        "The first parameter of a kernel is its attribute struct, as `a: &mut A`. The form is that of a function that \
         changes the attributes; on every device each access becomes a load, a store or an atomic update."
        r"
#[gts_kernel(vertex)]
fn reset(a: A, v: Vertex) {
    a.count[v] = 0;
}" => r"
#[gts_kernel(vertex)]
fn reset(a: &mut A, v: Vertex) {
    a.count[v] = 0;
}";

    409 NoAttributeStruct "A struct without `#[gts_attributes]`"
        "The struct of a kernel passes its fields to the macro through `#[gts_attributes]`. This name belongs to a \
         helper or constant of GTS instead."
        r"
#[gts_const]
const LIMIT: u32 = 3;

#[gts_kernel(vertex)]
fn reset(a: &mut LIMIT, v: Vertex) {
    a.count[v] = 0;
}" => r"
#[gts_kernel(vertex)]
fn reset(a: &mut A, v: Vertex) {
    a.count[v] = 0;
}";

    410 TypeOfStruct "A type argument that does not fit the struct"
        "A kernel of a struct with a type parameter either has the same parameter, `fn kernel<T>(a: &mut Rank<T>, \
         ..)`, or names one of the listed types, `&mut Rank<f32>`. A kernel of a struct without a type parameter has \
         neither."
        r"
#[gts_attributes(T = f32 | f64)]
struct Rank<T> {
    #[wa(init = 0.0, merge = sum)]
    rank: T,
}

#[gts_kernel(vertex)]
fn reset(r: &mut Rank<u32>, v: Vertex) {
    r.rank[v] = 0.0;
}" => r"
#[gts_attributes(T = f32 | f64)]
struct Rank<T> {
    #[wa(init = 0.0, merge = sum)]
    rank: T,
}

#[gts_kernel(vertex)]
fn reset<T>(r: &mut Rank<T>, v: Vertex) {
    r.rank[v] = 0.0;
}";

    411 HelperSignature "A signature that a helper cannot have"
        "A helper with `#[gts_fn]` has named parameters, returns a value and is not generic, because its text becomes \
         one function of CUDA C. Write one helper for each type."
        r"
#[gts_fn]
fn twice(x: u32) {
    let y = x + x;
}" => r"
#[gts_fn]
fn twice(x: u32) -> u32 {
    x + x
}";

    412 PlainValue "A helper or constant of a type that is no plain value"
        "Helpers take and return numbers, conditions and vertices, and constants are numbers or conditions. The host \
         and every device pass these values in the same way. The macro does not see through a type alias."
        r"
#[gts_fn]
fn length(text: &str) -> u32 {
    0
}" => r"
#[gts_fn]
fn length(digits: u32) -> u32 {
    digits
}";

    413 IntersectEdges "Edge values of edges other than out-edges"
        "Results per edge belong to out-edges. An `intersect` kernel with the parameter `e: Edge` therefore walks \
         out-edges, which is its direction if none is written."
        r"
#[gts_attributes]
struct Support {
    #[wa(per = edge, init = 0, merge = sum)]
    support: u32,
}

#[gts_kernel(intersect(both))]
fn count(s: &mut Support, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    s.support[e] += 1;
}" => r"
#[gts_attributes]
struct Support {
    #[wa(per = edge, init = 0, merge = sum)]
    support: u32,
}

#[gts_kernel(intersect)]
fn count(s: &mut Support, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    s.support[e] += 1;
}";

    414 ReductionCount "A gather kernel without exactly one reduction"
        "A `gather` kernel reduces the neighbours of its vertex once, in `let x = v.neighbors().sum(|u| ..);`. A \
         device walks the list once for it. A kernel that needs no neighbours is a `vertex` kernel, and a second \
         reduction is a second kernel."
        r"
#[gts_kernel(gather)]
fn reset(a: &mut A, v: Vertex) {
    a.count[v] = 0;
}" => r"
#[gts_kernel(gather)]
fn around(a: &mut A, v: Vertex) {
    let sum = v.neighbors().sum(|u| a.count[u]);
    a.count[v] = sum;
}";

    415 ReductionForm "A reduction of another form"
        "A reduction is the whole value of a `let` in the body itself: the neighbours of the kernel's vertex, perhaps \
         a filter, and one operation, as in `let x = v.neighbors().filter(|u| ..).sum(|u| ..);`. Compute with the \
         result after the reduction."
        r"
#[gts_kernel(gather)]
fn around(a: &mut A, v: Vertex) {
    let sum = v.neighbors().sum(|u| a.count[u]) + 1;
    a.count[v] = sum;
}" => r"
#[gts_kernel(gather)]
fn around(a: &mut A, v: Vertex) {
    let sum = v.neighbors().sum(|u| a.count[u]);
    a.count[v] = sum + 1;
}";

    416 UnknownReducer "An unknown reduction"
        "Neighbours are reduced by one of sum, min, max, or, and, any, all, count, argmin, argmax, mode."
        r"
#[gts_kernel(gather)]
fn around(a: &mut A, v: Vertex) {
    let product = v.neighbors().product(|u| a.count[u]);
    a.count[v] = product;
}" => r"
#[gts_kernel(gather)]
fn around(a: &mut A, v: Vertex) {
    let sum = v.neighbors().sum(|u| a.count[u]);
    a.count[v] = sum;
}";

    417 ReductionClosure "A closure that does not fit the reduction"
        "The closures of a reduction take a neighbour, `|u| ..`, or a neighbour and its edge, `|u, e| ..`, as plain \
         names. A filter and the reduction after it use the same names."
        r"
#[gts_kernel(gather)]
fn around(a: &mut A, v: Vertex) {
    let degree = v.neighbors().count();
    a.count[v] = degree as u32;
}" => r"
#[gts_kernel(gather)]
fn around(a: &mut A, v: Vertex) {
    let some = v.neighbors().count(|u| a.count[u] > 0);
    a.count[v] = some as u32;
}";

    418 BeforeReduction "A statement before a reduction"
        "Guards (`if .. { return; }`) and `let`s may precede a reduction. They run while neighbours are gathered, \
         when the values from before the pass must not change. Move other statements after the reduction."
        r"
#[gts_kernel(gather)]
fn around(a: &mut A, v: Vertex) {
    a.count[v] = 0;
    let sum = v.neighbors().sum(|u| a.count[u]);
    a.count[v] += sum;
}" => r"
#[gts_kernel(gather)]
fn around(a: &mut A, v: Vertex) {
    let sum = v.neighbors().sum(|u| a.count[u]);
    a.count[v] = sum;
}";

    419 ReductionEffect "A reduction that changes something"
        "The guards, `let`s and closures of a reduction change nothing. A device may evaluate them in any order, and \
         more than once. Write attributes after the reduction, where the block has the vertex for itself."
        r"
#[gts_kernel(gather)]
fn around(a: &mut A, v: Vertex) {
    let sum = v.neighbors().sum(|u| a.count[u].fetch_add(1));
    a.count[v] = sum;
}" => r"
#[gts_kernel(gather)]
fn around(a: &mut A, v: Vertex) {
    let sum = v.neighbors().sum(|u| a.count[u]);
    a.count[v] = sum;
}";

    420 ReductionType "A reduction of values that it does not support"
        "`sum`, `min` and `max` reduce numbers, `or` and `and` bits, `any` and `all` conditions, and `mode` values \
         that can be told apart exactly, which excludes floats."
        r"
#[gts_kernel(gather)]
fn around(a: &mut A, v: Vertex) {
    let least = v.neighbors().min(|u| a.count[u] > 3);
    if least {
        activate(v);
    }
}" => r"
#[gts_kernel(gather)]
fn around(a: &mut A, v: Vertex) {
    let every = v.neighbors().all(|u| a.count[u] > 3);
    if every {
        activate(v);
    }
}";

    421 PriorityType "A priority that is no number"
        "A `priority` kernel returns how near a vertex is, as a number of any type: smaller is nearer. Conditions and \
         vertices have no such order."
        r"
#[gts_kernel(priority)]
fn near(a: &mut A, v: Vertex) -> bool {
    a.level[v] < 3
}" => r"
#[gts_kernel(priority)]
fn near(a: &mut A, v: Vertex) -> u32 {
    a.level[v]
}";

    422 PriorityEffect "A priority that changes something"
        "A priority is evaluated whenever the run decides which vertices are near. It reads attributes, and neither \
         writes them nor activates a vertex, so `racy` has no meaning for it."
        r"
#[gts_kernel(priority)]
fn near(a: &mut A, v: Vertex) -> u32 {
    a.count[v] += 1;
    a.level[v]
}" => r"
#[gts_kernel(priority)]
fn near(a: &mut A, v: Vertex) -> u32 {
    a.level[v]
}";

    423 PriorityReturn "A `return` in a priority"
        "The value of a priority is the last expression of its body, because the macro makes three vertex kernels of \
         it. A helper with `#[gts_fn]` may return early."
        r"
#[gts_kernel(priority)]
fn near(a: &mut A, v: Vertex) -> u32 {
    if a.level[v] < 3 {
        return 0;
    }
    a.level[v]
}" => r"
#[gts_kernel(priority)]
fn near(a: &mut A, v: Vertex) -> u32 {
    if a.level[v] < 3 { 0 } else { a.level[v] }
}";
    } };
}
