//! Intersection kernels: for each vertex, the body runs for each pair of its neighbours that an edge connects.
//!
//! For an ordered kernel, the edges are first laid out in degree order, which makes all lists short (see `forward`).
//! All other kernels read the lists from their pages, as do ordered kernels if the layout does not fit into memory. The
//! list of `u` is decoded once for all of its neighbours, and the list of each neighbour `v` is read in place. The
//! lengths of the two lists determine the cheapest of four methods:
//!
//! - Merge the lists.
//! - Search the list of `v` for each entry of the list of `u`.
//! - Search the list of `u` for each entry of the list of `v`.
//! - Test each entry of the list of `v` against marks in a bit set, if the list of `u` is long enough to be marked.
//!
//! If each edge has its reverse, one visit handles both edges. This visit is at the endpoint with the longer list, so
//! that the shorter list is read.
#![allow(unsafe_code)]

mod forward;
mod search;

use super::attributes::Attributes;
use super::column::{Columns, EdgeNumber, RawColumn};
use super::context::Context;
use super::instance::{CompiledKinds, MemoryKind, Work, instance};
use super::lists::{Lists, Pairs};
use super::pass::{EdgePass, Kernel, Share};
use super::pull::PullPass;
use super::scalar::Memory;
use forward::Forward;
use gts_contract::KernelDescriptor;
use gts_core::graph::Vertex;
use gts_core::memory::{self, NoMemory};
use gts_core::page::{EdgeVisitor, ListPart};
use search::{search, steps};
use std::marker::PhantomData;

/// A kernel for `run.intersect`.
#[diagnostic::on_unimplemented(
    message = "this kernel is no `intersect`",
    label = "expected a `#[gts_kernel(intersect)]`",
    note = "`run.scan` runs a `scan`; `run.advance` and `run.traverse` a `traverse`; `run.apply` and `run.apply_active` a \
            `vertex` kernel; `run.gather` and `run.gather_active` a `gather` kernel; `run.intersect` an `intersect` kernel; \
            `run.traverse_near` a `traverse` and a `priority`"
)]
pub trait IntersectKernel: Kernel {
    /// The kernel's descriptor.
    const DESCRIPTOR: &'static KernelDescriptor;
    /// Whether the body runs for pairs of neighbours that an edge connects. If false, the body runs for every
    /// neighbour.
    const COMMON: bool;
    /// Whether the body runs only if degrees ascend from `u` to `v` to `w`. Vertex numbers break ties.
    const ORDERED: bool;

    /// Runs the body for neighbours `v` and `w` of `u`. If [`IntersectKernel::COMMON`] is false, `w` is meaningless.
    /// `e` is the first edge from `u` to `v`, but meaningless in kernels that do not update edge values.
    fn meet<'a, P: Memory>(
        a: &<Self::Attributes as Attributes>::View<'a, P>,
        gts: Context<'a>,
        u: Vertex,
        v: Vertex,
        w: Vertex,
        e: EdgeNumber,
    );
}

/// The [`EdgePass`] of an intersection kernel on the CPU. Processes [`Share::Pairs`] and, for an ordered kernel,
/// [`Share::Places`].
#[derive(Debug)]
pub struct NativeIntersect<K>(pub K);

impl<K: IntersectKernel> EdgePass for NativeIntersect<K> {
    fn descriptor(&self) -> &'static KernelDescriptor {
        K::DESCRIPTOR
    }

    fn pull(&self) -> Option<&'static dyn PullPass> {
        None
    }

    fn meets_in_order(&self) -> bool {
        K::COMMON && K::ORDERED
    }

    unsafe fn run(&self, share: Share<'_>, memory: MemoryKind, wide: bool, columns: &[RawColumn], gts: Context<'_>) {
        let work = Meeting { share, columns, gts, kernel: PhantomData::<K> };
        // SAFETY: the caller upholds this function's contract.
        unsafe { instance(work, memory, wide) }
    }
}

/// The work of an intersection kernel on one share.
struct Meeting<'a, K> {
    share: Share<'a>,
    columns: &'a [RawColumn],
    gts: Context<'a>,
    kernel: PhantomData<K>,
}

impl<K: IntersectKernel> Work for Meeting<'_, K> {
    type Attributes = K::Attributes;
    const KINDS: CompiledKinds = CompiledKinds::of_edges(K::DESCRIPTOR);

    unsafe fn on<P: Memory>(self) {
        // SAFETY: the caller upholds this function's contract.
        unsafe { run_share::<K, P>(self.share, self.columns, self.gts) }
    }
}

/// # Safety
///
/// See [`EdgePass::run`]. The columns must be valid for `P`.
unsafe fn run_share<K: IntersectKernel, P: Memory>(share: Share<'_>, columns: &[RawColumn], gts: Context<'_>) {
    // SAFETY: the caller upholds this function's contract.
    let columns = unsafe { Columns::<P>::new(columns) };
    let view = K::Attributes::bind(&columns);
    let pairs = match share {
        Share::Pairs(pairs) => pairs,
        Share::Places(oriented, places) if K::COMMON && K::ORDERED => {
            return match forward::meet_places::<K, P>(view, gts, oriented, places) {
                Ok(()) => {}
                Err(lacking) => gts.lacks(lacking),
            };
        }
        _ => return,
    };
    let Pairs { page, entries, before, first: next, again, lists } = pairs;
    if let Some(oriented) = lists.oriented.filter(|_| K::COMMON && K::ORDERED && !again) {
        return match Forward::<K, P>::new(view, gts, oriented, before, next) {
            Ok(mut visitor) => page.scan(entries, (), &mut visitor),
            Err(lacking) => gts.lacks(lacking),
        };
    }
    let own = OwnList::default();
    let mut visitor = Visitor::<K, P> { view, gts, lists, again, before, last: None, next, own, kernel: PhantomData };
    page.scan(entries, (), &mut visitor);
}

struct Visitor<'a, K: IntersectKernel, P: Memory> {
    view: <K::Attributes as Attributes>::View<'a, P>,
    gts: Context<'a>,
    lists: Lists<'a>,
    again: bool,
    /// The neighbour in the entry before the first edge. Reset to `None` when the first list begins.
    before: Option<Vertex>,
    /// The neighbour of the previous edge in the list.
    last: Option<Vertex>,
    /// The number of the next edge to visit.
    next: EdgeNumber,
    own: OwnList,
    kernel: PhantomData<K>,
}

impl<K: IntersectKernel, P: Memory> EdgeVisitor<()> for Visitor<'_, K, P> {
    type Source = ();

    fn begin(&mut self, u: Vertex) -> Option<()> {
        self.last = self.before.take();
        if K::COMMON {
            let (lists, gts) = (self.lists, self.gts);
            let after = K::ORDERED.then(|| lists.rank(gts, u));
            let wanted = |w| after.is_none_or(|rank| lists.rank(gts, w) > rank);
            if let Err(lacking) = self.own.decode(u, &lists, gts.num_vertices(), wanted) {
                gts.lacks(lacking);
                return None;
            }
        }
        Some(())
    }

    #[inline]
    fn edge(&mut self, (): (), u: Vertex, v: Vertex, (): ()) {
        let (lists, gts, view) = (self.lists, self.gts, &self.view);
        let repeated = self.last.replace(v) == Some(v);
        let e = self.next;
        self.next = EdgeNumber(e.0 + 1);
        if repeated || u == v || gts.stopped() {
            return;
        }
        let rank = |vertex| lists.rank(gts, vertex);
        if (K::ORDERED && rank(v) < rank(u)) || (self.again && lists.between.has_edge(u, v)) {
            return;
        }
        if !K::COMMON {
            return K::meet::<P>(view, gts, u, v, v, e);
        }
        let both_ways = lists.both_ways && !K::ORDERED;
        if both_ways && rank(v) > rank(u) {
            return;
        }
        let back = if both_ways { lists.edge(v, u) } else { e };
        let mut last = None;
        for part in lists.between.list(v) {
            self.own.meet(&part, |w| {
                let repeated = last.replace(w) == Some(w);
                if !repeated && w != v && !(K::ORDERED && rank(w) < rank(v)) {
                    K::meet::<P>(view, gts, u, v, w, e);
                    if both_ways {
                        K::meet::<P>(view, gts, v, u, w, back);
                    }
                }
            });
        }
    }
}

/// The neighbours of `u` in ascending order, without repetitions and without `u` itself.
#[derive(Default)]
struct OwnList {
    neighbours: Vec<u64>,
    /// One bit per vertex. If `marked`, the bits of the neighbours are set.
    marks: Vec<u64>,
    marked: bool,
}

/// Minimum number of neighbours for which marks are faster. Each mark costs two writes, to set and to clear the mark.
const MARKED: usize = 64;
/// Maximum size of the bit set in words per neighbour, which bounds the cost of zeroing a new set.
const WORDS_A_MARK: u64 = 128;

/// A method to intersect the list of `u` (the own list) with the list of `v` (the other list).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Test each neighbour of the other list against the marks.
    Test,
    /// Search the other list for each neighbour in the own list.
    SearchPart,
    /// Search the own list for each neighbour in the other list.
    SearchOwn,
    Merge,
}

// Approximate costs in nanoseconds: per neighbour read (`MERGE`, `TEST`), and per step of a search (`SEARCH`).
const MERGE: usize = 2;
const TEST: usize = 2;
const SEARCH: usize = 4;

impl Form {
    /// Returns the cheapest method for non-empty lists of these lengths.
    #[inline]
    fn cheapest(own: usize, other: usize, marked: bool) -> Self {
        let forms = [
            (Self::Test, if marked { TEST * other } else { usize::MAX }),
            (Self::SearchPart, SEARCH * steps(own, other)),
            (Self::SearchOwn, SEARCH * steps(other, own)),
            (Self::Merge, MERGE * (own + other)),
        ];
        forms.into_iter().min_by_key(|form| form.1).map_or(Self::Merge, |form| form.0)
    }
}

impl OwnList {
    /// Decodes the neighbours of `u` for which `wanted` returns true.
    fn decode(
        &mut self,
        u: Vertex,
        lists: &Lists<'_>,
        num_vertices: u64,
        wanted: impl Fn(Vertex) -> bool,
    ) -> Result<(), NoMemory> {
        if std::mem::take(&mut self.marked) {
            self.neighbours.iter().for_each(|&w| self.marks[(w / 64) as usize] = 0);
        }
        self.neighbours.clear();
        for topology in std::iter::once(lists.between).chain(lists.other) {
            for part in topology.list(u) {
                memory::reserve("a vertex's neighbours", &mut self.neighbours, part.len())?;
                let chosen = part.neighbors().filter(|&w| w != u && wanted(w));
                self.neighbours.extend(chosen.map(Vertex::dense));
            }
        }
        if lists.other.is_some() {
            self.neighbours.sort_unstable();
        }
        self.neighbours.dedup();
        let words = num_vertices.div_ceil(64);
        if self.neighbours.len() >= MARKED && words <= WORDS_A_MARK * self.neighbours.len() as u64 {
            if self.marks.is_empty() {
                self.marks = memory::zeroed("marks of neighbours", words as usize)?;
            }
            self.neighbours.iter().for_each(|&w| self.marks[(w / 64) as usize] |= 1 << (w % 64));
            self.marked = true;
        }
        Ok(())
    }

    /// Calls `met` with each neighbour that is also in `part`, in ascending order. A neighbour may be repeated.
    #[inline]
    fn meet(&self, part: &ListPart<'_>, mut met: impl FnMut(Vertex)) {
        let (own, other) = (self.neighbours.len(), part.len());
        if own == 0 || other == 0 {
            return;
        }
        match Form::cheapest(own, other, self.marked) {
            Form::Test => {
                let is_marked = |w: &Vertex| self.marks[(w.dense() / 64) as usize] >> (w.dense() % 64) & 1 == 1;
                part.neighbors().filter(is_marked).for_each(met);
            }
            Form::SearchPart => {
                let mut place = 0;
                for &w in &self.neighbours {
                    let w = Vertex::from_dense(w);
                    place = part.seek(place, w);
                    match part.get(place) {
                        Some(found) if found == w => met(w),
                        Some(_) => {}
                        None => break,
                    }
                }
            }
            Form::SearchOwn => {
                let others = part.neighbors().map(Vertex::dense);
                search(others, &self.neighbours, |w| met(Vertex::from_dense(w)));
            }
            Form::Merge => {
                let mut rest = self.neighbours.iter().copied().peekable();
                for w in part.neighbors() {
                    while rest.next_if(|&own| own < w.dense()).is_some() {}
                    match rest.peek() {
                        Some(&found) if found == w.dense() => met(w),
                        Some(_) => {}
                        None => break,
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_contract::Side;
    use gts_core::graph::Graph;

    /// Returns about 1 / `every` of the numbers below `bound`, selected by a hash.
    fn some(bound: u64, every: u64, salt: u64) -> Vec<u64> {
        let chosen =
            |number: &u64| (number ^ salt << 20).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & 0xffff < 65536 / every;
        (0..bound).filter(chosen).collect()
    }

    #[test]
    fn every_form_finds_what_two_lists_share() {
        let bound = 4096;
        for (own_every, other_every) in [(2, 2), (2, 500), (500, 2), (3, 40), (40, 3), (4096, 4096), (1, 1)] {
            let other = some(bound, other_every, 7);
            let edges = other.iter().flat_map(|&w| [(bound, w), (bound, w)]);
            let ids = (0..bound).map(|v| (v, v));
            let graph = Graph::builder().edges(edges.chain(ids)).page_size(1024).build().unwrap();
            let topology = graph.topology(Side::Out).unwrap();
            for marked in [false, true] {
                let neighbours = some(bound, own_every, 3);
                let mut own = OwnList { marks: vec![0; 65], marked, neighbours };
                own.neighbours.iter().for_each(|&w| own.marks[(w / 64) as usize] |= 1 << (w % 64));
                let mut met = Vec::new();
                topology.list(Vertex::from_dense(bound)).for_each(|part| own.meet(&part, |w| met.push(w.dense())));
                met.dedup();
                let expected: Vec<u64> = other.iter().copied().filter(|w| own.neighbours.contains(w)).collect();
                assert_eq!(met, expected, "one in {own_every} and one in {other_every}, marked: {marked}");
            }
        }
    }

    #[test]
    fn the_shorter_list_is_searched_in_the_longer() {
        assert_eq!(Form::cheapest(3, 20_000, false), Form::SearchPart);
        assert_eq!(Form::cheapest(20_000, 3, false), Form::SearchOwn);
        assert_eq!(Form::cheapest(20_000, 3, true), Form::Test);
        assert_eq!(Form::cheapest(50, 60, false), Form::Merge);
        assert_eq!(Form::cheapest(2_000, 2_000, true), Form::Test);
        assert_eq!(Form::cheapest(1, 1, false), Form::Merge);
    }
}
