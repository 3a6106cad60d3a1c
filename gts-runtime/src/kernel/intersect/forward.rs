//! Intersections in the order by degree: the forward algorithm, over oriented arrays.

use super::IntersectKernel;
use super::oriented::{Marks, Oriented};
use super::seek;
use crate::kernel::attributes::Attributes;
use crate::kernel::column::EdgeNumber;
use crate::kernel::context::Context;
use crate::kernel::scalar::Memory;
use gts_core::graph::Vertex;
use gts_core::page::EdgeVisitor;
use std::marker::PhantomData;

/// Visits edges from `u` to `v` and meets what is in both of their oriented lists.
pub(super) struct Forward<'a, K: IntersectKernel, P: Memory> {
    view: <K::Attributes as Attributes>::View<'a, P>,
    gts: Context<'a>,
    oriented: &'a Oriented,
    /// The neighbour before the first edge, until that comes.
    before: Option<Vertex>,
    /// The neighbour before the present one.
    last: Option<Vertex>,
    /// The next edge.
    next: EdgeNumber,
    /// The place of `u`.
    place: u32,
    /// The list of `u`, which is marked.
    own: &'a [u32],
    marks: Marks<'a>,
    kernel: PhantomData<K>,
}

impl<'a, K: IntersectKernel, P: Memory> Forward<'a, K, P> {
    pub(super) fn new(
        view: <K::Attributes as Attributes>::View<'a, P>,
        gts: Context<'a>,
        oriented: &'a Oriented,
        before: Option<Vertex>,
        next: EdgeNumber,
    ) -> Self {
        let marks = oriented.marks();
        Self { view, gts, oriented, before, last: None, next, place: 0, own: &[], marks, kernel: PhantomData }
    }
}

/// Neighbours of `v` that are held against the marks at once.
const BLOCK: usize = 64;

// What a step of a search costs, and a test of a mark, in about thirds of a nanosecond.
const SEARCH: usize = 8;
const TEST: usize = 2;

impl<K: IntersectKernel, P: Memory> EdgeVisitor<()> for Forward<'_, K, P> {
    type Source = ();

    #[inline]
    fn begin(&mut self, u: Vertex) -> Option<()> {
        self.last = self.before.take();
        self.place = self.oriented.place(u);
        self.own = self.oriented.after(self.place);
        // The only one to come after `u` has no other to share with it.
        if self.own.len() > 1 {
            self.marks.set(self.own);
        }
        Some(())
    }

    #[inline]
    fn edge(&mut self, (): (), u: Vertex, v: Vertex, (): ()) {
        let (oriented, gts, view) = (self.oriented, self.gts, &self.view);
        let repeated = self.last.replace(v) == Some(v);
        let e = self.next;
        self.next = EdgeNumber(e.0 + 1);
        if self.own.len() < 2 || repeated || gts.stopped() {
            return;
        }
        let place = oriented.place(v);
        if place >= self.place {
            return;
        }
        let meet = |w| K::meet::<P>(view, gts, u, v, oriented.vertex(w), e);
        let mut other = oriented.after(place);
        let steps = |distance: usize| (usize::BITS - distance.leading_zeros()) as usize;
        if SEARCH * self.own.len() * (1 + steps(other.len() / self.own.len())) < TEST * other.len() {
            for &w in self.own {
                other = &other[seek(other, w)..];
                match other.first() {
                    Some(&found) if found == w => meet(w),
                    Some(_) => {}
                    None => break,
                }
            }
            return;
        }
        // Whether a neighbour is marked is hard to foretell, so those that are get collected without a branch.
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
