//! Collective operations of a warp's lanes and of a block's threads.

use crate::access::lanes;
use crate::lanes::{Column, LANES, Lanes, NEVER};
use crate::warp::Instruction;

/// A collective operation of a warp's lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exchange {
    /// `shfl.sync` in one of its modes.
    Shuffle(Shuffle),
    /// `vote.sync`.
    Vote(Vote),
    /// `match.any.sync`; true for 64 bits.
    MatchAny(bool),
    /// `match.all.sync`; true for 64 bits.
    MatchAll(bool),
    /// `redux.sync`.
    Reduce(Reduction),
    /// `bar.warp.sync`.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    Uniform,
    Ballot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    Add,
    Min,
    Max,
    MinSigned,
    MaxSigned,
    And,
    Or,
    Xor,
}

/// A barrier of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Barrier {
    /// Reduction of the threads' predicates at the barrier, if any.
    pub(crate) reduces: Option<BlockReduction>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockReduction {
    And,
    Or,
    Count,
}

/// Exchanges values between the lanes of `mask`, which are all at this instruction. Fails if a lane reads from a lane
/// outside `mask`, and returns both lanes.
pub(crate) fn exchange(what: Exchange, l: &mut Lanes<'_>, i: &Instruction, mask: u32) -> Result<(), (usize, usize)> {
    match what {
        Exchange::Nothing => {}
        Exchange::Shuffle(mode) => return shuffle(mode, l, i, mask),
        Exchange::Vote(vote) => {
            let holds = (l.predicate(i.p) ^ if i.extra == 1 { u32::MAX } else { 0 }) & mask;
            let result = match vote {
                Vote::Ballot => {
                    l.each(i.d, mask, |_| u64::from(holds));
                    return Ok(());
                }
                Vote::All => holds == mask,
                Vote::Any => holds != 0,
                Vote::Uniform => holds == mask || holds == 0,
            };
            l.set_predicate(i.q, mask, if result { mask } else { 0 });
        }
        Exchange::MatchAny(wide) => {
            let values = cut(*l.column(i.a), wide);
            let alike = |lane: usize| lanes(mask).filter(move |&other| values[other] == values[lane]);
            l.each(i.d, mask, |lane| alike(lane).fold(0, |bits, other| bits | 1 << other));
        }
        Exchange::MatchAll(wide) => {
            let values = cut(*l.column(i.a), wide);
            let first = values[mask.trailing_zeros() as usize % LANES];
            let all = lanes(mask).all(|lane| values[lane] == first);
            l.each(i.d, mask, |_| if all { u64::from(mask) } else { 0 });
            if i.q != NEVER {
                l.set_predicate(i.q, mask, if all { mask } else { 0 });
            }
        }
        Exchange::Reduce(reduction) => {
            let values = *l.column(i.a);
            let all = lanes(mask).map(|lane| values[lane] as u32).reduce(|a, b| match reduction {
                Reduction::Add => a.wrapping_add(b),
                Reduction::Min => a.min(b),
                Reduction::Max => a.max(b),
                Reduction::MinSigned => (a as i32).min(b as i32) as u32,
                Reduction::MaxSigned => (a as i32).max(b as i32) as u32,
                Reduction::And => a & b,
                Reduction::Or => a | b,
                Reduction::Xor => a ^ b,
            });
            l.each(i.d, mask, |_| u64::from(all.unwrap_or(0)));
        }
    }
    Ok(())
}

fn cut(values: Column, wide: bool) -> Column {
    if wide { values } else { values.map(|value| u64::from(value as u32)) }
}

/// Shuffles values. Column `a` contains the values, `b` the lanes or distances, and `c` the clamps and segment masks.
fn shuffle(mode: Shuffle, l: &mut Lanes<'_>, i: &Instruction, mask: u32) -> Result<(), (usize, usize)> {
    let (values, by, control) = (*l.column(i.a), *l.column(i.b), *l.column(i.c));
    let (mut result, mut inside) = (values, 0);
    for lane in lanes(mask) {
        let (segments, clamp) = ((control[lane] >> 8 & 31) as usize, (control[lane] & 31) as usize);
        let by = (by[lane] & 31) as usize;
        let last = lane & segments | clamp & !segments & 31;
        let first = lane & segments;
        let (from, is_inside) = match mode {
            Shuffle::Up => (lane.wrapping_sub(by), lane as isize - by as isize >= last as isize),
            Shuffle::Down => (lane + by, lane + by <= last),
            Shuffle::Butterfly => (lane ^ by, lane ^ by <= last),
            Shuffle::Index => (first | by & !segments & 31, first | by & !segments & 31 <= last),
        };
        let from = if is_inside { from } else { lane };
        if mask >> from & 1 == 0 {
            return Err((lane, from));
        }
        inside |= u32::from(is_inside) << lane;
        result[lane] = values[from];
    }
    l.each(i.d, mask, |lane| result[lane]);
    if i.q != NEVER {
        l.set_predicate(i.q, mask, inside);
    }
    Ok(())
}
