//! What ends a launch.

use std::fmt;

/// CUDA's code of an access outside of memory.
pub(crate) const ILLEGAL_ADDRESS: u32 = 700;
/// CUDA's code of a launch that does not end.
pub(crate) const TIMEOUT: u32 = 702;
/// CUDA's code of an access that is not aligned to its size.
pub(crate) const MISALIGNED: u32 = 716;
/// CUDA's code of an instruction that a kernel must not reach.
pub(crate) const ILLEGAL_INSTRUCTION: u32 = 715;

/// What ends a launch.
#[derive(Clone, Debug)]
pub struct Fault {
    /// CUDA's code.
    pub code: u32,
    /// The address that was accessed, if that is the reason.
    pub address: Option<u64>,
    /// What happened.
    pub(crate) what: String,
    /// The block.
    pub(crate) block: [u32; 3],
    /// The first of the threads.
    pub(crate) thread: u32,
    /// The threads of its warp, a bit each.
    pub(crate) lanes: u32,
    /// The line of the PTX, and its text.
    pub(crate) line: (u32, String),
}

impl fmt::Display for Fault {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.block;
        let (line, text) = &self.line;
        write!(
            to,
            "{}\n  block ({x}, {y}, {z}), thread {}, lanes {:#010x}, PTX line {line}: {text}",
            self.what, self.thread, self.lanes
        )
    }
}
