//! Errors in the kinds, settings and signatures of kernels, and in the signatures of helpers.

macro_rules! kernels {
    ([$next:ident $($later:ident)*] $($rows:tt)*) => { $next! { [$($later)*] $($rows)*

    401 KernelKindWord "A kernel without exactly one kind"
        "`#[gts_kernel(..)]` names the kind of the kernel, which states what the body runs for. The kinds are `scan` \
         (each edge), `traverse` (each edge of an active vertex), `vertex` (each vertex), `gather` (a vertex and its \
         neighbours), `priority` (a vertex, to rank it) and `intersect` (the common neighbours of two vertices with an \
         edge). Settings such as `technique`, `racy` and `ordered` follow the kind."
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
        "A kernel visits out-edges (`out`, the default), in-edges (`in`), or both (`both`)."
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
        "A technique determines how a GPU divides the edges of a page among threads. The message suggests a technique \
         or lists all of them. A virtual warp, as in `edge8`, has 2, 4, 8, 16, 32 or 64 lanes. Without the setting, \
         the planner chooses a technique."
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
        "Kernels that visit edges or neighbours have a direction. Of these kernels, `intersect` kernels have no \
         technique. `ordered` belongs to `intersect` kernels of one direction, which then visit each triangle once."
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
        "Kernels and helpers are plain functions. `async`, `unsafe` and `extern` have no meaning on a GPU. A kernel is \
         not `const` either."
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
        "A kernel has at most one type parameter, which is the type parameter of its struct. The struct lists the \
         possible types, so a kernel has no lifetimes, constant parameters or `where` clauses."
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
        "The first parameter is the attribute struct. An edge kernel then has `src`, `dst` and optionally `e: Edge`. A \
         vertex, gather or priority kernel has `v`. An `intersect` kernel has `u`, `v` and optionally `w` and `e: \
         Edge`. The types are `Vertex` and `Edge`, written by these names. To pass any other value, set a `#[param]` \
         from the host."
        r"
#[gts_kernel(vertex)]
fn reset(a: &mut A, v: Vertex, to: u32) {
    a.count[v] = 0;
}" => r"
#[gts_kernel(vertex)]
fn reset(a: &mut A, v: Vertex) {
    a.count[v] = a.limit;
}";

    408 AttributesParameter "A first parameter that is not an attribute struct by `&mut`"
        "The first parameter of a kernel is its attribute struct by mutable reference, as in `a: &mut A`. On every \
         device, each access to an attribute becomes a load, a store or an atomic update."
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
        "`#[gts_attributes]` passes the fields of a struct to the kernels that use it. The name in this signature is a \
         `#[gts_fn]` or a `#[gts_const]` instead."
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
        "If the struct has a type parameter, the kernel has the same one, `fn kernel<T>(a: &mut Rank<T>, ..)`, or \
         names one of the listed types, `&mut Rank<f32>`. If the struct has no type parameter, the kernel has none \
         either."
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
        "A helper with `#[gts_fn]` has named parameters and returns a value. It is not generic, because it becomes one \
         function of CUDA C. Write one helper for each type."
        r"
#[gts_fn]
fn twice(x: u32) {
    let y = x + x;
}" => r"
#[gts_fn]
fn twice(x: u32) -> u32 {
    x + x
}";

    412 PlainValue "A helper or constant of an unsupported type"
        "Parameters and results of helpers, and constants, are numbers, conditions or VertexIds. A parameter may also \
         be a `Vertex`. The host and every device pass these values in the same way. The macro does not resolve type \
         aliases."
        r"
#[gts_fn]
fn length(text: &str) -> u32 {
    0
}" => r"
#[gts_fn]
fn length(digits: u32) -> u32 {
    digits
}";

    413 IntersectEdges "The edge of an `intersect` kernel that does not visit out-edges"
        "A `#[wa(per = edge)]` has a value for each out-edge. An `intersect` kernel with the parameter `e: Edge` \
         therefore visits out-edges, which is the default direction."
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
        "A `gather` kernel reduces the neighbours of its vertex exactly once, as in `let x = v.neighbors().sum(|u| \
         ..);`. If a kernel needs no neighbours, write a `vertex` kernel. For a second reduction, write a second \
         kernel."
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

    415 ReductionForm "A reduction of an unsupported form"
        "A reduction is the whole value of a `let` at the top level of the body. It consists of the neighbours of the \
         kernel's vertex, an optional filter, and one operation, as in `let x = v.neighbors().filter(|u| ..).sum(|u| \
         ..);`. Compute with the result after the reduction."
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
        "The reductions of neighbours are sum, min, max, or, and, any, all, count, argmin, argmax and mode."
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
        "A closure of a reduction has a parameter for the neighbour, `|u| ..`, and optionally one for the edge, `|u, \
         e| ..`. The parameters are plain names. A filter and the reduction after it use the same names."
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
        "Only guards (`if .. { return; }`) and `let`s may precede a reduction. They run while neighbours are gathered, \
         and values must not change during this time. Move other statements after the reduction."
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
        "The closures of a reduction change nothing, and neither do the guards and `let`s before it. A device may \
         evaluate them in any order, and more than once. Write attributes after the reduction, where no other thread \
         writes the attributes of this vertex."
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
        "`sum`, `max` and `argmax` reduce numbers. `min` and `argmin` reduce numbers or VertexIds, `or` and `and` \
         integers, and `any`, `all` and `count` conditions. `mode` reduces values of type u32, u64, i32, i64 or \
         VertexId."
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

    421 PriorityType "A priority that is not a number"
        "A `priority` kernel returns an integer or a float that states how near a vertex is. Smaller numbers are \
         nearer. A condition or a vertex has no such order."
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
        "A run evaluates priorities to select the vertices that are near. A priority only reads attributes: it neither \
         writes them nor activates a vertex. `racy` therefore has no meaning for it."
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
        "The value of a priority is the last expression of its body, because the macro builds three vertex kernels \
         from this value. A helper with `#[gts_fn]` may return early."
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
