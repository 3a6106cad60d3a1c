//! The work of each rank in a group, and the transport of values between ranks.

use gts_contract::Transport;
use std::fmt;
use std::ops::Range;
use std::time::Duration;

/// Totals of a rank's exchanges with other ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exchanged {
    /// The number of exchanges.
    pub exchanges: u64,
    /// Bytes sent to other ranks.
    pub sent: u64,
    /// Bytes received from other ranks.
    pub received: u64,
    /// Time spent in exchanges, including waits for other ranks.
    pub time: Duration,
}

/// The work of one rank since the creation of its device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankWork {
    /// Number of pages of the graph in this rank's memory.
    pub pages_in_memory: u64,
    /// Number of pages of the graph.
    pub pages: u64,
    /// Number of pages that the rank's passes walked.
    pub walked: u64,
    /// Number of edges that the rank's passes walked.
    pub edges: u64,
    /// Bytes that the rank's passes read from storage.
    pub read: u64,
    /// The total time of the rank's passes, excluding exchanges.
    pub passes: Duration,
    /// Data exchanged with other ranks through host memory.
    pub exchanged: Exchanged,
    /// Data exchanged with other ranks by NCCL, from GPU to GPU.
    pub by_nccl: Exchanged,
}

/// The transport of values between ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BetweenRanks {
    /// From GPU to GPU by NCCL. Contains NCCL's version.
    Nccl(String),
    /// Through host memory. If the ranks run on GPUs, contains the reason why NCCL is not used.
    HostMemory(Option<String>),
}

impl BetweenRanks {
    /// Returns the transport without the version or the reason.
    pub const fn transport(&self) -> Transport {
        match self {
            Self::Nccl(_) => Transport::Nccl,
            Self::HostMemory(_) => Transport::HostMemory,
        }
    }

    /// Returns the transport's display name.
    pub const fn name(&self) -> &'static str {
        self.transport().name()
    }
}

impl fmt::Display for BetweenRanks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nccl(version) => write!(f, "{} {version}", self.name()),
            Self::HostMemory(None) => f.write_str(self.name()),
            Self::HostMemory(Some(why)) => write!(f, "{} ({why})", self.name()),
        }
    }
}

/// Divides a byte range into one slice per rank, in units of `element` bytes. All slices have the same length, except
/// that the last slices may be shorter or empty.
pub fn slices(range: Range<usize>, ranks: usize, element: usize) -> impl Iterator<Item = Range<usize>> {
    let each = ((range.end - range.start) / element).div_ceil(ranks) * element;
    let end = range.end;
    (0..ranks).map(move |rank| (range.start + rank * each).min(end)..(range.start + (rank + 1) * each).min(end))
}
