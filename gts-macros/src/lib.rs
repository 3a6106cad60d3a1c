//! The macros of GTS: an attribute struct and its kernels, written once in Rust syntax, become a schema, native Rust and
//! CUDA C.
//!
//! The way of a kernel: `parse` reads what the user wrote; what it needs of other items is handed over (`expand`,
//! `parse::handover`); `infer` makes the typed form of `ir` of it; `check` says what is wrong; `analyse` finds out what a
//! planner wants to know; `emit` writes. Checks, analyses and writers see the IR alone.

mod analyse;
mod check;
mod emit;
mod errors;
mod expand;
mod infer;
mod ir;
mod parse;

use proc_macro::TokenStream;

/// Makes a struct of attributes: one value a vertex, an edge or a pass, each with its kind and merge.
#[proc_macro_attribute]
pub fn gts_attributes(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::attributes(arguments.into(), item.into()).into()
}

/// Makes a kernel: a function that runs for every edge, every edge of the frontier, every vertex, or for neighbours that
/// have an edge between them, or that says which vertices go first.
///
/// # Intersections
///
/// `#[gts_kernel(intersect)] fn k(a: &mut A, u: Vertex, v: Vertex, w: Vertex)` runs, by `run.intersect(k)`, for every
/// vertex `u` and every two neighbours `v` and `w` of it with an edge from `v` to `w`: `w` is in the lists of both ends of
/// the edge from `u` to `v`. Without `w` it runs for every neighbour `v` of `u`.
///
/// | written | neighbours of `u` | edge from `v` to `w` |
/// |---|---|---|
/// | `intersect` | along out-edges | an out-edge of `v` |
/// | `intersect(in)` | along in-edges | an in-edge of `v` |
/// | `intersect(both)` | along either | an out-edge of `v` |
///
/// Lists are sets: parallel edges count as one, and `u`, `v` and `w` are three vertices, so that edges from a vertex to
/// itself count nowhere. On a symmetric graph the body sees each triangle six times; with `ordered`, as in
/// `#[gts_kernel(intersect, ordered)]`, once: where the out-degrees ascend from `u` to `v` to `w`, equal ones by the
/// vertices' numbers. Such a kernel refuses graphs that are not symmetric; it searches long lists instead of walking them.
///
/// A body reads `#[ra]` at `u` only, reads no edge values, and writes at its three vertices as an edge kernel does. It may
/// ask for any list, so all pages must be in memory, and on a GPU in the device's memory or page-locked in the host's.
///
/// # Values of edges
///
/// `#[wa(per = edge, init = 0, merge = sum)] support: u32` is a value for each out-edge, of a number or a `bool`, which
/// intersecting kernels update where they meet the edge: `intersect` (no other direction) takes `e: Edge` as its last
/// parameter, the edge from `u` to `v`, and writes `a.support[e] += 1`, or the operation of another merge but `any`. No
/// kernel reads such a value, nor the old one of an update. Of parallel edges the first has the value; the others, and
/// edges from a vertex to itself, keep the initial one. `run.take_edges(A::SUPPORT)` answers the values in the order in
/// which `Graph::edges` gives the ends, `run.fill_edges` sets them.
///
/// # Values that are missing
///
/// `UNREACHED` is the largest integer of its type, and no number to compute with: one more wraps to 0. So `+`, `-`, `*`, `/`
/// and `%` are refused on what was read from an integer attribute that begins as `UNREACHED`, also through locals and casts,
/// unless a comparison has excluded it on the way there: `!= UNREACHED`, or any that the largest integer fails, such as
/// `a.level[src] < a.level[dst]`. The comparison names the same place, or a local that holds the value. `src` of a
/// `traverse` needs none: an active vertex has a value. What goes into a `#[gts_fn]` is not followed.
///
/// `x.saturating_add(1)` leaves `UNREACHED` as it is; integers have `saturating_sub` and `saturating_mul`, too, and
/// `wrapping_add` and its like where wrapping is meant.
///
/// # Names
///
/// The first two vertices of a kernel for edges are the source and the target of the walk, whatever they are called; `dst`
/// in the place of `src` is refused, as is `src` in that of `dst`. Locals, functions and constants bear any name but those
/// of what the language has (`step`, `UNREACHED`, ..), and no name begins with `gts_`. A kernel names the attributes that
/// rustc would let it name where it stands.
///
/// # Places in lists
///
/// `e.position()` is the place of an edge in the list of `src`, a u64 from 0; lists ascend by the dense number of `dst`. A
/// scan that asks for it does not pull. `run.neighbours(..2).scan(kernel)` visits the edges at some places alone.
/// | kind | signature | runs for |
/// |---|---|---|
/// | `scan`, `scan(in)`, `scan(both)` | `(a: &mut A, src: Vertex, dst: Vertex)`, perhaps `e: Edge` | every edge |
/// | `traverse`, also `(in)`, `(both)` | the same | every edge of every active vertex |
/// | `vertex` | `(a: &mut A, v: Vertex)` | every vertex, or every active one |
/// | `gather`, also `(in)`, `(both)` | `(a: &mut A, v: Vertex)` | every vertex, or every active one, with its neighbours |
/// | `priority` | `(a: &mut A, v: Vertex) -> u32` | the vertices that a traversal might take next |
///
/// A `gather` kernel has one `let x = v.neighbors().sum(|dst| ..);` in its body, perhaps with `.filter(|dst| ..)`, and one
/// of `sum`, `min`, `max`, `or`, `and`, `any`, `all`, `count`, `argmin`, `argmax` and `mode`. Guards and `let`s stand
/// before it; what stands behind it runs with the result. Neighbours give what they had before the pass.
///
/// A `priority` says how near a vertex is, by a number of any type but `bool` and `VertexId`, the smaller the nearer:
/// `run.traverse_near(traverse, priority, width)` lets near vertices step first. It reads what a vertex kernel may read and
/// changes nothing; its value stands at the end, behind `let`s and other statements.
///
/// # Random numbers
///
/// | call | value |
/// |---|---|
/// | `random(key, draw)` | 64 random bits, u64 |
/// | `random_f32(key, draw)`, `random_f64(key, draw)` | a number from 0 to below 1, of 24 or 53 bits |
/// | `random_below(key, draw, bound)` | a u64 from 0 to below the bound; 0 where that is 0 |
///
/// A number is a function of the seed (`Engine::builder().seed(..)`, `run.set_seed(..)`), `step()`, the key and the draw,
/// an integer that tells apart what one key draws in one step. The key is a vertex, by its dense number; an edge, by those
/// of `src` and `dst`, so that parallel edges draw the same; or any integer. Device, technique, page size and number of
/// devices play no part. No result of `random_below` is more likely than another by more than the bound over 2^64.
#[proc_macro_attribute]
pub fn gts_kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::kernel(arguments.into(), item.into()).into()
}

/// Lets kernels call a function.
#[proc_macro_attribute]
pub fn gts_fn(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::function(arguments.into(), item.into()).into()
}

/// Lets kernels use a constant.
#[proc_macro_attribute]
pub fn gts_const(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::constant(arguments.into(), item.into()).into()
}

/// Carries the text of one item to another; internal.
#[doc(hidden)]
#[proc_macro]
pub fn proceed(input: TokenStream) -> TokenStream {
    expand::proceed_with(input.into()).into()
}
