//! Intersections in degree order by the forward algorithm, on the arrays of [`Oriented`].

use super::IntersectKernel;
use super::search::{search, steps};
use crate::kernel::attributes::Attributes;
use crate::kernel::column::EdgeNumber;
use crate::kernel::context::Context;
use crate::kernel::oriented::{Marks, Oriented};
use crate::kernel::scalar::Memory;
use gts_core::graph::Vertex;
use gts_core::memory::{self, NoMemory};
use gts_core::page::EdgeVisitor;
use std::marker::PhantomData;
use std::ops::Range;

/// Intersects the oriented lists of each edge's two ends. All edges of a vertex are known before the first edge is
/// processed, so the lists of later edges can be prefetched.
struct Meeting<'a, K: IntersectKernel, P: Memory> {
    view: <K::Attributes as Attributes>::View<'a, P>,
    gts: Context<'a>,
    oriented: &'a Oriented,
    /// The marks of the entries in the list of `u`.
    marks: Marks<'a>,
    kernel: PhantomData<K>,
}

impl<'a, K: IntersectKernel, P: Memory> Meeting<'a, K, P> {
    fn new(
        view: <K::Attributes as Attributes>::View<'a, P>,
        gts: Context<'a>,
        oriented: &'a Oriented,
    ) -> Result<Self, NoMemory> {
        Ok(Self { view, gts, oriented, marks: oriented.marks()?, kernel: PhantomData })
    }

    /// Intersects `own`, the list of `u`, with the list of each edge's other end `v`. `of` returns the position of `v`
    /// and the edge number.
    #[inline]
    fn around<E: Copy>(&mut self, u: Vertex, own: &'a [u32], edges: &[E], of: impl Fn(E) -> (u32, EdgeNumber)) {
        self.marks.set(own);
        for (index, &edge) in edges.iter().enumerate() {
            if self.gts.stopped() {
                break;
            }
            if let Some(&coming) = edges.get(index + 2 * AHEAD) {
                self.oriented.expect_bounds(of(coming).0);
            }
            if let Some(&coming) = edges.get(index + AHEAD) {
                self.oriented.expect_list(of(coming).0);
            }
            let (v, e) = of(edge);
            self.meet(u, own, v, e);
        }
    }

    /// Runs the body for every `w` that is in both lists and later than `v` in degree order.
    #[inline]
    fn meet(&self, u: Vertex, own: &[u32], v: u32, e: EdgeNumber) {
        let oriented = self.oriented;
        let vertex = oriented.vertex(v);
        let meet = |w| K::meet::<P>(&self.view, self.gts, u, vertex, oriented.vertex(w), e);
        let other = oriented.after(v);
        if SEARCH * steps(own.len(), other.len()) < TEST * other.len() {
            return search(own.iter().copied(), other, meet);
        }
        // The processor would often mispredict a branch per mark, so marked neighbours are collected without branches.
        for block in other.chunks(BLOCK) {
            let (mut met, mut count) = ([0; BLOCK], 0);
            for &w in block {
                met[count % BLOCK] = w;
                count += self.marks.at(w);
            }
            met[..count].iter().for_each(|&w| meet(w));
        }
    }
}

/// Intersects the lists for all edges of the vertices at `places`. The kernel must not update edge values.
///
/// # Errors
///
/// Memory is too small.
pub(super) fn meet_places<'a, K: IntersectKernel, P: Memory>(
    view: <K::Attributes as Attributes>::View<'a, P>,
    gts: Context<'a>,
    oriented: &'a Oriented,
    places: Range<u32>,
) -> Result<(), NoMemory> {
    let mut meeting = Meeting::<K, P>::new(view, gts, oriented)?;
    for place in places {
        let own = oriented.after(place);
        // A vertex with fewer than two later neighbours has no pairs.
        if own.len() > 1 {
            meeting.around(oriented.vertex(place), own, own, |v| (v, EdgeNumber(0)));
        }
    }
    Ok(())
}

/// Collects the edges of one visit to `u` in a page, then intersects the oriented lists of each edge's two ends.
pub(super) struct Forward<'a, K: IntersectKernel, P: Memory> {
    meeting: Meeting<'a, K, P>,
    /// The neighbour in the entry before the first edge. Reset to `None` when the first list begins.
    before: Option<Vertex>,
    /// The neighbour of the previous edge in the list.
    last: Option<Vertex>,
    /// The number of the next edge to visit.
    next: EdgeNumber,
    /// The position of `u`.
    place: u32,
    /// The oriented list of `u`.
    own: &'a [u32],
    /// The collected edges: the position of each `v`, and the edge number.
    edges: Vec<(u32, EdgeNumber)>,
}

impl<'a, K: IntersectKernel, P: Memory> Forward<'a, K, P> {
    pub(crate) fn new(
        view: <K::Attributes as Attributes>::View<'a, P>,
        gts: Context<'a>,
        oriented: &'a Oriented,
        before: Option<Vertex>,
        next: EdgeNumber,
    ) -> Result<Self, NoMemory> {
        let meeting = Meeting::new(view, gts, oriented)?;
        Ok(Self { meeting, before, last: None, next, place: 0, own: &[], edges: Vec::new() })
    }
}

/// Number of neighbours of `v` per batch of mark tests.
const BLOCK: usize = 64;

// Approximate costs per search step and per mark test, in thirds of a nanosecond.
const SEARCH: usize = 8;
const TEST: usize = 2;

/// The prefetch distance in edges. A list's first entries are prefetched this far ahead, and the list's bounds twice as
/// far.
const AHEAD: usize = 4;

impl<K: IntersectKernel, P: Memory> EdgeVisitor<()> for Forward<'_, K, P> {
    type Source = ();

    #[inline]
    fn begin(&mut self, u: Vertex) -> Option<()> {
        self.last = self.before.take();
        self.place = self.meeting.oriented.place(u);
        self.own = self.meeting.oriented.after(self.place);
        Some(())
    }

    #[inline]
    fn edge(&mut self, (): (), _: Vertex, v: Vertex, (): ()) {
        let repeated = self.last.replace(v) == Some(v);
        let e = self.next;
        self.next = EdgeNumber(e.0 + 1);
        // A vertex with fewer than two later neighbours has no pairs.
        if repeated || self.own.len() < 2 {
            return;
        }
        let place = self.meeting.oriented.place(v);
        if place < self.place
            && let Err(lacking) = memory::push("edges of a vertex", &mut self.edges, (place, e))
        {
            self.meeting.gts.lacks(lacking);
        }
    }

    #[inline]
    fn end(&mut self, u: Vertex) {
        if !self.edges.is_empty() {
            self.meeting.around(u, self.own, &self.edges, |edge| edge);
            self.edges.clear();
        }
    }
}
