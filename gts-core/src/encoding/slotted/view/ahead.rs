//! Walks that announce edges to a visitor before their visit, so that the visitor can prefetch the data of each edge.

use super::{ENTRIES_OFFSET, PageView};
use crate::memory::prefetch;
use crate::page::{EdgeValue, EdgeVisitor};
use crate::vertex::Vertex;
use std::ops::Range;

/// The number of entries between the announcement of an edge and its visit: enough to use all outstanding reads that a
/// core supports.
const AHEAD: u32 = 32;
/// The number of lists that are prefetched together.
const LISTS: usize = 16;
/// Bytes per cache line, which the processor fetches as a unit.
const LINE: usize = 64;

impl PageView<'_> {
    /// Does the same as [`PageView::scan`] for a non-empty share within the page, and announces edges before their
    /// visit.
    #[inline]
    pub(super) fn scan_ahead<V: EdgeValue, E: EdgeVisitor<V>>(&self, share: Range<u32>, default: V, visitor: &mut E) {
        let mut slot = self.owner(share.start);
        let lists = std::iter::from_fn(|| {
            let list =
                (slot < self.slots).then(|| self.slot(slot).max(share.start)..self.slot(slot + 1).min(share.end))?;
            slot += 1;
            (list.start < share.end).then_some((slot - 1, list))
        });
        self.hand_ahead(lists, self.edges_before(), false, default, visitor);
    }

    /// Passes edges of the given vertices of this page to `visitor`, one vertex after the other. Passes the edges whose
    /// position in their vertex's list, counted from 0, is in `places`. Also reports the position of each vertex's
    /// first edge to the visitor.
    #[inline]
    pub fn visit_each<V: EdgeValue, E: EdgeVisitor<V>>(
        &self,
        vertices: impl Iterator<Item = Vertex>,
        places: &Range<u64>,
        default: V,
        visitor: &mut E,
    ) {
        let before = self.edges_before();
        let lists = vertices.filter_map(|vertex| {
            let slot = vertex.dense().wrapping_sub(self.start_vid);
            (slot < u64::from(self.slots)).then(|| (slot as u32, self.entries_within(slot as u32, before, places)))
        });
        self.hand_ahead(lists, before, true, default, visitor);
    }

    /// Visits the lists of slots, and announces each edge before its visit. `before` is the result of
    /// [`Self::edges_before`]. If `scattered` is true, lists are also prefetched; the processor prefetches consecutive
    /// lists automatically.
    #[inline(always)]
    fn hand_ahead<V: EdgeValue, E: EdgeVisitor<V>>(
        &self,
        mut unseen: impl Iterator<Item = (u32, Range<u32>)>,
        before: u64,
        scattered: bool,
        default: V,
        visitor: &mut E,
    ) {
        let valued = V::BYTES > 0 && self.value == V::SCALAR;
        let values = valued.then(|| self.layout.values_offset(self.entries as usize));
        let (walk, mut source) = (AnnouncedWalk { page: *self, before, values, default }, None);
        let [mut one, mut other] = [AnnouncedBlock::EMPTY; 2];
        let (mut filled, mut waiting) = (&mut one, &mut other);
        // Prefetch some lists while others are walked.
        let mut take = |lists: &mut [(u32, Range<u32>); LISTS]| {
            let mut count = 0;
            for (place, list) in lists.iter_mut().zip(unseen.by_ref()) {
                if scattered {
                    self.fetch(&list.1, values, V::BYTES);
                }
                *place = list;
                count += 1;
            }
            count
        };
        let mut lists = [const { [const { (0, 0..0) }; LISTS] }; 2];
        let (mut present, mut count) = (0, take(&mut lists[0]));
        while count > 0 {
            let following = take(&mut lists[1 - present]);
            for (slot, list) in &lists[present][..count] {
                let mut left = list.clone();
                let mut begins = true;
                while !left.is_empty() {
                    let end = left.end.min(left.start + (AHEAD - filled.edges));
                    if scattered && !begins {
                        self.fetch(&(left.start..end), values, V::BYTES);
                    }
                    for entry in left.start..end {
                        let dst = self.target(entry);
                        visitor.expect(dst);
                        filled.ends[(filled.edges + entry - left.start) as usize % AHEAD as usize] = dst;
                    }
                    let part = AnnouncedPart { slot: *slot, entries: left.start..end, begins, ends: end == left.end };
                    filled.parts[filled.lists] = part;
                    filled.lists += 1;
                    filled.edges += end - left.start;
                    (left.start, begins) = (end, false);
                    if filled.edges == AHEAD {
                        walk.take(waiting, &mut source, visitor);
                        std::mem::swap(&mut filled, &mut waiting);
                        (filled.lists, filled.edges) = (0, 0);
                    }
                }
            }
            (present, count) = (1 - present, following);
        }
        walk.take(waiting, &mut source, visitor);
        walk.take(filled, &mut source, visitor);
    }

    /// Prefetches the first record IDs and values of a list.
    #[inline(always)]
    fn fetch(&self, list: &Range<u32>, values: Option<usize>, value_bytes: usize) {
        let (first, count) = (list.start as usize, list.len().min(AHEAD as usize));
        let fetch = |offset: usize, bytes: usize| {
            let begin = self.bytes.as_ptr().wrapping_add(offset);
            for line in (0..bytes).step_by(LINE) {
                prefetch(begin.wrapping_add(line));
            }
            // The bytes may begin within a cache line, and end in another one.
            prefetch(begin.wrapping_add(bytes.saturating_sub(1)));
        };
        let stride = self.layout.entry_bytes();
        fetch(ENTRIES_OFFSET + first * stride, count * stride);
        if let Some(values) = values {
            fetch(values + first * value_bytes, count * value_bytes);
        }
    }
}

/// A part of a vertex's list.
#[derive(Clone)]
struct AnnouncedPart {
    slot: u32,
    entries: Range<u32>,
    /// Whether this is the first visited part of the list, and whether it is the last.
    begins: bool,
    ends: bool,
}

/// A block of announced edges, which consists of consecutive parts of lists.
struct AnnouncedBlock {
    parts: [AnnouncedPart; AHEAD as usize],
    lists: usize,
    /// The targets of the edges.
    ends: [Vertex; AHEAD as usize],
    edges: u32,
}

impl AnnouncedBlock {
    const EMPTY: Self = Self {
        parts: [const { AnnouncedPart { slot: 0, entries: 0..0, begins: false, ends: false } }; AHEAD as usize],
        lists: 0,
        ends: [Vertex::from_dense(0); AHEAD as usize],
        edges: 0,
    };
}

/// The parameters of a walk over announced edges.
struct AnnouncedWalk<'p, V> {
    page: PageView<'p>,
    /// The number of edges that the first vertex has in earlier pages.
    before: u64,
    /// The offset of the values; `None` if the page has no values of type `V`.
    values: Option<usize>,
    default: V,
}

impl<V: EdgeValue> AnnouncedWalk<'_, V> {
    /// Visits the edges of a block. `source` is the visitor's value for the current source, or `None` if the visitor
    /// skips the source.
    ///
    /// This function is not inlined, so that each kernel contains its loop once. The visitor is an argument, not a field,
    /// so that the compiler can keep the visitor's fields in registers.
    #[inline(never)]
    fn take<E: EdgeVisitor<V>>(&self, block: &AnnouncedBlock, source: &mut Option<E::Source>, visitor: &mut E) {
        let mut ends = block.ends.iter();
        for part in &block.parts[..block.lists] {
            let src = Vertex::from_dense(self.page.start_vid + u64::from(part.slot));
            if part.begins {
                visitor.at(self.before + u64::from(part.entries.start - self.page.slot(part.slot)));
                *source = visitor.begin(src);
            }
            let edges = part.entries.clone().zip(ends.by_ref());
            let Some(source) = *source else {
                edges.for_each(drop);
                continue;
            };
            match self.values {
                Some(values) => edges.for_each(|(entry, &dst)| {
                    visitor.edge(source, src, dst, self.page.value_at(values, entry));
                }),
                None => edges.for_each(|(_, &dst)| visitor.edge(source, src, dst, self.default)),
            }
            if part.ends {
                visitor.end(src);
            }
        }
    }
}
