//! The macros of GTS: an attribute struct and its kernels, written once in Rust syntax, become a schema, native Rust
//! and CUDA C.
//!
//! The stages of a kernel: `parse` reads the user's source. The texts of other items that the kernel requires are
//! handed over (`expand`, `parse::handover`). `infer` builds the typed form of `ir`, `check` reports errors, and
//! `analyse` derives the facts for the planner. `emit` writes the result. Checks, analyses and writers use only the IR.

mod analyse;
mod check;
mod emit;
mod errors;
mod expand;
mod infer;
mod ir;
mod parse;
mod runtime;
mod words;

use proc_macro::TokenStream;

/// Makes a struct of attributes: one value per vertex, edge or pass, each with its kind and merge.
///
/// # Params
///
/// `#[param] damping: f32` is a value that kernels read and the host sets by `run.set_param(A::DAMPING, 0.85)`. With
/// `#[param(default = 0.85)]` the param has this value until the host sets another one. A default is written like the
/// initial value of a `#[wa]`; in an array, each element has this value. A pass whose kernel reads a param that has
/// neither been set nor has a default returns an error.
///
/// # Globals
///
/// `#[global(merge = sum)] moved: u64` is a value that kernels update and the host reads by `run.global(A::MOVED)`. A
/// pass first resets the globals that its kernel updates, each to the identity of its merge: 0 for a sum, the largest
/// value for a minimum. Other passes leave the value unchanged. Reading a global before any pass of a kernel that
/// updates it returns an error.
#[proc_macro_attribute]
pub fn gts_attributes(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::attributes(arguments.into(), item.into()).into()
}

/// Makes a kernel: a function that runs for every edge, every edge of the frontier, every vertex, or neighbours with an
/// edge between them, or that ranks vertices.
///
/// # Intersections
///
/// `#[gts_kernel(intersect)] fn k(a: &mut A, u: Vertex, v: Vertex, w: Vertex)` runs, by `run.intersect(k)`, for every
/// vertex `u` and every two neighbours `v` and `w` of `u` with an edge from `v` to `w`: `w` is in the lists of both
/// ends of the edge from `u` to `v`. Without `w` it runs for every neighbour `v` of `u`.
///
/// | written | neighbours of `u` | edge from `v` to `w` |
/// |---|---|---|
/// | `intersect` | along out-edges | an out-edge of `v` |
/// | `intersect(in)` | along in-edges | an in-edge of `v` |
/// | `intersect(both)` | along either | an out-edge of `v` |
///
/// Lists are sets: parallel edges count as one, and `u`, `v` and `w` are three different vertices, so that edges from a
/// vertex to itself do not count. On a symmetric graph the body runs six times per triangle. With `ordered`, as in
/// `#[gts_kernel(intersect, ordered)]`, it runs once: for out-degrees ascending from `u` to `v` to `w`, equal degrees
/// by vertex number. Such a kernel refuses graphs that are not symmetric. It searches long lists instead of walking
/// them.
///
/// A body reads `#[ra]` at `u` only, reads no edge values, and writes at its three vertices as an edge kernel does. It
/// may read any list, so all pages must be in memory: on a GPU, in device memory or in page-locked host memory.
///
/// # Values of edges
///
/// `#[wa(per = edge, init = 0, merge = sum)] support: u32` is a value per out-edge, a number or a `bool`. Intersecting
/// kernels update it when they find the edge: `intersect` (no other direction) takes `e: Edge` as its last parameter,
/// the edge from `u` to `v`, and writes `a.support[e] += 1`, or the operation of another merge except `any`. No kernel
/// reads such a value, nor the old value of an update. Of parallel edges only the first is updated; the others, and
/// edges from a vertex to itself, keep the initial value. `run.take_edges(A::SUPPORT)` returns the values in the order
/// of the edges of `Graph::edges`, `run.fill_edges` sets them.
///
/// # Vertices
///
/// A `Vertex` is `src`, `dst` or `v`, or `Vertex::new(n)` for a computed number `n`. An attribute stores a vertex as a
/// `VertexId`, which may be `UNREACHED`. A `Vertex` becomes a `VertexId` where one is expected: `a.parent[dst] = src`,
/// `a.parent[v].fetch_min(dst)`, `v == a.parent[v]`. `v as u64` is the dense number of either. A `VertexId` is an index,
/// as in `a.label[a.parent[v]]`. An index that is no vertex of the graph ends the run with an error, as does
/// `Vertex::new`. `v.id()` is the ID of `v`, for a local without a type. A `#[gts_fn]` takes both types.
///
/// # Integer arithmetic
///
/// A body means what the same text means in Rust with overflow checks: where Rust would panic, the run ends with
/// `Error::Fault`, in every build and on every device. This holds for `+`, `-`, `*`, negation and `abs` beyond the type,
/// `/` and `%` by zero, shifts by the width of the type or more, and indices out of range. `wrapping_add`,
/// `saturating_add` and their kind never fault; on floats, `saturating_add` is `+`. `as` saturates, and NaN becomes 0.
/// Updates of attributes and globals (`+=`, `fetch_add`) and the sum of a `gather` are not checked: they wrap.
///
/// The error names the kind, the line and column, the value, and the vertex or edge by original IDs. If several vertices
/// or edges fault in a pass, it is the first one in the source, and of these the one with the smallest `src` or `v`, then
/// `dst`, by dense number. A fault counts only where the text would evaluate the expression, whatever the device
/// computes in advance. Checks that cannot fail cost nothing: the macro removes them if literals, degrees, `step()`,
/// `%`, `&`, `>>` or a comparison on the same path bound the operands.
///
/// # Values that are missing
///
/// `UNREACHED` is the largest integer of its type, and not a number for arithmetic. So `+`, `-`, `*`, `/` and `%` are
/// refused on values read from an integer attribute that begins as `UNREACHED`, or as the largest integer if it merges
/// by `min` or `any`, also through locals and casts, unless a comparison on the same path excludes it: `!= UNREACHED`, or any comparison that
/// is false for the largest integer, such as `a.level[src] < a.level[dst]`. The comparison must name the same place, or
/// a local that holds the value. `src` of a `traverse` needs none: an active vertex has a value. Arguments of a
/// `#[gts_fn]` are not tracked.
///
/// `x.saturating_add(1)` leaves `UNREACHED` unchanged.
///
/// # Names
///
/// The first two vertices of a kernel for edges are the source and the target of the walk, whatever their names. Naming
/// the first one `dst` or the second one `src` is refused. Locals, functions and constants may have any name except
/// those of the language (`step`, `UNREACHED`, ..), and no name begins with `gts_`. A kernel may name the attributes
/// that rustc would let the kernel's module name.
///
/// # Places in lists
///
/// `e.position()` is the position of an edge in the list of `src`, a u64 from 0; lists ascend by the dense number of
/// `dst`. A scan that reads the position does not pull. `run.neighbours(..2).scan(kernel)` visits only the edges at the
/// given positions.
/// | kind | signature | runs for |
/// |---|---|---|
/// | `scan`, `scan(in)`, `scan(both)` | `(a: &mut A, src: Vertex, dst: Vertex)`, perhaps `e: Edge` | every edge |
/// | `traverse`, also `(in)`, `(both)` | the same | every edge of every active vertex |
/// | `vertex` | `(a: &mut A, v: Vertex)` | every vertex, or every active one |
/// | `gather`, also `(in)`, `(both)` | `(a: &mut A, v: Vertex)` | every vertex, or every active one, with its neighbours |
/// | `priority` | `(a: &mut A, v: Vertex) -> u32` | the vertices that a traversal might take next |
///
/// A `gather` kernel has one `let x = v.neighbors().sum(|dst| ..);` in its body, optionally with `.filter(|dst| ..)`,
/// and one of `sum`, `min`, `max`, `or`, `and`, `any`, `all`, `count`, `argmin`, `argmax` and `mode`. Guards and `let`s
/// precede it; the statements after it run with the result. Neighbours have their values from before the pass.
///
/// A `priority` returns how near a vertex is, as a number of any type but `bool` and `VertexId`; smaller is nearer.
/// `run.traverse_near(traverse, priority, width)` lets near vertices step first. A priority may read the same values as
/// a vertex kernel, and changes nothing. Its value is the last expression, after `let`s and other statements.
///
/// # Another name of the runtime
///
/// Emitted code names the crate `gts_runtime`. A crate that depends on it by another name, or through a crate that
/// re-exports it, passes the path: `#[gts_kernel(scan, crate = graphs)]`, `#[gts_attributes(crate = other::gts)]`,
/// `#[gts_fn(crate = graphs)]` and `#[gts_const(crate = graphs)]`.
///
/// # Random numbers
///
/// | call | value |
/// |---|---|
/// | `random(key, draw)` | 64 random bits, u64 |
/// | `random_f32(key, draw)`, `random_f64(key, draw)` | a number from 0 to below 1, of 24 or 53 bits |
/// | `random_below(key, draw, bound)` | a u64 from 0 to below the bound; 0 where that is 0 |
///
/// A number is a function of the seed (`Engine::builder().seed(..)`, `run.set_seed(..)`), `step()`, the number of
/// earlier runs of the kernel in this step, the key and the draw, an integer that distinguishes the draws of one key in
/// one pass. The key is a vertex, by its dense number; an edge, by the numbers of `src` and `dst`, so that parallel edges
/// draw the same number; or any integer. Device, technique, page size and number of devices have no influence. The
/// probabilities of two results of `random_below` differ by at most bound / 2^64, relative to their mean.
///
/// The number of earlier runs is 0 when the kernel first runs in a step, so a loop of scans draws other numbers in each
/// iteration. `run.set_step(..)` sets it to 0 for all kernels and steps. A priority draws the numbers of the next step
/// of the traversal. These lines compute the bits of `random(v, draw)` for the dense number `v` of a vertex:
///
/// ```
/// fn bits(seed: u64, step: u32, runs: u32, v: u64, draw: u64) -> u64 {
///     let mut state = 0;
///     for number in [seed, u64::from(runs) << 32 | u64::from(step), v, u64::MAX, draw] {
///         let z = (state ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
///         let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
///         let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
///         state = z ^ z >> 31;
///     }
///     state
/// }
/// assert_eq!(bits(7, 0, 0, 3, 0), 0x739b_7ea0_4762_5bef);
/// ```
///
/// The numbers of an edge's key are those of `src` and `dst`, and the numbers of an integer's key are the integer and
/// `u64::MAX - 1`, instead of `v` and `u64::MAX`.
#[proc_macro_attribute]
pub fn gts_kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::kernel(arguments.into(), item.into()).into()
}

/// Makes a function callable from kernels.
#[proc_macro_attribute]
pub fn gts_fn(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::function(arguments.into(), item.into()).into()
}

/// Makes a constant available to kernels.
#[proc_macro_attribute]
pub fn gts_const(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::constant(arguments.into(), item.into()).into()
}

/// Passes the text of one item to another; internal.
#[doc(hidden)]
#[proc_macro]
pub fn proceed(input: TokenStream) -> TokenStream {
    expand::proceed_with(input.into()).into()
}
