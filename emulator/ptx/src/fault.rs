//! Faults, which end a launch.

use std::fmt;

/// CUDA's code for an access outside of memory.
pub(crate) const ILLEGAL_ADDRESS: u32 = 700;
/// CUDA's code for a launch that does not end.
pub(crate) const TIMEOUT: u32 = 702;
/// CUDA's code for an access that is not aligned to its size.
pub(crate) const MISALIGNED: u32 = 716;
/// CUDA's code for an instruction that a kernel must not reach.
pub(crate) const ILLEGAL_INSTRUCTION: u32 = 715;

/// A fault, which ends a launch.
#[derive(Clone, Debug)]
pub struct Fault {
    /// CUDA's code.
    pub code: u32,
    /// The accessed address, if it caused the fault.
    pub address: Option<u64>,
    /// Description of the fault.
    pub(crate) what: String,
    /// The block.
    pub(crate) block: [u32; 3],
    /// The first thread that caused the fault.
    pub(crate) thread: u32,
    /// The threads of the warp that caused the fault, one bit per lane.
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
