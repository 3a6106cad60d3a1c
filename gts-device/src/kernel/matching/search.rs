//! The search that each thread runs. At each level of the plan, the search selects the earlier vertex whose list causes
//! the least work, and tries the vertices in this list.
//!
//! The lists of the earlier vertices are marked in an array with a byte per position. Each marked level has a bit in
//! the byte, so one comparison tests a vertex against all marked lists. Lists that are long relative to the remaining
//! work are not marked, but searched for each vertex. The vertices with a label are contiguous in each list.

use super::lists::WholeLists;
use gts_core::memory::NoMemory;
use gts_core::parallel::*;
use gts_core::pattern::{Level, MOST_VERTICES, PatternPlan};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Minimum number of a first vertex's neighbours per task.
const PIECE: usize = 64;
/// Maximum number of tasks per first vertex, because each task marks the vertex's list again.
const PIECES: usize = 256;
/// Number of first vertices per task, if their lists are short.
const VERTICES: usize = 8;
/// Maximum length of a list to mark, as a multiple of the length of the next list to visit, plus `PIECE`.
const MARKED: usize = 8;
/// Number of buffered row entries at which a thread appends its rows to the listing.
const KEPT: usize = 1 << 12;
/// Number of chosen vertices between two calls of `stopped`.
const TICKS: u32 = 1 << 10;

/// The counts of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Searched {
    /// Number of occurrences of the pattern, modulo 2^64.
    pub matches: u64,
    /// Whether there are 2^64 occurrences or more.
    pub overflow: bool,
}

impl Searched {
    /// Returns the sums of the counts of two searches.
    pub fn and(self, other: Self) -> Self {
        let (matches, over) = self.matches.overflowing_add(other.matches);
        Self { matches, overflow: self.overflow || other.overflow || over }
    }
}

/// The output of a search: the count, or the listing.
pub enum Asked<'a> {
    /// Count the matches.
    Count,
    /// List the vertices of each match in the slice, in the order of the plan's levels. The slice has room for all
    /// matches, which an earlier search has counted.
    List(Mutex<&'a mut [u32]>),
}

impl Asked<'_> {
    /// Appends a thread's rows to the listing, with positions mapped to vertices, and clears `rows`.
    fn take(&self, rows: &mut Vec<u32>, lists: &WholeLists) {
        if let Self::List(room) = self {
            let mut room = room.lock().unwrap_or_else(PoisonError::into_inner);
            let (here, rest) = std::mem::take(&mut *room).split_at_mut_checked(rows.len()).unwrap_or_default();
            here.iter_mut().zip(rows.iter()).for_each(|(entry, &place)| *entry = lists.vertices()[place as usize]);
            *room = rest;
        }
        rows.clear();
    }
}

/// The mark bit of each level, or 0 if the level's list is never marked. `smaller` is true if it suffices to mark the
/// neighbours at smaller positions.
struct MarkPlan {
    bits: [u8; MOST_VERTICES],
    smaller: [bool; MOST_VERTICES],
}

impl MarkPlan {
    fn new(plan: &PatternPlan, by_length: bool) -> Self {
        let levels = plan.levels();
        let mut marks = Self { bits: [0; MOST_VERTICES], smaller: [false; MOST_VERTICES] };
        let mut next = 0;
        for place in 0..levels.len() {
            let asks = |level: &&Level| (level.adjacent | level.apart) >> place & 1 == 1;
            let by_length = |at: usize| at + 1 == levels.len() && by_length;
            let is_tested = |at: usize, level: &Level| by_length(at) || (level.adjacent | level.apart).count_ones() > 1;
            let after = |from: usize| levels.iter().enumerate().skip(from).filter(|(_, level)| asks(level));
            if next < u8::BITS && after(place + 2).any(|(at, level)| is_tested(at, level)) {
                marks.bits[place] = 1 << next;
                let mut tested = after(place + 1).filter(|&(at, level)| is_tested(at, level));
                marks.smaller[place] = tested.all(|(at, level)| !by_length(at) && level.below >> place & 1 == 1);
                next += 1;
            }
        }
        marks
    }
}

/// Searches for a pattern of at least two vertices on the current thread pool. If `asked` is a listing, the returned
/// counts are 0. If `stopped` returns true, the result is incomplete.
///
/// # Errors
///
/// There is too little memory for a thread's marks.
pub fn search(
    lists: &WholeLists,
    plan: &PatternPlan,
    asked: &Asked<'_>,
    stopped: &(impl Fn() -> bool + Sync),
) -> Result<Searched, NoMemory> {
    let by_length = matches!(asked, Asked::Count) && plan.counts_by_length();
    let marks = &MarkPlan::new(plan, by_length);
    let take = |first: std::ops::Range<u32>, piece: Option<std::ops::Range<usize>>| {
        let mut search = Search::new(lists, plan, (asked, by_length), marks, stopped)?;
        for place in first {
            search.from(place, piece.clone().unwrap_or(0..lists.list(place).len()));
        }
        Ok(search.end())
    };
    let none = || Ok(Searched::default());
    let sum = |a: Result<Searched, NoMemory>, b: Result<Searched, NoMemory>| Ok(a?.and(b?));
    let units = lists.units().par_iter().with_max_len(1).map(|unit| {
        if unit.len() > 1 {
            let groups = (0..unit.len().div_ceil(VERTICES)).into_par_iter().with_max_len(1);
            let group = |index: usize| {
                let start = unit.start + (index * VERTICES) as u32;
                start..unit.end.min(start + VERTICES as u32)
            };
            return groups.map(|index| take(group(index), None)).reduce(none, sum);
        }
        // Only the neighbours with the second level's label are divided into tasks.
        let second = lists.labelled(plan.levels()[1].label);
        let list = lists.list(unit.start);
        let length = list.partition_point(|&v| v < second.end) - list.partition_point(|&v| v < second.start);
        let piece = PIECE.max(length.div_ceil(PIECES));
        let pieces = (0..length.div_ceil(piece)).into_par_iter().with_max_len(1);
        let neighbours = |index: usize| index * piece..length.min((index + 1) * piece);
        pieces.map(|index| take(unit.clone(), Some(neighbours(index)))).reduce(none, sum)
    });
    units.reduce(none, sum)
}

/// The list to visit at a level, and the remaining tests for each vertex in the list.
struct Walk<'a> {
    list: &'a [u32],
    /// The level whose vertex has this list.
    pivot: usize,
    /// The mark bits to test (`looked_at`), and their required value (`wanted`).
    looked_at: u8,
    wanted: u8,
    /// Bit sets of levels whose lists are searched for each vertex. The lists in `searched` must contain the vertex,
    /// and the lists in `missing` must not.
    searched: u32,
    missing: u32,
}

struct Search<'a, 'r, S> {
    lists: &'a WholeLists,
    plan: &'a PatternPlan,
    levels: &'a [Level],
    /// For each level, the range of positions with the level's label.
    labelled: [(u32, u32); MOST_VERTICES],
    asked: &'a Asked<'r>,
    /// Found matches that are not in the listing yet, as positions.
    rows: Vec<u32>,
    by_length: bool,
    marks: &'a MarkPlan,
    stopped: &'a S,
    /// The mark bits of each position.
    marked: Vec<u8>,
    /// The levels whose lists are marked.
    is_marked: u32,
    chosen: [u32; MOST_VERTICES],
    ticks: u32,
    over: bool,
    found: Searched,
}

/// Calls `action` with each level in a bit set.
#[inline(always)]
fn each(mut set: u32, mut action: impl FnMut(usize)) {
    while set != 0 {
        action(set.trailing_zeros() as usize);
        set &= set - 1;
    }
}

/// Returns whether `has` returns true for every level in a bit set.
#[inline(always)]
fn all(mut set: u32, has: impl Fn(usize) -> bool) -> bool {
    while set != 0 {
        if !has(set.trailing_zeros() as usize) {
            return false;
        }
        set &= set - 1;
    }
    true
}

impl<'a, 'r, S: Fn() -> bool> Search<'a, 'r, S> {
    fn new(
        lists: &'a WholeLists,
        plan: &'a PatternPlan,
        (asked, by_length): (&'a Asked<'r>, bool),
        marks: &'a MarkPlan,
        stopped: &'a S,
    ) -> Result<Self, NoMemory> {
        let mut labelled = [(0, u32::MAX); MOST_VERTICES];
        for (places, level) in labelled.iter_mut().zip(plan.levels()).filter(|(_, level)| level.label > 0) {
            let Range { start, end } = lists.labelled(level.label);
            *places = (start, end);
        }
        Ok(Self {
            lists,
            plan,
            levels: plan.levels(),
            labelled,
            asked,
            rows: Vec::new(),
            by_length,
            marks,
            stopped,
            marked: lists.marks()?,
            is_marked: 0,
            chosen: [0; MOST_VERTICES],
            ticks: 0,
            over: stopped(),
            found: Searched::default(),
        })
    }

    fn end(mut self) -> Searched {
        self.asked.take(&mut self.rows, self.lists);
        self.lists.give_back(self.marked);
        self.found
    }

    /// Searches for matches whose first vertex is at `place`, and whose second vertex is in `part` of the list to
    /// visit.
    fn from(&mut self, place: u32, part: std::ops::Range<usize>) {
        let (first, behind) = self.labelled[0];
        if self.over || !(first..behind).contains(&place) || !self.has_degree(0, place) {
            return;
        }
        self.chosen[0] = place;
        let walk = self.walk(1);
        let part = part.start.min(walk.list.len())..part.end.min(walk.list.len());
        if part.is_empty() {
            return;
        }
        let is_marked = self.marks.bits[0] != 0 && self.mark(0);
        let walk = Walk { list: &walk.list[part], ..walk };
        self.descend(1, &walk);
        if is_marked {
            self.unmark(0);
        }
    }

    /// Returns whether a vertex's degree suffices for a level.
    #[inline(always)]
    fn has_degree(&self, level: usize, place: u32) -> bool {
        let wanted = &self.levels[level];
        wanted.least_degree <= wanted.adjacent.count_ones()
            || self.lists.list(place).len() >= wanted.least_degree as usize
    }

    /// Returns an exclusive upper bound on the position of a level's vertex.
    #[inline(always)]
    fn bound(&self, level: usize) -> u32 {
        let mut bound = self.labelled[level].1;
        each(self.levels[level].below, |other| bound = bound.min(self.chosen[other]));
        bound
    }

    /// Returns an upper bound on the number of neighbours of a level's vertex at positions below `bound`.
    #[inline(always)]
    fn length(&self, level: usize, bound: u32) -> usize {
        let place = self.chosen[level];
        match bound <= place {
            true => self.lists.before()[place as usize] as usize,
            false => self.lists.list(place).len(),
        }
    }

    /// Selects the list to visit at a level: the list that causes the least work.
    #[inline]
    fn walk(&self, level: usize) -> Walk<'a> {
        let (wanted, bound) = (&self.levels[level], self.bound(level));
        let steps = |length: usize| 4 + (usize::BITS - length.leading_zeros()) as usize;
        let open = wanted.adjacent & !self.is_marked;
        let mut searches = 0;
        each(open, |other| searches += steps(self.length(other, bound)));
        let (mut pivot, mut least, mut length) = (0, usize::MAX, 0);
        each(wanted.adjacent, |other| {
            let own = self.length(other, bound);
            let rest = if open >> other & 1 == 1 { searches - steps(own) } else { searches };
            let work = own.saturating_mul(1 + rest);
            if work < least {
                (pivot, least, length) = (other, work, own);
            }
        });
        let place = self.chosen[pivot];
        let mut list = &self.lists.list(place)[..length];
        if bound < u32::MAX && bound != place {
            list = &list[..list.partition_point(|&other| other < bound)];
        }
        let first = self.labelled[level].0;
        if first > 0 {
            list = &list[list.partition_point(|&other| other < first)..];
        }
        let others = wanted.adjacent & !(1 << pivot);
        let (mut looked_at, mut wanted_bits) = (0, 0);
        each((others | wanted.apart) & self.is_marked, |other| looked_at |= self.marks.bits[other]);
        each(others & self.is_marked, |other| wanted_bits |= self.marks.bits[other]);
        let (searched, missing) = (others & !self.is_marked, wanted.apart & !self.is_marked);
        Walk { list, pivot, looked_at, wanted: wanted_bits, searched, missing }
    }

    /// Returns whether a vertex in the visited list passes all tests of a level.
    #[inline(always)]
    fn fits(&self, level: usize, walk: &Walk<'_>, place: u32) -> bool {
        let names = |other: usize| self.lists.list(self.chosen[other]).binary_search(&place).is_ok();
        self.marked[place as usize] & walk.looked_at == walk.wanted
            && self.has_degree(level, place)
            && all(self.levels[level].distinct, |other| self.chosen[other] != place)
            && all(walk.searched, names)
            && all(walk.missing, |other| !names(other))
    }

    /// Tries every vertex in the list at a level. At the last level, counts or lists the matches instead.
    fn descend(&mut self, level: usize, walk: &Walk<'_>) {
        if level + 1 == self.levels.len() {
            if matches!(self.asked, Asked::List(_)) {
                return self.list(level, walk);
            }
            let count = self.count(level, walk);
            self.found = self.found.and(Searched { matches: count, overflow: false });
            return;
        }
        for &place in walk.list {
            if !self.fits(level, walk, place) {
                continue;
            }
            self.ticks += 1;
            if self.ticks.is_multiple_of(TICKS) {
                self.over |= (self.stopped)();
            }
            if self.over {
                return;
            }
            self.chosen[level] = place;
            let next = self.walk(level + 1);
            if self.marks.bits[level] != 0 && self.is_worth_marking(level, next.list.len()) && self.mark(level) {
                // Because of the new marks, another list may cause less work.
                let next = self.walk(level + 1);
                self.descend(level + 1, &next);
                self.unmark(level);
            } else {
                self.descend(level + 1, &next);
            }
        }
    }

    /// Returns the part of a level's list to mark.
    #[inline(always)]
    fn marked_part(&self, level: usize) -> &'a [u32] {
        let place = self.chosen[level];
        let list = self.lists.list(place);
        if self.marks.smaller[level] { &list[..self.lists.before()[place as usize] as usize] } else { list }
    }

    #[inline(always)]
    fn is_worth_marking(&self, level: usize, next: usize) -> bool {
        next > 0 && self.marked_part(level).len() <= MARKED * next + PIECE
    }

    #[inline]
    fn mark(&mut self, level: usize) -> bool {
        let bit = self.marks.bits[level];
        self.marked_part(level).iter().for_each(|&place| self.marked[place as usize] |= bit);
        self.is_marked |= 1 << level;
        true
    }

    #[inline]
    fn unmark(&mut self, level: usize) {
        let bit = self.marks.bits[level];
        self.marked_part(level).iter().for_each(|&place| self.marked[place as usize] &= !bit);
        self.is_marked &= !(1 << level);
    }

    /// Adds a row for each vertex that fits the last level.
    fn list(&mut self, level: usize, walk: &Walk<'_>) {
        for &place in walk.list {
            if self.fits(level, walk, place) {
                self.rows.extend_from_slice(&self.chosen[..level]);
                self.rows.push(place);
            }
            if self.rows.len() >= KEPT {
                self.asked.take(&mut self.rows, self.lists);
            }
        }
    }

    /// Returns the number of vertices that fit the last level.
    #[inline]
    fn count(&self, level: usize, walk: &Walk<'_>) -> u64 {
        if self.by_length {
            return self.count_by_length(level, walk);
        }
        let wanted = &self.levels[level];
        let only_marks =
            wanted.least_degree <= wanted.adjacent.count_ones() && wanted.distinct | walk.searched | walk.missing == 0;
        let count = if only_marks {
            let is_met = |place: &&u32| self.marked[**place as usize] & walk.looked_at == walk.wanted;
            walk.list.iter().filter(is_met).count()
        } else {
            walk.list.iter().filter(|&&place| self.fits(level, walk, place)).count()
        };
        count as u64
    }

    /// Returns the number of vertices that fit the last level. Every vertex in the list must fit, except for vertices
    /// that earlier levels have chosen.
    #[inline]
    fn count_by_length(&self, level: usize, walk: &Walk<'_>) -> u64 {
        let (own, bound) = (self.chosen[walk.pivot], self.bound(level));
        let (bit, is_marked) = (self.marks.bits[walk.pivot], self.is_marked >> walk.pivot & 1 == 1);
        let (mut taken, first) = (0, self.labelled[level].0);
        each(self.levels[level].distinct, |other| {
            let place = self.chosen[other];
            let (early, late) = (other.min(walk.pivot), other.max(walk.pivot));
            let is_there = (first..bound).contains(&place)
                && (self.plan.levels()[late].adjacent >> early & 1 == 1
                    || if is_marked {
                        self.marked[place as usize] & bit != 0
                    } else {
                        self.lists.list(own).binary_search(&place).is_ok()
                    });
            taken += u64::from(is_there);
        });
        walk.list.len() as u64 - taken
    }
}
