//! Instructions, and the positions of a warp's lanes in the code.

use crate::access::Access;
use crate::lanes::{Execute, Slot};
use crate::sync::{Barrier, Exchange};

/// Effect of an instruction.
#[derive(Debug)]
pub(crate) enum Action {
    Compute(Execute),
    /// Jumps to an instruction.
    Branch(u32),
    /// Jumps to the target whose index is the value of `a`.
    BranchIndexed(Box<[u32]>),
    Load(Box<Access>),
    Store(Box<Access>),
    Atomic(Box<Access>),
    Fence,
    /// Exchanges values between the lanes of a mask once all of them are at the instruction.
    Exchange(Exchange),
    /// Waits for threads of the block.
    Barrier(Barrier),
    /// Calls the function that begins at this instruction.
    Call(u32),
    Return,
    Exit,
    Trap,
    /// Lets other lanes run first.
    Yield,
    /// Reads a clock.
    Clock,
    /// Returns the mask of lanes that run the instruction together.
    ActiveMask,
}

/// An instruction: computes column `d` from columns `a`, `b` and `c`.
#[derive(Debug)]
pub(crate) struct Instruction {
    pub(crate) action: Action,
    /// The predicate of the lanes that take part.
    pub(crate) guard: Slot,
    /// Whether the lanes in which the guard does not hold take part instead.
    pub(crate) inverted: bool,
    pub(crate) d: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
    /// A predicate that the instruction reads or writes.
    pub(crate) p: Slot,
    /// Another predicate that the instruction writes.
    pub(crate) q: Slot,
    /// Column with the mask of lanes that take part in an exchange.
    pub(crate) m: Slot,
    /// A constant whose meaning depends on the form.
    pub(crate) extra: u64,
    pub(crate) line: u32,
}

/// The instruction to which a call returns.
pub(crate) type Frame = u32;

/// Lanes that are at the same instruction.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) mask: u32,
    pub(crate) pc: u32,
    /// Return addresses of the calls in progress.
    pub(crate) stack: Vec<Frame>,
    pub(crate) state: State,
}

/// State of lanes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum State {
    Ready,
    /// The lanes wait at an instruction for other lanes of their warp.
    Together,
    /// The lanes wait at a barrier for other threads of the block.
    AtBarrier,
    /// The lanes wait until one of these words changes.
    Parked(Vec<Watch>),
}

/// A word that lanes wait for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Watch {
    pub(crate) address: u64,
    pub(crate) bytes: u32,
    pub(crate) value: u64,
}
