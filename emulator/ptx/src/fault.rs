//! Faults that end a launch.

use std::fmt;

/// CUDA's code for an access outside all allocations.
pub(crate) const ILLEGAL_ADDRESS: u32 = 700;
/// CUDA's code for a launch that takes too long.
pub(crate) const TIMEOUT: u32 = 702;
/// CUDA's code for an access that is not aligned to its size.
pub(crate) const MISALIGNED: u32 = 716;
/// CUDA's code for an invalid instruction.
pub(crate) const ILLEGAL_INSTRUCTION: u32 = 715;

/// A fault that ends a launch.
#[derive(Clone, Debug)]
pub struct Fault {
    /// CUDA's error code.
    pub code: u32,
    /// The accessed address, if the access caused the fault.
    pub address: Option<u64>,
    /// Description of the fault.
    pub(crate) what: String,
    /// Index of the block in the grid.
    pub(crate) block: [u32; 3],
    /// Number of the first thread that caused the fault.
    pub(crate) thread: u32,
    /// Lanes of the warp that caused the fault, one bit per lane.
    pub(crate) lanes: u32,
    /// Number and text of the PTX line.
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
