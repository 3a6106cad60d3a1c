//! Graphics cards that can be emulated, with the attributes on which GTS bases decisions.

/// A graphics card.
#[derive(Debug)]
pub(crate) struct Card {
    /// Value of `GTS_EMU_CARD` that selects the card.
    pub(crate) key: &'static str,
    /// Device name that the driver reports.
    pub(crate) name: &'static str,
    pub(crate) multiprocessors: u32,
    pub(crate) capability: (u32, u32),
    /// Bytes of the cache shared by all multiprocessors.
    pub(crate) cache: u32,
    /// Bytes of device memory.
    pub(crate) memory: u64,
    /// Number of threads that run concurrently on a multiprocessor.
    pub(crate) threads: u32,
}

/// Maximum number of blocks that run concurrently on a multiprocessor.
const MOST_BLOCKS: u32 = 32;

/// All cards. The first one is the default.
pub(crate) const CARDS: [Card; 3] = [
    Card {
        key: "small",
        name: "emulated GPU",
        multiprocessors: 4,
        capability: (9, 0),
        cache: 1 << 20,
        memory: 1 << 30,
        // Allows 8 blocks of 512 threads on each multiprocessor, so that the claiming loop's 32 blocks run
        // concurrently.
        threads: 4096,
    },
    Card {
        key: "h100",
        name: "emulated H100",
        multiprocessors: 132,
        capability: (9, 0),
        cache: 50 << 20,
        memory: 80 << 30,
        threads: 2048,
    },
    Card {
        key: "h200",
        name: "emulated H200",
        multiprocessors: 132,
        capability: (9, 0),
        cache: 60 << 20,
        memory: 141 << 30,
        threads: 2048,
    },
];

impl Card {
    /// Returns the value of a CUDA device attribute, or `None` if GTS does not use the attribute.
    pub(crate) fn attribute(&self, attribute: u32) -> Option<u32> {
        Some(match attribute {
            16 => self.multiprocessors,
            38 => self.cache,
            75 => self.capability.0,
            76 => self.capability.1,
            _ => return None,
        })
    }

    /// Returns the number of blocks of `threads` threads that run concurrently on a multiprocessor.
    pub(crate) fn blocks_at_a_time(&self, threads: u32) -> u32 {
        (self.threads / threads.max(1)).min(MOST_BLOCKS)
    }
}
