//! Instructions, and where the lanes of a warp are in them.

use crate::access::Access;
use crate::lanes::{Execute, Slot};
use crate::sync::{Barrier, Exchange};

/// What an instruction does besides computing.
#[derive(Debug)]
pub(crate) enum Action {
    Compute(Execute),
    /// Goes on at another instruction.
    Branch(u32),
    /// Goes on where the value of `a` says, counted from the first of the targets.
    BranchIndexed(Box<[u32]>),
    Load(Box<Access>),
    Store(Box<Access>),
    Atomic(Box<Access>),
    Fence,
    /// Exchanges values between the lanes of a mask, which wait for each other.
    Exchange(Exchange),
    /// Waits for threads of the block.
    Barrier(Barrier),
    /// Calls a function: its first instruction.
    Call(u32),
    Return,
    Exit,
    Trap,
    /// Lets others go first.
    Yield,
    /// Reads a clock.
    Clock,
    /// Returns the lanes that are at the instruction together.
    ActiveMask,
}

/// An instruction: columns `a`, `b` and `c` become column `d`.
#[derive(Debug)]
pub(crate) struct Instruction {
    pub(crate) action: Action,
    /// The predicate of the lanes that take part.
    pub(crate) guard: Slot,
    /// Whether they are those in which the predicate does not hold.
    pub(crate) inverted: bool,
    pub(crate) d: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
    /// A predicate that is read or written.
    pub(crate) p: Slot,
    /// Another predicate that is written.
    pub(crate) q: Slot,
    /// The lanes that an exchange names.
    pub(crate) m: Slot,
    /// A number that the form needs.
    pub(crate) extra: u64,
    pub(crate) line: u32,
}

/// A call that has not returned.
pub(crate) type Frame = u32;

/// Lanes that are at the same instruction.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) mask: u32,
    pub(crate) pc: u32,
    /// Where calls return to.
    pub(crate) stack: Vec<Frame>,
    pub(crate) state: State,
}

/// Whether lanes can go on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum State {
    Ready,
    /// They wait for other lanes of their warp at the instruction.
    Together,
    /// They wait for other threads of the block at the instruction.
    AtBarrier,
    /// They wait for a word to change.
    Parked(Vec<Watch>),
}

/// A word that lanes wait for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Watch {
    pub(crate) address: u64,
    pub(crate) bytes: u32,
    pub(crate) value: u64,
}
