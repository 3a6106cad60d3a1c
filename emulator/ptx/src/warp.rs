//! Instructions, and groups of a warp's lanes at the same instruction.

use crate::access::Access;
use crate::lanes::{Execute, Slot};
use crate::sync::{Barrier, Exchange};

/// The action of an instruction.
#[derive(Debug)]
pub(crate) enum Action {
    Compute(Execute),
    /// Jumps to the instruction with this index.
    Branch(u32),
    /// Jumps to the target selected by the value of column `a`.
    BranchIndexed(Box<[u32]>),
    Load(Box<Access>),
    Store(Box<Access>),
    Atomic(Box<Access>),
    Fence,
    /// Exchanges values between the lanes of a mask, once all of these lanes are at the instruction.
    Exchange(Exchange),
    /// Waits for all threads of the block.
    Barrier(Barrier),
    /// Calls the function whose first instruction has this index.
    Call(u32),
    Return,
    Exit,
    Trap,
    /// Lets other lanes run.
    Yield,
    /// Reads the clock.
    Clock,
    /// Returns the mask of the lanes that execute the instruction together.
    ActiveMask,
}

/// An instruction. Most instructions compute column `d` from columns `a`, `b` and `c`.
#[derive(Debug)]
pub(crate) struct Instruction {
    pub(crate) action: Action,
    /// Predicate that selects the lanes which execute the instruction.
    pub(crate) guard: Slot,
    /// Whether the guard selects the lanes in which the predicate is false.
    pub(crate) inverted: bool,
    pub(crate) d: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
    /// Predicate that the instruction reads or writes.
    pub(crate) p: Slot,
    /// Second predicate that the instruction writes.
    pub(crate) q: Slot,
    /// Column that contains the mask of the lanes that take part in an exchange.
    pub(crate) m: Slot,
    /// Constant whose meaning depends on the instruction form.
    pub(crate) extra: u64,
    pub(crate) line: u32,
}

/// Index of the instruction to which a call returns.
pub(crate) type Frame = u32;

/// Lanes of a warp that are at the same instruction.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) mask: u32,
    pub(crate) pc: u32,
    /// Return addresses of the calls in progress, innermost last.
    pub(crate) stack: Vec<Frame>,
    pub(crate) state: State,
}

/// State of a group of lanes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum State {
    Ready,
    /// The lanes wait at an instruction for other lanes of their mask.
    Together,
    /// The lanes wait at a barrier for other threads of the block.
    AtBarrier,
    /// The lanes wait until one of these words changes.
    Parked(Vec<Watch>),
}

/// A word in memory and its last value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Watch {
    pub(crate) address: u64,
    pub(crate) bytes: u32,
    pub(crate) value: u64,
}
